//! What a run keeps on disk besides its result: the journal, which goes when the run is complete, and
//! the cache of answers. Decides whether an interrupted run goes on.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::Args;
use minirepro_engine::{Budget, Summary};
use minirepro_runner::{Cache, Digest, End, Header, Journal, JournalError, Past, Start};

use crate::exit::Exit;
use crate::facts;
use crate::failure::{Failure, quote};
use crate::figures::counted;
use crate::oracle::UserTest;
use crate::plan::{Reduction, Talk, Target};

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

/// The journal and the cache of a run.
#[derive(Debug)]
pub struct Kept {
    journal: Option<Journal>,
    /// The interrupted run that goes on.
    pub past: Option<Past>,
    cache: Option<Cache>,
    header: Header,
    /// Why there is no journal.
    missing: Option<String>,
    /// The journal stays when the run is complete.
    stays: bool,
    talk: Talk,
}

impl Kept {
    /// Finds out whether there is a run that goes on. `resume` demands it, and says where it is.
    ///
    /// # Errors
    /// When the journal or the cache that the user wants cannot be used, or another process is at work
    /// there, or nothing can go on.
    pub fn new(
        reduction: &Reduction,
        test: &UserTest,
        typed: &Typed,
        resume: Option<&Path>,
    ) -> Result<Self, Failure> {
        let test_facts = facts::of_test(reduction, test);
        let cache = reduction.keep.cache.as_ref().map(|place| Cache::open(place, &test_facts));
        let cache = cache.transpose().map_err(unusable)?;
        let header = Header::new(
            env!("CARGO_PKG_VERSION"),
            &typed.directory,
            &typed.arguments,
            &reduction.plan.input,
            test_facts,
            facts::of_plan(reduction),
        );
        let stays = reduction.keep.journal.is_some();
        let talk = reduction.talk;
        let mut missing = None;
        let place = resume.map(Path::to_owned).or_else(|| place(reduction));
        let (journal, past) = match place.map(|place| (Journal::open(&place), place)) {
            None => (None, None),
            Some((Ok((journal, past)), place)) => {
                let past = past.filter(|_| resume.is_some() || !reduction.keep.restart);
                (Some(journal), going_on(past, &header, &place, resume.is_some(), talk)?)
            }
            // What nobody asked for must not keep the run from beginning.
            Some((Err(error @ JournalError::Io { .. }), _)) if !stays => {
                missing = Some(error.to_string());
                (None, None)
            }
            Some((Err(error), _)) => return Err(unusable(error)),
        };
        if let Some(cache) = cache.as_ref().filter(|_| talk > Talk::Quiet) {
            eprintln!("{} in the cache", counted(cache.answers() as u64, "answer"));
        }
        Ok(Self { journal, past, cache, header, missing, stays, talk })
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

    /// The run is over: notes it, removes the journal if it is not needed any more, and says how to go
    /// on if the run ended early, other than by being small `enough`.
    pub fn finish(self, summary: &Summary, best: &[u8], enough: &Budget) {
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
        journal.end(End {
            stopped: summary.stopped.clone(),
            result: Digest::of(best),
            bytes: best.len() as u64,
            tests: summary.tests,
        });
        let place = quote(journal.directory().as_os_str());
        let is_enough = enough.stop_at_tokens.is_some_and(|least| summary.tokens.1 <= least)
            || enough.stop_at_bytes.is_some_and(|least| summary.bytes.1 <= least);
        match (journal.error(), summary.stopped.is_some() && !is_enough) {
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

/// Where the journal is: beside a result that is a file, or where the user says.
fn place(reduction: &Reduction) -> Option<PathBuf> {
    let wanted = || match &reduction.target {
        Target::File(path) if path.is_file() || !path.exists() => {
            let mut name = path.clone().into_os_string();
            name.push(".minirepro");
            Some(PathBuf::from(name))
        }
        _ => None,
    };
    reduction.keep.journal.clone().or_else(wanted)
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
