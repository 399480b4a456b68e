//! Takes a terminal for itself and gives it back as it was, however the program ends.

use std::fs::File;
use std::io::{self, IsTerminal, Write};
use std::os::fd::AsFd;
use std::panic;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, TryLockError};
use std::time::{Duration, Instant};

use rustix::termios::{
    LocalModes, OptionalActions, SpecialCodeIndex, Termios, tcgetattr, tcgetpgrp, tcgetwinsize,
    tcsetattr,
};

/// Another screen, without a cursor.
const ENTER: &str = "\x1b[?1049h\x1b[?25l\x1b[2J";
/// An empty screen.
const CLEAR: &str = "\x1b[0m\x1b[2J";
/// The colours, the cursor and the screen of before.
const LEAVE: &str = "\x1b[0m\x1b[?25h\x1b[?1049l";
/// The size of a terminal that does not tell it.
const USUAL: (u16, u16) = (80, 24);
/// How long a drawing may keep the terminal from being given back.
const PATIENCE: Duration = Duration::from_millis(500);

/// A terminal: standard error to draw on, standard input for keys.
#[derive(Debug)]
pub struct Console {
    /// To draw on.
    pub out: File,
    input: File,
    before: Termios,
    is_taken: AtomicBool,
    /// Held while something is drawn.
    drawing: Mutex<()>,
}

impl Console {
    /// Returns the terminal, if there is one on which we may draw and listen. Changes nothing.
    pub fn find() -> Option<Arc<Self>> {
        let (stdin, stderr) = (io::stdin(), io::stderr());
        let is_able =
            std::env::var_os("TERM").is_none_or(|term| !term.is_empty() && term != "dumb");
        if !is_able || !stdin.is_terminal() || !stderr.is_terminal() || !is_in_front(&stdin) {
            return None;
        }
        let out = File::from(stderr.as_fd().try_clone_to_owned().ok()?);
        let input = File::from(stdin.as_fd().try_clone_to_owned().ok()?);
        Self::of(out, input)
    }

    fn of(out: File, input: File) -> Option<Arc<Self>> {
        let before = tcgetattr(&input).ok()?;
        let is_taken = AtomicBool::new(false);
        Some(Arc::new(Self { out, input, before, is_taken, drawing: Mutex::new(()) }))
    }

    /// Makes a panic of any thread give the terminal back before its message is shown.
    pub fn restore_on_panic(self: &Arc<Self>) {
        let console = Arc::clone(self);
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            console.give_back();
            before(info);
        }));
    }

    /// Takes the terminal. Signals that are typed, like Ctrl-C, still are signals.
    pub fn take(&self) {
        let mut modes = self.before.clone();
        modes.local_modes.remove(LocalModes::ICANON | LocalModes::ECHO | LocalModes::IEXTEN);
        modes.special_codes[SpecialCodeIndex::VMIN] = 1;
        modes.special_codes[SpecialCodeIndex::VTIME] = 0;
        if !is_in_front(&self.input)
            || tcsetattr(&self.input, OptionalActions::Now, &modes).is_err()
        {
            return;
        }
        self.is_taken.store(true, Ordering::SeqCst);
        self.write(ENTER);
    }

    /// Gives the terminal back as it was, if it is taken. A drawing under way is waited for, but
    /// not for ever: the thread that draws may be the one that has failed.
    pub fn give_back(&self) {
        if !self.is_taken.swap(false, Ordering::SeqCst) {
            return;
        }
        let begin = Instant::now();
        let _drawn = loop {
            match self.drawing.try_lock() {
                Ok(guard) => break Some(guard),
                Err(TryLockError::Poisoned(guard)) => break Some(guard.into_inner()),
                Err(TryLockError::WouldBlock) if begin.elapsed() > PATIENCE => break None,
                Err(TryLockError::WouldBlock) => std::thread::yield_now(),
            }
        };
        self.write(LEAVE);
        // The terminal may be gone.
        let _ = tcsetattr(&self.input, OptionalActions::Now, &self.before);
    }

    /// Returns whether the terminal is taken.
    pub fn is_taken(&self) -> bool {
        self.is_taken.load(Ordering::SeqCst)
    }

    /// Draws, unless the terminal was given back.
    pub fn draw(&self, draw: impl FnOnce()) {
        let Ok(_drawing) = self.drawing.lock() else { return };
        if self.is_taken() {
            draw();
        }
    }

    /// Empties the screen, to be called while it is drawn on.
    pub fn clear(&self) {
        self.write(CLEAR);
    }

    /// Returns the columns and lines of the terminal now.
    pub fn size(&self) -> (u16, u16) {
        match tcgetwinsize(&self.out) {
            Ok(size) if size.ws_col > 0 && size.ws_row > 0 => (size.ws_col, size.ws_row),
            _ => USUAL,
        }
    }

    fn write(&self, text: &str) {
        // The terminal may be gone.
        let _ = (&self.out).write_all(text.as_bytes());
    }
}

/// Returns whether we are the program that a terminal listens to; one in the background is stopped
/// when it changes the terminal.
fn is_in_front(terminal: &impl AsFd) -> bool {
    match tcgetpgrp(terminal) {
        Ok(group) => group == rustix::process::getpgrp(),
        // It is not the terminal of our session, so it does not stop us.
        Err(_) => true,
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use rustix::fs::{Mode, OFlags, open};
    use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

    use super::*;

    #[test]
    fn a_panic_gives_the_terminal_back_even_in_the_middle_of_a_drawing() {
        let Ok(ours) = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY) else { return };
        grantpt(&ours).unwrap();
        unlockpt(&ours).unwrap();
        let name = ptsname(&ours, Vec::new()).unwrap();
        let theirs = open(&*name, OFlags::RDWR | OFlags::NOCTTY, Mode::empty()).unwrap();
        let theirs = File::from(theirs);
        let console = Console::of(theirs.try_clone().unwrap(), theirs).unwrap();
        let modes = || tcgetattr(&console.input).unwrap().local_modes;
        let before = modes();
        console.take();
        assert!(console.is_taken() && modes() != before);
        console.restore_on_panic();
        let drawing = Arc::clone(&console);
        let drawn = std::thread::spawn(move || drawing.draw(|| panic!("in a drawing"))).join();
        assert!(drawn.is_err());
        assert!(!console.is_taken() && modes() == before);
        drop(panic::take_hook());
        let expected = format!("{ENTER}{LEAVE}");
        let mut shown = vec![0; expected.len()];
        File::from(ours).read_exact(&mut shown).unwrap();
        assert_eq!(String::from_utf8_lossy(&shown), expected);
    }
}
