//! The test that the user wants, ready to run: a script, or a program whose failure is learnt.

use std::ffi::OsStr;
use std::path::Path;
use std::sync::Arc;

use minirepro_runner::{
    CommandTest, Facts, Find, Finds, Limits, Observation, Oracle, OracleError, Script, Signature,
    Stop,
};

use crate::args::Common;
use crate::facts;
use crate::failure::{Failure, by_hand};
use crate::keep::{Identity, Keep, Kept, Typed, Way};
use crate::live::Waiting;
use crate::plan::{Subject, Talk, Test, Wanted};
use crate::trial::Tester;

/// A test, and what to tell about it.
#[derive(Debug)]
pub struct UserTest {
    kind: Kind,
    /// The failure to look for, if it was learnt.
    pub signature: Option<String>,
    /// The commands that do the same.
    pub by_hand: String,
}

#[derive(Debug)]
enum Kind {
    Script(Box<Script>),
    Program(Box<CommandTest>),
    /// None is run: what these limits are for is over.
    Nothing(Limits),
}

impl UserTest {
    /// The same unless no test may be run on this way.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn on(way: Way<'_>, subject: &Subject<'_>, stop: &Stop) -> Result<Option<Self>, Failure> {
        if !matches!(way, Way::Replay(_)) {
            return Self::new(subject, stop);
        }
        let (kind, signature, by_hand) = (Kind::Nothing(subject.limits), None, String::new());
        Ok(Some(Self { kind, signature, by_hand }))
    }

    /// Prepares a test; `None` if all that was wanted is the signature, which is
    /// shown.
    ///
    /// # Errors
    /// When it cannot be run, or the program does not fail on the input.
    pub fn new(subject: &Subject<'_>, stop: &Stop) -> Result<Option<Self>, Failure> {
        match subject.test {
            Test::Script(script) => {
                let name = subject.file.file_name().unwrap_or_default();
                let path = std::path::absolute(script).unwrap_or_else(|_| script.clone());
                let wanted = "It must print 0 when the failure is there.\n";
                let by_hand = by_hand(&[path.as_os_str(), name], subject.file, name, wanted);
                let script = Script::new(script, subject.file, subject.limits)
                    .map_err(|error| Failure::script(&error))?;
                Ok(Some(Self { kind: Kind::Script(Box::new(script)), signature: None, by_hand }))
            }
            Test::Program { .. } => Self::program(subject, stop),
        }
    }

    fn program(subject: &Subject<'_>, stop: &Stop) -> Result<Option<Self>, Failure> {
        let Test::Program { words, frames, signature, guards } = subject.test else {
            unreachable!("called for programs")
        };
        let mut test = CommandTest::new(words, subject.file, *frames, subject.limits)
            .map_err(|error| Failure::program(&error, ""))?
            .with_guards(guards)
            .with_finds(Finds::new(&subject.finds, subject.file));
        let (words, name) = test.words();
        let words: Vec<&OsStr> = words.iter().map(|word| word.as_os_str()).collect();
        let by_hand = by_hand(&words, subject.file, name, "");
        let pinned = match signature {
            Wanted::Conditions(conditions) => {
                test.look_for(conditions.clone());
                let kind = Kind::Program(Box::new(test));
                return Ok(Some(Self { kind, signature: None, by_hand }));
            }
            Wanted::Pin(text) => Some(text.as_str()),
            Wanted::Learn | Wanted::Show => None,
        };
        let waiting = Waiting::new(subject.talk, "running the program on the unchanged input");
        let learnt = test
            .learn(subject.input, pinned, stop)
            .map_err(|error| Failure::program(&error, &by_hand))?;
        drop(waiting);
        if matches!(signature, Wanted::Show) {
            println!("{learnt}");
            return Ok(None);
        }
        if subject.talk > Talk::Quiet {
            eprintln!("{}: the failure is «{learnt}»", subject.file.display());
        }
        let signature = Some(learnt.to_string());
        Ok(Some(Self { kind: Kind::Program(Box::new(test)), signature, by_hand }))
    }

    /// What a test may use.
    pub fn limits(&self) -> Limits {
        match &self.kind {
            Kind::Script(script) => script.limits(),
            Kind::Program(program) => program.limits(),
            Kind::Nothing(limits) => *limits,
        }
    }

    /// Whether control groups limit memory and processes, not limits of each process.
    pub fn is_limited_by_groups(&self) -> bool {
        match &self.kind {
            Kind::Script(script) => script.is_limited_by_groups(),
            Kind::Program(program) => program.is_limited_by_groups(),
            Kind::Nothing(_) => false,
        }
    }

    /// Changes what a test may use.
    pub fn set_limits(&mut self, limits: Limits) {
        match &mut self.kind {
            Kind::Script(script) => script.set_limits(limits),
            Kind::Program(program) => program.set_limits(limits),
            Kind::Nothing(old) => *old = limits,
        }
    }

    /// How often a guard was run so far.
    pub fn guard_runs(&self) -> u64 {
        match &self.kind {
            Kind::Script(_) | Kind::Nothing(_) => 0,
            Kind::Program(program) => program.guard_runs(),
        }
    }

    /// If a run goes on, what it has met before counts as met.
    pub fn goes_on(&self, kept: &Kept) {
        if kept.past.is_none() {
            return;
        }
        if let Kind::Program(program) = &self.kind {
            program.recall_finds();
        }
    }

    /// What a search with this test keeps on disk, beside its result; if it goes on, what it has met before
    /// counts as met.
    ///
    /// # Errors
    /// As [`Kept::new`].
    pub fn kept(
        &self,
        subject: &Subject<'_>,
        common: &Common,
        plan: Facts,
        (keep, result): (&Keep, &Path),
        (typed, way): (&Typed, Way<'_>),
    ) -> Result<Kept, Failure> {
        let test = facts::of_test(subject, common.patience(), self);
        let (input, result, talk) = (subject.input, Some(result), subject.talk);
        let kept = Kept::new(Identity { input, test, plan, keep, result, talk }, typed, way)?;
        self.goes_on(&kept);
        Ok(kept)
    }

    /// Other failures that were met.
    pub fn finds(&self) -> Vec<(Signature, Find)> {
        match &self.kind {
            Kind::Script(_) | Kind::Nothing(_) => Vec::new(),
            Kind::Program(program) => program.finds(),
        }
    }
}

impl Tester for UserTest {
    fn limits(&self) -> Limits {
        Self::limits(self)
    }

    fn set_limits(&mut self, limits: Limits) {
        Self::set_limits(self, limits);
    }

    fn by_hand(&self) -> &str {
        &self.by_hand
    }
}

impl Oracle for UserTest {
    fn test(&self, candidate: &[u8], stop: &Stop) -> Result<Observation, OracleError> {
        match &self.kind {
            Kind::Script(script) => script.test(candidate, stop),
            Kind::Program(program) => program.test(candidate, stop),
            Kind::Nothing(_) => Err(OracleError::Unknown),
        }
    }

    fn prepare(&self, candidates: &[Arc<[u8]>]) {
        match &self.kind {
            Kind::Script(script) => script.prepare(candidates),
            Kind::Program(program) => program.prepare(candidates),
            Kind::Nothing(_) => {}
        }
    }

    fn explain(&self, candidate: &[u8], stop: &Stop) -> String {
        match &self.kind {
            Kind::Script(script) => script.explain(candidate, stop),
            Kind::Program(program) => program.explain(candidate, stop),
            Kind::Nothing(_) => String::new(),
        }
    }
}
