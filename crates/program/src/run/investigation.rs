//! The driver of all runs, from the first test to the last event. Kinds of runs differ in what they
//! search for; everything else is here.

use std::cell::RefCell;

use std::sync::Arc;
use std::time::{Duration, Instant};

use minirepro_engine::{Answers, Budget, Outcome, StopReason};
use minirepro_runner::{
    CancelToken, DriveError, Fingerprint, JournalError, Observation, Oracle, OracleError,
    OtherCrashes, Output, OutputError, PreviousRun, Start, TestSpec, can_overhear, test,
};
use minirepro_workers::WorkerPool;

use crate::error::{Error, FlakyResult};
use crate::fingerprint;
use crate::observer::{Observer, Over, RunEvent};
use crate::outcome::{BaselineFacts, Verified};
use crate::request::settings::{Mode, Settings};
use crate::run::context::{Progress, RunContext, RunMode, Stops};
use crate::run::endpoints::{Endpoints, FirstTests, NONSENSE, not_reproduced};
use crate::run::places::Places;
use crate::run::store::{self, Ending, Identity, RunStore};
use crate::run::workers;
use crate::run::{overwriting, result_file};
use crate::sources::{NamedFiles, companions};
use crate::tester::program::workplace;
use crate::tester::subject::{Subject, Test, Tester};

/// A kind of run.
pub trait Investigation {
    /// What the run gives.
    type Outcome;

    /// Returns what the search lies between.
    fn endpoints(&self) -> Endpoints<'_>;

    /// Returns what decides the run, apart from its test and its failing end.
    fn facts(&self) -> Fingerprint;

    /// Returns where things go.
    fn places(&self) -> Places;

    /// Returns the name of the language of the input, if it has one.
    fn language(&self) -> Option<String> {
        None
    }

    /// Returns the language as users are told of it: with the reason why it is this one, where that
    /// is not plain to see.
    fn language_with_reason(&self) -> Option<String> {
        self.language()
    }

    /// Returns the language that the input is in by its name, if this build lacks it.
    fn absent_language(&self) -> Option<String> {
        None
    }

    /// Goes on with the input as it stands, since the form for which its language has a tree does
    /// not show the failure; `false` if that is the only one.
    fn fall_back(&mut self) -> bool {
        false
    }

    /// Tells what is special about the input, before the search.
    fn announce(&self, _bench: &RunContext<'_>) {}

    /// Searches for all that is wanted.
    ///
    /// # Errors
    /// If a result cannot be written. That the search ended early is not an error.
    fn search(&mut self, context: &RunContext<'_>) -> Result<(), Error>;

    /// Returns all results one after the other, to tell ends of runs from each other.
    fn result(&self) -> Vec<u8>;

    /// Returns the candidates that must fail when all is over.
    fn failing_results(&self) -> Vec<Arc<[u8]>>;

    /// Tests the results once more. Where one does not reproduce, it falls back to what does, if it
    /// can.
    ///
    /// # Errors
    /// If the fallback cannot be written.
    fn confirm_results(&mut self, context: &RunContext<'_>) -> Result<Option<FlakyResult>, Error> {
        let is_flaky = self.failing_results().iter().any(|text| does_not_reproduce(context, text));
        Ok(is_flaky.then(FlakyResult::default))
    }

    /// Takes an error out that did not keep the search from going on.
    fn take_error(&mut self) -> Option<Error> {
        None
    }

    /// Searches again what was found.
    ///
    /// # Errors
    /// If it does not hold.
    fn verify(&self, context: &RunContext<'_>, name: &str) -> Result<Verified, Error>;

    /// Returns what the run gives.
    fn outcome(self, baseline: BaselineFacts, stopped: Option<StopReason>) -> Self::Outcome;

    /// Returns the last event for this outcome.
    fn over(outcome: &Self::Outcome) -> Over<'_>;
}

/// Sends events before and after the search.
struct Teller<'a>(Option<Box<dyn Observer + 'a>>);

impl Teller<'_> {
    fn tell(&mut self, event: &RunEvent<'_>) {
        if let Some(observer) = &mut self.0 {
            observer.event(event);
        }
    }
}

/// A run that has begun: its input fails, and nothing was searched so far.
struct Begun<'t> {
    context: RunContext<'t>,
    store: RunStore,
    baseline: BaselineFacts,
}

/// Runs an investigation to its end.
///
/// # Errors
/// If there is no result, or it is not where it should be, or it is worth nothing.
pub fn investigate<I: Investigation>(
    mut investigation: I,
    mut settings: Settings<'_>,
    test: &dyn Test,
) -> Result<I::Outcome, Error> {
    let mut teller = Teller(settings.observer.take());
    let mut begun = loop {
        match begin(&investigation, &settings, test, &mut teller) {
            Err(Error::LostByCanonicalForm { .. }) if investigation.fall_back() => {}
            begun => break begun?,
        }
    };
    investigation.announce(&begun.context);
    investigation.search(&begun.context)?;
    if let Mode::Verify(place) = &settings.journaling.mode {
        begun.context.begin_verification(settings.jobs.max(1), settings.budget.clone());
        let name = format!("the result of {}", place.display());
        let verified = investigation.verify(&begun.context, &name)?;
        begun.context.tell(&RunEvent::Verified(&verified));
        return Ok(investigation.outcome(begun.baseline, None));
    }
    conclude(investigation, begun)
}

/// Checks all files, tests the input, and opens or continues the journal.
fn begin<'t, I: Investigation>(
    investigation: &I,
    settings: &Settings<'_>,
    test: &'t dyn Test,
    teller: &mut Teller<'t>,
) -> Result<Begun<'t>, Error> {
    let stops = stops(settings)?;
    let places = investigation.places();
    check(&places, settings, test)?;
    let mut tester = prepare(investigation, &places, settings, test, &stops.any, teller)?;
    let endpoints = investigation.endpoints();
    let identity = Identity {
        input: endpoints.failing,
        test: facts_of_test(&tester, &places, settings),
        plan: investigation.facts(),
        result: places.journal_beside.as_deref(),
    };
    let mut store =
        RunStore::open(identity, &settings.journaling, &mut |event| teller.tell(event))?;
    if store.is_continuing() {
        tester.program().inspect(|test| test.recall_finds());
    }
    let start = match store.past().and_then(|past| past.start.clone()) {
        Some(start) => start,
        None => test_input(&endpoints, &tester, settings, &stops, teller)?,
    };
    let baseline = set_limits(&mut tester, &start, &endpoints.failing_name, investigation);
    if !store.is_replay() {
        teller.tell(&RunEvent::BaselineDone(&baseline));
    }
    let answers = known_answers(&endpoints, &start);
    if store.past().is_none() {
        store.begin(start, endpoints.failing, &mut |event| teller.tell(event))?;
    } else if store.is_continuing() {
        still_fails(&tester, settings, &stops.any, endpoints.failing)
            .map_err(|error| in_time(error, &stops))?;
    }
    let pool = match store.is_replay() {
        true => None,
        false => workers::start(settings, &tester, &endpoints, &stops.any, &mut |event| {
            teller.tell(event);
        })
        .map_err(|error| in_time(error, &stops))?,
    };
    let context = make_bench(settings, &mut store, tester, pool, answers, stops, teller.0.take());
    Ok(Begun { context, store, baseline })
}

/// Returns the answers for both ends, which are known before the search.
fn known_answers(endpoints: &Endpoints<'_>, start: &Start) -> Answers {
    let passing = start.passing.unwrap_or(Outcome::Unresolved);
    let mut answers = Answers::default();
    answers.insert(endpoints.passing_candidate(), passing);
    answers.insert(endpoints.failing, Outcome::Fail);
    answers
}

/// Puts together what the search works with. A replay gets as many tests as the run had.
fn make_bench<'t>(
    settings: &Settings<'_>,
    store: &mut RunStore,
    tester: Tester<'t>,
    pool: Option<WorkerPool>,
    answers: Answers,
    stops: Stops,
    observer: Option<Box<dyn Observer + 't>>,
) -> RunContext<'t> {
    let mut budget = settings.budget.clone();
    let mut ended_for = None;
    let skips = store.past().map_or(Vec::new(), |past| past.skips.clone());
    if let Some(past) = store.past().filter(|_| store.is_replay()) {
        // Look-ahead may have found answers that the run did not come to use.
        let ended = past.end.as_ref().filter(|end| end.stopped.is_some());
        ended_for = ended.and_then(|end| end.stopped);
        budget = Budget { max_tests: ended.map(|end| end.tests), ..Budget::default() };
    }
    let own_jobs = if store.is_replay() { 1 } else { settings.jobs.max(1) };
    let mode = match &settings.journaling.mode {
        Mode::Replay(_) => RunMode::Replay,
        Mode::Verify(_) => RunMode::ReplayToVerify,
        Mode::Begin | Mode::Resume(_) => RunMode::Run,
    };
    RunContext {
        tester,
        answers,
        jobs: own_jobs,
        retry: settings.retry,
        pool,
        budget,
        stops,
        mode,
        continues: store.is_continuing(),
        ended_for,
        notes: RefCell::new(store.notes()),
        runs_compilers: settings.runs_compilers,
        controls: settings.controls.clone(),
        skips: RefCell::new(skips),
        observer: RefCell::new(observer),
        progress: Progress::of(mode),
    }
}

/// Gives a request its methods `run` and `run_with`. The text of the first says what is done, and
/// with which tests.
macro_rules! runs {
    ($request:ident as $run:ident: $outcome:ident, $what:literal) => {
        impl $request<'_> {
            #[doc = $what]
            ///
            /// # Errors
            /// If there is no result, or it is not where it should be, or it is worth nothing.
            pub fn run(self, test: impl $crate::Test) -> Result<$outcome, $crate::Error> {
                self.run_with(&test)
            }

            /// As [`run`](Self::run), with a test that is only known when the program runs.
            ///
            /// # Errors
            /// As [`run`](Self::run).
            pub fn run_with(self, test: &dyn $crate::Test) -> Result<$outcome, $crate::Error> {
                let (run, settings) = $run::new(self)?;
                $crate::run::investigation::investigate(run, settings, test)
            }
        }
    };
}

pub(crate) use runs;

/// Confirms the results, closes the journal, and tells how the run ended.
fn conclude<I: Investigation>(mut investigation: I, begun: Begun<'_>) -> Result<I::Outcome, Error> {
    let Begun { context, mut store, baseline } = begun;
    let stopped = context.stopped();
    let tests = context.tests();
    let broken = context.take_broken();
    let reproduce = context.tester.reproduce.clone();
    let result = investigation.result();
    context.tester.oracle().begin_confirmation();
    let flaky = match broken.is_none() && context.runs_tests() {
        true => investigation.confirm_results(&context)?,
        false => None,
    };
    let end = Ending { stopped, tests, result: &result };
    let (notes, observer) = context.into_notes();
    let mut teller = Teller(observer);
    let trouble = investigation.take_error();
    let is_replay = store.is_replay();
    if is_replay {
        store.judge(end)?;
    } else {
        store.take_back(notes);
        store.finish(end, &mut |event| teller.tell(event));
    }
    // What is decided again has not been stopped, whatever became of the run of then.
    let stopped = stopped.filter(|_| !is_replay);
    let outcome = investigation.outcome(baseline, stopped);
    teller.tell(&RunEvent::Over(I::over(&outcome)));
    if let Some(error) = trouble {
        return Err(error);
    }
    match broken {
        Some(DriveError::Oracle(error)) => return Err(Error::TestBroken { error, reproduce }),
        Some(DriveError::System(error)) => return Err(Error::System(error)),
        None => {}
    }
    if let Some(flaky) = flaky {
        return Err(Error::ResultIsFlaky(flaky));
    }
    Ok(outcome)
}

/// Checks what can be checked before anything is run.
///
/// # Errors
/// If the test cannot be used, or something that the run writes cannot be written or has taken the
/// place of something else.
pub fn check(places: &Places, settings: &Settings<'_>, test: &dyn Test) -> Result<(), Error> {
    let mode = &settings.journaling.mode;
    let beside = places.journal_beside.as_deref();
    let journal = store::place(&settings.journaling, beside);
    let was_begun = !mode.is_replay()
        && journal.as_ref().is_some_and(|place| {
            matches!(PreviousRun::read(place), Ok(_) | Err(JournalError::Version { .. }))
        });
    if !matches!(mode, Mode::Replay(_)) {
        test.spec().map_or(Ok(()), TestSpec::check).map_err(Error::Script)?;
    }
    overwriting::check(places, settings, test.spec().and_then(TestSpec::file))?;
    check_places(places, was_begun || settings.overwrite)?;
    store::check(&settings.journaling, beside)
}

/// Verifies an input without a journal.
///
/// # Errors
/// If it does not reproduce, or does not hold.
pub fn verify<I: Investigation>(
    investigation: &I,
    mut settings: Settings<'_>,
    test: &dyn Test,
    check: impl FnOnce(&I, &RunContext<'_>, &str) -> Result<Verified, Error>,
) -> Result<Verified, Error> {
    let stops = stops(&settings)?;
    let places = investigation.places();
    let mut teller = Teller(settings.observer.take());
    let mut tester = prepare(investigation, &places, &settings, test, &stops.any, &mut teller)?;
    let endpoints = investigation.endpoints();
    let start = test_input(&endpoints, &tester, &settings, &stops, &mut teller)?;
    let baseline = set_limits(&mut tester, &start, &endpoints.failing_name, investigation);
    teller.tell(&RunEvent::BaselineDone(&baseline));
    let name = endpoints.failing_name.clone();
    let context = RunContext {
        tester,
        answers: Answers::default(),
        jobs: settings.jobs.max(1),
        retry: settings.retry,
        pool: None,
        budget: settings.budget.clone(),
        stops,
        mode: RunMode::Run,
        continues: false,
        ended_for: None,
        notes: RefCell::new(minirepro_runner::AnswerStore::new(None, None)),
        runs_compilers: settings.runs_compilers,
        controls: settings.controls.clone(),
        skips: RefCell::default(),
        observer: RefCell::new(teller.0.take()),
        progress: Progress::default(),
    };
    let verified = check(investigation, &context, &name)?;
    context.tell(&RunEvent::Verified(&verified));
    Ok(verified)
}

/// Returns the requests to end a run; the time allowed begins now.
fn stops(settings: &Settings<'_>) -> Result<Stops, Error> {
    let by_caller = match &settings.stop {
        Some(stop) => stop.clone(),
        None => CancelToken::new()?,
    };
    // The caller's own token tells later whether it was the caller's request.
    let any = by_caller.below()?;
    let max_time =
        settings.budget.max_time.filter(|_| !matches!(settings.journaling.mode, Mode::Replay(_)));
    let deadline = max_time.and_then(|time| Instant::now().checked_add(time));
    if let (Some(time), Some(_)) = (max_time, deadline) {
        any.set_after(time, StopReason::TimeBudget)?;
    }
    Ok(Stops { by_caller, any, deadline })
}

fn prepare<'t, I: Investigation>(
    investigation: &I,
    places: &Places,
    settings: &Settings<'_>,
    test: &'t dyn Test,
    stop: &CancelToken,
    teller: &mut Teller<'_>,
) -> Result<Tester<'t>, Error> {
    let limits = settings.limits.of_first_tests();
    if matches!(settings.journaling.mode, Mode::Replay(_)) {
        let can_listen = test.spec().is_some() && can_overhear();
        let mut nobody = Tester::new(Nobody, limits);
        nobody.can_listen = can_listen;
        return Ok(nobody);
    }
    let endpoints = investigation.endpoints();
    let named = if places.file.is_dir() {
        NamedFiles::default()
    } else {
        let language = investigation.language();
        let text = endpoints.as_given();
        companions::named_by(&settings.languages, &places.file, text, language.as_deref(), stop)
    };
    test.prepare(&mut Subject {
        file: &places.file,
        input: endpoints.as_given(),
        limits,
        companions: companions::beside(&settings.companions, &places.file, workplace(test)),
        named,
        finds: places.finds.clone(),
        stop,
        tell: &mut |event| teller.tell(event),
    })
}

/// In a run that is decided by its journal alone, nobody is asked.
struct Nobody;

impl Oracle for Nobody {
    fn test(&self, _candidate: &[u8], _stop: &CancelToken) -> Result<Observation, OracleError> {
        Err(OracleError::JournalExhausted)
    }
}

/// Tests the ends before the search.
fn test_input(
    endpoints: &Endpoints<'_>,
    tester: &Tester<'_>,
    settings: &Settings<'_>,
    stops: &Stops,
    teller: &mut Teller<'_>,
) -> Result<Start, Error> {
    let limit = tester.reproduce.as_ref().map(|_| tester.limits.time);
    teller.tell(&RunEvent::TestingInput { limit });
    let FirstTests { mut start, accepts_nonsense } = endpoints
        .first_tests(tester, settings.retry, &stops.any)
        .map_err(|error| in_time(error, stops))?;
    if accepts_nonsense {
        teller.tell(&RunEvent::NonsenseAccepted { text: NONSENSE });
    }
    if let Some(time) = settings.limits.time {
        start.time_limit = time.as_secs_f64();
    }
    Ok(start)
}

fn facts_of_test(tester: &Tester<'_>, places: &Places, settings: &Settings<'_>) -> Fingerprint {
    let mut facts = fingerprint::of_limits(&settings.limits.of_first_tests(), settings.retry);
    facts.extend(tester.facts.clone());
    let name = places.file.file_name().unwrap_or_default();
    facts.insert("the name".to_owned(), format!("{name:?}"));
    facts
}

/// Sets what a test may use from now on, and returns all that is known before the search.
fn set_limits(
    tester: &mut Tester<'_>,
    start: &Start,
    name: &str,
    investigation: &impl Investigation,
) -> BaselineFacts {
    // A journal may hold any number.
    let time = Duration::try_from_secs_f64(start.time_limit).unwrap_or(Duration::MAX);
    tester.set_time(time);
    BaselineFacts {
        name: name.to_owned(),
        language: investigation.language_with_reason(),
        absent_language: investigation.absent_language(),
        tests: start.tests,
        slowest: Duration::try_from_secs_f64(start.slowest).unwrap_or_default(),
        reliability: start.reliability,
        limits: tester.limits,
    }
}

/// Checks that a run which goes on begins with something that still fails, or its answers would be
/// worth nothing.
fn still_fails(
    tester: &Tester<'_>,
    settings: &Settings<'_>,
    stop: &CancelToken,
    failing: &[u8],
) -> Result<(), Error> {
    let seen = test(&*settings.retry.oracle(tester.oracle()), failing, stop);
    let seen = seen.map_err(|error| not_reproduced(error, None, tester))?;
    if seen.outcome == Outcome::Fail { Ok(()) } else { Err(Error::NoLongerReproduces) }
}

/// Tells the end of the time allowed from a request of the caller.
fn in_time(error: Error, stops: &Stops) -> Error {
    match error {
        Error::Interrupted { .. } if !stops.by_caller.is_set() => Error::NoTimeToBegin,
        error => error,
    }
}

/// How often a result is tested once more: what reproduces every third time is taken for reliable
/// in one of 27 runs.
const LAST_TESTS: usize = 3;

/// Tests a result a few times more; returns whether it is certain that it does not always
/// reproduce.
pub fn does_not_reproduce(context: &RunContext<'_>, result: &[u8]) -> bool {
    (0..LAST_TESTS).any(|_| context.confirm(result).is_some_and(|outcome| outcome != Outcome::Fail))
}

/// Checks before the first test that results can be written, and overwrite nothing that is not a
/// result.
fn check_places(places: &Places, may_replace: bool) -> Result<(), Error> {
    for path in &places.results {
        if places.are_directories && !may_replace {
            result_file::check_free(path)?;
        }
        let output = Output::new(path, path);
        match places.are_directories {
            true => output.check_directory(),
            false => output.check(),
        }
        .map_err(|error| Error::ResultNotWritten { error, rescued: None, result: None })?;
    }
    if let Some(directory) = &places.finds {
        use std::io::ErrorKind::{PermissionDenied, ReadOnlyFilesystem};
        match OtherCrashes::new(directory, &places.file).check() {
            Ok(()) => {}
            // Nobody asked for them: where no directory can be made (`-o /dev/stderr`), none is
            // kept.
            Err(error) if matches!(error.kind(), PermissionDenied | ReadOnlyFilesystem) => {}
            Err(error) => {
                let error = OutputError { path: directory.clone(), error };
                return Err(Error::ResultNotWritten { error, rescued: None, result: None });
            }
        }
    }
    Ok(())
}
