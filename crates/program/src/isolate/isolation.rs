//! Isolations of the difference between two texts, or between two versions of several files.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use minirepro_circumstances::{Changes, Grain, Text};
use minirepro_engine::{Event, Goal, IsolationPlan, StopReason};
use minirepro_runner::{Digest, Fingerprint};
use minirepro_syntax::Language;

use crate::error::{BadRequest, Error};
use crate::fingerprint;
use crate::grammars::Languages;
use crate::observer::{Over, RunEvent};
use crate::outcome::{BaselineFacts, Difference, IsolationOutcome, Verified};
use crate::paths;
use crate::reduce::coded::is_coded;
use crate::reduce::language;
use crate::request::isolation::{Ends, Isolation};
use crate::request::settings::Settings;
use crate::run::context::{RunContext, Sides};
use crate::run::endpoints::{Endpoints, Passing};
use crate::run::investigation::{Investigation, runs};
use crate::run::places::Places;
use crate::run::result_file::{ResultFile, clean_directory, write_directory};
use crate::sources;

runs!(
    Isolation as IsolationRun: IsolationOutcome,
    "Brings both ends as close to each other as possible. The test is a closure, a [`Script`](crate::Script) or a [`Command`](crate::Command)."
);

/// What is between both ends.
enum Between {
    /// A text of this language.
    Texts { language: Arc<Language> },
    /// Changes of this grain in several files.
    Versions { grain: Grain },
}

/// An isolation under way.
struct IsolationRun {
    between: Between,
    languages: Languages,
    /// What tells their grammars apart from other versions of them.
    grammars: Fingerprint,
    passing: Arc<[u8]>,
    failing: Arc<[u8]>,
    passing_name: Option<String>,
    failing_name: String,
    file: PathBuf,
    sources: Vec<PathBuf>,
    output: Option<PathBuf>,
    time_limit: String,
    /// Whether an end is in another form than its own.
    are_rewritten: bool,
    difference: Option<Difference>,
    error: Option<Error>,
}

impl IsolationRun {
    fn new(request: Isolation<'_>) -> Result<(Self, Settings<'_>), Error> {
        let Isolation { mut passing, mut failing, passing_name, failing_name, .. } = request;
        let are_versions = matches!(request.ends, Ends::Versions { .. });
        if !are_versions && failing.is_empty() {
            return Err(BadRequest::EmptyInput { name: failing_name }.into());
        }
        if passing == failing {
            let passing = passing_name.unwrap_or_else(|| failing_name.clone());
            let failing = failing_name;
            return Err(BadRequest::EqualEnds { passing, failing, are_versions }.into());
        }
        let mut are_rewritten = false;
        let languages = &request.settings.languages;
        let grammars;
        let between = match request.ends {
            Ends::Versions { grain } => {
                grammars = fingerprint::of_archives(languages, &[&passing, &failing]);
                Between::Versions { grain }
            }
            Ends::Texts { language } => {
                let mut language = language::find(languages, &language, &request.file, &failing)?;
                let text = language::canonical(&language, &failing);
                if text.is_some_and(|text| is_coded(&language, &text)) {
                    // Both ends are files.
                    language = Arc::new(languages.by_name("bytes").map_err(BadRequest::from)?);
                }
                grammars = fingerprint::of_grammars(languages, [&*language.name]);
                for end in [&mut passing, &mut failing] {
                    if let Some(canonical) = language::canonical(&language, end) {
                        are_rewritten |= *canonical != **end;
                        *end = canonical.into();
                    }
                }
                Between::Texts { language }
            }
        };
        let run = Self {
            between,
            languages: languages.clone(),
            grammars,
            are_rewritten,
            passing,
            failing,
            passing_name,
            failing_name,
            file: request.file,
            sources: request.sources,
            output: request.output,
            time_limit: format!("{:?}", request.settings.limits.time),
            difference: None,
            error: None,
        };
        Ok((run, request.settings))
    }

    fn plan(&self, sides: &Sides) -> IsolationPlan {
        let old = Arc::clone(&sides.passing);
        let new = Arc::clone(&sides.failing);
        let ends = (Arc::clone(&old), Arc::clone(&new));
        match &self.between {
            Between::Texts { language } => {
                let text = Text::new(Arc::clone(language), old, new);
                IsolationPlan::new(Arc::new(text), ends, Goal::Isolate)
            }
            Between::Versions { grain } => {
                let changes = Changes::new(old, new, *grain, sources::grammars(&self.languages));
                IsolationPlan::new(Arc::new(changes), ends, Goal::Isolate)
            }
        }
    }

    /// Returns where both sides of a difference go: passing, failing.
    fn results(&self) -> Option<[PathBuf; 2]> {
        let base = self.output.as_ref()?;
        Some(["pass", "fail"].map(|side| paths::with_word(base, side)))
    }

    fn are_versions(&self) -> bool {
        matches!(self.between, Between::Versions { .. })
    }

    /// Says so if what passes now does not end as what passed before the search.
    fn check_passing(&self, context: &RunContext<'_>, passing: &[u8]) {
        let is_known = *passing == *self.passing || self.passing_name.is_none();
        if !self.are_versions() || is_known || !context.runs_tests() || context.stop().is_set() {
            return;
        }
        let ended = |candidate| context.tester.ended(candidate, context.stop());
        let (Some(before), Some(now)) = (ended(&self.passing), ended(passing)) else { return };
        // Times and addresses differ between any two runs.
        let differ = |a: &str, b: &str| {
            let letters = |text: &str| text.replace(|c: char| c.is_ascii_digit(), "");
            letters(a) != letters(b)
        };
        if before.0 != now.0 || differ(&before.1, &now.1) {
            context.tell(&RunEvent::PassesOtherwise {
                before: (before.0, &before.1),
                now: (now.0, &now.1),
            });
        }
    }

    /// Isolates, while both sides of two texts are written again and again.
    fn isolate(
        &self,
        context: &RunContext<'_>,
        sides: &Sides,
        files: Option<&[ResultFile; 2]>,
    ) -> (Sides, crate::outcome::Measured<minirepro_engine::Findings>) {
        let ran = context.isolate(self.plan(sides), context.answers.clone(), &mut |event| {
            if let (Event::Narrowed { passing, failing, .. }, Some([pass, fail])) = (event, files) {
                pass.offer(passing);
                fail.offer(failing);
            }
        });
        let (passing, failing) = ran.session.ends();
        (Sides { passing, failing }, ran.figures)
    }
}

impl Investigation for IsolationRun {
    type Outcome = IsolationOutcome;

    fn endpoints(&self) -> Endpoints<'_> {
        let empty = if self.are_versions() { "an empty directory" } else { "an empty file" };
        Endpoints {
            failing: &self.failing,
            original: None,
            failing_name: self.failing_name.clone(),
            passing: Passing::Given {
                is_nothing: false,
                candidate: &self.passing,
                name: self.passing_name.clone().unwrap_or_else(|| empty.to_owned()),
                may_be_unresolved: self.passing_name.is_none(),
                are_rewritten: self.are_rewritten,
            },
        }
    }

    fn facts(&self) -> Fingerprint {
        let between = match &self.between {
            Between::Texts { language } => fingerprint::named([("--lang", language.name.clone())]),
            Between::Versions { grain } => fingerprint::named([("changes", format!("{grain:?}"))]),
        };
        let mut facts = fingerprint::named([
            ("the passing end", Digest::of(&self.passing).as_str().to_owned()),
            ("--timeout", self.time_limit.clone()),
        ]);
        facts.extend(between);
        facts.extend(self.grammars.clone());
        facts
    }

    fn places(&self) -> Places {
        let results = self.results();
        let finds = match &self.between {
            Between::Texts { .. } => self.output.as_ref().map(|_| paths::finds_beside(&self.file)),
            Between::Versions { .. } => self.output.as_deref().map(paths::finds_beside),
        };
        Places {
            file: self.file.clone(),
            sources: self.sources.clone(),
            journal_beside: results.as_ref().map(|[_, failing]| failing.clone()),
            results: results.into_iter().flatten().collect(),
            are_directories: self.are_versions(),
            finds,
        }
    }

    fn search(&mut self, context: &RunContext<'_>) -> Result<(), Error> {
        let sides =
            Sides { passing: Arc::clone(&self.passing), failing: Arc::clone(&self.failing) };
        let paths = self.results().filter(|_| context.writes_results());
        let mut files = None;
        match &paths {
            Some(paths) if self.are_versions() => {
                paths.iter().for_each(|path| clean_directory(path));
            }
            Some([pass, fail]) => {
                let file = |path, text| ResultFile::new(path, &self.file, text, context.continues);
                files = Some([file(pass, &sides.passing)?, file(fail, &sides.failing)?]);
            }
            None => {}
        }
        let (found, figures) = self.isolate(context, &sides, files.as_ref());
        context.tell(&RunEvent::Narrowed(&figures));
        if let Some([pass, fail]) = files {
            // One that cannot be written must not keep the other from its place.
            let passing = pass.finish(&found.passing, context);
            let failing = fail.finish(&found.failing, context);
            if let Err(error) = passing.and(failing) {
                self.error = Some(error);
            }
        }
        let difference = Difference {
            passing: Arc::clone(&found.passing),
            failing: Arc::clone(&found.failing),
            paths: paths.clone(),
            bytes_before: [self.passing.len(), sides.failing.len()],
            isolation: figures,
        };
        context.tell(&RunEvent::DifferenceFound(&difference));
        self.check_passing(context, &found.passing);
        if let (Some([pass, fail]), true) = (&paths, self.are_versions()) {
            write_directory(&found.passing, pass, context)?;
            write_directory(&found.failing, fail, context)?;
        }
        self.difference = Some(difference);
        Ok(())
    }

    fn result(&self) -> Vec<u8> {
        let Some(Difference { passing, failing, .. }) = &self.difference else { return Vec::new() };
        [passing, &b"\0"[..], failing].concat()
    }

    fn failing_results(&self) -> Vec<Arc<[u8]>> {
        self.difference.iter().map(|found| Arc::clone(&found.failing)).collect()
    }

    fn take_error(&mut self) -> Option<Error> {
        self.error.take()
    }

    fn verify(&self, context: &RunContext<'_>, name: &str) -> Result<Verified, Error> {
        let start = Instant::now();
        let found = self.difference.as_ref().expect("a search has a result");
        let (passing, failing) = (Arc::clone(&found.passing), Arc::clone(&found.failing));
        context.verify_isolation(self.plan(&Sides { passing, failing }), name)?;
        Ok(Verified::new(name, found.failing.len() as u64, context.tests(), start))
    }

    fn outcome(self, baseline: BaselineFacts, stopped: Option<StopReason>) -> IsolationOutcome {
        let language = match &self.between {
            Between::Texts { language } => Some(language.name.clone()),
            Between::Versions { .. } => None,
        };
        let difference = self.difference.expect("a search has a result");
        IsolationOutcome { baseline, difference, language, stopped }
    }

    fn over(outcome: &IsolationOutcome) -> Over<'_> {
        Over::Isolation(outcome)
    }
}
