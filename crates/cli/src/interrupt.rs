//! Turns SIGINT, SIGTERM and SIGHUP into a cancellation request.

use std::io;
use std::process::exit;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use minirepro_program::CancelToken;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use crate::exit::Exit;

/// What else a signal meets.
pub struct Watched {
    /// Ends the run.
    pub stop: CancelToken,
    /// Set while SIGINT is for another program, which has the terminal.
    pub is_for_others: Arc<AtomicBool>,
    /// What must be done before the program ends.
    pub before_exit: Box<dyn Fn() + Send>,
}

/// Nobody who sees what a first signal does can send a second one so soon.
const AT_ONCE: Duration = Duration::from_millis(200);

/// Starts a thread that ends the run at the first SIGINT, SIGTERM or SIGHUP, and the program at the
/// second one. The next run removes scratch files that this leaves.
///
/// # Errors
/// If the system does not let us catch signals, or has no thread left.
pub fn watch(watched: Watched) -> io::Result<()> {
    let mut signals = Signals::new([SIGINT, SIGTERM, SIGHUP])?;
    thread::Builder::new().spawn(move || {
        let Watched { stop, is_for_others, before_exit } = watched;
        let mut first: Option<Instant> = None;
        for signal in signals.forever() {
            if signal == SIGINT && is_for_others.load(Ordering::SeqCst) {
                continue;
            }
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
                    stop.set();
                }
            }
        }
    })?;
    Ok(())
}
