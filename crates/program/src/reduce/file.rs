//! Reductions of a file or of bytes.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use minirepro_engine::{
    Algorithm, Event, Outcome, Plan, ReductionSession, Scope, StopReason, Summary,
};
use minirepro_languages::{absent, without_form};
use minirepro_runner::{CancelToken, Fingerprint, Proposer};
use minirepro_syntax::Language;

use crate::error::{BadRequest, Error, FlakyResult};
use crate::fingerprint;
use crate::observer::{Over, RunEvent};
use crate::outcome::{BaselineFacts, Reduced, ReductionOutcome, Verified};
use crate::paths;
use crate::reduce::coded::{CodedTest, file_of, is_coded};
use crate::reduce::format::{Formatted, formatted};
use crate::reduce::language;
use crate::reduce::plan::plan_of;
use crate::reduce::verify::verify_one;
use crate::request::reduction::{Format, LanguageChoice, Reduction};
use crate::request::rules::Rules;
use crate::request::settings::Settings;
use crate::run::context::{CandidateOf, Ran, ReductionTask, RunContext};
use crate::run::endpoints::{Endpoints, Original, Passing};
use crate::run::fallback::Steps;
use crate::run::investigation::{self, Investigation, does_not_reproduce, runs};
use crate::run::places::Places;
use crate::run::result_file::ResultFile;
use crate::sources::companions;
use crate::tester::subject::{Subject, Test, Tester};

runs!(
    Reduction as FileRun: ReductionOutcome,
    "Makes the input small. The test is a closure from `&[u8]` to `bool` or to [`Outcome`], or a script or a command ([`TestSpec`](crate::TestSpec))."
);

impl<'a> Reduction<'a> {
    /// Checks what can be checked without running anything: that the test can be used, the language
    /// exists, and the result and the journal can be written.
    ///
    /// # Errors
    /// If [`run_with`](Self::run_with) would refuse to begin.
    pub fn check_with(&self, test: &dyn Test) -> Result<(), Error> {
        let places = places(&self.file, self.output.as_deref());
        language::check_name(&self.settings.languages, &self.language)?;
        investigation::check(&places, &self.settings, test)
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
            tell: &mut |_| (),
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
        let (run, settings) = FileRun::new(Self { output: None, ..self })?;
        investigation::verify(&run, settings, test, |run, context, name| {
            run.verify_one(context, name, &run.input, Arc::clone(&run.input))
        })
    }
}

/// A text is read in another way if this many tests have not made it smaller.
const IN_VAIN: u64 = 200;

/// A reduction of a file under way.
struct FileRun {
    input: Arc<[u8]>,
    /// The file that holds the input.
    failing: Arc<[u8]>,
    /// The input as it stands, where the language has a tree only for another form of it.
    original: Option<Arc<[u8]>>,
    /// Whether files hold texts of the language in another form.
    is_coded: bool,
    /// What must stay of the input, as tests get it.
    least: Vec<u8>,
    /// Whether the language was chosen for the user.
    is_guessed: bool,
    file: PathBuf,
    language: Arc<Language>,
    /// What tells its grammar apart from another version of it.
    grammar: Fingerprint,
    /// Whether only its text told the language.
    is_by_text: bool,
    rules: Vec<Rules>,
    proposers: Vec<Box<dyn Proposer>>,
    algorithm: Algorithm,
    scope: Scope,
    format: Format,
    output: Option<PathBuf>,
    time_limit: String,
    done: Option<Done>,
    /// Why a result could not be written.
    error: Option<Error>,
}

/// A reduction that is over.
struct Done {
    /// The smallest text found, before its blank space was formatted.
    best: Arc<[u8]>,
    /// The file that holds it.
    file: Arc<[u8]>,
    reduced: Reduced,
    steps: Steps,
}

/// Returns where the things of a reduction of this file are and go.
fn places(file: &Path, output: Option<&Path>) -> Places {
    let finds = output.map(|output| {
        paths::finds_beside(&output.with_file_name(file.file_name().unwrap_or_default()))
    });
    // Something that can only be written to once has nothing beside it.
    let beside = output.filter(|path| path.is_file() || !path.exists());
    Places {
        file: file.to_owned(),
        sources: vec![file.to_owned()],
        results: output.iter().map(|path| path.to_path_buf()).collect(),
        are_directories: false,
        journal_beside: beside.map(Path::to_path_buf),
        finds,
    }
}

impl FileRun {
    fn new(request: Reduction<'_>) -> Result<(Self, Settings<'_>), Error> {
        let Reduction { input, file, rules, proposers, algorithm, scope, format, output, .. } =
            request;
        let languages = &request.settings.languages;
        let name = file.display().to_string();
        if input.is_empty() {
            return Err(BadRequest::EmptyInput { name }.into());
        }
        let language = language::find_with(languages, &request.language, &rules, &file, &input)?;
        let grammar = fingerprint::of_grammars(languages, [&*language.name]);
        let is_by_text = language::is_by_text(languages, &request.language, &file);
        let canonical = language::canonical(&language, &input);
        let canonical = canonical.filter(|canonical| **canonical != *input);
        let (input, original) = match canonical {
            Some(canonical) => (canonical.into(), Some(input)),
            None => (input, None),
        };
        language::check_scope(&scope, &name, &[&input])?;
        let failing = file_of(&language, &input);
        let run = Self {
            least: file_of(&language, &scope.least(&input).into()).to_vec(),
            is_coded: is_coded(&language, &input),
            is_guessed: matches!(request.language, LanguageChoice::Guess),
            original: original.filter(|original| *original != failing),
            failing,
            input,
            file,
            language,
            grammar,
            is_by_text,
            rules,
            proposers,
            algorithm,
            scope,
            format,
            output,
            time_limit: format!("{:?}", request.settings.limits.time),
            done: None,
            error: None,
        };
        Ok((run, request.settings))
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
        let mut session = |language: &Arc<Language>, input: &Arc<[u8]>, max_in_vain| {
            let mut plan =
                Plan { language: Arc::clone(language), input: Arc::clone(input), ..plan.clone() };
            plan.budget.max_in_vain = max_in_vain;
            let task = ReductionTask {
                name,
                plan,
                candidate: if self.is_coded { CandidateOf::Part } else { CandidateOf::Whole },
                proposers: &mut self.proposers,
                wrap: &|whole, lend| lend(&CodedTest { whole, language }),
            };
            context.reduce(task, &mut |event| {
                if let Event::Reduced { text, .. } = event {
                    accept(&file_of(language, text));
                }
            })
        };
        let may_be_misread = self.is_guessed
            && !self.is_coded
            && language::may_be_misread(&plan.language, &plan.input);
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
        let plan = plan_of(input, &self.language, self.algorithm, &self.scope);
        // Messages are about the file.
        Plan { is_informed: !self.is_coded, ..plan }
    }

    /// Formats a result as is wanted, as long as it still reproduces.
    fn format(&self, context: &RunContext<'_>, plan: &Plan, best: &[u8]) -> Formatted {
        if self.is_coded || !context.runs_tests() || context.is_broken() {
            return Formatted::Unchanged;
        }
        let reproduces = |text: &[u8]| {
            plan.scope.keeps(&plan.input, text)
                && context.confirm_at_end(text) == Some(Outcome::Fail)
        };
        formatted(&self.language, &self.format, &self.file, best, reproduces)
    }

    /// Tries every single edit of a result.
    fn verify_one(
        &self,
        context: &RunContext<'_>,
        name: &str,
        input: &Arc<[u8]>,
        result: Arc<[u8]>,
    ) -> Result<Verified, Error> {
        verify_one(context, name, self.plan(input), result)
    }
}

impl Investigation for FileRun {
    type Outcome = ReductionOutcome;

    fn endpoints(&self) -> Endpoints<'_> {
        Endpoints {
            failing: &self.failing,
            original: self
                .original
                .as_deref()
                .map(|text| Original { text, language: &self.language.name }),
            failing_name: self.file.display().to_string(),
            passing: Passing::Least { candidate: &self.least },
        }
    }

    fn facts(&self) -> Fingerprint {
        let mut facts = fingerprint::of_scope(&self.scope);
        facts.extend(fingerprint::named([
            ("--lang", self.language.name.clone()),
            ("--algorithm", self.algorithm.to_string()),
            ("--format", format!("{:?}", self.format)),
            ("--timeout", self.time_limit.clone()),
        ]));
        facts.extend(fingerprint::of_rules(self.rules.iter().map(|rules| &*rules.text)));
        if !self.proposers.is_empty() {
            // What they say is recorded, so it does not matter what a name means.
            let names: Vec<String> = self.proposers.iter().map(|one| one.name()).collect();
            facts.extend(fingerprint::named([("--propose", names.join("\n"))]));
        }
        facts.extend(self.grammar.clone());
        facts
    }

    fn fall_back(&mut self) -> bool {
        let Some(original) = self.original.take().filter(|_| self.is_guessed) else {
            return false;
        };
        let name = without_form(&self.file.to_string_lossy(), &original);
        let Ok(language) = minirepro_languages::by_name(&name) else { return false };
        self.language = Arc::new(language);
        self.failing = Arc::clone(&original);
        self.input = original;
        self.is_coded = false;
        true
    }

    fn places(&self) -> Places {
        places(&self.file, self.output.as_deref())
    }

    fn language(&self) -> Option<String> {
        Some(self.language.name.clone())
    }

    fn language_with_reason(&self) -> Option<String> {
        let name = &self.language.name;
        if self.language.reader.is_too_much(&self.input) {
            return Some(format!("{name}, as text until it is smaller"));
        }
        if !self.is_by_text {
            return Some(name.clone());
        }
        if !self.language.spacing.between_tokens {
            return Some(name.clone());
        }
        let errors = self.language.parser.errors(&self.input);
        Some(format!("{name}, by its text ({errors} errors in {} bytes)", self.input.len()))
    }

    fn absent_language(&self) -> Option<String> {
        let name = self.file.file_name().unwrap_or_default().to_string_lossy();
        self.is_by_text.then(|| absent(&name)).flatten()
    }

    fn search(&mut self, context: &RunContext<'_>) -> Result<(), Error> {
        let input = Arc::clone(&self.input);
        let path = self.output.clone().filter(|_| context.writes_results());
        let file = file_of(&self.language, &input);
        let place = match &path {
            Some(path) => Some(ResultFile::new(path, &self.file, &file, context.continues)?),
            None => None,
        };
        let name = self.file.display().to_string();
        let plan = self.plan(&input);
        let mut steps = Steps::default();
        steps.push(&file);
        let ran = self.reduce(context, &name, &plan, &mut |file| {
            steps.push(file);
            if let Some(place) = &place {
                place.offer(file);
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
        if self.is_coded {
            let sizes = &mut reduced.figures.session.bytes;
            *sizes = (self.failing.len() as u64, file.len() as u64);
        }
        let formatted = self.format(context, &plan, &best);
        if let Formatted::Changed { text, .. } = &formatted {
            reduced.figures.session.bytes.1 = text.len() as u64;
            reduced.text = Arc::clone(text);
        }
        context.tell(&RunEvent::Reduced(&reduced));
        match formatted {
            // Formatting is reported only if it was requested.
            Formatted::Changed { form, text } if self.format != Format::Auto => {
                context.tell(&RunEvent::Formatted {
                    form: &form,
                    from: best.len(),
                    to: text.len(),
                });
            }
            Formatted::Refused => context.tell(&RunEvent::FormatRefused),
            Formatted::Changed { .. } | Formatted::Unchanged => {}
        }
        if let Some(place) = place {
            let is_file = place.is_file();
            match place.finish(&reduced.text, context) {
                Ok(()) => {
                    if let Some(path) = reduced.path.as_deref().filter(|_| is_file) {
                        context.tell(&RunEvent::ResultWritten { path });
                    }
                }
                Err(error) => self.error = Some(error),
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
        let Some(done) = &mut self.done else { return Ok(None) };
        if !does_not_reproduce(context, &done.reduced.text) {
            context.compare_messages(&self.failing, &done.reduced.text);
            return Ok(None);
        }
        let mut found = FlakyResult::default();
        if let Some(reliable) = done.steps.last_reliable(context) {
            let differs = reliable != done.reduced.text;
            if let Some(path) = done.reduced.path.as_ref().filter(|_| differs) {
                let unreliable = paths::flaky(path);
                ResultFile::new(&unreliable, &self.file, &done.reduced.text, false)?
                    .finish(&done.reduced.text, context)?;
                ResultFile::new(path, &self.file, &reliable, false)?.finish(&reliable, context)?;
                found.unreliable = Some(unreliable);
            }
            found.fallback = Some(reliable.len());
            done.reduced.text = reliable;
        }
        Ok(Some(found))
    }

    fn take_error(&mut self) -> Option<Error> {
        self.error.take()
    }

    fn verify(&self, context: &RunContext<'_>, name: &str) -> Result<Verified, Error> {
        let best = &self.done.as_ref().expect("a search has a result").best;
        self.verify_one(context, name, &self.input, Arc::clone(best))
    }

    fn outcome(self, baseline: BaselineFacts, stopped: Option<StopReason>) -> ReductionOutcome {
        let result = self.done.expect("a search has a result").reduced;
        ReductionOutcome { baseline, result, stopped }
    }

    fn over(outcome: &ReductionOutcome) -> Over<'_> {
        Over::Reduction(outcome)
    }
}
