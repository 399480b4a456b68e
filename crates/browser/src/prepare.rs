//! Makes a page ready to be reduced: puts into it what it loads, and what a person does on it, with
//! the shortest selectors and without what the failure can do without; then lengths and empty boxes
//! in place of what they are measured by and what fills them.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use minirepro_program::sources;
use minirepro_search::shrink;
use serde_json::json;

use crate::actions::element::Found;
use crate::actions::forms::{self, Recording};
use crate::actions::{Action, Kind, alone, script};
use crate::args::PageArgs;
use crate::connection::Problem;
use crate::har::Served;
use crate::judge::Look;
use crate::play::play;
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
pub fn suspects(page: &Path, args: &PageArgs) -> Result<Vec<Suspect>> {
    let saved = acted_on(page, args)?;
    sight::suspects(&saved.path, &saved.args)
}

/// Copies a page, with what is done on it.
///
/// # Errors
/// If something cannot be read or written.
pub(crate) fn acted_on(page: &Path, args: &PageArgs) -> Result<Saved> {
    let saved = Saved::copy(page, args)?;
    if let Some(recording) = recording(args)? {
        fs::write(saved.page(), script::with(&text_of(&saved.page())?, &recording.actions))?;
    }
    Ok(saved)
}

/// Returns a page as one text: with what is done on it, and all that it loads from files.
///
/// # Errors
/// If something cannot be read, or is no page but a part of one.
pub(crate) fn whole(page: &Path, args: &PageArgs) -> Result<Vec<u8>> {
    const PARTS: &str = " avif css gif har ico jpeg jpg js json mjs otf png txt webp woff woff2 ";
    if let Some(suffix) = page.extension().and_then(OsStr::to_str)
        && PARTS.contains(&format!(" {suffix} "))
    {
        bail!("{} is no page", page.display());
    }
    let saved = acted_on(page, args)?;
    let form = forms(&saved, &[Resources::Same])?.pop();
    form.map_or_else(|| Ok(fs::read(saved.page())?), |form| Ok(form.into_bytes()))
}

/// Makes a page ready to be reduced. Of one that `is_known`, only its test is wanted. `say` gets
/// what the user should know.
///
/// # Errors
/// If something cannot be read, or the failure is not there when the actions are played.
pub fn prepare(
    page: &Path,
    args: &PageArgs,
    is_known: bool,
    say: &mut dyn FnMut(&str),
) -> Result<Prepared> {
    let saved = Saved::copy(page, args)?;
    let mut recording = recording(args)?;
    let is_directory = saved.path.is_dir();
    let test = PageTest::new(&saved.args, is_directory)?;
    // Where nothing is loaded from elsewhere, the page alone is shown in the same way.
    let has_place = is_directory || saved.args.how.har.is_some();
    let mut alone = test.clone();
    if has_place {
        let mut args = test.place.args.clone();
        args.how.har = None;
        alone = PageTest::new(&args, false)?;
    }
    if let Some(recording) = &mut recording {
        let text = match is_known {
            true => script::with(&text_of(&saved.page())?, &recording.actions),
            false => played(&saved, &test, recording, say)?,
        };
        fs::write(saved.page(), text)?;
    }
    let (mut is_directory, mut is_text) = (is_directory, !has_place);
    let (name, mut input, test) = match put_in(&saved, &alone)? {
        Some(text) => {
            say(&format!("what {} loads is put into it", saved.name.display()));
            let name = match is_directory {
                true if page.is_dir() => page.with_extension("html"),
                true => page.to_owned(),
                false => saved.name.clone(),
            };
            (is_directory, is_text) = (false, true);
            (name, text.into_bytes(), alone)
        }
        None if is_directory => (saved.name.clone(), sources::directory(&saved.path)?, test),
        None => (saved.name.clone(), fs::read(saved.page())?, test),
    };
    if is_text && !is_known {
        input = measured(&input, &test, say)?.map_or(input, String::into_bytes);
    }
    Ok(Prepared { name, input, is_directory, test, recording })
}

fn text_of(page: &Path) -> Result<String> {
    let text = fs::read(page).with_context(|| page.display().to_string())?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}

/// Returns what is done on a page, if something is.
///
/// # Errors
/// If it cannot be read.
pub(crate) fn recording(args: &PageArgs) -> Result<Option<Recording>> {
    let mut recording = args.how.actions.as_deref().map(forms::open).transpose()?;
    recording.iter_mut().for_each(make_relative);
    Ok(recording)
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
    let original = script::without(&text_of(&saved.page())?);
    let page = saved.page();
    let fails = |text: &str| fs::write(&page, text).is_ok() && test.fails(&saved.path);
    let shows = |actions: &[Action]| fails(&script::with(&original, actions));
    fs::write(&page, &original)?;
    let (all, missing) = named(test, &saved.path, &recording.actions)?;
    if let Some(&first) = missing.first() {
        let first = script::write(&recording.actions[first..=first]);
        say(&format!("{} actions find no element, such as {}", missing.len(), first.trim_end()));
    }
    // Each pause is waited for in every test that follows.
    let mut form = all.clone();
    form.retain(|action| action.kind != Kind::Wait);
    if !shows(&form) {
        form.clone_from(&all);
        if !shows(&form) {
            bail!("the failure is not there when the actions were played");
        }
    }
    let mut tests = 0;
    let mut shows = |some: &[Action]| {
        tests += 1;
        shows(some)
    };
    let mut needed = shrink(&form, &mut shows);
    for at in 0..needed.len() {
        while let Some(simple) = simpler(&needed[at]) {
            let whole = std::mem::replace(&mut needed[at], simple);
            if !shows(&needed) {
                needed[at] = whole;
                break;
            }
        }
    }
    say(&format!("{} of {} actions are needed ({tests} tests)", needed.len(), all.len()));
    recording.actions = needed;
    let actions = &recording.actions;
    let chosen = alone::pages(&original, actions).into_iter().find(|page| fails(page));
    if chosen.is_some() {
        say("a script in the page does as well as a person");
    }
    Ok(chosen.unwrap_or_else(|| script::with(&original, actions)))
}

/// Returns the page with all that it loads from files beside it, if it still fails so: with the
/// least pictures with which it does.
fn put_in(saved: &Saved, alone: &PageTest) -> Result<Option<String>> {
    for form in forms(saved, &[Resources::Least, Resources::Sized, Resources::Same])? {
        if alone.place.with_file(&saved.page(), form.as_bytes(), |path| Ok(alone.fails(path)))? {
            return Ok(Some(form));
        }
    }
    Ok(None)
}

/// Returns the page in these forms, each with all that it loads from files beside it: those that
/// are not as it is now, nor as the one before.
fn forms(saved: &Saved, all: &[Resources]) -> Result<Vec<String>> {
    let served = saved.args.how.har.as_deref().map(Served::read).transpose()?;
    let (origin, at) = served.as_ref().map(|served| parts(&served.document)).unzip();
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
    for &resources in all {
        let form = Site { read: &read, resources, origin }.page(&within);
        forms.extend(form.filter(|form| original.as_deref() != Some(form.as_bytes())));
    }
    forms.dedup();
    Ok(forms)
}

/// Gives lengths of a page in pixels, and puts empty boxes in place of what fills its elements, if
/// that is of any use and the page still fails so.
fn measured(input: &[u8], test: &PageTest, say: &mut dyn FnMut(&str)) -> Result<Option<String>> {
    let Ok(text) = std::str::from_utf8(input) else { return Ok(None) };
    if !test.place.args.conditions.is_layout() {
        return Ok(None);
    }
    test.place.with_file(Path::new("page.html"), input, |path| {
        let fails = |text: &str| fs::write(path, text).is_ok() && test.fails(path);
        // Without what lies beside it, the page may be another one.
        if !test.fails(path) {
            return Ok(None);
        }
        let apart = path.with_file_name("measured.html");
        let lengths = lengths::put(&test.place, &apart, text, &fails)?;
        let boxed = boxes::put(&test.place, &apart, &lengths, &fails)?;
        if boxed == text {
            return Ok(None);
        }
        say(&format!(
            "lengths and empty boxes take the place of what has them: {} of {} bytes are left",
            boxed.len(),
            text.len()
        ));
        Ok(Some(boxed))
    })
}

impl Prepared {
    /// Writes beside a result what is left of the actions, and with `wpt` a web-platform test.
    /// `say` gets what was written.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub fn finish(&self, result: &Path, wpt: bool, say: &mut dyn FnMut(&str)) -> Result<()> {
        let page = crate::place::page_of(result);
        let text = text_of(&page)?;
        let actions = script::of_page(text.as_bytes());
        if let Some(recording) = self.recording.as_ref().filter(|_| !actions.is_empty()) {
            let (suffix, written) = recording.written(&actions);
            let path = write(&page, &format!("actions.{suffix}"), &written)?;
            say(&format!("the actions: {path}"));
        }
        match wpt::test(&text, &self.test.place.args.conditions).filter(|_| wpt) {
            Some((suffix, text)) => {
                say(&format!("web-platform test: {}", write(&page, suffix, &text)?));
            }
            None if wpt => say("no web-platform test can check this"),
            None => {}
        }
        Ok(())
    }
}

/// Writes a file that goes with a result, and returns its path.
fn write(result: &Path, suffix: &str, text: &str) -> Result<String> {
    let stem = result.file_stem().unwrap_or_default().to_string_lossy();
    let path = result.with_file_name(format!("{stem}.{suffix}"));
    fs::write(&path, text).with_context(|| path.display().to_string())?;
    Ok(path.display().to_string())
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
    let (named, _) = named(test, path, actions)?;
    let mut new_text = text.to_owned();
    for (old, new) in actions.iter().zip(&named) {
        let (Some(old), Some(new)) = (old.target.first(), new.target.first()) else { continue };
        if new.len() < old.len() {
            new_text = new_text.replace(&json!(old).to_string(), &json!(new).to_string());
        }
    }
    Ok((new_text != text).then_some(new_text))
}

/// Returns actions with the shortest selectors of their elements, as the page has them, and the
/// numbers of those that find no element.
fn named(test: &PageTest, path: &Path, actions: &[Action]) -> Result<(Vec<Action>, Vec<usize>)> {
    let (mut all, mut missing) = (actions.to_vec(), Vec::new());
    let mut rest = all.iter_mut().enumerate();
    let played = test.place.with_page(0, path, &Look::default(), |page| {
        page.load()?;
        page.settle(1)?;
        let mut says = |found: Option<Found>| {
            let Some((at, action)) = rest.next() else { return };
            let Some(target) = action.target.first() else { return };
            match found.and_then(|found| Some((found.name?, found.from_corner))) {
                Some((name, from_corner)) => {
                    if action.kind.is_of_pointer() && target.starts_with("at/") {
                        action.numbers = from_corner.map(f64::round).to_vec();
                    }
                    action.target = vec![name];
                }
                None => missing.push(at),
            }
        };
        play(page, actions, Some(&mut says))
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
    for action in recording.actions.iter_mut().filter(|action| action.kind == Kind::Go) {
        let rest = action.text.strip_prefix(page);
        let rest = rest.filter(|rest| rest.is_empty() || rest.starts_with('#'));
        let beside = action.text.strip_prefix(around).filter(|_| !around.ends_with("://"));
        if let Some(rest) = rest.or(beside) {
            action.text = rest.to_owned();
        }
    }
}

/// Returns an action that is done in the middle of its element, or takes half as long.
fn simpler(action: &Action) -> Option<Action> {
    let mut simple = action.clone();
    let letters = action.text.chars().count();
    match (action.kind, simple.numbers.first_mut()) {
        (Kind::Wait, Some(time)) if *time > SHORT_PAUSE => *time = (*time / 2.0).round(),
        (Kind::Type | Kind::Fill, _) if letters > 1 => {
            simple.text = action.text.chars().take(letters / 2).collect();
        }
        (kind, Some(_)) if kind.is_of_pointer() => simple.numbers.clear(),
        _ => return None,
    }
    Some(simple)
}

/// Milliseconds that are not worth a test.
const SHORT_PAUSE: f64 = 100.0;

#[cfg(test)]
mod tests {
    use super::{make_relative, parts, simpler};
    use crate::actions::forms::Recording;
    use crate::actions::script::{read, write};

    #[test]
    fn pages_are_said_as_seen_from_the_first() {
        for (address, expected) in [
            ("http://127.0.0.1/a/b.html", ""),
            ("http://127.0.0.1/a/b.html#c", "#c"),
            ("http://127.0.0.1/a/d.html", "d.html"),
            ("http://127.0.0.1/d.html", "http://127.0.0.1/d.html"),
        ] {
            let mut recording = Recording {
                title: None,
                address: Some("http://127.0.0.1/a/b.html".to_owned()),
                size: None,
                actions: read(&format!("go('{address}')")),
                left_out: Vec::new(),
            };
            make_relative(&mut recording);
            assert_eq!(write(&recording.actions), format!("go(\"{expected}\");\n"));
        }
    }

    #[test]
    fn actions_become_simpler() {
        let all = read("wait(900);wait(100);type('abcde');type('a');fill('b','cd');click('d',1,2)");
        let all: Vec<Vec<_>> = all.iter().map(|one| simpler(one).into_iter().collect()).collect();
        let expected =
            ["wait(450);\n", "", "type(\"ab\");\n", "", "fill(\"b\",\"c\");\n", "click(\"d\");\n"];
        assert!(all.iter().map(|simple| write(simple)).eq(expected));
    }

    #[test]
    fn an_address_is_a_server_and_a_path() {
        assert_eq!(parts("http://a.test:8/b/c?d#e"), ("http://a.test:8", "b/c"));
        assert_eq!(parts("http://a.test"), ("http://a.test", ""));
    }
}
