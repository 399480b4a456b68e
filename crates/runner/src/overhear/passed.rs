//! Outputs of a program that are passed on as they come, of which a part is kept.

use std::fs::File;
use std::io::{self, PipeReader, Read};
use std::os::fd::{BorrowedFd, OwnedFd};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;

use crate::process::kept::Kept;

/// How much of an output is kept, in bytes.
const KEEP: usize = 1 << 18;

/// An output that is passed on.
pub(super) struct Passed<'a> {
    /// Nobody reads any more if there is none.
    pub from: Option<File>,
    to: BorrowedFd<'a>,
    pub kept: Kept,
}

impl<'a> Passed<'a> {
    /// # Errors
    /// If the system refuses to read without waiting.
    pub fn new(from: PipeReader, to: BorrowedFd<'a>) -> io::Result<Self> {
        rustix::io::ioctl_fionbio(&from, true)?;
        Ok(Self { from: Some(OwnedFd::from(from).into()), to, kept: Kept::new(KEEP) })
    }

    /// Passes on what there is. Whoever writes finds out if nobody reads any more.
    pub fn pass(&mut self) {
        let mut buffer = [0; 1 << 16];
        while let Some(from) = &mut self.from {
            match from.read(&mut buffer) {
                Ok(length @ 1..) if write(self.to, &buffer[..length]).is_ok() => {
                    self.kept.add(&buffer[..length]);
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                _ => self.from = None,
            }
        }
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
