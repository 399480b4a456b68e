//! What a run keeps on disk besides its result: the journal, which goes when the run is complete, and
//! the cache of answers. Decides whether an interrupted run goes on.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::Args;
use minirepro_runner::{
    Cache, Digest, End, Facts, Header, Journal, JournalError, Notes, Past, Recalled, Start,
};

use crate::exit::Exit;
use crate::failure::{Failure, quote};
use crate::figures::counted;
use crate::plan::Talk;

/// What to keep.
#[derive(Clone, Debug, Default, Args)]
pub struct Keep {
    /// Keep the journal of the run in DIR for good [default: OUT.minirepro until the run is complete]
    #[arg(long, value_name = "DIR")]
    pub journal: Option<PathBuf>,
    /// Begin anew even if the same run was interrupted before
    #[arg(long)]
    pub restart: bool,
    /// Keep the answers of the test in DIR, for all runs with the same test and tools
    #[arg(long, value_name = "DIR")]
    pub cache: Option<PathBuf>,
}

/// Where a run was started, and how.
#[derive(Clone, Debug)]
pub struct Typed {
    /// The working directory.
    pub directory: PathBuf,
    /// The words behind the program's name.
    pub arguments: Vec<OsString>,
}

impl Typed {
    /// As this process was started.
    pub fn here() -> Self {
        let directory = std::env::current_dir().unwrap_or_default();
        Self { directory, arguments: std::env::args_os().skip(1).collect() }
    }
}

/// Whether a run begins or goes on.
#[derive(Clone, Copy, Debug)]
pub enum Way<'a> {
    /// It begins, or goes on if there is one.
    Begin,
    /// The one in this journal goes on.
    Resume(&'a Path),
    /// The one in this journal is decided again, without any test.
    Replay(&'a Path),
    /// The same, and then its results are searched again, with tests.
    Verify(&'a Path),
}

/// What a run is, for its journal.
#[derive(Debug)]
pub struct Identity<'a> {
    /// The bytes that it begins with.
    pub input: &'a [u8],
    /// What decides the answers of the test.
    pub test: Facts,
    /// What else decides the run.
    pub plan: Facts,
    /// What to keep.
    pub keep: &'a Keep,
    /// The result beside which the journal is, if there is a file or directory.
    pub result: Option<&'a Path>,
    /// How much to show.
    pub talk: Talk,
}

/// The journal and the cache of a run.
#[derive(Debug)]
pub struct Kept {
    journal: Option<Journal>,
    /// The interrupted run that goes on.
    pub past: Option<Past>,
    cache: Option<Cache>,
    /// Where the journal is.
    place: Option<PathBuf>,
    header: Header,
    /// Why there is no journal.
    missing: Option<String>,
    /// The journal stays when the run is complete.
    stays: bool,
    talk: Talk,
    /// A run was begun here before, this one or another.
    pub was_begun: bool,
    /// No test may be run.
    pub is_replay: bool,
    /// Afterwards the results are to be searched again.
    pub verifies: bool,
}

impl Kept {
    /// Finds out whether there is a run that goes on; some `way`s demand it.
    ///
    /// # Errors
    /// When the journal or the cache that the user wants cannot be used, or another process is at work
    /// there, or nothing can go on.
    pub fn new(identity: Identity<'_>, typed: &Typed, way: Way<'_>) -> Result<Self, Failure> {
        let Identity { input, mut test, plan, keep, result, talk } = identity;
        let replayed = match way {
            Way::Replay(place) | Way::Verify(place) => Some(Past::read(place).map_err(unusable)?),
            _ => None,
        };
        // Nothing asks the test, so it need not be as it was.
        test = replayed.as_ref().map_or(test, |past| past.header.test.clone());
        let verifies = matches!(way, Way::Verify(_));
        let is_replay = verifies || matches!(way, Way::Replay(_));
        let cache = keep.cache.as_ref().filter(|_| !is_replay);
        let cache = cache.map(|place| Cache::open(place, &test)).transpose().map_err(unusable)?;
        let (directory, arguments) = (&typed.directory, &typed.arguments);
        let header =
            Header::new(env!("CARGO_PKG_VERSION"), directory, arguments, input, test, plan);
        let stays = keep.journal.is_some();
        let (journal, past, place, missing, was_begun) = (None, None, None, None, false);
        let mut kept = Self {
            journal,
            past,
            cache,
            place,
            header,
            missing,
            stays,
            talk,
            was_begun,
            is_replay,
            verifies,
        };
        let (place, resume) = match way {
            Way::Begin => (keep.journal.clone().or_else(|| result.map(beside)), false),
            Way::Resume(place) => (Some(place.to_owned()), true),
            Way::Replay(place) | Way::Verify(place) => {
                kept.past = replayed;
                return kept.can_replay(place).map(|()| kept);
            }
        };
        match place.map(|place| (Journal::open(&place), place)) {
            None => {}
            Some((Ok((journal, past)), place)) => {
                kept.was_begun = past.is_some();
                let past = past.filter(|_| resume || !keep.restart);
                kept.past = going_on(past, &kept.header, &place, resume, talk)?;
                kept.journal = Some(journal);
                kept.place = Some(place);
            }
            // What nobody asked for must not keep the run from beginning.
            Some((Err(error @ JournalError::Io { .. }), _)) if !stays => {
                kept.missing = Some(error.to_string());
            }
            Some((Err(error), _)) => return Err(unusable(error)),
        }
        if let Some(cache) = kept.cache.as_ref().filter(|_| talk > Talk::Quiet) {
            eprintln!("{} in the cache", counted(cache.answers() as u64, "answer"));
        }
        Ok(kept)
    }

    fn can_replay(&self, place: &Path) -> Result<(), Failure> {
        let Some(past) = &self.past else { return Ok(()) };
        let differences = past.header.differences(&self.header).join(", ");
        if !differences.is_empty() {
            let message = format!("cannot replay: {differences} changed since the run began");
            return Err(Failure::new(Exit::Usage, message));
        }
        if past.start.is_none() {
            let message = format!("{} ends before the search began", place.display());
            return Err(Failure::new(Exit::Usage, message));
        }
        Ok(())
    }

    /// The tests before the search are done; what they showed.
    ///
    /// # Errors
    /// When a journal that the user wants cannot be written.
    pub fn begin(&mut self, start: Start, input: &[u8]) -> Result<(), Failure> {
        if let Some(why) = self.missing.as_ref().filter(|_| self.talk > Talk::Quiet) {
            eprintln!("no journal, so this run could not be resumed: {why}");
        }
        let Some(journal) = self.journal.as_mut().filter(|_| self.past.is_none()) else {
            return Ok(());
        };
        match journal.begin(self.header.clone(), input) {
            Ok(()) => journal.start(start),
            Err(error) if self.stays => return Err(unusable(error)),
            // The end of the run says so.
            Err(_) => {}
        }
        Ok(())
    }

    /// What takes the answers, and gives the known ones.
    pub fn parts(&mut self) -> (Option<&Past>, Option<&mut Journal>, Option<&mut Cache>) {
        (self.past.as_ref(), self.journal.as_mut(), self.cache.as_mut())
    }

    /// The answers of a run of several sessions, which take the place of the [parts](Self::parts) until
    /// they are [given back](Self::take_back).
    pub fn notes(&mut self) -> Notes {
        match &self.past {
            Some(past) if self.is_replay => Notes::replayed(past),
            past => Notes::new(past.as_ref(), self.journal.take(), self.cache.take()),
        }
    }

    /// What to do if the run ends early.
    pub fn how_to_go_on(&self) -> String {
        let place = self.place.as_ref().map(|place| quote(place.as_os_str()));
        place.map_or_else(String::new, |place| format!("To go on: minirepro resume {place}\n"))
    }

    /// The run is over, these were its answers.
    pub fn take_back(&mut self, notes: Notes) {
        let Recalled { journal, cache } = notes.recalled();
        for (number, whose) in [(journal, "before it was interrupted"), (cache, "the cache")] {
            if number > 0 && self.talk > Talk::Quiet {
                eprintln!("  {} came from {whose}", counted(number, "answer"));
            }
        }
        (self.journal, self.cache) = notes.into_parts();
    }

    /// The run is over: notes it, removes the journal if it is not needed any more, and says how to go
    /// on if the run ended early and that was not `wanted`.
    pub fn finish(self, stopped: Option<String>, tests: u64, best: &[u8], wanted: bool) {
        let Self { journal, cache, stays, talk, .. } = self;
        let say = |text: String| {
            if talk > Talk::Quiet {
                eprintln!("{text}");
            }
        };
        if let Some(error) = cache.as_ref().and_then(Cache::error) {
            say(format!("  not all answers are in the cache: {error}"));
        }
        let Some(mut journal) = journal else { return };
        let can_go_on = stopped.is_some() && !wanted;
        let (result, bytes) = (Digest::of(best), best.len() as u64);
        journal.end(End { stopped, result, bytes, tests });
        let place = quote(journal.directory().as_os_str());
        match (journal.error(), can_go_on) {
            (Some(error), true) => {
                say(format!("  {place} could not be written ({error}): resuming repeats tests"));
            }
            (Some(error), false) if stays => {
                say(format!("  the journal {place} is not complete: {error}"));
            }
            (None, true) => say(format!("  to go on: minirepro resume {place}")),
            (None, false) if stays => say(format!("  journal: {place}")),
            (_, false) => journal.remove(),
        }
    }
}

/// `OUT.minirepro`
fn beside(result: &Path) -> PathBuf {
    let mut name = result.to_owned().into_os_string();
    name.push(".minirepro");
    name.into()
}

/// The past run, if it is the same as this one.
fn going_on(
    past: Option<Past>,
    header: &Header,
    place: &Path,
    resume: bool,
    talk: Talk,
) -> Result<Option<Past>, Failure> {
    let place = place.display();
    let Some(past) = past else {
        let nothing = format!("{place} holds no run that was begun");
        return if resume { Err(Failure::new(Exit::Usage, nothing)) } else { Ok(None) };
    };
    let differences = past.header.differences(header).join(", ");
    if resume && !differences.is_empty() {
        let message = format!("cannot go on: {differences} changed since the run began");
        let advice = format!(
            "What the run began with is {place}/input. Put things back as they were, or begin \
             anew with the command of then:\n  {}\n",
            command(&past.header)
        );
        return Err(Failure::new(Exit::Usage, message).advise(advice));
    }
    let going_on = differences.is_empty() && past.start.is_some();
    if talk > Talk::Quiet {
        let answers = counted(past.answers() as u64, "answer");
        if going_on {
            let hint = if resume { "" } else { " (--restart begins anew)" };
            eprintln!("going on with the run in {place}: {answers} known{hint}");
        } else if past.answers() > 0 {
            eprintln!("{place} was about another run ({differences} changed): beginning anew");
        }
    }
    Ok(Some(past).filter(|_| going_on))
}

/// The command that began a run.
pub fn command(header: &Header) -> String {
    let words: Vec<String> = header.arguments().iter().map(|word| quote(word)).collect();
    format!("cd {} && minirepro {}", quote(header.directory().as_os_str()), words.join(" "))
}

/// The journal or the cache is of no use.
pub fn unusable(error: JournalError) -> Failure {
    let exit = match error {
        JournalError::Io { .. } => Exit::NotWritten,
        _ => Exit::Usage,
    };
    Failure::new(exit, error)
}
