//! The guide keeps what it promises: every command in it is run, and every link leads somewhere.
//!
//! A chapter is run from its beginning to its end in one fresh directory. A fenced block behind a
//! line that consists of a name in backticks and a colon is a file; further files are in
//! `guide/common/` and `guide/CHAPTER/`; programs in `bin` are in the path.
//! In a block of the language `console`, lines `$ COMMAND` are run, and the lines below must be
//! what the command writes, in the notation of `shell.rs`. A line that ends with a backslash goes
//! on in the next one. A block whose language is followed by `(not run: REASON)` is not run.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod ceilings;
mod shell;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use shell::{Shell, check_all, files_in};

/// The most blocks of the whole guide that may stay unrun.
const MOST_NOT_RUN: usize = 7;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn chapters() -> Vec<PathBuf> {
    let chapters = files_in(&root().join("crates/cli/guide"));
    assert!(!chapters.is_empty() || std::env::var("TRANSCRIPT").is_ok(), "no chapter");
    chapters
}

/// A fenced block of a chapter.
struct Block<'a> {
    /// The words behind the fence.
    info: &'a str,
    /// The file that it shows.
    file: Option<&'a str>,
    lines: Vec<&'a str>,
}

impl Block<'_> {
    fn language(&self) -> &str {
        self.info.split_whitespace().next().unwrap_or_default()
    }

    fn reason_not_to_run(&self) -> Option<&str> {
        self.info.split_once("(not run: ")?.1.strip_suffix(')')
    }

    /// Returns the commands with the lines that must follow them.
    fn commands(&self) -> Vec<(String, Vec<&str>)> {
        let mut commands: Vec<(String, Vec<&str>)> = Vec::new();
        let mut goes_on = false;
        for &line in &self.lines {
            if goes_on {
                let (command, _) = commands.last_mut().unwrap();
                command.push('\n');
                command.push_str(line);
            } else if let Some(command) = line.strip_prefix("$ ") {
                commands.push((command.to_owned(), Vec::new()));
            } else {
                let (_, expected) = commands.last_mut().expect("a console begins with `$ `");
                expected.push(line);
            }
            let is_command = goes_on || line.starts_with("$ ");
            goes_on = is_command && line.ends_with('\\');
        }
        commands
    }
}

fn blocks(text: &str) -> Vec<Block<'_>> {
    let mut blocks: Vec<Block<'_>> = Vec::new();
    let mut open = false;
    let mut before = "";
    for line in text.lines() {
        if let Some(info) = line.strip_prefix("```") {
            if !open {
                let name = before.strip_prefix('`').and_then(|rest| rest.strip_suffix("`:"));
                blocks.push(Block { info, file: name, lines: Vec::new() });
            }
            open = !open;
        } else if open {
            blocks.last_mut().unwrap().lines.push(line);
        } else if !line.is_empty() {
            before = line;
        }
        if open {
            before = "";
        }
    }
    assert!(!open, "a block is not closed");
    blocks
}

#[test]
fn every_command_of_the_guide_is_run() {
    check_all(&chapters(), |path| {
        let name = path.file_stem().unwrap().to_str().unwrap();
        let shell = Shell::new();
        for directory in ["common", name] {
            copy(&root().join("tests/guide").join(directory), Path::new(""), &shell);
        }
        run(&fs::read_to_string(path).unwrap(), &shell).map_err(|error| format!("{name}: {error}"))
    });
}

fn run(text: &str, shell: &Shell) -> Result<(), String> {
    for block in blocks(text) {
        if let Some(name) = block.file {
            shell.write(name, &(block.lines.join("\n") + "\n"));
        } else if block.language() == "console" && block.reason_not_to_run().is_none() {
            for (command, expected) in block.commands() {
                shell.check(&command, &expected)?;
            }
        }
    }
    shell.check_nothing_is_left()
}

/// Hands over the files that a chapter needs and does not show.
fn copy(directory: &Path, name: &Path, shell: &Shell) {
    let Ok(entries) = fs::read_dir(directory) else { return };
    for entry in entries {
        let path = entry.unwrap().path();
        let name = name.join(path.file_name().unwrap());
        if path.is_dir() {
            copy(&path, &name, shell);
        } else {
            shell.write(name.to_str().unwrap(), &fs::read_to_string(&path).unwrap());
        }
    }
}

#[test]
fn what_is_not_run_says_why_and_is_rare() {
    let mut not_run = 0;
    for path in chapters() {
        let text = fs::read_to_string(&path).unwrap();
        for block in blocks(&text) {
            let runs = block.language() == "console" && block.reason_not_to_run().is_none();
            let speaks_of_us = block.lines.iter().any(|line| {
                let line = line.strip_prefix("$ ").unwrap_or(line);
                line.starts_with("minirepro") || line.starts_with("cargo ")
            });
            let is_for_a_shell = ["", "sh", "console", "text"].contains(&block.language());
            if is_for_a_shell && speaks_of_us && !runs && block.file.is_none() {
                let reason = block.reason_not_to_run().unwrap_or_default();
                assert!(
                    reason.len() > 5,
                    "{}: a block is not run:\n{:?}",
                    path.display(),
                    block.lines
                );
                not_run += 1;
            }
        }
    }
    assert!(not_run <= MOST_NOT_RUN, "{not_run} blocks are not run");
}

/// The chapters that show options of other programs in backticks.
const WITH_OTHER_PROGRAMS: &[&str] = &["browser", "comparison"];

#[test]
fn every_option_that_the_guide_names_exists() {
    let known = known_options();
    for path in chapters() {
        let name = path.file_stem().unwrap().to_str().unwrap();
        if WITH_OTHER_PROGRAMS.contains(&name) {
            continue;
        }
        let text = fs::read_to_string(&path).unwrap();
        let prose: String = text.split("```").step_by(2).collect();
        for span in prose.split('`').skip(1).step_by(2).filter(|span| span.starts_with("--")) {
            let ends = |c: char| c == '=' || c == '[' || c.is_whitespace();
            let option = span.split(ends).next().unwrap();
            assert!(known.contains(option), "{name}: no command has {option}");
        }
    }
}

/// The long options that some `--help` shows.
fn known_options() -> BTreeSet<String> {
    let help = help_of_each_command();
    let words =
        help.values().flat_map(|help| help.split(|c: char| !c.is_alphanumeric() && c != '-'));
    words.filter(|word| word.starts_with("--")).map(str::to_owned).collect()
}

/// Returns what `--help` says of the program, whose name is empty here, and of each subcommand.
fn help_of_each_command() -> BTreeMap<String, String> {
    let help = |command: &str| {
        let words = command.split_whitespace().chain(["--help"]);
        let output = Command::new(env!("CARGO_BIN_EXE_minirepro")).args(words).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    let all = help("");
    let (_, commands) = all.split_once("Subcommands:\n").unwrap();
    let names = commands.lines().take_while(|line| !line.is_empty());
    let names = names.filter_map(|line| line.strip_prefix("  ")?.split(' ').next());
    let names: Vec<&str> = names.filter(|name| !name.is_empty() && *name != "help").collect();
    assert!(names.len() > 5, "{names:?}");
    [""].iter().chain(&names).map(|name| ((*name).to_owned(), help(name))).collect()
}

#[test]
fn links_lead_to_files_of_the_repository() {
    let mut texts = chapters();
    texts.extend(
        ["README.md", "crates/README.md", "corpus/README.md", "corpus/decisions.md"]
            .map(|p| root().join(p)),
    );
    for path in texts {
        let text = fs::read_to_string(&path).unwrap();
        let here = path.parent().unwrap();
        for link in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let file = link.split('#').next().unwrap();
            let is_ours = !file.is_empty() && !file.contains("://");
            assert!(!is_ours || here.join(file).exists(), "{}: no {link}", path.display());
        }
    }
}

/// Returns the paths that the prose of a text names in backticks.
fn paths_in(text: &str) -> Vec<&str> {
    let prose = text.split("```").step_by(2);
    let spans = prose.flat_map(|prose| prose.split('`').skip(1).step_by(2));
    let is_pattern = |span: &str| {
        span.contains(['*', ' ', ':']) || ["NAME", "LANG"].iter().any(|word| span.contains(word))
    };
    spans.filter(|span| span.contains('/') && !is_pattern(span)).collect()
}

/// `crates/README.md` writes paths of files without `crates/`.
#[test]
fn the_architecture_text_names_files_that_exist() {
    let text = fs::read_to_string(root().join("crates/README.md")).unwrap();
    for span in paths_in(&text).into_iter().filter(|span| !span.ends_with('/')) {
        let places = [root().join("crates").join(span), root().join(span)];
        let inside = fs::read_dir(root().join("crates")).unwrap();
        let inside = inside.map(|entry| entry.unwrap().path().join(span));
        assert!(places.into_iter().chain(inside).any(|path| path.exists()), "no {span}");
    }
}

#[test]
fn other_texts_name_files_that_exist() {
    let mut texts = chapters();
    texts.extend(["README.md", "corpus/README.md", "grammars/README.md"].map(|p| root().join(p)));
    let grammars = fs::read_dir(root().join("grammars")).unwrap();
    let readmes = grammars.map(|entry| entry.unwrap().path().join("README.md"));
    texts.extend(readmes.filter(|path| path.exists()));
    for path in texts {
        let text = fs::read_to_string(&path).unwrap();
        let is_ours = |span: &&str| {
            ["crates/", "corpus/", "grammars/", "tests/", ".ci/"]
                .iter()
                .any(|top| span.starts_with(top))
        };
        for span in paths_in(&text).into_iter().filter(is_ours) {
            assert!(root().join(span).exists(), "{}: no {span}", path.display());
        }
    }
}

/// Sizes and tests of other reducers change only with `corpus/SCORES.md`.
#[test]
fn the_comparison_has_the_figures_of_the_scores() {
    let cells = |row: &str| -> Vec<String> {
        row.split('|').map(|cell| cell.replace(['*', '\\', ','], "").trim().to_owned()).collect()
    };
    let scores = fs::read_to_string(root().join("corpus/SCORES.md")).unwrap();
    let chapter = fs::read_to_string(root().join("crates/cli/guide/comparison.md")).unwrap();
    let (_, table) = chapter.split_once("## Sizes and tests").unwrap();
    let rows = table.lines().filter(|line| line.starts_with("| ")).skip(1);
    let mut count = 0;
    for row in rows.map(cells) {
        let name = &row[1];
        let beside = scores.lines().map(cells).find(|cells| cells.get(1) == Some(name));
        let beside = beside.unwrap_or_else(|| panic!("SCORES.md has no {name}"));
        for cell in row.iter().filter(|cell| !cell.is_empty() && *cell != "-") {
            assert!(beside.contains(cell), "{name}: SCORES.md does not say {cell}");
        }
        count += 1;
    }
    assert!(count > 5, "{count} cases");
}
