//! What a run keeps on disk besides its results: the journal, which goes when the run is complete.
//! Decides whether an interrupted run goes on.

use std::path::{Path, PathBuf};

use minirepro_engine::StopReason;
use minirepro_runner::{
    AnswerStore, End, Fingerprint, Header, Journal, JournalError, PreviousRun, Record, Start,
};

use crate::error::{Error, Invocation};
use crate::observer::RunEvent;
use crate::paths;
use crate::request::{JournalPlace, Journaling, Mode};
use crate::run::context::Tell;

/// Whether answers of an earlier run are known, and what they are for.
#[derive(Debug)]
enum History {
    /// There is no earlier run.
    Fresh,
    /// An interrupted run goes on.
    Continuing(PreviousRun),
    /// A run is decided again; no test may be run.
    Replaying(PreviousRun),
}

/// The journal of a run.
#[derive(Debug)]
pub struct RunStore {
    history: History,
    journal: Option<Journal>,
    header: Header,
    /// Why there is no journal although there should be one.
    missing: Option<String>,
    /// The journal stays when the run is complete.
    stays: bool,
}

/// Returns where the journal of a run is, if it has one.
pub fn place(journaling: &Journaling, result: Option<&Path>) -> Option<PathBuf> {
    match (&journaling.mode, &journaling.journal) {
        (Mode::Resume(place) | Mode::Replay(place) | Mode::Verify(place), _) => Some(place.clone()),
        (Mode::Begin, JournalPlace::At(place)) => Some(place.clone()),
        (Mode::Begin, JournalPlace::BesideResult) => result.map(paths::journal_beside),
        (Mode::Begin, JournalPlace::Nowhere) => None,
    }
}

impl RunStore {
    /// Opens the journal of a run that begins with `input`, and finds out whether there is a run that
    /// goes on. `test` is what decides the answers of the test, `plan` what else decides the run.
    /// The journal may be beside `result`.
    ///
    /// # Errors
    /// If a journal that was asked for cannot be used, another process is at work there, or a run
    /// that should go on cannot.
    pub fn open(
        input: &[u8],
        mut test: Fingerprint,
        plan: Fingerprint,
        result: Option<&Path>,
        journaling: &Journaling,
        tell: Tell<'_>,
    ) -> Result<Self, Error> {
        let mode = &journaling.mode;
        let replayed = match mode {
            Mode::Replay(place) | Mode::Verify(place) => Some(PreviousRun::read(place)?),
            Mode::Begin | Mode::Resume(_) => None,
        };
        if let Some(past) = &replayed {
            if matches!(mode, Mode::Verify(_)) && past.header.test != test {
                tell(&RunEvent::TestChanged);
            }
            // Nothing asks the test, so it need not be as it was.
            test = past.header.test.clone();
        }
        let Invocation { directory, arguments } = &journaling.invocation;
        let header =
            Header::new(env!("CARGO_PKG_VERSION"), directory, arguments, input, test, plan);
        let mut store = Self {
            history: History::Fresh,
            journal: None,
            header,
            missing: None,
            stays: journaling.journal.is_for_good(),
        };
        let Some(place) = place(journaling, result) else { return Ok(store) };
        match replayed {
            Some(past) => {
                store.can_replay(&past, &place)?;
                store.history = History::Replaying(past);
            }
            None => store.open_journal(place, journaling, tell)?,
        }
        Ok(store)
    }

    fn open_journal(
        &mut self,
        place: PathBuf,
        journaling: &Journaling,
        tell: Tell<'_>,
    ) -> Result<(), Error> {
        let resumes = matches!(journaling.mode, Mode::Resume(_));
        match opened(&place, &journaling.mode) {
            Ok((journal, past)) => {
                let past = past.filter(|_| resumes || !journaling.fresh);
                if let Some(past) = self.going_on(past, &place, resumes, tell)? {
                    self.history = History::Continuing(past);
                }
                self.journal = Some(journal);
                Ok(())
            }
            // The journal was not asked for, so a run without one is better than none.
            Err(error @ JournalError::Write { .. }) if !self.stays && !resumes => {
                self.missing = Some(error.to_string());
                Ok(())
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Returns the past run if it is the same as this one.
    fn going_on(
        &self,
        past: Option<PreviousRun>,
        place: &Path,
        resumes: bool,
        tell: Tell<'_>,
    ) -> Result<Option<PreviousRun>, Error> {
        let Some(past) = past else {
            let nothing = JournalError::Empty(place.to_owned());
            return if resumes { Err(nothing.into()) } else { Ok(None) };
        };
        let changed = past.header.differences(&self.header);
        if resumes && !changed.is_empty() {
            return Err(cannot_resume(&past, place, changed, false));
        }
        if changed.is_empty() && past.start.is_some() {
            let answers = past.answers();
            tell(&RunEvent::Resuming { journal: place, answers, requested: resumes });
            return Ok(Some(past));
        }
        if past.answers() > 0 {
            tell(&RunEvent::OtherRunReplaced { journal: place, changed: &changed });
        }
        Ok(None)
    }

    fn can_replay(&self, past: &PreviousRun, place: &Path) -> Result<(), Error> {
        let changed = past.header.differences(&self.header);
        if !changed.is_empty() {
            return Err(cannot_resume(past, place, changed, true));
        }
        if past.start.is_none() {
            return Err(Error::NothingToReplay { journal: place.to_owned() });
        }
        Ok(())
    }

    /// Returns the run whose answers are known, if there is one.
    pub fn past(&self) -> Option<&PreviousRun> {
        match &self.history {
            History::Fresh => None,
            History::Continuing(past) | History::Replaying(past) => Some(past),
        }
    }

    /// Returns whether an interrupted run goes on.
    pub fn is_continuing(&self) -> bool {
        matches!(self.history, History::Continuing(_))
    }

    /// Returns whether no test may be run.
    pub fn is_replay(&self) -> bool {
        matches!(self.history, History::Replaying(_))
    }

    /// Notes that the tests before the search are done, and what they showed.
    ///
    /// # Errors
    /// If a journal that was asked for cannot be written.
    pub fn begin(&mut self, start: Start, input: &[u8], tell: Tell<'_>) -> Result<(), Error> {
        if let Some(error) = &self.missing {
            tell(&RunEvent::NoJournal { error });
        }
        let Some(journal) = &mut self.journal else { return Ok(()) };
        match journal.begin(self.header.clone(), input) {
            Ok(()) => journal.add(&Record::Start(start)),
            // Somebody else has begun a run here since we looked.
            Err(error @ (JournalError::Busy(_) | JournalError::NotOurs(_))) => {
                return Err(error.into());
            }
            Err(error) if self.stays => return Err(error.into()),
            // The end of the run says so.
            Err(_) => {}
        }
        Ok(())
    }

    /// Returns the answers of the run, which hold the journal until it is
    /// [given back](Self::take_back).
    pub fn notes(&mut self) -> AnswerStore {
        match &self.history {
            History::Replaying(past) => AnswerStore::replayed(past),
            History::Continuing(past) => AnswerStore::new(Some(past), self.journal.take()),
            History::Fresh => AnswerStore::new(None, self.journal.take()),
        }
    }

    /// Takes the journal back, since the run is over.
    pub fn take_back(&mut self, notes: AnswerStore) {
        self.journal = notes.into_journal();
    }

    /// Notes that the run is over, and removes the journal if it is not needed any more.
    pub fn finish(self, end: End, tell: Tell<'_>) {
        let Some(mut journal) = self.journal else { return };
        let can_go_on = end.stopped.is_some_and(|why| why != StopReason::SmallEnough);
        journal.add(&Record::End(end));
        let place = journal.directory().to_owned();
        match journal.error().map(ToString::to_string) {
            Some(error) if can_go_on || self.stays => {
                let event =
                    RunEvent::JournalIncomplete { journal: &place, error: &error, can_go_on };
                tell(&event);
            }
            None if can_go_on => tell(&RunEvent::CanGoOn { journal: &place }),
            None if self.stays => tell(&RunEvent::JournalKept { journal: &place }),
            _ => journal.remove(),
        }
    }

    /// Compares the end of a run that was decided again to the end that its journal says.
    ///
    /// # Errors
    /// If they differ.
    pub fn judge(&self, end: &End) -> Result<(), Error> {
        let Some(past) = self.past() else { return Ok(()) };
        let is_complete = end.stopped != Some(StopReason::JournalExhausted);
        // A run that was killed has no end to compare with.
        let Some(then) = &past.end else { return Ok(()) };
        // A run that ended early may have been about to ask a question.
        let may_end_here = is_complete || then.stopped.is_some();
        if may_end_here && then.result == end.result && then.tests == end.tests {
            return Ok(());
        }
        Err(Error::ReplayDiffers {
            is_complete,
            tests: end.tests,
            expected: then.tests,
            made_by: past.header.minirepro.clone(),
        })
    }
}

/// Opens a journal. Only a run that somebody wants to go on with may be another user's.
fn opened(place: &Path, mode: &Mode) -> Result<(Journal, Option<PreviousRun>), JournalError> {
    match mode {
        Mode::Resume(_) => Journal::open_agreed(place),
        Mode::Begin | Mode::Replay(_) | Mode::Verify(_) => Journal::open(place),
    }
}

fn cannot_resume(past: &PreviousRun, place: &Path, changed: Vec<String>, is_replay: bool) -> Error {
    let began_as = Invocation {
        directory: past.header.directory.clone(),
        arguments: past.header.arguments.clone(),
    };
    Error::CannotResume { journal: place.to_owned(), changed, began_as, is_replay }
}

/// Checks before the first test that the journal can be used.
///
/// # Errors
/// If something else has its name, another process is at work there, or it was asked for and cannot
/// be written.
pub fn check(journaling: &Journaling, result: Option<&Path>) -> Result<(), Error> {
    if journaling.mode.is_replay() {
        return Ok(());
    }
    if let Some(place) = place(journaling, result) {
        let is_wanted = journaling.journal.is_for_good();
        match opened(&place, &journaling.mode) {
            // Without a journal that nobody asked for, the run goes on.
            Err(JournalError::Read { .. } | JournalError::Write { .. }) if !is_wanted => {}
            opened => drop(opened?),
        }
    }
    Ok(())
}
