//! The events of a run as text: progress and summaries on standard error, what was found on
//! standard output.

use std::path::{Path, PathBuf};
use std::time::Instant;

use minirepro_program::{
    Difference, Examined, Format, Reduced, RetryPolicy, RunEvent, Summary, Verified,
};

use super::baseline::{self, of_baseline};
use super::certificate::{certified, edit_kinds};
use super::course::Course;
use super::diff::unified;
use super::includes::not_reduced;
use super::numbers::{counted, time};
use super::patch::patch;
use super::progress::Progress;
use super::reason::proposer_gone;
use super::shell::{quote, quote_all};
use super::sinks::Sink;
use super::summary;
use super::terminal::{self, error, output, output_as_it_is, say, shown};
use super::verbosity::Verbosity;

/// If at least this many tests were in vain, the last words say how else an input can be read.
const MANY_IN_VAIN: u64 = 100;

/// Shows a run as text.
pub struct Text {
    /// How much to show.
    pub verbosity: Verbosity,
    /// Whether a line may change in its place.
    pub may_be_live: bool,
    /// How often a candidate is tested.
    pub retry: RetryPolicy,
    /// Whether both ends of an isolation are directories or revisions.
    pub are_versions: bool,
    /// The compiler of C or C++ that the test runs, if that is known.
    pub compiler: Option<String>,
    /// When the run began.
    pub begun: Instant,
    /// How far something is.
    pub progress: Option<Progress>,
    /// How sure the answers of a flaky test are.
    pub confidence: Option<String>,
    /// What there is to say when the screen is free again; `None` if nothing else is on it.
    pub held: Option<Vec<String>>,
}

impl Sink for Text {
    fn event(&mut self, event: &RunEvent<'_>) {
        match *event {
            RunEvent::Learning { limit } => self.wait(&baseline::learning(limit)),
            RunEvent::TestingInput { limit } => self.wait(&baseline::testing(limit)),
            RunEvent::StartingWorkers { .. } => self.wait("starting workers"),
            RunEvent::BaselineDone(facts) => {
                self.tell(&of_baseline(facts));
                let input = facts.reliability.as_ref();
                self.confidence = input.map(|input| summary::confidence(self.retry, input));
            }
            RunEvent::ReductionBegins { tokens, bytes, .. } if self.held.is_none() => {
                self.show(Course::new(tokens, bytes));
            }
            RunEvent::IsolationBegins if self.held.is_none() => {
                let mut course = Course::new(0, 0);
                course.narrowed = Some(0);
                self.show(course);
            }
            RunEvent::Step { event, now, reused } => {
                if let Some(progress) = &mut self.progress {
                    progress.event(event, now, reused);
                }
            }
            RunEvent::SessionEnds => self.progress = None,
            RunEvent::Reduced(reduced) => self.reduced(reduced),
            RunEvent::Narrowed(measured) => {
                self.tell(&summary::of_isolation(measured, self.begun.elapsed()));
            }
            RunEvent::DifferenceFound(found) => self.difference_found(found),
            RunEvent::WordsFound { set, words } => {
                output(format_args!("{}\n", chosen(words, set)));
            }
            RunEvent::Verified(verified) => say_verified(verified),
            RunEvent::Over(_) => self.release(),
            _ => self.tell(&said(event)),
        }
    }
}

impl Drop for Text {
    fn drop(&mut self) {
        self.release();
    }
}

impl Text {
    /// Says what was to be said meanwhile.
    fn release(&mut self) {
        for text in self.held.take().unwrap_or_default() {
            error(format_args!("{text}"));
        }
    }

    /// Tells text of whole lines, if there is any.
    fn tell(&mut self, text: &str) {
        if self.verbosity == Verbosity::Quiet || text.is_empty() {
            return;
        }
        self.progress.iter().for_each(Progress::clear);
        match &mut self.held {
            Some(held) => held.push(text.to_owned()),
            None => error(format_args!("{text}")),
        }
    }

    /// Begins to show how far something is.
    fn show(&mut self, course: Course) {
        self.progress = Some(Progress::new(self.verbosity, self.may_be_live, course));
    }

    fn wait(&mut self, what: &str) {
        if self.held.is_none() {
            self.progress = Some(Progress::waiting(self.verbosity, self.may_be_live, what));
        }
    }

    fn reduced(&mut self, reduced: &Reduced) {
        let name = terminal::name(&reduced.name);
        let mut text = summary::of_reduction(&name, &reduced.figures, self.begun.elapsed());
        if let Some(files) = reduced.files {
            text += &summary::files(files, &reduced.text);
        }
        if reduced.guard_runs > 0 {
            let runs = counted(reduced.guard_runs, "run");
            text += &format!("  {runs} of --require commands\n");
        }
        let certificate = &reduced.figures.session.certificate;
        if let (Verbosity::Verbose, Some(certificate)) = (self.verbosity, certificate) {
            text += &edit_kinds(certificate);
        }
        if let Some(confidence) = &self.confidence {
            text += &format!("  {confidence}\n");
        }
        let Summary { tests, tokens, bytes, .. } = &reduced.figures.session;
        if *tests >= MANY_IN_VAIN && (tokens.0, bytes.0) == (tokens.1, bytes.1) {
            let language = &reduced.language;
            text += &format!(
                "  nothing of it goes as {language}; it can be read in other ways: --lang text, bytes or \
                 another (minirepro languages), --lang records:guess, --grammar PATH\n"
            );
        }
        text += &summary::finds(&reduced.finds);
        if reduced.files.is_none() {
            text += &not_reduced(&reduced.text, self.compiler.as_deref());
        }
        self.tell(&text);
    }

    fn difference_found(&mut self, found: &Difference) {
        let [passing, failing] = [&found.passing, &found.failing];
        let names = found.paths.as_ref().map(|paths| paths.each_ref().map(|path| shown(path)));
        for (name, (side, text)) in
            names.iter().flatten().zip([("passes:", passing), ("fails: ", failing)])
        {
            self.tell(&match self.are_versions {
                true => format!("  {side} {name}\n"),
                false => format!("  {side} {name} ({})\n", counted(text.len() as u64, "byte")),
            });
        }
        let names = names.unwrap_or_else(|| ["passing", "failing"].map(str::to_owned));
        output_as_it_is(&match self.are_versions {
            true => patch(passing, failing),
            false => unified(names.each_ref().map(|name| &name[..]), passing, failing),
        });
    }
}

fn say_verified(verified: &Verified) {
    let tests = counted(verified.tests, "test");
    match &verified.certificate {
        Some(certificate) => {
            let size = counted(verified.bytes, "byte");
            say!("{} ({size}): {}", terminal::name(&verified.name), certified(certificate));
            say!("  {tests} in {}", time(verified.took));
        }
        None => say!("the result holds: the same search finds nothing smaller in it ({tests})"),
    }
}

/// Says what an event means to a person, in whole lines; nothing if that is elsewhere.
fn said(event: &RunEvent<'_>) -> String {
    match *event {
        RunEvent::FailureLearnt { file, signature } => {
            let about = file.map_or(String::new(), |file| format!("{}: ", shown(file)));
            let weak = match signature.is_weak() {
                true => format!(
                    "  nothing tells it from any other {}: see `minirepro guide commands`\n",
                    signature.end
                ),
                false => String::new(),
            };
            format!("{about}the failure is '{signature}'\n{weak}")
        }
        RunEvent::CompanionsProvided { companions, elsewhere } => {
            let beside = companions.iter().map(|companion| &*companion.path);
            let elsewhere = elsewhere.iter().map(PathBuf::as_path);
            let missing = "not beside the candidates, add them by --with if needed";
            listed("beside every candidate", beside) + &listed(missing, elsewhere)
        }
        RunEvent::TestChanged => "the test has changed since the run began\n".to_owned(),
        RunEvent::NonsenseAccepted { text } => baseline::nonsense(text),
        RunEvent::WorkersReady { workers, jobs } => workers_ready(workers, jobs),
        RunEvent::WorkerLost { command, why } => {
            format!("worker lost: {}: {why}\n", terminal::name(command))
        }
        RunEvent::ProposerGone { name, why, last_words } => proposer_gone(name, why, last_words),
        RunEvent::CopiesMended { originals } => {
            let names: Vec<String> = originals.iter().map(|path| shown(path)).collect();
            let names = names.join(", ");
            format!("a test has changed its copy of {names}, which was made good\n")
        }
        RunEvent::OtherMessage { input, result } => baseline::other_message(input, result),
        RunEvent::PassesOtherwise { before, now } => baseline::passes_otherwise(before, now),
        RunEvent::ReadAs { in_vain: Some(before), now } => {
            format!("  nothing goes of it as {before}: it is read as {now}\n")
        }
        RunEvent::ReadAs { in_vain: None, now } => format!("  it is read as {now} again\n"),
        RunEvent::Formatted { form, from, to } => {
            format!("  {}: {from} → {to} bytes\n", formatted(form))
        }
        RunEvent::FormatRefused => {
            "  the blank space stays: without it the test does not reproduce\n".to_owned()
        }
        RunEvent::ResultWritten { path } => format!("  result: {}\n", shown(path)),
        RunEvent::EditedResultKept { result, kept } => format!(
            "  {} was changed by somebody else; what they wrote is in {}\n",
            shown(result),
            shown(kept)
        ),
        _ => said_of_journal(event),
    }
}

/// Says what an event of the journal means.
fn said_of_journal(event: &RunEvent<'_>) -> String {
    match *event {
        RunEvent::Resuming { journal, answers, requested } => {
            let hint = if requested { "" } else { " (--fresh begins anew)" };
            let answers = counted(answers as u64, "answer");
            format!("continuing the run in {}: {answers} known{hint}\n", shown(journal))
        }
        RunEvent::OtherRunReplaced { journal, changed } => {
            let (journal, changed) = (shown(journal), changed.join(", "));
            format!("{journal} was about another run ({changed} changed): beginning anew\n")
        }
        RunEvent::NoJournal { error } => {
            format!("no journal, so this run could not be resumed: {error}\n")
        }
        RunEvent::CanGoOn { journal } => {
            format!("  to continue: minirepro resume {}\n", quoted(journal))
        }
        RunEvent::JournalKept { journal } => format!("  journal: {}\n", quoted(journal)),
        RunEvent::JournalIncomplete { journal, error, can_go_on: true } => {
            let journal = quoted(journal);
            format!("  {journal} could not be written ({error}): resuming repeats tests\n")
        }
        RunEvent::JournalIncomplete { journal, error, .. } => {
            format!("  the journal {} is not complete: {error}\n", quoted(journal))
        }
        // Also events that a later version of the library adds.
        _ => String::new(),
    }
}

fn formatted(form: &Format) -> String {
    match form {
        Format::Command(command) => {
            let program = command.split_whitespace().next().unwrap_or_default();
            format!("formatted by {}", terminal::name(program))
        }
        Format::Plain => "plain blank space".to_owned(),
        _ => "laid out".to_owned(),
    }
}

/// Names files, of many some.
fn listed<'a>(what: &str, paths: impl Iterator<Item = &'a Path>) -> String {
    let names: Vec<String> = paths.map(shown).collect();
    match names.len() {
        0 => String::new(),
        1..=5 => format!("{what}: {}\n", names.join(", ")),
        all => format!("{what}: {} and {} more\n", names[..4].join(", "), all - 4),
    }
}

/// How many workers that can be used are named.
const MOST_NAMED: usize = 4;

/// Says which workers can be used, and which are refused.
fn workers_ready(workers: &[Examined], jobs: usize) -> String {
    let (mut text, mut hosts) = (String::new(), Vec::new());
    for Examined { command, result, .. } in workers {
        match result {
            Ok(worker) => hosts.push(&*worker.host),
            Err(why) => text += &format!("worker refused: {}: {why}\n", terminal::name(command)),
        }
    }
    let agents = counted(hosts.len() as u64, "worker");
    hosts.dedup();
    let more = hosts.len().saturating_sub(MOST_NAMED);
    hosts.truncate(MOST_NAMED);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    if !hosts.is_empty() {
        let (hosts, tests) = (terminal::name(&hosts.join(", ")), counted(jobs as u64, "test"));
        text += &format!("{agents} on {hosts}{more}: {tests} at the same time\n");
    }
    text
}

fn quoted(path: &Path) -> String {
    quote(path.as_os_str())
}

/// Returns some of the words of a command line, for a shell.
fn chosen(words: &[String], set: &[usize]) -> String {
    match set {
        [] => "(none)".to_owned(),
        set => quote_all(set.iter().map(|&place| &words[place][..])),
    }
}
