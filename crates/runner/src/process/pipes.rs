//! The pipes to a program that is talked to while it runs.

use std::fs::File;
use std::io::{self, ErrorKind};
use std::os::fd::OwnedFd;
use std::process::Child;

/// Takes standard input, output and error output of a process; none of them ever blocks.
///
/// # Errors
/// If one of them is no pipe, or the system refuses.
pub(crate) fn pipes(child: &mut Child) -> io::Result<[File; 3]> {
    let missing = || io::Error::from(ErrorKind::BrokenPipe);
    let pipes = [
        child.stdin.take().map(OwnedFd::from).ok_or_else(missing)?,
        child.stdout.take().map(OwnedFd::from).ok_or_else(missing)?,
        child.stderr.take().map(OwnedFd::from).ok_or_else(missing)?,
    ];
    for pipe in &pipes {
        rustix::io::ioctl_fionbio(pipe, true)?;
    }
    Ok(pipes.map(File::from))
}
