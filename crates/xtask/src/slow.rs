//! Looks for texts that take long to read: parts of a grammar's own constructs, repeated and
//! nested.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::Context;
use minirepro_syntax::{Language, NodeId, Tree};

use crate::random::Random;

/// How many texts of each language, how long, and from which time on they are shown.
#[derive(Debug, clap::Args)]
pub struct Slow {
    /// Texts for each language.
    #[arg(long, default_value_t = 100)]
    texts: usize,
    /// The length of each text.
    #[arg(long, default_value_t = 100_000)]
    bytes: usize,
    /// Texts that take longer are shown, and end with an error.
    #[arg(long, default_value_t = 5.0)]
    seconds: f64,
    /// Seed of the choice.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// All languages of this build if none is named.
    languages: Vec<String>,
}

/// Prints the slowest text of each language, and all that take too long.
pub fn run(slow: &Slow) -> anyhow::Result<()> {
    let grammars = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../grammars");
    let mut random = Random(slow.seed);
    let mut found = 0;
    for info in minirepro_languages::all() {
        let is_wanted = slow.languages.is_empty() || slow.languages.contains(&info.name);
        let cases = grammars.join(&info.name).join("cases");
        let (true, Some(suffix)) = (is_wanted && cases.exists(), info.suffixes.first()) else {
            continue;
        };
        let language = minirepro_languages::by_name(&info.name)?;
        let path = cases.join(format!("constructs.{suffix}"));
        let constructs = std::fs::read(&path).with_context(|| path.display().to_string())?;
        let tree = language.parser.parse(&constructs);
        let mut slowest = (Duration::ZERO, String::new());
        for _ in 0..slow.texts {
            let (text, shown) = repeated(&tree, slow.bytes, &mut random);
            let (time, after_stop) = time(&language, &text, Duration::from_secs_f64(slow.seconds));
            if time.as_secs_f64() > slow.seconds {
                found += 1;
                println!(
                    "{}: {time:.1?}, {after_stop:.1?} after it was told to stop: {shown}",
                    info.name
                );
            }
            slowest = slowest.max((time, shown));
        }
        println!("{}: at most {:.2?}: {}", info.name, slowest.0, slowest.1);
    }
    anyhow::ensure!(found == 0, "{found} texts take longer than {} s", slow.seconds);
    Ok(())
}

/// Reads a text; returns for how long, and how long after it should have stopped. It is told so at
/// `limit`.
fn time(language: &Language, text: &[u8], limit: Duration) -> (Duration, Duration) {
    let start = Instant::now();
    let guard = language.interruption.watch(move || start.elapsed() > limit);
    language.parser.parse(text);
    drop(guard);
    (start.elapsed(), start.elapsed().saturating_sub(limit))
}

/// Returns a text of about this many bytes: a beginning, and then something again and again,
/// perhaps closed as often.
fn repeated(tree: &Tree, bytes: usize, random: &mut Random) -> (Vec<u8>, String) {
    let mut some = |most: usize| {
        let separator = [&b""[..], b" ", b"\n"][random.below(3)];
        let parts = (0..random.below(most + 1)).map(|_| part(tree, random));
        parts.collect::<Vec<_>>().join(separator)
    };
    let [before, mut unit, after] = [some(2), some(4), some(2)];
    let is_nested = random.below(3) == 0;
    if random.below(2) == 0 {
        unit.push(b' ');
    }
    if unit.is_empty() {
        unit = part(tree, random);
    }
    let times = bytes / (unit.len() + if is_nested { after.len() } else { 0 }).max(1);
    let mut text = before.clone();
    text.extend(unit.repeat(times));
    text.extend(after.repeat(if is_nested { times } else { 1 }));
    text.truncate(bytes);
    let show = |part: &[u8]| part.escape_ascii().to_string();
    let shown = format!(
        "{:?} + {:?} × {times} + {:?}{}",
        show(&before),
        show(&unit),
        show(&after),
        if is_nested { format!(" × {times}") } else { String::new() }
    );
    (text, shown)
}

/// Returns a short part of the constructs: mostly one token.
fn part(tree: &Tree, random: &mut Random) -> Vec<u8> {
    loop {
        let id = NodeId(u32::try_from(random.below(tree.len())).unwrap_or(0));
        let text = tree.text_of(id);
        if !text.is_empty() && text.len() < 40 && (tree.is_leaf(id) || random.below(3) == 0) {
            return text.to_vec();
        }
    }
}
