//! `minirepro isolate`.

use std::path::{Path, PathBuf};

use minirepro_program::{Difference, Error, Isolation, Settings, Test, Unreadable, sources};

use crate::args::Isolate;
use crate::commands::launch::{Launch, Show, conclude};
use crate::commands::reduce::language;
use crate::commands::source::{STANDARD, Source, absolute};
use crate::commands::test::{failure_of, of_page, only_signature, resolve, show_signature};
use crate::error::CliError;
use crate::exit::Exit;
use crate::report::patch::patch;
use crate::report::sinks::Sinks;
use crate::report::terminal::{name, say, shown};

/// Runs `minirepro isolate`.
///
/// # Errors
/// If there is no result, or it could not be put where it should be.
pub fn run(args: Isolate, launch: &Launch) -> Result<Exit, CliError> {
    let mut sinks = Sinks::default();
    let end = args.git.as_deref().unwrap_or(&args.fail);
    let page = of_page(&args.page, &args.run, &args.failure, &args.program, end)?;
    let mut request = read(&args, launch, page.as_deref())?;
    let file = request.file.clone();
    let (test, file) = match (page, args.test) {
        (Some(test), _) => (test, file),
        (None, Some(script)) => resolve(Some(script), Some(file), args.program, &args.failure)?,
        (None, None) => resolve(Some(file), None, args.program, &args.failure)?,
    };
    if only_signature(&args.failure) {
        return show_signature(&*test, &file, &request.failing, &args.run);
    }
    let show = Show {
        file: file.clone(),
        are_versions: request.language.is_none(),
        test: Some(&test),
        failure: failure_of(&*test),
        ..Show::default()
    };
    request.file = file;
    // A run that is decided again writes none.
    request.output = args.output.or(request.output).filter(|_| !launch.mode.is_replay());
    request.settings = launch.settings(&args.run, &args.journal, show, &mut sinks)?;
    let outcome = request.run(&*test);
    if let (Ok(outcome), Some(repository), Some(pass)) = (&outcome, &args.git, &args.pass)
        && !args.run.quiet
    {
        let ends = [pass, &args.fail].map(|end| end.to_string_lossy());
        tell_commits(repository, ends.each_ref().map(|end| &**end), &outcome.difference);
    }
    conclude(sinks, outcome.map(|outcome| outcome.stopped))
}

/// Says which commits have made the changes of a difference.
fn tell_commits(repository: &Path, ends: [&str; 2], found: &Difference) {
    let mut told = Vec::new();
    for (path, lines) in changed_lines(&patch(&found.passing, &found.failing)) {
        for commit in sources::commits_of(repository, ends, &path, &lines) {
            if !told.contains(&commit) {
                say!("  commit {}: {}", name(&commit.hash), name(&commit.subject));
                told.push(commit);
            }
        }
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

/// Reads both ends; results go to the default place.
fn read<'a>(
    args: &Isolate,
    launch: &Launch,
    page: Option<&dyn Test>,
) -> Result<Isolation<'a>, CliError> {
    let Isolate { fail, pass, git, .. } = args;
    let lang = &args.language.lang;
    let are_versions = git.is_some() || fail.is_dir();
    let wrong = match pass {
        Some(pass) if pass.as_os_str() == STANDARD => {
            "standard input cannot be used here: a journal keeps only what fails, so name a file with --pass"
        }
        None if git.is_some() => "name a revision that passes with --pass",
        _ if are_versions && lang.is_some() => "--lang is for single files",
        _ => "",
    };
    if !wrong.is_empty() {
        return Err(CliError::usage(wrong));
    }
    let read = |path: &PathBuf| match git {
        Some(repository) => sources::revision(repository, &path.to_string_lossy()),
        None if are_versions => sources::directory(path),
        None => page.map_or_else(
            || sources::file(path),
            |page| {
                let unreadable = |e| Error::InputUnreadable(path.clone(), Unreadable::Io(e));
                page.read(path).map_err(unreadable)
            },
        ),
    };
    let source = match are_versions {
        true => Source { file: fail.clone(), is_standard: false },
        false => Source::named(fail.clone(), lang.as_deref(), &launch.languages)?,
    };
    let failing = if source.is_standard { source.read(launch)? } else { read(fail)? };
    let fail = source.file;
    let language = (!are_versions).then(|| language(&launch.languages, &fail, lang.clone(), None));
    let passing = pass.as_ref().map(read).transpose()?.unwrap_or_default();
    let failing_name = shown(&fail);
    let (file, base, sources) = match git {
        Some(repository) => (absolute(repository), PathBuf::from("changes"), Vec::new()),
        None => (fail.clone(), fail.clone(), pass.iter().chain([&fail]).cloned().collect()),
    };
    Ok(Isolation {
        language,
        passing: passing.into(),
        failing: failing.into(),
        passing_name: pass.as_deref().map(shown),
        failing_name,
        sources,
        file,
        output: Some(base),
        settings: Settings::default(),
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
