//! The interface between a run and its test.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use minirepro_runner::system::{LIMIT, read_limited};
use minirepro_runner::{
    CancelToken, Companion, Fingerprint, Limits, Listened, Oracle, OracleError, OtherCrash,
    ProgramTest, Signature, TestEnd, TestSpec, Wish, can_overhear,
};

use crate::error::{Error, ReproduceCommand};
use crate::request::{Reduction, Settings};
use crate::run::context::Tell;
use crate::sources::{NamedFiles, companions};
use crate::tester::evidence::{Evidence, Exhibit};
use crate::tester::program::workplace;

/// What a test is prepared for.
pub struct Subject<'a> {
    /// The file or directory whose name and permissions candidates get.
    pub file: &'a Path,
    /// The candidate that shows the failure.
    pub input: &'a [u8],
    /// What the first tests may use.
    pub limits: Limits,
    /// The directory for inputs that show other failures, if they should be kept.
    pub finds: Option<PathBuf>,
    /// What the caller wants every test to find beside its candidate.
    pub companions: Vec<Companion>,
    /// The files that the input names, for tests that need them beside the candidate as well.
    pub named: NamedFiles,
    /// A request to end the run.
    pub stop: &'a CancelToken,
    /// Gets the events of the preparation.
    pub tell: Tell<'a>,
}

impl<'a> Subject<'a> {
    /// Finds what tests of an input need beside their candidates, whose language has this name.
    pub(crate) fn of(
        settings: &Settings<'_>,
        file: &'a Path,
        input: &'a [u8],
        language: Option<&str>,
        test: &dyn Test,
        stop: &'a CancelToken,
        tell: Tell<'a>,
    ) -> Self {
        let named = match file.is_dir() {
            true => NamedFiles::default(),
            false => companions::named_by(&settings.languages, file, input, language, stop),
        };
        let companions = companions::beside(&settings.companions, file, workplace(test));
        let limits = settings.limits.of_first_tests();
        Self { file, input, limits, finds: None, companions, named, stop, tell }
    }
}

/// Something that says whether a candidate shows the failure.
///
/// A closure from `&[u8]` to `bool`, or to [`Outcome`](crate::Outcome), is a test.
pub trait Test: Sync {
    /// Gets ready to test candidates.
    ///
    /// # Errors
    /// If no test can be run, or the input shows no failure to look for.
    fn prepare<'t>(&'t self, subject: &mut Subject<'_>) -> Result<Tester<'t>, Error>;

    /// Returns its description, if it runs a program.
    fn spec(&self) -> Option<&TestSpec> {
        None
    }

    /// Returns the command that does the same, with `@@` for the input; no word if there is none.
    fn command(&self) -> Vec<OsString> {
        Vec::new()
    }

    /// Runs it once on a text; returns how it ended, and how the text fails if that is known.
    ///
    /// # Errors
    /// If it cannot be run.
    fn seen(&self, _: &Exhibit<'_>) -> Result<(TestEnd, Option<Signature>), Error> {
        Ok((TestEnd::Exited(125), None))
    }

    /// Looks at a result, and returns what there is to see.
    fn evidence(&self, _: &Exhibit<'_>) -> Option<Evidence> {
        None
    }

    /// Returns what it looks for, which tells it from others that run no program.
    fn looks_for(&self) -> String {
        "accepted by the test".to_owned()
    }

    /// Reads an input as candidates are: as one text.
    ///
    /// # Errors
    /// If that is not possible.
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        read_limited(path, LIMIT).map_err(|error| about(path, &error))
    }

    /// Lets a reduction use what the test knows of its input.
    fn adapt(&self, _: &mut Reduction<'_>) {}
}

/// Says which path an error is about.
pub fn about(path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}

/// A test that is ready to be asked about candidates.
pub struct Tester<'t> {
    asked: Asked<'t>,
    /// What a test may use.
    pub limits: Limits,
    /// The commands that do the same by hand, if there are any.
    pub reproduce: Option<Box<ReproduceCommand>>,
    /// What decides the answers besides limits and the candidate.
    pub facts: Fingerprint,
    /// The files that the input names, that lie beside it, and that tests do not find.
    pub left_behind: Vec<PathBuf>,
    /// Whether its programs can be overheard.
    pub can_listen: bool,
}

enum Asked<'t> {
    Program(Box<ProgramTest>),
    Other(Box<dyn Oracle + 't>),
}

impl<'t> Tester<'t> {
    /// Makes one of which nothing is known but that it answers.
    pub fn new(oracle: impl Oracle + 't, limits: Limits) -> Self {
        Self::of(Asked::Other(Box::new(oracle)), limits)
    }

    /// Makes one that runs a program.
    pub(crate) fn of_program(test: ProgramTest, limits: Limits) -> Self {
        let can_listen = can_overhear();
        Self { can_listen, ..Self::of(Asked::Program(Box::new(test)), limits) }
    }

    fn of(asked: Asked<'t>, limits: Limits) -> Self {
        let (facts, left_behind) = (Fingerprint::new(), Vec::new());
        Self { asked, limits, reproduce: None, facts, left_behind, can_listen: false }
    }

    /// Returns the test itself.
    pub fn oracle(&self) -> &dyn Oracle {
        match &self.asked {
            Asked::Program(test) => &**test,
            Asked::Other(oracle) => &**oracle,
        }
    }

    /// Returns the program, if it is one.
    pub fn program(&self) -> Option<&ProgramTest> {
        match &self.asked {
            Asked::Program(test) => Some(test),
            Asked::Other(_) => None,
        }
    }

    /// Returns the script, if it is one, which decides by itself what the failure is.
    pub fn script(&self) -> Option<&ProgramTest> {
        self.program().filter(|test| test.is_script())
    }

    /// Changes how long a test may take.
    pub fn set_time(&mut self, time: Duration) {
        self.limits.time = time;
        if let Asked::Program(test) = &mut self.asked {
            test.set_time(time);
        }
    }

    /// Runs it on a candidate, and returns what its programs say as well; `None` if they cannot be
    /// overheard.
    pub fn listen(
        &self,
        candidate: &[u8],
        wish: Option<Wish>,
        stop: &CancelToken,
    ) -> Option<Result<Listened, OracleError>> {
        let program = self.program().filter(|_| self.can_listen)?;
        Some(program.listen(candidate, wish, stop))
    }

    /// Returns how often guards were run so far.
    pub fn guard_runs(&self) -> u64 {
        self.program().map_or(0, ProgramTest::guard_runs)
    }

    /// Returns other failures that were met.
    pub fn finds(&self) -> Vec<(Signature, OtherCrash)> {
        self.program().map_or_else(Vec::new, ProgramTest::finds)
    }
}
