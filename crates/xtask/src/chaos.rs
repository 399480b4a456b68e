//! `chaos`: minirepro is killed again and again, at random moments, with its journal torn; what comes
//! out in the end must be what an undisturbed run gives. Its verdict does not depend on the time.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};

const INPUT: &str = "\
#include <stdio.h>
int unused(int a, int b) { return a + b; }
struct point { int x; int y; };
int main(void) {
  struct point p = { 1, 2 };
  for (int i = 0; i < 10; i++) printf(\"%d\", unused(i, p.x));
  crash(1, 2);
  return 0;
}
";

/// Kills its parent at the test with the number in `killat`.
const TEST: &str = "\
#!/bin/sh
if [ -n \"$KILLAT\" ]; then
  echo >> \"$COUNT\"
  [ \"$(wc -l < \"$COUNT\")\" -ge \"$KILLAT\" ] && kill -KILL $PPID
fi
grep -rq crash \"$1\" && grep -rq 'i < 10' \"$1\"
";

/// A run that is killed.
struct Search {
    /// Before the name of the result.
    before: &'static [&'static str],
    /// Behind it.
    behind: &'static [&'static str],
    /// What is made of the names `out` and `undisturbed`.
    results: &'static [&'static str],
}

const SEARCHES: [Search; 3] = [
    Search { before: &[], behind: &["test.sh", "a.c"], results: &[".c"] },
    Search {
        before: &["isolate"],
        behind: &["test.sh", "--pass", "good.c", "--fail", "a.c"],
        results: &[".fail.c", ".pass.c"],
    },
    Search { before: &[], behind: &["test.sh", "project"], results: &["/a.c"] },
];

impl Search {
    fn words<'a>(&self, jobs: &'a str, name: &'a str) -> Vec<String> {
        // The suffix of a result is what the result of a file is called.
        let suffix = if self.results[0].ends_with("/a.c") { "" } else { ".c" };
        let out = format!("{name}{suffix}");
        let options = ["-q", "-j", jobs, "-o", &out];
        let words = self.before.iter().chain(&options).chain(self.behind);
        words.map(|word| (*word).to_owned()).collect()
    }

    fn journal(&self) -> String {
        format!("out{}.minirepro", self.results[0].trim_end_matches("/a.c"))
    }
}

/// Kills the program so many times.
pub fn run(minirepro: &Path, kills: u32, seed: u64) -> Result<()> {
    let place = tempfile::tempdir()?;
    let minirepro = minirepro.canonicalize().context("build minirepro first")?;
    let mut chaos = Chaos { minirepro, place: place.path().to_owned(), random: Random(seed) };
    chaos.put("a.c", INPUT, 0o644)?;
    chaos.put("good.c", &INPUT.replace("crash", "works").replace("i < 10", "i < 9"), 0o644)?;
    chaos.put("test.sh", TEST, 0o755)?;
    for directory in ["tmp", "project"] {
        fs::create_dir(place.path().join(directory))?;
    }
    chaos.put("project/a.c", INPUT, 0o644)?;
    chaos.put("project/b.c", "int other(void);\n", 0o644)?;
    for search in &SEARCHES {
        let status = chaos.command(&search.words("1", "undisturbed")).status()?;
        ensure!(status.success(), "the undisturbed run: {status}");
    }
    let (begun, mut killed, mut runs) = (Instant::now(), 0, 0);
    while killed < kills {
        killed += chaos.whole_run(&SEARCHES[runs % SEARCHES.len()])?;
        runs += 1;
    }
    chaos.nothing_stays()?;
    println!(
        "killed {killed} times in {runs} runs, seed {seed}: always the result of the undisturbed run \
         ({:.0} s)",
        begun.elapsed().as_secs_f64()
    );
    Ok(())
}

struct Chaos {
    minirepro: PathBuf,
    place: PathBuf,
    random: Random,
}

impl Chaos {
    /// Runs until it is complete, through many deaths; how many.
    fn whole_run(&mut self, search: &Search) -> Result<u32> {
        let jobs = (1 + self.random.below(3)).to_string();
        let begin = search.words(&jobs, "out");
        let journal = search.journal();
        let resume = ["resume", "-q", "-j", &jobs, &journal].map(str::to_owned).to_vec();
        let place = self.place.join(&journal);
        self.remove_results(search)?;
        let mut killed = 0;
        loop {
            let can_resume = place.join("journal").exists();
            // The same command once more goes on as well.
            let words = if can_resume && self.random.below(2) == 0 { &resume } else { &begin };
            let (status, told) = self.disturbed(words)?;
            if status.success() {
                break;
            }
            let nothing_yet = status.code() == Some(1) && told.contains("no run that was begun");
            // The result of a directory is there, its journal was torn to nothing.
            let in_the_way = told.contains("would overwrite");
            let expected = nothing_yet || in_the_way;
            ensure!(status.code().is_none() || expected, "{words:?}: {status}\n{told}");
            killed += u32::from(status.code().is_none());
            self.tear(&place.join("journal"))?;
            if nothing_yet {
                fs::remove_dir_all(&place)?;
            }
            if in_the_way {
                self.remove_results(search)?;
            }
        }
        for result in search.results {
            let names = ["undisturbed", "out"].map(|name| format!("{name}{result}"));
            let [expected, result] = names.map(|name| fs::read(self.place.join(name)));
            ensure!(expected? == result?, "another result than that of the undisturbed run");
        }
        ensure!(!place.exists(), "the journal stays");
        Ok(killed)
    }

    fn remove_results(&self, search: &Search) -> Result<()> {
        let top = self.place.join("out");
        if search.results[0].starts_with('/') && top.exists() {
            fs::remove_dir_all(top)?;
        }
        Ok(())
    }

    /// A test that was being started when its run died keeps the scratch directory for a moment, and
    /// what died while it made one is removed a minute later: so one more run tidies up.
    fn nothing_stays(&mut self) -> Result<()> {
        self.command(&["-q", "-o", "out.c", "test.sh", "a.c"]).status()?;
        let left = |entry: &fs::DirEntry| {
            let name = entry.file_name().to_string_lossy().into_owned();
            name.starts_with("minirepro-run-") || name.starts_with(".minirepro-")
        };
        for directory in [self.place.join("tmp"), self.place.clone()] {
            let left: Vec<_> = fs::read_dir(directory)?.flatten().filter(left).collect();
            ensure!(left.is_empty(), "files stay: {left:?}");
        }
        Ok(())
    }

    /// One run that is killed by its test, or from outside, or not at all.
    fn disturbed(&mut self, words: &[String]) -> Result<(ExitStatus, String)> {
        let count = self.place.join("count");
        let _ = fs::remove_file(&count);
        let log = self.place.join("log");
        let mut command = self.command(words);
        command.env("COUNT", &count).stderr(File::create(&log)?);
        let by_test = self.random.below(3) > 0;
        if by_test {
            command.env("KILLAT", (1 + self.random.below(25)).to_string());
        }
        let mut child = command.spawn()?;
        if !by_test {
            std::thread::sleep(Duration::from_millis(self.random.below(300)));
            // It may be over already.
            let _ = child.kill();
        }
        let status = child.wait()?;
        Ok((status, fs::read_to_string(log)?))
    }

    /// As a power cut may leave the journal: without its last bytes, or with others in their place.
    fn tear(&mut self, path: &Path) -> Result<()> {
        let Ok(mut text) = fs::read(path) else { return Ok(()) };
        let lost = self.random.below(400).min(text.len() as u64);
        let whole = text.len() - usize::try_from(lost)?;
        match self.random.below(3) {
            0 => text.truncate(whole),
            1 => text[whole..].fill(0),
            _ => return Ok(()),
        }
        Ok(fs::write(path, text)?)
    }

    fn command(&self, words: &[impl AsRef<OsStr>]) -> Command {
        let mut command = Command::new(&self.minirepro);
        command.args(words).current_dir(&self.place).env("TMPDIR", self.place.join("tmp"));
        command.stdin(Stdio::null()).stdout(Stdio::null());
        command
    }

    fn put(&self, name: &str, text: &str, mode: u32) -> Result<()> {
        let path = self.place.join(name);
        fs::write(&path, text)?;
        Ok(fs::set_permissions(path, fs::Permissions::from_mode(mode))?)
    }
}

/// SplitMix64 (Steele, Lea & Flood 2014).
struct Random(u64);

impl Random {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut x = self.0;
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (x ^ (x >> 31)) % end
    }
}
