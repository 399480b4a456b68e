//! Shows the events of a run: progress and summaries on standard error, what was found on standard
//! output. Collects the figures for `--stats`.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use minirepro_program::{
    Cause, CauseSize, Companion, Difference, Form, NoMoreCauses, Observer, Over, Reduced, Replayed,
    RetryPolicy, RunEvent, SessionKind, Summary, Verified,
};

use super::baseline::{self, of_baseline};
use super::certificate::{certified, edit_kinds};
use super::diff::unified;
use super::document::recorder::Recorder;
use super::includes::not_reduced;
use super::json_lines::JsonLines;
use super::numbers::{count, counted, time};
use super::patch::patch;
use super::progress::{IsolationProgress, ReductionProgress};
use super::reason::{changed, proposer_gone};
use super::screen::console::Console;
use super::screen::model::Model;
use super::screen::screen::{Screen, Surroundings};
use super::shell::{quote, quote_all};
use super::stats::{self, Asked, Curve};
use super::status_line::StatusLine;
use super::summary;
use super::terminal::{self, error, output, output_as_it_is, say, shown};
use super::verbosity::{Display, Verbosity};
use super::workers::{worker_lost, workers_ready};

/// If at least this many tests were in vain, the last words say how else an input can be read.
const MANY_IN_VAIN: u64 = 100;

/// How to show a run.
#[derive(Clone, Debug)]
pub struct Style {
    /// How much to show.
    pub verbosity: Verbosity,
    /// How it is shown where the run is.
    pub display: Display,
    /// Whether the run is a reduction, for which there is a view on a whole screen.
    pub reduces: bool,
    /// Whether differences are coloured.
    pub color: bool,
    /// What the input is called.
    pub file: String,
    /// The algorithm of a reduction.
    pub algorithm: &'static str,
    /// Tests at a time.
    pub jobs: usize,
    /// How often a candidate is tested.
    pub retry: RetryPolicy,
    /// Whether both ends of an isolation are directories or revisions.
    pub are_versions: bool,
    /// The command that would print what the input includes as well, if the test shows one.
    pub compiler: Option<String>,
    /// When the run began.
    pub begun: Instant,
}

/// Shows a run.
pub struct Reporter {
    style: Style,
    status: Status,
    /// The sizes of the texts that are reduced, one after the other.
    curves: Vec<Curve>,
    /// The diffs of the differences found.
    differences: Vec<String>,
    /// How sure the answers of a flaky test are.
    confidence: Option<String>,
    /// The figures as JSON, when the run is over.
    stats: Option<String>,
    /// Collects what a report says, if one is wanted.
    recorder: Option<Recorder>,
    /// What a screen needs, if there is one for this run.
    around: Option<Surroundings>,
    /// The screen, while it is shown.
    screen: Option<Screen>,
    /// What was said meanwhile.
    said: Vec<String>,
    /// Makes JSON of the events, if that is wanted.
    json: Option<JsonLines>,
}

/// What is left of a run that is over.
#[derive(Debug)]
pub struct Collected {
    /// The figures as JSON; `None` if the run did not come to its end.
    pub stats: Option<String>,
    /// What a report says, if one is wanted.
    pub recorder: Option<Recorder>,
}

/// What is shown live.
enum Status {
    Nothing,
    Waiting { _line: StatusLine },
    Reduction(ReductionProgress),
    Isolation(IsolationProgress),
}

impl Reporter {
    /// Makes one that has shown nothing yet.
    pub fn new(style: Style) -> Self {
        let json =
            (style.display == Display::Json).then(|| JsonLines::new(&style.file, style.jobs));
        Self {
            json,
            around: None,
            screen: None,
            said: Vec::new(),
            style,
            status: Status::Nothing,
            curves: Vec::new(),
            differences: Vec::new(),
            confidence: None,
            stats: None,
            recorder: None,
        }
    }

    /// Makes it collect what a report says.
    #[must_use]
    pub fn recording(mut self, recorder: Option<Recorder>) -> Self {
        self.recorder = recorder;
        self
    }

    /// Returns what is left when the run is over.
    pub fn into_collected(mut self) -> Collected {
        self.close_screen();
        Collected { stats: self.stats.take(), recorder: self.recorder.take() }
    }

    /// Returns the terminal on which the run can be shown, if it should and can be.
    pub fn console(&self) -> Option<Arc<Console>> {
        let wants = self.style.reduces && self.style.display == Display::Screen;
        if wants { Console::find() } else { None }
    }

    /// Makes it show the run on a terminal of which it takes the whole screen.
    pub fn show_on(&mut self, around: Surroundings) {
        self.around = Some(around);
    }

    /// Takes the screen, as soon as anything may take long.
    fn open_screen(&mut self) {
        if let Some(around) = self.around.take() {
            // Without a thread for it, the run goes on in silence.
            let languages = around.languages.clone();
            let model = Model { languages, ..Model::new(self.style.file.clone()) };
            self.screen = Screen::open(around, model).ok();
        }
    }

    /// Gives the screen back, and says what was to be said meanwhile.
    fn close_screen(&mut self) {
        self.screen = None;
        for text in std::mem::take(&mut self.said) {
            error(format_args!("{text}"));
        }
    }

    fn is_quiet(&self) -> bool {
        self.style.verbosity == Verbosity::Quiet || self.json.is_some()
    }

    fn tell(&mut self, line: &str) {
        self.tell_text(&format!("{line}\n"));
    }

    /// Tells text of whole lines.
    fn tell_text(&mut self, text: &str) {
        if self.is_quiet() {
            return;
        }
        match self.screen {
            Some(_) => self.said.push(text.to_owned()),
            None => error(format_args!("{text}")),
        }
    }

    /// Returns a line for what goes on.
    fn line(&self) -> StatusLine {
        StatusLine::new(self.style.verbosity, self.style.display != Display::Plain)
    }

    fn wait(&mut self, what: &str) {
        self.open_screen();
        if self.screen.is_none() && !self.is_quiet() {
            let may_be_live = self.style.display != Display::Plain;
            let line = StatusLine::waiting(self.style.verbosity, may_be_live, what);
            self.status = Status::Waiting { _line: line };
        }
    }

    fn begin_session(&mut self, kind: SessionKind<'_>) {
        self.open_screen();
        if let SessionKind::Reduction { .. } = kind {
            self.curves.push(Curve::default());
        }
        let is_shown_otherwise = self.screen.is_some() || self.json.is_some();
        self.status = match kind {
            _ if is_shown_otherwise => Status::Nothing,
            SessionKind::Reduction { tokens, bytes, .. } => {
                Status::Reduction(ReductionProgress::new(self.line(), tokens, bytes))
            }
            SessionKind::Isolation => Status::Isolation(IsolationProgress::new(self.line())),
        };
    }

    fn reduced(&mut self, reduced: &Reduced) {
        // Of several causes, the first search comes after the first tests.
        let is_first = self.curves.len() <= 1;
        let in_all = if is_first { self.style.begun.elapsed() } else { Duration::ZERO };
        self.tell_text(&summary::of_reduction(
            &terminal::name(&reduced.name),
            &reduced.figures,
            in_all,
        ));
        if let Some(files) = reduced.files {
            self.tell_text(&summary::files(files, &reduced.text));
        }
        if reduced.guard_runs > 0 {
            self.tell(&format!("  {} of --require commands", counted(reduced.guard_runs, "run")));
        }
        let certificate = &reduced.figures.session.certificate;
        if let (Verbosity::Verbose, Some(certificate)) = (self.style.verbosity, certificate) {
            self.tell_text(&edit_kinds(certificate));
        }
        if let Some(confidence) = &self.confidence {
            self.tell(&format!("  {confidence}"));
        }
        let Summary { tests, tokens, bytes, .. } = &reduced.figures.session;
        if *tests >= MANY_IN_VAIN && (tokens.0, bytes.0) == (tokens.1, bytes.1) {
            let language = &reduced.language;
            self.tell(&format!(
                "  nothing of it goes as {language}; it can be read in other ways: --lang text, bytes or \
                 another (minirepro languages), --records guess, --grammar PATH"
            ));
        }
        self.tell_text(&summary::finds(&reduced.finds));
        if reduced.files.is_some() {
            return;
        }
        let included = not_reduced(&reduced.text, self.style.compiler.as_deref());
        self.tell_text(&included);
    }

    fn companions_provided(&mut self, companions: &[Companion], elsewhere: &[PathBuf]) {
        let names = |paths: &mut dyn Iterator<Item = &Path>| {
            let names: Vec<String> = paths.map(shown).collect();
            match names.len() {
                0..=5 => names.join(", "),
                all => format!("{} and {} more", names[..4].join(", "), all - 4),
            }
        };
        if !companions.is_empty() {
            let names = names(&mut companions.iter().map(|companion| companion.path.as_path()));
            self.tell(&format!("beside every candidate: {names}"));
        }
        if !elsewhere.is_empty() {
            let names = names(&mut elsewhere.iter().map(PathBuf::as_path));
            self.tell(&format!("not beside the candidates, add them by --with if needed: {names}"));
        }
    }

    fn difference_found(&mut self, found: &Difference) {
        let paths = match &found.paths {
            Some(paths) => paths.each_ref().map(|path| shown(path)),
            None => ["passing", "failing"].map(str::to_owned),
        };
        let texts = [&found.passing, &found.failing];
        let are_versions = self.style.are_versions;
        let show = |color| match are_versions {
            true => patch(texts[0], texts[1], color),
            false => unified(paths.each_ref().map(|path| &path[..]), texts[0], texts[1], color),
        };
        if found.paths.is_some() {
            for (side, at) in [("passes:", 0), ("fails: ", 1)] {
                let bytes = match self.style.are_versions {
                    true => String::new(),
                    false => format!(" ({})", counted(texts[at].len() as u64, "byte")),
                };
                self.tell(&format!("  {side} {}{bytes}", paths[at]));
            }
        }
        output_as_it_is(&show(self.style.color));
        let plain = show(false);
        self.differences.push(plain);
    }

    fn no_more_causes(&mut self, why: NoMoreCauses) {
        let line = match why {
            NoMoreCauses::RestDoesNotFail => "the rest of the input does not fail any more".into(),
            NoMoreCauses::CannotTakeOut => {
                "the cause that was found cannot be removed from what fails".into()
            }
            NoMoreCauses::WithoutCausePasses => {
                "without the difference found, the failure is not there".into()
            }
            // What was found says so.
            NoMoreCauses::NoWordsLeft => return,
            NoMoreCauses::FailureGone { found } => {
                let found = counted(found as u64, "record");
                format!("  without the {found} found, the failure is not there")
            }
            NoMoreCauses::WordsDecideNothing { left, blockers, unresolved } => {
                let others = counted(left as u64, "other word");
                let how = match (unresolved, blockers) {
                    (true, _) => "the test is unresolved",
                    (_, true) => "the failure does not go away",
                    (_, false) => "the failure is not there",
                };
                format!("  with the {others} {how}")
            }
        };
        self.tell(&line);
    }

    fn causes_found(
        &mut self,
        causes: &[Cause],
        different: usize,
        smallest: usize,
        only_smallest: bool,
    ) {
        let all = counted(causes.len() as u64, "result");
        self.tell(&match causes.len() {
            1 => format!("{all}:"),
            _ => format!("{all}, {} of them different:", count(different as u64)),
        });
        let place = |cause: &Cause| cause.paths.last().map_or_else(String::new, |path| shown(path));
        for (at, cause) in causes.iter().enumerate() {
            let mark = if at == smallest && causes.len() > 1 { ", the smallest" } else { "" };
            self.tell(&format!("  {} ({}{mark})", place(cause), size(cause.size)));
        }
        if only_smallest && let Some(first) = causes.first() {
            self.tell(&format!("the smallest is in {}; the others are removed", place(first)));
        }
    }

    fn verified(&self, verified: &Verified) {
        let tests = counted(verified.tests, "test");
        match &verified.certificate {
            Some(certificate) => {
                let size = counted(verified.bytes, "byte");
                say!("{} ({size}): {}", terminal::name(&verified.name), certified(certificate));
                say!("  {tests} in {}", time(verified.took));
            }
            None => {
                say!("the result holds: the same search finds nothing smaller in it ({tests})");
            }
        }
    }

    fn over(&mut self, over: Over<'_>) {
        let asked = Asked {
            file: &self.style.file,
            algorithm: self.style.algorithm,
            jobs: self.style.jobs,
        };
        self.stats = Some(match over {
            Over::Reduction(outcome) => stats::of_reduction(&asked, outcome, &self.curves),
            Over::Isolation(outcome) => stats::of_isolation(&asked, outcome, &self.differences),
            Over::Options(outcome) => stats::of_options(outcome),
        });
    }
}

impl Observer for &mut Reporter {
    fn event(&mut self, event: &RunEvent<'_>) {
        if let Some(recorder) = &mut self.recorder {
            recorder.event(event);
        }
        if let Some(json) = &mut self.json {
            json.event(event).iter().for_each(|line| say!("{line}"));
        }
        if let (RunEvent::Step { event, .. }, Some(curve)) = (event, self.curves.last_mut()) {
            curve.event(event);
        }
        self.show(event);
        if let Some(screen) = &self.screen {
            screen.event(event);
        }
    }
}

impl Reporter {
    /// Says what there is to say about an event.
    fn show(&mut self, event: &RunEvent<'_>) {
        match *event {
            RunEvent::Learning { limit } => self.wait(&baseline::learning(limit)),
            RunEvent::FailureLearnt { file, signature } => {
                self.status = Status::Nothing;
                let about = file.map_or(String::new(), |file| format!("{}: ", shown(file)));
                self.tell(&format!("{about}the failure is '{signature}'"));
                if signature.is_weak() {
                    let end = &signature.end;
                    self.tell(&format!(
                        "  nothing tells it from any other {end}: see `minirepro guide commands`"
                    ));
                }
            }
            RunEvent::CompanionsProvided { companions, elsewhere } => {
                self.companions_provided(companions, elsewhere);
            }
            RunEvent::Resuming { journal, answers, requested } => {
                let hint = if requested { "" } else { " (--fresh begins anew)" };
                let answers = counted(answers as u64, "answer");
                self.tell(&format!(
                    "continuing the run in {}: {answers} known{hint}",
                    shown(journal)
                ));
            }
            RunEvent::OtherRunReplaced { journal, changed: facts } => {
                let journal = shown(journal);
                let changed = changed(facts);
                self.tell(&format!(
                    "{journal} was about another run ({changed} changed): beginning anew"
                ));
            }
            RunEvent::NoJournal { error } => {
                self.tell(&format!("no journal, so this run could not be resumed: {error}"));
            }
            RunEvent::ProposerGone { name, why, last_words } => {
                self.tell_text(&proposer_gone(name, why, last_words));
            }
            RunEvent::TestChanged => self.tell("the test has changed since the run began"),
            RunEvent::CopiesMended { originals } => {
                let names: Vec<String> = originals.iter().map(|path| shown(path)).collect();
                let names = names.join(", ");
                self.tell(&format!("a test has changed its copy of {names}, which was made good"));
            }
            RunEvent::OtherMessage { input, result } => {
                self.tell_text(&baseline::other_message(input, result));
            }
            RunEvent::NonsenseAccepted { text } => {
                self.status = Status::Nothing;
                self.tell_text(&baseline::nonsense(text));
            }
            RunEvent::PassesOtherwise { before, now } => {
                self.tell_text(&baseline::passes_otherwise(before, now));
            }
            RunEvent::TestingInput { limit } => self.wait(&baseline::testing(limit)),
            RunEvent::BaselineDone(facts) => {
                self.status = Status::Nothing;
                self.tell_text(&of_baseline(facts));
                self.confidence = facts
                    .reliability
                    .as_ref()
                    .map(|input| summary::confidence(self.style.retry, input));
            }
            RunEvent::StartingWorkers { .. } => self.wait("starting workers"),
            RunEvent::WorkersReady { workers, jobs } => {
                self.status = Status::Nothing;
                self.style.jobs = jobs;
                self.tell_text(&workers_ready(workers, jobs));
            }
            RunEvent::WorkerLost { command, why } => self.tell(&worker_lost(command, why)),
            RunEvent::SessionBegins(kind) => self.begin_session(kind),
            RunEvent::Step { event, now, reused } => match &mut self.status {
                Status::Reduction(progress) => progress.event(event, now, reused),
                Status::Isolation(progress) => progress.event(event, now),
                Status::Nothing | Status::Waiting { .. } => {}
            },
            RunEvent::SessionEnds => self.status = Status::Nothing,
            RunEvent::Reduced(reduced) => self.reduced(reduced),
            RunEvent::Formatted { form, from, to } => {
                let form = match form {
                    Form::Layout => "laid out".to_owned(),
                    Form::Plain => "plain blank space".to_owned(),
                    Form::Tool(command) => {
                        let program = command.split_whitespace().next().unwrap_or_default();
                        format!("formatted by {}", terminal::name(program))
                    }
                };
                self.tell(&format!("  {form}: {from} → {to} bytes"));
            }
            RunEvent::ReadAs { in_vain: Some(before), now } => {
                self.tell(&format!("  nothing goes of it as {before}: it is read as {now}"));
            }
            RunEvent::ReadAs { in_vain: None, now } => {
                self.tell(&format!("  it is read as {now} again"));
            }
            RunEvent::FormatRefused => {
                self.tell("  the blank space stays: without it the test does not reproduce");
            }
            RunEvent::NotMadeReadable => {
                self.tell("  no version that is easy to read: the run has ended early");
            }
            RunEvent::MakingReadable => self.wait("making a version that is easy to read"),
            RunEvent::MadeReadable { path, bytes, tests } => {
                self.status = Status::Nothing;
                let path = path.map_or("not written".to_owned(), shown);
                let bytes = counted(bytes as u64, "byte");
                let tests = counted(tests, "test");
                self.tell(&format!("  easier to read: {path} ({bytes}, {tests})"));
            }
            RunEvent::Narrowed(measured) | RunEvent::WordSearchEnded(measured) => {
                self.tell_text(&summary::of_isolation(measured, self.style.begun.elapsed()));
            }
            RunEvent::ContextMinimized { name, minimized } => {
                self.tell_text(&summary::of_reduction(
                    &terminal::name(name),
                    &minimized.figures,
                    Duration::ZERO,
                ));
            }
            RunEvent::DifferenceFound(found) => self.difference_found(found),
            RunEvent::WordsFound { set, words, is_result: true } => {
                output(format_args!("{}\n", chosen(words, set)));
            }
            RunEvent::WordDifferenceFound { words, passing, failing, difference } => {
                self.tell(&format!("  passes with: {}", chosen(words, passing)));
                self.tell(&format!("  fails with:  {}", chosen(words, failing)));
                output(format_args!("{}\n", chosen(words, difference)));
            }
            RunEvent::ResultWritten { path } => self.tell(&format!("  result: {}", shown(path))),
            RunEvent::EditedResultKept { result, kept } => self.tell(&format!(
                "  {} was changed by somebody else; what they wrote is in {}",
                shown(result),
                shown(kept)
            )),
            RunEvent::NoMoreCauses(why) => self.no_more_causes(why),
            RunEvent::CausesFound { causes, different, smallest, only_smallest } => {
                self.causes_found(causes, different, smallest, only_smallest);
            }
            RunEvent::CanGoOn { journal } => {
                self.tell(&format!("  to continue: minirepro resume {}", quoted(journal)));
            }
            RunEvent::JournalKept { journal } => {
                self.tell(&format!("  journal: {}", quoted(journal)));
            }
            RunEvent::JournalIncomplete { journal, error, can_go_on } => {
                let journal = quoted(journal);
                self.tell(&match can_go_on {
                    true => format!(
                        "  {journal} could not be written ({error}): resuming repeats tests"
                    ),
                    false => format!("  the journal {journal} is not complete: {error}"),
                });
            }
            RunEvent::Replayed(replayed) => match replayed {
                Replayed::Same => {
                    self.tell("  replayed: the same result after the same number of tests")
                }
                Replayed::Killed { torn } => {
                    let torn = match torn {
                        0 => String::new(),
                        torn => format!(", with {} of a line at its end", counted(torn, "byte")),
                    };
                    self.tell(&format!("  replayed up to where the run was killed{torn}"));
                }
            },
            RunEvent::Verified(verified) => self.verified(verified),
            RunEvent::Over(outcome) => {
                self.close_screen();
                self.over(outcome);
            }
            // Sets of words to choose from, and events that a later version of the library adds.
            _ => {}
        }
    }
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

fn size(size: CauseSize) -> String {
    match size {
        CauseSize::Bytes(number) => counted(number, "byte"),
        CauseSize::ChangedLines(number) => counted(number, "changed line"),
        CauseSize::Words(number) => counted(number, "word"),
    }
}
