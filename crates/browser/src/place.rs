//! The browsers in which pages are looked at: opens a page in a tab, and starts a browser again
//! that has died.

use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anyhow::{Context, Result};

use crate::actions::{Action, script};
use crate::args::{Conditions, How};
use crate::browsers::{self, Choice, Kind, Running};
use crate::connection::Problem;
use crate::har::Served;
use crate::judge::{Look, browsers_differ, has_played};
use crate::page::{self, Opening, Page, Seen, pending};
use crate::settle;

/// A browser, which runs if it was needed before.
struct Browser {
    choice: Choice,
    running: Mutex<Option<Arc<Running>>>,
}

/// The browsers in which pages are looked at.
pub(crate) struct Place {
    browsers: Vec<Browser>,
    /// The answers that pages get, if they were recorded.
    served: Option<Served>,
    /// Whether a page must be gone before the next one comes: what is counted or timed is its own.
    empties: bool,
    /// Whether a page that takes too long is what is looked for, so that nobody asks it why.
    is_timed: bool,
}

impl std::fmt::Debug for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Place").finish_non_exhaustive()
    }
}

impl Place {
    /// Prepares for looks of a kind; browsers start when they are needed.
    ///
    /// # Errors
    /// If the file with recorded answers cannot be read, or has no page.
    pub(crate) fn new(conditions: &Conditions, how: &How) -> Result<Self> {
        let served = how.har.as_deref().map(Served::read).transpose()?;
        if let (Some(har), Some(served)) = (&how.har, &served) {
            served.document().with_context(|| format!("{}: no page in it", har.display()))?;
        }
        let is_timed = conditions.hangs.is_some();
        let empties = is_timed || conditions.crash.is_some();
        let browser = |choice| Browser { choice, running: Mutex::default() };
        let browsers = needed(conditions, how).into_iter().map(browser).collect();
        Ok(Self { browsers, served, empties, is_timed })
    }

    /// Writes a candidate, which is a page or a packed directory, where a browser finds it, and
    /// lends its path. Where the browser dies, the next one gets it once more.
    ///
    /// # Errors
    /// If no browser starts, the candidate cannot be written, or there is no answer.
    pub(crate) fn with_file<T>(
        &self,
        name: &Path,
        candidate: &[u8],
        is_directory: bool,
        mut look: impl FnMut(&Path) -> Result<T>,
    ) -> Result<T> {
        let mut once = || {
            let room = self.running(0)?.room()?;
            let path = room.join(name.file_name().unwrap_or(name.as_os_str()));
            match is_directory {
                true => minirepro_program::unpack(candidate, &path)?,
                false => std::fs::write(&path, candidate)?,
            }
            let seen = look(&path);
            // It goes with the browser at the latest.
            let _gone = std::fs::remove_dir_all(&room);
            seen
        };
        match once() {
            Err(error) if error.downcast_ref() == Some(&Problem::Gone) => once(),
            seen => seen,
        }
    }

    /// Returns how often all conditions hold, looked at until they do not or this often.
    ///
    /// # Errors
    /// If there is no answer.
    pub(crate) fn looks(&self, file: &Path, look: &Look<'_>, most: u32) -> Result<u32> {
        let Look { conditions, how, .. } = *look;
        // In a directory, the page may be gone.
        if !page_of(file).is_file() {
            return Ok(0);
        }
        let is_seen_apart = || -> Result<bool> {
            if let Some(patience) = conditions.hangs {
                return self.hangs(file, patience, look);
            }
            let log = Log::begin(self.running(0)?.log());
            let own = self.with_page(0, file, look, |page| look.holds(page, Some(&log)))?;
            Ok(own && browsers_differ(self, file, look)?)
        };
        if self.empties || conditions.browsers_differ.is_some() {
            for nth in 0..most {
                if !is_seen_apart()? {
                    return Ok(nth);
                }
            }
            return Ok(most);
        }
        // In the same tab each time: a new connection costs more than a small page.
        self.with_page(0, file, look, |page| {
            for nth in 0..most {
                if nth > 0 {
                    let limit = patience(how, page.actions());
                    page.again(limit)?;
                }
                if !look.holds(page, None)? {
                    return Ok(nth);
                }
            }
            Ok(most)
        })
    }

    /// Looks whether the page is not loaded in time, or does not answer for as long behind that.
    fn hangs(&self, file: &Path, patience: Duration, look: &Look<'_>) -> Result<bool> {
        let mut is_loading = false;
        let loaded = self.with_page(0, file, look, |page| {
            is_loading = true;
            page.limited().limit(patience);
            match page.load()? {
                Seen::Crash => Ok(Seen::Crash),
                Seen::Yes | Seen::No => {
                    page.limited().limit(patience + settle::LONGEST);
                    has_played(page, 1)
                }
            }
        });
        match loaded {
            // A browser that has not even a tab in time says nothing about the page.
            Err(error) if is_loading && error.downcast_ref() == Some(&Problem::Late) => Ok(true),
            other => other.map(|_| false),
        }
    }

    /// Returns the numbers of the two browsers that are compared: the first is that of `--browser`,
    /// or Chromium.
    pub(crate) fn compared(&self) -> [usize; 2] {
        let is_swapped = self.browsers[0].choice.kind == Kind::Firefox
            && self.browsers.iter().any(|other| other.choice.kind == Kind::Chromium);
        if is_swapped { [1, 0] } else { [0, 1] }
    }

    /// Returns what the two browsers that are compared are called.
    pub(crate) fn pair(&self) -> [String; 2] {
        self.compared().map(|number| self.browsers[number].choice.words())
    }

    /// Returns what the browsers are called.
    pub(crate) fn names(&self) -> Vec<String> {
        self.browsers.iter().map(|browser| browser.choice.words()).collect()
    }

    /// Opens a page in a browser, and says what it waits for if it takes too long.
    ///
    /// # Errors
    /// If the page cannot be opened, or `look` gives an error.
    pub(crate) fn with_page<T>(
        &self,
        number: usize,
        file: &Path,
        with: &Look<'_>,
        look: impl FnOnce(&mut dyn Page) -> Result<T>,
    ) -> Result<T> {
        let how = with.how;
        let path = file.canonicalize().with_context(|| file.display().to_string())?;
        let path = page_of(&path);
        let text = std::fs::read(&path).with_context(|| path.display().to_string())?;
        let served = self.served.as_ref().map(|served| served.with_page(&text));
        let recorded = served.as_ref().and_then(Served::document).map(str::to_owned);
        let actions = script::of_page(&text);
        // A page begins elsewhere with no mouse over it.
        let emptied =
            self.empties || file.is_dir() || !actions.is_empty() || leaves_something(&text);
        let patience = patience(how, &actions);
        let opening = Opening {
            actions,
            emptied,
            address: recorded.unwrap_or_else(|| page::address(&path)),
            view: how.view(),
            served,
            stop: with.stop.cloned(),
        };
        let key = format!("{:?}", opening.view);
        let running = self.running(number)?;
        let forget = |error: &anyhow::Error| {
            if error.downcast_ref() == Some(&Problem::Gone) {
                self.forget(number, &running);
            }
        };
        let mut page = running.open(&key, &opening, patience).inspect_err(forget)?;
        let seen = look(&mut *page).map_err(|error| match error.downcast_ref() {
            Some(Problem::Late) if !self.is_timed => {
                error.context(format!("{}: {}", Problem::Late, pending(&mut *page)))
            }
            _ => error,
        });
        match &seen {
            Ok(_) => running.put(key, page),
            Err(error) => {
                forget(error);
                page.close();
            }
        }
        seen
    }

    /// Returns a browser, which is started if it does not run.
    ///
    /// # Errors
    /// If it cannot be started.
    pub(crate) fn running(&self, number: usize) -> Result<Arc<Running>> {
        let browser = &self.browsers[number];
        let mut running = browser.running.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(running) = &*running {
            return Ok(Arc::clone(running));
        }
        Ok(Arc::clone(running.insert(Arc::new(Running::start(&browser.choice)?))))
    }

    /// Lets the next one who needs a browser start another one.
    fn forget(&self, number: usize, gone: &Arc<Running>) {
        let browser = &self.browsers[number];
        let mut running = browser.running.lock().unwrap_or_else(PoisonError::into_inner);
        if running.as_ref().is_some_and(|running| Arc::ptr_eq(running, gone)) {
            *running = None;
        }
    }
}

/// Returns how long a page may take, without what a person has waited.
fn patience(how: &How, actions: &[Action]) -> Duration {
    let waits = actions.iter().filter_map(|action| match action {
        Action::Wait { time } => Duration::try_from_secs_f64(time / 1000.0).ok(),
        _ => None,
    });
    how.timeout.saturating_add(waits.sum())
}

/// Returns whether a page may leave more behind than what goes when the next one begins: it stores
/// something, does something when it is left, or has scripts that nobody knows here.
fn leaves_something(text: &[u8]) -> bool {
    let text = String::from_utf8_lossy(text);
    let has_source = |tag: &str| tag.split('>').next().is_some_and(|tag| tag.contains("src"));
    KEPT.iter().any(|word| text.contains(word)) || text.split("<script").skip(1).any(has_source)
}

/// With what pages store something, and the events of a page that is left.
const KEPT: [&str; 8] = [
    "localStorage",
    "indexedDB",
    "caches",
    "getDirectory",
    "serviceWorker",
    "unload",
    "pagehide",
    "visibilitychange",
];

/// Returns the page: the file itself, or `index.html` or the first other one in the directory.
pub(crate) fn page_of(file: &Path) -> PathBuf {
    let index = file.join("index.html");
    let Ok(entries) = file.read_dir() else { return file.to_owned() };
    let pages = entries.flatten().map(|entry| entry.path());
    let first = || pages.filter(|path| path.extension().is_some_and(|end| end == "html")).min();
    if index.is_file() { index } else { first().unwrap_or(index) }
}

/// Returns the browsers that conditions need, the one for most of them first.
fn needed(conditions: &Conditions, how: &How) -> Vec<Choice> {
    let mut all = how.browser.clone();
    if all.is_empty() {
        all.push(Choice::default());
    }
    if conditions.browsers_differ.is_none() {
        all.truncate(1);
    } else if all.len() == 1 {
        let kind = match all[0].kind {
            Kind::Chromium => Kind::Firefox,
            Kind::Firefox => Kind::Chromium,
        };
        all.push(Choice { kind, ..Choice::default() });
    }
    browsers::together(all)
}

/// What a browser says on its standard error from some time on.
pub(crate) struct Log {
    file: PathBuf,
    start: u64,
}

impl Log {
    /// Notes where the file ends now.
    pub(crate) fn begin(file: PathBuf) -> Self {
        let start = file.metadata().map(|data| data.len()).unwrap_or_default();
        Self { file, start }
    }

    /// Returns what was added since then.
    pub(crate) fn text(&self) -> String {
        let mut text = Vec::new();
        // A browser that writes no such file has said nothing.
        let _read = std::fs::File::open(&self.file).and_then(|mut file| {
            file.seek(SeekFrom::Start(self.start))?;
            file.read_to_end(&mut text)
        });
        String::from_utf8_lossy(&text).into_owned()
    }
}
