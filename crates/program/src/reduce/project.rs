//! A directory made small until nothing changes: whole files first, then names that several files
//! share, then file after file by its own language.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use minirepro_circumstances::archive::{Kind, entries};
use minirepro_circumstances::{
    Circumstances, CoupledParts, Filtered, LanguageOf, files, shared_names,
};
use minirepro_engine::{
    Algorithm, Budget, Goal, IsolationPlan, Outcome, Plan, Scope, Search as SearchAlgorithm,
};

use crate::error::Error;
use crate::grammars::Languages;
use crate::observer::RunEvent;
use crate::outcome::DirectoryFigures;
use crate::reduce::coded::{CodedTest, file_of};
use crate::reduce::language;
use crate::reduce::member::{Member, MemberTest};
use crate::request::reduction::LanguageChoice;
use crate::run::context::{CandidateOf, ReductionTask, RunContext};

/// Takes the archive of each candidate that was accepted, to put it on disk.
type Accepted<'a> = dyn FnMut(&Arc<[u8]>) -> Result<(), Error> + 'a;

/// How files of a directory are reduced.
pub struct ProjectSettings {
    /// The order of passes and searches for files with a language.
    pub algorithm: Algorithm,
    /// Which edits are tried.
    pub scope: Scope,
    /// The languages that there are.
    pub languages: Languages,
    /// Finds the language of a file.
    pub grammars: Box<LanguageOf>,
}

/// A reduction of a directory under way.
pub struct Project<'a, 'b> {
    context: &'a RunContext<'b>,
    settings: &'a ProjectSettings,
    /// Gets every better directory.
    accepted: &'a mut Accepted<'a>,
    input: Arc<[u8]>,
    best: Arc<[u8]>,
    /// By path: how many changes there had been in all when the file was certified to be minimal.
    certified: BTreeMap<Vec<u8>, u64>,
    changes: u64,
    tests_before: u64,
    start: Instant,
}

/// Finds what files of a directory have in common.
type Coupled = fn(Arc<[u8]>, &LanguageOf) -> CoupledParts;

impl<'a, 'b> Project<'a, 'b> {
    /// Makes a reduction of a directory.
    pub fn new(
        context: &'a RunContext<'b>,
        settings: &'a ProjectSettings,
        input: Arc<[u8]>,
        accepted: &'a mut Accepted<'a>,
    ) -> Self {
        Self {
            context,
            settings,
            accepted,
            best: Arc::clone(&input),
            input,
            certified: BTreeMap::new(),
            changes: 0,
            tests_before: context.tests(),
            start: Instant::now(),
        }
    }

    /// Reduces until nothing changes any more.
    ///
    /// # Errors
    /// If a better directory cannot be written.
    pub fn run(&mut self) -> Result<(), Error> {
        loop {
            let before = self.changes;
            for coupled in [files as Coupled, shared_names] {
                if !self.is_over() {
                    self.drop_coupled(coupled)?;
                }
            }
            for path in self.paths() {
                if self.is_over() {
                    return Ok(());
                }
                if self.certified.get(&path) != Some(&self.changes) {
                    self.reduce_file(&path)?;
                }
            }
            if self.is_over() || self.changes == before {
                return Ok(());
            }
        }
    }

    /// Returns the paths of the files that have a text, the largest first.
    fn paths(&self) -> Vec<Vec<u8>> {
        let mut paths: Vec<(usize, Vec<u8>)> = entries(&self.best)
            .iter()
            .filter(|entry| entry.kind != Kind::Link && !entry.text.is_empty())
            .map(|entry| (entry.text.len(), entry.path.to_vec()))
            .collect();
        paths.sort_by(|(a, _), (b, _)| b.cmp(a));
        paths.into_iter().map(|(_, path)| path).collect()
    }

    /// Returns the best directory so far.
    pub fn best(&self) -> Arc<[u8]> {
        Arc::clone(&self.best)
    }

    /// Returns whether anything could go.
    pub fn has_changed(&self) -> bool {
        self.changes > 0
    }

    /// Returns whether the reduction ended early.
    pub fn is_over(&self) -> bool {
        self.context.stopped().is_some()
    }

    /// Returns the figures so far.
    pub fn figures(&self) -> DirectoryFigures {
        let before = size(&self.input);
        let after = size(&self.best);
        DirectoryFigures {
            files: (before.files, after.files),
            bytes: (before.bytes, after.bytes),
            tests: self.context.tests() - self.tests_before,
            took: self.start.elapsed(),
            stopped: self.context.stopped(),
        }
    }

    fn accept(&mut self, best: Arc<[u8]>) -> Result<(), Error> {
        if best != self.best {
            self.changes += 1;
            self.best = best;
            (self.accepted)(&self.best)?;
        }
        Ok(())
    }

    /// Removes parts that span several files, such as a file with the lines that include it.
    fn drop_coupled(&mut self, coupled: Coupled) -> Result<(), Error> {
        let circumstances = coupled(Arc::clone(&self.best), &self.settings.grammars);
        if circumstances.weights().is_empty() {
            return Ok(());
        }
        let before = Arc::clone(&self.best);
        let scope = self.settings.scope.clone();
        let circumstances =
            Filtered::new(circumstances, move |after: &[u8]| keeps(&scope, &before, after));
        let ends = (Arc::from(&b""[..]), Arc::clone(&self.best));
        let goal = Goal::Minimize(SearchAlgorithm::default());
        let plan = IsolationPlan::new(Arc::new(circumstances), ends, goal);
        let ran = self.context.isolate(plan, self.context.answers.clone(), &mut |_| {});
        self.accept(ran.session.ends().1)
    }

    fn reduce_file(&mut self, path: &[u8]) -> Result<(), Error> {
        let shown = String::from_utf8_lossy(path).into_owned();
        let all = entries(&self.best);
        let Some(entry) = all.iter().find(|entry| entry.path == path) else { return Ok(()) };
        let text: Arc<[u8]> = entry.text.into();
        let languages = &self.settings.languages;
        let language =
            language::find(languages, &LanguageChoice::Guess, &PathBuf::from(&shown), &text)?;
        let canonical = language::canonical(&language, &text).filter(|form| **form != *text);
        let member = Member { archive: Arc::clone(&self.best), path };
        let input = match canonical {
            None => text,
            Some(canonical) => {
                let canonical: Arc<[u8]> = canonical.into();
                let with_it = member.with(&file_of(&language, &canonical));
                if self.context.probe(&with_it) != Some(Outcome::Fail) {
                    return Ok(());
                }
                canonical
            }
        };
        let plan = Plan {
            language: Arc::clone(&language),
            input,
            algorithm: self.settings.algorithm,
            jobs: 1,
            scope: self.settings.scope.clone(),
            budget: Budget::default(),
            tests_are_cheap: false,
            proposers: 0,
        };
        let task = ReductionTask {
            name: &shown,
            plan,
            candidate: CandidateOf::Part,
            proposers: &mut [],
            wrap: &|whole, lend| {
                let whole = &MemberTest { whole, member: &member };
                lend(&CodedTest { whole, language: &language });
            },
        };
        let ran = self.context.reduce(task, &mut |_| {});
        let summary = ran.figures.session;
        let tokens = summary.tokens;
        let tests = summary.tests;
        self.context.tell(&RunEvent::MemberReduced { path: &shown, tokens, tests });
        let best = member.with(&file_of(&language, &ran.session.best()));
        self.accept(best.into())?;
        if summary.certificate.is_some() {
            self.certified.insert(path.to_vec(), self.changes);
        }
        Ok(())
    }
}

/// Returns whether in every file of an archive what must stay does so.
fn keeps(scope: &Scope, before: &[u8], after: &[u8]) -> bool {
    if scope.kept.is_empty() {
        return true;
    }
    let after: BTreeMap<&[u8], &[u8]> = entries(after).iter().map(|e| (e.path, e.text)).collect();
    let now = |path| after.get(path).copied().unwrap_or_default();
    entries(before).iter().all(|entry| scope.keeps(entry.text, now(entry.path)))
}

/// The size of a directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArchiveSize {
    /// Files.
    pub files: u64,
    /// Bytes of all files.
    pub bytes: u64,
}

/// Returns how many files an archive holds, and how many bytes they have.
pub fn size(archive: &[u8]) -> ArchiveSize {
    let all = entries(archive);
    let bytes = all.iter().map(|entry| entry.text.len() as u64).sum();
    ArchiveSize { files: all.len() as u64, bytes }
}
