//! The interface between a run and its test.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

use minirepro_runner::{
    CancelToken, Companion, DescribedTest, Fingerprint, Limits, Listened, Oracle, OracleError,
    Original, OtherCrash, Signature, TestEnd, Wish, Workplace,
};
use minirepro_workers::Answer;

use crate::error::{Error, ReproduceCommand};
use crate::observer::RunEvent;
use crate::sources::NamedFiles;

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
    pub tell: &'a mut dyn FnMut(&RunEvent<'_>),
}

/// Something that says whether a candidate shows the failure.
///
/// A closure from `&[u8]` to `bool`, or to [`Outcome`](crate::Outcome), is a test.
pub trait Test {
    /// Gets ready to test candidates.
    ///
    /// # Errors
    /// If no test can be run, or the input shows no failure to look for.
    fn prepare<'t>(&'t self, subject: &mut Subject<'_>) -> Result<Box<dyn Tester + 't>, Error>;

    /// Checks what can be checked without running anything.
    ///
    /// # Errors
    /// If the test cannot be used.
    fn check(&self) -> Result<(), Error> {
        Ok(())
    }

    /// Returns where it runs, if that is within the candidate.
    fn workplace(&self) -> Option<&Workplace> {
        None
    }

    /// Runs it on a copy of a directory and returns what it opens there, if the system tells, and
    /// if it fails there.
    ///
    /// # Errors
    /// If it cannot be run.
    fn trial<'t>(&'t self, _: &Trial<'t>) -> Result<Option<Tried<'t>>, Error> {
        Ok(None)
    }

    /// Returns the words of its command, or of its script, in which nothing is understood.
    fn words(&self) -> Vec<OsString> {
        Vec::new()
    }

    /// Returns the names of the programs that it may run.
    fn programs(&self) -> Vec<OsString> {
        Vec::new()
    }

    /// Returns whether its programs can be overheard.
    fn can_listen(&self) -> bool {
        false
    }

    /// Returns a file that belongs to the test, which no result may overwrite.
    fn file(&self) -> Option<&Path> {
        None
    }
}

/// What a test is tried on before anybody reads it.
#[derive(Clone, Copy, Debug)]
pub struct Trial<'a> {
    /// The directory.
    pub original: &'a Original,
    /// What stands beside candidates.
    pub companions: &'a [Companion],
    /// What a test may use.
    pub limits: Limits,
    /// A request to end the run.
    pub stop: &'a CancelToken,
}

/// Says whether an archive shows the same failure.
pub type Fails<'t> = Box<dyn Fn(&[u8]) -> bool + 't>;

/// What a test did on a copy of a directory.
pub struct Tried<'t> {
    /// The files that it opened.
    pub opened: BTreeSet<PathBuf>,
    /// Says whether an archive shows the same failure.
    pub fails: Fails<'t>,
}

/// A test that is ready to be asked about candidates.
pub trait Tester: Oracle {
    /// Returns what a test may use.
    fn limits(&self) -> Limits;

    /// Changes what a test may use.
    fn set_limits(&mut self, limits: Limits);

    /// Tells all tests from now on that their candidate is a result.
    fn begin_confirmation(&self) {}

    /// Returns whether it is a script that decides by itself what the failure is.
    fn is_script(&self) -> bool {
        false
    }

    /// Runs it once and returns how it ended, and what it said by which that is told from other
    /// ends; `None` if it is no program.
    fn ended(&self, _candidate: &[u8], _stop: &CancelToken) -> Option<(TestEnd, String)> {
        None
    }

    /// Runs it on a candidate, and returns what its programs say as well; `None` if they cannot be
    /// overheard.
    fn listen(
        &self,
        _candidate: &[u8],
        _wish: Option<Wish>,
        _stop: &CancelToken,
    ) -> Option<Result<Listened, OracleError>> {
        None
    }

    /// Returns whether its programs can be overheard.
    fn can_listen(&self) -> bool {
        false
    }

    /// Returns the heavy directories whose private copies tests have damaged so far.
    fn mended(&self) -> Vec<PathBuf> {
        Vec::new()
    }

    /// Returns the commands that do the same by hand, if there are any.
    fn reproduce_command(&self) -> Option<Box<ReproduceCommand>> {
        None
    }

    /// Returns the files that the input names, that lie beside it, and that tests do not find.
    fn files_left_behind(&self) -> Vec<PathBuf> {
        Vec::new()
    }

    /// Returns what decides the answers besides limits and the candidate.
    fn fingerprint(&self) -> Fingerprint {
        Fingerprint::new()
    }

    /// Describes it for agents on other machines; `None` if it can only be run in this process.
    ///
    /// # Errors
    /// If a file of the test cannot be read.
    fn describe(&self) -> io::Result<Option<DescribedTest>> {
        Ok(None)
    }

    /// Takes note of what a test on another machine showed besides its outcome.
    fn hear(&self, _candidate: &[u8], _answer: &Answer) {}

    /// Returns how often guards were run so far.
    fn guard_runs(&self) -> u64 {
        0
    }

    /// Returns other failures that were met.
    fn finds(&self) -> Vec<(Signature, OtherCrash)> {
        Vec::new()
    }

    /// Counts other failures as met that an earlier part of the same run has met.
    fn recall_finds(&self) {}
}
