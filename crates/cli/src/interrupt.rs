//! Ctrl-C and its relatives. Knows how to set a stop, nothing of what runs.

use std::io;
use std::process::exit;
use std::thread;

use minirepro_runner::Stop;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use crate::exit::Exit;

/// From now on the first SIGINT, SIGTERM or SIGHUP sets `stop`; the second ends the program at
/// once. Scratch files that this leaves are removed by the next run.
///
/// # Errors
/// When the system does not let us catch signals.
pub fn watch(stop: Stop) -> io::Result<()> {
    let mut signals = Signals::new([SIGINT, SIGTERM, SIGHUP])?;
    thread::spawn(move || {
        for (nth, _signal) in signals.forever().enumerate() {
            if nth > 0 {
                exit(Exit::Interrupted as i32);
            }
            stop.set();
        }
    });
    Ok(())
}
