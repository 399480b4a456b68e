//! The files below a directory that programs open while it is watched.

use std::collections::{BTreeSet, HashMap};
use std::io;
use std::path::{Path, PathBuf};
use std::thread::JoinHandle;

/// A watch over directories. The system tells of each file in them that is opened; it keeps only so
/// many of these messages, so that a thread takes them.
pub(crate) struct OpenedFiles {
    collector: JoinHandle<Option<BTreeSet<PathBuf>>>,
    /// Ends the thread; fails if it has ended before.
    end: Box<dyn FnOnce() -> io::Result<()>>,
}

impl OpenedFiles {
    /// Watches these directories below `top`, relative to it, and `top` itself.
    ///
    /// # Errors
    /// If the system cannot watch all of them.
    #[cfg(target_os = "linux")]
    pub fn watch<'p>(
        top: &Path,
        directories: impl IntoIterator<Item = &'p Path>,
    ) -> io::Result<Self> {
        use rustix::fs::inotify::{CreateFlags, WatchFlags, add_watch, init, remove_watch};

        let messages = init(CreateFlags::CLOEXEC)?;
        let add = |directory: &Path| {
            add_watch(&messages, top.join(directory), WatchFlags::OPEN | WatchFlags::ONLYDIR)
        };
        let above = add(Path::new(""))?;
        let mut watched = HashMap::new();
        for directory in directories {
            watched.insert(add(directory)?, directory.to_owned());
        }
        let ours = messages.try_clone()?;
        let collect = move || linux::collect(&messages, &watched, above);
        let collector = crate::system::resources::spawn_thread(collect)?;
        Ok(Self { collector, end: Box::new(move || Ok(remove_watch(&ours, above)?)) })
    }

    /// Refuses: nobody tells.
    ///
    /// # Errors
    /// Always.
    #[cfg(not(target_os = "linux"))]
    pub fn watch<'p>(_: &Path, _: impl IntoIterator<Item = &'p Path>) -> io::Result<Self> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Returns the files that were opened, relative to the top; `None` if some were missed.
    pub fn finish(self) -> Option<BTreeSet<PathBuf>> {
        (self.end)().ok()?;
        self.collector.join().ok()?
    }
}

#[cfg(target_os = "linux")]
mod linux {
    use std::ffi::OsStr;
    use std::mem::MaybeUninit;
    use std::os::fd::OwnedFd;
    use std::os::unix::ffi::OsStrExt;

    use rustix::fs::inotify::{ReadFlags, Reader};
    use rustix::io::Errno;

    use super::{BTreeSet, HashMap, PathBuf};

    /// Takes messages until one says that this watch has ended.
    pub(super) fn collect(
        messages: &OwnedFd,
        watched: &HashMap<i32, PathBuf>,
        last: i32,
    ) -> Option<BTreeSet<PathBuf>> {
        let mut opened = BTreeSet::new();
        let mut buffer = [MaybeUninit::uninit(); 1 << 14];
        let mut reader = Reader::new(messages, &mut buffer);
        loop {
            let message = match reader.next() {
                Err(Errno::INTR) => continue,
                message => message.ok()?,
            };
            if message.events().contains(ReadFlags::QUEUE_OVERFLOW) {
                return None;
            }
            if message.events().contains(ReadFlags::IGNORED) && message.wd() == last {
                return Some(opened);
            }
            let directory = watched.get(&message.wd());
            if let (Some(directory), Some(name)) = (directory, message.file_name())
                && !message.events().contains(ReadFlags::ISDIR)
            {
                opened.insert(directory.join(OsStr::from_bytes(name.to_bytes())));
            }
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
