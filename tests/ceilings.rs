//! Holds the size of the house against `ceilings.toml`: numbers that may only fall.
//! `UPDATE_EXPECT=1 cargo test --workspace --test guide ceilings` lowers the ceilings to the
//! numbers of today.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use super::{help_of_each_command, root};

/// How far a number may be below its ceiling, in percent of it.
const SLACK: usize = 5;
/// How far a new ceiling is above its number, in percent: two changes at the same time may both add
/// a line.
const ROOM: usize = 1;

#[test]
fn ceilings_only_fall() {
    let path = root().join("tests/ceilings.toml");
    let text = fs::read_to_string(&path).unwrap();
    let is_comment = |line: &&str| line.starts_with('#') || line.is_empty();
    let head: Vec<&str> = text.lines().take_while(is_comment).collect();
    let lines = text.lines().filter_map(|line| line.split_once(" = "));
    let ceilings: BTreeMap<&str, usize> =
        lines.map(|(name, ceiling)| (name, ceiling.parse().unwrap())).collect();
    let numbers = numbers();
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        let lowered = numbers.iter().map(|(name, number)| {
            let new = number + number * ROOM / 100;
            let ceiling = ceilings.get(&**name).map_or(new, |ceiling| new.min(*ceiling));
            format!("{name} = {ceiling}\n")
        });
        return fs::write(&path, head.join("\n") + "\n" + &lowered.collect::<String>()).unwrap();
    }
    let mut wrong = Vec::new();
    for (name, number) in &numbers {
        match ceilings.get(&**name) {
            None => wrong.push(format!("{name} = {number} is missing")),
            Some(ceiling) if number > ceiling => {
                wrong.push(format!("{name}: {number} is above the ceiling {ceiling}"));
            }
            Some(ceiling) if number + ceiling * SLACK / 100 < *ceiling => {
                wrong.push(format!("{name}: lower the ceiling, {ceiling}, towards {number}"));
            }
            Some(_) => {}
        }
    }
    let gone = ceilings.keys().filter(|name| !numbers.contains_key(**name));
    wrong.extend(gone.map(|name| format!("{name} is gone, and so may its line be")));
    assert!(wrong.is_empty(), "tests/ceilings.toml:\n{}", wrong.join("\n"));
}

fn numbers() -> BTreeMap<String, usize> {
    let mut numbers = BTreeMap::new();
    for entry in fs::read_dir(root().join("crates")).unwrap() {
        let directory = entry.unwrap().path();
        if directory.join("Cargo.toml").is_file() {
            let name = directory.file_name().unwrap().to_str().unwrap();
            let build = code_lines(&directory.join("build.rs"));
            numbers.insert(format!("lines-{name}"), build + code_below(&directory.join("src")));
        }
    }
    let help = help_of_each_command();
    let options: BTreeSet<&str> = help.values().flat_map(|help| options_in(help)).collect();
    numbers.insert("subcommands".to_owned(), help.len() - 1);
    numbers.insert("options".to_owned(), options.len());
    let crates = root().join("crates");
    let words = |files: &[(&str, &str)]| -> usize {
        files.iter().map(|(file, item)| members(&crates.join(file), item)).sum()
    };
    numbers.insert("run-events".to_owned(), words(RUN_EVENTS));
    numbers.insert("words-of-rules".to_owned(), words(RULES));
    let generated = |top: &str| generated_below(&root().join(top), false);
    numbers.insert("generated".to_owned(), generated("crates") + generated("grammars"));
    numbers
}

/// Where the events of a run are.
const RUN_EVENTS: &[(&str, &str)] = &[("program/src/observer.rs", "enum RunEvent")];

/// Where the words of rules are.
const RULES: &[(&str, &str)] = &[
    ("rules/src/path.rs", "enum Step"),
    ("rules/src/path.rs", "enum Word"),
    ("rules/src/file.rs", "struct RuleFile"),
    ("rules/src/file.rs", "struct RuleTable"),
];

/// Returns the number of variants or fields of an item.
fn members(file: &Path, item: &str) -> usize {
    let text = fs::read_to_string(file).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
    let (_, rest) = text.split_once(item).unwrap_or_else(|| panic!("no {item}"));
    let body = rest.lines().skip(1).take_while(|line| !line.starts_with('}'));
    let is_member = |line: &&str| {
        line.strip_prefix("    ").is_some_and(|line| line.starts_with(|c: char| c.is_alphabetic()))
    };
    body.filter(is_member).count()
}

/// Returns the long options that a help text explains.
fn options_in(help: &str) -> impl Iterator<Item = &str> {
    help.lines().filter_map(|line| {
        let line = line.trim_start();
        let line = line.split_once(", ").map_or(line, |(short, long)| match short.len() {
            2 if short.starts_with('-') => long,
            _ => line,
        });
        let ends = |c: char| !c.is_ascii_alphanumeric() && c != '-';
        line.starts_with("--").then(|| line.split(ends).next().unwrap())
    })
}

fn code_below(directory: &Path) -> usize {
    let Ok(entries) = fs::read_dir(directory) else { return 0 };
    let lines = entries.map(|entry| {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap();
        match path.is_dir() {
            _ if name == "tests" || name == "tests.rs" => 0,
            true => code_below(&path),
            false => code_lines(&path),
        }
    });
    lines.sum()
}

/// Returns the lines of a file of Rust that are neither blank, comment nor test.
fn code_lines(path: &Path) -> usize {
    let is_rust = path.extension().is_some_and(|extension| extension == "rs");
    let text = is_rust.then(|| fs::read_to_string(path).ok()).flatten().unwrap_or_default();
    if text.starts_with("#![cfg(test)]") {
        return 0;
    }
    let mut lines = text.lines();
    let mut count = 0;
    while let Some(line) = lines.next() {
        let code = line.trim_start();
        if code.starts_with("#[cfg(test") || code.starts_with("#[cfg(all(test") {
            // The item behind it, which ends with a brace as far to the right as it begins.
            let item = lines.find(|line| !line.trim_start().starts_with("#["));
            let item = item.unwrap_or_default();
            let indent = &item[..item.len() - item.trim_start().len()];
            if !item.ends_with([';', '}']) {
                let ends = ["}", "};", "},"].map(|end| format!("{indent}{end}"));
                lines.find(|line| ends.iter().any(|end| line == end));
            }
        } else if !code.is_empty() && !code.starts_with("//") {
            count += 1;
        }
    }
    count
}

/// Names of files that a program has written, outside of folders `generated`.
const GENERATED: &[&str] = &[
    "base.ebnf",
    "derived.toml",
    "facts.ebnf",
    "grammar.js",
    "grammar.json",
    "licenses.txt",
    "node-types.json",
];

fn generated_below(directory: &Path, is_generated: bool) -> usize {
    let lines = fs::read_dir(directory).unwrap().map(|entry| {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        match path.is_dir() {
            // Crates have links to `grammars/`.
            _ if path.is_symlink() || name == "target" => 0,
            true => generated_below(&path, is_generated || name == "generated"),
            false if is_generated || GENERATED.contains(&name) => {
                fs::read_to_string(&path).unwrap().lines().count()
            }
            false => 0,
        }
    });
    lines.sum()
}
