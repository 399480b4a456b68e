//! Scripts and commands as tests.

use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use minirepro_runner::{
    CommandError, Companion, Digest, Failure, Fingerprint, Limits, OtherCrashes, Program,
    ProgramTest, Signature, TestEnd, TestSpec, Workplace, words_of_script,
};

use crate::compilers::with_absolute_header_paths;
use crate::error::{BadRequest, Error, ReproduceCommand};
use crate::fingerprint;
use crate::observer::RunEvent;
use crate::sources::NamedFiles;
use crate::tester::evidence::{Evidence, Exhibit, evidence, seen_on};
use crate::tester::subject::{Subject, Test, Tester};

impl Test for TestSpec {
    fn prepare<'t>(&'t self, subject: &mut Subject<'_>) -> Result<Tester<'t>, Error> {
        let mut test = ready(self, subject.file, subject.limits)?;
        let NamedFiles { beside, elsewhere } = &subject.named;
        let mut companions = subject.companions.clone();
        let (mut file, mut missing, mut left_behind) = (Some(subject.file), &[][..], Vec::new());
        let mut finds = subject.finds.as_ref();
        match &self.program {
            Program::Script { also_interesting, .. } => {
                finds = finds.filter(|_| also_interesting.is_some());
                let is_provided =
                    |path: &Path| companions.iter().any(|added| path.starts_with(&added.path));
                let beside = beside.iter().filter(|named| !is_provided(&named.path));
                let beside = beside.map(|named| &named.source);
                left_behind = beside.chain(elsewhere).cloned().collect();
            }
            Program::Command(_) => {
                companions = with_named(companions, &subject.named);
                missing = elsewhere;
            }
            Program::Line(_) if !self.guards.is_empty() => {
                return Err(BadRequest::GuardWithoutFile.into());
            }
            Program::Line(_) => {
                file = None;
                companions.clear();
            }
        }
        if let Some(place) = finds {
            test.keep_finds(OtherCrashes::new(place, subject.file));
        }
        test.provide(&companions)?;
        if !(companions.is_empty() && missing.is_empty()) {
            (subject.tell)(&RunEvent::CompanionsProvided {
                companions: &companions,
                elsewhere: missing,
            });
        }
        let reproduce = by_hand(&test, file);
        let learnt = know_failure(&mut test, subject).map_err(|error| match error {
            CommandError::Stopped => Error::Interrupted,
            error => Error::Command { error, reproduce: reproduce.clone() },
        })?;
        if let Some(signature) = &learnt {
            (subject.tell)(&RunEvent::FailureLearnt { file, signature });
        }
        let facts = facts(&test, &companions);
        let mut tester = Tester::of_program(test, subject.limits);
        (tester.reproduce, tester.facts, tester.left_behind) = (reproduce, facts, left_behind);
        Ok(tester)
    }

    fn spec(&self) -> Option<&TestSpec> {
        Some(self)
    }

    fn command(&self) -> Vec<OsString> {
        match self.file() {
            Some(script) => vec![script.into(), "@@".into()],
            None => self.words().to_vec(),
        }
    }

    fn seen(&self, exhibit: &Exhibit<'_>) -> Result<(TestEnd, Option<Signature>), Error> {
        seen_on(self, exhibit)
    }

    fn evidence(&self, exhibit: &Exhibit<'_>) -> Option<Evidence> {
        evidence(self, exhibit).ok()
    }
}

/// Gets ready to run a test on candidates that are called like this file.
pub(crate) fn ready(spec: &TestSpec, file: &Path, limits: Limits) -> Result<ProgramTest, Error> {
    spec.check().map_err(Error::Script)?;
    let mut spec = spec.clone();
    if let Program::Command(words) = &mut spec.program {
        let is_own = |path: &Path| match &spec.workplace {
            Some(workplace) => workplace.own(path).is_some(),
            None => path.starts_with(file),
        };
        *words = with_absolute_header_paths(words, &is_own);
    }
    Ok(ProgramTest::new(spec, file, limits)?)
}

/// Returns where a test runs, if that is within the candidate.
pub(crate) fn workplace(test: &dyn Test) -> Option<&Workplace> {
    test.spec()?.workplace.as_ref()
}

/// Adds the files that an input names to those that the caller wants beside it, which go first.
pub(crate) fn with_named(mut companions: Vec<Companion>, named: &NamedFiles) -> Vec<Companion> {
    for named in &named.beside {
        if !companions.iter().any(|added| added.path == named.path) {
            companions.push(named.clone());
        }
    }
    companions
}

/// Learns the failure, if it is not known. Then checks that a command fails in the user's
/// directory, on the user's file, as it does in tests: otherwise the failure may be one that only
/// the directory of a test has; and that no guard refuses the file.
fn know_failure(
    test: &mut ProgramTest,
    subject: &Subject<'_>,
) -> Result<Option<Signature>, CommandError> {
    let Subject { input, stop, .. } = *subject;
    let mut learnt = None;
    if let Failure::Learn | Failure::Written(_) = test.spec().failure {
        (subject.tell)(&RunEvent::Learning { limit: subject.limits.time });
        learnt = Some(test.learn_failure(input, stop)?);
    }
    test.fails_as_typed(stop)?;
    test.check_guards(input, stop)?;
    Ok(learnt)
}

/// Returns what decides the answers of a test, besides limits, warnings and the candidate.
pub(crate) fn facts(test: &ProgramTest, companions: &[Companion]) -> Fingerprint {
    let spec = test.spec();
    let mut facts = match &spec.program {
        Program::Script { path, .. } => {
            let text = fs::read(path).unwrap_or_default();
            let programs = fingerprint::of_programs(words_of_script(&text));
            fingerprint::named([
                ("the test script", Digest::of(&text).as_str().to_owned()),
                ("a program of the test", programs),
            ])
        }
        Program::Command(words) => {
            let guards = spec.guards.iter().flat_map(|guard| words_of_script(guard.as_bytes()));
            let named = words.iter().map(|word| word.as_bytes()).chain(guards);
            fingerprint::named([
                ("the program", format!("{words:?}")),
                ("--require", format!("{:?}", spec.guards)),
                ("a program of the test", fingerprint::of_programs(named)),
            ])
        }
        Program::Line(template) => {
            let words = test.words().0;
            let files = fingerprint::of_files(words.iter().map(|word| word.as_os_str()));
            fingerprint::named([
                ("the words", format!("{words:?} {:?}", template.names())),
                ("a file or program of the command", files),
            ])
        }
    };
    facts.extend(fingerprint::named([
        ("--stack-frames", spec.frames.to_string()),
        ("the failure", spec.failure.to_string()),
    ]));
    facts.extend(fingerprint::of_companions(companions));
    facts.extend(spec.workplace.as_ref().map(|Workplace { directory, files, .. }| {
        ("the working directory".to_owned(), format!("{} {files:?}", directory.display()))
    }));
    if spec.place {
        facts.extend(fingerprint::named([("the place in the stack", "counts".to_owned())]));
    }
    facts
}

/// Returns the test as it is run on this file.
pub(crate) fn by_hand(test: &ProgramTest, file: Option<&Path>) -> Option<Box<ReproduceCommand>> {
    let (words, name) = test.words();
    Some(Box::new(ReproduceCommand {
        words: words.to_vec(),
        candidate: file.map(|file| (file.to_owned(), name.to_owned())),
        workplace: test.spec().workplace.clone(),
        is_test: test.is_script(),
    }))
}
