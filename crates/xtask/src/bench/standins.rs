//! The fuzz table of Zeller & Hildebrandt (2002, Table 2) with stand-ins for the utilities of that
//! time.

use std::fmt::Write;
use std::sync::Arc;

use minirepro_circumstances::Text;
use minirepro_engine::{Goal, IsolationPlan, Outcome};
use minirepro_testkit::{experiment, plan, reduce};

use crate::random::Random;

/// A utility that crashes on some input.
pub struct Utility {
    /// Its name in the paper.
    pub name: &'static str,
    /// What it crashes on.
    pub crash: &'static str,
    crashes: fn(&[u8]) -> bool,
    /// In the paper: size and tests of the minimised inputs, tests of the isolation, at 10^6
    /// characters or as far as they go.
    pub paper: &'static str,
}

/// The utilities, by what the paper says of their crashes (§4.3).
pub const UTILITIES: [Utility; 6] = [
    Utility {
        name: "NROFF",
        crash: "a malformed command: \\D, a line end, %0F",
        crashes: |text| holds(text, b"\\D\n%0F") || holds(text, b"\\D\n%"),
        paper: "2–7 characters",
    },
    Utility {
        name: "TROFF",
        crash: "an 8-bit character before a line end",
        crashes: |text| text.windows(2).any(|w| w[0] >= 0x80 && w[1] == b'\n'),
        paper: "2–3 characters",
    },
    Utility {
        name: "FLEX",
        crash: "2,121 characters without a line end or NUL",
        crashes: |text| longest(text, |b| b != b'\n' && b != 0) >= 2_121,
        paper: "2,121 characters, 11,589–17,960 tests",
    },
    Utility {
        name: "CRTPLOT",
        crash: "a command t or f",
        crashes: |text| text.iter().any(|b| matches!(b, b't' | b'f')),
        paper: "1 character, 24 tests at 10^6",
    },
    Utility {
        name: "UL",
        crash: "516 printable characters without a line end",
        crashes: |text| longest(text, |b| (b' '..=b'~').contains(&b)) >= 516,
        paper: "516 characters",
    },
    Utility {
        name: "UNITS",
        crash: "77 8-bit characters",
        crashes: |text| text.iter().filter(|&&b| b >= 0x80).count() >= 77,
        paper: "77 characters",
    },
];

fn holds(text: &[u8], needle: &[u8]) -> bool {
    text.windows(needle.len()).any(|w| w == needle)
}

fn longest(text: &[u8], of: fn(u8) -> bool) -> usize {
    text.split(|&b| !of(b)).map(<[u8]>::len).max().unwrap_or(0)
}

/// Returns random characters: all or only printable ones, with or without NUL.
pub fn fuzz(size: usize, printable: bool, nul: bool, random: &mut Random) -> Vec<u8> {
    let mut next = || match (printable, random.below(256)) {
        (_, 0) if nul => 0,
        (true, n) => b' ' + u8::try_from(n % 95).unwrap_or(0),
        (false, n) => u8::try_from(n).unwrap_or(0).max(1),
    };
    (0..size).map(|_| next()).collect()
}

/// One run: what is left, how many tests it took, and how many the isolation of a difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    /// Characters left.
    pub size: usize,
    /// Tests of the reduction, its certificate included.
    pub tests: u64,
    /// Characters of the difference between a passing and a failing input.
    pub difference: usize,
    /// Tests of the isolation.
    pub isolation: u64,
}

/// Minimises and isolates `input` for a utility; `None` when it does not crash.
pub fn run(utility: &Utility, input: &[u8]) -> Option<Row> {
    let crash = |text: &[u8]| if (utility.crashes)(text) { Outcome::Fail } else { Outcome::Pass };
    if crash(input) != Outcome::Fail {
        return None;
    }
    let language = Arc::new(minirepro_languages::by_name("bytes").ok()?);
    let told = reduce(plan(Arc::clone(&language), input), &crash);
    let (passing, failing): (Arc<[u8]>, Arc<[u8]>) = (Arc::from(&b""[..]), Arc::from(input));
    let text = Text::new(language, Arc::clone(&passing), Arc::clone(&failing));
    let trial = IsolationPlan::new(Arc::new(text), (passing, failing), Goal::Isolate);
    let isolated = experiment(trial, &crash, &|_| std::time::Duration::ZERO);
    Some(Row {
        size: told.result.len(),
        tests: told.summary.tests,
        difference: isolated.failing.len().abs_diff(isolated.passing.len()),
        isolation: isolated.findings.tests,
    })
}

/// Returns the table, for inputs of up to `largest` characters.
pub fn table(largest: usize) -> String {
    let mut text = String::from(
        "| utility | crashes on | input | left | tests | difference | tests of isolation | paper |\n\
         |---|---|---|---|---|---|---|---|\n",
    );
    for utility in &UTILITIES {
        let mut random = Random(1);
        for size in [1_000, 10_000, 100_000, 1_000_000].into_iter().filter(|&n| n <= largest) {
            for (printable, nul) in [(false, true), (false, false), (true, true), (true, false)] {
                let input = fuzz(size, printable, nul, &mut random);
                let Some(row) = run(utility, &input) else { continue };
                let kind = if printable { "printable" } else { "all" };
                let nul = if nul { ", NUL" } else { "" };
                writeln!(
                    text,
                    "| {} | {} | {size} {kind}{nul} | {} | {} | {} | {} | {} |",
                    utility.name,
                    utility.crash,
                    row.size,
                    row.tests,
                    row.difference,
                    row.isolation,
                    utility.paper
                )
                .expect("strings take anything");
            }
        }
    }
    text
}

/// Returns the largest input of each utility, as rows for a table.
pub fn largest_rows() -> Vec<(&'static Utility, Row)> {
    let inputs = |utility: &Utility| -> (usize, bool) {
        match utility.name {
            "NROFF" | "TROFF" | "UNITS" => (100_000, false),
            _ => (1_000_000, true),
        }
    };
    let row = |utility: &'static Utility| {
        let (size, printable) = inputs(utility);
        let mut random = Random(1);
        let mut input = fuzz(size, printable, false, &mut random);
        if utility.name == "NROFF" {
            // Seven given characters in a row are too rare to wait for.
            let middle = size / 2;
            input.splice(middle..middle + 6, *b"\\D\n%0F");
        }
        Some((utility, run(utility, &input)?))
    };
    UTILITIES.iter().filter_map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(name: &str, size: usize, printable: bool) -> Row {
        let utility = UTILITIES.iter().find(|utility| utility.name == name).unwrap();
        run(utility, &fuzz(size, printable, false, &mut Random(1))).unwrap()
    }

    #[test]
    fn a_million_characters_become_one_in_no_more_tests_than_in_the_paper() {
        let row = row("CRTPLOT", 1_000_000, true);
        assert!(row.size == 1 && row.tests <= 24, "{row:?}");
        assert!(row.difference == 1 && row.isolation <= 21, "{row:?}");
    }

    #[test]
    fn an_overrun_buffer_takes_little_more_than_one_test_a_character() {
        // From 10,000 characters the paper needed 11,589 tests.
        let row = row("FLEX", 10_000, true);
        assert!(row.size == 2_121 && row.tests < 3_000, "{row:?}");
        assert!(row.difference == 1 && row.isolation <= 14, "{row:?}");
    }
}
