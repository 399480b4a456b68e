//! Checks as a JUnit report, which CI systems show.

use std::time::Duration;

use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};

/// How a check ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Checked<'a> {
    /// As it should.
    Holds,
    /// It does not hold, for this reason.
    Fails(&'a str),
    /// It could not be made, for this reason.
    Broken(&'a str),
    /// It does not hold, which is nothing new.
    Known(&'a str),
}

/// A check.
#[derive(Clone, Copy, Debug)]
pub struct Check<'a> {
    /// What was checked.
    pub name: &'a str,
    /// How it ended.
    pub checked: Checked<'a>,
    /// How long it took.
    pub took: Duration,
}

/// Writes a report of one check: `what` was checked of `name`.
///
/// # Errors
/// If a text cannot stand in XML.
pub fn junit(
    what: &str,
    name: &str,
    checked: Checked<'_>,
    took: Duration,
) -> Result<String, quick_junit::SerializeError> {
    suite(what, what, [Check { name, checked, took }], took)
}

/// Writes a report of several checks: `what` is what checks them, `name` what they have in common.
///
/// # Errors
/// If a text cannot stand in XML.
pub fn suite<'a>(
    what: &str,
    name: &str,
    checks: impl IntoIterator<Item = Check<'a>>,
    took: Duration,
) -> Result<String, quick_junit::SerializeError> {
    let mut suite = TestSuite::new(name);
    suite.set_time(took);
    for Check { name, checked, took } in checks {
        let status = match checked {
            Checked::Holds => TestCaseStatus::success(),
            Checked::Fails(why) => not_successful(NonSuccessKind::Failure, why),
            Checked::Broken(why) => not_successful(NonSuccessKind::Error, why),
            Checked::Known(why) => {
                let mut status = TestCaseStatus::skipped();
                status.set_message(why.lines().next().unwrap_or_default());
                status
            }
        };
        let mut case = TestCase::new(name, status);
        case.set_time(took).set_classname(format!("minirepro.{what}"));
        suite.add_test_case(case);
    }
    let mut report = Report::new("minirepro");
    report.add_test_suite(suite);
    report.to_string()
}

fn not_successful(kind: NonSuccessKind, why: &str) -> TestCaseStatus {
    let mut status = TestCaseStatus::non_success(kind);
    status.set_message(why.lines().next().unwrap_or_default()).set_description(why);
    status
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_check_is_one_case() {
        let took = Duration::from_millis(1500);
        let fails = junit("verify", "a<b>.c", Checked::Fails("not minimal\nmore"), took).unwrap();
        assert!(fails.contains("tests=\"1\"") && fails.contains("failures=\"1\""), "{fails}");
        assert!(fails.contains("name=\"a&lt;b&gt;.c\""), "{fails}");
        assert!(fails.contains("message=\"not minimal\""), "{fails}");
        let holds = junit("verify", "a.c", Checked::Holds, took).unwrap();
        assert!(holds.contains("failures=\"0\"") && !holds.contains("<failure"), "{holds}");
        assert!(junit("rerun", "a", Checked::Broken("x"), took).unwrap().contains("<error"));
    }
}
