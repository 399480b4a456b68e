//! Reductions: of a file or bytes, and of a directory.

pub mod coded;
pub mod format;
pub mod language;
pub mod language_name;
mod layout;
pub mod opened;
pub mod plan;
pub mod project;
pub mod reduction;
pub mod tool;
pub mod verify;
