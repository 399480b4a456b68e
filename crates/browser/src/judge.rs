//! Says whether a page shows the failure: looks at everything that is asked for.

use std::cell::RefCell;
use std::path::Path;

use anyhow::{Context, Result};
use minirepro_program::CancelToken;
use serde::de::DeserializeOwned;

use crate::args::{Conditions, is_by_pixels};
use crate::connection::Problem;
use crate::layout::{self, Direction, Moved};
use crate::page::{Page, as_words};
use crate::picture::differing_pixels;
use crate::place::{Log, Place};
use crate::settle;

/// How a page is looked at.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Look<'a> {
    /// In which way a box is wrong, if that matters.
    pub(crate) direction: Option<Direction>,
    /// Gets lines that say why a page does not show the failure, if somebody wants to know.
    pub(crate) said: Option<&'a RefCell<String>>,
    /// Set when nobody wants the answer any more.
    pub(crate) stop: Option<&'a CancelToken>,
}

impl Look<'_> {
    pub(crate) fn say(&self, line: &str) {
        if let Some(said) = self.said {
            *said.borrow_mut() += &format!("{line}\n");
        }
    }
}

impl Place {
    /// Returns whether all conditions on one browser hold. The cheap ones first.
    ///
    /// # Errors
    /// If there is no answer.
    pub(crate) fn holds(&self, page: &mut dyn Page, look: &Look<'_>, log: &Log) -> Result<bool> {
        let conditions = &self.args.conditions;
        let relayout = conditions.relayout_differs.as_deref();
        if let Some(wanted) = &conditions.crash {
            let drawing = page.drawing()?;
            // After a crash of the process that draws, no frame comes before the next process is
            // there.
            let is_crash = match page.show(2) {
                Err(error) if Problem::Crash.is(&error) => true,
                shown => {
                    shown?;
                    drawing.is_some() && page.drawing()? != drawing
                }
            };
            return Ok(is_crash && wanted.is_match(&log.text()));
        }
        let is_drawn = conditions.looks_like.is_some() || relayout.is_some();
        page.show(if is_drawn { 2 } else { 1 })?;
        if relayout.is_some_and(is_by_pixels) && !repaint_differs(page, conditions)? {
            return Ok(false);
        }
        for expression in &conditions.holds {
            if !page.holds(expression)? {
                if look.said.is_some() {
                    let shown = page.text(&as_words(expression))?;
                    let shown = shown.as_deref().unwrap_or("has no value that can be shown");
                    look.say(&format!("--holds {expression}: {shown}"));
                }
                return Ok(false);
            }
        }
        if let Some(selector) = relayout.filter(|selector| !is_by_pixels(selector)) {
            let by = conditions.by();
            let all: Vec<Moved> = page.ask(&layout::moved(selector, by))?.unwrap_or_default();
            if !all.iter().any(|moved| layout::differs(moved, by, look.direction)) {
                look.say("no box is elsewhere in a layout from scratch");
                return Ok(false);
            }
        }
        let said = page.console();
        if !conditions.console.iter().all(|wanted| said.iter().any(|line| wanted.is_match(line))) {
            return Ok(false);
        }
        let Some(path) = &conditions.looks_like else { return Ok(true) };
        let place = || path.display().to_string();
        let picture = std::fs::read(path).with_context(place)?;
        let differing = differing_pixels(&picture, &page.screenshot()?).with_context(place)?;
        Ok(!conditions.are_many(differing))
    }

    /// Looks whether the page is not loaded in time, or does not answer for as long behind that.
    pub(crate) fn hangs(&self, file: &Path, look: &Look<'_>) -> Result<bool> {
        let mut is_loading = false;
        let patience = self.args.how.timeout;
        let loaded = self.with_page(0, file, look, |page| {
            is_loading = true;
            page.tab().connection.limit(patience);
            page.load()?;
            page.tab().connection.limit(patience + settle::LONGEST);
            page.act(1)
        });
        match loaded {
            // A browser that has not even a tab in time says nothing about the page.
            Err(error) if is_loading && Problem::Late.is(&error) => Ok(true),
            other => other.map(|()| false),
        }
    }

    /// Returns whether two browsers show the page differently, if that is asked for.
    ///
    /// # Errors
    /// If there is no answer.
    pub(crate) fn browsers_differ(&self, file: &Path, look: &Look<'_>) -> Result<bool> {
        let conditions = &self.args.conditions;
        let Some(selector) = &conditions.browsers_differ else { return Ok(true) };
        if is_by_pixels(selector) {
            let [one, other] = self.both(file, look, |page| page.screenshot())?;
            return Ok(conditions.are_many(differing_pixels(&one, &other)?));
        }
        let pairs = layout::paired(self.both(file, look, |page| boxes(page, selector))?);
        let differs = |pair: &Moved| layout::differs(pair, conditions.by(), look.direction);
        Ok(pairs.is_none_or(|pairs| pairs.iter().any(differs)))
    }

    /// Returns what a page gives in two browsers.
    ///
    /// # Errors
    /// If there is no answer.
    pub(crate) fn both<T>(
        &self,
        file: &Path,
        look: &Look<'_>,
        ask: impl Fn(&mut dyn Page) -> Result<T>,
    ) -> Result<[T; 2]> {
        let shown = |number| {
            self.with_page(number, file, look, |page| {
                page.show(2)?;
                ask(page)
            })
        };
        Ok([shown(0)?, shown(1)?])
    }

    /// Returns what a page gives once it has settled, written to a file.
    ///
    /// # Errors
    /// If there is no answer.
    pub(crate) fn ask<T: DeserializeOwned + Default>(
        &self,
        file: &Path,
        text: &str,
        look: &Look<'_>,
        question: &str,
    ) -> Result<T> {
        std::fs::write(file, text).with_context(|| file.display().to_string())?;
        self.with_page(0, file, look, |page| {
            page.show(1)?;
            Ok(page.ask(question)?.unwrap_or_default())
        })
    }
}

/// Returns names and boxes of elements.
pub(crate) fn boxes(page: &mut dyn Page, selector: &str) -> Result<Vec<(String, layout::Sides)>> {
    Ok(page.ask(&layout::boxes(selector))?.unwrap_or_default())
}

/// Returns whether the window shows something else after a layout from scratch, which another one
/// confirms.
fn repaint_differs(page: &mut dyn Page, conditions: &Conditions) -> Result<bool> {
    page.text(&layout::prepared(false))?;
    let kept = page.screenshot()?;
    let mut fresh = Vec::new();
    for _ in 0..2 {
        page.text(&layout::prepared(true))?;
        page.settle(2)?;
        fresh.push(page.screenshot()?);
    }
    Ok(differing_pixels(&fresh[0], &fresh[1])? == 0
        && conditions.are_many(differing_pixels(&kept, &fresh[0])?))
}
