//! Every call of the system that changes something or needs something that may be lacking: files,
//! directories, processes, threads, pipes.
//!
//! All of this crate goes through here, so that tests can let any call fail, and can record what
//! reaches the disk in which order. Without such a test, each function is the call itself.

pub(crate) mod files;
mod interceptor;
pub(crate) mod own_directory;
pub(crate) mod resources;

pub use files::{LIMIT, read_limited, rename, shortened};
pub use interceptor::{Interceptor, Operation, intercepted};
pub use resources::{lock, pipe, spawn_scoped, spawn_thread};
