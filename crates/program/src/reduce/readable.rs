//! A second version of a result, for people: reduced from the input without passes that rename
//! things or fold them into each other, and without complaints of a compiler that the input does
//! not have; then written as careful people write (elements are closed), with what they write
//! before everything else, and laid out. Every step is tested.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use minirepro_engine::{Outcome, Plan, ReductionSession, Report, Said, Session, Step, StopReason};
use minirepro_languages::report_tools;
use minirepro_syntax::Language;

use crate::reduce::format::{Formatted, formatted};
use crate::reduce::tool::Check;
use crate::request::reduction::Format;
use crate::run::context::RunContext;

/// The passes that make a text smaller by a token or two but harder to read.
const UNREADABLE: &[&str] = &[
    "normalize",
    "merge-names",
    "replace-typedef",
    "inline-struct",
    "aggregate-to-scalar",
    "return-void",
    "reduce-pointer-level",
    "cast-to-declaration",
    "combine-declarations",
    "rewrite",
    "local-to-global",
    "global-to-param",
    "copy-propagation",
    "split-leaves",
];

/// A version that is easy to read.
#[derive(Clone, Debug)]
pub struct Readable {
    /// The text.
    pub text: Arc<[u8]>,
    /// How many tests it took.
    pub tests: u64,
}

/// Makes a version that is easy to read of what `plan` reduces; `None` if the run has to end.
pub fn readable(context: &RunContext<'_>, mut plan: Plan, file: &Path) -> Option<Readable> {
    let language = Arc::clone(&plan.language);
    plan.scope.without.extend(UNREADABLE.iter().map(|&name| name.to_owned()));
    plan.jobs = 1;
    // Proposers look for what is smaller, not for what is easy to read.
    plan.proposers = 0;
    plan.is_informed = false;
    let tools = report_tools(&language.name);
    let check = tools.check.as_deref().and_then(|command| Check::new(command, file));
    let input = Arc::clone(&plan.input);
    let known = check.as_ref().map(|check| check.complaints(&input)).unwrap_or_default();
    let complains =
        |text: &[u8]| check.as_ref().is_some_and(|check| !check.complaints(text).is_subset(&known));
    let scope = plan.scope.clone();
    let mut tests = 0;
    let mut session = ReductionSession::new(plan);
    let stop = context.stop().clone();
    session.interrupt_when(move || stop.is_set().then(|| stop.why()));
    loop {
        match session.poll(Duration::ZERO) {
            Step::Start { id, candidate } => {
                tests += 1;
                let outcome = match context.probe(&candidate) {
                    // If a compiler complains, it is not offered.
                    Some(Outcome::Fail) if complains(&candidate) => Outcome::Pass,
                    Some(outcome) => outcome,
                    None => return None,
                };
                session.report(id, Report::from(outcome));
            }
            // There is nobody to ask.
            Step::Consult(_) => session.hear(Said::Idle),
            // One test at a time is over when the next is asked for.
            Step::Wait => session.stop(StopReason::Interrupted),
            Step::Done => break,
        }
        session.take_events();
        session.cancelled_jobs();
    }
    if session.summary().stopped.is_some() {
        return None;
    }
    let mut text = session.best();
    let holds = |text: &[u8]| {
        scope.keeps(&input, text) && context.probe(text) == Some(Outcome::Fail) && !complains(text)
    };
    if let Some(sound) = language.parser.sound_form(&text).filter(|sound| holds(sound)) {
        text = sound.into();
    }
    if let Some(prefix) = &tools.prefix {
        let with_prefix = [prefix.as_bytes(), &text].concat();
        let has_it = text.to_ascii_lowercase().starts_with(prefix.trim_end().as_bytes());
        if !has_it && holds(&with_prefix) {
            text = with_prefix.into();
        }
    }
    text = laid_out(&language, file, text, holds);
    Some(Readable { text, tests })
}

fn laid_out(
    language: &Language,
    file: &Path,
    text: Arc<[u8]>,
    holds: impl Fn(&[u8]) -> bool,
) -> Arc<[u8]> {
    match formatted(language, &Format::Tools, file, &text, holds) {
        Formatted::Changed { text, .. } => text,
        Formatted::Unchanged | Formatted::Refused => text,
    }
}
