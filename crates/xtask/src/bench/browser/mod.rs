//! Browsers: finds differences of layout by itself and reduces them, and measures how long tests
//! take and what they leave behind.

mod generator;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use clap::Args;
use serde_json::Value;

/// What to run.
#[derive(Debug, Args)]
pub(crate) struct Browser {
    /// The seed of the first page
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// How many pages are made
    #[arg(long, default_value_t = 300)]
    pages: u64,
    /// The most differences that are reduced
    #[arg(long, default_value_t = 10)]
    reduce: usize,
    /// The number of pixels by which boxes must differ
    #[arg(long, default_value_t = 5)]
    by: u32,
    /// `chromium` or `firefox`
    #[arg(long, default_value = "chromium")]
    browser: String,
    /// The most seconds for one reduction; what is stopped then is marked
    #[arg(long, default_value_t = 300)]
    max_time: u64,
    /// Where the list goes, and the pages
    #[arg(long, default_value = "target/browser")]
    out: PathBuf,
    /// Instead, measure this many tests in a row, with one job and with four
    #[arg(long)]
    pace: Option<u64>,
    /// The directory of the programs
    #[arg(long, default_value = "target/release")]
    programs: PathBuf,
}

/// Runs it.
pub(crate) fn run(bench: &Browser) -> Result<()> {
    fs::create_dir_all(&bench.out).with_context(|| bench.out.display().to_string())?;
    match bench.pace {
        Some(tests) => {
            for jobs in [1, 4] {
                println!("{}", pace(bench, tests, jobs)?);
            }
            Ok(())
        }
        None => find(bench),
    }
}

/// Looks for differences and writes the list.
fn find(bench: &Browser) -> Result<()> {
    let pages: Vec<u64> = (bench.seed..bench.seed + bench.pages).collect();
    for &seed in &pages {
        let place = bench.out.join(format!("{seed}.html"));
        fs::write(&place, generator::page(seed)).with_context(|| place.display().to_string())?;
    }
    let names: Vec<String> = pages.iter().map(|seed| format!("{seed}.html")).collect();
    let script = format!(
        "rm -f found; printf '%s\\n' {} | xargs -P 2 -I @ sh -c \
         '\"$0\" test --relayout-differs --by {} @ 2> /dev/null && echo @ >> found; true' \"$1\"",
        names.join(" "),
        bench.by
    );
    session(bench, &script)?;
    let mut found: Vec<u64> = fs::read_to_string(bench.out.join("found"))
        .unwrap_or_default()
        .lines()
        .filter_map(|line| line.strip_suffix(".html")?.parse().ok())
        .collect();
    found.sort_unstable();
    eprintln!("{} of {} pages differ: {found:?}", found.len(), bench.pages);
    let mut list = format!(
        "{} of {} pages (seeds from {}) have boxes that a layout from scratch puts elsewhere, by more than {} \
         pixels, in {}.\n",
        found.len(),
        bench.pages,
        bench.seed,
        bench.by,
        bench.browser
    );
    let place = bench.out.join("found.md");
    fs::write(&place, &list).with_context(|| place.display().to_string())?;
    for &seed in found.iter().take(bench.reduce) {
        let entry = reduce(bench, seed)?;
        eprintln!("{entry}");
        list.push_str(&entry);
        // The next one takes minutes.
        fs::write(&place, &list).with_context(|| place.display().to_string())?;
    }
    Ok(())
}

/// Reduces a page; returns its entry of the list, with what a reader sees.
fn reduce(bench: &Browser, seed: u64) -> Result<String> {
    let (name, result, stats) =
        (format!("{seed}.html"), format!("{seed}.min.html"), format!("{seed}.json"));
    let program = bench.programs.join("minirepro-browser").canonicalize()?;
    let status = Command::new(&program)
        .current_dir(&bench.out)
        .args(["reduce", &name, "--relayout-differs", "--browser", &bench.browser])
        .args(["--by", &bench.by.to_string(), "--", "-q", "-j2", "--fresh", "--stats", &stats])
        .args(["--max-time", &bench.max_time.to_string(), "-o", &result])
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .with_context(|| program.display().to_string())?;
    let read = |name: &str| fs::read_to_string(bench.out.join(name));
    let stats: Value = serde_json::from_str(&read(&stats).unwrap_or_default()).unwrap_or_default();
    let seen = Command::new(&program)
        .current_dir(&bench.out)
        .args(["reduce", &result, "--record", "--browser", &bench.browser])
        .stdin(Stdio::null())
        .output()?;
    let seen = String::from_utf8_lossy(&seen.stdout).into_owned();
    let seen = seen.lines().find(|line| line.contains("layout from scratch"));
    let seen =
        seen.and_then(|line| line.split_once(". ")).map_or("not seen again", |(_, text)| text);
    let mark = if status.success() { "" } else { " (stopped)" };
    Ok(format!(
        "\n## Page {seed}: {} → {} tokens, {} tests{mark}\n\n{seen}\n\n```html\n{}\n```\n",
        stats["tokens"]["before"],
        stats["tokens"]["after"],
        stats["tests"],
        read(&result).unwrap_or_default().trim_end()
    ))
}

/// Measures this many tests of one page in a row: milliseconds for each, and what the browser holds
/// after each quarter.
fn pace(bench: &Browser, tests: u64, jobs: u64) -> Result<String> {
    fs::write(bench.out.join("page.html"), generator::page(bench.seed))?;
    let quarter = (tests / 4).max(1);
    // Memory and processes of everything below the session, its open files, its tabs, and the files
    // of the profile.
    let script = format!(
        "look() {{ ps -eo pid=,ppid=,rss= | awk -v root=$PPID '{{ p[$1] = $2; r[$1] = $3 }} END {{ \
         for (i in p) {{ j = i; while (j && j != root) j = p[j]; if (j == root) {{ s += r[i]; n++ }} }} \
         printf \"%d MB, %d processes, \", s / 1024, n }}' >> held; \
         echo \"$(ls /proc/$PPID/fd | wc -l) open files, $(ls \"$MINIREPRO_BROWSER_TABS\" | wc -l) tabs, \
         $(find \"$(dirname \"${{MINIREPRO_BROWSER_LOG:-/nowhere/x}}\")\" -type f 2> /dev/null | wc -l) files\" >> held; }}; \
         rm -f held; for n in 1 2 3 4; do seq {quarter} | xargs -P {jobs} -I @ \"$1\" test page.html --holds 1 --looks 1; \
         look; done"
    );
    let start = Instant::now();
    session(bench, &script)?;
    let each = start.elapsed().as_secs_f64() * 1000.0 / (quarter * 4) as f64;
    let held = fs::read_to_string(bench.out.join("held")).unwrap_or_default();
    let held: Vec<&str> = held.lines().collect();
    ensure!(held.len() == 4, "the tests did not run");
    Ok(format!(
        "{}, {jobs} jobs: {each:.0} ms for a test\n  after a quarter: {}\n  after all: {}",
        bench.browser, held[0], held[3]
    ))
}

/// Runs a shell script in a session with the browser; `$1` is the program of tests.
fn session(bench: &Browser, script: &str) -> Result<()> {
    let program = bench.programs.join("minirepro-browser");
    let program = program.canonicalize().with_context(|| program.display().to_string())?;
    let status = Command::new(&program)
        .current_dir(directory(&bench.out)?)
        .args(["session", "--browser", &bench.browser, "--", "sh", "-c", script, "sh"])
        .arg(&program)
        .stdin(Stdio::null())
        .status()
        .with_context(|| program.display().to_string())?;
    ensure!(status.success(), "the session ended with {status}");
    Ok(())
}

fn directory(path: &Path) -> Result<PathBuf> {
    path.canonicalize().with_context(|| path.display().to_string())
}
