//! A request to end what is running, which a waiting thread notices at once.

use std::io::{self, PipeReader, PipeWriter, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};
use std::time::{Duration, Instant};

use minirepro_engine::StopReason;
use rustix::event::{PollFd, PollFlags, Timespec, poll};

use crate::system::resources::{pipe, spawn_thread};

/// A flag that is set once, together with a file descriptor that becomes readable then, so that
/// nobody has to look at the flag again and again. Clones are the same flag.
#[derive(Clone, Debug)]
pub struct CancelToken(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    set: AtomicBool,
    why: OnceLock<StopReason>,
    /// Readable as soon as the flag is set, and for ever, since nobody reads.
    event: PipeReader,
    trigger: PipeWriter,
    below: Mutex<Vec<Weak<Shared>>>,
}

impl CancelToken {
    /// Returns a flag that is not set.
    ///
    /// # Errors
    /// If the system has no file descriptor left, or no thread.
    pub fn new() -> io::Result<Self> {
        let (event, trigger) = pipe()?;
        Ok(Self(Arc::new(Shared {
            set: AtomicBool::new(false),
            why: OnceLock::new(),
            event,
            trigger,
            below: Mutex::default(),
        })))
    }

    /// Returns a flag that is set together with this one, or alone.
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
            child.set_because(self.why());
        }
        Ok(child)
    }

    /// Sets the flag and all below it. Setting it again changes nothing.
    pub fn set(&self) {
        if !self.0.set.swap(true, Ordering::SeqCst) {
            // A pipe that is empty and open at both ends takes a byte.
            let _ = (&self.0.trigger).write(&[1]);
        }
        let below = self.0.below.lock().unwrap_or_else(PoisonError::into_inner);
        for child in below.iter().filter_map(Weak::upgrade) {
            if let Some(why) = self.0.why.get() {
                // The first reason counts.
                let _ = child.why.set(*why);
            }
            Self(child).set();
        }
    }

    /// Sets the flag and all below it for this reason; the first reason counts.
    pub fn set_because(&self, why: StopReason) {
        if !self.is_set() {
            let _ = self.0.why.set(why);
        }
        self.set();
    }

    /// Sets the flag for this reason when the time is over, unless it is set before.
    ///
    /// # Errors
    /// If the system has no file descriptor left, or no thread.
    pub fn set_after(&self, time: Duration, why: StopReason) -> io::Result<()> {
        let stop = Arc::downgrade(&self.0);
        let event = self.0.event.try_clone()?;
        // What lies beyond all clocks never comes.
        let Some(end) = Instant::now().checked_add(time) else { return Ok(()) };
        spawn_thread(move || {
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
                // The first reason counts.
                let _ = shared.why.set(why);
                Self(shared).set();
            }
        })?;
        Ok(())
    }

    /// Returns why the flag is set, once it is.
    pub fn why(&self) -> StopReason {
        self.0.why.get().copied().unwrap_or(StopReason::Interrupted)
    }

    /// Returns whether the flag is set.
    pub fn is_set(&self) -> bool {
        self.0.set.load(Ordering::SeqCst)
    }
}

impl AsFd for CancelToken {
    /// Returns a descriptor that is readable from the moment on in which the flag is set.
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.event.as_fd()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stop_comes_when_its_time_is_over() {
        let stop = CancelToken::new().unwrap();
        stop.set_after(Duration::from_millis(1), StopReason::TimeBudget).unwrap();
        poll(&mut [PollFd::new(&stop, PollFlags::IN)], None).unwrap();
        assert_eq!((stop.is_set(), stop.why()), (true, StopReason::TimeBudget));
        assert_eq!(CancelToken::new().unwrap().why(), StopReason::Interrupted);
    }

    #[test]
    fn a_stop_reaches_those_below_it_but_not_the_other_way() {
        let top = CancelToken::new().unwrap();
        let (left, right) = (top.below().unwrap(), top.below().unwrap());
        left.set();
        assert_eq!([top.is_set(), left.is_set(), right.is_set()], [false, true, false]);
        top.set();
        assert!(right.is_set());
        assert!(top.below().unwrap().is_set(), "born after the stop");
    }
}
