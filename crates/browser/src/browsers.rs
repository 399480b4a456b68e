//! The browsers that there are, how they are named, and one that runs, with its tabs.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use minirepro_program::Server;

use crate::chromium::page::ChromiumPage;
use crate::connection::{Connection, Problem};
use crate::firefox::hub::Hub;
use crate::firefox::page::FirefoxPage;
use crate::page::{Opening, Page};
use crate::{chromium, firefox};

/// Which protocol a browser speaks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Kind {
    #[default]
    Chromium,
    Firefox,
}

impl Kind {
    /// Returns how it is called.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Chromium => "chromium",
            Self::Firefox => "firefox",
        }
    }
}

/// A browser as users name it: `chromium`, `firefox`, or a program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Choice {
    pub(crate) kind: Kind,
    /// The program; by default the first of the usual ones.
    pub(crate) program: Option<PathBuf>,
    /// Whether it is compared with one of another kind, so that both must have the same fonts.
    pub(crate) is_compared: bool,
}

impl Choice {
    /// Reads what was typed after `--browser`.
    pub(crate) fn read(text: &str) -> Self {
        let named = |kind| Self { kind, ..Self::default() };
        let name = Path::new(text).file_name().map(|name| name.to_string_lossy().to_lowercase());
        match (text, name) {
            ("chromium", _) => named(Kind::Chromium),
            ("firefox", _) => named(Kind::Firefox),
            (_, Some(name)) if name.contains("firefox") => {
                Self { program: Some(text.into()), ..named(Kind::Firefox) }
            }
            _ => Self { program: Some(text.into()), ..named(Kind::Chromium) },
        }
    }

    /// Returns what it is called for readers: its name, or its program.
    pub(crate) fn words(&self) -> String {
        self.program.as_ref().map_or(self.kind.name().into(), |path| path.display().to_string())
    }
}

/// Returns browsers that run together: those of different kinds will be compared.
pub(crate) fn together(mut all: Vec<Choice>) -> Vec<Choice> {
    let are_compared = all.iter().any(|choice| choice.kind != all[0].kind);
    all.iter_mut().for_each(|choice| choice.is_compared |= are_compared);
    all
}

/// Returns a program that was named, or the first of the usual ones that is in the `PATH`.
///
/// # Errors
/// If there is none.
pub(crate) fn find(named: Option<&Path>, what: &str, usual: &[&str]) -> Result<PathBuf> {
    if let Some(program) = named {
        return Ok(program.to_owned());
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let directories: Vec<PathBuf> = std::env::split_paths(&path).collect();
    let at = |name: &&str| directories.iter().map(|d| d.join(name)).find(|file| file.is_file());
    usual.iter().find_map(at).with_context(|| {
        format!("there is no {what}: none of {} in PATH; name it with --browser", usual.join(", "))
    })
}

/// Starts a browser with its own directory as its profile, and waits until `ready` finds something
/// there.
///
/// # Errors
/// If it cannot be started, ends, or takes too long.
pub(crate) fn serve<T>(
    program: &Path,
    patience: Duration,
    prepare: impl FnOnce(&mut Command, &Path) -> io::Result<()>,
    ready: impl Fn(&Path) -> Option<T>,
) -> Result<(Server, T)> {
    let name = || program.display().to_string();
    let server = Server::start(|profile| {
        let mut command = Command::new(program);
        prepare(&mut command, profile)?;
        let errors = File::create(profile.join(LOG))?;
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(errors);
        Ok(command)
    });
    let server = server.with_context(name)?;
    let start = Instant::now();
    while start.elapsed() < patience {
        if server.has_ended() {
            bail!("{} ended at once", name());
        }
        if let Some(found) = ready(server.directory()) {
            return Ok((server, found));
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    bail!("{} did not get ready within {} s", name(), patience.as_secs())
}

/// The file in the profile for what the browser says on its standard error: stacks and reports of
/// crashes among it.
const LOG: &str = "minirepro.log";

/// How one speaks to a browser.
enum Way {
    Chromium(String),
    Firefox(Hub),
}

/// A browser that runs; it ends when this is dropped.
pub(crate) struct Running {
    way: Way,
    warm: Arc<Warm>,
    /// How many directories for pages there were.
    rooms: AtomicU64,
    server: Server,
}

/// Tabs that are prepared for the next page: a tab that is attached and set up anew costs several
/// times as much as a small page, and an empty page between two others as much as a page. What a
/// page could leave behind must be gone before the next one has run a script.
#[derive(Default)]
struct Warm {
    /// By the way in which pages are shown in them.
    tabs: Mutex<HashMap<String, Tabs>>,
    is_ready: Condvar,
}

#[derive(Default)]
struct Tabs {
    ready: Vec<Box<dyn Page>>,
    /// How many are being prepared.
    busy: usize,
}

impl Running {
    /// Starts a browser.
    ///
    /// # Errors
    /// If there is none, or it does not get ready.
    pub(crate) fn start(choice: &Choice) -> Result<Self> {
        let program = choice.program.as_deref();
        let (server, way) = match choice.kind {
            Kind::Chromium => {
                let (server, address) = chromium::start(program)?;
                (server, Way::Chromium(address))
            }
            Kind::Firefox => {
                let (server, hub) = firefox::start(program, choice.is_compared)?;
                (server, Way::Firefox(hub))
            }
        };
        Ok(Self { way, warm: Arc::default(), rooms: AtomicU64::new(0), server })
    }

    /// Returns the file that holds what it says.
    pub(crate) fn log(&self) -> PathBuf {
        self.server.directory().join(LOG)
    }

    /// Makes an empty directory for a page, which goes with the browser at the latest.
    ///
    /// # Errors
    /// If it cannot be made.
    pub(crate) fn room(&self) -> io::Result<PathBuf> {
        let number = self.rooms.fetch_add(1, Ordering::Relaxed);
        // Always of the same length: pages may show where they are.
        let place = self.server.directory().join(format!("pages/{number:08}"));
        fs::create_dir_all(&place)?;
        Ok(place)
    }

    /// Opens a tab for a page: one that is prepared, or a new one.
    ///
    /// # Errors
    /// If there is none: the browser is gone then.
    pub(crate) fn open(
        &self,
        key: &str,
        opening: &Opening,
        patience: Duration,
    ) -> Result<Box<dyn Page>> {
        if let Some(mut page) = self.warm.take(key) {
            page.turn_to(opening);
            page.limited().limit(patience);
            return Ok(page);
        }
        let page: Result<Box<dyn Page>> = match &self.way {
            Way::Chromium(address) => Connection::connect(address, OPENING)
                .and_then(|connection| Ok(Box::new(ChromiumPage::open(connection, opening)?) as _)),
            Way::Firefox(hub) => {
                let connection = Connection::share(hub.client(), OPENING);
                FirefoxPage::open(connection, opening).map(|page| Box::new(page) as _)
            }
        };
        // One that has not even a tab in time says nothing about the page.
        let mut page = page.map_err(|error| match error.downcast_ref() {
            Some(Problem::Late) => error.context(Problem::Gone),
            _ => error,
        })?;
        page.limited().limit(patience);
        Ok(page)
    }

    /// Takes a tab back with what it shows. It is prepared for the next page meanwhile, or closed
    /// if that is not possible or no use.
    pub(crate) fn put(&self, key: String, mut page: Box<dyn Page>) {
        let warm = Arc::clone(&self.warm);
        warm.tabs().entry(key.clone()).or_default().busy += 1;
        std::thread::spawn(move || {
            let is_ready = !page.is_worn() && page.again(PATIENCE).is_ok();
            let mut page = Some(page);
            if !is_ready && let Some(page) = page.take() {
                page.close();
            }
            let mut all = warm.tabs();
            let tabs = all.entry(key).or_default();
            tabs.busy -= 1;
            tabs.ready.extend(page);
            warm.is_ready.notify_all();
        });
    }
}

impl Warm {
    /// Takes a tab that is prepared; `None` if a new one should be opened.
    fn take(&self, key: &str) -> Option<Box<dyn Page>> {
        let mut all = self.tabs();
        loop {
            let tabs = all.entry(key.to_owned()).or_default();
            if let Some(page) = tabs.ready.pop() {
                return Some(page);
            }
            if tabs.busy == 0 {
                return None;
            }
            all = self.is_ready.wait(all).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn tabs(&self) -> MutexGuard<'_, HashMap<String, Tabs>> {
        self.tabs.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// How long a new tab may take, on a machine that does much else.
const OPENING: Duration = Duration::from_secs(60);

/// How long a tab may take to be prepared; then it is closed.
const PATIENCE: Duration = Duration::from_secs(5);

#[cfg(test)]
mod tests {
    use super::{Choice, Kind, together};

    #[test]
    fn browsers_are_chosen_by_name_or_program() {
        for (text, kind, program) in [
            ("chromium", Kind::Chromium, None),
            ("firefox", Kind::Firefox, None),
            ("/usr/bin/firefox-esr", Kind::Firefox, Some("/usr/bin/firefox-esr")),
            ("/opt/Firefox/firefox", Kind::Firefox, Some("/opt/Firefox/firefox")),
            ("/opt/chrome", Kind::Chromium, Some("/opt/chrome")),
        ] {
            let expected = Choice { kind, program: program.map(Into::into), is_compared: false };
            assert_eq!(Choice::read(text), expected);
        }
    }

    #[test]
    fn only_different_browsers_are_compared() {
        for (names, expected) in [
            (&["firefox"][..], [false].as_slice()),
            (&["firefox", "/opt/firefox"], &[false, false]),
            (&["chromium", "firefox"], &[true, true]),
        ] {
            let all = together(names.iter().map(|name| Choice::read(name)).collect());
            assert!(all.iter().map(|choice| choice.is_compared).eq(expected.iter().copied()));
        }
    }
}
