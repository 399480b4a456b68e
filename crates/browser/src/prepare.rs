//! Puts actions into a page before both are reduced: says each element with the shortest selector,
//! leaves out what the failure can do without, and lets the page play by itself where it can.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use minirepro_search::shrink;
use serde_json::json;

use crate::actions::alone::{self, Manner};
use crate::actions::file::{Form, Recording};
use crate::actions::{Action, Target, forms, script};
use crate::args::{Conditions, How};
use crate::connection::Problem;
use crate::judge::{self, Place, has_settled};
use crate::play::{Played, play_named};
use crate::saved::{self, Input};
use crate::session::Shared;

/// A page with its actions.
pub(crate) struct Prepared {
    /// What is reduced.
    pub(crate) input: Input,
    /// How it is shown: the window has the size in which the actions were recorded.
    pub(crate) how: How,
    pub(crate) recording: Recording,
}

/// Reads actions and puts them into a page. Writes beside it, and the actions that are needed on
/// the page as it is into the current directory.
///
/// # Errors
/// If something cannot be read or written, or the failure is not there.
pub(crate) fn prepare(
    input: Input,
    file: &Path,
    conditions: &Conditions,
    how: &How,
    has_size: bool,
) -> Result<Prepared> {
    let place = || file.display().to_string();
    let mut recording = forms::open(file)?;
    make_relative(&mut recording);
    for left_out in &recording.left_out {
        eprintln!("  not understood, and left out: {left_out}");
    }
    let size = recording.size.filter(|_| !has_size).map(|[width, height]| (width, height));
    let how = How { size: size.unwrap_or(how.size), ..how.clone() };
    let input = copied(input, &how)?;
    let page = page_in(&input, &how);
    let original = fs::read(&page).with_context(|| page.display().to_string())?;
    let original = script::without(&String::from_utf8_lossy(&original));
    let shared = Shared::start(&judge::needed(conditions, &how))?;
    let looking = Looking {
        place: Place::new(Some(shared.session()), conditions, &how)?,
        input: &input,
        page: &page,
        conditions,
        how: &How {
            har: how.har.clone().or(input.har.clone()),
            page: how.page.clone().or(input.index.clone()),
            ..how.clone()
        },
    };
    let all = looking.named(&original, &recording.actions)?;
    let shows = |actions: &[Action]| looking.fails(&script::with(&original, actions));
    let Some(form) = forms_of(&all).into_iter().find(|form| shows(form)) else {
        bail!("the failure is not there when the actions of {} were played", place());
    };
    let mut tests = 0;
    let mut shows = |some: &[Action]| {
        tests += 1;
        shows(some)
    };
    let mut needed = shrink(&form, &mut shows);
    for at in 0..needed.len() {
        while let Some(half) = halved(&needed[at]) {
            let whole = std::mem::replace(&mut needed[at], half);
            if !shows(&needed) {
                needed[at] = whole;
                break;
            }
        }
    }
    eprintln!("  {} of {} actions, {tests} tests", needed.len(), recording.actions.len());
    recording.actions = needed;
    let own = file.file_stem().unwrap_or_default().to_string_lossy();
    let short = PathBuf::from(format!("{own}.min.{}", recording.form.suffix()));
    fs::write(&short, forms::write(&recording)).with_context(|| short.display().to_string())?;
    saved::told(file, &short);
    let actions = &recording.actions;
    let own = Manner::ALL.iter().filter_map(|&manner| alone::page(&original, actions, manner));
    let chosen = own.into_iter().find(|page| looking.fails(page));
    let is_alone = chosen.is_some();
    looking.write(&chosen.unwrap_or_else(|| script::with(&original, actions)))?;
    if is_alone {
        eprintln!("  a script in the page does as well as a person");
    }
    drop(looking);
    Ok(Prepared { input, how, recording })
}

/// Puts all actions of a file into a copy of a page.
///
/// # Errors
/// If something cannot be read or written.
pub(crate) fn put(input: Input, file: &Path, how: &How) -> Result<Input> {
    let mut recording = forms::open(file)?;
    make_relative(&mut recording);
    let input = copied(input, how)?;
    let page = page_in(&input, how);
    let place = || page.display().to_string();
    let text = fs::read(&page).with_context(place)?;
    let played = script::with(&String::from_utf8_lossy(&text), &recording.actions);
    fs::write(&page, played).with_context(place)?;
    Ok(input)
}

/// Writes beside a result what is left of the actions, and a page that plays them by itself.
///
/// # Errors
/// If a file cannot be written or no browser starts.
pub(crate) fn finish(
    mut recording: Recording,
    how: &How,
    result: &Path,
    conditions: &Conditions,
) -> Result<()> {
    let text = fs::read(result).with_context(|| result.display().to_string())?;
    let mut page = String::from_utf8_lossy(&text).into_owned();
    if script::of_page(&text).is_empty() {
        return Ok(());
    }
    let place = Place::new(None, conditions, how)?;
    let input = Input { path: result.to_owned(), index: None, har: how.har.clone() };
    let looking = Looking { place, input: &input, page: result, conditions, how };
    if how.page.is_none() && page.as_bytes() == text {
        let renamed = looking.renamed(&page)?;
        if renamed != page && looking.fails(&renamed) {
            page = renamed;
        }
        looking.write(&page)?;
    }
    let actions = script::of_page(page.as_bytes());
    let path = beside(result, &format!("actions.{}", recording.form.suffix()));
    recording.actions = actions.clone();
    fs::write(&path, forms::write(&recording)).with_context(|| path.display().to_string())?;
    eprintln!("  the actions: {}", path.display());
    let path = beside(result, "alone.html");
    for manner in Manner::ALL {
        let Some(text) = alone::page(&page, &actions, manner) else { continue };
        fs::write(&path, text).with_context(|| path.display().to_string())?;
        if fails(&looking.place, &path, conditions, how) {
            eprintln!("  a page that plays them by itself: {}", path.display());
            return Ok(());
        }
        fs::remove_file(&path).with_context(|| path.display().to_string())?;
    }
    eprintln!("  no script in the page does what a person does here");
    Ok(())
}
/// Returns the recording beside a result that an earlier run has written; else one in the form of
/// the Recorder.
///
/// # Errors
/// If it cannot be read.
pub(crate) fn recorded(result: &Path, how: &How) -> Result<Recording> {
    for form in Form::ALL {
        let path = beside(result, &format!("actions.{}", form.suffix()));
        if path.exists() {
            return forms::open(&path);
        }
    }
    let size = Some([how.size.0, how.size.1]);
    Ok(Recording { size, ..Recording::new(Form::Recorder, Vec::new()) })
}

/// Returns the path of a file that goes with a result.
fn beside(result: &Path, what: &str) -> PathBuf {
    let stem = result.file_stem().unwrap_or_default().to_string_lossy();
    result.with_file_name(format!("{stem}.{what}"))
}

/// What a page with actions is looked at for.
struct Looking<'a> {
    place: Place,
    input: &'a Input,
    page: &'a Path,
    conditions: &'a Conditions,
    how: &'a How,
}

impl Looking<'_> {
    fn write(&self, text: &str) -> Result<()> {
        fs::write(self.page, text).with_context(|| self.page.display().to_string())
    }

    fn fails(&self, text: &str) -> bool {
        self.write(text).is_ok() && fails(&self.place, &self.input.path, self.conditions, self.how)
    }

    /// Returns a page with the shortest selectors in its actions, where elements around what they
    /// are about have gone since they were written.
    fn renamed(&self, page: &str) -> Result<String> {
        let actions = script::of_page(page.as_bytes());
        let mut named = self.named(page, &actions)?;
        let mut text = page.to_owned();
        for (mut old, new) in actions.into_iter().zip(&mut named) {
            let (Some(old), Some(new)) = (old.target_mut(), new.target_mut()) else { continue };
            if new.first().len() < old.first().len() {
                text =
                    text.replace(&json!(old.first()).to_string(), &json!(new.first()).to_string());
            }
        }
        Ok(text)
    }

    /// Returns actions with the shortest selectors of their elements, as the page has them.
    fn named(&self, text: &str, actions: &[Action]) -> Result<Vec<Action>> {
        self.write(text)?;
        let mut all = actions.to_vec();
        let mut missing = Vec::new();
        let mut at = 0;
        let played = self.place.with_page(&self.input.path, self.how, |page| {
            page.load(self.how.wait)?;
            has_settled(page, 1)?;
            play_named(page, actions, |played| {
                match played {
                    Played::On(name, place) => {
                        if let Some(target) = all[at].target_mut() {
                            let was_place = target.first().starts_with("at/");
                            *target = Target::one(name);
                            if let Action::Point { at, .. } = &mut all[at]
                                && was_place
                            {
                                *at = Some(place.map(f64::round));
                            }
                        }
                    }
                    Played::Missing => missing.push(at),
                    Played::Yes => {}
                }
                at += 1;
            })
        });
        match played {
            // A tab that crashes or hangs may be the failure.
            Err(error) if error.downcast_ref::<Problem>().is_none() => return Err(error),
            _ => {}
        }
        if let Some(&first) = missing.first() {
            let first = script::write(&actions[first..=first]);
            eprintln!("  {} actions find no element, such as {}", missing.len(), first.trim_end());
        }
        Ok(all)
    }
}

fn fails(place: &Place, path: &Path, conditions: &Conditions, how: &How) -> bool {
    place.looks(path, conditions, how, how.looks).is_ok_and(|seen| seen == how.looks)
}

/// Says other pages as seen from the one on which the actions begin, which may be elsewhere now.
fn make_relative(recording: &mut Recording) {
    let Some(own) = &recording.address else { return };
    let page = own.split('#').next().unwrap_or_default();
    let around = page.rfind('/').map_or("", |end| &page[..=end]);
    for action in &mut recording.actions {
        let Action::Go { address } = action else { continue };
        let rest =
            address.strip_prefix(page).filter(|rest| rest.is_empty() || rest.starts_with('#'));
        let rest =
            rest.or_else(|| address.strip_prefix(around).filter(|_| !around.ends_with("://")));
        if let Some(rest) = rest.map(str::to_owned) {
            *address = rest;
        }
    }
}

/// Returns an action that takes half as long: each pause is waited for in every test that follows.
fn halved(action: &Action) -> Option<Action> {
    let half = |text: &str| {
        let letters = text.chars().count();
        (letters > 1).then(|| text.chars().take(letters / 2).collect::<String>())
    };
    match action {
        Action::Wait { time } if *time > SHORT_PAUSE => {
            Some(Action::Wait { time: (time / 2.0).round() })
        }
        Action::Type { text } => Some(Action::Type { text: half(text)? }),
        Action::Fill { target, text } => {
            Some(Action::Fill { target: target.clone(), text: half(text)? })
        }
        _ => None,
    }
}

/// Milliseconds that are not worth a test.
const SHORT_PAUSE: f64 = 100.0;

/// Returns actions in less and less simple forms: without pauses and in the middle of elements, and
/// as they were recorded.
fn forms_of(actions: &[Action]) -> Vec<Vec<Action>> {
    let in_middle = |action: &Action| match action {
        Action::Point { deed, target, .. } => {
            Action::Point { deed: *deed, target: target.clone(), at: None }
        }
        action => action.clone(),
    };
    let is_pause = |action: &&Action| matches!(action, Action::Wait { .. });
    let mut all: Vec<Vec<Action>> = vec![
        actions.iter().filter(|action| !is_pause(action)).map(in_middle).collect(),
        actions.iter().filter(|action| !is_pause(action)).cloned().collect(),
        actions.iter().map(in_middle).collect(),
        actions.to_vec(),
    ];
    all.dedup();
    all
}

/// Returns a page for actions beside the one that there is: a file, or a whole directory.
fn copied(input: Input, how: &How) -> Result<Input> {
    let name = |path: &Path| path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    if input.path.is_dir() {
        let copy = PathBuf::from(format!("{}.played", name(&input.path)));
        saved::copy(&input.path, &copy)?;
        saved::told(&input.path, &copy);
        return Ok(Input { path: copy, index: input.index.or(how.page.clone()), ..input });
    }
    let copy = input.path.with_file_name(format!("{}.played.html", name(&input.path)));
    fs::copy(&input.path, &copy).with_context(|| copy.display().to_string())?;
    saved::told(&input.path, &copy);
    Ok(Input { path: copy, ..input })
}

fn page_in(input: &Input, how: &How) -> PathBuf {
    let how = How { page: how.page.clone().or(input.index.clone()), ..how.clone() };
    judge::page_of(&input.path, &how)
}

#[cfg(test)]
mod tests {
    use super::{forms_of, halved, make_relative};
    use crate::actions::file::{Form, Recording};
    use crate::actions::script::{read, write};

    #[test]
    fn pages_are_said_as_seen_from_the_first() {
        for (address, expected) in [
            ("http://127.0.0.1/a/b.html", ""),
            ("http://127.0.0.1/a/b.html#c", "#c"),
            ("http://127.0.0.1/a/d.html", "d.html"),
            ("http://127.0.0.1/d.html", "http://127.0.0.1/d.html"),
        ] {
            let mut recording = Recording::new(Form::Script, read(&format!("go('{address}')")));
            recording.address = Some("http://127.0.0.1/a/b.html".to_owned());
            make_relative(&mut recording);
            assert_eq!(write(&recording.actions), format!("go(\"{expected}\");\n"));
        }
    }

    #[test]
    fn pauses_and_texts_are_halved() {
        let all = read("wait(900);wait(100);type('abcde');type('a');fill('b','cd');click('d')");
        let all: Vec<Vec<_>> = all.iter().map(|one| halved(one).into_iter().collect()).collect();
        let expected = ["wait(450);\n", "", "type(\"ab\");\n", "", "fill(\"b\",\"c\");\n", ""];
        assert!(all.iter().map(|half| write(half)).eq(expected));
    }

    #[test]
    fn simpler_forms_of_actions_come_first() {
        let all = forms_of(&read("click('a',1,2);wait(9);type('b')"));
        let all: Vec<String> = all.iter().map(|form| write(form).replace('\n', "")).collect();
        let expected = [
            "click(\"a\");type(\"b\");",
            "click(\"a\",1,2);type(\"b\");",
            "click(\"a\");wait(9);type(\"b\");",
            "click(\"a\",1,2);wait(9);type(\"b\");",
        ];
        assert_eq!(all, expected);
        assert_eq!(forms_of(&read("type('b')")).len(), 1);
    }
}
