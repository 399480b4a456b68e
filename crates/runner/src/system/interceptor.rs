//! Lets a test stand between this crate and the system.
//!
//! An interceptor belongs to a thread, and to the threads that this crate starts from it. So tests
//! that run beside each other do not meet.

use std::cell::RefCell;
use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::Arc;

/// What is about to be done.
#[derive(Debug)]
pub enum Operation<'a> {
    /// A file is opened for reading, or a directory is listed.
    OpenFile(&'a Path),
    /// A file is made, or opened for writing.
    CreateFile(&'a Path),
    /// Bytes are written at a place in a file.
    Write {
        /// Where to.
        file: &'a File,
        /// The place, from the beginning.
        offset: u64,
        /// What.
        bytes: &'a [u8],
    },
    /// A file gets this length.
    Truncate {
        /// Which.
        file: &'a File,
        /// The new length.
        length: u64,
    },
    /// What was written to a file must reach the disk now.
    Sync(&'a File),
    /// What was done in a directory must reach the disk now.
    SyncDirectory(&'a Path),
    /// A file or a directory gets another name.
    Rename {
        /// The old name.
        from: &'a Path,
        /// The new name.
        to: &'a Path,
    },
    /// A file or a directory is removed.
    Remove(&'a Path),
    /// A directory is made.
    CreateDirectory(&'a Path),
    /// A process is started.
    SpawnProcess,
    /// A thread is started.
    SpawnThread,
    /// A pipe is made.
    CreatePipe,
}

/// Sees each operation before it is done.
pub trait Interceptor: Send + Sync {
    /// Lets the operation be done, or refuses it.
    ///
    /// # Errors
    /// If the operation is to fail with this error.
    fn before(&self, operation: &Operation<'_>) -> io::Result<()>;

    /// Sees a new file, or one that was opened for writing.
    fn opened(&self, _path: &Path, _file: &File) {}
}

thread_local! {
    static CURRENT: RefCell<Option<Arc<dyn Interceptor>>> = const { RefCell::new(None) };
}

/// Runs something with an interceptor on this thread, and on those that this crate starts from it.
pub fn intercepted<T>(interceptor: Arc<dyn Interceptor>, run: impl FnOnce() -> T) -> T {
    let before = CURRENT.replace(Some(interceptor));
    let result = run();
    CURRENT.set(before);
    result
}

/// Asks the interceptor of this thread, if there is one.
pub(super) fn ask(operation: &Operation<'_>) -> io::Result<()> {
    current().map_or(Ok(()), |interceptor| interceptor.before(operation))
}

/// Tells the interceptor of this thread about a file that is open for writing now.
pub(super) fn tell_opened(path: &Path, file: &File) {
    if let Some(interceptor) = current() {
        interceptor.opened(path, file);
    }
}

/// Returns the interceptor of this thread.
pub(super) fn current() -> Option<Arc<dyn Interceptor>> {
    CURRENT.with_borrow(Clone::clone)
}

/// Runs something on a new thread with the interceptor of the one that started it.
pub(super) fn inherited<T>(parent: Option<Arc<dyn Interceptor>>, run: impl FnOnce() -> T) -> T {
    CURRENT.set(parent);
    run()
}
