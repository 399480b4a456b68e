//! The bugs of a batch as a table: for a terminal, as a page, and for CI systems.

use std::time::Duration;

use maud::{PreEscaped, html};
use minirepro_program::batch::{BatchOutcome, Bug};

use super::diff::brief;
use super::document::html::frame;
use super::numbers::{count, counted, time};
use super::table::table;
use super::terminal::shown;

/// What is shown of a batch.
#[derive(Debug)]
pub struct Listing<'a> {
    bugs: &'a [Bug],
    /// Whether it is known which ones are new.
    compares: bool,
    /// Lines below the table.
    remarks: Vec<String>,
}

/// How many characters of a failure are shown in a terminal.
const LONGEST_FAILURE: usize = 100;

const HEAD: [&str; 6] = ["bug", "inputs", "bytes", "tests", "", "failure"];

impl<'a> Listing<'a> {
    /// Makes one of what a batch has found.
    pub fn of(outcome: &'a BatchOutcome, compares: bool) -> Self {
        let bugs = &outcome.bugs.bugs;
        let tests: u64 = bugs.iter().map(|bug| bug.tests).sum();
        let mut remarks = vec![format!(
            "{} in {}; {}, {} of reductions",
            counted(bugs.len() as u64, "bug"),
            counted(outcome.inputs as u64, "input"),
            counted(outcome.runs as u64, "run"),
            counted(tests, "test"),
        )];
        let mut remark = |number: usize, what: &str, first: Option<String>| {
            if number > 0 {
                let first = first.map_or_else(String::new, |first| format!(", like {first}"));
                remarks.push(format!("{}{what}{first}", counted(number as u64, "input")));
            }
        };
        let first = |paths: &[std::path::PathBuf]| paths.first().map(|path| shown(path));
        remark(outcome.passing.len(), " without a failure", first(&outcome.passing));
        remark(outcome.flaky.len(), " with a failure at times only", first(&outcome.flaky));
        let unclear = outcome.unclear.first();
        let unclear = unclear.map(|(path, why)| format!("{}: {why}", shown(path)));
        remark(outcome.unclear.len(), " that could not be judged", unclear);
        let errors = bugs.iter().filter_map(|bug| Some((&bug.name, bug.error.as_deref()?)));
        remarks.extend(errors.map(|(name, error)| format!("{name} was not reduced: {error}")));
        Self { bugs, compares, remarks }
    }

    /// Returns the cells of the table.
    fn rows(&self) -> impl Iterator<Item = (&'a Bug, [String; 6])> {
        let compares = self.compares;
        self.bugs.iter().map(move |bug| {
            let same_line = bug.same_line_as.as_ref().map(|name| format!("same line as {name}"));
            let marks = [
                (compares && bug.is_new == Some(true), "new"),
                (bug.is_flaky(), "flaky"),
                (bug.inputs.iter().all(|input| input.is_found), "found on the way"),
                (bug.error.is_some(), "not reduced"),
                (same_line.is_some(), same_line.as_deref().unwrap_or_default()),
            ];
            let marks: Vec<&str> =
                marks.into_iter().filter(|(is_so, _)| *is_so).map(|(_, mark)| mark).collect();
            let cells = [
                bug.name.clone(),
                count(bug.inputs.len() as u64),
                format!("{} → {}", count(bug.input_bytes), count(bug.bytes)),
                count(bug.tests),
                marks.join(", "),
                bug.failure.clone(),
            ];
            (bug, cells)
        })
    }
}

/// Writes the table for a terminal.
pub fn text(listing: &Listing<'_>) -> String {
    let rows = listing.rows().map(|(_, mut cells)| {
        cells[5] = brief(&cells[5], LONGEST_FAILURE);
        cells
    });
    let rows: Vec<[String; 6]> = rows.collect();
    let mut text = match rows.is_empty() {
        true => String::new(),
        false => table(&[vec![HEAD.map(str::to_owned)], rows].concat(), 1..4),
    };
    for remark in &listing.remarks {
        text += remark;
        text.push('\n');
    }
    text
}

/// Writes the table as a page.
pub fn page(listing: &Listing<'_>, title: &str) -> String {
    let body = html! {
        header {
            p.brand { "minirepro" }
            h1 { "Bugs in " (title) }
        }
        main {
            section {
                div.wide {
                    table {
                        thead { tr { @for (at, head) in HEAD.iter().enumerate() { th.number[(1..=3).contains(&at)] { (head) } } } }
                        tbody {
                            @for (bug, cells) in listing.rows() {
                                tr {
                                    td { a href=(format!("{}/report.html", bug.name)) { (bug.name) } }
                                    @for (at, cell) in cells.iter().enumerate().skip(1) {
                                        td.number[(1..=3).contains(&at)] { (cell) }
                                    }
                                }
                            }
                        }
                    }
                }
                @for remark in &listing.remarks { p { (remark) "." } }
            }
        }
    };
    frame(&format!("Bugs in {title}"), &body)
}

/// Writes the bugs as checks that fail, for CI systems (JUnit's XML); those that an earlier batch
/// had are skipped.
pub fn junit(listing: &Listing<'_>, title: &str, took: Duration) -> String {
    // XML has no control characters, not even as numbers.
    let plain = |text: &str| text.replace(|c: char| c.is_control() && c != '\n', "\u{fffd}");
    let is_old = |bug: &Bug| bug.is_new == Some(false);
    let skipped = listing.bugs.iter().filter(|bug| is_old(bug)).count();
    let failures = listing.bugs.len() - skipped;
    let markup = html! {
        (PreEscaped("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"))
        testsuites name="minirepro" tests=(listing.bugs.len()) failures=(failures) {
            testsuite name=(plain(title)) tests=(listing.bugs.len()) skipped=(skipped)
                failures=(failures) time=(took.as_secs_f64()) {
                @for bug in listing.bugs {
                    "\n"
                    testcase name=(plain(&bug.name)) classname="minirepro.batch" time=(bug.seconds) {
                        @if is_old(bug) {
                            skipped message=(plain(&bug.failure)) {}
                        } @else {
                            failure message=(plain(&bug.failure)) {
                                (plain(&bug.failure)) "\n" (counted(bug.inputs.len() as u64, "input"))
                                ", reduced in "
                                (time(Duration::try_from_secs_f64(bug.seconds).unwrap_or_default()))
                                " to " (plain(&bug.reproducer.display().to_string()))
                            }
                        }
                    }
                }
            }
        }
    };
    markup.into_string()
}
