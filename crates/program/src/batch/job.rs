//! One reduction of a batch, with its record on disk.

use std::fs;
use std::path::{Path, PathBuf};

use minirepro_engine::{Budget, StopReason};
use minirepro_runner::{Conditions, Digest, Failure, RetryPolicy, Signature, TestSpec};
use minirepro_syntax::Language;
use serde::{Deserialize, Serialize};

use crate::batch::error::BatchError;
use crate::batch::family::Failing;
use crate::batch::inputs::Input;
use crate::batch::request::{BatchEvent, STATE, Shared};
use crate::batch::run_log::{Line, accepted, hang};
use crate::batch::runs::{as_command, ask};
use crate::error::Error;
use crate::request::{Format, JournalPlace, Journaling, LanguageChoice, Reduction, Settings};

/// What a reduction keeps of a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JobKind {
    /// The message, the callers, and the line in the innermost function.
    Exact,
    /// The message and the callers.
    AnyLine,
    /// The message and the innermost function.
    AnyCaller,
}

/// A reduction of a batch.
#[derive(Clone, Debug)]
pub struct JobPlan {
    /// What tells it from others.
    job: Digest,
    /// What it keeps.
    pub kind: JobKind,
    /// The file that it reduces.
    pub input: PathBuf,
    /// Its result.
    pub output: PathBuf,
    /// Its journal.
    pub journal: PathBuf,
    /// Stop as soon as the result has so few tokens.
    pub until_tokens: Option<u64>,
    /// How often a candidate is tested that does not reproduce.
    pub repeat: u32,
    /// Whether the test is an exit code alone, or no program.
    pub is_script: bool,
    /// Whether the failure is that the program does not end.
    pub is_hang: bool,
}

/// What a reduction has given.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", default)]
pub struct Record {
    /// The size of the result.
    pub bytes: u64,
    /// The same in tokens.
    pub tokens: u64,
    /// Tests that decided something, and those before the search.
    pub tests: u64,
    /// How long it took, in the part of the run that has ended it.
    pub seconds: f64,
    /// The language of the input.
    pub language: String,
    /// Whether the result is certified to be 1-minimal.
    pub is_certified: bool,
    /// How the result fails, with all that is known.
    pub signature: Option<Signature>,
    /// The shape of the result.
    pub shape: Shape,
    /// Files with other failures that were met.
    pub finds: Vec<PathBuf>,
    /// Why there is no result.
    pub error: Option<String>,
}

/// A reduction that is over.
#[derive(Clone, Debug)]
pub struct Done {
    pub plan: JobPlan,
    pub record: Record,
}

impl JobPlan {
    /// Plans the reduction of an input that fails, or of what became of it.
    ///
    /// # Errors
    /// If its input cannot be read.
    pub fn new(
        shared: &Shared<'_>,
        failing: &Failing<'_>,
        kind: JobKind,
        of: Option<&Path>,
    ) -> Result<Self, BatchError> {
        let Failing { input: Input { digest, paths, .. }, signature, repeat } = failing;
        let input = of.unwrap_or(&paths[0]);
        let name = input.file_name().unwrap_or("input".as_ref());
        // The same input may be reduced under several names.
        let text = Digest::of(&shared.request.test.read(input)?);
        if of.is_none() && *digest != text {
            return Err(BatchError::Changed(input.to_owned()));
        }
        let job = Digest::of(format!("{kind:?} {repeat} {name:?} {}", text.as_str()).as_bytes());
        let directory = shared.output.join(STATE).join("jobs").join(&job.as_str()[..16]);
        Ok(Self {
            job,
            kind,
            input: input.to_owned(),
            output: directory.join(name),
            journal: directory.join("journal"),
            until_tokens: None,
            repeat: *repeat,
            is_script: *signature == accepted(shared.request.test),
            is_hang: *signature == hang(),
        })
    }

    /// Runs the reduction, or goes on with it, unless its record is there.
    ///
    /// # Errors
    /// If the batch is to end, or nothing can be written.
    pub fn run(self, shared: &Shared<'_>, jobs: usize) -> Result<Done, BatchError> {
        let known = shared.log().record(&self.job, self.until_tokens).cloned();
        if let Some(record) = known {
            return Ok(Done { plan: self, record });
        }
        // Each of its tests takes as long as it may, so the user must have said how long that is.
        if self.is_hang && shared.request.limits.time.is_none() {
            let error = Some("it does not end, and no time limit was given".to_owned());
            return Ok(Done { plan: self, record: Record { error, ..Record::default() } });
        }
        fs::create_dir_all(self.journal.parent().unwrap_or(Path::new("")))?;
        let record = self.reduce(shared, &shared.request.test.read(&self.input)?, jobs)?;
        let (job, until_tokens) = (self.job.clone(), self.until_tokens);
        let line = Line::Reduced { job, until_tokens, record: Box::new(record.clone()) };
        shared.log().add(line)?;
        (shared.request.observer)(&BatchEvent::Reduced { plan: &self, record: &record });
        Ok(Done { plan: self, record })
    }

    fn reduce(&self, shared: &Shared<'_>, text: &[u8], jobs: usize) -> Result<Record, BatchError> {
        let request = shared.request;
        let settings = Settings {
            jobs,
            workers: request.workers.clone(),
            limits: request.limits,
            retry: if self.repeat > 1 { RetryPolicy::Repeat(self.repeat) } else { request.retry },
            budget: Budget { stop_at_tokens: self.until_tokens, ..Budget::default() },
            journaling: Journaling {
                journal: JournalPlace::At(self.journal.clone()),
                invocation: (request.alone)(self),
                ..Journaling::default()
            },
            companions: request.companions.clone(),
            languages: request.languages.clone(),
            stop: Some(shared.stop.below()?),
            overwrite: true,
            ..Settings::default()
        };
        let reduction = Reduction {
            input: text.into(),
            file: self.input.clone(),
            language: request.language.clone(),
            format: Format::Auto,
            output: Some(self.output.clone()),
            settings,
            ..Reduction::new([])
        };
        let spec = request.test.spec().filter(|_| !self.is_script).map(|spec| test(spec, self));
        let outcome = match reduction.run(spec.as_ref().map_or(request.test, |spec| spec)) {
            Ok(outcome) => outcome,
            Err(error) if is_of_input(&error) => {
                return Ok(Record { error: Some(error.to_string()), ..Record::default() });
            }
            Err(error) => return Err(error.into()),
        };
        if outcome.stopped.is_some_and(|why| why != StopReason::SmallEnough) {
            return Err(Error::Interrupted.into());
        }
        let reduced = &outcome.result;
        let language = LanguageChoice::Named(reduced.language.clone());
        let language = language.find(&request.languages, &[], &self.input, &reduced.text)?;
        let session = &reduced.figures.session;
        Ok(Record {
            bytes: reduced.text.len() as u64,
            tokens: session.tokens.1,
            tests: session.tests + outcome.baseline.tests,
            seconds: reduced.figures.took.as_secs_f64(),
            language: reduced.language.clone(),
            is_certified: session.certificate.is_some(),
            signature: ask(shared, &self.output, &reduced.text)?.signature(),
            shape: Shape::of(&language, &reduced.text),
            finds: reduced.finds.iter().map(|(_, crash)| crash.path.clone()).collect(),
            error: None,
        })
    }
}
/// Returns the test of a reduction whose failures have signatures.
fn test(test: &TestSpec, plan: &JobPlan) -> TestSpec {
    let mut test = TestSpec { place: plan.kind == JobKind::Exact, ..as_command(test) };
    if plan.kind == JobKind::AnyCaller {
        test.frames = 1;
    }
    if plan.is_hang {
        test.failure = Failure::Conditions(Conditions { timeout: true, ..Conditions::default() });
    }
    test
}

/// Returns whether an error concerns one input only, so that the batch goes on.
fn is_of_input(error: &Error) -> bool {
    matches!(
        error,
        Error::Command { .. }
            | Error::NotReproduced { .. }
            | Error::ResultIsFlaky(_)
            | Error::NoLongerReproduces
            | Error::BadRequest(_)
    )
}

/// The shape of a text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Shape(Vec<String>);

impl Shape {
    /// Returns the shape of a text. Tokens of a grammar that have a kind of their own (names,
    /// numbers) count by their kind; all others by their text.
    pub fn of(language: &Language, text: &[u8]) -> Self {
        let tree = language.parser.parse(text);
        let leaves = tree.ids().filter(|&id| tree.is_leaf(id) && tree.tokens(id) > 0);
        let word = |id| match tree.is_named(id) && language.spacing.between_tokens {
            true => tree.kind_name(id).to_owned(),
            false => String::from_utf8_lossy(tree.text_of(id)).into_owned(),
        };
        Self(leaves.map(word).collect())
    }

    /// Returns whether the tokens of another shape stand in this one, in the same order.
    pub fn contains(&self, other: &Self) -> bool {
        let mut rest = self.0.iter();
        other.0.iter().all(|word| rest.any(|here| here == word))
    }
}

#[cfg(test)]
mod tests {
    use crate::Languages;

    use super::*;

    /// Checks whether two texts have the same shape, and whether the second contains the first.
    fn check(language: &str, a: &str, b: &str, expected: (bool, bool)) {
        let language = Languages::default().by_name(language).unwrap();
        let [a, b] = [a, b].map(|text| Shape::of(&language, text.as_bytes()));
        assert_eq!((a == b, b.contains(&a)), expected, "{a:?} {b:?}");
    }

    #[test]
    fn names_and_values_do_not_count() {
        check("json", "[1, {\"a\": 2}]", "[7,{\"b\":3}]", (true, true));
        check("json", "[1]", "[[2], 3]", (false, true));
        check("json", "{\"a\": 1}", "[1]", (false, false));
        check("c", "f(x);", "g(y);", (true, true));
        check("c", "f(x + 1);", "f(x - 1);", (false, false));
        check("lines", "a\nb\n", "a\nc\n", (false, false));
    }
}
