//! Makes a page ready to be reduced: puts into it what it loads, and what a person does on it, with
//! the shortest selectors and without what the failure can do without; then lengths and empty boxes
//! in place of what they are measured by and what fills them.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use minirepro_program::sources;
use minirepro_search::shrink;
use serde_json::json;

use crate::actions::alone::{self, Manner};
use crate::actions::file::Recording;
use crate::actions::{Action, Target, forms, script};
use crate::args::PageArgs;
use crate::connection::Problem;
use crate::har::Served;
use crate::judge::has_settled;
use crate::page::Window;
use crate::play::{Played, play_named};
use crate::saved::Saved;
use crate::sight::{self, Suspect};
use crate::test::PageTest;
use crate::whole::{Resources, Site};
use crate::{boxes, lengths, wpt};

/// A page that is ready to be reduced.
#[derive(Debug)]
pub struct Prepared {
    /// What candidates are called: the file, or the directory.
    pub name: PathBuf,
    /// The page, or the packed directory with it.
    pub input: Vec<u8>,
    /// Whether it is a directory.
    pub is_directory: bool,
    /// Its test.
    pub test: PageTest,
    recording: Option<Recording>,
}

/// Lists what could be the failure of a page, on which actions were done if some are given.
///
/// # Errors
/// If it cannot be looked at.
pub fn suspects(page: &Path, args: &PageArgs, actions: Option<&Path>) -> Result<Vec<Suspect>> {
    let saved = Saved::copy(page, &args.options.how)?;
    if let Some(recording) = actions.map(read).transpose()? {
        let text = text_of(&saved)?;
        fs::write(saved.page(), script::with(&text, &recording.actions))?;
    }
    sight::suspects(&saved.path, &saved.how)
}

/// Makes a page ready to be reduced. Of one that `is_known`, only its test is wanted. `say` gets
/// what the user should know.
///
/// # Errors
/// If something cannot be read, or the failure is not there when the actions are played.
pub fn prepare(
    page: &Path,
    args: &PageArgs,
    actions: Option<&Path>,
    is_known: bool,
    say: &mut dyn FnMut(&str),
) -> Result<Prepared> {
    let mut saved = Saved::copy(page, &args.options.how)?;
    let mut recording = actions.map(read).transpose()?;
    if let Some(size) = recording.as_ref().and_then(|recording| recording.size)
        && !args.words.iter().any(|word| word.starts_with("--size="))
    {
        saved.how.size.size = (size[0], size[1]);
    }
    let is_directory = saved.path.is_dir();
    let test = PageTest::new(&with_place(args, &saved, true), is_directory)?;
    // Where nothing is loaded from elsewhere, the page alone is shown in the same way.
    let has_place = is_directory || saved.how.har.is_some();
    let alone = match has_place {
        true => PageTest::new(&with_place(args, &saved, false), false)?,
        false => test.clone(),
    };
    if let Some(recording) = &mut recording {
        let text = match is_known {
            true => script::with(&text_of(&saved)?, &recording.actions),
            false => played(&saved, &test, recording, say)?,
        };
        fs::write(saved.page(), text)?;
    }
    let whole = put_in(&saved, &alone)?;
    let is_alone = whole.is_some();
    let is_text = is_alone || !has_place;
    let (input, test) = match (whole, is_text) {
        (Some(text), _) => (text.into_bytes(), alone),
        (None, true) => (fs::read(saved.page())?, test),
        (None, false) if is_directory => (sources::directory(&saved.path)?, test),
        (None, false) => (fs::read(saved.page())?, test),
    };
    if is_alone {
        say(&format!("what {} loads is put into it", saved.name.display()));
    }
    let input = match is_text && !is_known {
        true => measured(input, &test, say)?,
        false => input,
    };
    let is_directory = is_directory && !is_alone;
    let name = match saved.path.is_dir() && is_alone {
        true => page_name(page, &saved),
        false => saved.name,
    };
    Ok(Prepared { name, input, is_directory, test, recording })
}

/// Returns what a page is called that was a directory.
fn page_name(page: &Path, saved: &Saved) -> PathBuf {
    match page.is_dir() {
        true => page.with_extension("html"),
        false => page.with_file_name(saved.page().file_name().unwrap_or_default()),
    }
}

fn text_of(saved: &Saved) -> Result<String> {
    let page = saved.page();
    let text = fs::read(&page).with_context(|| page.display().to_string())?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}

fn read(file: &Path) -> Result<Recording> {
    let mut recording = forms::open(file)?;
    make_relative(&mut recording);
    Ok(recording)
}

/// Returns the options for a page with its place, or for what was put into one file.
fn with_place(args: &PageArgs, saved: &Saved, has_place: bool) -> PageArgs {
    let mut args = args.clone();
    let how = &mut args.options.how;
    let mut words = Vec::new();
    if saved.how.size != how.size {
        let Window { size: (width, height), scale } = saved.how.size;
        words.push(format!("--size={width}x{height}@{scale}"));
    }
    *how = saved.how.clone();
    if !has_place {
        how.har = None;
    }
    args.words.retain(|word| !word.starts_with("--har="));
    let har = how.har.iter().map(|har| format!("--har={}", har.display()));
    args.words.extend(words.into_iter().chain(har));
    args
}

/// Returns a page with those actions in it that its failure needs; leaves them in the recording.
fn played(
    saved: &Saved,
    test: &PageTest,
    recording: &mut Recording,
    say: &mut dyn FnMut(&str),
) -> Result<String> {
    for left_out in &recording.left_out {
        say(&format!("not understood, and left out: {left_out}"));
    }
    let original = script::without(&text_of(saved)?);
    let page = saved.page();
    let fails = |text: &str| fs::write(&page, text).is_ok() && test.fails(&saved.path);
    let shows = |actions: &[Action]| fails(&script::with(&original, actions));
    fs::write(&page, &original)?;
    let (all, missing) = named(test, &saved.path, &recording.actions)?;
    if let Some(&first) = missing.first() {
        let first = script::write(&recording.actions[first..=first]);
        say(&format!("{} actions find no element, such as {}", missing.len(), first.trim_end()));
    }
    let Some(form) = forms_of(&all).into_iter().find(|form| shows(form)) else {
        bail!("the failure is not there when the actions were played");
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
    say(&format!("{} of {} actions are needed ({tests} tests)", needed.len(), all.len()));
    recording.actions = needed;
    let actions = &recording.actions;
    let own = Manner::ALL.iter().filter_map(|&manner| alone::page(&original, actions, manner));
    let chosen = own.into_iter().find(|page| fails(page));
    if chosen.is_some() {
        say("a script in the page does as well as a person");
    }
    Ok(chosen.unwrap_or_else(|| script::with(&original, actions)))
}

/// Returns the page with all that it loads from files beside it, if it still fails so: with the
/// least pictures with which it does.
fn put_in(saved: &Saved, alone: &PageTest) -> Result<Option<String>> {
    let served = saved.how.har.as_deref().map(Served::read).transpose()?;
    let address = served.as_ref().and_then(Served::document);
    let (origin, at) = address.map(parts).unzip();
    let page = saved.page();
    let root = if saved.path.is_dir() { &saved.path } else { saved.path.parent().unwrap_or(&page) };
    let within = match at {
        Some(at) => PathBuf::from(at),
        None => page.strip_prefix(root).unwrap_or(&page).to_owned(),
    };
    let read = |path: &Path| match (&served, origin) {
        // The page has changed since it was recorded.
        (Some(_), _) if path == within => fs::read(&page).ok(),
        (Some(served), Some(origin)) => {
            served.bytes(&format!("{origin}/{}", path.to_string_lossy()))
        }
        _ => fs::read(root.join(path)).ok(),
    };
    let original = read(&within);
    let mut forms: Vec<String> = Vec::new();
    for resources in [Resources::Least, Resources::Sized, Resources::Same] {
        let form = Site { read: &read, resources, origin }.page(&within);
        forms.extend(form.filter(|form| original.as_deref() != Some(form.as_bytes())));
    }
    forms.dedup();
    for form in forms {
        if alone.with_file(&page, form.as_bytes(), |path| Ok(alone.fails(path)))? {
            return Ok(Some(form));
        }
    }
    Ok(None)
}

/// Gives lengths of a page in pixels, and puts empty boxes in place of what fills its elements, if
/// that is of any use and the page still fails so.
fn measured(input: Vec<u8>, test: &PageTest, say: &mut dyn FnMut(&str)) -> Result<Vec<u8>> {
    let Some(text) =
        String::from_utf8(input.clone()).ok().filter(|_| test.conditions().is_layout())
    else {
        return Ok(input);
    };
    let boxed = test.with_file(Path::new("page.html"), &input, |path| {
        let fails = |text: &str| fs::write(path, text).is_ok() && test.fails(path);
        // Without what lies beside it, the page may be another one.
        if !test.fails(path) {
            return Ok(None);
        }
        let apart = path.with_file_name("measured.html");
        let lengths = lengths::put(&test.place, &apart, &test.look(), &text, &fails)?;
        boxes::put(&test.place, &apart, &test.look(), &lengths, &fails).map(Some)
    })?;
    match boxed.filter(|boxed| *boxed != text) {
        Some(boxed) => {
            say(&format!(
                "lengths and empty boxes take the place of what has them: {} of {} bytes are left",
                boxed.len(),
                text.len()
            ));
            Ok(boxed.into_bytes())
        }
        None => Ok(input),
    }
}

impl Prepared {
    /// Writes beside a result what is left of the actions, and a page that plays them by itself;
    /// with `wpt`, a web-platform test. `say` gets what was written.
    ///
    /// # Errors
    /// If a file cannot be written or no browser starts.
    pub fn finish(&self, result: &Path, wpt: bool, say: &mut dyn FnMut(&str)) -> Result<()> {
        let page =
            if self.is_directory { crate::place::page_of(result) } else { result.to_owned() };
        let text = fs::read(&page).with_context(|| page.display().to_string())?;
        let text = String::from_utf8_lossy(&text).into_owned();
        let actions = script::of_page(text.as_bytes());
        if let Some(recording) = self.recording.as_ref().filter(|_| !actions.is_empty()) {
            let path = beside(&page, &format!("actions.{}", recording.form.suffix()));
            let left = Recording { actions: actions.clone(), ..recording.clone() };
            write(&path, &forms::write(&left))?;
            say(&format!("the actions: {}", path.display()));
            let path = beside(&page, "alone.html");
            let pages = Manner::ALL.iter().filter_map(|&how| alone::page(&text, &actions, how));
            let mut playing = pages.filter(|alone| {
                let fails = |path: &Path| Ok(self.test.fails(path));
                self.test.place.with_file(&path, alone.as_bytes(), false, fails).unwrap_or(false)
            });
            match playing.next() {
                Some(alone) => {
                    write(&path, &alone)?;
                    say(&format!("a page that plays them by itself: {}", path.display()));
                }
                None => say("no script in the page does what a person does here"),
            }
        }
        if wpt {
            match wpt::test(&page, &text, self.test.conditions()) {
                Some((path, text)) => {
                    write(&path, &text)?;
                    say(&format!("web-platform test: {}", path.display()));
                }
                None => say("no web-platform test can check this"),
            }
        }
        Ok(())
    }
}

fn write(path: &Path, text: &str) -> Result<()> {
    fs::write(path, text).with_context(|| path.display().to_string())
}

/// Returns the path of a file that goes with a result.
fn beside(result: &Path, what: &str) -> PathBuf {
    let stem = result.file_stem().unwrap_or_default().to_string_lossy();
    result.with_file_name(format!("{stem}.{what}"))
}

/// Returns a page with shorter selectors in its actions, where elements around what they are about
/// have gone since they were written; `None` if there are none.
///
/// # Errors
/// If the page cannot be opened.
pub(crate) fn renamed(
    test: &PageTest,
    path: &Path,
    text: &str,
    actions: &[Action],
) -> Result<Option<String>> {
    let (mut named, _) = named(test, path, actions)?;
    let mut new_text = text.to_owned();
    for (mut old, new) in actions.iter().cloned().zip(&mut named) {
        let (Some(old), Some(new)) = (old.target_mut(), new.target_mut()) else { continue };
        if new.first().len() < old.first().len() {
            let [old, new] = [old.first(), new.first()].map(|name| json!(name).to_string());
            new_text = new_text.replace(&old, &new);
        }
    }
    Ok((new_text != text).then_some(new_text))
}

/// Returns actions with the shortest selectors of their elements, as the page has them, and the
/// numbers of those that find no element.
fn named(test: &PageTest, path: &Path, actions: &[Action]) -> Result<(Vec<Action>, Vec<usize>)> {
    let mut all = actions.to_vec();
    let mut missing = Vec::new();
    let mut at = 0;
    let played = test.place.with_page(0, path, &test.look(), |page| {
        page.load()?;
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
        Err(error) if error.downcast_ref::<Problem>().is_none() => Err(error),
        _ => Ok((all, missing)),
    }
}

/// Splits an address into that of the server and the path of the file there.
fn parts(address: &str) -> (&str, &str) {
    let server = address.find("://").map_or(0, |at| at + "://".len());
    let end = address[server..].find('/').map_or(address.len(), |at| server + at);
    let path = address[end..].trim_start_matches('/').split(['?', '#']).next().unwrap_or_default();
    (&address[..end], path)
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

#[cfg(test)]
mod tests {
    use super::{forms_of, halved, make_relative, parts};
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

    #[test]
    fn an_address_is_a_server_and_a_path() {
        assert_eq!(parts("http://a.test:8/b/c?d#e"), ("http://a.test:8", "b/c"));
        assert_eq!(parts("http://a.test"), ("http://a.test", ""));
    }
}
