//! The outputs of a process, which are read without waiting.

use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::os::fd::{BorrowedFd, OwnedFd};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;

/// One output of a process. The first and the last half of what is kept of it stay.
pub(crate) struct Pipe<'t> {
    /// Nobody writes any more if there is none.
    pub source: Option<File>,
    /// Where it is passed on.
    to: Option<BorrowedFd<'t>>,
    first: Vec<u8>,
    last: Vec<u8>,
    half: usize,
    /// How many bytes were read.
    pub seen: u64,
}

impl<'t> Pipe<'t> {
    pub fn new(source: Option<OwnedFd>, keep: usize, to: Option<BorrowedFd<'t>>) -> Self {
        // Should the flag be refused, not reading at all is better than to wait for ever.
        let source = source.filter(|fd| rustix::io::ioctl_fionbio(fd, true).is_ok());
        let (first, last) = (Vec::new(), Vec::new());
        Self { source: source.map(File::from), to, first, last, half: keep / 2, seen: 0 }
    }

    /// Reads once; returns whether there was something to read. Whoever writes finds out if it
    /// cannot be passed on.
    pub fn read_some(&mut self) -> bool {
        let mut buffer = [0; 16 * 1024];
        match self.source.as_mut().map(|source| source.read(&mut buffer)) {
            Some(Ok(length @ 1..)) => {
                self.seen += length as u64;
                self.keep(&buffer[..length]);
                if self.to.is_some_and(|to| write(to, &buffer[..length]).is_err()) {
                    self.source = None;
                }
                return true;
            }
            Some(Err(e)) if e.kind() == ErrorKind::WouldBlock => {}
            Some(Err(e)) if e.kind() == ErrorKind::Interrupted => return true,
            _ => self.source = None,
        }
        false
    }

    /// Reads what is left in the pipe, at most as much as a pipe can hold: a process that escaped
    /// us may go on writing.
    pub fn drain(&mut self) {
        for _ in 0..64 {
            self.read_some();
        }
        self.source = None;
    }

    fn keep(&mut self, text: &[u8]) {
        let head = text.len().min(self.half - self.first.len());
        self.first.extend_from_slice(&text[..head]);
        self.last.extend_from_slice(&text[head..]);
        if self.last.len() > 2 * self.half + 64 * 1024 {
            self.last.drain(..self.last.len() - self.half);
        }
    }

    pub fn into_text(self) -> Vec<u8> {
        let Self { mut first, last, half, .. } = self;
        first.extend_from_slice(&last[last.len().saturating_sub(half)..]);
        first
    }
}

/// Writes all, and waits where nothing can be written without waiting.
fn write(to: BorrowedFd<'_>, mut text: &[u8]) -> io::Result<()> {
    while !text.is_empty() {
        match rustix::io::write(to, text) {
            Ok(length) => text = &text[length..],
            Err(Errno::INTR) => {}
            Err(Errno::AGAIN) => drop(poll(&mut [PollFd::new(&to, PollFlags::OUT)], None)),
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}
