//! Reductions of a directory.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use minirepro_circumstances::archive::{Kind, entries, pack};
use minirepro_circumstances::{LanguageOf, without};
use minirepro_engine::{Outcome, StopReason};
use minirepro_runner::Fingerprint;

use crate::error::{BadRequest, DoesNotHold, Error, FlakyResult};
use crate::fingerprint;
use crate::observer::{NoMoreCauses, Over, RunEvent};
use crate::outcome::{
    BaselineFacts, Cause, CauseSize, DirectoryOutcome, ReducedDirectory, Verified,
};
use crate::paths;
use crate::reduce::language;
use crate::reduce::project::{Project, ProjectSettings, size};
use crate::request::directory::DirectoryReduction;
use crate::request::settings::{Causes, Settings};
use crate::run::causes::{self, CauseSearch, Found};
use crate::run::context::RunContext;
use crate::run::endpoints::{Endpoints, Passing};
use crate::run::fallback::Steps;
use crate::run::investigation::{Investigation, does_not_reproduce, runs};
use crate::run::places::Places;
use crate::run::result_file::{check_free, clean_directory, write_directory};
use crate::sources::grammars;

runs!(
    DirectoryReduction as DirectoryRun: DirectoryOutcome,
    "Makes the directory small. The test is a closure that gets an [`archive`](crate::archive), a [`Script`](crate::Script) or a [`Command`](crate::Command)."
);

/// A reduction of a directory under way.
struct DirectoryRun {
    input: Arc<[u8]>,
    directory: PathBuf,
    project: ProjectSettings,
    /// What tells the grammars of its files apart from other versions of them.
    grammars: Fingerprint,
    causes: Causes,
    output: Option<PathBuf>,
    time_limit: String,
    /// What is reduced next.
    next: Arc<[u8]>,
    done: Vec<Done>,
    smallest: Option<usize>,
}

/// A reduction that is over.
struct Done {
    /// What was reduced.
    input: Arc<[u8]>,
    reduced: ReducedDirectory,
    /// The candidates that were accepted on the way.
    steps: Steps,
}

impl DirectoryRun {
    fn new(request: DirectoryReduction<'_>) -> Result<(Self, Settings<'_>), Error> {
        let DirectoryReduction { input, directory, algorithm, scope, causes, output, settings } =
            request;
        if entries(&input).is_empty() {
            return Err(BadRequest::NoFiles { path: directory }.into());
        }
        let texts: Vec<&[u8]> = entries(&input).iter().map(|entry| entry.text).collect();
        language::check_scope(&scope, &directory.display().to_string(), &texts)?;
        let languages = &settings.languages;
        let run = Self {
            next: Arc::clone(&input),
            grammars: fingerprint::of_archives(languages, &[&input]),
            input,
            directory,
            project: ProjectSettings {
                algorithm,
                scope,
                languages: languages.clone(),
                grammars: grammars(languages),
            },
            causes,
            output,
            time_limit: format!("{:?}", settings.limits.time),
            done: Vec::new(),
            smallest: None,
        };
        Ok((run, settings))
    }
}

impl Investigation for DirectoryRun {
    type Outcome = DirectoryOutcome;

    fn endpoints(&self) -> Endpoints<'_> {
        Endpoints {
            failing: &self.input,
            original: None,
            failing_name: self.directory.display().to_string(),
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
        let ProjectSettings { algorithm, scope, languages: _, grammars: _ } = &self.project;
        let mut facts = fingerprint::of_scope(scope);
        facts.extend(fingerprint::named([
            ("the algorithm", algorithm.name().to_owned()),
            ("the time limit", self.time_limit.clone()),
            ("the causes", format!("{:?}", self.causes)),
        ]));
        facts.extend(self.grammars.clone());
        facts
    }

    fn places(&self) -> Places {
        Places {
            file: self.directory.clone(),
            sources: vec![self.directory.clone()],
            results: self.output.iter().cloned().collect(),
            are_directories: true,
            journal_beside: self.output.clone(),
            finds: self.output.as_deref().map(paths::finds_beside),
            of_further_causes: (self.causes != Causes::First).then_some(paths::numbered_directory),
        }
    }

    fn search(&mut self, context: &RunContext<'_>) -> Result<(), Error> {
        let causes = self.causes;
        let found = causes::find(context, causes != Causes::First, self)?;
        self.smallest = causes::settle(context, &found, causes)?;
        Ok(())
    }

    fn result(&self) -> Vec<u8> {
        self.done.iter().flat_map(|done| done.reduced.archive.iter().copied()).collect()
    }

    fn failing_results(&self) -> Vec<Arc<[u8]>> {
        self.done.iter().map(|done| Arc::clone(&done.reduced.archive)).collect()
    }

    fn confirm_results(&mut self, context: &RunContext<'_>) -> Result<Option<FlakyResult>, Error> {
        let mut flaky = None;
        for done in &mut self.done {
            let reduced = &mut done.reduced;
            if !does_not_reproduce(context, &reduced.archive) {
                continue;
            }
            let mut found = FlakyResult::default();
            if let Some(reliable) = done.steps.last_reliable(context) {
                let differs = reliable != reduced.archive;
                if let Some(path) = reduced.path.as_ref().filter(|_| differs) {
                    let unreliable = paths::flaky_directory(path);
                    write_directory(&reduced.archive, &unreliable, context)?;
                    write_directory(&reliable, path, context)?;
                    found.unreliable = Some(unreliable);
                }
                found.fallback = Some(reliable.len());
                reduced.archive = reliable;
            }
            flaky = Some(found);
        }
        Ok(flaky)
    }

    fn verify(&self, context: &RunContext<'_>, name: &str) -> Result<Verified, Error> {
        let start = Instant::now();
        let fail = |why| {
            let name = name.to_owned();
            Err(Error::DoesNotHold { name, why, tests: context.tests(), took: start.elapsed() })
        };
        let mut bytes = 0;
        for Done { reduced, .. } in &self.done {
            if context.probe(&reduced.archive).is_some_and(|outcome| outcome != Outcome::Fail) {
                return fail(DoesNotHold::FailingPasses);
            }
            let mut written = |_: &Arc<[u8]>| Ok(());
            let archive = Arc::clone(&reduced.archive);
            let mut project = Project::new(context, &self.project, archive, &mut written);
            if context.stopped().is_none() {
                project.run()?;
            }
            if let Some(why) = context.stopped() {
                return fail(DoesNotHold::Stopped(why));
            }
            if project.has_changed() {
                return fail(DoesNotHold::SearchFindsLess);
            }
            bytes += size(&reduced.archive).bytes;
        }
        Ok(Verified {
            name: name.to_owned(),
            bytes,
            certificate: None,
            tests: context.tests(),
            took: start.elapsed(),
        })
    }

    fn outcome(self, baseline: BaselineFacts, stopped: Option<StopReason>) -> DirectoryOutcome {
        let mut results: Vec<_> = self.done.into_iter().map(|done| done.reduced).collect();
        if let Some(at) = self.smallest {
            causes::keep_only(&mut results, at, |result| &mut result.path);
        }
        DirectoryOutcome { baseline, results, stopped }
    }

    fn over(outcome: &DirectoryOutcome) -> Over<'_> {
        Over::Directory(outcome)
    }
}

impl CauseSearch for DirectoryRun {
    fn find(&mut self, context: &RunContext<'_>, nth: usize) -> Result<Found, Error> {
        let input = Arc::clone(&self.next);
        let path = self.output.as_ref().filter(|_| context.writes_results());
        let path = path.map(|output| paths::numbered_directory(output, nth));
        if let Some(path) = &path {
            if nth > 0 && !context.may_replace {
                check_free(path)?;
            }
            clean_directory(path);
            write_directory(&input, path, context)?;
        }
        let mut steps = Steps::default();
        steps.push(&input);
        let mut written = |archive: &Arc<[u8]>| {
            steps.push(archive);
            match &path {
                Some(path) => write_directory(archive, path, context),
                None => Ok(()),
            }
        };
        let mut project = Project::new(context, &self.project, Arc::clone(&input), &mut written);
        project.run()?;
        let is_minimal = !project.is_over();
        let archive = project.best();
        let figures = project.figures();
        let reduced = ReducedDirectory {
            archive: Arc::clone(&archive),
            path: path.clone(),
            name: self.directory.display().to_string(),
            is_minimal,
            figures,
        };
        context.tell(&RunEvent::DirectoryReduced(&reduced));
        if let Some(path) = &path {
            context.tell(&RunEvent::ResultWritten { path });
        }
        let size = CauseSize::Bytes(size(&archive).bytes);
        self.done.push(Done { input, reduced, steps });
        let cause = Cause { paths: path.into_iter().collect(), size };
        Ok(Found { cause, text: archive.to_vec() })
    }

    fn rest(&mut self) -> Result<Vec<u8>, NoMoreCauses> {
        let Done { input, reduced, .. } = self.done.last().ok_or(NoMoreCauses::RestDoesNotFail)?;
        let rest = rest(&self.project.grammars, input, &reduced.archive);
        let rest = rest.ok_or(NoMoreCauses::RestDoesNotFail)?;
        self.next = rest.clone().into();
        Ok(rest)
    }

    fn refused(&mut self, _outcome: Outcome) -> NoMoreCauses {
        NoMoreCauses::RestDoesNotFail
    }
}

/// Returns a directory without what a result of it is made of, as far as that can be told.
fn rest(grammars: &LanguageOf, input: &[u8], result: &[u8]) -> Option<Vec<u8>> {
    let used = entries(result);
    let mut files: Vec<(Kind, &[u8], Vec<u8>)> = Vec::new();
    for entry in entries(input) {
        let found = used.iter().find(|used| used.path == entry.path);
        let text = match found {
            Some(found) if !found.text.is_empty() && entry.kind != Kind::Link => {
                let language = match grammars(entry.path, entry.text) {
                    Some(language) => language,
                    None => Arc::new(minirepro_languages::by_name("text").ok()?),
                };
                without(&language, entry.text, found.text)
            }
            _ => Some(entry.text.to_vec()),
        };
        if let Some(text) = text {
            files.push((entry.kind, entry.path, text));
        }
    }
    let rest = pack(files.iter().map(|(kind, path, text)| (*kind, *path, &text[..])))?;
    (rest.len() < input.len() && !files.is_empty()).then_some(rest)
}
