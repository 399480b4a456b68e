//! Makes small inputs from the files and the recipes of the corpus, each with a failure that it shows.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Context as _, Result, anyhow};
use minirepro_engine::Outcome;
use minirepro_syntax::Language;
use minirepro_testkit::{Oracle, Source, StandIn};
use regex::bytes::Regex;
use serde::Deserialize;

use crate::random::Random;

/// An input with its failure.
pub(super) struct Sample {
    /// The case of the corpus that it was made of.
    pub(super) name: String,
    pub(super) language: Arc<Language>,
    pub(super) text: Vec<u8>,
    pub(super) oracle: Oracle,
    /// The failure in words.
    pub(super) failure: String,
}

/// What we need of `case.toml`.
#[derive(Deserialize)]
struct Manifest {
    language: String,
    input: Source,
    oracle: Option<StandIn>,
}

struct Case {
    name: String,
    language: Arc<Language>,
    text: Vec<u8>,
    oracle: Option<StandIn>,
}

/// Makes one sample after the other.
pub(super) struct Samples {
    cases: Vec<Case>,
    random: Random,
}

/// Inputs up to this size are reduced by the failure of their own case, too.
const SMALL: usize = 4_000;

/// The most lines and bytes of a sample.
const LINES: usize = 30;
const BYTES: usize = 1_500;

/// Texts in which a failure can hide: in quotes, comments, attributes, long words, templates.
const NESTS: &[(&str, &str)] = &[
    ("c", "const char *hidden = \"alpha beta 1280 gamma\";\n"),
    ("c", "/* alpha beta 1280 gamma */\n"),
    ("c", "int long_name_with_1280_inside;\n"),
    ("c", "void loops(void) { { for (;;) ; } }\n"),
    ("html", "<p>\"alpha beta 1280 gamma\"</p>\n"),
    ("html", "<p title=\"alpha beta 1280 gamma\">\n"),
    ("html", "<!-- alpha beta 1280 gamma -->\n"),
    ("html", "<script>var t = `alpha ${beta} 1280 gamma`;</script>\n"),
    ("html", "<style>p.alpha1280gamma { content: 'alpha 1280 gamma' }</style>\n"),
    ("text", "alpha \"beta 1280 gamma\" alpha1280gamma\n"),
    ("bytes", "alpha beta 1280 gamma"),
];

impl Samples {
    /// Reads the cases of `corpus/`.
    ///
    /// # Errors
    /// If a case cannot be read.
    pub(super) fn of_corpus(random: Random) -> Result<Self> {
        let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus");
        let mut cases = Vec::new();
        for entry in std::fs::read_dir(&corpus)? {
            let directory = entry?.path();
            let manifest = directory.join("case.toml");
            if !manifest.is_file() {
                continue;
            }
            let manifest: Manifest = toml::from_str(&std::fs::read_to_string(&manifest)?)
                .with_context(|| manifest.display().to_string())?;
            let text = manifest.input.input(&directory).map_err(|message| anyhow!(message))?;
            let name = directory.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let language = Arc::new(minirepro_languages::by_name(&manifest.language)?);
            cases.push(Case { name, language, text, oracle: manifest.oracle });
        }
        cases.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(Self { cases, random })
    }

    /// Makes the next sample.
    pub(super) fn next_sample(&mut self) -> Sample {
        let case = &self.cases[self.random.below(self.cases.len())];
        let random = &mut self.random;
        if case.text.len() <= SMALL
            && random.below(4) == 0
            && let Some(stand_in) = &case.oracle
        {
            let oracle = stand_in.oracle();
            // A mutation may take the failure away; then the case is taken as it is.
            let mutated = mutated(case.text.clone(), &case.language.name, random);
            let still_fails = oracle(&mutated) == Outcome::Fail;
            let text = if still_fails { mutated } else { case.text.clone() };
            return Sample {
                name: case.name.clone(),
                language: Arc::clone(&case.language),
                text,
                oracle,
                failure: "the failure of the case".to_owned(),
            };
        }
        let text = mutated(excerpt(&case.text, random), &case.language.name, random);
        let (oracle, failure) = by_needle(&text, random);
        let name = case.name.clone();
        Sample { name, language: Arc::clone(&case.language), text, oracle, failure }
    }
}

/// Returns some neighbouring lines of a text, or bytes if its lines are long.
fn excerpt(text: &[u8], random: &mut Random) -> Vec<u8> {
    let lines: Vec<&[u8]> = text.split_inclusive(|&b| b == b'\n').collect();
    let start = random.below(lines.len().max(1));
    let count = 1 + random.below(LINES);
    let mut excerpt = lines.get(start..).unwrap_or_default()[..].concat();
    let end: usize = lines.iter().skip(start).take(count).map(|line| line.len()).sum();
    excerpt.truncate(end.min(BYTES));
    excerpt
}

/// Deletes, repeats, swaps and adds lines and bytes.
fn mutated(text: Vec<u8>, language: &str, random: &mut Random) -> Vec<u8> {
    let mut lines: Vec<Vec<u8>> =
        text.split_inclusive(|&b| b == b'\n').map(<[u8]>::to_vec).collect();
    let nests: Vec<&str> =
        NESTS.iter().filter(|(name, _)| *name == language).map(|(_, text)| *text).collect();
    for _ in 0..1 + random.below(4) {
        let at = random.below(lines.len() + 1);
        match random.below(5) {
            0 if at < lines.len() => _ = lines.remove(at),
            1 if at < lines.len() => lines.insert(at, lines[at].clone()),
            2 if at < lines.len() => {
                let other = random.below(lines.len());
                lines.swap(at, other);
            }
            3 if at < lines.len() && !lines[at].is_empty() => {
                let byte = random.below(lines[at].len());
                lines[at].remove(byte);
            }
            _ if !nests.is_empty() => {
                lines.insert(at, nests[random.below(nests.len())].as_bytes().to_vec());
            }
            _ => {}
        }
    }
    lines.concat()
}

/// Returns an oracle that looks for a part of the text, for a whole word, or for two parts in order.
fn by_needle(text: &[u8], random: &mut Random) -> (Oracle, String) {
    let part = |random: &mut Random| {
        let start = random.below(text.len().max(1));
        let length = 1 + random.below(8);
        let part = text.get(start..).unwrap_or_default();
        let part = &part[..part.len().min(length)];
        regex::escape(&part.iter().map(|&b| char::from(b)).collect::<String>())
    };
    let hidden = text.windows(4).any(|here| here == b"1280") && random.below(2) == 0;
    let first = if hidden { "1280".to_owned() } else { part(random) };
    let is_ascii = text.is_ascii();
    let pattern = match random.below(4) {
        0 if is_ascii && first.bytes().all(|b| b.is_ascii_alphanumeric()) => {
            format!(r"\b{first}\b")
        }
        1 if is_ascii => {
            let second = part(random);
            format!("{first}.*{second}|{second}.*{first}")
        }
        _ => first,
    };
    let regex = Regex::new(&format!("(?s-u){}", latin(&pattern))).expect("its parts are escaped");
    let failure = format!("matches `{}`", pattern.escape_debug());
    let fails = move |text: &[u8]| {
        if regex.is_match(text) { Outcome::Fail } else { Outcome::Pass }
    };
    (Box::new(fails), failure)
}

/// Writes bytes above ASCII as a pattern of bytes wants them.
fn latin(pattern: &str) -> String {
    let mut written = String::new();
    for character in pattern.chars() {
        if character.is_ascii() {
            written.push(character);
        } else {
            written += &format!(r"\x{:02x}", u32::from(character));
        }
    }
    written
}
