//! Journals that were cut anywhere, and headers that tell runs apart.

use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::OsStringExt;
use std::time::Duration;

use minirepro_engine::Outcome;

use super::*;
use crate::{Digest, Fingerprint, Observation, TestEnd};

fn header(input: &[u8], limit: &str) -> Header {
    let facts = |value: &str| Fingerprint::from([("limit".to_owned(), value.to_owned())]);
    let words = ["a b".into(), OsString::from_vec(vec![0xff, b'x'])];
    Header::new("1.2.3", Path::new("/work"), &words, input, facts(limit), Fingerprint::new())
}

#[test]
fn a_journal_gives_back_what_was_written_up_to_where_it_was_cut() {
    let place = tempfile::tempdir().unwrap();
    let directory = place.path().join("run");
    let (mut journal, past) = Journal::open(&directory).unwrap();
    assert!(past.is_none());
    journal.begin(header(b"input\xff", "5"), b"input\xff").unwrap();
    assert!(matches!(Journal::open(&directory), Err(JournalError::Busy(_))));
    journal.add(&Record::Start(Start { slowest: 0.5, ..Start::default() }));
    let endings = [TestEnd::Exited(0), TestEnd::TimedOut];
    for (text, ending) in ["one", "two"].into_iter().zip(endings) {
        let (outcome, time) = (Outcome::Fail, Duration::from_millis(12));
        let seen = Observation { outcome, ending, time };
        journal.add(&Record::Answer(Answer::of(Digest::of(text.as_bytes()), &seen)));
    }
    let result = Digest::of(b"one");
    journal.add(&Record::End(End { stopped: None, result, bytes: 3, tests: 2 }));
    assert!(journal.error().is_none());
    drop(journal);

    let past = PreviousRun::read(&directory).unwrap();
    assert_eq!(past.header, header(b"input\xff", "5"));
    assert_eq!(past.header.arguments[1], OsString::from_vec(vec![0xff, b'x']));
    assert_eq!(past.answers(), 2);
    assert_eq!(past.answers[0].seconds, 0.012);
    assert!(past.answers[1].timeout && past.end.is_some_and(|end| end.bytes == 3));
    assert_eq!(PreviousRun::input(&directory).unwrap(), b"input\xff");

    let path = directory.join(FILE);
    let all = fs::read(&path).unwrap();
    let mut seen = Vec::new();
    for cut in 0..all.len() {
        fs::write(&path, &all[..cut]).unwrap();
        seen.push(match PreviousRun::read(&directory) {
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
fn a_run_that_went_on_behind_its_end_and_was_killed_has_no_end() {
    let place = tempfile::tempdir().unwrap();
    let directory = place.path().join("run");
    let ending = TestEnd::Exited(0);
    let seen = Observation { outcome: Outcome::Fail, ending, time: Duration::ZERO };
    let ended = || PreviousRun::read(&directory).unwrap().end.is_some();
    let (mut journal, _) = Journal::open(&directory).unwrap();
    journal.begin(header(b"input", "5"), b"input").unwrap();
    journal.add(&Record::Start(Start::default()));
    journal.add(&Record::Answer(Answer::of(Digest::of(b"one"), &seen)));
    let stopped = Some(minirepro_engine::StopReason::Interrupted);
    let end = End { stopped, result: Digest::of(b"one"), bytes: 3, tests: 1 };
    journal.add(&Record::End(end.clone()));
    drop(journal);
    assert!(ended(), "interrupted");
    let (mut journal, _) = Journal::open(&directory).unwrap();
    assert!(ended(), "nothing has been asked since");
    journal.add(&Record::Answer(Answer::of(Digest::of(b"two"), &seen)));
    drop(journal);
    assert!(!ended(), "killed");
    let (mut journal, _) = Journal::open(&directory).unwrap();
    journal.add(&Record::End(end));
    drop(journal);
    assert!(ended(), "interrupted again");
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
    journal.log.as_mut().unwrap().append(&serde_json::json!({ "later": { "a": 1 } }));
    journal.add(&Record::Start(Start::default()));
    drop(journal);
    assert!(PreviousRun::read(place.path()).unwrap().start.is_some());
    let (mut journal, _) = Journal::open(place.path()).unwrap();
    let mut later = header(b"x", "5");
    later.version = VERSION + 1;
    journal.begin(later, b"x").unwrap();
    drop(journal);
    let before = shown(place.path());
    assert!(matches!(Journal::open(place.path()), Err(JournalError::Version { .. })));
    assert_eq!(shown(place.path()), before, "it is left as it is");
    let refused = PreviousRun::read(place.path()).unwrap_err();
    assert!(refused.to_string().contains("written by minirepro 1.2.3 in another form (version 2)"));
    let JournalError::Version { began: Some(began), .. } = refused else { panic!("{refused}") };
    assert_eq!(began.arguments[0], "a b", "so the command can be given again");
}

/// Returns all files of a directory with what is in them.
fn shown(directory: &Path) -> Vec<(String, Vec<u8>)> {
    let mut shown = Vec::new();
    for entry in fs::read_dir(directory).unwrap() {
        let entry = entry.unwrap();
        let text = fs::read(entry.path()).unwrap_or_default();
        shown.push((entry.file_name().into_string().unwrap(), text));
    }
    shown.sort();
    shown
}

#[test]
fn files_of_others_are_neither_followed_nor_overwritten() {
    use std::os::unix::fs::symlink;
    let refuses = |directory: &Path| {
        let before = shown(directory);
        assert!(matches!(Journal::open(directory), Err(JournalError::NotOurs(_))));
        assert_eq!(shown(directory), before);
    };
    let place = tempfile::tempdir().unwrap();
    let [diary, data, linked, link, file] =
        ["diary", "data", "linked", "link", "file"].map(|name| place.path().join(name));
    for directory in [&diary, &data, &linked] {
        fs::create_dir(directory).unwrap();
    }
    fs::write(diary.join("journal"), "diary\n").unwrap();
    fs::write(diary.join("input"), "data\n").unwrap();
    refuses(&diary);
    fs::write(data.join("input"), "data\n").unwrap();
    refuses(&data);
    let victim = place.path().join("victim");
    fs::write(&victim, "precious\n").unwrap();
    symlink("../victim", linked.join("journal")).unwrap();
    refuses(&linked);
    assert_eq!(fs::read(&victim).unwrap(), b"precious\n");
    symlink("data", &link).unwrap();
    refuses(&link);
    fs::write(&file, "x").unwrap();
    assert!(matches!(Journal::open(&file), Err(JournalError::NotOurs(_))));
}

#[test]
fn nothing_is_made_before_a_run_begins() {
    let place = tempfile::tempdir().unwrap();
    let directory = place.path().join("run");
    drop(Journal::open(&directory).unwrap());
    assert!(!directory.exists());
    let missing = Journal::open(&place.path().join("no/such/run"));
    assert!(matches!(missing, Err(JournalError::Write { .. })));
    let (mut first, _) = Journal::open(&directory).unwrap();
    let (mut second, _) = Journal::open(&directory).unwrap();
    first.begin(header(b"x", "5"), b"x").unwrap();
    assert!(matches!(second.begin(header(b"x", "5"), b"x"), Err(JournalError::Busy(_))));
    drop(second);
    assert!(first.error().is_none() && directory.join("journal").exists());
    use std::os::unix::fs::MetadataExt;
    let mode = |path: &Path| fs::metadata(path).unwrap().mode() & 0o777;
    let modes =
        [mode(&directory), mode(&directory.join("journal")), mode(&directory.join("input"))];
    assert_eq!(modes, [0o700, 0o600, 0o600]);
}

#[test]
fn forged_times_upset_nothing() {
    let place = tempfile::tempdir().unwrap();
    for (seconds, is_possible) in [(-1.0, false), (1e300, false), (f64::NAN, false), (5.0, true)] {
        let (mut journal, _) = Journal::open(place.path()).unwrap();
        journal.begin(header(b"x", "5"), b"x").unwrap();
        journal.add(&Record::Start(Start {
            slowest: seconds,
            time_limit: seconds,
            ..Start::default()
        }));
        let candidate = Digest::of(b"y");
        let outcome = minirepro_engine::Outcome::Fail;
        journal.add(&Record::Answer(Answer {
            candidate,
            outcome,
            seconds,
            timeout: false,
            unconfirmed: false,
        }));
        drop(journal);
        let past = PreviousRun::read(place.path()).unwrap();
        assert_eq!(past.start.is_some(), is_possible);
    }
}

#[test]
fn whatever_a_loss_of_power_leaves_of_a_journal_it_stays_known_as_ours() {
    let place = tempfile::tempdir().unwrap();
    let directory = place.path().join("run");
    for left in [&b""[..], b"\0\0\0\0\0\0", b"{\"torn"] {
        let (mut journal, _) = Journal::open(&directory).unwrap();
        journal.begin(header(b"input", "1"), b"input").unwrap();
        journal.add(&Record::Start(Start::default()));
        drop(journal);
        fs::write(directory.join("journal"), left).unwrap();
        let (_, previous) = Journal::open(&directory).unwrap();
        assert!(previous.is_none());
    }
}
