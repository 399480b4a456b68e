//! The thread that draws a run and hears what is typed.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, BufWriter};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use minirepro_program::archive::entries;
use minirepro_program::{CancelToken, Controls, RunEvent, StopReason};
use ratatui_core::layout::Rect;
use ratatui_core::terminal::{Terminal, TerminalOptions, Viewport};
use ratatui_crossterm::CrosstermBackend;
use ratatui_crossterm::crossterm::event::{self, Event, KeyCode, KeyEvent, KeyModifiers};
use rustix::process::{Signal, getpid, kill_process};
use signal_hook::consts::{SIGCONT, SIGTSTP};
use signal_hook::flag;
use signal_hook::low_level::unregister;

use super::console::Console;
use super::drawing::{Moment, draw, text_width};
use super::model::Model;
use super::painting::paint;
use crate::report::sinks::Sink;
use crate::report::terminal;

/// The time between two looks at what has changed,
const LOOK: Duration = Duration::from_millis(125);
/// and between two drawings if nothing has: the clock goes on.
const CLOCK: Duration = Duration::from_secs(1);
/// Drawing takes at most 1/n of the time: the processor is there for the tests.
const SHARE: u32 = 150;

/// What the screen needs of the rest of the program.
#[derive(Clone, Debug)]
pub struct Surroundings {
    /// The terminal.
    pub console: Arc<Console>,
    /// Ends the run.
    pub stop: CancelToken,
    /// Steers the run.
    pub controls: Controls,
}

/// A run on a screen, which is taken as soon as anything may take long, and given back when the run
/// is over.
pub struct Screen {
    around: Option<Surroundings>,
    file: String,
    artist: Option<Arc<Artist>>,
}

impl Screen {
    /// Makes one for an input of this name.
    pub fn new(around: Surroundings, file: String) -> Self {
        Self { around: Some(around), file, artist: None }
    }

    fn close(&mut self) {
        if let Some(artist) = self.artist.take() {
            artist.is_over.store(true, Ordering::SeqCst);
            // From now on, its thread draws nothing.
            artist.around.console.give_back();
        }
    }
}

impl Sink for Screen {
    fn event(&mut self, event: &RunEvent<'_>) {
        let may_take_long = matches!(
            event,
            RunEvent::Learning { .. }
                | RunEvent::TestingInput { .. }
                | RunEvent::StartingWorkers { .. }
                | RunEvent::ReductionBegins { .. }
                | RunEvent::IsolationBegins
        );
        if may_take_long && let Some(around) = self.around.take() {
            let model = Model { input: self.file.clone(), ..Model::default() };
            // Without a thread for it, the run goes on in silence.
            self.artist = Artist::begin(around, model).ok();
        }
        if let Some(artist) = &self.artist {
            artist.model().event(event);
        }
        if matches!(event, RunEvent::Over(_)) {
            self.close();
        }
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        self.close();
    }
}

type Canvas<'a> = Terminal<CrosstermBackend<BufWriter<&'a File>>>;

/// What the run and the thread share.
#[derive(Debug)]
struct Artist {
    around: Surroundings,
    model: Mutex<Model>,
    is_over: AtomicBool,
    is_suspended: Arc<AtomicBool>,
    begin: Instant,
    colors: bool,
}

impl Artist {
    /// Takes the terminal and begins to draw.
    fn begin(around: Surroundings, model: Model) -> io::Result<Arc<Self>> {
        let is_suspended = Arc::new(AtomicBool::new(false));
        flag::register(SIGTSTP, Arc::clone(&is_suspended))?;
        let artist = Arc::new(Self {
            around,
            model: Mutex::new(model),
            is_over: AtomicBool::new(false),
            is_suspended,
            begin: Instant::now(),
            colors: std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty()),
        });
        let console = &artist.around.console;
        console.restore_on_panic();
        console.take();
        let theirs = Arc::clone(&artist);
        let thread = thread::Builder::new().name("screen".into()).spawn(move || theirs.work());
        thread.inspect_err(|_| console.give_back())?;
        Ok(artist)
    }

    fn model(&self) -> MutexGuard<'_, Model> {
        self.model.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn work(&self) {
        let console = &self.around.console;
        let (mut size, mut canvas) = (console.size(), None);
        let (mut drawn, mut drawn_at, mut rest) = (None, Instant::now(), Duration::ZERO);
        while !self.is_over.load(Ordering::SeqCst) {
            if self.is_suspended.swap(false, Ordering::SeqCst) {
                self.suspend();
                canvas = None;
            }
            if canvas.is_none() || size != console.size() {
                size = console.size();
                canvas = canvas_of(console, size);
                drawn = None;
            }
            let changes = Some(self.model().changes);
            let pause = if changes == drawn { CLOCK.max(rest) } else { rest };
            if let Some(canvas) = &mut canvas
                && (drawn.is_none() || drawn_at.elapsed() >= pause)
            {
                let start = Instant::now();
                self.draw(canvas, size.0);
                (drawn, drawn_at, rest) = (changes, Instant::now(), SHARE * start.elapsed());
            }
            if let Some(key) = self.typed() {
                if self.obey(key) {
                    canvas = None;
                }
                drawn = None;
            }
        }
    }

    fn draw(&self, canvas: &mut Canvas<'_>, width: u16) {
        let Surroundings { console, stop, controls } = &self.around;
        let model = self.model().clone();
        let text = model.best.as_deref().map(files_below_their_paths).unwrap_or_default();
        let before = model.before.as_deref().map(files_below_their_paths);
        let now = Instant::now();
        let running = controls.running_since().into_iter().map(|since| now - since);
        let moment = Moment {
            elapsed: self.begin.elapsed(),
            running: &running.collect::<Vec<_>>(),
            is_paused: controls.is_paused(),
            is_stopping: stop.is_set(),
            painting: &paint(before.as_deref(), &text, text_width(width), self.colors),
        };
        console.draw(|| {
            // The terminal may be gone.
            let _ = canvas.draw(|frame| draw(frame, &model, &moment));
        });
    }

    /// Waits a moment for a key.
    fn typed(&self) -> Option<KeyEvent> {
        // A program in the background may not read.
        let is_heard = self.around.console.is_taken();
        match is_heard.then(|| event::poll(LOOK)) {
            Some(Ok(true)) => event::read().ok().and_then(|event| match event {
                Event::Key(key) => Some(key),
                _ => None,
            }),
            Some(Ok(false)) => None,
            None | Some(Err(_)) => {
                thread::sleep(LOOK);
                None
            }
        }
    }

    /// Does what a key asks for. Returns whether all is to be drawn again.
    fn obey(&self, key: KeyEvent) -> bool {
        let Surroundings { stop, controls, .. } = &self.around;
        let KeyCode::Char(letter) = key.code else { return false };
        match (letter.to_ascii_lowercase(), key.modifiers - KeyModifiers::SHIFT) {
            ('l', KeyModifiers::CONTROL) => return true,
            (_, modifiers) if !modifiers.is_empty() => {}
            ('p' | ' ', _) if controls.is_paused() => controls.resume(),
            ('p' | ' ', _) => controls.pause(),
            ('g', _) if self.model().best.is_some() => stop.set_because(StopReason::GoodEnough),
            // The same as Ctrl-C, also when it comes twice.
            ('q', _) => drop(kill_process(getpid(), Signal::INT)),
            ('?' | 'h', _) => {
                let mut model = self.model();
                model.shows_help = !model.shows_help;
            }
            _ => {}
        }
        false
    }

    /// Gives the terminal back and stops the program, as Ctrl-Z does with others.
    fn suspend(&self) {
        self.around.console.give_back();
        // The call may return before the process stops, and what is drawn until then would be in
        // the way of the shell.
        let continued = Arc::new(AtomicBool::new(false));
        let watched = flag::register(SIGCONT, Arc::clone(&continued));
        if kill_process(getpid(), Signal::STOP).is_ok()
            && let Ok(id) = watched
        {
            while !continued.load(Ordering::SeqCst) {
                thread::sleep(LOOK);
            }
            unregister(id);
        }
        if !self.is_over.load(Ordering::SeqCst) {
            self.around.console.take();
        }
    }
}

fn canvas_of(console: &Console, (width, height): (u16, u16)) -> Option<Canvas<'_>> {
    let options = TerminalOptions { viewport: Viewport::Fixed(Rect::new(0, 0, width, height)) };
    let backend = CrosstermBackend::new(BufWriter::new(&console.out));
    // It takes for granted that the screen is empty; its own way to clear it asks where the cursor
    // is, and the answer would be read as keys.
    console.draw(|| console.clear());
    Terminal::with_options(backend, options).ok()
}

/// Returns a text as it is shown: the files of a directory one below the other.
fn files_below_their_paths(text: &[u8]) -> Cow<'_, [u8]> {
    let files = entries(text);
    if files.is_empty() {
        return Cow::Borrowed(text);
    }
    let shown = files.iter().flat_map(|file| {
        let path = terminal::name(&String::from_utf8_lossy(file.path));
        [format!("── {path}\n").as_bytes(), file.text.trim_ascii_end(), b"\n"].concat()
    });
    shown.collect::<Vec<u8>>().into()
}
