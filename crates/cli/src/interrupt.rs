//! Turns SIGINT, SIGTERM and SIGHUP into a cancellation request.

use std::io;
use std::process::exit;
use std::thread;

use minirepro::CancelToken;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use crate::exit::Exit;

/// Starts a thread that sets `stop` at the first SIGINT, SIGTERM or SIGHUP, and ends the program at the
/// second one. The next run removes scratch files that this leaves.
///
/// # Errors
/// If the system does not let us catch signals, or has no thread left.
pub fn watch(stop: CancelToken) -> io::Result<()> {
    let mut signals = Signals::new([SIGINT, SIGTERM, SIGHUP])?;
    thread::Builder::new().spawn(move || {
        for (nth, _signal) in signals.forever().enumerate() {
            if nth > 0 {
                exit(Exit::Interrupted as i32);
            }
            stop.set();
        }
    })?;
    Ok(())
}
