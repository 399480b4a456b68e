//! The driver of all runs, from the first test to the last event. Kinds of runs differ in what they
//! search for; everything else is here.

use std::cell::RefCell;
use std::time::Duration;

use minirepro_engine::{Answers, Outcome, StopReason};
use minirepro_runner::{
    CancelToken, Digest, DriveError, End, Fingerprint, JournalError, Limits, Observation, Oracle,
    OracleError, OtherCrashes, Output, OutputError, PreviousRun, Start, TestSpec, can_overhear,
    test,
};

use crate::error::{Error, FlakyResult};
use crate::fingerprint;
use crate::grammars::Languages;
use crate::observer::{Observer, Over, RunEvent};
use crate::outcome::{BaselineFacts, Verified};
use crate::request::{Journaling, Mode, Settings, Workers};
use crate::run::context::{Progress, RunContext, Stops, Tell};
use crate::run::endpoints::{Endpoints, NONSENSE, not_reproduced};
use crate::run::overwriting::{self, Places};
use crate::run::result_file::{self, not_written};
use crate::run::store::{self, RunStore};
use crate::run::workers;
use crate::tester::subject::{Subject, Test, Tester};

/// A kind of run.
pub trait Investigation {
    /// What the run gives.
    type Outcome;

    /// Returns what the search lies between.
    fn endpoints(&self) -> Endpoints<'_>;

    /// Returns what decides the run, apart from its test and its failing end.
    fn facts(&self, languages: &Languages) -> Fingerprint;

    /// Returns where things go.
    fn places(&self) -> Places;

    /// Returns what is known of the language of the input, if it has one.
    fn language(&self, _languages: &Languages) -> InputLanguage {
        InputLanguage::default()
    }

    /// Goes on with the input as it stands, since the form for which its language has a tree does
    /// not show the failure; `false` if that is the only one.
    fn fall_back(&mut self, _languages: &Languages) -> bool {
        false
    }

    /// Searches for all that is wanted.
    ///
    /// # Errors
    /// If a result cannot be written. That the search ended early is not an error.
    fn search(&mut self, context: &RunContext<'_>) -> Result<(), Error>;

    /// Returns all results one after the other, to tell ends of runs from each other.
    fn result(&self) -> Vec<u8>;

    /// Tests the results once more. Where one does not reproduce, it falls back to what does, if it
    /// can.
    ///
    /// # Errors
    /// If the fallback cannot be written.
    fn confirm_results(&mut self, context: &RunContext<'_>) -> Result<Option<FlakyResult>, Error>;

    /// Searches again what was found, or if nothing was searched, what it begins with.
    ///
    /// # Errors
    /// If it does not hold.
    fn verify(&self, context: &RunContext<'_>) -> Result<Verified, Error>;

    /// Returns what the run gives.
    fn outcome(self, baseline: BaselineFacts, stopped: Option<StopReason>) -> Self::Outcome;

    /// Returns the last event for this outcome.
    fn over(outcome: &Self::Outcome) -> Over<'_>;
}

/// The language of an input.
#[derive(Clone, Debug, Default)]
pub struct InputLanguage {
    /// Its name.
    pub name: Option<String>,
    /// The same as users are told of it: with the reason why it is this one, where that is not
    /// plain to see.
    pub with_reason: Option<String>,
    /// The language that the input is in by its name, if this build lacks it.
    pub absent: Option<String>,
}

impl InputLanguage {
    /// Returns it with what the first tests of an input of this name have shown.
    fn with(self, start: &Start, name: String, limits: Limits) -> BaselineFacts {
        let slowest = Duration::try_from_secs_f64(start.slowest).unwrap_or_default();
        let (tests, reliability) = (start.tests, start.reliability);
        let Self { with_reason: language, absent: absent_language, .. } = self;
        BaselineFacts { name, language, absent_language, tests, slowest, reliability, limits }
    }
}

/// Returns what hands events to an observer, if there is one.
fn teller<'o>(observer: Option<Box<dyn Observer + 'o>>) -> impl Fn(&RunEvent<'_>) + 'o {
    let observer = RefCell::new(observer);
    move |event| {
        if let Some(observer) = &mut *observer.borrow_mut() {
            observer.event(event);
        }
    }
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
    let tell = teller(settings.observer.take());
    let mut context = loop {
        match begin(&investigation, &settings, test, &tell) {
            Err(Error::LostByCanonicalForm { .. })
                if investigation.fall_back(&settings.languages) => {}
            begun => break begun?,
        }
    };
    investigation.search(&context)?;
    if let Mode::Verify(place) = &settings.journaling.mode {
        context.begin_verification(format!("the result of {}", place.display()));
        context.tell(&RunEvent::Verified(&investigation.verify(&context)?));
        return Ok(investigation.outcome(context.baseline, None));
    }
    conclude(investigation, context)
}

/// Checks all files, tests the input, opens or continues the journal, and puts together what the
/// search works with.
fn begin<'t>(
    investigation: &impl Investigation,
    settings: &'t Settings<'_>,
    test: &'t dyn Test,
    tell: Tell<'t>,
) -> Result<RunContext<'t>, Error> {
    let stops = Stops::new(settings)?;
    // Tells the end of the time allowed from a request of the caller.
    let in_time = |error| match error {
        Error::Interrupted if !stops.by_caller.is_set() => Error::NoTimeToBegin,
        error => error,
    };
    let places = investigation.places();
    check(&places, settings, test)?;
    let endpoints = investigation.endpoints();
    let language = investigation.language(&settings.languages);
    let mut tester = prepare(&endpoints, &language, &places, settings, test, &stops.any, tell)?;
    let mut store = open(investigation, &tester, &places, settings, tell)?;
    let start = match store.past.as_ref().and_then(|past| past.start.clone()) {
        Some(start) => start,
        None => test_input(&endpoints, &tester, settings, &stops.any, tell).map_err(in_time)?,
    };
    // A journal may hold any number.
    tester.set_time(Duration::try_from_secs_f64(start.time_limit).unwrap_or(Duration::MAX));
    let baseline = language.with(&start, endpoints.failing_name.clone(), tester.limits);
    let mut answers = Answers::default();
    answers.insert(endpoints.passing, start.passing.unwrap_or(Outcome::Unresolved));
    answers.insert(endpoints.failing, Outcome::Fail);
    let mut pool = None;
    if !store.is_replay {
        tell(&RunEvent::BaselineDone(&baseline));
        match store.is_continuing() {
            true => still_fails(&tester, settings, &stops.any, endpoints.failing),
            false => store.begin(start, endpoints.failing, tell),
        }
        .map_err(in_time)?;
        pool = workers::start(settings, &tester, &endpoints, &stops.any, tell).map_err(in_time)?;
    }
    let (budget, ended_for) = store.budget(settings);
    Ok(RunContext {
        tester,
        settings,
        baseline,
        answers,
        jobs: if store.is_replay { 1 } else { settings.jobs.max(1) },
        pool,
        budget,
        stops,
        ended_for,
        notes: RefCell::new(store.notes()),
        store,
        tell,
        is_silent: matches!(settings.journaling.mode, Mode::Verify(_)),
        progress: Progress::default(),
    })
}

/// Opens the journal.
///
/// # Errors
/// If one that was asked for cannot be used, or a run that should go on cannot.
fn open(
    investigation: &impl Investigation,
    tester: &Tester<'_>,
    places: &Places,
    settings: &Settings<'_>,
    tell: Tell<'_>,
) -> Result<RunStore, Error> {
    let mut plan = investigation.facts(&settings.languages);
    plan.extend(fingerprint::named([("--timeout", format!("{:?}", settings.limits.time))]));
    let store = RunStore::open(
        investigation.endpoints().failing,
        facts_of_test(tester, places, settings),
        plan,
        places.journal_beside.as_deref(),
        &settings.journaling,
        tell,
    )?;
    if let (true, Some(program)) = (store.is_continuing(), tester.program()) {
        program.recall_finds();
    }
    Ok(store)
}

/// Confirms the results, closes the journal, and tells how the run ended.
fn conclude<I: Investigation>(
    mut investigation: I,
    context: RunContext<'_>,
) -> Result<I::Outcome, Error> {
    let stopped = context.stopped();
    let broken = context.progress.broken.take();
    let result = investigation.result();
    let (result, bytes) = (Digest::of(&result), result.len() as u64);
    let end = End { stopped, result, bytes, tests: context.tests() };
    context.tester.oracle().begin_confirmation();
    let flaky = match broken.is_none() && !context.store.is_replay {
        true => investigation.confirm_results(&context)?,
        false => None,
    };
    let RunContext { notes, progress, store, tell, tester, baseline, .. } = context;
    match store.is_replay {
        true => store.judge(&end)?,
        false => store.finish(notes.into_inner(), end, tell),
    }
    // What is decided again has not been stopped, whatever became of the run of then.
    let outcome = investigation.outcome(baseline, stopped.filter(|_| !store.is_replay));
    tell(&RunEvent::Over(I::over(&outcome)));
    let reproduce = tester.reproduce;
    match (progress.trouble.into_inner(), broken, flaky) {
        (Some(error), _, _) => Err(error),
        (None, Some(DriveError::Oracle(error)), _) => Err(Error::TestBroken { error, reproduce }),
        (None, Some(DriveError::System(error)), _) => Err(Error::System(error)),
        (None, None, Some(flaky)) => Err(Error::ResultIsFlaky(flaky)),
        (None, None, None) => Ok(outcome),
    }
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
    let is_begun =
        |place| matches!(PreviousRun::read(place), Ok(_) | Err(JournalError::Version { .. }));
    let was_begun = !mode.is_replay() && journal.as_deref().is_some_and(is_begun);
    if !matches!(mode, Mode::Replay(_)) {
        test.spec().map_or(Ok(()), TestSpec::check).map_err(Error::Script)?;
    }
    overwriting::check(places, settings, test.spec().and_then(TestSpec::file))?;
    check_places(places, was_begun || settings.overwrite)?;
    store::check(&settings.journaling, beside)
}

/// Verifies an input, without a journal and workers.
///
/// # Errors
/// If it does not reproduce, or does not hold.
pub fn verify(
    investigation: &impl Investigation,
    settings: Settings<'_>,
    test: &dyn Test,
) -> Result<Verified, Error> {
    let (journaling, workers) = (Journaling::default(), Workers::default());
    let mut settings = Settings { journaling, workers, ..settings };
    let tell = teller(settings.observer.take());
    let context = begin(investigation, &settings, test, &tell)?;
    let verified = investigation.verify(&context)?;
    context.tell(&RunEvent::Verified(&verified));
    Ok(verified)
}

/// Gets the test ready.
fn prepare<'t>(
    endpoints: &Endpoints<'_>,
    language: &InputLanguage,
    places: &Places,
    settings: &Settings<'_>,
    test: &'t dyn Test,
    stop: &CancelToken,
    tell: Tell<'_>,
) -> Result<Tester<'t>, Error> {
    if matches!(settings.journaling.mode, Mode::Replay(_)) {
        let mut nobody = Tester::new(Nobody, settings.limits.of_first_tests());
        nobody.can_listen = test.spec().is_some() && can_overhear();
        return Ok(nobody);
    }
    let (file, language) = (&*places.file, language.name.as_deref());
    let input = endpoints.as_given();
    let mut subject = Subject::of(settings, file, input, language, test, stop, tell);
    subject.finds = places.finds.clone();
    test.prepare(&mut subject)
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
    stop: &CancelToken,
    tell: Tell<'_>,
) -> Result<Start, Error> {
    let limit = tester.reproduce.as_ref().map(|_| tester.limits.time);
    tell(&RunEvent::TestingInput { limit });
    let (mut start, accepts_nonsense) = endpoints.first_tests(tester, settings.retry, stop)?;
    if accepts_nonsense {
        tell(&RunEvent::NonsenseAccepted { text: NONSENSE });
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
        .map_err(not_written)?;
    }
    if let Some(directory) = &places.finds {
        use std::io::ErrorKind::{PermissionDenied, ReadOnlyFilesystem};
        match OtherCrashes::new(directory, &places.file).check() {
            // Nobody asked for them: where no directory can be made (`-o /dev/stderr`), none is
            // kept.
            Err(error) if !matches!(error.kind(), PermissionDenied | ReadOnlyFilesystem) => {
                return Err(not_written(OutputError { path: directory.clone(), error }));
            }
            _ => {}
        }
    }
    Ok(())
}
