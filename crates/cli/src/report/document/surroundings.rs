//! The machine of a run.

use std::env;
use std::path::Path;

use minirepro_program::sources;

/// Returns what is known about this machine, each a name and a value.
pub fn machine() -> Vec<(String, String)> {
    let kernel = rustix::system::uname();
    let kernel =
        format!("{} {}", kernel.sysname().to_string_lossy(), kernel.release().to_string_lossy());
    let release = sources::file(Path::new("/etc/os-release")).unwrap_or_default();
    let release = String::from_utf8_lossy(&release);
    let system = match release.lines().find_map(|line| line.strip_prefix("PRETTY_NAME=")) {
        Some(name) => format!("{} ({kernel})", name.trim_matches('"')),
        None => kernel,
    };
    let mut known = vec![
        ("minirepro".to_owned(), env!("CARGO_PKG_VERSION").to_owned()),
        ("System".to_owned(), system),
        ("Architecture".to_owned(), env::consts::ARCH.to_owned()),
    ];
    let variables = ["LANG", "LC_ALL"].into_iter();
    known.extend(variables.filter_map(|name| Some((name.to_owned(), env::var(name).ok()?))));
    known
}
