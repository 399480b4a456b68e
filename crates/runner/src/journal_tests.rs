//! Journals that were cut anywhere, and headers that tell runs apart.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;

use minirepro_engine::Report;

use super::*;
use crate::Facts;

fn header(input: &[u8], limit: &str) -> Header {
    let facts = |value: &str| Facts::from([("limit".to_owned(), value.to_owned())]);
    let words = ["a b".into(), OsString::from_vec(vec![0xff, b'x'])];
    Header::new("1.2.3", Path::new("/work"), &words, input, facts(limit), Facts::new())
}

#[test]
fn a_journal_gives_back_what_was_written_up_to_where_it_was_cut() {
    let place = tempfile::tempdir().unwrap();
    let directory = place.path().join("run");
    let (mut journal, past) = Journal::open(&directory).unwrap();
    assert!(past.is_none());
    assert!(matches!(Journal::open(&directory), Err(JournalError::Busy(_))));
    journal.begin(header(b"input\xff", "5"), b"input\xff").unwrap();
    journal.start(Start { slowest: 0.5, ..Start::default() });
    for (text, timed_out) in [("one", false), ("two", true)] {
        let outcome = if timed_out { Outcome::Unresolved } else { Outcome::Fail };
        let report = Report { outcome, time: Duration::from_millis(12), timed_out };
        journal.answer(Answer::new(Digest::of(text.as_bytes()), report));
    }
    let result = Digest::of(b"one");
    journal.end(End { stopped: None, result, bytes: 3, tests: 2 });
    assert!(journal.error().is_none());
    drop(journal);

    let past = Past::read(&directory).unwrap();
    assert_eq!(past.header, header(b"input\xff", "5"));
    assert_eq!(past.header.arguments()[1], OsString::from_vec(vec![0xff, b'x']));
    assert_eq!((past.answers(), past.torn), (2, 0));
    assert_eq!(past.answers[0].time(), Duration::from_millis(12));
    assert!(past.answers[1].timeout && past.end.is_some_and(|end| end.bytes == 3));
    assert_eq!(Past::input(&directory).unwrap(), b"input\xff");

    let path = directory.join(FILE);
    let all = fs::read(&path).unwrap();
    let mut seen = Vec::new();
    for cut in 0..all.len() {
        fs::write(&path, &all[..cut]).unwrap();
        seen.push(match Past::read(&directory) {
            Ok(past) => 1 + usize::from(past.start.is_some()) + past.answers(),
            Err(JournalError::Empty(_)) => 0,
            Err(other) => panic!("{other}"),
        });
    }
    assert!(seen.is_sorted());
    seen.dedup();
    assert_eq!(seen, [0, 1, 2, 3, 4]);
}

#[test]
fn a_new_run_forgets_the_old_one_and_leaves_nothing_when_removed() {
    let place = tempfile::tempdir().unwrap();
    let directory = place.path().join("run");
    for input in [b"long input".as_slice(), b"x"] {
        let (mut journal, _) = Journal::open(&directory).unwrap();
        journal.begin(header(input, "5"), input).unwrap();
    }
    let (journal, past) = Journal::open(&directory).unwrap();
    assert_eq!(past.unwrap().header, header(b"x", "5"));
    journal.remove();
    assert!(!directory.exists());
}

#[test]
fn what_differs_is_named() {
    let old = header(b"x", "5");
    assert_eq!(old.differences(&header(b"x", "5")), [""; 0]);
    assert_eq!(old.differences(&header(b"y", "6")), ["limit", "the input"]);
    let mut more = header(b"x", "5");
    more.plan.insert("new".into(), "yes".into());
    assert_eq!(old.differences(&more), ["new"]);
}

#[test]
fn records_of_later_versions_are_skipped_but_not_a_later_form() {
    let place = tempfile::tempdir().unwrap();
    let (mut journal, _) = Journal::open(place.path()).unwrap();
    journal.begin(header(b"x", "5"), b"x").unwrap();
    journal.log.append(&serde_json::json!({ "later": { "a": 1 } }));
    journal.start(Start::default());
    drop(journal);
    assert!(Past::read(place.path()).unwrap().start.is_some());
    let (mut journal, _) = Journal::open(place.path()).unwrap();
    let mut later = header(b"x", "5");
    later.version = VERSION + 1;
    journal.begin(later, b"x").unwrap();
    drop(journal);
    let refused = Past::read(place.path()).unwrap_err();
    assert!(refused.to_string().contains("written by minirepro 1.2.3 in another form (version 2)"));
}
