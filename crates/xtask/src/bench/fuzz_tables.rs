//! Writes the part of `corpus/SCORES.md` about random characters from stored measurements.

use std::collections::BTreeSet;
use std::fmt::Write;

use anyhow::Result;

use super::fuzz::{Outcome, read};
use super::signals;
use super::utilities::UTILITIES;

/// Returns the tables for `SCORES.md`.
pub(super) fn tables() -> Result<String> {
    let all = read()?;
    let mut text = String::new();
    if all.is_empty() {
        return Ok(text);
    }
    let order = |name: &str| UTILITIES.iter().position(|(other, _)| *other == name);
    let mut outcomes: Vec<&Outcome> = all.values().collect();
    outcomes.sort_by_key(|outcome| order(&outcome.utility));
    text += FUZZ_HEAD;
    let [runs, crashes, hangs] = outcomes.iter().fold([0, 0, 0], |[runs, crashes, hangs], o| {
        [runs + o.runs, crashes + o.crashes.len() as u64, hangs + o.hangs]
    });
    let (few, bad): (Vec<&Outcome>, Vec<&Outcome>) =
        outcomes.iter().partition(|outcome| outcome.crashes.is_empty());
    writeln!(
        text,
        "{} utilities, {runs} runs: **{crashes} crashes** ({} of the utilities), {hangs} did not end in \
         time.\n",
        outcomes.len(),
        bad.len()
    )?;
    text += "| utility | paper: crashes of 16 | today: crashes of runs |\n|---|---|---|\n";
    for (name, paper) in PAPER {
        let today = all.get(*name).map_or("not installed".into(), |outcome| {
            format!("{} of {}", outcome.crashes.len(), outcome.runs)
        });
        writeln!(text, "| {name} | {paper} | {today} |")?;
    }
    text += "\n| utility, input | signal | characters | left | tests | what is left | isolated |\n\
             |---|---|---|---|---|---|---|\n";
    for outcome in &bad {
        for crash in &outcome.crashes {
            writeln!(
                text,
                "| {} {}, series {} ({}) | {} | {} | {}{} | {} | `{}` | {} in {} |",
                outcome.utility,
                format_args!("t{}", crash.input),
                crash.series,
                crash.kind,
                signals::name(crash.signal),
                crash.size,
                crash.left,
                if crash.stopped { "\\*" } else { "" },
                crash.tests,
                crash.text.replace('|', "\\|").replace('`', "'"),
                crash.difference,
                crash.isolation,
            )?;
        }
    }
    let names: BTreeSet<&str> = few.iter().map(|outcome| &*outcome.utility).collect();
    let names: Vec<&str> = names.into_iter().collect();
    writeln!(text, "\nNo crash: {}.", names.join(", "))?;
    Ok(text)
}

/// How often the paper's utilities crashed on their 16 inputs, as far as its text says.
const PAPER: &[(&str, &str)] = &[
    ("nroff", "with TROFF 20"),
    ("troff", "with NROFF 20"),
    ("flex", "2"),
    ("plot", "CRTPLOT: 7"),
    ("graph", "CRTPLOT: 7"),
    ("ul", "8"),
    ("units", "5"),
];

const FUZZ_HEAD: &str = "\
\n## Fuzz, on today's utilities

`cargo xtask bench fuzz`: what Debian 12 has of the paper's utilities and of others, fed with random
characters. A series is t1–t16 as in the paper (10³ to 10⁶ characters; all, all but NUL, printable with
NUL, printable) and t17–t20, printable characters in lines. A crash is a death by SEGV, FPE, ABRT, BUS or
ILL. What crashes is made small by bytes, any crash with that signal counting as the same (the paper's low
precision); *isolated* is the difference to an input that passes, with the tests.\n
";
