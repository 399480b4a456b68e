//! The files below a directory that programs open while it is watched.

use std::collections::{BTreeSet, HashMap};
use std::ffi::OsStr;
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::thread::JoinHandle;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::fs::inotify::{CreateFlags, ReadFlags, Reader, WatchFlags, add_watch, init};
use rustix::io::Errno;

use crate::process::cancel::CancelToken;
use crate::system::resources::spawn_thread;

/// A watch over directories. The system tells of each file in them that is opened; it keeps only so
/// many of these messages, so that a thread takes them.
pub(crate) struct OpenedFiles {
    collector: Option<JoinHandle<Option<BTreeSet<PathBuf>>>>,
    end: CancelToken,
}

impl OpenedFiles {
    /// Watches these directories below `top`, relative to it.
    ///
    /// # Errors
    /// If the system cannot watch all of them.
    pub fn watch<'p>(
        top: &Path,
        directories: impl IntoIterator<Item = &'p Path>,
    ) -> io::Result<Self> {
        let messages = init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC)?;
        let mut watched = HashMap::new();
        for directory in directories {
            let flags = WatchFlags::OPEN | WatchFlags::ONLYDIR;
            let number = add_watch(&messages, top.join(directory), flags)?;
            watched.insert(number, directory.to_owned());
        }
        let end = CancelToken::new()?;
        let ended = end.clone();
        let collector = spawn_thread(move || collect(&messages, &watched, &ended))?;
        Ok(Self { collector: Some(collector), end })
    }

    /// Returns the files that were opened, relative to the top; `None` if some were missed.
    pub fn finish(mut self) -> Option<BTreeSet<PathBuf>> {
        self.end.set();
        self.collector.take()?.join().ok()?
    }
}

impl Drop for OpenedFiles {
    fn drop(&mut self) {
        self.end.set();
    }
}

fn collect(
    messages: &OwnedFd,
    watched: &HashMap<i32, PathBuf>,
    end: &CancelToken,
) -> Option<BTreeSet<PathBuf>> {
    let mut opened = BTreeSet::new();
    let mut buffer = [MaybeUninit::uninit(); 1 << 14];
    let mut reader = Reader::new(messages, &mut buffer);
    loop {
        // Looked at before the messages, so that none comes after the last look.
        let is_over = end.is_set();
        loop {
            match reader.next() {
                Ok(message) if message.events().contains(ReadFlags::QUEUE_OVERFLOW) => return None,
                Ok(message) if message.events().contains(ReadFlags::ISDIR) => {}
                Ok(message) => {
                    let directory = watched.get(&message.wd());
                    if let (Some(directory), Some(name)) = (directory, message.file_name()) {
                        opened.insert(directory.join(OsStr::from_bytes(name.to_bytes())));
                    }
                }
                Err(Errno::AGAIN) => break,
                Err(Errno::INTR) => {}
                Err(_) => return None,
            }
        }
        if is_over {
            return Some(opened);
        }
        let mut ready = [
            PollFd::new(messages, PollFlags::IN),
            PollFd::from_borrowed_fd(end.as_fd(), PollFlags::IN),
        ];
        match poll(&mut ready, None) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(_) => return None,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn what_is_opened_is_known_and_what_is_only_looked_for_is_not() {
        let place = tempfile::tempdir().unwrap();
        fs::create_dir_all(place.path().join("d/e")).unwrap();
        for name in ["a", "b", "d/a", "d/e/c"] {
            fs::write(place.path().join(name), name).unwrap();
        }
        let directories = ["", "d", "d/e"].map(Path::new);
        let watch = OpenedFiles::watch(place.path(), directories).unwrap();
        fs::read(place.path().join("a")).unwrap();
        fs::read(place.path().join("d/e/c")).unwrap();
        fs::read_dir(place.path().join("d")).unwrap().for_each(drop);
        fs::metadata(place.path().join("b")).unwrap();
        let opened = watch.finish().unwrap();
        assert_eq!(opened, ["a", "d/e/c"].map(PathBuf::from).into());
    }
}
