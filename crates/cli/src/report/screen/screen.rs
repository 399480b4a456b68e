//! The thread that draws a run and hears what is typed.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, BufWriter, PipeReader, PipeWriter, Read, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use minirepro_program::archive::entries;
use minirepro_program::{CancelToken, Controls, RunEvent, StopReason};
use ratatui::backend::CrosstermBackend;
use ratatui::layout::Rect;
use ratatui::{Terminal, TerminalOptions, Viewport};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Signal, getpid, kill_process};
use signal_hook::SigId;
use signal_hook::consts::{SIGCONT, SIGTSTP, SIGWINCH};
use signal_hook::flag;
use signal_hook::low_level::{pipe, unregister};

use super::console::Console;
use super::drawing::{Moment, draw, text_width};
use super::keys::{self, Key};
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

/// A run on a screen. When it is dropped, the terminal is as it was before.
#[derive(Debug)]
struct Screen {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
    waker: PipeWriter,
    signals: Vec<SigId>,
}

#[derive(Debug)]
struct Shared {
    around: Surroundings,
    state: Mutex<ShownModel>,
    is_over: AtomicBool,
    is_suspended: Arc<AtomicBool>,
    begin: Instant,
}

#[derive(Debug)]
struct ShownModel {
    model: Model,
    /// How often the model has changed.
    changes: u64,
}

impl Screen {
    /// Takes the terminal and begins to draw.
    fn open(around: Surroundings, model: Model) -> io::Result<Self> {
        let (wake, waker) = io::pipe()?;
        let is_suspended = Arc::new(AtomicBool::new(false));
        let mut signals = vec![signal_hook::flag::register(SIGTSTP, Arc::clone(&is_suspended))?];
        for signal in [SIGTSTP, SIGCONT, SIGWINCH] {
            signals.push(pipe::register(signal, waker.try_clone()?)?);
        }
        let shared = Arc::new(Shared {
            around,
            state: Mutex::new(ShownModel { model, changes: 0 }),
            is_over: AtomicBool::new(false),
            is_suspended,
            begin: Instant::now(),
        });
        shared.around.console.restore_on_panic();
        shared.around.console.take();
        let theirs = Arc::clone(&shared);
        let thread = thread::Builder::new().name("screen".into()).spawn(move || {
            Artist::new(theirs, wake).work();
        });
        let mut screen = Self { shared, thread: None, waker, signals };
        screen.thread = Some(thread?);
        Ok(screen)
    }

    fn event(&self, event: &RunEvent<'_>) {
        let mut state = self.shared.state();
        state.model.event(event);
        state.changes += 1;
    }
}

/// Takes the screen as soon as anything may take long, and gives it back when the run is over.
pub struct LateScreen {
    around: Option<Surroundings>,
    file: String,
    screen: Option<Screen>,
}

impl LateScreen {
    /// Makes one for an input of this name.
    pub fn new(around: Surroundings, file: String) -> Self {
        Self { around: Some(around), file, screen: None }
    }
}

impl Sink for LateScreen {
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
            // Without a thread for it, the run goes on in silence.
            self.screen = Screen::open(around, Model::new(self.file.clone())).ok();
        }
        match (event, &self.screen) {
            (RunEvent::Over(_), _) => self.screen = None,
            (event, Some(screen)) => screen.event(event),
            (_, None) => {}
        }
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        self.shared.is_over.store(true, Ordering::SeqCst);
        self.shared.around.console.give_back();
        let _ = self.waker.write(&[0]);
        if let Some(thread) = self.thread.take() {
            // Its panic has been shown.
            let _ = thread.join();
        }
        for signal in self.signals.drain(..) {
            unregister(signal);
        }
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, ShownModel> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_over(&self) -> bool {
        self.is_over.load(Ordering::SeqCst)
    }
}

type Canvas<'a> = Terminal<CrosstermBackend<BufWriter<&'a File>>>;

/// The thread.
struct Artist {
    shared: Arc<Shared>,
    wake: PipeReader,
    colors: bool,
    /// Whether anything can still be typed.
    listens: bool,
}

impl Artist {
    fn new(shared: Arc<Shared>, wake: PipeReader) -> Self {
        let colors = std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
        Self { shared, wake, colors, listens: true }
    }

    fn work(&mut self) {
        let console = Arc::clone(&self.shared.around.console);
        let (mut size, mut canvas) = (console.size(), None);
        let (mut drawn, mut drawn_at, mut rest) = (u64::MAX, Instant::now(), Duration::ZERO);
        while !self.shared.is_over() {
            if self.shared.is_suspended.swap(false, Ordering::SeqCst) {
                self.suspend(&console);
                canvas = None;
            }
            if canvas.is_none() || size != console.size() {
                size = console.size();
                canvas = canvas_of(&console, size);
                drawn = u64::MAX;
            }
            let changes = self.shared.state().changes;
            if let Some(canvas) = &mut canvas
                && (drawn == u64::MAX
                    || changes != drawn && drawn_at.elapsed() >= rest
                    || drawn_at.elapsed() >= CLOCK.max(rest))
            {
                let start = Instant::now();
                self.draw(&console, canvas, size);
                (drawn, drawn_at, rest) = (changes, Instant::now(), SHARE * start.elapsed());
            }
            for key in self.typed(&console) {
                if self.obey(key) {
                    canvas = None;
                }
                drawn = u64::MAX;
            }
        }
    }

    fn draw(&mut self, console: &Console, canvas: &mut Canvas<'_>, size: (u16, u16)) {
        let Surroundings { stop, controls, .. } = &self.shared.around;
        let model = self.shared.state().model.clone();
        let text = model.best.as_deref().map(files_below_their_paths);
        let before = model.before.as_deref().map(files_below_their_paths);
        let text = text.unwrap_or_default();
        let painting = paint(before.as_deref(), &text, text_width(size.0), self.colors);
        let now = Instant::now();
        let running: Vec<Duration> =
            controls.running_since().into_iter().map(|since| now - since).collect();
        let moment = Moment {
            elapsed: self.shared.begin.elapsed(),
            running: &running,
            is_paused: controls.is_paused(),
            is_stopping: stop.is_set(),
            painting: &painting,
        };
        console.draw(|| {
            // The terminal may be gone.
            let _ = canvas.draw(|frame| draw(frame, &model, &moment));
        });
    }

    /// Waits a moment for something to be typed, and returns what it asks for.
    fn typed(&mut self, console: &Console) -> Vec<Key> {
        let mut fds = vec![PollFd::new(&self.wake, PollFlags::IN)];
        if self.listens {
            fds.push(PollFd::new(console.input(), PollFlags::IN));
        }
        let wait = Timespec { tv_sec: 0, tv_nsec: LOOK.subsec_nanos().into() };
        if !matches!(poll(&mut fds, Some(&wait)), Ok(1..)) {
            return Vec::new();
        }
        let ready: Vec<bool> = fds.iter().map(|fd| !fd.revents().is_empty()).collect();
        let mut bytes = [0; 256];
        if ready[0] {
            let _ = (&self.wake).read(&mut bytes);
        }
        if ready.get(1) != Some(&true) || self.shared.is_over() {
            return Vec::new();
        }
        match console.input().read(&mut bytes) {
            Ok(length @ 1..) => keys::read(&bytes[..length]),
            // A program in the background may not read; in front, this is the end.
            _ => {
                self.listens = false;
                Vec::new()
            }
        }
    }

    /// Does what a key asks for. Returns whether all is to be drawn again.
    fn obey(&mut self, key: Key) -> bool {
        let Surroundings { stop, controls, .. } = &self.shared.around;
        let is_searching = self.shared.state().model.best.is_some();
        match key {
            Key::Pause if controls.is_paused() => controls.resume(),
            Key::Pause => controls.pause(),
            Key::GoodEnough if is_searching => stop.set_because(StopReason::GoodEnough),
            Key::GoodEnough => {}
            // The same as Ctrl-C, also when it comes twice.
            Key::Quit => drop(kill_process(getpid(), Signal::INT)),
            Key::Redraw => return true,
            Key::Help => {
                let mut state = self.shared.state();
                state.model.shows_help = !state.model.shows_help;
            }
        }
        false
    }

    /// Gives the terminal back and stops the program, as Ctrl-Z does with others.
    fn suspend(&self, console: &Console) {
        console.give_back();
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
        if !self.shared.is_over() {
            console.take();
        }
    }
}

fn canvas_of(console: &Console, (columns, lines): (u16, u16)) -> Option<Canvas<'_>> {
    let area = Rect { x: 0, y: 0, width: columns, height: lines };
    let options = TerminalOptions { viewport: Viewport::Fixed(area) };
    let backend = CrosstermBackend::new(BufWriter::new(console.output()));
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
