//! Reductions of a file, of bytes or of a directory.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use minirepro_circumstances::archive::entries;
use minirepro_engine::{Budget, Event, Outcome, Plan, StopReason};
use minirepro_languages::{absent, without_form};
use minirepro_runner::{CancelToken, Fingerprint};
use minirepro_syntax::Language;

use crate::error::{BadRequest, Error, FlakyResult};
use crate::grammars::Languages;
use crate::observer::{Over, RunEvent};
use crate::outcome::{BaselineFacts, Reduced, ReductionOutcome, Verified};
use crate::reduce::coded::{file_of, is_coded};
use crate::reduce::format::{Formatted, formatted};
use crate::reduce::language::{self, language_of, size};
use crate::request::{Format, LanguageChoice, Reduction, Settings};
use crate::run::context::{self, RunContext};
use crate::run::endpoints::Endpoints;
use crate::run::fallback::Steps;
use crate::run::investigation::{self, InputLanguage, Investigation, does_not_reproduce};
use crate::run::overwriting::Places;
use crate::run::result_file::{ResultPlace, write_result};
use crate::tester::subject::{Subject, Test, Tester};
use crate::{fingerprint, paths};

impl Reduction<'_> {
    /// Makes the input small. The test is a closure from `&[u8]` to `bool` or to [`Outcome`], or a
    /// script or a command ([`TestSpec`](crate::TestSpec)).
    ///
    /// # Errors
    /// If there is no result, or it is not where it should be, or it is worth nothing.
    pub fn run(mut self, test: &dyn Test) -> Result<ReductionOutcome, Error> {
        test.adapt(&mut self);
        let (run, settings) = ReductionRun::new(self)?;
        investigation::investigate(run, settings, test)
    }

    /// Checks what can be checked without running anything: that the test can be used, the language
    /// exists, and the result and the journal can be written.
    ///
    /// # Errors
    /// If [`run`](Self::run) would refuse to begin.
    pub fn check_with(&self, test: &dyn Test) -> Result<(), Error> {
        if let LanguageChoice::Named(name) = &self.language
            && name != "records:guess"
        {
            self.settings.languages.by_name(name)?;
        }
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
        let Self { file, input, settings, .. } = self;
        test.prepare(&mut Subject::of(settings, file, input, language, test, stop, &|_| ()))
    }

    /// Tries every single edit of the input: is it 1-minimal?
    ///
    /// # Errors
    /// If it is not, or it does not show the failure.
    pub fn verify(mut self, test: &dyn Test) -> Result<Verified, Error> {
        test.adapt(&mut self);
        let (run, settings) = ReductionRun::new(Self { output: None, ..self })?;
        investigation::verify(&run, settings, test)
    }
}

/// A text is read in another way if this many tests have not made it smaller.
const IN_VAIN: u64 = 200;
/// A result that cannot get smaller as its language reads it is read in another way for so long.
const LATE_IN_VAIN: u64 = 25;
/// That is when each edit that was refused stands for more bytes than these: the language cannot
/// look into what is left.
const BYTES_OF_AN_EDIT: u64 = 32;

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
    done: Option<Done>,
}

/// A reduction that is over.
struct Done {
    /// The smallest text found, before its blank space was formatted.
    best: Arc<[u8]>,
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
    let result = |output: &PathBuf| match are_directories {
        true => output.clone(),
        false => output.with_file_name(file.file_name().unwrap_or_default()),
    };
    Places {
        file: file.clone(),
        sources: if sources.is_empty() { vec![file.clone()] } else { sources },
        results: output.iter().cloned().collect(),
        are_directories,
        journal_beside: output.as_ref().filter(has_beside).cloned(),
        finds: output.as_ref().map(|output| paths::finds_beside(&result(output))),
    }
}

impl<'a> ReductionRun<'a> {
    fn new(mut request: Reduction<'a>) -> Result<(Self, Settings<'a>), Error> {
        let settings = std::mem::take(&mut request.settings);
        let languages = &settings.languages;
        let given = Arc::clone(&request.input);
        let Reduction { file, files, rules, scope, .. } = &request;
        let name = file.display().to_string();
        let files = files.is_some().then(|| entries(&given));
        if files.as_ref().is_some_and(Vec::is_empty) {
            return Err(BadRequest::NoFiles(file.clone()).into());
        }
        if given.is_empty() {
            return Err(BadRequest::EmptyInput(name).into());
        }
        let language = match files {
            Some(_) => Arc::new(language_of(languages, rules, &given, false)?),
            None => request.language.find(languages, rules, file, &given)?,
        };
        let canonical = language::canonical(&language, &given);
        let input = canonical.map_or_else(|| Arc::clone(&given), Into::into);
        let failing = file_of(&language, &input);
        let (texts, least) = match files {
            Some(files) => (files.iter().map(|entry| entry.text).collect(), Vec::new()),
            None => (vec![&*input], file_of(&language, &scope.least(&input).into()).to_vec()),
        };
        language::check_scope(scope, &name, &texts)?;
        let run = Self {
            least,
            is_coded: is_coded(&language, &input),
            original: (input != given && failing != given).then_some(given),
            failing,
            input,
            language,
            request,
            done: None,
        };
        Ok((run, settings))
    }

    fn is_directory(&self) -> bool {
        self.request.files.is_some()
    }

    /// Returns whether tests get the text itself.
    fn is_text(&self) -> bool {
        !self.is_coded && !self.is_directory()
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

    /// Returns the file that a result is called like, unless it is a directory.
    fn like(&self) -> Option<&Path> {
        Some(&*self.request.file).filter(|_| !self.is_directory())
    }

    /// Reduces a text as its language reads it. Where hardly anything goes of it, or the language
    /// has hardly an edit for what is left, it is read in other ways before all is tried as its
    /// language reads it. `accept` gets the files of what was accepted.
    fn reduce(
        &mut self,
        context: &RunContext<'_>,
        plan: &Plan,
        accept: &mut dyn FnMut(&Arc<[u8]>),
    ) -> context::Reduction {
        let may_choose = self.is_guessed() && self.is_text();
        let may_be_misread = may_choose && language::may_be_misread(&plan.language, &plan.input);
        let proposers = &mut self.request.proposers;
        let mut session = |language: &Arc<Language>, input: &Arc<[u8]>, max_in_vain| {
            let mut plan =
                Plan { language: Arc::clone(language), input: Arc::clone(input), ..plan.clone() };
            plan.budget.max_in_vain = max_in_vain;
            context.reduce(&plan, proposers, &mut |event| {
                if let Event::Reduced { text, .. } = event {
                    accept(&file_of(language, text));
                }
            })
        };
        let is_vain =
            |ran: &context::Reduction| ran.figures.session.stopped == Some(StopReason::InVain);
        let sees_little = |ran: &context::Reduction| {
            let edits = ran.figures.session.certificate.as_ref().map(|known| known.refused + 1);
            let bytes = ran.session.best().len() as u64;
            may_choose && edits.is_some_and(|edits| bytes > BYTES_OF_AN_EDIT * edits)
        };
        let mut ran = session(&plan.language, &plan.input, may_be_misread.then_some(IN_VAIN));
        let patience = match is_vain(&ran) {
            true => IN_VAIN,
            false if sees_little(&ran) => LATE_IN_VAIN,
            false => return ran,
        };
        let ways = language::other_readings(&plan.language, &ran.session.best());
        let mut in_vain = Some(&*plan.language.name);
        for now in &ways {
            context.tell(&RunEvent::ReadAs { in_vain, now: &now.name });
            let next = session(now, &ran.session.best(), Some(patience));
            in_vain = is_vain(&next).then_some(&now.name);
            ran = next.after(ran.figures);
            if in_vain.is_none() && now.name == language::BYTES {
                // What was overwritten is a text of its language no more.
                self.language = Arc::clone(now);
                return ran;
            } else if in_vain.is_none() {
                break;
            }
        }
        if !ways.is_empty() {
            context.tell(&RunEvent::ReadAs { in_vain, now: &plan.language.name });
        }
        session(&plan.language, &ran.session.best(), None).after(ran.figures)
    }

    /// Returns the plan, before the run says how many jobs and tests it may take. Of what must
    /// stay, only that counts which is there: earlier results may already have removed some.
    fn plan(&self) -> Plan {
        let mut scope = self.request.scope.clone();
        scope.kept.retain(|regex| regex.is_match(&self.input));
        Plan {
            input: Arc::clone(&self.input),
            language: Arc::clone(&self.language),
            algorithm: self.request.algorithm,
            jobs: 1,
            scope,
            budget: Budget::default(),
            tests_are_cheap: false,
            proposers: 0,
            // Messages are about the file.
            is_informed: self.is_text(),
        }
    }

    /// Formats a result as is wanted, as long as it still reproduces.
    fn format(&self, context: &RunContext<'_>, plan: &Plan, best: &[u8]) -> Formatted {
        let is_broken = context.progress.broken.borrow().is_some();
        if !self.is_text() || context.store.is_replay || is_broken {
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
        Endpoints {
            failing: &self.failing,
            original: self.original.as_deref().map(|text| (text, language)),
            failing_name: self.name(),
            passing: &self.least,
            passing_name: match (self.is_directory(), self.least.is_empty()) {
                (true, _) => "an empty directory".to_owned(),
                (false, true) => "an empty file".to_owned(),
                (false, false) => "a file with nothing but what must stay".to_owned(),
            },
            is_least: true,
            are_files: !self.is_directory(),
            may_be_unresolved: true,
            are_rewritten: false,
        }
    }

    fn facts(&self, languages: &Languages) -> Fingerprint {
        let Reduction { scope, rules, algorithm, format, proposers, .. } = &self.request;
        let mut facts = fingerprint::of_scope(scope);
        facts.extend(fingerprint::named([
            ("--algorithm", algorithm.to_string()),
            ("--format", format!("{format:?}")),
        ]));
        if !rules.is_empty() {
            let texts: Vec<&str> = rules.iter().map(|rules| &*rules.text).collect();
            facts.extend(fingerprint::named([("--rules", texts.join("\n"))]));
        }
        if !proposers.is_empty() {
            // What they say is recorded, so it does not matter what a name means.
            let names: Vec<String> = proposers.iter().map(|one| one.name()).collect();
            facts.extend(fingerprint::named([("--propose", names.join("\n"))]));
        }
        if self.is_directory() {
            let given = self.original.as_ref().unwrap_or(&self.failing);
            facts.extend(fingerprint::of_archives(languages, &[given]));
        } else {
            facts.extend(fingerprint::named([("--lang", self.language.name.clone())]));
            facts.extend(fingerprint::of_grammars(languages, [&*self.language.name]));
        }
        facts
    }

    fn fall_back(&mut self, languages: &Languages) -> bool {
        let is_directory = self.is_directory();
        let may_fall = is_directory || self.is_guessed();
        let Some(original) = self.original.take().filter(|_| may_fall) else { return false };
        let language = if is_directory {
            language_of(languages, &self.request.rules, &original, true).ok()
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

    fn language(&self, languages: &Languages) -> InputLanguage {
        if self.is_directory() {
            return InputLanguage::default();
        }
        let name = self.language.name.clone();
        let file = self.request.file.file_name().unwrap_or_default().to_string_lossy();
        // Whether only the text tells it, since nobody has chosen one and the name does not tell.
        let is_by_text = self.is_guessed() && !languages.is_known(&file);
        let with_reason = if self.language.reader.is_too_much(&self.input) {
            format!("{name}, as text until it is smaller")
        } else if is_by_text && self.language.spacing.between_tokens {
            let errors = self.language.parser.errors(&self.input);
            format!("{name}, by its text ({errors} errors in {} bytes)", self.input.len())
        } else {
            name.clone()
        };
        let absent = is_by_text.then(|| absent(&file, &self.input)).flatten();
        InputLanguage { name: Some(name), with_reason: Some(with_reason), absent }
    }

    fn search(&mut self, context: &RunContext<'_>) -> Result<(), Error> {
        let path = self.request.output.clone().filter(|_| !context.is_silent);
        let before = file_of(&self.language, &self.input);
        let place = path.as_deref();
        let place = place.map(|path| ResultPlace::new(path, self.like(), &before, context));
        let place = place.transpose()?;
        let plan = self.plan();
        let mut steps = Steps::default();
        steps.push(&before);
        let ran = self.reduce(context, &plan, &mut |file| {
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
            name: self.name(),
            language: self.language.name.clone(),
            figures: ran.figures,
            guard_runs: context.tester.guard_runs(),
            finds: context.tester.finds(),
        };
        let bytes = &mut reduced.figures.session.bytes;
        if self.is_directory() {
            let (before, after) = (size(&before), size(&file));
            *bytes = (before.1, after.1);
            reduced.files = Some((before.0, after.0));
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
        if let (Some(place), Some(path)) = (place, &reduced.path) {
            let is_kept = place.is_kept();
            place.finish(&reduced.text, context)?;
            if is_kept && context.progress.trouble.borrow().is_none() {
                context.tell(&RunEvent::ResultWritten { path });
            }
        }
        self.done = Some(Done { best, reduced, steps });
        Ok(())
    }

    fn result(&self) -> Vec<u8> {
        let done = self.done.as_ref().expect("a search has a result");
        file_of(&self.language, &done.best).to_vec()
    }

    fn confirm_results(&mut self, context: &RunContext<'_>) -> Result<Option<FlakyResult>, Error> {
        let Some(Done { reduced, steps, .. }) = &self.done else { return Ok(None) };
        if !does_not_reproduce(context, &reduced.text) {
            if !self.is_directory() {
                context.compare_messages(&self.failing, &reduced.text);
            }
            return Ok(None);
        }
        let mut found = FlakyResult::default();
        if let Some(reliable) = steps.last_reliable(context) {
            let differs = reliable != reduced.text;
            if let Some(path) = reduced.path.as_ref().filter(|_| differs) {
                let like = self.like();
                let unreliable = paths::flaky(path, like.is_none());
                write_result(&unreliable, like, &reduced.text, context)?;
                write_result(path, like, &reliable, context)?;
                found.unreliable = Some(unreliable);
            }
            found.fallback = Some(reliable.len());
            if let Some(done) = &mut self.done {
                done.reduced.text = reliable;
            }
        }
        Ok(Some(found))
    }

    fn verify(&self, context: &RunContext<'_>) -> Result<Verified, Error> {
        let found = self.done.as_ref().map_or(&self.input, |done| &done.best);
        let verified = context.verify_reduction(&self.plan(), found)?;
        Ok(match self.is_directory() {
            true => Verified { bytes: size(found).1, ..verified },
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
