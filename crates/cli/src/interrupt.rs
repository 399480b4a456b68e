//! Turns SIGINT, SIGTERM and SIGHUP into a request to end.

use std::io;
use std::process::exit;
use std::thread;
use std::time::{Duration, Instant};

use minirepro_program::CancelToken;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use crate::error::CliError;
use crate::exit::Exit;

/// Nobody who sees what a first signal does can send a second one so soon.
const AT_ONCE: Duration = Duration::from_millis(200);

/// Returns a token that the first SIGINT, SIGTERM or SIGHUP sets; the second one ends the program,
/// after `before_exit`. The next run removes scratch files that this leaves.
///
/// # Errors
/// If the system does not let us catch signals, or has no thread left.
pub fn watched(before_exit: impl Fn() + Send + 'static) -> Result<CancelToken, CliError> {
    watch(before_exit).map_err(|error| {
        let message = format_args!("cannot catch signals: {error}");
        CliError::new(Exit::BrokenTest, message).advise_about_system()
    })
}

fn watch(before_exit: impl Fn() + Send + 'static) -> io::Result<CancelToken> {
    let stop = CancelToken::new()?;
    let theirs = stop.clone();
    let mut signals = Signals::new([SIGINT, SIGTERM, SIGHUP])?;
    thread::Builder::new().spawn(move || {
        let mut first: Option<Instant> = None;
        for _ in signals.forever() {
            // A second signal that comes at once is meant as one with the first: `timeout` sends it
            // to the program and to its group.
            match first {
                Some(first) if first.elapsed() < AT_ONCE => {}
                Some(_) => {
                    before_exit();
                    exit(Exit::Interrupted as i32);
                }
                None => {
                    first = Some(Instant::now());
                    theirs.set();
                }
            }
        }
    })?;
    Ok(stop)
}
