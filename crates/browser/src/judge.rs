//! Says whether a page shows the failure: lets it settle, and looks at everything that is asked
//! for.

use std::cell::RefCell;
use std::fmt::Write;
use std::path::Path;

use anyhow::{Context, Result};
use minirepro_program::CancelToken;

use crate::args::{Conditions, How, is_by_pixels};
use crate::connection::Problem;
use crate::page::{self, Page, Seen};
use crate::place::{Log, Place};
use crate::{layout, picture, play, settle};

/// What a page is looked at for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Look<'a> {
    pub(crate) conditions: &'a Conditions,
    pub(crate) how: &'a How,
    /// Gets lines that say why a page does not show the failure, if somebody wants to know.
    pub(crate) said: Option<&'a RefCell<String>>,
    /// Set when nobody wants the answer any more.
    pub(crate) stop: Option<&'a CancelToken>,
}

impl<'a> Look<'a> {
    /// Returns one that nobody interrupts, and that explains nothing.
    pub(crate) fn new(conditions: &'a Conditions, how: &'a How) -> Self {
        Self { conditions, how, said: None, stop: None }
    }

    fn say(&self, line: impl FnOnce() -> String) {
        if let Some(said) = self.said {
            // Writing to memory cannot fail.
            let _ = writeln!(said.borrow_mut(), "{}", line());
        }
    }

    /// Returns whether all conditions hold. The cheap ones first.
    ///
    /// # Errors
    /// If there is no answer.
    pub(crate) fn holds(&self, page: &mut dyn Page, log: Option<&Log>) -> Result<bool> {
        let conditions = self.conditions;
        if conditions.crash.is_some() && !page.sees_crashes() {
            anyhow::bail!("--crash is for Chromium only");
        }
        let relayout = conditions.relayout_differs.as_ref();
        // After a crash of the process that draws, no frame comes before the next process is there.
        let is_drawn = conditions.looks_like.is_some() || conditions.crash.is_some();
        let frames = if is_drawn || relayout.is_some() { 2 } else { 1 };
        let drawing = if conditions.crash.is_some() { page.drawing()? } else { None };
        let loaded = settled(page, frames)?;
        if conditions.crash.is_some() || loaded == Seen::Crash {
            let is_crash = loaded == Seen::Crash || drawing.is_some() && page.drawing()? != drawing;
            let said = log.map(Log::text).unwrap_or_default();
            return Ok(is_crash && conditions.crash.as_ref().is_some_and(|all| all.is_match(&said)));
        }
        let by_pixels = relayout.is_some_and(|selector| is_by_pixels(selector));
        if by_pixels && !repaint_differs(page, conditions)? {
            return Ok(false);
        }
        let relayout = relayout.filter(|_| !by_pixels).map(|selector| {
            layout::relayout_differs(selector, conditions.by(), conditions.direction)
        });
        for expression in conditions.holds.iter().cloned().chain(relayout) {
            match page.holds(&expression)? {
                Seen::Yes => {}
                Seen::No => {
                    self.explain(page, &expression)?;
                    return Ok(false);
                }
                Seen::Crash => return Ok(false),
            }
        }
        let said = page.console();
        if !conditions.console.iter().all(|wanted| said.iter().any(|line| wanted.is_match(line))) {
            return Ok(false);
        }
        let Some(path) = &conditions.looks_like else { return Ok(true) };
        let picture = std::fs::read(path).with_context(|| path.display().to_string())?;
        let differing = picture::differing_pixels(&picture, &page.screenshot()?);
        Ok(!conditions.are_many(differing.with_context(|| path.display().to_string())?))
    }

    /// Says what the value of an expression is that does not hold, or what it throws.
    fn explain(&self, page: &mut dyn Page, expression: &str) -> Result<()> {
        if self.said.is_none() {
            return Ok(());
        }
        let asked = self.conditions.holds.iter().find(|asked| expression.contains(asked.as_str()));
        let Some(asked) = asked else {
            self.say(|| "no box is elsewhere in a layout from scratch".to_owned());
            return Ok(());
        };
        let shown = page.text(&page::as_words(expression))?;
        let shown = shown.unwrap_or_else(|| "has no value that can be shown".to_owned());
        self.say(|| format!("--holds {asked}: {shown}"));
        Ok(())
    }
}

/// Returns whether two browsers show the page differently, if that is asked for.
///
/// # Errors
/// If there is no answer.
pub(crate) fn browsers_differ(place: &Place, file: &Path, look: &Look<'_>) -> Result<bool> {
    let conditions = look.conditions;
    let Some(selector) = &conditions.browsers_differ else { return Ok(true) };
    if is_by_pixels(selector) {
        let shot = |page: &mut dyn Page| page.screenshot().map(Some);
        let Some([one, other]) = both(place, file, look, shot)? else { return Ok(false) };
        return Ok(conditions.are_many(picture::differing_pixels(&one, &other)?));
    }
    let question = layout::boxes(selector);
    let found = both(place, file, look, |page| {
        let said = page.text(&question)?;
        Ok(said.map(|said| serde_json::from_str::<Vec<_>>(&said)).transpose()?)
    })?;
    let (by, direction) = (conditions.by(), conditions.direction);
    Ok(found.is_some_and(|[one, other]| layout::differ(&one, &other, by, direction)))
}

/// Returns what a page gives in two browsers; `None` if it gives nothing in one of them.
///
/// # Errors
/// If there is no answer.
pub(crate) fn both<T>(
    place: &Place,
    file: &Path,
    look: &Look<'_>,
    ask: impl Fn(&mut dyn Page) -> Result<Option<T>>,
) -> Result<Option<[T; 2]>> {
    let mut answers = Vec::new();
    for number in place.compared() {
        let answer = place.with_page(number, file, look, |page| match settled(page, 2)? {
            Seen::Crash => Ok(None),
            Seen::Yes | Seen::No => ask(page),
        })?;
        let Some(answer) = answer else { return Ok(None) };
        answers.push(answer);
    }
    Ok(answers.try_into().ok())
}

/// Loads a page and waits until it has settled: at least this many frames are drawn.
pub(crate) fn settled(page: &mut dyn Page, frames: u32) -> Result<Seen> {
    match page.load()? {
        Seen::Crash => Ok(Seen::Crash),
        Seen::Yes | Seen::No => has_played(page, frames),
    }
}

/// Does on a page that is loaded what is to be done there, and waits until it has settled.
pub(crate) fn has_played(page: &mut dyn Page, frames: u32) -> Result<Seen> {
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

/// Returns whether the window shows something else after a layout from scratch, which another one
/// confirms.
fn repaint_differs(page: &mut dyn Page, conditions: &Conditions) -> Result<bool> {
    let _done = page.text(&layout::prepared(false))?;
    let kept = page.screenshot()?;
    let mut fresh = Vec::new();
    for _ in 0..2 {
        let _done = page.text(&layout::prepared(true))?;
        has_settled(page, 2)?;
        fresh.push(page.screenshot()?);
    }
    Ok(picture::differing_pixels(&fresh[0], &fresh[1])? == 0
        && conditions.are_many(picture::differing_pixels(&kept, &fresh[0])?))
}
