//! A request to end what is running, which a waiting thread notices at once. Knows nothing of
//! processes or signals.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};
use std::thread;
use std::time::{Duration, Instant};

use rustix::event::{EventfdFlags, PollFd, PollFlags, Timespec, eventfd, poll};

/// A flag that is set once, together with a file descriptor that becomes readable then, so that
/// nobody has to look at the flag again and again. Clones are the same flag.
#[derive(Clone, Debug)]
pub struct Stop(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    set: AtomicBool,
    why: OnceLock<&'static str>,
    event: OwnedFd,
    below: Mutex<Vec<Weak<Shared>>>,
}

impl Stop {
    /// A flag that is not set.
    ///
    /// # Errors
    /// When the system has no file descriptor left.
    pub fn new() -> io::Result<Self> {
        let event = eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?;
        Ok(Self(Arc::new(Shared {
            set: AtomicBool::new(false),
            why: OnceLock::new(),
            event,
            below: Mutex::default(),
        })))
    }

    /// A flag that is set together with this one, or alone.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn below(&self) -> io::Result<Self> {
        let child = Self::new()?;
        {
            let mut below = self.0.below.lock().unwrap_or_else(PoisonError::into_inner);
            below.retain(|old| old.strong_count() > 0);
            below.push(Arc::downgrade(&child.0));
        }
        if self.is_set() {
            child.set();
        }
        Ok(child)
    }

    /// Sets the flag and all below it. Setting it again changes nothing.
    pub fn set(&self) {
        self.0.set.store(true, Ordering::SeqCst);
        // The counter of an eventfd can only refuse when it is full, and then it is readable.
        let _ = rustix::io::write(&self.0.event, &1_u64.to_ne_bytes());
        let below = self.0.below.lock().unwrap_or_else(PoisonError::into_inner);
        below.iter().filter_map(Weak::upgrade).for_each(|child| Self(child).set());
    }

    /// Sets the flag for this reason when the time is over, unless it is set before.
    ///
    /// # Errors
    /// When the system has no file descriptor left.
    pub fn set_after(&self, time: Duration, why: &'static str) -> io::Result<()> {
        let (stop, event) = (Arc::downgrade(&self.0), self.0.event.try_clone()?);
        let end = Instant::now() + time;
        thread::spawn(move || {
            loop {
                let left = end.saturating_duration_since(Instant::now());
                let most = Timespec { tv_sec: 1 << 30, tv_nsec: 0 };
                let left = Timespec::try_from(left).unwrap_or(most);
                let mut fds = [PollFd::new(&event, PollFlags::IN)];
                match poll(&mut fds, Some(&left)) {
                    Err(rustix::io::Errno::INTR) => {}
                    Ok(0) => break,
                    _ => return,
                }
            }
            if let Some(shared) = stop.upgrade() {
                // Whoever was first is right.
                let _ = shared.why.set(why);
                Self(shared).set();
            }
        });
        Ok(())
    }

    /// Why the flag is set.
    pub fn why(&self) -> &'static str {
        self.0.why.get().unwrap_or(&"interrupted")
    }

    /// Whether the flag is set.
    pub fn is_set(&self) -> bool {
        self.0.set.load(Ordering::SeqCst)
    }
}

impl AsFd for Stop {
    /// Readable as soon as the flag is set, and for ever.
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.event.as_fd()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stop_comes_when_its_time_is_over() {
        let stop = Stop::new().unwrap();
        stop.set_after(Duration::from_millis(1), "late").unwrap();
        poll(&mut [PollFd::new(&stop, PollFlags::IN)], None).unwrap();
        assert_eq!((stop.is_set(), stop.why()), (true, "late"));
        assert_eq!(Stop::new().unwrap().why(), "interrupted");
    }

    #[test]
    fn a_stop_reaches_those_below_it_but_not_the_other_way() {
        let top = Stop::new().unwrap();
        let (left, right) = (top.below().unwrap(), top.below().unwrap());
        left.set();
        assert_eq!([top.is_set(), left.is_set(), right.is_set()], [false, true, false]);
        top.set();
        assert!(right.is_set());
        assert!(top.below().unwrap().is_set(), "born after the stop");
    }
}
