//! `chaos`: minirepro is killed again and again, at random moments, with its journal torn; what
//! comes out in the end must be what an undisturbed run gives. Its verdict does not depend on the
//! time.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use clap::Args;

use crate::random::Random;

const INPUT: &str = include_str!("../chaos/a.c");

/// A rule whose forms are larger, so that they are gone on from.
const RULES: &str = include_str!("../chaos/rules.toml");

/// A program that proposes what no edit makes.
const PROPOSER: &str = include_str!("../chaos/proposer.sh");

/// The start of every test: kills its parent at the test with the number in `killat`.
const KILL: &str = include_str!("../chaos/kill.sh");

/// The tests by their names, without [`KILL`].
const TESTS: [(&str, &str); 2] = [
    ("test.sh", "grep -rq crash \"$1\" && grep -rq 'i < 10' \"$1\"\n"),
    ("words.sh", "case \"$*\" in *b*e*) exit 0 ;; esac; exit 1\n"),
];

/// Other files by their names. Tests kill their parents: agents, and the run itself, which has jobs
/// of its own.
const FILES: [(&str, &str); 5] = [
    ("a.c", INPUT),
    ("project/a.c", INPUT),
    ("project/b.c", "int other(void);\n"),
    ("rules.toml", RULES),
    ("workers", "exec \"$MINIREPRO\" agent --jobs 2\nexec \"$MINIREPRO\" agent --jobs 1\n"),
];

/// A run that is killed. In its words and names, `{out}` stands for the name of the result, and
/// `_` for a blank in a word.
struct Kind {
    name: &'static str,
    words: &'static str,
    /// The files that must be those of the undisturbed run; `{out}.stdout` is what it printed.
    results: &'static [&'static str],
}

const KINDS: [Kind; 7] = [
    Kind { name: "file", words: "-o {out}.c test.sh a.c", results: &["{out}.c"] },
    Kind {
        name: "workers",
        words: "--workers @workers -o {out}.c test.sh a.c",
        results: &["{out}.c"],
    },
    Kind {
        name: "rules",
        words: "--rules rules.toml -o {out}.c test.sh a.c",
        results: &["{out}.c"],
    },
    Kind {
        name: "propose",
        words: "--propose ./proposer.sh -o {out}.c test.sh a.c",
        results: &["{out}.c"],
    },
    Kind {
        name: "isolate",
        words: "isolate -o {out}.c test.sh --pass good.c --fail a.c",
        results: &["{out}.fail.c", "{out}.pass.c"],
    },
    Kind { name: "directory", words: "-o {out} test.sh project", results: &["{out}/a.c"] },
    Kind {
        name: "options",
        words: "options --journal {out}.minirepro --exit-code 0 -- ./words.sh @{a_b_c_d_e_f}",
        results: &["{out}.stdout"],
    },
];

/// Puts the name of a result in place of `{out}`.
fn named(text: &str, out: &str) -> String {
    text.replace("{out}", out)
}

impl Kind {
    fn command(&self, jobs: &str, out: &str) -> Vec<String> {
        let words = self.words.split(' ').map(|word| named(&word.replace('_', " "), out));
        let mut words: Vec<String> = words.collect();
        let at = usize::from(["isolate", "options"].contains(&&*words[0]));
        words.splice(at..at, ["-q", "-j", jobs].map(str::to_owned));
        words
    }

    /// Returns the journal that there may be in the directory `place`: beside the result, or where
    /// it was asked for.
    fn journal(&self, place: &Path) -> PathBuf {
        let is_file = self.words.contains("{out}.c");
        place.join(if is_file { "out.c.minirepro" } else { "out.minirepro" })
    }

    fn keeps_journal(&self) -> bool {
        self.words.contains("--journal")
    }
}

/// Which runs to attack, and how often.
#[derive(Debug, Args)]
pub(crate) struct Attack {
    /// The program
    minirepro: PathBuf,
    /// How often it is killed
    #[arg(long, default_value_t = 200)]
    kills: u32,
    /// Seed of the moments
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Kinds of runs, separated by commas: file, workers, rules, propose, isolate, directory,
    /// options; all if none is named
    #[arg(long, value_delimiter = ',')]
    kinds: Vec<String>,
}

/// Kills the program this many times.
///
/// # Errors
/// If a run ends otherwise than the undisturbed one.
pub(crate) fn run(attack: &Attack) -> Result<()> {
    let is_wanted =
        |kind: &&Kind| attack.kinds.is_empty() || attack.kinds.iter().any(|name| name == kind.name);
    let kinds: Vec<&Kind> = KINDS.iter().filter(is_wanted).collect();
    ensure!(!kinds.is_empty(), "no kind of runs is called so");
    let place = tempfile::tempdir()?;
    let minirepro = attack.minirepro.canonicalize().context("build minirepro first")?;
    let random = Random(attack.seed);
    let mut chaos = Chaos { minirepro, place: place.path().to_owned(), random };
    for directory in ["tmp", "project"] {
        fs::create_dir(place.path().join(directory))?;
    }
    for (name, text) in FILES {
        chaos.put(name, text, 0o644)?;
    }
    chaos.put("good.c", &INPUT.replace("crash", "works").replace("i < 10", "i < 9"), 0o644)?;
    chaos.put("proposer.sh", PROPOSER, 0o755)?;
    for (name, test) in TESTS {
        chaos.put(name, &format!("{KILL}{test}"), 0o755)?;
    }
    for kind in &kinds {
        // Kinds share names of results, so each has an undisturbed result of its own.
        let out = format!("undisturbed-{}", kind.name);
        let printed = File::create(place.path().join(format!("{out}.stdout")))?;
        let status = chaos.command(&kind.command("1", &out)).stdout(printed).status()?;
        ensure!(status.success(), "the undisturbed run ({}): {status}", kind.name);
    }
    let begun = Instant::now();
    let mut killed = 0;
    let mut runs = 0;
    while killed < attack.kills {
        let kind = kinds[runs % kinds.len()];
        killed += chaos.whole_run(kind).with_context(|| format!("a run of kind {}", kind.name))?;
        runs += 1;
    }
    chaos.nothing_stays()?;
    println!(
        "killed {killed} times in {runs} runs, seed {}: always the result of the undisturbed run \
         ({:.0} s)",
        attack.seed,
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
    /// Runs until it is complete, through many deaths; returns how many.
    fn whole_run(&mut self, kind: &Kind) -> Result<u32> {
        let jobs = (1 + self.random.below(3)).to_string();
        let begin = kind.command(&jobs, "out");
        let journal = kind.journal(&self.place);
        let log = journal.join("journal");
        self.remove_results(kind)?;
        remove(&journal)?;
        let mut killed = 0;
        let mut all_told = String::new();
        loop {
            // The same command once more goes on as well.
            let words = if log.exists() && self.random.below(2) == 0 {
                let journal = journal.to_string_lossy().into_owned();
                ["resume", "-q", "-j", &jobs, &journal].map(str::to_owned).to_vec()
            } else {
                begin.clone()
            };
            let (status, told) = self.disturbed(&words, &log)?;
            all_told += &format!("{words:?}: {status}\n{told}");
            if status.success() {
                break;
            }
            let nothing_yet = status.code() == Some(1) && told.contains("no run that was begun");
            ensure!(status.code().is_none() || nothing_yet, "{words:?}: {status}\n{told}");
            killed += u32::from(status.code().is_none());
            if !log.exists() && self.has_results(kind) {
                // It died when all was done, and its journal was going or gone.
                remove(&journal)?;
                break;
            }
            self.tear(&log)?;
            if nothing_yet {
                remove(&journal)?;
            }
        }
        let undisturbed = format!("undisturbed-{}", kind.name);
        for result in kind.results {
            let expected = fs::read(self.place.join(named(result, &undisturbed)))?;
            let found = fs::read(self.place.join(named(result, "out")))?;
            ensure!(
                expected == found,
                "{result} is not that of the undisturbed run:\n{}\nit is:\n{}\nthe runs until then:\n{all_told}",
                String::from_utf8_lossy(&expected),
                String::from_utf8_lossy(&found)
            );
        }
        ensure!(kind.keeps_journal() || !journal.exists(), "the journal stays");
        Ok(killed)
    }

    /// Removes the results of the run before, which would be taken for those of the next one.
    fn remove_results(&self, kind: &Kind) -> Result<()> {
        for result in kind.results {
            let named = named(result, "out");
            remove(&self.place.join(named.split('/').next().unwrap_or(&named)))?;
        }
        Ok(())
    }

    /// Returns whether all results are those of the undisturbed run.
    fn has_results(&self, kind: &Kind) -> bool {
        let undisturbed = format!("undisturbed-{}", kind.name);
        let read = |result, out| fs::read(self.place.join(named(result, out))).ok();
        kind.results.iter().all(|result| {
            let found = read(result, "out");
            found.is_some() && found == read(result, &undisturbed)
        })
    }

    /// Checks that no scratch directory is left. A test that was being started when its run died
    /// keeps its own for a moment, and what died while it made one is removed a minute later: so
    /// one more run tidies up.
    fn nothing_stays(&mut self) -> Result<()> {
        self.command(&["-q", "-o", "out.c", "test.sh", "a.c"]).status()?;
        let left = |entry: &fs::DirEntry| {
            let name = entry.file_name().to_string_lossy().into_owned();
            name.starts_with("minirepro-scratch-") || name.starts_with(".minirepro-")
        };
        for directory in [self.place.join("tmp"), self.place.clone()] {
            let left: Vec<_> = fs::read_dir(directory)?.flatten().filter(left).collect();
            ensure!(left.is_empty(), "files stay: {left:?}");
        }
        Ok(())
    }

    /// Starts a run that is killed by its test, from outside at a random moment or right after its
    /// journal says that it is complete, or not at all.
    fn disturbed(&mut self, words: &[String], journal: &Path) -> Result<(ExitStatus, String)> {
        let count = self.place.join("count");
        let _ = fs::remove_file(&count);
        let log = self.place.join("log");
        let mut command = self.command(words);
        command.env("COUNT", &count).stderr(File::create(&log)?);
        command.stdout(File::create(self.place.join("out.stdout"))?);
        match self.random.below(6) {
            0..3 => {
                command.env("KILLAT", (1 + self.random.below(25)).to_string());
                let status = command.spawn()?.wait()?;
                Ok((status, fs::read_to_string(log)?))
            }
            moment @ 3..5 => {
                let wait = Duration::from_micros(self.random.below(300_000) as u64);
                let mut child = command.spawn()?;
                if moment == 3 {
                    std::thread::sleep(wait);
                } else {
                    wait_for_completion(&mut child, journal)?;
                    std::thread::sleep(wait / 100);
                }
                // It may be over already.
                let _ = child.kill();
                let status = child.wait()?;
                Ok((status, fs::read_to_string(log)?))
            }
            _ => Ok((command.spawn()?.wait()?, fs::read_to_string(log)?)),
        }
    }

    /// Tears the journal as a power cut may: cuts its last bytes off, or puts others in their
    /// place.
    fn tear(&mut self, path: &Path) -> Result<()> {
        let Ok(mut text) = fs::read(path) else { return Ok(()) };
        let lost = self.random.below(400).min(text.len());
        let whole = text.len() - lost;
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
        command.env("MINIREPRO", &self.minirepro);
        command.stdin(Stdio::null()).stdout(Stdio::null());
        command
    }

    fn put(&self, name: &str, text: &str, mode: u32) -> Result<()> {
        let path = self.place.join(name);
        fs::write(&path, text)?;
        Ok(fs::set_permissions(path, fs::Permissions::from_mode(mode))?)
    }
}

fn remove(path: &Path) -> Result<()> {
    if path.is_dir() {
        fs::remove_dir_all(path)?;
    } else if path.exists() {
        fs::remove_file(path)?;
    }
    Ok(())
}

/// Waits until a journal says how its run ended, or the program has ended.
fn wait_for_completion(child: &mut Child, journal: &Path) -> Result<()> {
    loop {
        let text = fs::read(journal).unwrap_or_default();
        let last = text.rsplit(|&b| b == b'\n').find(|line| !line.is_empty());
        let json = last.and_then(|line| line.get(17..));
        if json.is_some_and(|json| json.starts_with(b"{\"end\"")) || child.try_wait()?.is_some() {
            return Ok(());
        }
        std::thread::sleep(Duration::from_micros(200));
    }
}
