//! A case whose test runs only once for each candidate, whatever asks.

use std::cell::RefCell;
use std::collections::HashMap;
use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use minirepro_engine::Outcome;
use minirepro_runner::Digest;

/// A case with the answers of its test so far.
pub(crate) struct AnsweredCase {
    pub name: String,
    pub language: Arc<minirepro_syntax::Language>,
    file: String,
    pub input: Vec<u8>,
    test: PathBuf,
    known: RefCell<HashMap<String, Outcome>>,
    answers: RefCell<File>,
}

impl AnsweredCase {
    /// Reads a case, and its answers from the file of its name in `answers`.
    ///
    /// # Errors
    /// If the case or its answers cannot be read.
    pub(crate) fn read(directory: &Path, answers: &Path) -> Result<Self> {
        let directory =
            directory.canonicalize().with_context(|| directory.display().to_string())?;
        let input = fs::read_dir(&directory)?
            .filter_map(|entry| Some(entry.ok()?.path()))
            .find(|path| path.file_stem().is_some_and(|stem| stem == "input"));
        let Some(path) = input else { bail!("{} has no input.*", directory.display()) };
        let name =
            |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let input = fs::read(&path)?;
        let file = name(&path);
        let language = minirepro_languages::guess(&file, &input);
        let case = name(&directory);
        let answers = answers.join(&case);
        let mut known = HashMap::new();
        for line in fs::read_to_string(&answers).unwrap_or_default().lines() {
            let (candidate, outcome) = line.split_once(' ').context("a line without an answer")?;
            let outcome = match outcome {
                "reproduced" => Outcome::Fail,
                "unresolved" => Outcome::Unresolved,
                _ => Outcome::Pass,
            };
            known.insert(candidate.to_owned(), outcome);
        }
        let answers = OpenOptions::new().create(true).append(true).open(&answers)?;
        Ok(Self {
            language: Arc::new(minirepro_languages::by_name(language)?),
            test: directory.join("test.sh"),
            name: case,
            file,
            input,
            known: RefCell::new(known),
            answers: RefCell::new(answers),
        })
    }

    /// Returns the test's answer, and keeps it.
    ///
    /// # Errors
    /// If the test cannot be run.
    pub(crate) fn answer(&self, candidate: &[u8]) -> Result<Outcome> {
        let digest = Digest::of(candidate).as_str().to_owned();
        if let Some(&outcome) = self.known.borrow().get(&digest) {
            return Ok(outcome);
        }
        let place = tempfile::tempdir()?;
        fs::write(place.path().join(&self.file), candidate)?;
        let status = Command::new(&self.test)
            .current_dir(place.path())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .with_context(|| self.test.display().to_string())?;
        let (outcome, word) = match status.code() {
            Some(0) => (Outcome::Fail, "reproduced"),
            Some(124 | 125) => (Outcome::Unresolved, "unresolved"),
            _ => (Outcome::Pass, "not-reproduced"),
        };
        writeln!(self.answers.borrow_mut(), "{digest} {word}")?;
        self.known.borrow_mut().insert(digest, outcome);
        Ok(outcome)
    }
}
