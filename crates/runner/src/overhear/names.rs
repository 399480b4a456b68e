//! The names of the programs that a test may run: the words of its script, of the scripts that this
//! names, and of its command, as far as they are programs.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use crate::system::read_limited;

/// Programs that say nothing about a candidate: tools of shells, and those that only start others.
const SILENT: &str = "awk base64 basename bash bc busybox cat chmod chown chrt cksum cmp comm cp cut \
    cygpath dash date dd df diff dirname du echo egrep env exec expand expr false fgrep file find flock \
    fmt fold gawk getconf getopt git grep head hexdump hostname id install ionice join kill ksh ln locale \
    logger ls lscpu mawk md5sum mkdir mkfifo mktemp mv nice nl nohup nproc numactl od paste patch pgrep \
    pkill printenv printf prlimit ps pwd readlink realpath rev rm rmdir sed seq setarch setsid sh sha1sum \
    sha256sum shuf sleep sort split stat stdbuf strace strings stty su sudo sum sync tac tail tar taskset \
    tee test time timeout touch tr true truncate tty ulimit uname unbuffer uniq unshare unzip uptime wait \
    wc which whoami xargs xxd yes zip zsh minirepro";

/// Returns whether a word of a command can stand before the program that this is about:
/// `env A=b timeout 5`.
pub(crate) fn starts_others(word: &OsStr) -> bool {
    let name = Path::new(word).file_name().unwrap_or_default().to_string_lossy();
    let text = word.to_string_lossy();
    SILENT.split(' ').any(|silent| silent == name)
        || text.starts_with('-')
        || text.starts_with(|c: char| c.is_ascii_digit())
        || text.split_once('=').is_some_and(|(name, _)| !name.contains('/'))
}

/// Programs that the rules of `make` name by variables.
const OF_MAKE: &[&str] = &["cc", "c++", "gcc", "g++", "clang", "clang++"];

/// More names than that say nothing new.
const MOST_NAMES: usize = 100;
/// At most this many scripts are read.
const MOST_SCRIPTS: usize = 20;
/// Longer ones are no scripts.
const LONGEST_SCRIPT: u64 = 1 << 20;

/// Returns the names of the programs that scripts, and words of a command, may mean. Linear in the
/// scripts.
pub fn names(scripts: &[PathBuf], words: &[OsString]) -> Vec<OsString> {
    let directories = directories_of_programs();
    let is_known = |name: &OsStr| program(name, &directories).is_some();
    let (mut seen, mut found, mut read) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    let mut open: Vec<PathBuf> = scripts.to_vec();
    let mut next = Some((words.join(OsStr::new("\n")).into_vec(), None));
    while let Some((text, beside)) = next.take() {
        for word in words_of_script(&text).map(OsStr::from_bytes) {
            if !seen.insert(word.to_owned()) {
                continue;
            }
            let name = word.to_string_lossy();
            let is_name = !name.contains('/') && name.starts_with(|c: char| c.is_alphabetic());
            let is_silent = SILENT.split(' ').any(|silent| silent == name);
            if is_name && !is_silent && found.len() < MOST_NAMES && is_known(word) {
                if name.ends_with("make") {
                    let of_make = OF_MAKE.iter().map(OsString::from);
                    found.extend(of_make.filter(|name| is_known(name)));
                }
                found.insert(word.to_owned());
            }
            // `$(dirname "$0")/check.sh` has its name alone.
            let below = Path::new(name.trim_start_matches('/'));
            let places = [Some(word.into()), beside.as_ref().map(|at: &PathBuf| at.join(below))];
            open.extend(places.into_iter().flatten().filter(|place: &PathBuf| place.is_file()));
        }
        while next.is_none() && read.len() < MOST_SCRIPTS {
            let Some(path) = open.pop() else { break };
            if read.insert(path.clone()) {
                let text = read_limited(&path, LONGEST_SCRIPT).unwrap_or_default();
                let beside = path.parent().map(Path::to_owned);
                next = (!text.contains(&0)).then_some((text, beside));
            }
        }
    }
    found.into_iter().collect()
}

/// Returns the words of a script, as far as they can be told without understanding it.
pub fn words_of_script(script: &[u8]) -> impl Iterator<Item = &[u8]> {
    let is_part = |b: &u8| b.is_ascii_alphanumeric() || b"/._-+@%,:~".contains(b) || *b >= 0x80;
    script.split(move |b| !is_part(b)).filter(|word| !word.is_empty())
}

/// Returns the directories in which programs are looked for.
pub fn directories_of_programs() -> Vec<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).collect()
}

/// Returns whether a path is that of a program.
pub(crate) fn is_program(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
}

/// Returns the program that a shell would run for this word, if there is one.
pub fn program(word: &OsStr, directories: &[PathBuf]) -> Option<PathBuf> {
    if word.as_bytes().contains(&b'/') {
        return Some(PathBuf::from(word)).filter(|path| is_program(path));
    }
    directories.iter().map(|directory| directory.join(word)).find(|path| is_program(path))
}

#[cfg(test)]
mod tests {

    use super::*;

    #[test]
    fn scripts_are_followed_and_tools_of_shells_are_left_out() {
        let place = tempfile::tempdir().unwrap();
        let script = place.path().join("t.sh");
        let inner = place.path().join("inner.sh");
        fs::write(&script, "#!/bin/sh\nset -e; grep x $1 && \"$(dirname \"$0\")\"/inner.sh $1\n")
            .unwrap();
        fs::write(&inner, "timeout 5 perl -c $1; no-such-tool; /usr/bin/find x\n").unwrap();
        fs::set_permissions(&inner, fs::Permissions::from_mode(0o755)).unwrap();
        assert_eq!(names(&[script], &[]), ["perl"]);
        assert_eq!(names(&[], &["sh".into(), "-c".into(), "perl -w @@".into()]), ["perl"]);
    }
}
