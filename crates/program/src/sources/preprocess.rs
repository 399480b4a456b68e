//! The output of a command for a file, so that what is included and what macros stand for can be
//! reduced, too.

use std::ffi::OsStr;
use std::path::Path;
use std::process::{Command, Stdio};

use minirepro_runner::shell;

use crate::error::Error;

/// Returns what a shell command prints for a file: `@@` in it stands for the file's name, which
/// otherwise comes last. It runs in the file's directory, for the sake of what the file includes.
///
/// # Errors
/// If the command fails or prints nothing.
pub fn preprocessed(command: &str, file: &Path) -> Result<Vec<u8>, Error> {
    let wrong =
        |message: String| Error::PreprocessingFailed { command: command.to_owned(), message };
    let name = file.file_name().unwrap_or_default();
    let directory = file.parent().filter(|d| !d.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let script = if command.contains("@@") { command.to_owned() } else { format!("{command} @@") };
    let name = Path::new(".").join(name);
    let output = Command::new("sh")
        .arg("-c")
        .arg(shell::with_name(OsStr::new(&script), name.as_os_str()))
        .current_dir(directory)
        .stdin(Stdio::null())
        .output()
        .map_err(|error| wrong(error.to_string()))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        return Err(wrong(format!("{}\n{}", output.status, said.trim_end())));
    }
    if output.stdout.is_empty() {
        return Err(wrong("it printed nothing".to_owned()));
    }
    Ok(output.stdout)
}
