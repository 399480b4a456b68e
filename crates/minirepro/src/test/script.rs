//! Scripts as tests.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use minirepro_runner::{
    CancelToken, Companion, Digest, Fingerprint, Limits, Observation, Oracle, OracleError,
    Script as ScriptOracle,
};

use crate::error::{Error, ReproduceCommand};
use crate::fingerprint;
use crate::observer::RunEvent;
use crate::test::subject::{Subject, Test, Tester};

/// A script that says by its exit code whether a candidate shows the failure: 0 if it does, 125 if
/// nothing can be said, another one if it does not.
///
/// It runs in a fresh directory that holds the candidate under the input's own name, gets this name
/// as its argument and the candidate as its standard input.
#[derive(Clone, Debug)]
pub struct Script {
    /// The script or program.
    pub path: PathBuf,
}

impl Script {
    /// Makes a test of the script in this file.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into() }
    }
}

impl Test for Script {
    fn prepare<'t>(&'t self, subject: &mut Subject<'_>) -> Result<Box<dyn Tester + 't>, Error> {
        let mut oracle =
            ScriptOracle::new(&self.path, subject.file, subject.limits).map_err(Error::Script)?;
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
            words: vec![path.into_os_string(), oracle.argument()],
            candidate: Some((subject.file.to_owned(), name)),
            is_test: true,
        };
        Ok(Box::new(Ready { script: self, oracle, reproduce, companions, left_behind }))
    }

    fn check(&self) -> Result<(), Error> {
        ScriptOracle::check(&self.path).map_err(Error::Script)
    }

    fn file(&self) -> Option<&Path> {
        Some(&self.path)
    }
}

struct Ready<'t> {
    script: &'t Script,
    oracle: ScriptOracle,
    reproduce: ReproduceCommand,
    companions: Vec<Companion>,
    left_behind: Vec<PathBuf>,
}

impl Oracle for Ready<'_> {
    fn test(&self, candidate: &[u8], stop: &CancelToken) -> Result<Observation, OracleError> {
        self.oracle.test(candidate, stop)
    }

    fn prepare(&self, candidates: &[Arc<[u8]>]) {
        self.oracle.prepare(candidates);
    }

    fn explain(&self, candidate: &[u8], stop: &CancelToken) -> String {
        self.oracle.explain(candidate, stop)
    }
}

impl Tester for Ready<'_> {
    fn limits(&self) -> Limits {
        self.oracle.limits()
    }

    fn set_limits(&mut self, limits: Limits) {
        self.oracle.set_limits(limits);
    }

    fn reproduce_command(&self) -> Option<Box<ReproduceCommand>> {
        Some(Box::new(self.reproduce.clone()))
    }

    fn fingerprint(&self) -> Fingerprint {
        let text = fs::read(&self.script.path).unwrap_or_default();
        let mut facts = fingerprint::of_companions(&self.companions);
        facts.extend(Fingerprint::from([
            ("the test script".to_owned(), Digest::of(&text).as_str().to_owned()),
            (
                "a program of the test".to_owned(),
                fingerprint::of_programs(fingerprint::words_of_script(&text)),
            ),
        ]));
        facts
    }

    fn files_left_behind(&self) -> Vec<PathBuf> {
        self.left_behind.clone()
    }

    fn is_limited_by_groups(&self) -> bool {
        self.oracle.is_limited_by_groups()
    }
}
