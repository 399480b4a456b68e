//! `--preprocess`: what a command makes of the input is reduced in its place, so that what is
//! included and what macros stand for can be reduced, too. Runs once, before the first test.

use std::path::Path;
use std::process::{Command, Stdio};

use crate::exit::Exit;
use crate::failure::Failure;

/// What `command` prints for `file`: `@@` in it stands for the file's name, which otherwise comes
/// last. It runs in the file's directory, for the sake of what the file includes.
///
/// # Errors
/// When the command fails or prints nothing.
pub fn preprocess(command: &str, file: &Path) -> Result<Vec<u8>, Failure> {
    let wrong = |what: String| {
        let message = format!("--preprocess '{command}': {what}");
        Failure::new(Exit::Usage, message)
            .advise("Try it by hand, in the directory of the file; for C, `cc -E -P` is usual.\n")
    };
    let name = file.file_name().unwrap_or_default();
    let directory = file.parent().filter(|d| !d.as_os_str().is_empty()).unwrap_or(Path::new("."));
    // The shell gets the name as a parameter, so that it needs no quotes whatever it is.
    let script = if command.contains("@@") {
        command.replace("@@", "\"$1\"")
    } else {
        format!("{command} \"$1\"")
    };
    let output = Command::new("sh")
        .args(["-c", &script, "sh"])
        .arg(Path::new(".").join(name))
        .current_dir(directory)
        .stdin(Stdio::null())
        .output()
        .map_err(|error| wrong(error.to_string()))?;
    let said = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() {
        return Err(wrong(format!("{}\n{}", output.status, said.trim_end())));
    }
    if output.stdout.is_empty() {
        return Err(wrong("it printed nothing".into()));
    }
    Ok(output.stdout)
}
