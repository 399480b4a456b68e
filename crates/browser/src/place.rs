//! The browsers in which pages are looked at: opens a page in a tab, and starts a browser again
//! that has died.

use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use anyhow::{Context, Result, bail};
use regex::bytes::Regex;

use crate::actions::{script, waits};
use crate::args::PageArgs;
use crate::browsers::{Choice, Running};
use crate::connection::Problem;
use crate::har::Served;
use crate::judge::Look;
use crate::page::{self, Opening, Page};

/// A browser, which runs if it was needed before.
#[derive(Default)]
struct Browser {
    choice: Choice,
    running: Mutex<Option<Arc<Running>>>,
}

/// The browsers in which pages are looked at.
pub(crate) struct Place {
    pub(crate) args: PageArgs,
    /// Whether candidates are packed directories with a page in them.
    pub(crate) is_directory: bool,
    browsers: Vec<Browser>,
    /// The answers that pages get, if they were recorded.
    served: Option<Served>,
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
    pub(crate) fn new(args: &PageArgs, is_directory: bool) -> Result<Self> {
        let served = args.how.har.as_deref().map(Served::read).transpose()?;
        let mut choices = args.how.browser.clone();
        if choices.is_empty() {
            choices.push(Choice::default());
        }
        if args.conditions.browsers_differ.is_none() {
            choices.truncate(1);
        } else if choices.len() == 1 {
            choices.push(Choice { is_firefox: !choices[0].is_firefox, program: None });
        }
        if args.how.print && choices.iter().any(|choice| choice.is_firefox) {
            bail!("--print is for Chromium only");
        }
        let browser = |choice| Browser { choice, ..Browser::default() };
        Ok(Self {
            args: args.clone(),
            is_directory,
            browsers: choices.into_iter().map(browser).collect(),
            served,
        })
    }

    /// Writes a candidate where a browser finds it, and lends its path. Where the browser dies, the
    /// next one gets it once more.
    ///
    /// # Errors
    /// If no browser starts, the candidate cannot be written, or there is no answer.
    pub(crate) fn with_file<T>(
        &self,
        name: &Path,
        candidate: &[u8],
        mut look: impl FnMut(&Path) -> Result<T>,
    ) -> Result<T> {
        let mut once = || {
            // It must not go before the look is done, even if another browser takes its place.
            let running = self.running(0)?;
            let room = running.room()?;
            let path = room.join(name.file_name().unwrap_or(name.as_os_str()));
            match self.is_directory {
                true => minirepro_program::unpack(candidate, &path)?,
                false => std::fs::write(&path, candidate)?,
            }
            let seen = look(&path);
            // It goes with the browser at the latest.
            let _gone = std::fs::remove_dir_all(&room);
            seen
        };
        match once() {
            Err(error) if Problem::Gone.is(&error) => once(),
            seen => seen,
        }
    }

    /// Returns how often all conditions hold, looked at until they do not or this often.
    ///
    /// # Errors
    /// If there is no answer.
    pub(crate) fn looks(&self, file: &Path, look: &Look<'_>, most: u32) -> Result<u32> {
        // In a directory, the page may be gone.
        if !page_of(file).is_file() {
            return Ok(0);
        }
        let is_seen = || -> Result<bool> {
            if self.args.conditions.hangs.is_some() {
                return self.hangs(file, look);
            }
            let log = Log::begin(self.running(0)?.log());
            Ok(self.with_page(0, file, look, |page| self.holds(page, look, &log))?
                && self.browsers_differ(file, look)?)
        };
        for nth in 0..most {
            match is_seen() {
                Ok(true) => {}
                Ok(false) => return Ok(nth),
                // Where the tab crashes, there is nothing to see.
                Err(error) if Problem::Crash.is(&error) => return Ok(nth),
                Err(error) => return Err(error),
            }
        }
        Ok(most)
    }

    /// Returns what the browsers are called.
    pub(crate) fn names(&self) -> Vec<String> {
        self.browsers.iter().map(|browser| browser.choice.words()).collect()
    }

    /// Returns where an element has two boxes.
    pub(crate) fn places(&self) -> [String; 2] {
        match &self.names()[..] {
            [one, other] => [one, other].map(|name| format!("in {name}")),
            _ => [String::new(), "after a fresh layout".to_owned()],
        }
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
        let path = page_of(&file.canonicalize().with_context(|| file.display().to_string())?);
        let text = std::fs::read(&path).with_context(|| path.display().to_string())?;
        let served = self.served.as_ref().map(|served| served.with_page(&text));
        let address = served.as_ref().map(|served| served.document.clone());
        let actions = script::of_page(&text);
        let (hangs, crash) = (&self.args.conditions.hangs, &self.args.conditions.crash);
        let opening = Opening {
            // What is counted or timed is the page's own, and one begins elsewhere with no mouse
            // over it.
            emptied: hangs.is_some()
                || crash.is_some()
                || file.is_dir()
                || !actions.is_empty()
                || KEEPS.is_match(&text),
            // Without what a person has waited.
            patience: self.args.how.timeout.saturating_add(waits(&actions)),
            actions,
            keeps: false,
            address: address.unwrap_or_else(|| page::address(&path)),
            how: self.args.how.clone(),
            served,
            stop: with.stop.cloned(),
        };
        let running = self.running(number)?;
        let mut page = running.open(opening)?;
        match look(&mut *page) {
            Ok(seen) => {
                running.put(page);
                Ok(seen)
            }
            Err(mut error) => {
                // Where a page that takes too long is looked for, nobody asks it why.
                if Problem::Late.is(&error) && hangs.is_none() {
                    error = error.context(format!("{}: {}", Problem::Late, page.pending()));
                }
                page.close();
                Err(error)
            }
        }
    }

    /// Returns a browser, which is started if it does not run.
    ///
    /// # Errors
    /// If it cannot be started.
    pub(crate) fn running(&self, number: usize) -> Result<Arc<Running>> {
        let browser = &self.browsers[number];
        let are_different =
            self.browsers.iter().any(|other| other.choice.is_firefox != browser.choice.is_firefox);
        let mut running = browser.running.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(running) = &*running
            && !running.hub.is_gone()
        {
            return Ok(Arc::clone(running));
        }
        Ok(Arc::clone(running.insert(Arc::new(Running::start(&browser.choice, are_different)?))))
    }
}

/// What a page has that may leave more behind than what goes when the next one begins: it stores
/// something, does something when it is left, or has scripts that nobody knows here.
static KEEPS: LazyLock<Regex> = LazyLock::new(|| {
    let kept = "localStorage|indexedDB|caches|getDirectory|serviceWorker|unload|pagehide|\
        visibilitychange|<script[^>]*src";
    Regex::new(kept).expect("a regular expression")
});

/// Returns the page: the file itself, or `index.html` or the first other one in the directory.
pub(crate) fn page_of(file: &Path) -> PathBuf {
    let index = file.join("index.html");
    let Ok(entries) = file.read_dir() else { return file.to_owned() };
    let pages = entries.flatten().map(|entry| entry.path());
    let first = || pages.filter(|path| path.extension().is_some_and(|end| end == "html")).min();
    if index.is_file() { index } else { first().unwrap_or(index) }
}

/// What a browser says on its standard error from some time on.
pub(crate) struct Log {
    file: PathBuf,
    start: usize,
}

impl Log {
    /// Notes where the file ends now.
    pub(crate) fn begin(file: PathBuf) -> Self {
        let length = file.metadata().map(|data| data.len()).unwrap_or_default();
        Self { file, start: length.try_into().unwrap_or_default() }
    }

    /// Returns what was added since then. A browser that writes no such file has said nothing.
    pub(crate) fn text(&self) -> String {
        let all = std::fs::read(&self.file).unwrap_or_default();
        String::from_utf8_lossy(all.get(self.start..).unwrap_or_default()).into_owned()
    }
}
