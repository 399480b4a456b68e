//! Looks for single edits of certified results that reproduce: by its own lists of edits and its
//! own measure, which know nothing of passes.

use std::collections::{BTreeMap, HashSet};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use anyhow::Context;
use minirepro_engine::{Certificate, Outcome, is_askable, offers};
use minirepro_passes::{of as passes_of, own};
use minirepro_syntax::{Language, NodeId, Tree};
use minirepro_testkit::{plan, reduce, remember_answers, remember_parses};

use crate::random::Random;

/// Which results are checked.
#[derive(Debug, clap::Args)]
pub struct CheckCertificates {
    /// Results of each language.
    #[arg(long, default_value_t = 8)]
    results: usize,
    /// Seed of the choice of what must stay.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// All languages of this build if none is named.
    languages: Vec<String>,
}

/// What must stay for the failure to show: words in a structure, in a text without errors.
struct Failure {
    kind: String,
    words: Vec<Vec<u8>>,
}

impl Failure {
    /// Chooses one or two words of a structure.
    fn of(tree: &Tree, random: &mut Random) -> Option<Self> {
        let is_word = |&id: &NodeId| {
            let text = tree.text_of(id);
            tree.is_leaf(id) && text.len() > 1 && text.iter().all(u8::is_ascii_alphanumeric)
        };
        let words: Vec<_> = tree.ids().filter(is_word).collect();
        let word = *words.get(random.below(words.len().max(1)))?;
        let mut structure = tree.parent(word)?;
        for _ in 0..random.below(4) {
            let above = tree.parent(structure).filter(|&above| above != NodeId::ROOT);
            structure = above.unwrap_or(structure);
        }
        let mut words: Vec<_> =
            words.into_iter().filter(|&other| is_in(tree, other, structure)).collect();
        while words.len() > 1 + random.below(2) {
            let drop = random.below(words.len());
            if words[drop] != word {
                words.remove(drop);
            }
        }
        let words = words.into_iter().map(|id| tree.text_of(id).to_vec()).collect();
        Some(Self { kind: tree.kind_name(structure).to_owned(), words })
    }

    /// Returns whether a text shows the failure, and has no more errors than the input.
    fn shows(&self, language: &Language, errors: u32, text: &[u8]) -> bool {
        let tree = language.parser.parse(text);
        tree.errors() <= errors
            && tree.ids().any(|id| {
                tree.kind_name(id) == self.kind && {
                    let mut words = self.words.iter().peekable();
                    for leaf in tree.ids().filter(|&leaf| tree.is_leaf(leaf)) {
                        if words.peek().is_some_and(|word| *word == tree.text_of(leaf))
                            && is_in(&tree, leaf, id)
                        {
                            words.next();
                        }
                    }
                    words.peek().is_none()
                }
            })
    }
}

fn is_in(tree: &Tree, part: NodeId, whole: NodeId) -> bool {
    let (part, whole) = (tree.span(part), tree.span(whole));
    whole.start <= part.start && part.end <= whole.end
}

/// Prints, for each language, how many edits reproduce, by their kind and by the reason that they
/// were not made.
///
/// # Errors
/// If one reproduces that the certificate says was refused.
pub fn run(check: &CheckCertificates) -> anyhow::Result<()> {
    let grammars = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../grammars");
    let mut random = Random(check.seed);
    let mut contradictions = 0;
    for info in minirepro_languages::all() {
        let is_wanted = check.languages.is_empty() || check.languages.contains(&info.name);
        let cases = grammars.join(&info.name).join("cases");
        let (true, Some(suffix)) = (is_wanted && cases.exists(), info.suffixes.first()) else {
            continue;
        };
        let path = cases.join(format!("constructs.{suffix}"));
        let input = std::fs::read(&path).with_context(|| path.display().to_string())?;
        let language = Arc::new(remember_parses(minirepro_languages::by_name(&info.name)?));
        let tree = language.parser.parse(&input);
        let mut found: BTreeMap<(Fault, &'static str), usize> = BTreeMap::new();
        let mut results = 0;
        for _ in 0..check.results {
            let Some(failure) = Failure::of(&tree, &mut random) else { continue };
            let oracle = remember_answers(|text: &[u8]| {
                let shows = failure.shows(&language, tree.errors(), text);
                if shows { Outcome::Fail } else { Outcome::Pass }
            });
            if oracle(&input) != Outcome::Fail {
                continue;
            }
            let told = reduce(plan(Arc::clone(&language), &input), &oracle);
            let Some(certificate) = &told.summary.certificate else { continue };
            results += 1;
            let result = Certified { language: &language, certificate, text: &told.result };
            for (fault, kind, text) in result.faults(&oracle) {
                *found.entry((fault, kind)).or_default() += 1;
                if fault == Fault::Contradiction {
                    contradictions += 1;
                    let [from, to] = [&told.result, &text].map(|text| text.escape_ascii());
                    println!("  {}: {kind}: {from} → {to}", info.name);
                }
            }
        }
        println!("{}: {results} results; {found:?}", info.name);
    }
    anyhow::ensure!(contradictions == 0, "{contradictions} edits contradict a certificate");
    Ok(())
}

/// Why an edit that reproduces was not made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Fault {
    /// The certificate says that the test has refused it.
    Contradiction,
    /// The grammar rules it out, although a pass of the certificate offers it, or it brings back an
    /// error that the result no longer has.
    RuledOut,
    /// It is in our lists of edits only.
    Missed,
}

/// A result with its certificate.
struct Certified<'a> {
    language: &'a Language,
    certificate: &'a Certificate,
    text: &'a [u8],
}

impl Certified<'_> {
    /// Returns the edits that reproduce and make the text smaller, with their kinds or the passes
    /// that offer them.
    fn faults(&self, oracle: &dyn Fn(&[u8]) -> Outcome) -> Vec<(Fault, &'static str, Vec<u8>)> {
        let Language { parser, reader, .. } = self.language;
        let tree = parser.parse(self.text);
        let mut faults = Vec::new();
        for (kind, text) in self.edits() {
            if self.is_better(&text, oracle) {
                let is_ruled_out =
                    reader.is_strict() && parser.parse(&text).errors() > tree.errors();
                let fault = if is_ruled_out { Fault::RuledOut } else { Fault::Missed };
                faults.push((fault, kind, text));
            }
        }
        let names: HashSet<_> = self.certificate.edit_kinds.iter().map(|kind| kind.name).collect();
        let passes = passes_of(self.language).into_iter().chain(own());
        for pass in passes.filter(|pass| names.contains(pass.name)) {
            for offer in offers(self.language, &pass, &tree) {
                if offer.swept && self.is_better(&offer.rendered.text, oracle) {
                    let is_asked = is_askable(self.language, &pass, &tree, &offer.rendered);
                    let fault = if is_asked { Fault::Contradiction } else { Fault::RuledOut };
                    faults.push((fault, pass.name, offer.rendered.text.to_vec()));
                }
            }
        }
        faults
    }

    fn is_better(&self, text: &[u8], oracle: &dyn Fn(&[u8]) -> Outcome) -> bool {
        self.size(text) < self.size(self.text) && oracle(text) == Outcome::Fail
    }

    /// Returns the number of leaves and of bytes, both without blanks.
    fn size(&self, text: &[u8]) -> (usize, usize) {
        let tree = self.language.parser.parse(text);
        let is_blank = |text: &[u8]| text.iter().all(u8::is_ascii_whitespace);
        let leaves = tree.ids().filter(|&id| tree.is_leaf(id) && !is_blank(tree.text_of(id)));
        (leaves.count(), text.iter().filter(|byte| !byte.is_ascii_whitespace()).count())
    }

    /// Returns single edits with what they give, each text once.
    fn edits(&self) -> Vec<(&'static str, Vec<u8>)> {
        let text = self.text;
        let tree = self.language.parser.parse(text);
        let mut edits = Vec::new();
        let mut seen = HashSet::from([text.to_vec()]);
        let mut add = |kind, edited: Vec<u8>| {
            if seen.insert(edited.clone()) {
                edits.push((kind, edited));
            }
        };
        let parts: Vec<_> = tree.ids().filter(|&id| !tree.text_of(id).is_empty()).collect();
        for &part in &parts {
            let kind = if tree.is_leaf(part) { "a token" } else { "a part" };
            add(kind, put(text, tree.span(part), b""));
        }
        for &whole in &parts {
            for &part in parts.iter().filter(|&&part| is_in(&tree, part, whole)) {
                add(
                    "a part instead of a larger one",
                    put(text, tree.span(whole), tree.text_of(part)),
                );
            }
        }
        for (open, close) in brackets(&tree) {
            let inside = &text[open.end..close.start];
            add("brackets", put(text, open.start..close.end, inside));
            add("brackets and content", put(text, open.start..close.end, b""));
            add("content of brackets", put(text, open.end..close.start, b""));
        }
        let mut start = 0;
        for line in text.split_inclusive(|&byte| byte == b'\n') {
            add("a line", put(text, start..start + line.len(), b""));
            start += line.len();
        }
        for at in (0..text.len()).filter(|&at| text[at].is_ascii()) {
            add("a character", put(text, at..at + 1, b""));
        }
        edits
    }
}

/// Returns the pairs of brackets that are leaves, by their text alone.
fn brackets(tree: &Tree) -> Vec<(Range<usize>, Range<usize>)> {
    let mut open = Vec::new();
    let mut pairs = Vec::new();
    for leaf in tree.ids().filter(|&id| tree.is_leaf(id)) {
        let closes = match tree.text_of(leaf) {
            b"(" => Some(&b")"[..]),
            b"[" => Some(&b"]"[..]),
            b"{" => Some(&b"}"[..]),
            _ => None,
        };
        if let Some(closes) = closes {
            open.push((leaf, closes));
        } else if let Some(&(opening, closes)) = open.last()
            && closes == tree.text_of(leaf)
        {
            open.pop();
            pairs.push((tree.span(opening), tree.span(leaf)));
        }
    }
    pairs
}

fn put(text: &[u8], span: Range<usize>, instead: &[u8]) -> Vec<u8> {
    [&text[..span.start], instead, &text[span.end..]].concat()
}
