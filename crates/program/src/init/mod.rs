//! Test scripts for programs that fail: written, and tried before they are handed over.

mod script;
mod template;

pub use script::{CrashScript, crash_script, try_script, write_script, wrong_code_script};
