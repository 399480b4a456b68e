//! Reductions of a file, of bytes or of a directory.

use std::path::PathBuf;
use std::sync::Arc;

use minirepro_circumstances::archive::entries;
use minirepro_engine::{Event, Outcome, Plan, ReductionSession, StopReason, Summary};
use minirepro_languages::{absent, without_form};
use minirepro_runner::{CancelToken, Fingerprint};
use minirepro_syntax::Language;

use crate::error::{BadRequest, Error, FlakyResult};
use crate::grammars::Languages;
use crate::observer::{Over, RunEvent};
use crate::outcome::{BaselineFacts, Reduced, ReductionOutcome, Verified};
use crate::reduce::coded::{CodedTest, file_of, is_coded};
use crate::reduce::format::{Formatted, formatted};
use crate::reduce::language::{self, Form, language_of, size};
use crate::reduce::verify::{plan_of, verify_one};
use crate::request::Settings;
use crate::request::{Format, LanguageChoice, Reduction};
use crate::run::context::{CandidateOf, Ran, ReductionTask, RunContext, Wrap};
use crate::run::endpoints::{Endpoints, Original, Passing, PassingKind};
use crate::run::fallback::Steps;
use crate::run::investigation::{self, InputLanguage, Investigation, does_not_reproduce, runs};
use crate::run::overwriting::Places;
use crate::run::result_file::{ResultPlace, write_result};
use crate::sources::companions;
use crate::tester::subject::{Subject, Test, Tester};
use crate::{fingerprint, paths};

runs!(
    Reduction as ReductionRun: ReductionOutcome,
    "Makes the input small. The test is a closure from `&[u8]` to `bool` or to [`Outcome`], or a script or a command ([`TestSpec`](crate::TestSpec))."
);

impl<'a> Reduction<'a> {
    /// Checks what can be checked without running anything: that the test can be used, the language
    /// exists, and the result and the journal can be written.
    ///
    /// # Errors
    /// If [`run_with`](Self::run_with) would refuse to begin.
    pub fn check_with(&self, test: &dyn Test) -> Result<(), Error> {
        language::check_name(&self.settings.languages, &self.language)?;
        investigation::check(&places(self), &self.settings, test)
    }

    /// Gets the test ready as the run will, with the same files beside its candidates, and without
    /// an event: a caller who chooses between inputs can ask it which of them show the failure of
    /// this one.
    ///
    /// # Errors
    /// If no test can be run, or the input shows no failure to look for.
    pub fn tester<'t>(&self, test: &'t dyn Test, stop: &CancelToken) -> Result<Tester<'t>, Error> {
        let language = match &self.language {
            LanguageChoice::Guess => None,
            LanguageChoice::Named(name) => Some(name.as_str()),
            LanguageChoice::Given(language) => Some(language.name.as_str()),
        };
        let Settings { languages, companions, limits, .. } = &self.settings;
        test.prepare(&mut Subject {
            file: &self.file,
            input: &self.input,
            limits: limits.of_first_tests(),
            companions: companions::added(companions, &self.file),
            named: companions::named_by(languages, &self.file, &self.input, language, stop),
            finds: None,
            stop,
            tell: &|_| (),
        })
    }

    /// Tries every single edit of the input: is it 1-minimal?
    ///
    /// # Errors
    /// If it is not, or it does not show the failure.
    pub fn verify(self, test: impl Test) -> Result<Verified, Error> {
        self.verify_with(&test)
    }

    /// Tries every single edit of the input, with a test that is only known when the program runs.
    ///
    /// # Errors
    /// As [`verify`](Self::verify).
    pub fn verify_with(self, test: &dyn Test) -> Result<Verified, Error> {
        let (run, settings) = ReductionRun::new(Self { output: None, ..self })?;
        investigation::verify(run, settings, test, |run, context, name| {
            verify_one(context, name, run.plan(&run.input), Arc::clone(&run.input))
        })
    }
}

/// A text is read in another way if this many tests have not made it smaller.
const IN_VAIN: u64 = 200;

/// A reduction under way.
struct ReductionRun<'a> {
    request: Reduction<'a>,
    /// In the form in which the language has a tree for it.
    input: Arc<[u8]>,
    /// The file or the files that hold it.
    failing: Arc<[u8]>,
    /// The same as the user has it, where that differs.
    original: Option<Arc<[u8]>>,
    /// Whether files hold texts of the language in another form.
    is_coded: bool,
    /// What must stay of the input, as tests get it.
    least: Vec<u8>,
    language: Arc<Language>,
    languages: Languages,
    /// What tells the grammars apart from other versions of them.
    grammars: Fingerprint,
    /// Whether only its text told the language.
    is_by_text: bool,
    done: Option<Done>,
}

/// A reduction that is over.
struct Done {
    /// The smallest text found, before its blank space was formatted.
    best: Arc<[u8]>,
    /// The file or the files that hold it.
    file: Arc<[u8]>,
    reduced: Reduced,
    /// The candidates that were accepted on the way.
    steps: Steps,
}

/// Returns where the things of a reduction are and go.
fn places(request: &Reduction<'_>) -> Places {
    let Reduction { file, files, output, .. } = request;
    let are_directories = files.is_some();
    let named = files.iter().flatten();
    let sources: Vec<PathBuf> = named.cloned().collect();
    // Something that can only be written to once has nothing beside it.
    let has_beside = |path: &&PathBuf| are_directories || path.is_file() || !path.exists();
    let finds = output.as_ref().map(|output| match are_directories {
        true => paths::finds_beside(output),
        false => paths::finds_beside(&output.with_file_name(file.file_name().unwrap_or_default())),
    });
    Places {
        file: file.clone(),
        sources: if sources.is_empty() { vec![file.clone()] } else { sources },
        results: output.iter().cloned().collect(),
        are_directories,
        journal_beside: output.as_ref().filter(has_beside).cloned(),
        finds,
    }
}

impl<'a> ReductionRun<'a> {
    fn new(mut request: Reduction<'a>) -> Result<(Self, Settings<'a>), Error> {
        let settings = std::mem::take(&mut request.settings);
        let languages = settings.languages.clone();
        let input = Arc::clone(&request.input);
        let Reduction { file, files, rules, scope, .. } = &request;
        let name = file.display().to_string();
        let is_directory = files.is_some();
        if is_directory && entries(&input).is_empty() {
            return Err(BadRequest::NoFiles { path: file.clone() }.into());
        }
        if input.is_empty() {
            return Err(BadRequest::EmptyInput { name }.into());
        }
        let (language, grammars) = if is_directory {
            let language = language_of(&languages, rules, &input, Form::Canonical)?;
            (Arc::new(language), fingerprint::of_archives(&languages, &[&input]))
        } else {
            let language = request.language.find_with(&languages, rules, file, &input)?;
            let grammars = fingerprint::of_grammars(&languages, [&*language.name]);
            (language, grammars)
        };
        let given = Arc::clone(&input);
        let canonical = language::canonical(&language, &input);
        let canonical = canonical.filter(|canonical| **canonical != *input);
        let (input, original) = match canonical {
            Some(canonical) => (canonical.into(), Some(input)),
            None => (input, None),
        };
        let texts: Vec<&[u8]> = match is_directory {
            true => entries(&given).iter().map(|entry| entry.text).collect(),
            false => vec![&input],
        };
        language::check_scope(scope, &name, &texts)?;
        let failing = file_of(&language, &input);
        let least = match is_directory {
            true => Vec::new(),
            false => file_of(&language, &scope.least(&input).into()).to_vec(),
        };
        let run = Self {
            least,
            is_coded: is_coded(&language, &input),
            original: original.filter(|original| *original != failing),
            failing,
            input,
            is_by_text: !is_directory && language::is_by_text(&languages, &request.language, file),
            language,
            languages,
            grammars,
            request,
            done: None,
        };
        Ok((run, settings))
    }

    fn is_directory(&self) -> bool {
        self.request.files.is_some()
    }

    /// Returns whether the language was chosen for the user.
    fn is_guessed(&self) -> bool {
        matches!(self.request.language, LanguageChoice::Guess)
    }

    fn name(&self) -> String {
        match self.request.files.as_deref().unwrap_or_default() {
            [] => self.request.file.display().to_string(),
            [first] => first.display().to_string(),
            [first, second] => format!("{} and {}", first.display(), second.display()),
            [first, others @ ..] => {
                format!("{} and {} other files", first.display(), others.len())
            }
        }
    }

    /// Reduces a text as its language reads it. Where hardly anything goes of it, it is read in
    /// other ways before all is tried as its language reads it. `accept` gets the files of what was
    /// accepted.
    fn reduce(
        &mut self,
        context: &RunContext<'_>,
        name: &str,
        plan: &Plan,
        accept: &mut dyn FnMut(&Arc<[u8]>),
    ) -> Ran<ReductionSession, Summary> {
        let may_be_misread = self.is_guessed()
            && !self.is_directory()
            && !self.is_coded
            && language::may_be_misread(&plan.language, &plan.input);
        let candidate = if self.is_coded { CandidateOf::Part } else { CandidateOf::Whole };
        let proposers = &mut self.request.proposers;
        let mut session = |language: &Arc<Language>, input: &Arc<[u8]>, max_in_vain| {
            let mut plan =
                Plan { language: Arc::clone(language), input: Arc::clone(input), ..plan.clone() };
            plan.budget.max_in_vain = max_in_vain;
            let wrap: Wrap<'_> = &|whole, lend| lend(&CodedTest { whole, language });
            let task = ReductionTask { name, plan, candidate, proposers, wrap };
            context.reduce(task, &mut |event| {
                if let Event::Reduced { text, .. } = event {
                    accept(&file_of(language, text));
                }
            })
        };
        let ran = session(&plan.language, &plan.input, may_be_misread.then_some(IN_VAIN));
        if ran.figures.session.stopped != Some(StopReason::InVain) {
            return ran;
        }
        let mut figures = ran.figures;
        let mut best = ran.session.best();
        let ways = language::other_readings(&plan.language, &plan.input);
        if ways.is_empty() {
            return session(&plan.language, &best, None).after(figures);
        }
        let mut in_vain = Some(&*plan.language.name);
        for now in &ways {
            context.tell(&RunEvent::ReadAs { in_vain, now: &now.name });
            let ran = session(now, &best, Some(IN_VAIN));
            best = ran.session.best();
            let stopped = ran.figures.session.stopped;
            let ran = ran.after(figures);
            in_vain = (stopped == Some(StopReason::InVain)).then_some(&now.name);
            if in_vain.is_none() && now.name == language::BYTES {
                // What was overwritten is a text of its language no more.
                self.language = Arc::clone(now);
                return ran;
            }
            figures = ran.figures;
            if in_vain.is_none() {
                break;
            }
        }
        context.tell(&RunEvent::ReadAs { in_vain, now: &plan.language.name });
        session(&plan.language, &best, None).after(figures)
    }

    fn plan(&self, input: &Arc<[u8]>) -> Plan {
        let plan = plan_of(input, &self.language, self.request.algorithm, &self.request.scope);
        // Messages are about the file.
        Plan { is_informed: !self.is_coded && !self.is_directory(), ..plan }
    }

    /// Formats a result as is wanted, as long as it still reproduces.
    fn format(&self, context: &RunContext<'_>, plan: &Plan, best: &[u8]) -> Formatted {
        let is_text = !self.is_coded && !self.is_directory();
        if !is_text || !context.runs_tests() || context.is_broken() {
            return Formatted::Unchanged;
        }
        let reproduces = |text: &[u8]| {
            plan.scope.keeps(&plan.input, text)
                && context.confirm_at_end(text) == Some(Outcome::Fail)
        };
        formatted(&self.language, &self.request.format, &self.request.file, best, reproduces)
    }
}

impl Investigation for ReductionRun<'_> {
    type Outcome = ReductionOutcome;

    fn endpoints(&self) -> Endpoints<'_> {
        let language = match self.is_directory() {
            true => "the language of a file",
            false => &self.language.name,
        };
        let original = self.original.as_deref();
        Endpoints {
            failing: &self.failing,
            original: original.map(|text| Original { text, language }),
            failing_name: self.name(),
            passing: Passing {
                candidate: &self.least,
                name: "an empty directory".to_owned(),
                kind: if self.is_directory() { PassingKind::Nothing } else { PassingKind::Least },
                may_be_unresolved: true,
                are_rewritten: false,
            },
        }
    }

    fn facts(&self) -> Fingerprint {
        let Reduction { scope, rules, algorithm, format, proposers, .. } = &self.request;
        let mut facts = fingerprint::of_scope(scope);
        facts.extend(fingerprint::named([
            ("--algorithm", algorithm.to_string()),
            ("--format", format!("{format:?}")),
        ]));
        if !self.is_directory() {
            facts.extend(fingerprint::named([("--lang", self.language.name.clone())]));
        }
        facts.extend(fingerprint::of_rules(rules.iter().map(|rules| &*rules.text)));
        if !proposers.is_empty() {
            // What they say is recorded, so it does not matter what a name means.
            let names: Vec<String> = proposers.iter().map(|one| one.name()).collect();
            facts.extend(fingerprint::named([("--propose", names.join("\n"))]));
        }
        facts.extend(self.grammars.clone());
        facts
    }

    fn fall_back(&mut self) -> bool {
        let is_directory = self.is_directory();
        let may_fall = is_directory || self.is_guessed();
        let Some(original) = self.original.take().filter(|_| may_fall) else { return false };
        let language = if is_directory {
            language_of(&self.languages, &self.request.rules, &original, Form::AsItStands).ok()
        } else {
            let name = without_form(&self.request.file.to_string_lossy(), &original);
            minirepro_languages::by_name(&name).ok()
        };
        let Some(language) = language else { return false };
        self.language = Arc::new(language);
        self.failing = Arc::clone(&original);
        self.input = original;
        self.is_coded = false;
        true
    }

    fn places(&self) -> Places {
        places(&self.request)
    }

    fn language(&self) -> InputLanguage {
        if self.is_directory() {
            return InputLanguage::default();
        }
        let name = self.language.name.clone();
        let file = self.request.file.file_name().unwrap_or_default().to_string_lossy();
        let with_reason = if self.language.reader.is_too_much(&self.input) {
            format!("{name}, as text until it is smaller")
        } else if self.is_by_text && self.language.spacing.between_tokens {
            let errors = self.language.parser.errors(&self.input);
            format!("{name}, by its text ({errors} errors in {} bytes)", self.input.len())
        } else {
            name.clone()
        };
        let absent = self.is_by_text.then(|| absent(&file)).flatten();
        InputLanguage { name: Some(name), with_reason: Some(with_reason), absent }
    }

    fn search(&mut self, context: &RunContext<'_>) -> Result<(), Error> {
        let path = self.request.output.clone().filter(|_| context.writes_results());
        let before = file_of(&self.language, &self.input);
        let is_directory = self.is_directory();
        let place = path
            .as_deref()
            .map(|path| ResultPlace::new(path, &self.request.file, &before, is_directory, context));
        let place = place.transpose()?;
        let name = self.name();
        let plan = self.plan(&self.input);
        let mut steps = Steps::default();
        steps.push(&before);
        let ran = self.reduce(context, &name, &plan, &mut |file| {
            steps.push(file);
            if let Some(place) = &place {
                place.offer(file, context);
            }
        });
        let best = ran.session.best();
        let file = file_of(&self.language, &best);
        let mut reduced = Reduced {
            text: Arc::clone(&file),
            files: None,
            path,
            name,
            language: self.language.name.clone(),
            figures: ran.figures,
            guard_runs: context.tester.guard_runs(),
            finds: context.tester.finds(),
        };
        let bytes = &mut reduced.figures.session.bytes;
        if is_directory {
            let (before, after) = (size(&before), size(&file));
            *bytes = (before.bytes, after.bytes);
            reduced.files = Some((before.files, after.files));
        } else if self.is_coded {
            *bytes = (self.failing.len() as u64, file.len() as u64);
        }
        let formatted = self.format(context, &plan, &best);
        if let Formatted::Changed { text, .. } = &formatted {
            reduced.figures.session.bytes.1 = text.len() as u64;
            reduced.text = Arc::clone(text);
        }
        context.tell(&RunEvent::Reduced(&reduced));
        match formatted {
            // Formatting is reported only if it was requested.
            Formatted::Changed { form, text } if self.request.format != Format::Auto => {
                let (from, to) = (best.len(), text.len());
                context.tell(&RunEvent::Formatted { form: &form, from, to });
            }
            Formatted::Refused => context.tell(&RunEvent::FormatRefused),
            Formatted::Changed { .. } | Formatted::Unchanged => {}
        }
        if let Some(place) = place {
            let is_kept = place.is_kept();
            place.finish(&reduced.text, context)?;
            if let Some(path) =
                reduced.path.as_deref().filter(|_| is_kept && !context.has_trouble())
            {
                context.tell(&RunEvent::ResultWritten { path });
            }
        }
        self.done = Some(Done { best, file, reduced, steps });
        Ok(())
    }

    fn result(&self) -> Vec<u8> {
        self.done.iter().flat_map(|done| done.file.to_vec()).collect()
    }

    fn failing_results(&self) -> Vec<Arc<[u8]>> {
        self.done.iter().map(|done| Arc::clone(&done.reduced.text)).collect()
    }

    fn confirm_results(&mut self, context: &RunContext<'_>) -> Result<Option<FlakyResult>, Error> {
        let is_directory = self.is_directory();
        let Some(done) = &mut self.done else { return Ok(None) };
        let reduced = &mut done.reduced;
        if !does_not_reproduce(context, &reduced.text) {
            if !is_directory {
                context.compare_messages(&self.failing, &reduced.text);
            }
            return Ok(None);
        }
        let mut found = FlakyResult::default();
        if let Some(reliable) = done.steps.last_reliable(context) {
            let differs = reliable != reduced.text;
            if let Some(path) = reduced.path.as_ref().filter(|_| differs) {
                let like = Some(&*self.request.file).filter(|_| !is_directory);
                let unreliable = match is_directory {
                    true => paths::flaky_directory(path),
                    false => paths::flaky(path),
                };
                write_result(&unreliable, like, &reduced.text, context)?;
                write_result(path, like, &reliable, context)?;
                found.unreliable = Some(unreliable);
            }
            found.fallback = Some(reliable.len());
            reduced.text = reliable;
        }
        Ok(Some(found))
    }

    fn verify(&self, context: &RunContext<'_>, name: &str) -> Result<Verified, Error> {
        let Done { best, reduced, .. } = self.done.as_ref().expect("a search has a result");
        let verified = verify_one(context, name, self.plan(&self.input), Arc::clone(best))?;
        Ok(match self.is_directory() {
            true => Verified { bytes: size(&reduced.text).bytes, ..verified },
            false => verified,
        })
    }

    fn outcome(self, baseline: BaselineFacts, stopped: Option<StopReason>) -> ReductionOutcome {
        let result = self.done.expect("a search has a result").reduced;
        ReductionOutcome { baseline, result, stopped }
    }

    fn over(outcome: &ReductionOutcome) -> Over<'_> {
        Over::Reduction(outcome)
    }
}
