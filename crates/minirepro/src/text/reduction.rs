//! A request to reduce an input, and how it is carried out.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::{Duration, Instant};

use minirepro_engine::{JobId, Plan, ReductionSession, Session, Step};
use minirepro_languages::{ForeignGrammar, Info, add_rules, by_name, guess};
use minirepro_syntax::{Kinds, Language};
use tree_sitter_language::LanguageFn;

use crate::text::oracle::Tests;
#[cfg(unix)]
use crate::text::oracle::children::Children;
use crate::text::oracle::panics::Panics;
use crate::text::oracle::threads::with_threads;
use crate::text::reduced::Reduced;
use crate::{Algorithm, Budget, Error, Event, Outcome, Scope};

/// A request to make an input as small as possible that fails a test.
///
/// ```
/// use minirepro::Reduction;
///
/// let input: Vec<u8> = (0..=255).cycle().take(2_000).collect();
/// let property = |bytes: &[u8]| assert!(!bytes.contains(&200), "no room for 200");
/// let reduced = Reduction::new(input).panics().run(property)?;
/// assert_eq!(reduced.bytes, [200]);
/// # Ok::<(), minirepro::Error>(())
/// ```
#[must_use]
pub struct Reduction<'a> {
    input: Arc<[u8]>,
    file: String,
    /// By default the name of the file tells it, or else it is text or bytes.
    language: Option<Box<dyn FnOnce() -> Result<Language, Error>>>,
    rules: Vec<(String, String)>,
    algorithm: Algorithm,
    scope: Scope,
    budget: Budget,
    panics: Panics,
    children: Option<usize>,
    time_limit: Option<Duration>,
    observer: Box<dyn FnMut(&Event) + 'a>,
}

impl<'a> Reduction<'a> {
    /// Makes a request for an input that fails the test.
    pub fn new(input: impl AsRef<[u8]>) -> Self {
        Self {
            input: input.as_ref().into(),
            file: String::new(),
            language: None,
            rules: Vec::new(),
            algorithm: Algorithm::default(),
            scope: Scope::default(),
            budget: Budget::default(),
            panics: Panics::default(),
            children: None,
            time_limit: None,
            observer: Box::new(|_| ()),
        }
    }

    /// Sets the language of the input: `text`, `lines`, `words`, `bytes`, or one whose feature is
    /// on. By default the name tells it, or else the input is text or bytes.
    pub fn language(mut self, name: impl Into<String>) -> Self {
        let name = name.into();
        self.language = Some(Box::new(move || Ok(by_name(&name)?)));
        self
    }

    /// Tells the language of the input by the name of its file.
    pub fn named(mut self, file: impl Into<String>) -> Self {
        self.file = file.into();
        self
    }

    /// Reads the input with a tree-sitter grammar of the caller's: its parser and the text of its
    /// `grammar.json`.
    pub fn grammar(
        mut self,
        name: impl Into<String>,
        parser: impl Into<LanguageFn>,
        grammar_json: impl Into<String>,
    ) -> Self {
        let grammar = ForeignGrammar {
            parser: parser.into().into(),
            grammar_json: grammar_json.into(),
            head: Info { name: name.into(), ..Info::default() },
            manifest: String::new(),
            rules: Vec::new(),
        };
        self.language = Some(Box::new(move || Ok(grammar.language(&mut Kinds::default())?)));
        self
    }

    /// Adds a file of rules to those of the language; `origin` is its name in messages.
    pub fn rules(mut self, origin: impl Into<String>, text: impl Into<String>) -> Self {
        self.rules.push((origin.into(), text.into()));
        self
    }

    /// Chooses another order of passes and searches.
    pub fn algorithm(mut self, algorithm: Algorithm) -> Self {
        self.algorithm = algorithm;
        self
    }

    /// Limits which edits are tried.
    pub fn scope(mut self, scope: Scope) -> Self {
        self.scope = scope;
        self
    }

    /// Ends the reduction early.
    pub fn budget(mut self, budget: Budget) -> Self {
        self.budget = budget;
        self
    }

    /// Takes a panic of the test for the failure, as the properties of fuzzers mean it. Expected
    /// panics print nothing. Without this, a panic ends the reduction with an error.
    pub fn panics(self) -> Self {
        self.panics_with("")
    }

    /// Takes a panic for the failure whose message contains this. Of others nothing is said.
    pub fn panics_with(mut self, message: impl Into<String>) -> Self {
        self.panics = Panics(Some(message.into()));
        self
    }

    /// Runs the tests in child processes, this many at a time, for failures that end a process:
    /// stack overflows, aborts, signals. The failure is there if a child ends as it does of the
    /// input.
    ///
    /// A child is a fork: only the thread that calls [`run`](Self::run) lives on in it. The test
    /// must not need other threads that were started before, nor a lock that one of them may hold
    /// at that moment; where it does, let it start a process of its own. What it changes stays in
    /// the child, and what it prints is lost.
    #[cfg(unix)]
    pub fn in_child_processes(mut self, jobs: usize) -> Self {
        self.children = Some(jobs);
        self
    }

    /// Ends tests in child processes that take longer; nothing is said of their candidates.
    #[cfg(unix)]
    pub fn time_limit(mut self, limit: Duration) -> Self {
        self.time_limit = Some(limit);
        self
    }

    /// Gives all events to `observer`.
    pub fn observer(mut self, observer: impl FnMut(&Event) + 'a) -> Self {
        self.observer = Box::new(observer);
        self
    }

    /// Reduces the input. The outcome of a test may be a `bool` (`true` if the failure is there), a
    /// `Result` (an error is the failure), nothing (with [`panics`](Self::panics)), or an
    /// [`Outcome`].
    ///
    /// # Errors
    /// If the input does not fail the test, the test panics without being meant to, or there is no
    /// such language.
    pub fn run<A: Into<Outcome>>(
        mut self,
        mut test: impl FnMut(&[u8]) -> A,
    ) -> Result<Reduced, Error> {
        let panics = std::mem::take(&mut self.panics);
        #[cfg(unix)]
        if let Some(jobs) = self.children {
            let mut tests = Children::new(test, &panics, self.time_limit);
            return self.drive(jobs, &mut tests);
        }
        self.drive(1, &mut |candidate: &[u8]| panics.judge(|| test(candidate)))
    }

    /// Reduces the input with this many threads. The result is the same.
    ///
    /// # Errors
    /// As [`run`](Self::run), and if there is no thread.
    pub fn run_parallel<A: Into<Outcome>>(
        mut self,
        jobs: usize,
        test: impl Fn(&[u8]) -> A + Sync,
    ) -> Result<Reduced, Error> {
        let panics = std::mem::take(&mut self.panics);
        with_threads(jobs, &test, &panics, |tests| self.drive(jobs, tests))
    }

    fn drive(mut self, jobs: usize, tests: &mut dyn Tests) -> Result<Reduced, Error> {
        let mut language = match self.language {
            Some(language) => language()?,
            None => by_name(&guess(&self.file, &self.input))?,
        };
        for (origin, text) in &self.rules {
            add_rules(&mut language, origin, text)?;
        }
        let canonical = language.reader.canonical_form(&self.input);
        let canonical = canonical.filter(|text| !text.is_empty());
        let input = canonical.map_or_else(|| Arc::clone(&self.input), Arc::from);
        let language = Arc::new(language);
        let file_of = |text: &Arc<[u8]>| match language.reader.file_of(text)? {
            Cow::Owned(file) => Some(file.into()),
            Cow::Borrowed(_) => Some(Arc::clone(text)),
        };
        let file: Arc<[u8]> = file_of(&input).ok_or(Error::DoesNotFail(Outcome::Unresolved))?;
        let first = match tests.start(JobId(u64::MAX), file)? {
            Some(outcome) => outcome,
            None => tests.wait()?.1,
        };
        if first != Outcome::Fail {
            return Err(Error::DoesNotFail(first));
        }
        let begin = self.budget.max_time.map(|_| Instant::now());
        let mut session = ReductionSession::new(Plan {
            language: Arc::clone(&language),
            input,
            algorithm: self.algorithm,
            jobs,
            scope: self.scope,
            budget: self.budget,
            tests_are_cheap: true,
            proposers: 0,
            is_informed: false,
        });
        loop {
            let now = begin.map(|begin| begin.elapsed()).unwrap_or_default();
            let step = session.poll(now);
            session.take_events().for_each(|event| (self.observer)(&event));
            let (id, outcome) = match step {
                Step::Start { id, candidate } => match file_of(&candidate) {
                    Some(file) => match tests.start(id, file)? {
                        Some(outcome) => (id, outcome),
                        None => continue,
                    },
                    None => (id, Outcome::Unresolved),
                },
                Step::Wait => tests.wait()?,
                Step::Done => break,
                Step::Consult(_) => unreachable!("there are no proposers"),
            };
            session.report(id, outcome);
        }
        let summary = session.summary();
        Ok(Reduced {
            bytes: file_of(&session.best()).expect("it was tested").to_vec(),
            certificate: summary.certificate,
            stopped: summary.stopped,
            questions: summary.tests,
            infeasible: summary.infeasible,
            tokens: summary.tokens,
        })
    }
}
