//! Reductions: of a file or bytes, and of a directory.

pub mod coded;
pub mod format;
pub mod language;
mod layout;
pub mod opened;
pub mod reduction;
