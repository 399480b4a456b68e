//! Repeats the fuzz table of Zeller & Hildebrandt (2002, Table 2) with the utilities that are
//! installed: which of them crash on random characters, and how small such an input becomes.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result};
use clap::Args;
use serde::{Deserialize, Serialize};

use super::signals;
use super::utilities::UTILITIES;
use crate::random::Random;

/// What to run.
#[derive(Debug, Args)]
pub(crate) struct Fuzz {
    /// How many series of inputs, each with characters of its own
    #[arg(long, default_value_t = 3)]
    series: u64,
    /// The most seconds for one start of a utility
    #[arg(long, default_value_t = 5)]
    patience: u64,
    /// The most seconds for one reduction; what is stopped then is marked
    #[arg(long, default_value_t = 120)]
    max_time: u64,
    /// Only this utility
    #[arg(long)]
    only: Option<String>,
    /// The program to measure
    #[arg(long, default_value = "target/release/minirepro")]
    program: std::path::PathBuf,
}

/// The inputs of a series: number, characters, and what they are.
const INPUTS: [(usize, usize, Kind); 20] = {
    use Kind::{All, Lines, NoNul, Printable, PrintableNul};
    let kinds = [All, NoNul, PrintableNul, Printable, Lines];
    let mut inputs = [(0, 0, All); 20];
    let mut at = 0;
    while at < 20 {
        // The paper's sixteen come first; lines are ours.
        let (size, kind) = if at < 16 { (at / 4, kinds[at % 4]) } else { (at - 16, kinds[4]) };
        inputs[at] = (at + 1, 10_usize.pow(size as u32 + 3), kind);
        at += 1;
    }
    inputs
};

#[derive(Clone, Copy, Debug)]
enum Kind {
    All,
    NoNul,
    PrintableNul,
    Printable,
    Lines,
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::NoNul => "all but NUL",
            Self::PrintableNul => "printable, NUL",
            Self::Printable => "printable",
            Self::Lines => "printable, in lines",
        }
    }

    fn text(self, size: usize, random: &mut Random) -> Vec<u8> {
        match self {
            Self::All => fuzz(size, false, true, random),
            Self::NoNul => fuzz(size, false, false, random),
            Self::PrintableNul => fuzz(size, true, true, random),
            Self::Printable => fuzz(size, true, false, random),
            Self::Lines => {
                let mut text = fuzz(size, true, false, random);
                let mut at = random.below(160);
                while at < size {
                    text[at] = b'\n';
                    at += 1 + random.below(160);
                }
                text
            }
        }
    }
}

/// How one utility did, as a line of JSON.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Outcome {
    pub(super) utility: String,
    /// How often it was started.
    pub(super) runs: u64,
    /// How often it did not end in time.
    pub(super) hangs: u64,
    pub(super) crashes: Vec<Crash>,
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Crash {
    pub(super) series: u64,
    pub(super) input: usize,
    pub(super) size: usize,
    pub(super) kind: String,
    pub(super) signal: i32,
    /// Characters left, tests, and what they are (the first of them).
    pub(super) left: u64,
    pub(super) tests: u64,
    pub(super) stopped: bool,
    pub(super) text: String,
    /// Characters between the input that passes and the one that fails, and tests.
    pub(super) difference: u64,
    pub(super) isolation: u64,
}

/// Where the outcomes are kept.
const FILE: &str = "corpus/scores/fuzz.jsonl";

/// Starts every utility that is installed on every input, and reduces what crashes it.
pub(crate) fn run(fuzz: &Fuzz) -> Result<()> {
    let mut all = read()?;
    for &(name, words) in UTILITIES {
        let wanted = fuzz.only.as_ref().is_none_or(|only| only == name);
        let words: Vec<&str> = words.split(' ').collect();
        if !wanted || !is_installed(words[0]) {
            continue;
        }
        let outcome = outcome(name, &words, fuzz).with_context(|| name.to_owned())?;
        let runs = outcome.runs;
        let crashes = outcome.crashes.len();
        let hangs = outcome.hangs;
        eprintln!("{name}: {runs} runs, {crashes} crashes, {hangs} not ended in time");
        all.insert(name.to_owned(), outcome);
        let lines = all.values().map(|o| Ok(serde_json::to_string(o)? + "\n"));
        fs::write(FILE, lines.collect::<Result<String>>()?)?;
    }
    Ok(())
}

/// Returns what was measured, by utility.
pub(super) fn read() -> Result<BTreeMap<String, Outcome>> {
    let text = fs::read_to_string(FILE).unwrap_or_default();
    let outcomes = text.lines().map(|line| -> Result<_> {
        let outcome: Outcome = serde_json::from_str(line)?;
        Ok((outcome.utility.clone(), outcome))
    });
    outcomes.collect()
}

fn is_installed(program: &str) -> bool {
    let paths = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&paths).any(|path| path.join(program).is_file())
}

fn outcome(name: &str, words: &[&str], fuzz: &Fuzz) -> Result<Outcome> {
    let mut outcome = Outcome { utility: name.into(), runs: 0, hangs: 0, crashes: Vec::new() };
    for series in 1..=fuzz.series {
        let mut random = Random(series);
        for (input, size, kind) in INPUTS {
            let text = kind.text(size, &mut random);
            let place = tempfile::tempdir()?;
            let file = place.path().join(format!("input{}", suffix(words)));
            fs::write(&file, &text)?;
            fs::write(place.path().join("empty"), "")?;
            outcome.runs += 1;
            match start(words, &file, fuzz.patience)? {
                Ended::Well => {}
                Ended::Late => outcome.hangs += 1,
                Ended::Killed(signal) => {
                    let crash = reduce(words, &file, signal, fuzz)?;
                    let kind = kind.name().into();
                    let size = text.len();
                    outcome.crashes.push(Crash { series, input, kind, size, signal, ..crash });
                }
            }
        }
    }
    Ok(outcome)
}

/// Returns what `@@` of the words ends with.
fn suffix<'a>(words: &[&'a str]) -> &'a str {
    words.iter().find_map(|word| word.strip_prefix("@@")).unwrap_or_default()
}

enum Ended {
    Well,
    Late,
    Killed(i32),
}

fn start(words: &[&str], file: &Path, patience: u64) -> Result<Ended> {
    let name = file.file_name().unwrap_or_default();
    let mut command = Command::new("timeout");
    command.args(["-k", "1", &patience.to_string()]);
    for word in words {
        if word.starts_with("@@") {
            command.arg(name)
        } else {
            command.arg(word)
        };
    }
    let status = command
        .current_dir(file.parent().unwrap_or(Path::new("/")))
        .stdin(File::open(file)?)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()?;
    // It passes signals on; a shell says them by its exit code.
    let signal = status.signal().or_else(|| status.code().map(|code| code - 128));
    Ok(match (status.code(), signal) {
        (Some(124 | 137), _) => Ended::Late,
        (_, Some(signal @ (4 | 6..=8 | 11))) => Ended::Killed(signal),
        _ => Ended::Well,
    })
}

/// Reduces an input and isolates a difference to the empty one, as a user would.
fn reduce(words: &[&str], file: &Path, signal: i32, fuzz: &Fuzz) -> Result<Crash> {
    let place = file.parent().unwrap_or(Path::new("/"));
    let out = place.join("least");
    let stats = place.join("stats.json");
    let program = fuzz.program.canonicalize().context("the program to measure")?;
    let base = |subcommand: &[&str]| {
        let mut command = Command::new(&program);
        command.args(subcommand).args(["--quiet", "--lang", "bytes", "--signal"]);
        command.args([signals::name(signal), "--max-time", &fuzz.max_time.to_string(), "--stats"]);
        command.arg(&stats).arg("-o").arg(&out).current_dir(place).stdin(Stdio::null());
        command.stdout(Stdio::null());
        command
    };
    // Files that a utility wants beside its input are not there; it does not matter.
    let words: Vec<String> = words.iter().map(|word| word.replace("empty", "/dev/null")).collect();
    base(&[]).arg(file).arg("--").args(&words).status()?;
    let text = fs::read(&out).unwrap_or_default();
    let figures = json(&stats)?;
    base(&["isolate"]).arg("--fail").arg(file).arg("--").args(&words).status()?;
    let isolated = json(&stats)?;
    let [passes, fails] = ["pass", "fail"]
        .map(|side| fs::metadata(out.with_extension(side)).map_or(0, |data| data.len()));
    Ok(Crash {
        left: text.len() as u64,
        tests: figures["tests"].as_u64().unwrap_or(0),
        stopped: !figures["stopped"].is_null(),
        text: shown(&text),
        difference: fails.abs_diff(passes),
        isolation: isolated["isolation"]["tests"].as_u64().unwrap_or(0),
        series: 0,
        input: 0,
        size: 0,
        kind: String::new(),
        signal,
    })
}

fn json(path: &Path) -> Result<serde_json::Value> {
    Ok(serde_json::from_slice(&fs::read(path).context("minirepro wrote no figures")?)?)
}

fn shown(text: &[u8]) -> String {
    let text = text.escape_ascii().to_string();
    if text.len() <= 48 { text } else { format!("{}…", &text[..47]) }
}

/// Returns random characters: all or only printable ones, with or without NUL.
fn fuzz(size: usize, printable: bool, nul: bool, random: &mut Random) -> Vec<u8> {
    let mut next = || match (printable, random.below(256)) {
        (_, 0) if nul => 0,
        (true, n) => b' ' + u8::try_from(n % 95).unwrap_or(0),
        (false, n) => u8::try_from(n).unwrap_or(0).max(1),
    };
    (0..size).map(|_| next()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inputs_are_those_of_the_paper_and_lines() {
        let sizes: Vec<usize> = INPUTS.iter().map(|(_, size, _)| *size).collect();
        assert_eq!(
            (sizes[0], sizes[15], sizes[16], sizes[19]),
            (1_000, 1_000_000, 1_000, 1_000_000)
        );
        let text = Kind::Lines.text(1_000, &mut Random(1));
        assert_eq!((text.len(), text.contains(&b'\n')), (1_000, true));
        let crash = ["sh", "-c", "kill -SEGV $$", "@@"];
        let file = std::env::current_exe().unwrap();
        assert!(matches!(start(&crash, &file, 5).unwrap(), Ended::Killed(11)));
        assert!(matches!(start(&["true", "@@"], &file, 5).unwrap(), Ended::Well));
    }
}
