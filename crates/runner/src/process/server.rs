//! A program that serves the tests of a run and lives as long as they need it, such as a browser.

use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};

use crate::process::children::{self, Kind};
use crate::process::descendants::Descendants;
use crate::process::exit_watch::has_ended;
use crate::scratch::scratch::Scratch;
use crate::system::files;

/// A process with all that it has started, and a directory of theirs. Both go when this is dropped,
/// and the processes also when we are killed.
#[derive(Debug)]
pub struct Server {
    child: Option<Child>,
    directory: PathBuf,
    // Every process dies before the directory goes.
    descendants: Descendants,
    _scratch: Scratch,
}

impl Server {
    /// Starts the command that is made for a directory.
    ///
    /// # Errors
    /// If the system refuses, or there is no such program.
    pub fn start(command: impl FnOnce(&Path) -> io::Result<Command>) -> io::Result<Self> {
        let scratch = Scratch::new(&std::env::temp_dir())?;
        let directory = scratch.path().join("server");
        files::create_directory(&directory)?;
        let descendants = Descendants::new(scratch.path(), Kind::Helper)?;
        let (child, _) =
            descendants.start(children::lock(), &mut command(&directory)?, &directory)?;
        Ok(Self { child: Some(child), directory, descendants, _scratch: scratch })
    }

    /// Returns its directory.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// Returns the number of the process above all others.
    pub fn process(&self) -> u32 {
        self.child.as_ref().map_or(0, Child::id)
    }

    /// Returns whether the process above all others has ended.
    pub fn has_ended(&self) -> bool {
        self.child.as_ref().is_none_or(|child| has_ended(child).unwrap_or(true))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Some(child) = self.child.take() {
            // How it ends does not matter.
            let _ = self.descendants.reap_with_descendants(child, &self.directory);
        }
    }
}

#[cfg(test)]
mod tests {
    use rustix::process::Pid;

    use super::*;

    #[test]
    fn what_a_server_has_started_ends_with_it() {
        let server = Server::start(|directory| {
            let mut command = Command::new("sh");
            command.arg("-c").arg("sleep 1000 & echo $! > started; wait").current_dir(directory);
            Ok(command)
        })
        .unwrap();
        let place = server.directory().join("started");
        let read = || std::fs::read_to_string(&place).unwrap_or_default().trim().parse::<i32>();
        let started = loop {
            if let Ok(started) = read() {
                break Pid::from_raw(started).unwrap();
            }
            std::thread::yield_now();
        };
        assert!(!server.has_ended());
        drop(server);
        assert!(rustix::process::test_kill_process(started).is_err());
        assert!(!place.exists());
    }
}
