//! Outputs of a program that are passed on as they come, of which a part is kept.

use std::fs::File;
use std::io::{self, PipeReader, Read};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;

/// How much of an output is kept, in bytes: half from its start, half from its end.
const KEEP: usize = 1 << 18;

/// An output that is passed on.
pub(super) struct Passed<'a> {
    /// Nobody reads any more if there is none.
    from: Option<File>,
    to: BorrowedFd<'a>,
    first: Vec<u8>,
    last: Vec<u8>,
}

impl<'a> Passed<'a> {
    /// # Errors
    /// If the system refuses to read without waiting.
    pub(super) fn new(from: PipeReader, to: BorrowedFd<'a>) -> io::Result<Self> {
        rustix::io::ioctl_fionbio(&from, true)?;
        let from = Some(File::from(OwnedFd::from(from)));
        Ok(Self { from, to, first: Vec::new(), last: Vec::new() })
    }

    pub(super) fn source(&self) -> Option<BorrowedFd<'_>> {
        self.from.as_ref().map(AsFd::as_fd)
    }

    /// Passes on what there is. Whoever writes finds out if nobody reads any more.
    pub(super) fn pass(&mut self) {
        let mut buffer = [0; 1 << 16];
        while let Some(from) = &mut self.from {
            match from.read(&mut buffer) {
                Ok(length @ 1..) if write(self.to, &buffer[..length]).is_ok() => {
                    self.keep(&buffer[..length]);
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                _ => self.from = None,
            }
        }
    }

    fn keep(&mut self, text: &[u8]) {
        let head = text.len().min(KEEP / 2 - self.first.len());
        self.first.extend_from_slice(&text[..head]);
        self.last.extend_from_slice(&text[head..]);
        let surplus = self.last.len().saturating_sub(KEEP / 2);
        if surplus > KEEP {
            self.last.drain(..surplus);
        }
    }

    pub(super) fn into_kept(mut self) -> Vec<u8> {
        self.first.extend_from_slice(&self.last[self.last.len().saturating_sub(KEEP / 2)..]);
        self.first
    }
}

/// Writes all, and waits where nothing can be written without waiting.
fn write(to: BorrowedFd<'_>, mut text: &[u8]) -> Result<(), Errno> {
    while !text.is_empty() {
        match rustix::io::write(to, text) {
            Ok(length) => text = &text[length..],
            Err(Errno::INTR) => {}
            Err(Errno::AGAIN) => drop(poll(&mut [PollFd::new(&to, PollFlags::OUT)], None)),
            Err(error) => return Err(error),
        }
    }
    Ok(())
}
