//! A request to end what is running, which a waiting thread notices at once.

use std::io::{self, PipeReader, PipeWriter, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::{Arc, Mutex, OnceLock, Weak};
use std::time::{Duration, Instant};

use minirepro_engine::StopReason;
use rustix::event::{PollFd, PollFlags, Timespec, poll};

use crate::system::lock;
use crate::system::resources::{pipe, spawn_thread};

/// A flag that is set once, together with a file descriptor that becomes readable then, so that
/// nobody has to look at the flag again and again. Clones are the same flag.
#[derive(Clone, Debug)]
pub struct CancelToken(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    /// Why the flag is set, once it is.
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
        let (why, below) = (OnceLock::new(), Mutex::default());
        Ok(Self(Arc::new(Shared { why, event, trigger, below })))
    }

    /// Returns a flag that is set together with this one, or alone.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn below(&self) -> io::Result<Self> {
        let child = Self::new()?;
        let mut below = lock(&self.0.below);
        below.retain(|old| old.strong_count() > 0);
        below.push(Arc::downgrade(&child.0));
        drop(below);
        if self.is_set() {
            child.set_because(self.why());
        }
        Ok(child)
    }

    /// Sets the flag and all below it. Setting it again changes nothing.
    pub fn set(&self) {
        self.set_because(StopReason::Interrupted);
    }

    /// Sets the flag and all below it for this reason; the first reason counts.
    pub fn set_because(&self, why: StopReason) {
        if self.0.why.set(why).is_ok() {
            // A pipe that is empty and open at both ends takes a byte.
            let _ = (&self.0.trigger).write(&[1]);
        }
        for child in lock(&self.0.below).iter().filter_map(Weak::upgrade) {
            Self(child).set_because(self.why());
        }
    }

    /// Sets the flag for this reason when the time is over, unless it is set before.
    ///
    /// # Errors
    /// If the system has no file descriptor left, or no thread.
    pub fn set_after(&self, time: Duration, why: StopReason) -> io::Result<()> {
        const MOST: Timespec = Timespec { tv_sec: 1 << 30, tv_nsec: 0 };
        let stop = Arc::downgrade(&self.0);
        let event = self.0.event.try_clone()?;
        // What lies beyond all clocks never comes.
        let Some(end) = Instant::now().checked_add(time) else { return Ok(()) };
        spawn_thread(move || {
            let mut left = time;
            while !left.is_zero() {
                let time = left.try_into().unwrap_or(MOST);
                // Its pipe also ends when nobody has the flag any more.
                if poll(&mut [PollFd::new(&event, PollFlags::IN)], Some(&time)).is_ok_and(|n| n > 0)
                {
                    return;
                }
                left = end.saturating_duration_since(Instant::now());
            }
            if let Some(shared) = stop.upgrade() {
                Self(shared).set_because(why);
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
        self.0.why.get().is_some()
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
