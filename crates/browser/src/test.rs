//! A page as a test: looks at candidates in a browser.

use std::cell::RefCell;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use anyhow::{Context, Result};
use minirepro_program::{
    CancelToken, Consultation, Error, Evidence, Exhibit, Fingerprint, LanguageChoice, Observation,
    Oracle, OracleError, Outcome, Printed, Proposer, Reduction, ReproduceCommand, RunEvent, Said,
    Signature, Subject, Test, TestEnd, Tester,
};
use regex::bytes;

use crate::actions::script;
use crate::args::{PageArgs, WINDOW};
use crate::boxes;
use crate::connection::Problem;
use crate::judge::Look;
use crate::layout::Direction;
use crate::place::Place;
use crate::prepare::{self, renamed};
use crate::sight::Sight;
use crate::whole::{changed, doctype};

/// How often the failure must be seen, one look after the other,
const LOOKS: u32 = 2;
/// and of a result in a fresh browser.
const LOOKS_AT_RESULT: u32 = 3;

/// A test that looks at pages in a browser. Clones share the browsers, which start when they are
/// needed.
#[derive(Clone, Debug)]
pub struct PageTest {
    pub(crate) place: Arc<Place>,
}

impl PageTest {
    /// Makes a test of pages, or of directories with a page in them.
    ///
    /// # Errors
    /// If a file that the options name cannot be read.
    pub fn new(args: &PageArgs, is_directory: bool) -> Result<Self, OracleError> {
        let mut args = args.clone();
        let recording = prepare::recording(&args).map_err(unusable)?;
        if let Some(size) = recording.and_then(|recording| recording.size)
            && args.how.size == WINDOW
        {
            args.how.size.size = size;
        }
        Ok(Self { place: Arc::new(Place::new(&args, is_directory).map_err(unusable)?) })
    }

    /// Returns whether a page shows the failure, and always.
    pub(crate) fn fails(&self, path: &Path) -> bool {
        self.place.looks(path, &Look::default(), LOOKS).is_ok_and(|seen| seen == LOOKS)
    }
}

fn unusable(error: anyhow::Error) -> OracleError {
    OracleError::Unusable { message: format!("{error:#}") }
}

fn broken(error: anyhow::Error) -> Error {
    Error::TestBroken { error: unusable(error), reproduce: None }
}

impl Test for PageTest {
    fn prepare<'t>(&'t self, subject: &mut Subject<'_>) -> Result<Tester<'t>, Error> {
        let mut ready = Ready::of(self, subject.file);
        (subject.tell)(&RunEvent::Learning { limit: self.place.args.how.timeout });
        let look = Look { stop: Some(subject.stop), ..Look::default() };
        let seen = self.place.with_file(subject.file, subject.input, |path| {
            // What never ends is looked at often enough.
            let is_there = self.place.args.conditions.hangs.is_some()
                || self.place.looks(path, &look, 1)? == 1;
            is_there.then(|| Sight::of(&self.place, path, &look)).transpose()
        });
        let seen = match seen {
            // A page that is not there in time may be so at times only.
            Err(error) if error.downcast_ref::<Problem>().is_some() => None,
            seen => seen.map_err(broken)?,
        };
        let mut failure = String::new();
        if let Some(Sight { words, direction, browsers, .. }) = seen {
            let signature = Signature {
                kind: words,
                message: String::new(),
                frames: Vec::new(),
                place: None,
                end: browsers,
                crash: false,
            };
            let file = Some(subject.file);
            (subject.tell)(&RunEvent::FailureLearnt { file, signature: &signature });
            failure = signature.to_string();
            ready.direction = direction;
        }
        let name = subject.file.file_name().unwrap_or_default().to_owned();
        let words = self.command().into_iter();
        let reproduce = ReproduceCommand {
            words: words.map(|word| if word == "@@" { name.clone() } else { word }).collect(),
            candidate: Some((subject.file.to_owned(), name.clone())),
            workplace: None,
            is_test: true,
        };
        let facts = Fingerprint::from([
            ("the options of the page".to_owned(), self.place.args.words().join("\n")),
            ("the failure".to_owned(), failure),
        ]);
        let mut tester = Tester::new(ready, subject.limits);
        (tester.reproduce, tester.facts) = (Some(Box::new(reproduce)), facts);
        Ok(tester)
    }

    fn command(&self) -> Vec<OsString> {
        let begin = ["minirepro", "page", "@@"].map(OsString::from);
        begin.into_iter().chain(self.place.args.words().into_iter().map(Into::into)).collect()
    }

    fn seen(&self, exhibit: &Exhibit<'_>) -> Result<(TestEnd, Option<Signature>), Error> {
        let seen = Ready::of(self, exhibit.file).test(exhibit.text, exhibit.stop);
        let seen = seen.map_err(|error| Error::TestBroken { error, reproduce: None })?;
        Ok((seen.ending, None))
    }

    fn evidence(&self, exhibit: &Exhibit<'_>) -> Option<Evidence> {
        let look = Look { stop: Some(exhibit.stop), ..Look::default() };
        let seen = self.place.with_file(exhibit.file, exhibit.text, |path| {
            Sight::of(&self.place, path, &look)?.files(self.place.args.how.size.scale)
        });
        let printed = Printed { text: String::new(), ending: TestEnd::Exited(0) };
        Some(Evidence { printed, files: seen.ok()? })
    }

    fn looks_for(&self) -> String {
        self.place.args.words().join(" ")
    }

    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        prepare::whole(path, &self.place.args).map_err(io::Error::other)
    }

    /// Lets a page be read as browsers do, with its doctype; where places fail, the browser
    /// proposes sizes in place of what has them, and names of elements.
    fn adapt(&self, request: &mut Reduction<'_>) {
        if self.place.is_directory {
            return;
        }
        let has_language = request.settings.languages.by_name(LANGUAGE).is_ok();
        if matches!(request.language, LanguageChoice::Guess) && has_language {
            request.language = LanguageChoice::Named(LANGUAGE.to_owned());
        }
        let doctype = doctype(&request.input).and_then(|regex| bytes::Regex::new(regex).ok());
        request.scope.kept.extend(doctype);
        if self.place.args.conditions.is_layout() {
            request.proposers.push(Box::new(self.clone()));
        }
    }
}

/// What pages are called that a browser shows.
const LANGUAGE: &str = "page";

/// A test that knows the failure of its input.
struct Ready<'t> {
    test: &'t PageTest,
    direction: Option<Direction>,
    name: PathBuf,
    /// Whether candidates are results.
    is_result: AtomicBool,
}

impl<'t> Ready<'t> {
    fn of(test: &'t PageTest, file: &Path) -> Self {
        let is_result = AtomicBool::new(false);
        Self { test, direction: None, name: file.to_owned(), is_result }
    }

    /// Returns whether a candidate shows the failure each time that it is looked at: what is seen
    /// only once counts for nothing, and is told.
    fn shows(
        &self,
        candidate: &[u8],
        said: Option<&RefCell<String>>,
        stop: &CancelToken,
    ) -> Result<bool> {
        let look = Look { direction: self.direction, said, stop: Some(stop) };
        let place = &self.test.place;
        let apart = || Place::new(&place.args, place.is_directory);
        let seen = |place: &Place, most| {
            place.with_file(&self.name, candidate, |path| place.looks(path, &look, most))
        };
        if self.is_result.load(Ordering::Relaxed) {
            return Ok(seen(&apart()?, LOOKS_AT_RESULT)? == LOOKS_AT_RESULT);
        }
        let times = seen(place, LOOKS)?;
        if 0 < times && times < LOOKS {
            look.say(&format!("the failure was seen {times} times, and then not"));
        }
        // Several tests at a time share what their browser says.
        let crash = place.args.conditions.crash.as_ref();
        let is_doubtful = crash.is_some_and(|said| !said.as_str().is_empty());
        Ok(times == LOOKS && (!is_doubtful || seen(&apart()?, 1)? == 1))
    }
}

impl Oracle for Ready<'_> {
    fn test(&self, candidate: &[u8], stop: &CancelToken) -> Result<Observation, OracleError> {
        let start = Instant::now();
        let unresolved = (Outcome::Unresolved, TestEnd::Exited(125));
        let (outcome, ending) = match self.shows(candidate, None, stop) {
            Ok(true) => (Outcome::Fail, TestEnd::Exited(0)),
            Ok(false) => (Outcome::Pass, TestEnd::Exited(1)),
            Err(error) => match error.downcast_ref() {
                Some(Problem::Stopped) => (Outcome::Unresolved, TestEnd::Stopped),
                Some(Problem::Late | Problem::Gone) => unresolved,
                Some(Problem::Crash) | None => return Err(unusable(error)),
            },
        };
        Ok(Observation { outcome, ending, time: start.elapsed() })
    }

    fn explain(&self, candidate: &[u8], stop: &CancelToken) -> String {
        let said = RefCell::default();
        if let Err(error) = self.shows(candidate, Some(&said), stop) {
            return format!("{error:#}\n");
        }
        said.into_inner()
    }

    fn begin_confirmation(&self) {
        self.is_result.store(true, Ordering::Relaxed);
    }
}

impl Proposer for PageTest {
    fn name(&self) -> String {
        "the browser".to_owned()
    }

    fn consult(&mut self, consultation: &Consultation, stop: &CancelToken) -> Option<Said> {
        let Ok(text) = std::str::from_utf8(&consultation.text) else {
            return Some(Said::Candidates(Vec::new()));
        };
        let look = Look { stop: Some(stop), ..Look::default() };
        let proposed = self.place.with_file(Path::new("page.html"), text.as_bytes(), |path| {
            let boxed = boxes::boxed(&self.place, path, &look, text, boxes::WORTH)?.into_iter();
            let mut all: Vec<_> = boxed.map(|(_, edits)| changed(text, edits.into())).collect();
            let actions = script::of_page(text.as_bytes());
            if !actions.is_empty() {
                std::fs::write(path, text)?;
                all.extend(renamed(self, path, text, &actions)?);
            }
            Ok(all)
        });
        if stop.is_set() {
            return None;
        }
        // A page that cannot be measured has no sizes.
        let texts = proposed.unwrap_or_default();
        Some(Said::Candidates(texts.iter().map(|text| text.as_bytes().into()).collect()))
    }
}

/// What one look at a page has shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// As a script would end: 0 if the page shows the failure, 1 if not, 125 if that is not clear,
    /// 126 if the page cannot be tested.
    pub code: u8,
    /// Why, in lines.
    pub said: String,
}

/// Looks at a page in browsers that start for it alone; also writes a picture of it, if that is
/// wanted.
pub fn look(page: &Path, args: &PageArgs, picture: Option<&Path>) -> Answer {
    let said = RefCell::default();
    let seen = (|| {
        let saved = prepare::acted_on(page, args)?;
        let look = Look { said: Some(&said), ..Look::default() };
        let place = PageTest::new(&saved.args, false)?.place;
        if let Some(picture) = picture {
            let png = place.with_page(0, &saved.path, &look, |page| {
                page.show(2)?;
                page.screenshot()
            })?;
            std::fs::write(picture, png).with_context(|| picture.display().to_string())?;
            if !args.conditions.is_any() {
                return Ok(true);
            }
        }
        Ok(place.looks(&saved.path, &look, LOOKS)? == LOOKS)
    })();
    let code = match &seen {
        Ok(true) => 0,
        Ok(false) => 1,
        Err(error) => {
            let error: &anyhow::Error = error;
            said.borrow_mut().push_str(&format!("{error:#}\n"));
            match error.downcast_ref() {
                Some(Problem::Late | Problem::Gone) => 125,
                _ => 126,
            }
        }
    };
    Answer { code, said: said.into_inner() }
}
