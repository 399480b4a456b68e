//! Processes, threads, pipes and locks.

use std::io::{self, PipeReader, PipeWriter};
use std::process::{Child, Command};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle, Scope};

use super::interceptor::{Operation, ask, current, inherited};

/// Starts a process.
pub(crate) fn spawn(command: &mut Command) -> io::Result<Child> {
    ask(&Operation::SpawnProcess)?;
    command.spawn()
}

/// Makes a pipe.
pub fn pipe() -> io::Result<(PipeReader, PipeWriter)> {
    ask(&Operation::CreatePipe)?;
    io::pipe()
}

/// Starts a thread.
pub fn spawn_thread<T: Send + 'static>(
    run: impl FnOnce() -> T + Send + 'static,
) -> io::Result<JoinHandle<T>> {
    ask(&Operation::SpawnThread)?;
    let parent = current();
    thread::Builder::new().spawn(move || inherited(parent, run))
}

/// Starts a thread that ends before the scope does.
pub fn spawn_scoped<'scope>(
    scope: &'scope Scope<'scope, '_>,
    run: impl FnOnce() + Send + 'scope,
) -> io::Result<()> {
    ask(&Operation::SpawnThread)?;
    let parent = current();
    thread::Builder::new().spawn_scoped(scope, move || inherited(parent, run))?;
    Ok(())
}

/// Takes a lock, also after a thread that held it has panicked.
pub fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
