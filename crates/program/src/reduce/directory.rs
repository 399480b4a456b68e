//! Reductions of a directory.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use minirepro_circumstances::archive::entries;
use minirepro_engine::{Algorithm, Event, Plan, Scope, StopReason};
use minirepro_runner::Fingerprint;
use minirepro_syntax::Language;

use crate::error::{BadRequest, Error, FlakyResult};
use crate::fingerprint;
use crate::grammars::Languages;
use crate::observer::{Over, RunEvent};
use crate::outcome::{BaselineFacts, Reduced, ReductionOutcome, Verified};
use crate::paths;
use crate::reduce::coded::{CodedTest, file_of, is_coded};
use crate::reduce::language;
use crate::reduce::plan::plan_of;
use crate::reduce::project::{Form, language_of, size};
use crate::reduce::verify::verify_one;
use crate::request::directory::DirectoryReduction;
use crate::request::rules::Rules;
use crate::request::settings::Settings;
use crate::run::context::{CandidateOf, ReductionTask, RunContext};
use crate::run::endpoints::{Endpoints, Original, Passing};
use crate::run::fallback::Steps;
use crate::run::investigation::{Investigation, does_not_reproduce, runs};
use crate::run::places::Places;
use crate::run::result_file::{clean_directory, write_directory};

runs!(
    DirectoryReduction as DirectoryRun: ReductionOutcome,
    "Makes the directory small. The test is a closure that gets an [`archive`](crate::archive), or a script or a command ([`TestSpec`](crate::TestSpec))."
);

/// A reduction of a directory under way.
struct DirectoryRun {
    input: Arc<[u8]>,
    /// The files that hold the input.
    failing: Arc<[u8]>,
    /// The files as they stand, where a language has a tree only for another form of one.
    original: Option<Arc<[u8]>>,
    directory: PathBuf,
    /// The files in it, if they are named one by one.
    files: Vec<PathBuf>,
    language: Arc<Language>,
    languages: Languages,
    algorithm: Algorithm,
    scope: Scope,
    rules: Vec<Rules>,
    /// What tells the grammars of its files apart from other versions of them.
    grammars: Fingerprint,
    output: Option<PathBuf>,
    time_limit: String,
    done: Option<Done>,
}

/// A reduction that is over.
struct Done {
    /// The smallest text found.
    best: Arc<[u8]>,
    reduced: Reduced,
    /// The candidates that were accepted on the way.
    steps: Steps,
}

/// When results are written: one of many files takes a while, and is often followed by a better
/// one soon.
#[derive(Default)]
struct Writes {
    last: Option<Instant>,
    /// How long the last one took.
    took: Duration,
    /// Whether a better result was not written.
    lag: bool,
}

/// Writing takes no more than one part of this many of the time.
const PAUSE: u32 = 10;

impl Writes {
    /// Writes a better result, unless the last one was written a short while ago.
    fn offer(&mut self, write: impl FnOnce() -> Result<(), Error>) -> Result<(), Error> {
        self.lag = self.last.is_some_and(|last| last.elapsed() < self.took * PAUSE);
        if self.lag {
            return Ok(());
        }
        let begun = Instant::now();
        let written = write();
        self.took = begun.elapsed();
        self.last = Some(Instant::now());
        written
    }
}

impl DirectoryRun {
    fn new(request: DirectoryReduction<'_>) -> Result<(Self, Settings<'_>), Error> {
        let DirectoryReduction {
            input,
            directory,
            files,
            algorithm,
            scope,
            rules,
            output,
            settings,
        } = request;
        if entries(&input).is_empty() {
            return Err(BadRequest::NoFiles { path: directory }.into());
        }
        let texts: Vec<&[u8]> = entries(&input).iter().map(|entry| entry.text).collect();
        language::check_scope(&scope, &directory.display().to_string(), &texts)?;
        let languages = settings.languages.clone();
        let language = Arc::new(language_of(&languages, &rules, &input, Form::Canonical)?);
        let grammars = fingerprint::of_archives(&languages, &[&input]);
        let (input, original) = match language::canonical(&language, &input) {
            Some(canonical) => (canonical.into(), Some(input)),
            None => (input, None),
        };
        let failing = file_of(&language, &input);
        let run = Self {
            original: original.filter(|original| *original != failing),
            failing,
            input,
            grammars,
            directory,
            files,
            language,
            languages,
            algorithm,
            scope,
            rules,
            output,
            time_limit: format!("{:?}", settings.limits.time),
            done: None,
        };
        Ok((run, settings))
    }

    fn name(&self) -> String {
        match &self.files[..] {
            [] => self.directory.display().to_string(),
            [first] => first.display().to_string(),
            [first, second] => format!("{} and {}", first.display(), second.display()),
            [first, others @ ..] => {
                format!("{} and {} other files", first.display(), others.len())
            }
        }
    }

    fn plan(&self, input: &Arc<[u8]>) -> Plan {
        plan_of(input, &self.language, self.algorithm, &self.scope)
    }
}

impl Investigation for DirectoryRun {
    type Outcome = ReductionOutcome;

    fn endpoints(&self) -> Endpoints<'_> {
        Endpoints {
            failing: &self.failing,
            original: self
                .original
                .as_ref()
                .map(|text| Original { text, language: "the language of a file" }),
            failing_name: self.name(),
            passing: Passing::Given {
                is_nothing: true,
                candidate: b"",
                name: "an empty directory".to_owned(),
                may_be_unresolved: true,
                are_rewritten: false,
            },
        }
    }

    fn facts(&self) -> Fingerprint {
        let mut facts = fingerprint::of_scope(&self.scope);
        facts.extend(fingerprint::named([
            ("--algorithm", self.algorithm.to_string()),
            ("--timeout", self.time_limit.clone()),
        ]));
        facts.extend(self.grammars.clone());
        facts.extend(fingerprint::of_rules(self.rules.iter().map(|rules| &*rules.text)));
        facts
    }

    fn places(&self) -> Places {
        Places {
            file: self.directory.clone(),
            sources: match &self.files[..] {
                [] => vec![self.directory.clone()],
                files => files.to_vec(),
            },
            results: self.output.iter().cloned().collect(),
            are_directories: true,
            journal_beside: self.output.clone(),
            finds: self.output.as_deref().map(paths::finds_beside),
        }
    }

    fn search(&mut self, context: &RunContext<'_>) -> Result<(), Error> {
        let input = Arc::clone(&self.input);
        let path = self.output.clone().filter(|_| context.writes_results());
        if let Some(path) = &path {
            clean_directory(path);
            write_directory(&input, path, context)?;
        }
        let mut steps = Steps::default();
        steps.push(&input);
        let name = self.name();
        let language = Arc::clone(&self.language);
        let is_coded = is_coded(&language, &input);
        let mut error = None;
        let mut writes = Writes::default();
        let task = ReductionTask {
            name: &name,
            plan: self.plan(&input),
            candidate: if is_coded { CandidateOf::Part } else { CandidateOf::Whole },
            proposers: &mut [],
            wrap: &|whole, lend| lend(&CodedTest { whole, language: &language }),
        };
        let ran = context.reduce(task, &mut |event| {
            let Event::Reduced { text, .. } = event else { return };
            let files = file_of(&language, text);
            steps.push(&files);
            if let Some(path) = &path {
                let written = writes.offer(|| write_directory(&files, path, context));
                error = written.err().or(error.take());
            }
        });
        error.map_or(Ok(()), Err)?;
        let best = ran.session.best();
        let archive = file_of(&language, &best);
        let (before, after) = (size(&file_of(&language, &input)), size(&archive));
        if let Some(path) = path.as_ref().filter(|_| writes.lag) {
            write_directory(&archive, path, context)?;
        }
        let mut figures = ran.figures;
        figures.session.bytes = (before.bytes, after.bytes);
        let reduced = Reduced {
            text: Arc::clone(&archive),
            files: Some((before.files, after.files)),
            path: path.clone(),
            name,
            language: language.name.clone(),
            figures,
            guard_runs: context.tester.guard_runs(),
            finds: context.tester.finds(),
        };
        context.tell(&RunEvent::Reduced(&reduced));
        if let Some(path) = &path {
            context.tell(&RunEvent::ResultWritten { path });
        }
        self.done = Some(Done { best, reduced, steps });
        Ok(())
    }

    fn result(&self) -> Vec<u8> {
        self.done.iter().flat_map(|done| done.reduced.text.iter().copied()).collect()
    }

    fn failing_results(&self) -> Vec<Arc<[u8]>> {
        self.done.iter().map(|done| Arc::clone(&done.reduced.text)).collect()
    }

    fn confirm_results(&mut self, context: &RunContext<'_>) -> Result<Option<FlakyResult>, Error> {
        let Some(done) = &mut self.done else { return Ok(None) };
        let reduced = &mut done.reduced;
        if !does_not_reproduce(context, &reduced.text) {
            return Ok(None);
        }
        let mut found = FlakyResult::default();
        if let Some(reliable) = done.steps.last_reliable(context) {
            let differs = reliable != reduced.text;
            if let Some(path) = reduced.path.as_ref().filter(|_| differs) {
                let unreliable = paths::flaky_directory(path);
                write_directory(&reduced.text, &unreliable, context)?;
                write_directory(&reliable, path, context)?;
                found.unreliable = Some(unreliable);
            }
            found.fallback = Some(reliable.len());
            reduced.text = reliable;
        }
        Ok(Some(found))
    }

    fn fall_back(&mut self) -> bool {
        let Some(original) = self.original.take() else { return false };
        let Ok(language) = language_of(&self.languages, &self.rules, &original, Form::AsItStands)
        else {
            return false;
        };
        self.language = Arc::new(language);
        self.failing = Arc::clone(&original);
        self.input = original;
        true
    }

    fn verify(&self, context: &RunContext<'_>, name: &str) -> Result<Verified, Error> {
        let Done { best, reduced, .. } = self.done.as_ref().expect("a search has a result");
        let verified = verify_one(context, name, self.plan(&self.input), Arc::clone(best))?;
        Ok(Verified { bytes: size(&reduced.text).bytes, ..verified })
    }

    fn outcome(self, baseline: BaselineFacts, stopped: Option<StopReason>) -> ReductionOutcome {
        let result = self.done.expect("a search has a result").reduced;
        ReductionOutcome { baseline, result, stopped }
    }

    fn over(outcome: &ReductionOutcome) -> Over<'_> {
        Over::Reduction(outcome)
    }
}
