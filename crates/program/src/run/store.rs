//! What a run keeps on disk besides its results: the journal, which goes when the run is complete.
//! Decides whether an interrupted run goes on.

use std::path::{Path, PathBuf};

use minirepro_engine::{Budget, StopReason};
use minirepro_runner::{
    AnswerStore, End, Fingerprint, Header, Journal, JournalError, PreviousRun, Record, Start,
};

use crate::error::{Error, Invocation};
use crate::observer::RunEvent;
use crate::paths;
use crate::request::{JournalPlace, Journaling, Mode, Settings};
use crate::run::context::Tell;

/// The journal of a run.
#[derive(Debug)]
pub struct RunStore {
    /// The run whose answers are known, if there is one: it goes on, unless it is only decided
    /// again.
    pub past: Option<PreviousRun>,
    /// Whether a run is decided again: no test may be run.
    pub is_replay: bool,
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
        (Mode::Resume(place) | Mode::Replay(place) | Mode::Verify(place), _)
        | (Mode::Begin, JournalPlace::At(place)) => Some(place.clone()),
        (Mode::Begin, JournalPlace::BesideResult) => result.map(paths::journal_beside),
        (Mode::Begin, JournalPlace::Nowhere) => None,
    }
}

impl RunStore {
    /// Opens the journal of a run that begins with `input`, and finds out whether there is a run
    /// that goes on. `test` is what decides the answers of the test, `plan` what else decides the
    /// run. The journal may be beside `result`.
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
        let place = place(journaling, result);
        let replayed = place.as_deref().filter(|_| mode.is_replay());
        let replayed = replayed.map(PreviousRun::read).transpose()?;
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
        let is_replay = replayed.is_some();
        let stays = journaling.journal.is_for_good();
        let mut store = Self { past: None, is_replay, journal: None, header, missing: None, stays };
        match (place, replayed) {
            (None, _) => {}
            (Some(place), Some(past)) => {
                store.check_same(&past, &place)?;
                if past.start.is_none() {
                    return Err(Error::NothingToReplay(place));
                }
                store.past = Some(past);
            }
            (Some(place), None) => store.open_journal(place, journaling, tell)?,
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
        let (journal, past) = match opened(&place, &journaling.mode) {
            // The journal was not asked for, so a run without one is better than none.
            Err(error @ JournalError::Write { .. }) if !self.stays && !resumes => {
                self.missing = Some(error.to_string());
                return Ok(());
            }
            opened => opened?,
        };
        self.journal = Some(journal);
        let Some(past) = past.filter(|_| resumes || !journaling.fresh) else {
            return if resumes { Err(JournalError::Empty(place).into()) } else { Ok(()) };
        };
        if resumes {
            self.check_same(&past, &place)?;
        }
        let changed = past.header.differences(&self.header);
        let answers = past.answers();
        if changed.is_empty() && past.start.is_some() {
            tell(&RunEvent::Resuming { journal: &place, answers, requested: resumes });
            self.past = Some(past);
        } else if answers > 0 {
            tell(&RunEvent::OtherRunReplaced { journal: &place, changed: &changed });
        }
        Ok(())
    }

    /// Checks that a past run is the same as this one.
    fn check_same(&self, past: &PreviousRun, place: &Path) -> Result<(), Error> {
        let changed = past.header.differences(&self.header);
        if changed.is_empty() {
            return Ok(());
        }
        let began_as = Invocation {
            directory: past.header.directory.clone(),
            arguments: past.header.arguments.clone(),
        };
        let (journal, is_replay) = (place.to_owned(), self.is_replay);
        Err(Error::CannotResume { journal, changed, began_as, is_replay })
    }

    /// Returns whether an interrupted run goes on.
    pub fn is_continuing(&self) -> bool {
        self.past.is_some() && !self.is_replay
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
            // The end of the run says so, unless somebody else has begun a run here since we
            // looked.
            Err(error) => match error {
                JournalError::Busy(_) | JournalError::NotOurs(_) => return Err(error.into()),
                _ if self.stays => return Err(error.into()),
                _ => {}
            },
        }
        Ok(())
    }

    /// Returns when the run stops early, and why it did that is decided again.
    pub fn budget(&self, settings: &Settings<'_>) -> (Budget, Option<StopReason>) {
        let Some(past) = self.past.as_ref().filter(|_| self.is_replay) else {
            return (settings.budget.clone(), None);
        };
        // It gets as many tests as the run had: look-ahead may have found answers that the run did
        // not come to use.
        let ended = past.end.as_ref().filter(|end| end.stopped.is_some());
        let max_tests = ended.map(|end| end.tests);
        (Budget { max_tests, ..Budget::default() }, ended.and_then(|end| end.stopped))
    }

    /// Returns the answers of the run, which hold the journal.
    pub fn notes(&mut self) -> AnswerStore {
        match &self.past {
            Some(past) if self.is_replay => AnswerStore::replayed(past),
            past => AnswerStore::new(past.as_ref(), self.journal.take()),
        }
    }

    /// Notes that the run is over, and removes the journal if it is not needed any more.
    pub fn finish(&self, notes: AnswerStore, end: End, tell: Tell<'_>) {
        let Some(mut journal) = notes.into_journal() else { return };
        let can_go_on = end.stopped.is_some_and(|why| why != StopReason::SmallEnough);
        journal.add(&Record::End(end));
        let place = journal.directory().to_owned();
        match journal.error().map(ToString::to_string) {
            Some(error) if can_go_on || self.stays => {
                let error = &error;
                tell(&RunEvent::JournalIncomplete { journal: &place, error, can_go_on });
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
        // A run that was killed has no end to compare with.
        let Some((past, then)) =
            self.past.as_ref().and_then(|past| Some((past, past.end.as_ref()?)))
        else {
            return Ok(());
        };
        let is_complete = end.stopped != Some(StopReason::JournalExhausted);
        // A run that ended early may have been about to ask a question.
        let may_end_here = is_complete || then.stopped.is_some();
        if may_end_here && then.result == end.result && then.tests == end.tests {
            return Ok(());
        }
        let (tests, expected, made_by) = (end.tests, then.tests, past.header.minirepro.clone());
        Err(Error::ReplayDiffers { is_complete, tests, expected, made_by })
    }
}

/// Opens a journal. Only a run that somebody wants to go on with may be another user's.
fn opened(place: &Path, mode: &Mode) -> Result<(Journal, Option<PreviousRun>), JournalError> {
    match mode {
        Mode::Resume(_) => Journal::open_agreed(place),
        Mode::Begin | Mode::Replay(_) | Mode::Verify(_) => Journal::open(place),
    }
}

/// Checks before the first test that the journal can be used.
///
/// # Errors
/// If something else has its name, another process is at work there, or it was asked for and cannot
/// be written.
pub fn check(journaling: &Journaling, result: Option<&Path>) -> Result<(), Error> {
    let place = place(journaling, result).filter(|_| !journaling.mode.is_replay());
    match place.map(|place| opened(&place, &journaling.mode)) {
        // Without a journal that nobody asked for, the run goes on.
        Some(Err(JournalError::Read { .. } | JournalError::Write { .. }))
            if !journaling.journal.is_for_good() => {}
        opened => drop(opened.transpose()?),
    }
    Ok(())
}
