//! The places of a run: what it reads, and where its results and other failures go. Before the
//! first test it is checked that nothing which a run writes takes the place of something that it
//! reads, or of something else that it writes.

use std::path::{Path, PathBuf};

use crate::error::{Error, Overwritten};
use crate::paths::Written;
use crate::paths::{are_same, is_within};
use crate::request::Settings;
use crate::run::store;

/// A place, what is written there, and whether all that is below it belongs to it.
type Target = (PathBuf, Written, bool);

/// Checks all places of a run against each other.
///
/// # Errors
/// If two are the same, or one lies in a directory that is replaced as a whole.
pub fn check(places: &Places, settings: &Settings<'_>, test: Option<&Path>) -> Result<(), Error> {
    let targets = targets(places, settings);
    // Returns whether something at this path would be lost.
    let hits = |(place, _, is_directory): &Target, path: &Path| {
        are_same(place, path) || *is_directory && is_within(path, place)
    };
    for (nth, target) in targets.iter().enumerate() {
        let (path, by, _) = target;
        let companions = settings.companions.iter().filter(|path| path.is_file());
        let read = settings.also_read.iter().chain(companions);
        let sources = places.sources.iter().map(|path| (&**path, Overwritten::Input));
        let test = test.map(|path| (path, Overwritten::Test));
        let read = read.map(|path| (&**path, Overwritten::Read));
        let mut there = sources.chain(test).chain(read);
        if let Some((_, what)) = there.find(|(path, _)| hits(target, path)) {
            return Err(Error::WouldOverwrite { path: path.clone(), by: *by, what });
        }
        for other in &targets[..nth] {
            if hits(target, &other.0) || hits(other, path) {
                return Err(Error::WrittenTwice(path.clone(), other.1, *by));
            }
        }
    }
    Ok(())
}

/// Returns all that a run writes, results first. A run that is looked at again keeps no journal and
/// asks nobody.
fn targets(places: &Places, settings: &Settings<'_>) -> Vec<Target> {
    let Settings { journaling, also_written, .. } = settings;
    let result = |path: &PathBuf| (path.clone(), Written::Result, places.are_directories);
    let mut all: Vec<Target> = places.results.iter().map(result).collect();
    if !journaling.mode.is_replay() {
        let journal = store::place(journaling, places.journal_beside.as_deref());
        all.extend(journal.map(|path| (path, Written::Journal, true)));
        all.extend(places.finds.clone().map(|path| (path, Written::Finds, true)));
    }
    let by_caller = also_written.iter();
    all.extend(by_caller.map(|(name, path)| (path.clone(), Written::ByCaller(name), false)));
    all
}

/// Where the things of a run are and go.
#[derive(Clone, Debug, Default)]
pub struct Places {
    /// The file or directory whose name and permissions candidates get.
    pub file: PathBuf,
    /// What no result may overwrite.
    pub sources: Vec<PathBuf>,
    /// The results.
    pub results: Vec<PathBuf>,
    /// Whether results are directories.
    pub are_directories: bool,
    /// The result beside which the journal goes.
    pub journal_beside: Option<PathBuf>,
    /// Where inputs go that show other failures.
    pub finds: Option<PathBuf>,
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;
    use crate::request::{JournalPlace, Journaling};

    /// Checks what is said about places in a directory with some files and links.
    fn check_places(results: &[&str], written: &[&str], are_directories: bool, expected: &str) {
        let place = tempfile::tempdir().unwrap();
        let at = |name: &str| place.path().join(name);
        fs::create_dir(at("sub")).unwrap();
        for name in ["in.c", "test.sh", "rules", "sub/old"] {
            fs::write(at(name), "x").unwrap();
        }
        symlink("in.c", at("link")).unwrap();
        symlink("new.c", at("future")).unwrap();
        symlink("sub", at("dir")).unwrap();
        fs::hard_link(at("in.c"), at("hard")).unwrap();
        let places = Places {
            file: at("in.c"),
            sources: vec![at("in.c")],
            results: results.iter().map(|name| at(name)).collect(),
            journal_beside: Some(at(results[0])),
            finds: Some(at("in.finds")),
            are_directories,
        };
        let journaling =
            Journaling { journal: JournalPlace::BesideResult, ..Journaling::default() };
        let settings = Settings {
            journaling,
            also_read: vec![at("rules")],
            also_written: written.iter().map(|name| ("the figures", at(name))).collect(),
            ..Settings::default()
        };
        let shown = match check(&places, &settings, Some(&at("test.sh"))) {
            Ok(()) => String::new(),
            Err(error) => error.to_string().replace(&place.path().display().to_string(), "D"),
        };
        assert_eq!(shown, expected, "{results:?} {written:?}");
    }

    #[test]
    fn nothing_is_written_over_what_is_read_or_written() {
        let check = |results: &[&str], written: &[&str], expected: &str| {
            check_places(results, written, false, expected);
        };
        check(&["out.c"], &["stats", "sub/stats"], "");
        for same in ["in.c", "link", "hard", "sub/../in.c", "dir/../in.c"] {
            check(&[same], &[], &format!("the result would overwrite the input, D/{same}"));
            check(&["out.c"], &[same], &format!("the figures would overwrite the input, D/{same}"));
        }
        check(&["test.sh"], &[], "the result would overwrite the test, D/test.sh");
        check(&["rules"], &[], "the result would overwrite what the run reads, D/rules");
        for same in ["new.c", "future", "dir/../new.c"] {
            let expected = format!("D/{same} would be both the result and the figures");
            check(&["new.c"], &[same], &expected);
            check(&["future"], &[same], &expected);
        }
        check(&["sub/new"], &["dir/new"], "D/dir/new would be both the result and the figures");
        check(&["a", "a"], &[], "D/a would be both the result and the result");
        check(&["a"], &["x", "x"], "D/x would be both the figures and the figures");
        for (place, what) in
            [("a.minirepro/x", "the journal"), ("in.finds", "the directory of other failures")]
        {
            check(&["a"], &[place], &format!("D/{place} would be both {what} and the figures"));
        }
        check(&["a"], &["/dev/null", "/dev/null"], "");
    }

    #[test]
    fn directories_that_are_replaced_hold_nothing_else() {
        let check = |results: &[&str], written: &[&str], expected: &str| {
            check_places(results, written, true, expected);
        };
        check(&["sub"], &["stats"], "");
        check(&["sub"], &["dir/stats"], "D/dir/stats would be both the result and the figures");
        check(&["."], &[], "the result would overwrite the input, D/.");
    }
}
