//! The files of a fuzzer's directory that are inputs.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use minirepro_runner::Digest;

use crate::tester::subject::{Test, about};

/// An input: all files with these bytes.
#[derive(Clone, Debug)]
pub struct Input {
    /// What tells it from others.
    pub digest: Digest,
    /// The files, sorted; the first stands for all.
    pub paths: Vec<PathBuf>,
    /// How many bytes it has.
    pub bytes: usize,
    /// Whether a reduction came across it.
    pub is_found: bool,
}

impl Input {
    /// Returns the first file that still holds these bytes, with them.
    pub fn read(&self, test: &dyn Test) -> Option<(&Path, Vec<u8>)> {
        self.paths.iter().find_map(|path| Some((&**path, self.read_at(path, test)?)))
    }

    /// Forgets the files that are gone or hold other bytes now; returns whether one is left.
    pub fn is_still_there(&mut self, test: &dyn Test) -> bool {
        let paths = std::mem::take(&mut self.paths);
        self.paths = paths.into_iter().filter(|path| self.read_at(path, test).is_some()).collect();
        !self.paths.is_empty()
    }

    fn read_at(&self, path: &Path, test: &dyn Test) -> Option<Vec<u8>> {
        test.read(path).ok().filter(|text| Digest::of(text) == self.digest)
    }
}

/// All files that were named, or that lie in a directory that was named.
#[derive(Clone, Debug, Default)]
pub struct Found {
    /// The inputs, by their first path.
    pub inputs: Vec<Input>,
    /// The files that are none, with the reason.
    pub ignored: Vec<(PathBuf, &'static str)>,
}

/// Names of directories in which AFL++ keeps inputs that do not fail, beside `crashes` and `hangs`.
const BESIDE_CRASHES: &[&str] = &["queue", ".state", ".synced"];

/// Reads the inputs of these files and directories. Below a directory, what fuzzers write about
/// their inputs is left out, and what cannot be read: a fuzzer may still be at work there. What was
/// named is always an input.
///
/// # Errors
/// If what was named cannot be read.
pub fn find(named: &[PathBuf], test: &dyn Test) -> io::Result<Found> {
    let mut ignored = Vec::new();
    let mut files = Vec::new();
    for path in named {
        match path.is_dir() {
            true => walk(path, &mut files, &mut ignored)?,
            false => files.push(path.clone()),
        }
    }
    files.sort();
    files.dedup();
    let mut by_digest: BTreeMap<Digest, Input> = BTreeMap::new();
    for path in files {
        let text = match test.read(&path) {
            Ok(text) if text.is_empty() => {
                ignored.push((path, "it is empty"));
                continue;
            }
            Ok(text) => text,
            Err(error) if named.contains(&path) => return Err(error),
            Err(_) => {
                ignored.push((path, UNREADABLE));
                continue;
            }
        };
        let digest = Digest::of(&text);
        let (paths, bytes) = (Vec::new(), text.len());
        let new = Input { digest: digest.clone(), paths, bytes, is_found: false };
        by_digest.entry(digest).or_insert(new).paths.push(path);
    }
    let mut inputs: Vec<Input> = by_digest.into_values().collect();
    inputs.sort_by(|a, b| a.paths.cmp(&b.paths));
    Ok(Found { inputs, ignored })
}

const UNREADABLE: &str = "it cannot be read";

/// Collects the inputs below a directory.
fn walk(
    top: &Path,
    files: &mut Vec<PathBuf>,
    ignored: &mut Vec<(PathBuf, &'static str)>,
) -> io::Result<()> {
    let mut open = vec![top.to_owned()];
    while let Some(directory) = open.pop() {
        let read = fs::read_dir(&directory).and_then(Iterator::collect::<io::Result<Vec<_>>>);
        let mut entries: Vec<PathBuf> = match read {
            Ok(entries) => entries.iter().map(fs::DirEntry::path).collect(),
            Err(error) if directory == top => return Err(about(&directory, &error)),
            Err(_) => {
                ignored.push((directory, UNREADABLE));
                continue;
            }
        };
        let has = |name: &str| entries.iter().any(|path| path.ends_with(name) && path.is_dir());
        let is_of_afl = has("crashes");
        entries.sort();
        for path in entries {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            match (path.is_dir(), is_no_input(&name, path.is_dir(), is_of_afl)) {
                (true, _) if path.is_symlink() => {
                    ignored.push((path, "it is a link to a directory"));
                }
                (_, Some(why)) => ignored.push((path, why)),
                (true, None) => open.push(path),
                (false, None) => files.extend(Some(path).filter(|path| path.is_file())),
            }
        }
    }
    Ok(())
}

/// Returns why a file or directory of this name holds no input.
fn is_no_input(name: &str, is_directory: bool, is_of_afl: bool) -> Option<&'static str> {
    const OF_AFL: &[&str] =
        &["fuzz_bitmap", "fuzzer_setup", "fuzzer_stats", "plot_data", "cmdline", "is_main_node"];
    let is_log = name.ends_with(".log");
    Some(match name {
        _ if is_directory => {
            let is_beside = is_of_afl && BESIDE_CRASHES.contains(&name) || name.starts_with('.');
            return is_beside.then_some("its inputs do not fail");
        }
        _ if name.starts_with('.') => "it is hidden",
        _ if is_of_afl && OF_AFL.contains(&name) => "it is about the run of AFL++",
        "README.txt" | "HONGGFUZZ.REPORT.TXT" => "it is about the run of a fuzzer",
        _ if name.starts_with("slow-unit-") || name.starts_with("fuzz-") && is_log => {
            "it is slow, and does not fail"
        }
        _ if is_log || name.ends_with(".stacktrace") || name.ends_with(".stderr") => {
            "it is what a run has printed"
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fails(_: &[u8]) -> bool {
        true
    }

    /// Checks which files of a tree are inputs, by their paths.
    fn check(tree: &[&str], expected: &[&str]) {
        let place = tempfile::tempdir().unwrap();
        for (nth, path) in tree.iter().enumerate() {
            let path = place.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, nth.to_string()).unwrap();
        }
        let found = find(&[place.path().to_owned()], &fails).unwrap();
        let relative = |path: &PathBuf| {
            path.strip_prefix(place.path()).unwrap().to_string_lossy().into_owned()
        };
        let names: Vec<String> =
            found.inputs.iter().flat_map(|input| input.paths.iter().map(relative)).collect();
        assert_eq!(names, expected);
    }

    #[test]
    fn directories_of_fuzzers_are_read_as_they_are() {
        let afl = [
            "default/crashes/README.txt",
            "default/crashes/id:000000,sig:11,src:000000,time:5,op:havoc,rep:2",
            "default/hangs/id:000000,src:000001",
            "default/queue/id:000000,orig:seed",
            "default/.synced/other",
            "default/fuzzer_stats",
            "default/plot_data",
        ];
        check(
            &afl,
            &[
                "default/crashes/id:000000,sig:11,src:000000,time:5,op:havoc,rep:2",
                "default/hangs/id:000000,src:000001",
            ],
        );
        check(&["crashes/README.txt", "crashes/id:1"], &["crashes/id:1"]);
        let libfuzzer =
            ["crash-adc83b19e793491b", "oom-1", "slow-unit-2", "timeout-3", "fuzz-0.log"];
        check(&libfuzzer, &["crash-adc83b19e793491b", "oom-1", "timeout-3"]);
        let honggfuzz = "SIGSEGV.PC.4a5b.STACK.1.CODE.1.ADDR.0.INSTR.mov.fuzz";
        check(&[honggfuzz, "HONGGFUZZ.REPORT.TXT"], &[honggfuzz]);
        let clusterfuzz = "clusterfuzz-testcase-minimized-app_fuzzer-5678";
        check(&[clusterfuzz, "a.stacktrace"], &[clusterfuzz]);
    }

    #[test]
    fn equal_files_are_one_input_and_empty_ones_none() {
        let place = tempfile::tempdir().unwrap();
        for (name, text) in [("b", "x"), ("a", "x"), ("c", ""), ("README.txt", "y")] {
            fs::write(place.path().join(name), text).unwrap();
        }
        let found = find(&[place.path().to_owned()], &fails).unwrap();
        assert_eq!(found.inputs.len(), 1);
        assert_eq!(found.inputs[0].paths, ["a", "b"].map(|name| place.path().join(name)));
        assert_eq!(found.ignored.len(), 2);
        let named = find(&[place.path().join("README.txt")], &fails).unwrap();
        assert_eq!(named.inputs.len(), 1, "what was named is an input");
    }

    #[test]
    fn what_goes_or_changes_is_left_out() {
        let place = tempfile::tempdir().unwrap();
        let path = |name: &str| place.path().join(name);
        for (name, text) in [("a", "x"), ("b", "x"), ("c", "y"), ("d", "z")] {
            fs::write(path(name), text).unwrap();
        }
        let mut found = find(&[place.path().to_owned()], &fails).unwrap().inputs;
        fs::remove_file(path("a")).unwrap();
        fs::write(path("c"), "other").unwrap();
        fs::remove_file(path("d")).unwrap();
        fs::create_dir(path("d")).unwrap();
        assert_eq!(found[0].read(&fails), Some((&*path("b"), b"x".to_vec())));
        found.retain_mut(|input| input.is_still_there(&fails));
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].paths, [path("b")]);
        // A loop of links is a file that nobody can read.
        std::os::unix::fs::symlink("e", path("e")).unwrap();
        assert!(find(&[place.path().to_owned()], &fails).is_ok());
        assert!(find(&[path("e")], &fails).is_err());
    }
}
