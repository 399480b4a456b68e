//! Reduces a page: writes the test as a script beside the result, and runs minirepro with the
//! browsers that it needs. Must not know more of minirepro than its command line.

use std::ffi::{OsStr, OsString};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, bail};

use crate::args::{Conditions, How};
use crate::har::Served;
use crate::judge::Place;
use crate::prepare::{self, Prepared, prepare};
use crate::record::{quoted, unquoted};
use crate::saved::{self, Input};
use crate::session::Shared;
use crate::sessions;
use crate::whole::{self, Resources, Site};
use crate::{boxes, judge, lengths};

/// The first lines of scripts that this program may write again.
const OURS: &str = "#!/bin/sh\n# Written by minirepro-browser.\n";

/// The last words of such a script.
const END: &str = " -- \"$1\"\n";

/// What is added to the name of a result for that of its test.
const TEST: &str = ".test.sh";

/// How long a test may take in minirepro's eyes, in seconds: pages are limited by their own tests,
/// and the last ones start browsers.
const LIMIT: &str = "120";

/// The exit code of minirepro when there is a result.
const DONE: u8 = 0;

/// Its exit codes when it stopped early and what it had reached is on disk: the test cannot be run
/// any more, or somebody has interrupted it.
const STOPPED: [u8; 2] = [3, 130];

/// What minirepro calls pages that a browser shows.
const LANGUAGE: &str = "page";

/// What a reduction needs to know.
#[derive(Debug)]
pub(crate) struct Request<'a> {
    pub(crate) page: &'a Path,
    pub(crate) conditions: &'a Conditions,
    pub(crate) how: &'a How,
    /// What is done on the page.
    pub(crate) actions: Option<&'a Path>,
    /// Whether the doctype may go.
    pub(crate) quirks: bool,
    /// The words of conditions and of how the page is shown.
    pub(crate) words: Vec<String>,
    /// Options of minirepro.
    pub(crate) options: &'a [OsString],
}

/// What came of it.
#[derive(Debug)]
pub(crate) struct Reduced {
    pub(crate) code: ExitCode,
    pub(crate) is_done: bool,
    /// The page that is left.
    pub(crate) result: PathBuf,
}

/// Runs minirepro; its exit code is ours.
pub(crate) fn reduce(request: &Request<'_>) -> Result<Reduced> {
    let mut input = saved::input(request.page)?;
    let mut words = request.words.clone();
    let mut how = request.how.clone();
    let mut prepared = None;
    if let Some(file) = request.actions {
        let has_size = words.iter().any(|word| word.starts_with("--size="));
        let new = prepare(input, file, request.conditions, &how, has_size)?;
        input = new.input.clone();
        if new.how.size != how.size {
            words.push(format!("--size={}x{}", new.how.size.0, new.how.size.1));
            how = new.how.clone();
        }
        prepared = Some(new);
    }
    let request = &Request { how: &how, words: Vec::new(), ..*request };
    let whole = alone(&input, request)?;
    let is_alone = whole.is_some();
    let whole = match whole {
        Some(path) => boxed(&path, request)?.or(Some(path)),
        None if input.path.is_file() && input.har.is_none() && request.how.har.is_none() => {
            boxed(&input.path, request)?
        }
        None => None,
    };
    let Input { path, index, har } =
        whole.map_or(input, |path| Input { path, index: None, har: None });
    if path.is_file() {
        words.retain(|word| !word.starts_with("--page="));
    }
    if is_alone {
        words.retain(|word| !word.starts_with("--har="));
    }
    if let Some(index) = index.as_ref().filter(|_| request.how.page.is_none()) {
        words.push(format!("--page={}", index.display()));
    }
    if let Some(har) = har.filter(|_| request.how.har.is_none() && !is_alone) {
        words.push(format!("--har={}", std::path::absolute(har)?.display()));
    }
    let (output, has_output) = match output(request.options) {
        Some(output) => (output, true),
        None => (beside(&path), false),
    };
    let place = if output == Path::new("-") { beside(&path) } else { output.clone() };
    let script = with_suffix(&place, TEST);
    let was_there = script.exists();
    write_script(&script, &words)?;
    let own = std::env::current_exe()?;
    let mut command: Vec<OsString> = vec![minirepro(&own).into()];
    if !has_output {
        command.extend(["-o".into(), output.clone().into_os_string()]);
    }
    if !has_option(request.options, "--timeout") {
        command.extend(["--timeout".into(), LIMIT.into()]);
    }
    if path.is_file() && !has_option(request.options, "--lang") {
        command.extend(["--lang".into(), LANGUAGE.into()]);
    }
    let index = request.how.page.clone().or(index).filter(|_| path.is_dir());
    let page = index.as_ref().map_or_else(|| path.clone(), |index| path.join(index));
    let has_doctype = std::fs::read(page).is_ok_and(|text| whole::has_doctype(&text));
    if has_doctype && !request.quirks {
        command.extend(["--preserve".into(), whole::DOCTYPE_PATTERN.into()]);
    }
    if path.is_file() && request.conditions.is_layout() {
        command.extend(["--propose".into(), proposer(&own, &words).into()]);
    }
    command.extend(request.options.iter().cloned());
    command.extend([in_directory(&script), in_directory(&path)]);
    let browsers = judge::needed(request.conditions, request.how);
    let code = sessions::run(&browsers, &command)?;
    let is_done = code == DONE;
    // What was reached before the run was stopped is a result as well.
    let has_result = is_done || STOPPED.contains(&code) && output.exists();
    // A run that has not begun has no result, and nobody needs its test.
    if is_done || output.exists() {
        eprintln!("  the test: {}", script.display());
    } else if !was_there {
        std::fs::remove_file(&script).with_context(|| script.display().to_string())?;
    }
    let result = index.map_or_else(|| output.clone(), |index| output.join(index));
    if let Some(Prepared { how, recording, .. }) = prepared.filter(|_| has_result) {
        prepare::finish(recording, &how, &result, request.conditions)?;
    }
    Ok(Reduced { code: ExitCode::from(code), is_done, result })
}

/// Runs a command that goes on with a reduction, in the browsers that its test needs. Writes what
/// is made of the result.
///
/// # Errors
/// If no browser starts, or a file cannot be written.
pub(crate) fn resume(
    test: &Path,
    conditions: &Conditions,
    how: &How,
    command: &[OsString],
) -> Result<ExitCode> {
    let test = std::path::absolute(test)?;
    let code = sessions::run(&judge::needed(conditions, how), command)?;
    let result = test.to_string_lossy().strip_suffix(TEST).map(PathBuf::from);
    if let Some(result) = result.filter(|result| result.exists())
        && (code == DONE || STOPPED.contains(&code))
    {
        let page = judge::page_of(&result, how);
        prepare::finish(prepare::recorded(&page, how)?, how, &page, conditions)?;
    }
    Ok(ExitCode::from(code))
}

/// Returns the options in a test that `reduce` has written.
///
/// # Errors
/// If it cannot be read, or another program has written it.
pub(crate) fn words_of(test: &Path) -> Result<Vec<String>> {
    let place = || test.display().to_string();
    let text = std::fs::read_to_string(test).with_context(place)?;
    let command = text.strip_prefix(OURS).and_then(|rest| rest.strip_suffix(END));
    let words = command.map(unquoted).with_context(|| format!("{}: not ours", place()))?;
    let options = words.iter().position(|word| word == "--confirm").map_or(0, |at| at + 1);
    Ok(words[options..].to_vec())
}

/// Returns a file with all that the page loads from files beside it, if the page in it still fails:
/// with the least pictures with which it does.
fn alone(input: &Input, request: &Request<'_>) -> Result<Option<PathBuf>> {
    let index = request.how.page.as_ref().or(input.index.as_ref());
    let recorded = input.har.as_deref().or(request.how.har.as_deref());
    let served = recorded.map(Served::read).transpose()?;
    let address = served.as_ref().and_then(Served::document);
    let (origin, at) = address.map(parts).unzip();
    let (root, page) = match (input.path.is_dir(), index, input.path.file_name()) {
        _ if served.is_some() => (PathBuf::new(), PathBuf::from(at.unwrap_or_default())),
        (true, index, _) => {
            (input.path.clone(), index.map_or_else(|| "index.html".into(), Clone::clone))
        }
        (false, _, Some(name)) => (input.path.with_file_name(""), PathBuf::from(name)),
        (false, ..) => return Ok(None),
    };
    let read = |path: &Path| match (&served, origin) {
        // The page has changed since it was recorded.
        (Some(_), _) if path == page => std::fs::read(&input.path).ok(),
        (Some(served), Some(origin)) => {
            served.bytes(&format!("{origin}/{}", path.to_string_lossy()))
        }
        _ => std::fs::read(root.join(path)).ok(),
    };
    let original = read(&page);
    let mut forms: Vec<String> = Vec::new();
    for resources in [Resources::Least, Resources::Sized, Resources::Same] {
        let form = Site { read: &read, resources, origin }.page(&page);
        forms.extend(form.filter(|form| original.as_deref() != Some(form.as_bytes())));
    }
    forms.dedup();
    if forms.is_empty() {
        return Ok(None);
    }
    let how = How { page: None, har: None, ..request.how.clone() };
    let place = Place::new(None, request.conditions, &how)?;
    let directory = tempfile::tempdir()?;
    let stem = request.page.file_stem().unwrap_or(OsStr::new("page")).to_string_lossy();
    let file = directory.path().join(format!("{stem}.html"));
    for form in forms {
        std::fs::write(&file, &form)?;
        let seen = place.looks(&file, request.conditions, &how, how.looks);
        if seen.is_ok_and(|seen| seen == how.looks) {
            let path = PathBuf::from(format!("{stem}.alone.html"));
            saved::write(&path, form.as_bytes())?;
            saved::told(&input.path, &path);
            return Ok(Some(path));
        }
    }
    Ok(None)
}

/// Returns a file in which lengths are given in pixels, and empty boxes stand for what fills the
/// elements of a page, if the page still fails so.
fn boxed(path: &Path, request: &Request<'_>) -> Result<Option<PathBuf>> {
    let text = std::fs::read_to_string(path);
    let Some(text) = text.ok().filter(|_| request.conditions.is_layout()) else { return Ok(None) };
    let how = How { page: None, ..request.how.clone() };
    let shared = Shared::start(&judge::needed(request.conditions, &how))?;
    let place = Place::new(Some(shared.session()), request.conditions, &how)?;
    let directory = shared.scratch()?;
    let file = directory.path().join("page.html");
    let fails = |text: &str| {
        let seen = || {
            std::fs::write(&file, text).ok()?;
            place.looks(&file, request.conditions, &how, how.looks).ok()
        };
        seen() == Some(how.looks)
    };
    // Without what lies beside it, the page may be another one.
    if !fails(&text) {
        return Ok(None);
    }
    let measured = directory.path().join("measured.html");
    let lengths = lengths::put(&place, &measured, &how, &text, &fails)?;
    let boxes = boxes::put(&place, &measured, &how, &lengths, &fails)?;
    if boxes == text {
        return Ok(None);
    }
    let stem = stem(path);
    let new = PathBuf::from(format!("{stem}.boxes.html"));
    std::fs::write(&new, boxes).with_context(|| new.display().to_string())?;
    saved::told(path, &new);
    Ok(Some(new))
}

/// Returns the name of a page without its suffix, and without what its copies are called.
fn stem(path: &Path) -> String {
    let stem = path.file_stem().unwrap_or(OsStr::new("page")).to_string_lossy();
    let copies = [".boxes", ".alone", ".played"];
    let plain = copies.iter().fold(&*stem, |stem, copy| stem.strip_suffix(copy).unwrap_or(stem));
    plain.to_owned()
}

/// Splits an address into that of the server and the path of the file there.
fn parts(address: &str) -> (&str, &str) {
    let server = address.find("://").map_or(0, |at| at + "://".len());
    let end = address[server..].find('/').map_or(address.len(), |at| server + at);
    let path = address[end..].trim_start_matches('/').split(['?', '#']).next().unwrap_or_default();
    (&address[..end], path)
}

/// Returns the program: the one beside our own, or the one in the `PATH`.
fn minirepro(own: &Path) -> PathBuf {
    let beside = own.with_file_name("minirepro");
    if beside.is_file() { beside } else { "minirepro".into() }
}

/// Returns whether an option is given, with its value or before it.
fn has_option(options: &[OsString], name: &str) -> bool {
    let name = name.as_bytes();
    options.iter().any(|word| {
        word.as_encoded_bytes()
            .strip_prefix(name)
            .is_some_and(|rest| matches!(rest, [] | [b'=', ..]))
    })
}

/// Returns where the options say that the result goes.
fn output(options: &[OsString]) -> Option<PathBuf> {
    let mut words = options.iter();
    while let Some(word) = words.next() {
        let text = word.to_str().unwrap_or_default();
        if text == "-o" || text == "--output" {
            return words.next().map(PathBuf::from);
        }
        let attached = text.strip_prefix("--output=").or_else(|| {
            text.strip_prefix("-o").filter(|rest| !rest.is_empty() && !text.starts_with("--"))
        });
        if let Some(path) = attached {
            return Some(path.into());
        }
    }
    None
}

/// Returns the place of a result in the current directory: `.min` before the suffix.
fn beside(input: &Path) -> PathBuf {
    let stem = stem(input);
    match input.extension().filter(|_| !input.is_dir()) {
        Some(suffix) => format!("{stem}.min.{}", suffix.to_string_lossy()).into(),
        None => {
            let name = input.file_name().unwrap_or(OsStr::new("page")).to_string_lossy();
            format!("{}.min", name.strip_suffix(".played").unwrap_or(&name)).into()
        }
    }
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

/// Returns a path that no program takes for an option or looks for in the `PATH`.
fn in_directory(path: &Path) -> OsString {
    if path.is_absolute() { path.into() } else { Path::new(".").join(path).into_os_string() }
}

fn write_script(path: &Path, words: &[String]) -> Result<()> {
    let place = || path.display().to_string();
    if path.exists() && !std::fs::read_to_string(path).unwrap_or_default().starts_with(OURS) {
        bail!("{} is there already, and not ours", place());
    }
    std::fs::write(path, script(&std::env::current_exe()?, words)).with_context(place)?;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).with_context(place)
}

/// Returns the command that proposes boxes instead of what fills elements, shown as in tests.
fn proposer(program: &Path, words: &[String]) -> String {
    let shown = ["browser", "har", "size", "scale", "dark", "print", "online", "wait", "seed"];
    let is_shown = |word: &&String| {
        let name = word.trim_start_matches('-').split('=').next().unwrap_or_default();
        shown.contains(&name)
    };
    let words = words.iter().filter(is_shown).map(|word| quoted(word));
    let all = [quoted(&program.to_string_lossy()), "boxes".to_owned()].into_iter().chain(words);
    all.collect::<Vec<_>>().join(" ")
}

/// Returns the text of the test.
fn script(program: &Path, words: &[String]) -> String {
    let program = quoted(&program.to_string_lossy());
    let words: Vec<String> = words.iter().map(|word| quoted(word)).collect();
    format!("{OURS}exec {program} test --confirm {}{END}", words.join(" "))
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;
    use std::path::{Path, PathBuf};

    use super::{beside, output, parts, script, words_of};

    #[test]
    fn the_place_of_the_result_is_found_among_options() {
        for (line, expected) in [
            ("-q -o a.html -j 2", Some("a.html")),
            ("-oa.html", Some("a.html")),
            ("--output=b/c", Some("b/c")),
            ("--only x", None),
        ] {
            let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
            assert_eq!(output(&words), expected.map(PathBuf::from), "{line}");
        }
        assert_eq!(beside(Path::new("d/a.html")), Path::new("a.min.html"));
        assert_eq!(beside(Path::new("d/site")), Path::new("site.min"));
        assert_eq!(beside(Path::new("d/a.played.html")), Path::new("a.min.html"));
    }

    #[test]
    fn an_address_is_a_server_and_a_path() {
        assert_eq!(parts("http://a.test:8/b/c?d#e"), ("http://a.test:8", "b/c"));
        assert_eq!(parts("http://a.test"), ("http://a.test", ""));
    }

    #[test]
    fn the_test_is_a_script_that_anybody_can_run() {
        let text = script(Path::new("/b/minirepro-browser"), &["--holds=a < 'b'".to_owned()]);
        let last = r#"exec /b/minirepro-browser test --confirm '--holds=a < '\''b'\''' -- "$1""#;
        assert_eq!(text.lines().last(), Some(last));
    }

    #[test]
    fn the_test_tells_its_options() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("a.html.test.sh");
        let words = ["--holds=a <\n'b'", "--browser=firefox"].map(str::to_owned);
        std::fs::write(&path, script(Path::new("/b c/minirepro-browser"), &words)).unwrap();
        assert_eq!(words_of(&path).unwrap(), words);
        std::fs::write(&path, "#!/bin/sh\n").unwrap();
        assert!(words_of(&path).is_err());
    }
}
