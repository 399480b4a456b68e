//! Commands that fail on the input as tests.

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use minirepro_engine::Outcome;
use minirepro_runner::{
    CancelToken, CommandError, CommandTest, Companion, Conditions, DescribedTest, Fingerprint,
    Limits, Listened, Observation, Oracle, OracleError, OtherCrash, OtherCrashes, Signature,
    TestEnd, Wish, Workplace, can_overhear, programs_of, words_of_script,
};
use minirepro_workers::Answer;

use crate::compilers::with_absolute_header_paths;
use crate::error::{Error, ReproduceCommand};
use crate::fingerprint;
use crate::grammars::Languages;
use crate::observer::RunEvent;
use crate::sources::{NamedFiles, companions};
use crate::tester::subject::{Subject, Test, Tester, Trial, Tried};

/// Which failure of a command counts.
#[derive(Clone, Debug, Default)]
pub enum ExpectedFailure {
    /// That of the unchanged input: how it ends, its message, its stack.
    #[default]
    Learn,
    /// That of the unchanged input, which must be written like this.
    Signature(String),
    /// Whatever satisfies these conditions.
    Conditions(Conditions),
}

/// What counts as the failure of a command.
#[derive(Clone, Debug)]
pub struct Criteria {
    /// Which failure counts.
    pub expected: ExpectedFailure,
    /// How many stack frames belong to the signature of a crash.
    pub frames: usize,
    /// Whether the file and the line in the innermost function of a stack belong to the signature.
    pub place: bool,
    /// Shell commands that must succeed as well, where the command fails as it should.
    pub guards: Vec<String>,
}

impl Default for Criteria {
    fn default() -> Self {
        Self { expected: ExpectedFailure::Learn, frames: 3, place: false, guards: Vec::new() }
    }
}

/// A command that fails on the input.
///
/// `@@` in its words stands for the name of the candidate, `@@.c` gives it this suffix. The
/// candidate is its standard input as well.
#[derive(Clone, Debug)]
pub struct Command {
    /// The program and its arguments.
    pub words: Vec<OsString>,
    /// What counts as its failure.
    pub criteria: Criteria,
    /// Where it runs, if that is within the candidate, which is a directory.
    pub workplace: Option<Workplace>,
}

impl Command {
    /// Makes a test of a program with its arguments, whose failure on the input is learnt.
    pub fn new<W: Into<OsString>>(words: impl IntoIterator<Item = W>) -> Self {
        let words = words.into_iter().map(Into::into).collect();
        Self { words, criteria: Criteria::default(), workplace: None }
    }

    /// Sets what counts as the failure.
    #[must_use]
    pub fn criteria(mut self, criteria: Criteria) -> Self {
        self.criteria = criteria;
        self
    }

    /// Runs it within the candidate, which is a directory.
    #[must_use]
    pub fn within(mut self, workplace: Workplace) -> Self {
        self.workplace = Some(workplace);
        self
    }

    /// Runs the command once on `input` and returns how it fails. What the input names, and
    /// `added`, is beside it.
    ///
    /// # Errors
    /// If it cannot be run, or does not fail.
    pub fn failure_on(
        &self,
        file: &Path,
        input: &[u8],
        added: &[PathBuf],
        limits: Limits,
        stop: &CancelToken,
    ) -> Result<Signature, Error> {
        let mut test = self.oracle(file, limits)?;
        let named = companions::named_by(&Languages::default(), file, input, None, stop);
        test.provide(&with_named(companions::added(added, file), &named))?;
        let reproduce = by_hand(&test, Some(file));
        let learnt = test.learn_failure(input, None, stop);
        learnt.map_err(|error| Error::Command { error, reproduce })
    }

    /// Runs the command once on `input`, as [`failure_on`](Self::failure_on) does, and returns how
    /// it ended, and its signature if it failed.
    ///
    /// # Errors
    /// If it cannot be run.
    pub fn seen_on(
        &self,
        file: &Path,
        input: &[u8],
        added: &[PathBuf],
        languages: &Languages,
        limits: Limits,
        stop: &CancelToken,
    ) -> Result<(TestEnd, Option<Signature>), Error> {
        let mut test = self.oracle(file, limits)?;
        let named = companions::named_by(languages, file, input, None, stop);
        test.provide(&with_named(companions::added(added, file), &named))?;
        let reproduce = by_hand(&test, Some(file));
        let seen = test.failure_of(input, stop);
        seen.map_err(|error| Error::Command { error: error.into(), reproduce })
    }

    pub(crate) fn oracle(&self, file: &Path, limits: Limits) -> Result<CommandTest, Error> {
        let workplace = self.workplace.as_ref();
        let frames = self.criteria.frames;
        let is_own = |path: &Path| match workplace {
            Some(workplace) => workplace.own(path).is_some(),
            None => path.starts_with(file),
        };
        let words = with_absolute_header_paths(&self.words, &is_own);
        let oracle = CommandTest::new(&words, file, workplace, frames, limits)
            .map_err(|error| Error::Command { error, reproduce: None })?;
        Ok(oracle.with_guards(&self.criteria.guards).with_place(self.criteria.place))
    }
}

impl Test for Command {
    fn prepare<'t>(&'t self, subject: &mut Subject<'_>) -> Result<Box<dyn Tester + 't>, Error> {
        let mut oracle = self.oracle(subject.file, subject.limits)?;
        if let Some(place) = &subject.finds {
            oracle = oracle.with_finds(OtherCrashes::new(place, subject.file));
        }
        let companions = with_named(subject.companions.clone(), &subject.named);
        oracle.provide(&companions)?;
        if !(companions.is_empty() && subject.named.elsewhere.is_empty()) {
            let elsewhere = &subject.named.elsewhere;
            (subject.tell)(&RunEvent::CompanionsProvided { companions: &companions, elsewhere });
        }
        let file = Some(subject.file);
        let known = know_failure(&mut oracle, &self.criteria, file, subject)?;
        let mut facts = Fingerprint::from([
            ("the program".to_owned(), format!("{:?}", self.words)),
            ("--stack-frames".to_owned(), self.criteria.frames.to_string()),
            ("--require".to_owned(), format!("{:?}", self.criteria.guards)),
            ("the failure".to_owned(), known),
        ]);
        facts.extend(fingerprint::of_workplace(self.workplace.as_ref()));
        if self.criteria.place {
            facts.insert("the place in the stack".to_owned(), "counts".to_owned());
        }
        let guards =
            self.criteria.guards.iter().flat_map(|guard| words_of_script(guard.as_bytes()));
        let words = self.words.iter().map(|word| word.as_bytes()).chain(guards);
        facts.insert("a program of the test".to_owned(), fingerprint::of_programs(words));
        facts.extend(fingerprint::of_companions(&companions));
        let reproduce = by_hand(&oracle, file);
        Ok(Box::new(ReadyCommand { oracle, reproduce, facts }))
    }

    fn workplace(&self) -> Option<&Workplace> {
        self.workplace.as_ref()
    }

    fn words(&self) -> Vec<OsString> {
        self.words.clone()
    }

    fn programs(&self) -> Vec<OsString> {
        let own = self.words.first().cloned();
        own.into_iter().chain(programs_of(&[], &self.words)).collect()
    }

    fn can_listen(&self) -> bool {
        can_overhear()
    }

    fn trial<'t>(&'t self, trial: &Trial<'t>) -> Result<Option<Tried<'t>>, Error> {
        let Trial { original, companions, limits, stop } = *trial;
        let mut oracle = self.oracle(&original.root, limits)?;
        oracle.provide(companions)?;
        let pinned = match &self.criteria.expected {
            ExpectedFailure::Conditions(conditions) => {
                oracle.expect(conditions.clone());
                None
            }
            ExpectedFailure::Signature(text) => Some(text.as_str()),
            ExpectedFailure::Learn => None,
        };
        // What is wrong is said when the whole is tested.
        let Ok(Some(opened)) = oracle.opened_of(original, pinned, stop) else { return Ok(None) };
        Ok(Some(Tried { opened, fails: Box::new(move |archive| fails(&oracle, archive, stop)) }))
    }
}

/// Returns whether a candidate shows the failure.
pub(super) fn fails(oracle: &dyn Oracle, candidate: &[u8], stop: &CancelToken) -> bool {
    oracle.test(candidate, stop).is_ok_and(|seen| seen.outcome == Outcome::Fail)
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

/// Learns the failure, or sets what was asked for; says it in words for the fingerprint.
pub(super) fn know_failure(
    oracle: &mut CommandTest,
    criteria: &Criteria,
    file: Option<&Path>,
    subject: &mut Subject<'_>,
) -> Result<String, Error> {
    let pinned = match &criteria.expected {
        ExpectedFailure::Conditions(conditions) => {
            oracle.expect(conditions.clone());
            check_unchanged(oracle, file, subject)?;
            return Ok(format!("{conditions:?}"));
        }
        ExpectedFailure::Signature(text) => Some(text.as_str()),
        ExpectedFailure::Learn => None,
    };
    (subject.tell)(&RunEvent::Learning { limit: oracle.limits().time });
    let reproduce = by_hand(oracle, file);
    let learnt = oracle.learn_failure(subject.input, pinned, subject.stop);
    let learnt = learnt.map_err(|error| unusable(error, reproduce))?;
    check_unchanged(oracle, file, subject)?;
    (subject.tell)(&RunEvent::FailureLearnt { file, signature: &learnt });
    Ok(learnt.to_string())
}

/// Checks that the command fails in the user's directory, on the user's file, as it does in tests:
/// otherwise the failure may be one that only the directory of a test has. Then checks that no
/// guard refuses the file.
fn check_unchanged(
    oracle: &CommandTest,
    file: Option<&Path>,
    subject: &Subject<'_>,
) -> Result<(), Error> {
    let compared = oracle.fails_as_typed(subject.stop);
    compared
        .and_then(|_| oracle.check_guards(subject.input, subject.stop))
        .map_err(|error| unusable(error, by_hand(oracle, file)))
}

fn unusable(error: CommandError, reproduce: Option<Box<ReproduceCommand>>) -> Error {
    match error {
        CommandError::Stopped => Error::Interrupted { journal: None },
        error => Error::Command { error, reproduce },
    }
}

/// Returns the command as it is run.
pub(crate) fn by_hand(oracle: &CommandTest, file: Option<&Path>) -> Option<Box<ReproduceCommand>> {
    let (words, name): (&[OsString], &OsStr) = oracle.words();
    Some(Box::new(ReproduceCommand {
        words: words.to_vec(),
        candidate: file.map(|file| (file.to_owned(), name.to_owned())),
        workplace: oracle.workplace().cloned(),
        is_test: false,
    }))
}

/// A command that is ready to be run on candidates.
pub(super) struct ReadyCommand {
    pub(super) oracle: CommandTest,
    pub(super) reproduce: Option<Box<ReproduceCommand>>,
    pub(super) facts: Fingerprint,
}

impl Oracle for ReadyCommand {
    fn test(&self, candidate: &[u8], stop: &CancelToken) -> Result<Observation, OracleError> {
        self.oracle.test(candidate, stop)
    }

    fn inner(&self) -> Option<&dyn Oracle> {
        Some(&self.oracle)
    }
}

impl Tester for ReadyCommand {
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
        self.reproduce.clone()
    }

    fn fingerprint(&self) -> Fingerprint {
        self.facts.clone()
    }

    fn describe(&self) -> io::Result<Option<DescribedTest>> {
        self.oracle.describe()
    }

    fn hear(&self, candidate: &[u8], answer: &Answer) {
        if let Some(failure) = &answer.failure {
            self.oracle.keep_other(failure, candidate);
        }
    }

    fn guard_runs(&self) -> u64 {
        self.oracle.guard_runs()
    }

    fn finds(&self) -> Vec<(Signature, OtherCrash)> {
        self.oracle.finds()
    }

    fn recall_finds(&self) {
        self.oracle.recall_finds();
    }
}
