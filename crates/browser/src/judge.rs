//! Says whether a page shows the failure: opens it, lets it settle, and looks at everything that is
//! asked for, several times if need be.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result};
use serde_json::Value;

use crate::actions::{Action, script};
use crate::args::{Compared, Conditions, How};
use crate::browsers::{self, Choice, Kind, Running, of_session, second_of_session};
use crate::busy::Busy;
use crate::connection::Problem;
use crate::har::Served;
use crate::page::{self, Accessible, Opening, Page, Seen, pending};
use crate::session::Session;
use crate::warm::Borrowed;
use crate::{layout, picture, play, settle, styles};

/// Tells a test that its candidate is the result of a reduction, which is confirmed. Set by
/// minirepro.
pub(crate) const CONFIRMS: &str = "MINIREPRO_CONFIRMS";

/// How often a result must show the failure in a fresh browser.
const LOOKS_AT_RESULT: u32 = 3;

/// The part of the time that a page may take which a browser must have computed.
const BUSY: f64 = 0.9;

/// Whether a page takes too long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Hangs {
    No,
    /// It does, and waits for something.
    Waits,
    /// It does, and computes.
    Computes,
}

/// What a test says.
#[derive(Debug, Default)]
pub(crate) struct Answer {
    /// Whether the page shows the failure.
    pub(crate) is_yes: bool,
    /// What whoever reads the output should know: lines, or nothing.
    pub(crate) said: String,
}

/// Returns the exit code of a test that gave no answer, and what is said about it.
pub(crate) fn failed(error: &anyhow::Error) -> (u8, String) {
    match error.downcast_ref() {
        Some(Problem::Late) => (125, format!("minirepro-browser: {error}\n")),
        _ => (126, format!("minirepro-browser: {error:#}\n")),
    }
}

/// Returns how often a page is looked at: with `confirm`, a result of a reduction more often.
pub(crate) fn looks(how: &How, confirm: bool) -> u32 {
    if is_result(confirm) { how.looks.max(LOOKS_AT_RESULT) } else { how.looks }
}

fn is_result(confirm: bool) -> bool {
    confirm && std::env::var_os(CONFIRMS).is_some()
}

/// Writes a picture of a page.
pub(crate) fn screenshot(file: &Path, picture: &Path, how: &How) -> Result<()> {
    let place = Place::new(Session::of_environment(), &Conditions::default(), how)?;
    let png = place.with_page(file, how, |page| match settled(page, how, 2)? {
        Seen::Crash => anyhow::bail!("the page crashes the tab"),
        Seen::Yes | Seen::No => page.screenshot(),
    })?;
    std::fs::write(picture, png).with_context(|| picture.display().to_string())
}

/// The browsers in which pages are looked at.
pub(crate) struct Place {
    session: Option<Session>,
    /// Those that run for this alone.
    own: Vec<(Kind, Running)>,
    /// Tabs that are there already.
    borrowed: Option<RefCell<Borrowed>>,
    /// Whether a page must be gone before the next one comes: what is counted or timed is its own.
    empties: bool,
    /// Whether a page that takes too long is what is looked for, so that nobody asks it why.
    is_timed: bool,
    /// Whether somebody wants to know why a page does not show the failure.
    explains: bool,
}

impl Place {
    /// Takes those of a session, or starts what is needed.
    pub(crate) fn new(
        session: Option<Session>,
        conditions: &Conditions,
        how: &How,
    ) -> Result<Self> {
        let mut own = Vec::new();
        if session.is_none() {
            for choice in needed(conditions, how) {
                own.push((choice.kind, choice.start()?));
            }
        }
        let warm = session.as_ref().and_then(|session| session.warm.clone());
        let borrowed = warm.map(|warm| RefCell::new(Borrowed::new(warm)));
        let is_timed = conditions.hangs.is_some();
        let empties = is_timed
            || conditions.crash
            || !conditions.counts.is_empty()
            || conditions.grows.is_some();
        Ok(Self { session, own, borrowed, empties, is_timed, explains: false })
    }

    /// Takes the browsers for a test that this process does. With `confirm`, a result of a
    /// reduction is looked at in a browser of its own.
    pub(crate) fn of_test(conditions: &Conditions, how: &How, confirm: bool) -> Result<Self> {
        let session = Session::of_environment().filter(|_| !is_result(confirm));
        Ok(Self { explains: explains(), ..Self::new(session, conditions, how)? })
    }

    /// Says whether a page shows the failure each time that it is looked at: what is seen only once
    /// counts for nothing.
    pub(crate) fn test(
        &self,
        file: &Path,
        conditions: &Conditions,
        how: &How,
        looks: u32,
    ) -> Result<Answer> {
        let seen = self.looks(file, conditions, how, looks)?;
        if seen < looks {
            let said = match seen {
                0 => String::new(),
                _ => {
                    format!("minirepro-browser: the failure was seen {seen} times, and then not\n")
                }
            };
            return Ok(Answer { is_yes: false, said });
        }
        // Several tests at a time share what their browser says.
        let is_shared = self.own.is_empty() && !conditions.stack.is_empty();
        let is_yes =
            !is_shared || Self::new(None, conditions, how)?.looks(file, conditions, how, 1)? == 1;
        Ok(Answer { is_yes, said: String::new() })
    }

    /// Says that what is looked at was seen, so that tabs are only emptied from now on.
    pub(crate) fn end(&self) {
        if let Some(borrowed) = &self.borrowed {
            borrowed.borrow_mut().end();
        }
    }

    /// Returns how often all conditions hold, looked at until they do not or this often.
    pub(crate) fn looks(
        &self,
        file: &Path,
        conditions: &Conditions,
        how: &How,
        most: u32,
    ) -> Result<u32> {
        // In a directory, the page may be gone.
        if file.is_dir() && !page_of(file, how).is_file() {
            return Ok(0);
        }
        if let Some(patience) = conditions.hangs {
            for nth in 0..most {
                match self.hangs(file, patience, how)? {
                    Hangs::No => return Ok(nth),
                    Hangs::Waits => {}
                    // Another look would take as long, and could only say the same.
                    Hangs::Computes => return Ok(most),
                }
            }
            return Ok(most);
        }
        if conditions.crash || conditions.browsers_differ.is_some() {
            for nth in 0..most {
                let log = Log::begin(self.log(how.browser.as_ref().map(|choice| choice.kind)));
                let own = self.with_page(file, how, |page| {
                    look(page, conditions, how, &log, self.explains)
                })?;
                if !own || !self.browsers_differ(file, conditions, how)? {
                    return Ok(nth);
                }
            }
            return Ok(most);
        }
        // In the same tab each time: a new connection costs more than a small page.
        let log = Log::begin(None);
        self.with_page(file, how, |page| {
            for nth in 0..most {
                if nth > 0 {
                    let limit = patience(how, page.actions());
                    page.again(limit)?;
                }
                if !look(page, conditions, how, &log, self.explains)? {
                    return Ok(nth);
                }
            }
            Ok(most)
        })
    }

    /// Looks whether the page is not loaded in time, or does not answer for as long behind that.
    fn hangs(&self, file: &Path, patience: Duration, how: &How) -> Result<Hangs> {
        let is_loading = Cell::new(false);
        let is_alone = || {
            let warm = self.session.as_ref().and_then(|session| session.warm.as_ref());
            warm.is_none_or(|warm| warm.is_for_one())
        };
        // What another test's page computes is not told from what this one does.
        let was_alone = is_alone();
        let least = patience.mul_f64(BUSY);
        let busy = Busy::begin(self.processes());
        let loaded = self.with_page(file, how, |page| {
            is_loading.set(true);
            page.limit(patience);
            page.prolong(busy.until(least));
            match page.load(Duration::ZERO)? {
                Seen::Crash => Ok(Seen::Crash),
                Seen::Yes | Seen::No => {
                    page.limit(patience + settle::LONGEST);
                    page.prolong(busy.until(least));
                    has_played(page, 1)
                }
            }
        });
        match loaded {
            // A browser that has not even a tab in time says nothing about the page.
            Err(error) if is_loading.get() && error.downcast_ref() == Some(&Problem::Late) => {
                let is_sure = was_alone && is_alone() && busy.computed() >= least;
                Ok(if is_sure { Hangs::Computes } else { Hangs::Waits })
            }
            other => other.map(|_| Hangs::No),
        }
    }

    /// Returns the processes above those of the browsers.
    fn processes(&self) -> Vec<u32> {
        match &self.session {
            Some(session) => session.processes.clone(),
            None => self.own.iter().map(|(_, own)| own.process()).collect(),
        }
    }

    /// Returns the addresses of the two browsers that are compared.
    pub(crate) fn compared(&self, conditions: &Conditions, how: &How) -> Result<[String; 2]> {
        let addresses = self.addresses();
        let (one, other) = match &conditions.against {
            Some(choice) => {
                let kind = how.browser.as_ref().map(|choice| choice.kind);
                let one = of_session(&addresses, kind)?;
                (one, second_of_session(&addresses, choice.kind, one)?)
            }
            None => (
                of_session(&addresses, Some(Kind::Chromium))?,
                of_session(&addresses, Some(Kind::Firefox))?,
            ),
        };
        Ok([one.to_owned(), other.to_owned()])
    }

    /// Returns whether two browsers show the page differently, if that is asked for.
    fn browsers_differ(&self, file: &Path, conditions: &Conditions, how: &How) -> Result<bool> {
        let Some(selector) = &conditions.browsers_differ else { return Ok(true) };
        let [one, other] = self.compared(conditions, how)?;
        let (one, other) = (one.as_str(), other.as_str());
        let by = conditions.by;
        Ok(match conditions.compare {
            Compared::Boxes => {
                let question = layout::boxes(selector);
                let found = self.both([one, other], file, how, |page| {
                    let said = page.text(&question)?;
                    Ok(said.map(|said| serde_json::from_str::<Vec<_>>(&said)).transpose()?)
                })?;
                found.is_some_and(|[one, other]| layout::differ(&one, &other, by))
            }
            Compared::Styles => {
                let question = styles::computed(selector, &conditions.property);
                let found = self.both([one, other], file, how, |page| {
                    let said = page.text(&question)?;
                    Ok(said.map(|said| serde_json::from_str::<Vec<_>>(&said)).transpose()?)
                })?;
                found.is_some_and(|[one, other]| styles::differ(&one, &other, by))
            }
            Compared::Accessibility => {
                let all = self.with_page_at(one, file, how, |page| {
                    settled(page, how, 1)?;
                    page.accessible()
                })?;
                let mut kinds: BTreeMap<(&str, &str), usize> = BTreeMap::new();
                // Roles of ARIA are written small; others are Chromium's own.
                let is_known = |part: &&Accessible| !part.role.contains(char::is_uppercase);
                for part in all.iter().filter(is_known) {
                    *kinds.entry((&part.role, "")).or_default() += 1;
                    if !part.name.is_empty() {
                        *kinds.entry((&part.role, &part.name)).or_default() += 1;
                    }
                }
                self.with_page_at(other, file, how, |page| {
                    settled(page, how, 1)?;
                    for ((role, name), count) in kinds {
                        let found = page.accessible_like(role, name)?;
                        if found != count {
                            if self.explains {
                                eprintln!(
                                    "minirepro-browser: {role} {name:?}: {count} and {found}"
                                );
                            }
                            return Ok(true);
                        }
                    }
                    Ok(false)
                })?
            }
            Compared::Pixels => {
                let shot = |page: &mut dyn Page| page.screenshot().map(Some);
                match self.both([one, other], file, how, shot)? {
                    Some([one, other]) => picture::differing_pixels(&one, &other)? > how.pixels,
                    None => false,
                }
            }
        })
    }

    /// Returns what a page gives in two browsers; `None` if it gives nothing in one of them.
    fn both<T>(
        &self,
        addresses: [&str; 2],
        file: &Path,
        how: &How,
        ask: impl Fn(&mut dyn Page) -> Result<Option<T>>,
    ) -> Result<Option<[T; 2]>> {
        let mut answers = Vec::new();
        for address in addresses {
            let answer =
                self.with_page_at(address, file, how, |page| match settled(page, how, 2)? {
                    Seen::Crash => Ok(None),
                    Seen::Yes | Seen::No => ask(page),
                })?;
            let Some(answer) = answer else { return Ok(None) };
            answers.push(answer);
        }
        Ok(answers.try_into().ok())
    }

    /// Opens a page in the browser that is asked for, or in the first one.
    pub(crate) fn with_page<T>(
        &self,
        file: &Path,
        how: &How,
        look: impl FnOnce(&mut dyn Page) -> Result<T>,
    ) -> Result<T> {
        let kind = how.browser.as_ref().map(|choice| choice.kind);
        self.with_page_at(of_session(&self.addresses(), kind)?, file, how, look)
    }

    /// Opens a page, and says what it waits for if it takes too long.
    pub(crate) fn with_page_at<T>(
        &self,
        address: &str,
        file: &Path,
        how: &How,
        look: impl FnOnce(&mut dyn Page) -> Result<T>,
    ) -> Result<T> {
        let path = file.canonicalize().with_context(|| file.display().to_string())?;
        let path = page_of(&path, how);
        let served = how.har.as_deref().map(|har| served(har, &path)).transpose()?;
        let recorded = served.as_ref().and_then(Served::document).map(str::to_owned);
        let text = std::fs::read(&path).with_context(|| path.display().to_string())?;
        let actions = script::of_page(&text);
        // A page begins elsewhere with no mouse over it.
        let emptied =
            self.empties || file.is_dir() || !actions.is_empty() || leaves_something(&text);
        let opening = Opening {
            actions,
            emptied,
            address: recorded.unwrap_or_else(|| page::address(&path)),
            view: how.view(),
            served: served.as_ref(),
        };
        let claims = self.session.as_ref().and_then(|session| session.claims.as_deref());
        let key = format!("{address} {:?}", opening.view);
        // What answers requests knows the page that it was made for.
        let borrowed = self.borrowed.as_ref().filter(|_| opening.served.is_none());
        let kept = borrowed.and_then(|borrowed| borrowed.borrow_mut().take(&key));
        let mut page = match kept {
            Some(mut page) => {
                page.turn_to(&opening);
                page.limit(patience(how, &opening.actions));
                page
            }
            None => browsers::open(address, claims, &opening, patience(how, &opening.actions))?,
        };
        let seen = look(&mut *page).map_err(|error| match error.downcast_ref() {
            Some(Problem::Late) if !self.is_timed => {
                error.context(format!("{}: {}", Problem::Late, pending(&mut *page)))
            }
            _ => error,
        });
        match borrowed.filter(|_| seen.is_ok()) {
            Some(borrowed) => borrowed.borrow_mut().put(key, page),
            None => page.close(seen.is_err()),
        }
        seen
    }

    /// Returns where the browsers are, with blanks between them.
    fn addresses(&self) -> String {
        match &self.session {
            Some(session) => session.addresses.clone(),
            None => {
                let own: Vec<&str> = self.own.iter().map(|(_, own)| own.address()).collect();
                own.join(" ")
            }
        }
    }

    /// Returns the file that holds what the browser says.
    pub(crate) fn log(&self, kind: Option<Kind>) -> Option<PathBuf> {
        match &self.session {
            Some(session) => session.log.clone(),
            None => {
                let mut own = self.own.iter();
                let found = own.find(|(own, _)| kind.is_none_or(|kind| kind == *own));
                found.and_then(|(_, running)| running.log()).map(Path::to_owned)
            }
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

/// Returns the page: the file itself, or the one in the directory.
pub(crate) fn page_of(file: &Path, how: &How) -> PathBuf {
    if !file.is_dir() {
        return file.to_owned();
    }
    file.join(how.page.as_deref().unwrap_or(Path::new("index.html")))
}

/// Returns the browsers that conditions need, the one for most of them first.
pub(crate) fn needed(conditions: &Conditions, how: &How) -> Vec<Choice> {
    let first = how.browser.clone().unwrap_or_default();
    let mut all = vec![first];
    if let Some(second) = &conditions.against {
        all.push(second.clone());
    } else if conditions.browsers_differ.is_some() {
        let missing = both(how).into_iter().filter(|choice| choice.kind != all[0].kind);
        all.extend(missing.collect::<Vec<_>>());
    }
    browsers::together(all)
}

/// Returns a Chromium and a Firefox; a program that was named is one of them.
pub(crate) fn both(how: &How) -> [Choice; 2] {
    [Kind::Chromium, Kind::Firefox].map(|kind| {
        let program = how.browser.as_ref().filter(|own| own.kind == kind);
        let named = Choice { kind, ..Choice::default() };
        Choice { is_compared: true, ..program.cloned().unwrap_or(named) }
    })
}

fn served(har: &Path, page: &Path) -> Result<Served> {
    let mut served = Served::read(har)?;
    let document = served.document().map(str::to_owned);
    let address = document.with_context(|| format!("{}: no page in it", har.display()))?;
    let text = std::fs::read(page).with_context(|| page.display().to_string())?;
    served.replace_page(&address, &text);
    Ok(served)
}

/// Loads a page and waits until it has settled: at least this many frames are drawn.
pub(crate) fn settled(page: &mut dyn Page, how: &How, frames: u32) -> Result<Seen> {
    match page.load(how.wait)? {
        Seen::Crash => Ok(Seen::Crash),
        Seen::Yes | Seen::No => has_played(page, frames),
    }
}

/// Does on a page that is loaded what is to be done there, and waits until it has settled.
fn has_played(page: &mut dyn Page, frames: u32) -> Result<Seen> {
    let actions = page.actions().to_vec();
    if !actions.is_empty() {
        if has_settled(page, frames)? == Seen::Crash {
            return Ok(Seen::Crash);
        }
        match play::play(page, &actions) {
            Err(error) if error.downcast_ref() == Some(&Problem::Crash) => return Ok(Seen::Crash),
            other => other?,
        };
    }
    has_settled(page, frames)
}

/// Waits until a page that is loaded has settled.
pub(crate) fn has_settled(page: &mut dyn Page, frames: u32) -> Result<Seen> {
    match page.holds(&settle::settled(frames)) {
        // A page that goes elsewhere meanwhile has been waited for as well.
        Err(error) if error.downcast_ref::<Problem>().is_none() => Ok(Seen::Yes),
        other => other,
    }
}

/// Returns whether all conditions hold. The cheap ones first.
fn look(
    page: &mut dyn Page,
    conditions: &Conditions,
    how: &How,
    log: &Log,
    explains: bool,
) -> Result<bool> {
    if conditions.crash && !page.sees_crashes() {
        anyhow::bail!("--crash is for Chromium only");
    }
    let is_seen = conditions.looks_like.is_some() || conditions.differs_from.is_some();
    // After a crash of the process that draws, no frame comes before the next process is there.
    let is_drawn = is_seen || conditions.crash || conditions.relayout_differs.is_some();
    let frames = if is_drawn { 2 } else { 1 };
    let drawing = if conditions.crash { page.drawing()? } else { None };
    let loaded = settled(page, how, frames)?;
    if conditions.crash || loaded == Seen::Crash {
        let is_crash = loaded == Seen::Crash || drawing.is_some() && page.drawing()? != drawing;
        return Ok(conditions.crash && is_crash && log.matches(conditions));
    }
    if !counts(page, conditions, explains)? {
        return Ok(false);
    }
    let is_asked = conditions.holds.iter().any(|holds| holds.contains("accessible"));
    let accessible = match is_asked {
        true => Some(page.accessible()?.iter().map(Accessible::value).collect::<Value>()),
        false => None,
    };
    let asked = conditions.holds.iter().map(|expression| match &accessible {
        Some(value) => format!("(accessible => (\n{expression}\n))({value})"),
        None => expression.clone(),
    });
    let by_pixels = conditions.compare == Compared::Pixels;
    let relayout = conditions.relayout_differs.as_ref();
    if relayout.is_some() && by_pixels && !repaint_differs(page, how)? {
        return Ok(false);
    }
    let relayout = relayout
        .filter(|_| !by_pixels)
        .map(|selector| layout::relayout_differs(selector, conditions.by));
    for expression in asked.chain(relayout) {
        match page.holds(&expression)? {
            Seen::Yes => {}
            Seen::No => {
                if explains {
                    explain(page, &expression, conditions)?;
                }
                return Ok(false);
            }
            Seen::Crash => return Ok(false),
        }
    }
    let said = page.console();
    if !conditions.console.iter().all(|wanted| said.iter().any(|line| wanted.is_match(line))) {
        return Ok(false);
    }
    for (path, alike) in [(&conditions.looks_like, true), (&conditions.differs_from, false)] {
        let Some(path) = path else { continue };
        let picture = std::fs::read(path).with_context(|| path.display().to_string())?;
        let differing = picture::differing_pixels(&picture, &page.screenshot()?)
            .with_context(|| path.display().to_string())?;
        if (differing <= how.pixels) != alike {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Returns whether the browser's counters reach what is asked for.
fn counts(page: &mut dyn Page, conditions: &Conditions, explains: bool) -> Result<bool> {
    if !conditions.counts.is_empty() {
        let all = page.counters(false)?;
        for wanted in &conditions.counts {
            let value = value_of(&all, &wanted.name)?;
            if value < wanted.least {
                if explains {
                    eprintln!("minirepro-browser: {} is {value}", wanted.name);
                }
                return Ok(false);
            }
        }
    }
    let Some(wanted) = &conditions.grows else { return Ok(true) };
    let actions = page.actions().to_vec();
    let mut before = value_of(&page.counters(true)?, &wanted.name)?;
    // Every time: what is only made once, such as a cache, does not grow.
    for _ in 0..conditions.repeats {
        play::play(page, &actions)?;
        let after = value_of(&page.counters(true)?, &wanted.name)?;
        if after - before < wanted.least {
            if explains {
                eprintln!("minirepro-browser: {} grows from {before} to {after}", wanted.name);
            }
            return Ok(false);
        }
        before = after;
    }
    Ok(true)
}

fn value_of(counters: &[(String, f64)], name: &str) -> Result<f64> {
    let found = counters.iter().find(|(own, _)| own == name);
    found.map(|(_, value)| *value).with_context(|| {
        let names: Vec<&str> = counters.iter().map(|(name, _)| &name[..]).collect();
        format!("no counter is called {name}; there are {}", names.join(", "))
    })
}

/// Returns whether the window shows something else after a layout from scratch, which another one
/// confirms.
fn repaint_differs(page: &mut dyn Page, how: &How) -> Result<bool> {
    let _done = page.text(&layout::prepared(false))?;
    let kept = page.screenshot()?;
    let mut fresh = Vec::new();
    for _ in 0..2 {
        let _done = page.text(&layout::prepared(true))?;
        has_settled(page, 2)?;
        fresh.push(page.screenshot()?);
    }
    Ok(picture::differing_pixels(&fresh[0], &fresh[1])? == 0
        && picture::differing_pixels(&kept, &fresh[0])? > how.pixels)
}

/// Tells a test that somebody wants to know why it says no. Set by minirepro.
pub(crate) const EXPLAINS: &str = "MINIREPRO_EXPLAIN";

/// Returns whether somebody reads what the test prints: minirepro asks why, or a person has called
/// it.
fn explains() -> bool {
    std::env::var_os(EXPLAINS).is_some() || Session::of_environment().is_none()
}

/// Says what the value of an expression is that does not hold, or what it throws.
fn explain(page: &mut dyn Page, expression: &str, conditions: &Conditions) -> Result<()> {
    let asked = conditions.holds.iter().find(|asked| expression.contains(asked.as_str()));
    let Some(asked) = asked else {
        eprintln!("minirepro-browser: no box is elsewhere in a layout from scratch");
        return Ok(());
    };
    let said = |page: &mut dyn Page, part: &str| page.text(&page::as_words(part));
    let shown = said(page, expression)?.unwrap_or_else(|| "has no value that can be shown".into());
    eprintln!("minirepro-browser: --holds {asked}: {shown}");
    // A comparison is explained by what is compared.
    if expression == asked
        && let Some(sides) = page::sides(asked)
    {
        for side in sides {
            // A number in the expression needs no explanation.
            if let Some(shown) = said(page, side)?
                && shown != format!("is {side}")
            {
                eprintln!("minirepro-browser: {side}: {shown}");
            }
        }
    }
    Ok(())
}

/// What a browser says on its standard error from some time on.
pub(crate) struct Log {
    file: Option<PathBuf>,
    start: u64,
}

impl Log {
    /// Notes where the file ends now.
    pub(crate) fn begin(file: Option<PathBuf>) -> Self {
        let length = file.as_ref().and_then(|file| file.metadata().ok()).map(|data| data.len());
        Self { file, start: length.unwrap_or_default() }
    }

    /// Returns what was added since then.
    pub(crate) fn text(&self) -> String {
        let mut text = Vec::new();
        let read = self.file.as_ref().and_then(|file| {
            let mut file = std::fs::File::open(file).ok()?;
            file.seek(SeekFrom::Start(self.start)).ok()?;
            file.read_to_end(&mut text).ok()
        });
        // A browser that writes no such file has said nothing.
        let _length = read;
        String::from_utf8_lossy(&text).into_owned()
    }

    fn matches(&self, conditions: &Conditions) -> bool {
        let said = self.text();
        conditions.stack.iter().all(|wanted| wanted.is_match(&said))
    }
}
