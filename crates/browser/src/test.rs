//! A page as a test: looks at candidates in a browser.

use std::cell::RefCell;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use anyhow::{Context, Result};
use minirepro_program::{
    CancelToken, Consultation, Error, Evidence, Exhibit, Fingerprint, Limits, Observation, Oracle,
    OracleError, Outcome, Printed, Proposer, ReproduceCommand, RunEvent, Said, Signature, Subject,
    Test, TestEnd, Tester,
};

use crate::actions::script;
use crate::args::{Conditions, How, PageArgs};
use crate::boxes;
use crate::connection::Problem;
use crate::judge::{Look, settled};
use crate::place::Place;
use crate::prepare::renamed;
use crate::saved::Saved;
use crate::sight::Sight;

/// How often the failure must be seen, one look after the other,
const LOOKS: u32 = 2;
/// and of a result in a fresh browser.
const LOOKS_AT_RESULT: u32 = 3;

/// A test that looks at pages in a browser. Clones share the browsers, which start when they are
/// needed.
#[derive(Clone, Debug)]
pub struct PageTest {
    args: PageArgs,
    is_directory: bool,
    pub(crate) place: Arc<Place>,
}

impl PageTest {
    /// Makes a test of pages, or of directories with a page in them.
    ///
    /// # Errors
    /// If a file that the options name cannot be read.
    pub fn new(args: &PageArgs, is_directory: bool) -> Result<Self, OracleError> {
        let place = Place::new(&args.options.conditions, &args.options.how);
        let place = Arc::new(place.map_err(unusable)?);
        Ok(Self { args: args.clone(), is_directory, place })
    }

    /// Returns a command that does the same, with `@@` for the page.
    pub fn command(&self) -> Vec<String> {
        let begin = ["minirepro", "page", "@@"].map(str::to_owned);
        begin.into_iter().chain(self.args.words.iter().cloned()).collect()
    }

    /// Returns what proposes sizes in place of what has them, and names of elements, if that is of
    /// any use.
    pub fn proposer(&self) -> Option<Box<dyn Proposer>> {
        let has_places = self.args.options.conditions.is_layout() && !self.is_directory;
        has_places.then(|| Box::new(self.clone()) as _)
    }

    /// Looks at a result and returns what there is to see.
    ///
    /// # Errors
    /// If it cannot be looked at.
    pub fn evidence(&self, exhibit: &Exhibit<'_>) -> Result<Evidence, Error> {
        let look = Look { stop: Some(exhibit.stop), ..self.look() };
        let seen = self.with_file(exhibit.file, exhibit.text, |path| {
            Sight::of(&self.place, path, &look)?.files(self.args.options.how.size.scale)
        });
        let files = seen.map_err(|error| broken(unusable(error)))?;
        let printed = Printed { text: String::new(), ending: TestEnd::Exited(0) };
        Ok(Evidence { printed, files })
    }

    pub(crate) fn conditions(&self) -> &Conditions {
        &self.args.options.conditions
    }

    pub(crate) fn how(&self) -> &How {
        &self.args.options.how
    }

    pub(crate) fn look(&self) -> Look<'_> {
        Look::new(self.conditions(), self.how())
    }

    /// Returns whether a page shows the failure, and always.
    pub(crate) fn fails(&self, path: &Path) -> bool {
        self.place.looks(path, &self.look(), LOOKS).is_ok_and(|seen| seen == LOOKS)
    }

    pub(crate) fn with_file<T>(
        &self,
        name: &Path,
        candidate: &[u8],
        look: impl FnMut(&Path) -> Result<T>,
    ) -> Result<T> {
        self.place.with_file(name, candidate, self.is_directory, look)
    }
}

fn unusable(error: anyhow::Error) -> OracleError {
    OracleError::Unusable { message: format!("{error:#}") }
}

fn broken(error: OracleError) -> Error {
    Error::TestBroken { error, reproduce: None }
}

impl Test for PageTest {
    fn prepare<'t>(&'t self, subject: &mut Subject<'_>) -> Result<Box<dyn Tester + 't>, Error> {
        let mut ready = Ready {
            test: self,
            conditions: self.conditions().clone(),
            name: subject.file.to_owned(),
            limits: subject.limits,
            failure: String::new(),
            is_result: AtomicBool::new(false),
        };
        (subject.tell)(&RunEvent::Learning { limit: self.how().timeout });
        let look = Look { stop: Some(subject.stop), ..self.look() };
        let seen = self.with_file(subject.file, subject.input, |path| {
            // What never ends is looked at often enough.
            let is_there =
                look.conditions.hangs.is_some() || self.place.looks(path, &look, 1)? == 1;
            is_there.then(|| Sight::of(&self.place, path, &look)).transpose()
        });
        let seen = match seen {
            // A page that is not there in time may be so at times only.
            Err(error) if error.downcast_ref::<Problem>().is_some() => None,
            seen => seen.map_err(|error| broken(unusable(error)))?,
        };
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
            ready.failure = signature.to_string();
            ready.conditions.direction = direction;
        }
        Ok(Box::new(ready))
    }
}

/// A test that knows the failure of its input.
struct Ready<'t> {
    test: &'t PageTest,
    /// With the direction of that failure.
    conditions: Conditions,
    name: PathBuf,
    limits: Limits,
    failure: String,
    /// Whether candidates are results.
    is_result: AtomicBool,
}

impl Ready<'_> {
    /// Returns whether a candidate shows the failure each time that it is looked at: what is seen
    /// only once counts for nothing, and is told.
    fn shows(
        &self,
        candidate: &[u8],
        said: Option<&RefCell<String>>,
        stop: &CancelToken,
    ) -> Result<bool> {
        let how = self.test.how();
        let look = Look { conditions: &self.conditions, how, said, stop: Some(stop) };
        let is_result = self.is_result.load(Ordering::Relaxed);
        let apart = || Place::new(&self.conditions, how);
        let is_directory = self.test.is_directory;
        let seen = |place: &Place, most| {
            place.with_file(&self.name, candidate, is_directory, |path| {
                place.looks(path, &look, most)
            })
        };
        if is_result {
            return Ok(seen(&apart()?, LOOKS_AT_RESULT)? == LOOKS_AT_RESULT);
        }
        let times = seen(&self.test.place, LOOKS)?;
        if let (true, Some(said)) = (0 < times && times < LOOKS, said) {
            said.borrow_mut()
                .push_str(&format!("the failure was seen {times} times, and then not\n"));
        }
        // Several tests at a time share what their browser says.
        let is_doubtful =
            self.conditions.crash.as_ref().is_some_and(|said| !said.as_str().is_empty());
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
}

impl Tester for Ready<'_> {
    fn limits(&self) -> Limits {
        self.limits
    }

    fn set_limits(&mut self, limits: Limits) {
        self.limits = limits;
    }

    fn begin_confirmation(&self) {
        self.is_result.store(true, Ordering::Relaxed);
    }

    fn reproduce_command(&self) -> Option<Box<ReproduceCommand>> {
        let name = self.name.file_name().unwrap_or_default().to_owned();
        let word = |word: String| match &word[..] {
            "@@" => name.clone(),
            _ => OsString::from(word),
        };
        Some(Box::new(ReproduceCommand {
            words: self.test.command().into_iter().map(word).collect(),
            candidate: Some((self.name.clone(), name.clone())),
            workplace: None,
            is_test: true,
        }))
    }

    fn fingerprint(&self) -> Fingerprint {
        let words = self.test.args.words.join("\n");
        Fingerprint::from([
            ("the options of the page".to_owned(), words),
            ("the failure".to_owned(), self.failure.clone()),
        ])
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
        let look = Look { stop: Some(stop), ..self.look() };
        let proposed = self.with_file(Path::new("page.html"), text.as_bytes(), |path| {
            let mut all = boxes::candidates(&self.place, path, &look, text)?;
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
        let saved = Saved::copy(page, &args.options.how)?;
        let look = Look { said: Some(&said), ..Look::new(&args.options.conditions, &saved.how) };
        let place = Place::new(look.conditions, look.how)?;
        if let Some(picture) = picture {
            let png = place.with_page(0, &saved.path, &look, |page| {
                settled(page, 2)?;
                page.screenshot()
            })?;
            std::fs::write(picture, png).with_context(|| picture.display().to_string())?;
            if !look.conditions.is_any() {
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
