//! Scripts as tests.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use minirepro_runner::{
    CancelToken, Companion, DescribedTest, Digest, Fingerprint, Limits, Listened, Observation,
    Oracle, OracleError, OtherCrash, OtherCrashes, Script as ScriptOracle, Signature, TestEnd,
    Wish, Workplace, can_overhear, programs_of, words_of_script,
};
use minirepro_workers::Answer;

use crate::error::{Error, ReproduceCommand};
use crate::fingerprint;
use crate::observer::RunEvent;
use crate::tester::command::fails;
use crate::tester::subject::{Subject, Test, Tester, Trial, Tried};

/// A script that says by its exit code whether a candidate shows the failure: 0 if it does, 125 if
/// nothing can be said, another one if it does not.
///
/// It runs in a fresh directory that holds the candidate under the input's own name, gets this name
/// as its argument and the candidate as its standard input.
#[derive(Clone, Debug)]
pub struct Script {
    /// The script or program.
    pub path: PathBuf,
    /// The exit code by which it marks candidates that do not show the failure but are worth
    /// keeping.
    pub also_interesting: Option<i32>,
    /// Where it runs, if that is within the candidate, which is a directory. Then it gets the names
    /// of the files there.
    pub workplace: Option<Workplace>,
}

impl Script {
    /// Makes a test of the script in this file.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), also_interesting: None, workplace: None }
    }

    /// Runs it within the candidate, which is a directory.
    #[must_use]
    pub fn within(self, workplace: Workplace) -> Self {
        Self { workplace: Some(workplace), ..self }
    }

    /// Keeps candidates for which the script ends with this exit code, beside the result: they do
    /// not show the failure, but something else that is worth a look.
    #[must_use]
    pub fn also_interesting(mut self, code: Option<i32>) -> Self {
        self.also_interesting = code;
        self
    }
}

impl Script {
    pub(crate) fn oracle(&self, file: &Path, limits: Limits) -> Result<ScriptOracle, Error> {
        ScriptOracle::new(&self.path, file, self.workplace.as_ref(), limits).map_err(Error::Script)
    }
}

impl Test for Script {
    fn prepare<'t>(&'t self, subject: &mut Subject<'_>) -> Result<Box<dyn Tester + 't>, Error> {
        let mut oracle = self.oracle(subject.file, subject.limits)?;
        let companions = subject.companions.clone();
        oracle.provide(&companions)?;
        if !companions.is_empty() {
            let event = RunEvent::CompanionsProvided { companions: &companions, elsewhere: &[] };
            (subject.tell)(&event);
        }
        let is_provided =
            |path: &Path| companions.iter().any(|added| path.starts_with(&added.path));
        let beside = subject.named.beside.iter().filter(|named| !is_provided(&named.path));
        let left_behind = beside
            .map(|named| named.source.clone())
            .chain(subject.named.elsewhere.iter().cloned())
            .collect();
        let name = subject.file.file_name().unwrap_or_default().to_owned();
        let path = std::path::absolute(&self.path).unwrap_or_else(|_| self.path.clone());
        let reproduce = ReproduceCommand {
            words: [&[path.into_os_string()], oracle.arguments()].concat(),
            candidate: Some((subject.file.to_owned(), name)),
            workplace: self.workplace.clone(),
            is_test: true,
        };
        let marked = match (&subject.finds, self.also_interesting) {
            (Some(place), Some(code)) => {
                Some(Marked { code, found: OtherCrashes::new(place, subject.file) })
            }
            _ => None,
        };
        Ok(Box::new(Ready { script: self, oracle, reproduce, companions, left_behind, marked }))
    }

    fn check(&self) -> Result<(), Error> {
        ScriptOracle::check(&self.path).map_err(Error::Script)
    }

    fn file(&self) -> Option<&Path> {
        Some(&self.path)
    }

    fn workplace(&self) -> Option<&Workplace> {
        self.workplace.as_ref()
    }

    fn words(&self) -> Vec<OsString> {
        let text = fs::read(&self.path).unwrap_or_default();
        words_of_script(&text).map(|word| OsStr::from_bytes(word).to_owned()).collect()
    }

    fn programs(&self) -> Vec<OsString> {
        programs_of(std::slice::from_ref(&self.path), &[])
    }

    fn can_listen(&self) -> bool {
        can_overhear()
    }

    fn trial<'t>(&'t self, trial: &Trial<'t>) -> Result<Option<Tried<'t>>, Error> {
        let Trial { original, companions, limits, stop } = *trial;
        let mut oracle = self.oracle(&original.root, limits)?;
        oracle.provide(companions)?;
        // What is wrong is said when the whole is tested.
        let Ok(Some(opened)) = oracle.opened_of(original, stop) else { return Ok(None) };
        Ok(Some(Tried { opened, fails: Box::new(move |archive| fails(&oracle, archive, stop)) }))
    }
}

struct Ready<'t> {
    script: &'t Script,
    oracle: ScriptOracle,
    reproduce: ReproduceCommand,
    companions: Vec<Companion>,
    left_behind: Vec<PathBuf>,
    marked: Option<Marked>,
}

/// Candidates that the script marks.
struct Marked {
    /// The exit code that marks one.
    code: i32,
    found: OtherCrashes,
}

impl Marked {
    /// Keeps a candidate if the end of its test marks it.
    fn look_at(&self, candidate: &[u8], ending: TestEnd) {
        if ending != TestEnd::Exited(self.code) {
            return;
        }
        let digest = Digest::of(candidate);
        let signature = Signature {
            kind: "marked".to_owned(),
            message: format!("by the test, {}", &digest.as_str()[..8]),
            frames: Vec::new(),
            place: None,
            end: format!("exit code {}", self.code),
            crash: false,
        };
        // The search goes on without it.
        let _ = self.found.keep(&signature, candidate);
    }
}

impl Oracle for Ready<'_> {
    fn test(&self, candidate: &[u8], stop: &CancelToken) -> Result<Observation, OracleError> {
        let seen = self.oracle.test(candidate, stop)?;
        if let Some(marked) = &self.marked {
            marked.look_at(candidate, seen.ending);
        }
        Ok(seen)
    }

    fn inner(&self) -> Option<&dyn Oracle> {
        Some(&self.oracle)
    }
}

impl Tester for Ready<'_> {
    fn limits(&self) -> Limits {
        self.oracle.limits()
    }

    fn set_limits(&mut self, limits: Limits) {
        self.oracle.set_limits(limits);
    }

    fn begin_confirmation(&self) {
        self.oracle.begin_confirmation();
    }

    fn listen(
        &self,
        candidate: &[u8],
        wish: Option<Wish>,
        stop: &CancelToken,
    ) -> Option<Result<Listened, OracleError>> {
        can_overhear().then(|| self.oracle.listen(candidate, wish, stop))
    }

    fn can_listen(&self) -> bool {
        can_overhear()
    }

    fn mended(&self) -> Vec<PathBuf> {
        self.oracle.mended()
    }

    fn reproduce_command(&self) -> Option<Box<ReproduceCommand>> {
        Some(Box::new(self.reproduce.clone()))
    }

    fn fingerprint(&self) -> Fingerprint {
        let text = fs::read(&self.script.path).unwrap_or_default();
        let mut facts = fingerprint::of_companions(&self.companions);
        facts.extend(Fingerprint::from([
            ("the test script".to_owned(), Digest::of(&text).as_str().to_owned()),
            ("a program of the test".to_owned(), fingerprint::of_programs(words_of_script(&text))),
        ]));
        facts.extend(fingerprint::of_workplace(self.script.workplace.as_ref()));
        facts
    }

    fn is_script(&self) -> bool {
        true
    }

    fn ended(&self, candidate: &[u8], stop: &CancelToken) -> Option<(TestEnd, String)> {
        self.oracle.seen(candidate, stop).ok()
    }

    fn describe(&self) -> io::Result<Option<DescribedTest>> {
        self.oracle.describe().map(Some)
    }

    fn hear(&self, candidate: &[u8], answer: &Answer) {
        if let Some(marked) = &self.marked {
            marked.look_at(candidate, answer.end);
        }
    }

    fn finds(&self) -> Vec<(Signature, OtherCrash)> {
        self.marked.as_ref().map_or_else(Vec::new, |marked| marked.found.all())
    }

    fn recall_finds(&self) {
        if let Some(marked) = &self.marked {
            marked.found.recall();
        }
    }

    fn files_left_behind(&self) -> Vec<PathBuf> {
        self.left_behind.clone()
    }
}
