//! Isolations of the difference between two texts, or between two versions of several files.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use minirepro_circumstances::{Changes, Text};
use minirepro_engine::{Event, Goal, IsolationPlan, StopReason};
use minirepro_runner::{Digest, Fingerprint};
use minirepro_syntax::Language;

use crate::error::{BadRequest, Error};
use crate::grammars::Languages;
use crate::observer::{Over, RunEvent};
use crate::outcome::{BaselineFacts, Difference, IsolationOutcome, Verified};
use crate::reduce::coded::is_coded;
use crate::reduce::language;
use crate::request::{Ends, Isolation, Settings};
use crate::run::context::{RunContext, Sides};
use crate::run::endpoints::{Endpoints, Passing, PassingKind};
use crate::run::investigation::{Investigation, runs};
use crate::run::overwriting::Places;
use crate::run::result_file::{ResultFile, clean_directory, write_directory};
use crate::{fingerprint, paths, sources};

runs!(
    Isolation as IsolationRun: IsolationOutcome,
    "Brings both ends as close to each other as possible. The test is a closure, or a script or a command ([`TestSpec`](crate::TestSpec))."
);

/// An isolation under way.
struct IsolationRun<'a> {
    /// Its ends are in the form in which their language has a tree for them.
    request: Isolation<'a>,
    /// The language of two texts.
    language: Option<Arc<Language>>,
    languages: Languages,
    /// What tells their grammars apart from other versions of them.
    grammars: Fingerprint,
    /// Whether an end is in another form than its own.
    are_rewritten: bool,
    difference: Option<Difference>,
}

impl<'a> IsolationRun<'a> {
    fn new(mut request: Isolation<'a>) -> Result<(Self, Settings<'a>), Error> {
        let settings = std::mem::take(&mut request.settings);
        let languages = settings.languages.clone();
        let Isolation { passing, failing, passing_name, failing_name, ends, file, .. } =
            &mut request;
        let are_versions = matches!(ends, Ends::Versions);
        if !are_versions && failing.is_empty() {
            return Err(BadRequest::EmptyInput { name: failing_name.clone() }.into());
        }
        if passing == failing {
            let failing = failing_name.clone();
            let passing = passing_name.clone().unwrap_or_else(|| failing.clone());
            return Err(BadRequest::EqualEnds { passing, failing, are_versions }.into());
        }
        let mut are_rewritten = false;
        let (language, grammars) = match ends {
            Ends::Versions => {
                (None, fingerprint::of_archives(&languages, &[&**passing, &**failing]))
            }
            Ends::Texts { language, .. } => {
                let mut language = language.find(&languages, file, failing)?;
                let text = language::canonical(&language, failing);
                if text.is_some_and(|text| is_coded(&language, &text)) {
                    // Both ends are files.
                    language = Arc::new(languages.by_name("bytes").map_err(BadRequest::from)?);
                }
                let grammars = fingerprint::of_grammars(&languages, [&*language.name]);
                for end in [passing, failing] {
                    if let Some(canonical) = language::canonical(&language, end) {
                        are_rewritten |= *canonical != **end;
                        *end = canonical.into();
                    }
                }
                (Some(language), grammars)
            }
        };
        let run = Self { request, language, languages, grammars, are_rewritten, difference: None };
        Ok((run, settings))
    }

    fn plan(&self, sides: &Sides) -> IsolationPlan {
        let old = Arc::clone(&sides.passing);
        let new = Arc::clone(&sides.failing);
        let ends = (Arc::clone(&old), Arc::clone(&new));
        let grammars = || sources::grammars(&self.languages);
        match (&self.language, &self.request.ends) {
            (None, Ends::Versions) => {
                let changes = Changes::new(old, new, grammars());
                IsolationPlan::new(Arc::new(changes), ends, Goal::Isolate)
            }
            (None, Ends::Texts { .. }) => unreachable!("texts have a language"),
            (Some(language), _) => {
                let text = Text::new(Arc::clone(language), old, new);
                IsolationPlan::new(Arc::new(text), ends, Goal::Isolate)
            }
        }
    }

    /// Returns where both sides of a difference go: passing, failing.
    fn results(&self) -> Option<[PathBuf; 2]> {
        let base = self.request.output.as_ref()?;
        Some(["pass", "fail"].map(|side| paths::with_word(base, side)))
    }

    fn are_versions(&self) -> bool {
        self.language.is_none()
    }

    /// Says so if what passes now does not end as what passed before the search.
    fn check_passing(&self, context: &RunContext<'_>, passing: &[u8]) {
        let is_known = *passing == *self.request.passing || self.request.passing_name.is_none();
        if !self.are_versions() || is_known || !context.runs_tests() || context.stop().is_set() {
            return;
        }
        let ended = |candidate| context.tester.script()?.seen(candidate, context.stop()).ok();
        let (Some(before), Some(now)) = (ended(&self.request.passing), ended(passing)) else {
            return;
        };
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

impl Investigation for IsolationRun<'_> {
    type Outcome = IsolationOutcome;

    fn endpoints(&self) -> Endpoints<'_> {
        let empty = if self.are_versions() { "an empty directory" } else { "an empty file" };
        Endpoints {
            failing: &self.request.failing,
            original: None,
            failing_name: self.request.failing_name.clone(),
            passing: Passing {
                kind: PassingKind::Other,
                candidate: &self.request.passing,
                name: self.request.passing_name.clone().unwrap_or_else(|| empty.to_owned()),
                may_be_unresolved: self.request.passing_name.is_none(),
                are_rewritten: self.are_rewritten,
            },
        }
    }

    fn facts(&self) -> Fingerprint {
        let mut facts = fingerprint::named([(
            "the passing end",
            Digest::of(&self.request.passing).as_str().to_owned(),
        )]);
        if let Some(language) = &self.language {
            facts.extend(fingerprint::named([("--lang", language.name.clone())]));
        }
        facts.extend(self.grammars.clone());
        facts
    }

    fn places(&self) -> Places {
        let results = self.results();
        let finds = match self.are_versions() {
            false => self.request.output.as_ref().map(|_| paths::finds_beside(&self.request.file)),
            true => self.request.output.as_deref().map(paths::finds_beside),
        };
        Places {
            file: self.request.file.clone(),
            sources: self.request.sources.clone(),
            journal_beside: results.as_ref().map(|[_, failing]| failing.clone()),
            results: results.into_iter().flatten().collect(),
            are_directories: self.are_versions(),
            finds,
        }
    }

    fn search(&mut self, context: &RunContext<'_>) -> Result<(), Error> {
        let sides = Sides {
            passing: Arc::clone(&self.request.passing),
            failing: Arc::clone(&self.request.failing),
        };
        let paths = self.results().filter(|_| context.writes_results());
        let mut files = None;
        match &paths {
            Some(paths) if self.are_versions() => {
                paths.iter().for_each(|path| clean_directory(path));
            }
            Some([pass, fail]) => {
                let file =
                    |path, text| ResultFile::new(path, &self.request.file, text, context.continues);
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
            context.note(passing.and(failing));
        }
        let difference = Difference {
            passing: Arc::clone(&found.passing),
            failing: Arc::clone(&found.failing),
            paths: paths.clone(),
            bytes_before: [self.request.passing.len(), sides.failing.len()],
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

    fn verify(&self, context: &RunContext<'_>, name: &str) -> Result<Verified, Error> {
        let start = Instant::now();
        let found = self.difference.as_ref().expect("a search has a result");
        let (passing, failing) = (Arc::clone(&found.passing), Arc::clone(&found.failing));
        context.verify_isolation(self.plan(&Sides { passing, failing }), name)?;
        Ok(Verified::new(name, found.failing.len() as u64, context.tests(), start))
    }

    fn outcome(self, baseline: BaselineFacts, stopped: Option<StopReason>) -> IsolationOutcome {
        let language = self.language.as_ref().map(|language| language.name.clone());
        let difference = self.difference.expect("a search has a result");
        IsolationOutcome { baseline, difference, language, stopped }
    }

    fn over(outcome: &IsolationOutcome) -> Over<'_> {
        Over::Isolation(outcome)
    }
}
