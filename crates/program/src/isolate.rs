//! Isolations of the difference between two texts, or between two versions of several files.

use std::path::PathBuf;
use std::sync::Arc;

use minirepro_circumstances::{Changes, Text};
use minirepro_engine::{Event, Goal, IsolationPlan, StopReason};
use minirepro_runner::{Digest, Fingerprint, Output};
use minirepro_syntax::Language;

use crate::error::{BadRequest, Error, FlakyResult};
use crate::grammars::Languages;
use crate::observer::{Over, RunEvent};
use crate::outcome::{BaselineFacts, Difference, IsolationOutcome, Verified};
use crate::reduce::coded::is_coded;
use crate::reduce::language;
use crate::request::{Isolation, Settings};
use crate::run::context::RunContext;
use crate::run::endpoints::Endpoints;
use crate::run::investigation::{self, Investigation, does_not_reproduce};
use crate::run::overwriting::Places;
use crate::run::result_file::{ResultFile, write_directory};
use crate::tester::subject::Test;
use crate::{fingerprint, paths, sources};

impl Isolation<'_> {
    /// Brings both ends as close to each other as possible. The test is a closure, or a script or a
    /// command ([`TestSpec`](crate::TestSpec)).
    ///
    /// # Errors
    /// If there is no result, or it is not where it should be, or it is worth nothing.
    pub fn run(self, test: &dyn Test) -> Result<IsolationOutcome, Error> {
        let (run, settings) = IsolationRun::new(self)?;
        investigation::investigate(run, settings, test)
    }
}

/// An isolation under way.
struct IsolationRun<'a> {
    /// Its ends are in the form in which their language has a tree for them.
    request: Isolation<'a>,
    /// The language of two texts.
    language: Option<Arc<Language>>,
    /// Whether an end is in another form than its own.
    are_rewritten: bool,
    difference: Option<Difference>,
}

impl<'a> IsolationRun<'a> {
    fn new(mut request: Isolation<'a>) -> Result<(Self, Settings<'a>), Error> {
        let settings = std::mem::take(&mut request.settings);
        let languages = &settings.languages;
        let Isolation { passing, failing, passing_name, failing_name, language, file, .. } =
            &mut request;
        if language.is_some() && failing.is_empty() {
            return Err(BadRequest::EmptyInput(failing_name.clone()).into());
        }
        if passing == failing {
            let failing = failing_name.clone();
            let passing = passing_name.clone().unwrap_or_else(|| failing.clone());
            return Err(BadRequest::EqualEnds { passing, failing }.into());
        }
        let mut are_rewritten = false;
        let language = match language {
            None => None,
            Some(language) => {
                let mut language = language.find(languages, &[], file, failing)?;
                let text = language::canonical(&language, failing);
                if text.is_some_and(|text| is_coded(&language, &text)) {
                    // Both ends are files.
                    language = Arc::new(languages.by_name("bytes")?);
                }
                for end in [passing, failing] {
                    if let Some(canonical) = language::canonical(&language, end) {
                        are_rewritten |= *canonical != **end;
                        *end = canonical.into();
                    }
                }
                Some(language)
            }
        };
        Ok((Self { request, language, are_rewritten, difference: None }, settings))
    }

    fn plan(
        &self,
        languages: &Languages,
        passing: &Arc<[u8]>,
        failing: &Arc<[u8]>,
    ) -> IsolationPlan {
        let ends = (Arc::clone(passing), Arc::clone(failing));
        let (old, new) = ends.clone();
        match &self.language {
            None => {
                let grammars = sources::grammars(languages);
                let changes = Changes::new(old, new, grammars);
                IsolationPlan::new(Arc::new(changes), ends, Goal::Isolate)
            }
            Some(language) => {
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
        let stop = &context.stops.any;
        let is_known = *passing == *self.request.passing || self.request.passing_name.is_none();
        if !self.are_versions() || is_known || context.store.is_replay || stop.is_set() {
            return;
        }
        let ended = |candidate| context.tester.script()?.seen(candidate, stop).ok();
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
}

impl Investigation for IsolationRun<'_> {
    type Outcome = IsolationOutcome;

    fn endpoints(&self) -> Endpoints<'_> {
        let empty = if self.are_versions() { "an empty directory" } else { "an empty file" };
        Endpoints {
            failing: &self.request.failing,
            failing_name: self.request.failing_name.clone(),
            passing: &self.request.passing,
            passing_name: self.request.passing_name.clone().unwrap_or_else(|| empty.to_owned()),
            may_be_unresolved: self.request.passing_name.is_none(),
            are_rewritten: self.are_rewritten,
            ..Endpoints::default()
        }
    }

    fn facts(&self, languages: &Languages) -> Fingerprint {
        let mut facts = fingerprint::named([(
            "the passing end",
            Digest::of(&self.request.passing).as_str().to_owned(),
        )]);
        let Isolation { passing, failing, .. } = &self.request;
        match &self.language {
            None => facts.extend(fingerprint::of_archives(languages, &[passing, failing])),
            Some(language) => {
                facts.extend(fingerprint::named([("--lang", language.name.clone())]));
                facts.extend(fingerprint::of_grammars(languages, [&*language.name]));
            }
        }
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
        let Isolation { passing, failing, file, .. } = &self.request;
        let paths = self.results().filter(|_| !context.is_silent);
        let mut files = None;
        match &paths {
            Some(paths) if self.are_versions() => {
                paths.iter().for_each(|path| Output::new(path, path).clean());
            }
            // Both sides of two texts are written again and again.
            Some([pass, fail]) => {
                let goes_on = context.store.is_continuing();
                let at = |path, text| ResultFile::new(path, file, text, goes_on);
                files = Some([at(pass, passing)?, at(fail, failing)?]);
            }
            None => {}
        }
        let bytes_before = [passing.len(), failing.len()];
        let plan = self.plan(&context.settings.languages, passing, failing);
        let ran = context.isolate(plan, context.answers.clone(), &mut |event| {
            if let (Event::Narrowed { passing, failing, .. }, Some([pass, fail])) = (event, &files)
            {
                pass.offer(passing);
                fail.offer(failing);
            }
        });
        context.tell(&RunEvent::Narrowed(&ran.figures));
        let (passing, failing) = ran.session.ends();
        if let Some([pass, fail]) = files {
            // One that cannot be written must not keep the other from its place.
            let written = pass.finish(&passing, context);
            context.note(written.and(fail.finish(&failing, context)));
        }
        let isolation = ran.figures;
        let difference = Difference { passing, failing, paths, bytes_before, isolation };
        context.tell(&RunEvent::DifferenceFound(&difference));
        self.check_passing(context, &difference.passing);
        if let (Some([pass, fail]), true) = (&difference.paths, self.are_versions()) {
            write_directory(&difference.passing, pass, context)?;
            write_directory(&difference.failing, fail, context)?;
        }
        self.difference = Some(difference);
        Ok(())
    }

    fn result(&self) -> Vec<u8> {
        let Some(Difference { passing, failing, .. }) = &self.difference else { return Vec::new() };
        [passing, &b"\0"[..], failing].concat()
    }

    fn confirm_results(&mut self, context: &RunContext<'_>) -> Result<Option<FlakyResult>, Error> {
        let found = self.difference.as_ref().expect("a search has a result");
        Ok(does_not_reproduce(context, &found.failing).then(FlakyResult::default))
    }

    fn verify(&self, context: &RunContext<'_>) -> Result<Verified, Error> {
        let found = self.difference.as_ref().expect("a search has a result");
        let plan = self.plan(&context.settings.languages, &found.passing, &found.failing);
        context.verify_isolation(plan, found.failing.len())
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
