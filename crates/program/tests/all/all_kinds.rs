//! What holds for all kinds of runs alike, in one table: reductions of files and directories,
//! isolations of texts and versions, words.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use minirepro_program::archive::{Kind as FileKind, entries, pack};
use minirepro_program::{
    Budget, CancelToken, Error, Invocation, Isolation, JournalPlace, Journaling, Mode,
    OptionSearch, Outcome, Reduction, RunEvent, Settings, StopReason, chosen,
};

/// A kind of run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    File,
    Directory,
    Texts,
    Versions,
    Words,
}

const ALL: [Kind; 5] = [Kind::File, Kind::Directory, Kind::Texts, Kind::Versions, Kind::Words];

/// What a run has given, whatever its kind is.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Result {
    results: Vec<Vec<u8>>,
    stopped: Option<StopReason>,
}

fn has(text: &[u8], word: &str) -> bool {
    text.windows(word.len()).any(|part| part == word.as_bytes())
}

const INPUT: &str = "one\ntwo\nxx three\nfour\nfive\nsix\nyy seven\neight\n";

/// Fails with `xx`, and independently of that with `yy`.
fn fails(text: &[u8]) -> bool {
    has(text, "xx") || has(text, "yy")
}

fn project() -> Vec<u8> {
    let files: [(&str, &str); 3] =
        [("a.txt", "one\nxx two\nthree\n"), ("b.txt", "four\n"), ("c.txt", "five\nyy\n")];
    pack(files.map(|(path, text)| (FileKind::Plain, path.as_bytes(), text.as_bytes()))).unwrap()
}

impl Kind {
    /// Returns whether a candidate fails.
    fn fails(self, candidate: &[u8]) -> bool {
        let words = chosen(candidate);
        match self {
            Self::Words => words.contains(&1) && words.contains(&4) || words.contains(&6),
            _ => fails(candidate),
        }
    }

    /// Runs it with this test.
    fn run(
        self,
        output: Option<&Path>,
        settings: Settings<'_>,
        test: &(dyn Fn(&[u8]) -> Outcome + Sync),
    ) -> std::result::Result<Result, Error> {
        let test = |candidate: &[u8]| test(candidate);
        let output = output.map(Path::to_owned);
        match self {
            Self::File => {
                let file = "a.txt".into();
                let new = Reduction::new(INPUT);
                let outcome = Reduction { file, output, settings, ..new }.run(&test)?;
                let results = vec![outcome.result.text.to_vec()];
                Ok(Result { results, stopped: outcome.stopped })
            }
            Self::Directory => {
                let file = "dir".into();
                let (files, new) = (Some(Vec::new()), Reduction::new(project()));
                let request = Reduction { file, files, output, settings, ..new };
                let outcome = request.run(&test)?;
                let results = vec![outcome.result.text.to_vec()];
                Ok(Result { results, stopped: outcome.stopped })
            }
            Self::Texts | Self::Versions => {
                let new = if self == Self::Texts {
                    Isolation::new("one\ntwo\n", INPUT)
                } else {
                    Isolation { language: None, ..Isolation::new("", project()) }
                };
                let file = "a.txt".into();
                let outcome = Isolation { file, output, settings, ..new }.run(&test)?;
                let found = outcome.difference;
                let results = vec![[&*found.passing, b"|", &*found.failing].concat()];
                Ok(Result { results, stopped: outcome.stopped })
            }
            Self::Words => {
                let new = OptionSearch::new(["a", "b", "c", "d", "e", "f", "g", "h"]);
                let outcome = OptionSearch { output, settings, ..new }.run(&test)?;
                let results = vec![format!("{:?}", outcome.needed).into_bytes()];
                Ok(Result { results, stopped: outcome.stopped })
            }
        }
    }

    fn answer(self, candidate: &[u8]) -> Outcome {
        if self.fails(candidate) { Outcome::Fail } else { Outcome::Pass }
    }

    /// Runs it in memory to its end.
    fn undisturbed(self) -> Result {
        self.run(None, Settings::default(), &|text| self.answer(text)).unwrap()
    }
}

fn journaling(mode: Mode, place: &Path) -> Journaling {
    Journaling {
        mode,
        journal: JournalPlace::At(place.to_owned()),
        invocation: Invocation::default(),
        ..Journaling::default()
    }
}

fn shown(results: &[Vec<u8>]) -> Vec<String> {
    results.iter().map(|result| String::from_utf8_lossy(result).into_owned()).collect()
}

#[test]
fn each_kind_finds_the_least_in_memory() {
    let check = |kind: Kind, expected: &[&str]| {
        let found = kind.undisturbed();
        assert_eq!(
            (found.stopped, shown(&found.results)),
            (None, expected.iter().map(|&text| text.to_owned()).collect()),
            "{kind:?}"
        );
    };
    check(Kind::File, &["xx"]);
    check(Kind::Words, &["[1, 4]"]);
    let directory = Kind::Directory.undisturbed();
    let files: Vec<(&[u8], &[u8])> =
        entries(&directory.results[0]).iter().map(|entry| (entry.path, entry.text)).collect();
    assert_eq!(files.len(), 1);
    assert!(fails(files[0].1) && files[0].1.len() <= 3, "{files:?}");
}

#[test]
fn the_number_of_jobs_decides_nothing() {
    for kind in ALL {
        let settings = Settings { jobs: 3, ..Settings::default() };
        let found = kind.run(None, settings, &|text| kind.answer(text)).unwrap();
        assert_eq!(found, kind.undisturbed(), "{kind:?}");
    }
}

/// A replay that led to another result than a run that had ended early was accepted.
#[test]
fn a_run_that_ended_early_is_replayed_to_the_same_result() {
    for kind in ALL {
        for max_tests in 1..6 {
            for jobs in [1, 3] {
                let place = tempfile::tempdir().unwrap();
                let journal = place.path().join("journal");
                let settings = |mode| Settings {
                    journaling: journaling(mode, &journal),
                    budget: Budget { max_tests: Some(max_tests), ..Budget::default() },
                    jobs,
                    ..Settings::default()
                };
                let begun = kind.run(None, settings(Mode::Begin), &|text| kind.answer(text));
                let replay = settings(Mode::Replay(journal.clone()));
                let replayed = kind.run(None, replay, &|_| panic!("no test is run"));
                let case = format!("{kind:?}, {max_tests} tests, {jobs} jobs");
                assert_eq!(replayed.unwrap().results, begun.unwrap().results, "{case}");
            }
        }
    }
}

#[test]
fn a_run_that_ends_early_goes_on_to_the_same_end() {
    for kind in ALL {
        let whole = kind.undisturbed();
        let tests = AtomicU64::new(0);
        let count = |text: &[u8]| {
            tests.fetch_add(1, Ordering::Relaxed);
            kind.answer(text)
        };
        kind.run(None, Settings::default(), &count).unwrap();
        let all = tests.swap(0, Ordering::Relaxed);
        for stop_after in 1..all {
            let place = tempfile::tempdir().unwrap();
            let journal = place.path().join("journal");
            let stop = CancelToken::new().unwrap();
            let settings = Settings {
                journaling: journaling(Mode::Begin, &journal),
                stop: Some(stop.clone()),
                ..Settings::default()
            };
            let interrupted = kind.run(None, settings, &|text| {
                if count(text) == Outcome::Fail && tests.load(Ordering::Relaxed) >= stop_after {
                    stop.set();
                }
                kind.answer(text)
            });
            tests.store(0, Ordering::Relaxed);
            let Ok(interrupted) = interrupted else { continue };
            if interrupted.stopped.is_none() {
                continue;
            }
            let settings = Settings {
                journaling: journaling(Mode::Replay(journal.clone()), &journal),
                ..Settings::default()
            };
            let replayed = kind.run(None, settings, &|_| panic!("no test is run"));
            assert_eq!(replayed.unwrap().results, interrupted.results, "{kind:?}: {stop_after}");
            let settings = Settings {
                journaling: journaling(Mode::Resume(journal.clone()), &journal),
                ..Settings::default()
            };
            let resumed = kind.run(None, settings, &count).unwrap();
            assert_eq!(resumed, whole, "{kind:?} stopped after {stop_after}");
            assert!(tests.swap(0, Ordering::Relaxed) < all + 3, "{kind:?}: answers were reused");
        }
    }
}

#[test]
fn each_kind_is_replayed_and_verified() {
    for kind in ALL {
        let place = tempfile::tempdir().unwrap();
        let journal = place.path().join("journal");
        let run = |mode: Mode, test: &(dyn Fn(&[u8]) -> Outcome + Sync)| {
            let told = Cell::new(false);
            let settings = Settings {
                journaling: journaling(mode, &journal),
                observer: Some(Box::new(|event: &RunEvent<'_>| {
                    if let RunEvent::Verified(_) = event {
                        told.set(true);
                    }
                })),
                ..Settings::default()
            };
            let result = kind.run(None, settings, test);
            (result, told.get())
        };
        let answer = |text: &[u8]| kind.answer(text);
        let (whole, _) = run(Mode::Begin, &answer);
        let (replayed, _) = run(Mode::Replay(journal.clone()), &|_| panic!("no test is run"));
        assert_eq!(replayed.unwrap(), whole.unwrap(), "{kind:?}");
        let (verified, told) = run(Mode::Verify(journal.clone()), &answer);
        assert!(verified.is_ok() && told, "{kind:?}: {verified:?}");
        let (refuted, _) = run(Mode::Verify(journal.clone()), &|_| Outcome::Pass);
        assert!(matches!(refuted, Err(Error::DoesNotHold { .. })), "{kind:?}: {refuted:?}");
    }
}

#[test]
fn a_result_that_is_not_minimal_is_not_verified() {
    for kind in ALL {
        let place = tempfile::tempdir().unwrap();
        let journal = place.path().join("journal");
        let settings =
            |mode| Settings { journaling: journaling(mode, &journal), ..Settings::default() };
        // All that is not one of the ends gets no answer, so nothing can go.
        let first = AtomicU64::new(0);
        let mut begun = 0;
        let refuses = |text: &[u8]| {
            let nth = first.fetch_add(1, Ordering::Relaxed);
            if nth < 4 { kind.answer(text) } else { Outcome::Unresolved }
        };
        let found = kind.run(None, settings(Mode::Begin), &refuses);
        // The result is tested once more, and is then unresolved as well.
        if matches!(found, Err(Error::ResultIsFlaky(_))) {
            begun += 1;
        }
        let verified =
            kind.run(None, settings(Mode::Verify(journal.clone())), &|text| kind.answer(text));
        assert!(begun == 0 || verified.is_err(), "{kind:?}: {verified:?}");
    }
}

#[test]
fn the_budget_of_tests_is_one_for_the_whole_run() {
    for kind in ALL {
        let settings = Settings {
            budget: Budget { max_tests: Some(1), ..Budget::default() },
            ..Settings::default()
        };
        let found = kind.run(None, settings, &|text| kind.answer(text)).unwrap();
        assert_eq!(found.stopped, Some(StopReason::TestBudget), "{kind:?}");
        let whole = kind.undisturbed();
        assert_ne!(found.results, whole.results, "{kind:?}");
    }
}

/// `--max-time` was counted anew for each file of a directory, and after the first tests.
#[test]
fn the_time_is_counted_from_the_start_of_the_run() {
    for kind in ALL {
        let settings = Settings {
            budget: Budget { max_time: Some(Duration::from_nanos(1)), ..Budget::default() },
            ..Settings::default()
        };
        let found = kind.run(None, settings, &|text| kind.answer(text));
        // Closures are not ended, so the first tests may still be answered.
        match found {
            Ok(found) => assert_eq!(found.stopped, Some(StopReason::TimeBudget), "{kind:?}"),
            Err(error) => assert!(matches!(error, Error::NoTimeToBegin), "{kind:?}: {error}"),
        }
    }
}

#[test]
fn a_result_that_cannot_be_written_is_found_out_before_the_first_test() {
    for kind in ALL.into_iter().filter(|kind| kind.writes()) {
        let place = tempfile::tempdir().unwrap();
        let output = place.path().join("no/such/directory/a.txt");
        let found =
            kind.run(Some(&output), Settings::default(), &|_| panic!("{kind:?}: no test is run"));
        assert!(matches!(found, Err(Error::ResultNotWritten { .. })), "{kind:?}: {found:?}");
    }
}

#[test]
fn results_are_written_and_a_directory_is_replaced_only_if_that_is_wanted() {
    for kind in ALL.into_iter().filter(|kind| kind.writes()) {
        let place = tempfile::tempdir().unwrap();
        let output = place.path().join("a.txt");
        let run = |overwrite| {
            let settings = Settings { overwrite, ..Settings::default() };
            kind.run(Some(&output), settings, &|text| kind.answer(text))
        };
        run(false).unwrap();
        let written: Vec<PathBuf> =
            std::fs::read_dir(place.path()).unwrap().map(|entry| entry.unwrap().path()).collect();
        assert!(!written.is_empty(), "{kind:?}");
        // The same again: nobody has changed what is there.
        run(false).unwrap();
        if kind.writes_directories() {
            let result =
                written.iter().find(|path| path.is_dir()).expect("the result is a directory");
            std::fs::write(result.join("mine"), "not a result").unwrap();
            let again = run(false);
            assert!(matches!(&again, Err(Error::ResultExists(_))), "{kind:?}: {again:?}");
        }
        run(true).unwrap();
        // What somebody has put into a result of ours is kept beside the new one.
        let kept = usize::from(kind.writes_directories());
        let found = std::fs::read_dir(place.path()).unwrap().count();
        assert_eq!(found, written.len() + kept, "{kind:?}");
    }
}

impl Kind {
    fn writes(self) -> bool {
        self != Self::Words
    }

    fn writes_directories(self) -> bool {
        matches!(self, Self::Directory | Self::Versions)
    }
}
