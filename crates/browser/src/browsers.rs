//! The browsers that there are, how they are named, and one that runs, with its tabs.

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
use crate::connection::{Hub, Problem};
use crate::firefox::page::FirefoxPage;
use crate::page::{Opening, Page};
use crate::{chromium, firefox};

/// A browser as users name it: `chromium`, `firefox`, or a program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Choice {
    /// Whether it speaks Firefox's protocol, not Chromium's.
    pub(crate) is_firefox: bool,
    /// The program; by default the first of the usual ones.
    pub(crate) program: Option<PathBuf>,
}

impl From<&str> for Choice {
    fn from(text: &str) -> Self {
        let name = Path::new(text).file_name().unwrap_or_default().to_string_lossy().to_lowercase();
        let is_named = ["chromium", "firefox"].contains(&text);
        let program = (!is_named).then(|| text.into());
        Self { is_firefox: name.contains("firefox"), program }
    }
}

impl Choice {
    /// Returns what it is called for readers: its name, or its program.
    pub(crate) fn words(&self) -> String {
        let name = if self.is_firefox { "firefox" } else { "chromium" };
        self.program.as_ref().map_or(name.to_owned(), |path| path.display().to_string())
    }
}

/// Returns a program that was named, or the first of the usual ones that is in the `PATH`.
///
/// # Errors
/// If there is none.
pub(crate) fn find(named: Option<&Path>, what: &str, usual: &str) -> Result<PathBuf> {
    if let Some(program) = named {
        return Ok(program.to_owned());
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let directories: Vec<PathBuf> = std::env::split_paths(&path).collect();
    let at = |name: &str| directories.iter().map(|d| d.join(name)).find(|file| file.is_file());
    let names = usual.replace(' ', ", ");
    let none = || format!("there is no {what}: none of {names} in PATH; name it with --browser");
    usual.split(' ').find_map(at).with_context(none)
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

/// A browser that runs, in which all pages are shown in the same way; it ends when this is dropped.
pub(crate) struct Running {
    is_firefox: bool,
    pub(crate) hub: Hub,
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
    /// Those that are ready, and how many are being prepared.
    tabs: Mutex<(Vec<Box<dyn Page>>, usize)>,
    is_ready: Condvar,
}

impl Running {
    /// Starts a browser. One that is compared with one of another kind has the same fonts.
    ///
    /// # Errors
    /// If there is none, or it does not get ready.
    pub(crate) fn start(choice: &Choice, is_compared: bool) -> Result<Self> {
        let (is_firefox, program) = (choice.is_firefox, choice.program.as_deref());
        let (server, hub) = match is_firefox {
            true => firefox::start(program, is_compared)?,
            false => chromium::start(program)?,
        };
        let (warm, rooms) = Default::default();
        Ok(Self { is_firefox, hub, warm, rooms, server })
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
    pub(crate) fn open(&self, opening: Opening) -> Result<Box<dyn Page>> {
        let mut page = match self.warm.take() {
            Some(page) => page,
            // A browser without a tab says nothing about the page.
            None => self.new_page(opening.clone()).inspect_err(|_| self.hub.lose())?,
        };
        page.turn_to(opening);
        Ok(page)
    }

    fn new_page(&self, opening: Opening) -> Result<Box<dyn Page>> {
        let connection = self.hub.share(OPENING);
        let page: Result<Box<dyn Page>> = match self.is_firefox {
            true => FirefoxPage::open(connection, opening).map(|page| Box::new(page) as _),
            false => ChromiumPage::open(connection, opening).map(|page| Box::new(page) as _),
        };
        page.context(Problem::Gone)
    }

    /// Takes a tab back with what it shows. It is prepared for the next page meanwhile, or closed
    /// if that is not possible or no use.
    pub(crate) fn put(&self, mut page: Box<dyn Page>) {
        let warm = Arc::clone(&self.warm);
        warm.tabs().1 += 1;
        std::thread::spawn(move || {
            let is_ready = !page.is_worn() && page.again().is_ok();
            if !is_ready {
                page.close();
            }
            let mut tabs = warm.tabs();
            tabs.0.extend(is_ready.then_some(page));
            tabs.1 -= 1;
            warm.is_ready.notify_all();
        });
    }
}

impl Warm {
    /// Takes a tab that is prepared; `None` if a new one should be opened.
    fn take(&self) -> Option<Box<dyn Page>> {
        let wait =
            self.is_ready.wait_while(self.tabs(), |(ready, busy)| ready.is_empty() && *busy > 0);
        wait.unwrap_or_else(PoisonError::into_inner).0.pop()
    }

    fn tabs(&self) -> MutexGuard<'_, (Vec<Box<dyn Page>>, usize)> {
        self.tabs.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// How long a new tab may take, on a machine that does much else.
const OPENING: Duration = Duration::from_secs(60);

#[cfg(test)]
mod tests {
    use super::Choice;

    #[test]
    fn browsers_are_chosen_by_name_or_program() {
        for (text, is_firefox, program) in [
            ("chromium", false, None),
            ("firefox", true, None),
            ("/usr/bin/firefox-esr", true, Some("/usr/bin/firefox-esr")),
            ("/opt/Firefox/firefox", true, Some("/opt/Firefox/firefox")),
            ("/opt/chrome", false, Some("/opt/chrome")),
        ] {
            let expected = Choice { is_firefox, program: program.map(Into::into) };
            assert_eq!(Choice::from(text), expected);
        }
    }
}
