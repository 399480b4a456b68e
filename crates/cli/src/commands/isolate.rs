//! `minirepro isolate`.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use minirepro_program::{Difference, Ends, Isolation, sources};

use crate::args::Isolate;
use crate::commands::launch::{Launch, Show, conclude};
use crate::commands::reduce::language;
use crate::commands::source::{Source, refuse_standard_input};
use crate::commands::test::{of_page, only_signature, resolve, show_signature};
use crate::error::CliError;
use crate::exit::Exit;
use crate::report::patch::patch;
use crate::report::sinks::Sinks;
use crate::report::terminal::{name, say, shown};

/// What lies at both ends, and where it comes from.
struct Inputs {
    ends: Ends,
    passing: Vec<u8>,
    failing: Vec<u8>,
    /// What the failing end is called.
    fail_name: String,
    /// The file or directory that candidates are called after.
    file: PathBuf,
    /// Files that no result may overwrite.
    sources: Vec<PathBuf>,
    /// The default place of the results.
    base: PathBuf,
}

/// Runs `minirepro isolate`.
///
/// # Errors
/// If there is no result, or it could not be put where it should be.
pub fn run(args: Isolate, launch: &Launch) -> Result<Exit, CliError> {
    let inputs = read(&args, launch)?;
    let (first, second) = match args.test {
        Some(script) => (script, Some(inputs.file)),
        None => (inputs.file, None),
    };
    let timed = args.page.timed(args.run.timeout, args.failure.hang && args.program.is_empty());
    let (test, file) = match of_page(&timed, &first)? {
        Some(test) => (test, first),
        None => resolve(Some(first), second, args.program, &args.failure)?,
    };
    if only_signature(&args.failure) {
        return show_signature(&test, &file, &inputs.failing, &args.run);
    }
    let show = Show {
        are_versions: matches!(inputs.ends, Ends::Versions),
        test: Some(&test),
        failure: args.failure,
        ..Show::of(&file)
    };
    let mut sinks = Sinks::default();
    let base = inputs.base;
    let request = Isolation {
        ends: inputs.ends,
        passing: Arc::from(inputs.passing),
        failing: Arc::from(inputs.failing),
        passing_name: args.pass.as_deref().map(shown),
        failing_name: inputs.fail_name,
        sources: inputs.sources,
        file: file.clone(),
        output: launch.output(args.output, || base),
        settings: launch.settings(&args.run, &args.journal, show, &mut sinks)?,
    };
    let outcome = request.run_with(test.as_test());
    if let (Ok(outcome), Some(repository), Some(pass)) = (&outcome, &args.git, &args.pass) {
        let ends = [pass, &args.fail].map(|end| end.to_string_lossy());
        let ends = ends.each_ref().map(|end| &**end);
        tell_commits(repository, ends, &outcome.difference, args.run.quiet);
    }
    conclude(sinks, outcome.map(|outcome| outcome.stopped))
}

/// Says which commits have made the changes of a difference.
fn tell_commits(repository: &Path, ends: [&str; 2], found: &Difference, is_quiet: bool) {
    if is_quiet {
        return;
    }
    let mut commits = Vec::new();
    for (path, lines) in changed_lines(&patch(&found.passing, &found.failing)) {
        for commit in sources::commits_of(repository, ends, &path, &lines) {
            if !commits.contains(&commit) {
                commits.push(commit);
            }
        }
    }
    for commit in commits {
        say!("  commit {}: {}", name(&commit.hash), name(&commit.subject));
    }
}

/// Returns the lines that a patch adds or removes, by the path of their file.
fn changed_lines(patch: &str) -> Vec<(String, Vec<String>)> {
    let mut files: Vec<(String, Vec<String>)> = Vec::new();
    let mut old = String::new();
    for line in patch.lines() {
        if let Some(path) = line.strip_prefix("--- ") {
            old = path.strip_prefix("a/").unwrap_or_default().to_owned();
        } else if let Some(path) = line.strip_prefix("+++ ") {
            let path = path.strip_prefix("b/").map_or(old.clone(), str::to_owned);
            files.push((path, Vec::new()));
        } else if let (Some(text), Some((_, lines))) =
            (line.strip_prefix(['+', '-']), files.last_mut())
            && !text.trim().is_empty()
        {
            lines.push(text.to_owned());
        }
    }
    files
}

fn read(args: &Isolate, launch: &Launch) -> Result<Inputs, CliError> {
    let Isolate { fail, pass, git, .. } = args;
    if let Some(pass) = pass {
        refuse_standard_input(pass, "a journal keeps only what fails, so name a file with --pass")?;
    }
    if git.is_some() && pass.is_none() {
        return Err(CliError::usage("name a revision that passes with --pass"));
    }
    let are_versions = git.is_some() || fail.is_dir();
    if are_versions && args.lang.is_some() {
        return Err(CliError::usage("--lang is for single files"));
    }
    let read = |path: &PathBuf| match git {
        Some(repository) => sources::revision(repository, &path.to_string_lossy()),
        None if are_versions => sources::directory(path),
        None => sources::file(path),
    };
    let source = match are_versions {
        true => Source { file: fail.clone(), is_standard: false },
        false => Source::named(fail.clone(), args.lang.as_deref(), &launch.languages)?,
    };
    let failing = if source.is_standard { source.read(launch)? } else { read(fail)? };
    let fail = source.file;
    let ends = match are_versions {
        true => Ends::Versions,
        false => Ends::Texts { language: language(&launch.languages, &fail, args.lang.clone()) },
    };
    let repository = git.as_ref();
    let repository =
        repository.map(|path| std::path::absolute(path).unwrap_or_else(|_| path.clone()));
    let base = if git.is_some() { PathBuf::from("changes") } else { fail.clone() };
    Ok(Inputs {
        ends,
        passing: pass.as_ref().map(read).transpose()?.unwrap_or_default(),
        failing,
        fail_name: shown(&fail),
        sources: match git {
            Some(_) => Vec::new(),
            None => pass.iter().chain([&fail]).cloned().collect(),
        },
        file: repository.unwrap_or(fail),
        base,
    })
}

#[cfg(test)]
mod tests {
    use super::changed_lines;

    #[test]
    fn changed_lines_of_a_patch_belong_to_their_files() {
        let patch =
            "--- a/x.py\n+++ b/x.py\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n+\n--- a/y\n+++ /dev/null\n-d\n";
        let own = |path: &str, lines: &[&str]| {
            (path.to_owned(), lines.iter().map(|&line| line.to_owned()).collect::<Vec<_>>())
        };
        assert_eq!(changed_lines(patch), [own("x.py", &["b", "c"]), own("y", &["d"])]);
    }
}
