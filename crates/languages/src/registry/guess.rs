//! Which language a file is in: by its name, or by its text: that of the grammar that reads it with
//! the fewest errors, if any reads it well and that means something.

use std::cmp::Reverse;

use crate::binary::guess::marked_records;
use crate::coded::{self, Codec};
use crate::plain::text::is_mostly_text;
use crate::plain::tokenizer::Lexing;
use crate::registry::card::{Card, cards, elsewhere, is_file_name};
use crate::tree_sitter::broken::{Fit, has_tokens_beyond};

/// The most bytes of a text that are read.
const ENOUGH: usize = 8 << 10;

/// Shorter texts say too little.
const SHORT: usize = 100;

/// A grammar reads a text well if at most 1/n of the bytes are broken.
const WELL: usize = 100;

/// It means something if of the same tokens in another order at least 1/n of the bytes are broken:
/// other grammars, such as that of Markdown, read anything.
const BADLY: usize = 8;

/// Fewer kinds of nodes say nothing: any text is a list of lines.
const FEW_KINDS: usize = 7;

/// What follows the beginning may be in another language (machine code behind its LLVM IR). So of
/// this much of a text at most one in [`BADLY`] bytes may be broken.
const FAR: usize = 1 << 20;

/// Of prose, too: a grammar that has something to say has a node for every other token.
const DENSE: usize = 2;

/// Returns the name of the language for a file: by its suffix, or by how a binary form begins, else
/// `text`, or `bytes` when it is mostly no text. Of several languages with this suffix, the text
/// tells which one it is; if it does not, it is the first.
pub fn guess(file_name: &str, text: &[u8]) -> String {
    let archive = |is_text: bool| {
        let mut archives = coded::ARCHIVES.iter();
        let is_it = |&&(name, _, codec): &&(&str, &str, &dyn Codec)| {
            (name == coded::BASE64) == is_text && codec.decode(text).is_some()
        };
        archives.find(is_it).map(|&(name, ..)| name.to_owned())
    };
    if let Some(name) = archive(false) {
        return name;
    }
    by_form(file_name, text).unwrap_or_else(|| {
        // Only once: a file can be compressed a thousand times, or contain itself.
        let held = |(prefix, form): &(&'static str, &coded::Compressed)| {
            form.of_file(file_name, text).map(|inner| (*prefix, inner))
        };
        let Some((prefix, inner)) = coded::FILES.iter().find_map(held) else {
            return archive(true).unwrap_or_else(|| without_form(file_name, text));
        };
        let name = file_name.rsplit_once('.').map_or(file_name, |(name, _)| name);
        let inner = by_form(name, &inner).unwrap_or_else(|| without_form(name, &inner));
        format!("{prefix}{inner}")
    })
}

/// Returns the language that the suffix or the beginning of a file tells.
fn by_form(file_name: &str, text: &[u8]) -> Option<String> {
    let whole = if is_file_name(file_name) { file_name } else { "" };
    let suffix = file_name.rsplit_once('.').map_or(whole, |(_, suffix)| suffix);
    // Only where nobody knows it as it is spelt (`.C` is C++, `.c` is C), case does not count.
    for suffix in [suffix.to_owned(), suffix.to_ascii_lowercase()] {
        let of_suffix = cards().iter().filter(|card| card.head.info.suffixes.contains(&suffix));
        let of_suffix =
            of_suffix.filter(|card| card.may_hold(text) && is_own(card, file_name, text));
        let of_suffix: Vec<&Card> = of_suffix.collect();
        if let Some(card) = better_of(&of_suffix, text) {
            return Some(card.entry.name.to_owned());
        }
    }
    let card = cards().iter().find(|card| card.is_marked(text))?;
    Some(card.entry.name.to_owned())
}

/// Returns whether a file is in the language that its suffix tells: where one without a grammar has
/// the suffix as well (`.v` of Verilog and Rocq), a grammar must read most of the beginning.
fn is_own(card: &Card, file_name: &str, text: &[u8]) -> bool {
    let text = beginning(text);
    elsewhere(file_name).is_none() || card.fit(text).broken * 8 <= text.len()
}

/// Returns the name of the language for a file that no reader but one of records knows: records by
/// their marks or the suffix, else `text` or `bytes`.
pub fn without_form(file_name: &str, text: &[u8]) -> String {
    let suffix = file_name.rsplit_once('.').map_or("", |(_, suffix)| suffix);
    marked_records(&suffix.to_ascii_lowercase(), text)
        .unwrap_or_else(|| if is_mostly_text(text) { "text" } else { "bytes" }.to_owned())
}

/// Returns the first grammar, or another one that alone reads all of the beginning of a text, or
/// reads it as well and finds words there that the first does not know, such as `class`: the first
/// may take them for names.
fn better_of<'c>(cards: &[&'c Card], text: &[u8]) -> Option<&'c Card> {
    let (&first, others) = cards.split_first()?;
    if others.is_empty() || text.is_empty() {
        return Some(first);
    }
    let text = beginning(text);
    let broken = first.fit(text).broken;
    let is_better = |card: &&Card| match card.fit(text).broken {
        0 if broken > 0 => true,
        of_it => {
            let [own, of_first] = [*card, first].map(|card| card.grammar.parser());
            of_it <= broken && has_tokens_beyond(own, of_first, text)
        }
    };
    Some(others.iter().copied().find(is_better).unwrap_or(first))
}

/// Returns whether the name of a file tells its language.
pub fn is_known(file_name: &str) -> bool {
    !["text", "bytes"].contains(&guess(file_name, b"").as_str())
}

/// Returns the name of the language whose grammar reads a text with the fewest errors, if any reads
/// it well: for files whose names do not tell. Linear in the beginning of the text, for each
/// grammar, and in the text for the likeliest.
pub fn guess_by_text(text: &[u8]) -> Option<&'static str> {
    let sample = beginning(text);
    if sample.len() < SHORT || !is_mostly_text(text) {
        return None;
    }
    let shuffled = backwards(sample);
    let tokens = Lexing::Program.tokens(sample).count();
    let mut likely = Vec::new();
    for card in cards().iter().filter(|card| !card.head.reads_anything) {
        let Fit { broken, nodes, kinds } = card.fit(sample);
        if broken * WELL <= sample.len() && kinds >= FEW_KINDS && nodes * DENSE >= tokens {
            let of_others = card.fit(&shuffled).broken;
            let says_something = of_others * BADLY >= shuffled.len();
            likely.extend(says_something.then_some((broken, Reverse(of_others), card)));
        }
    }
    likely.sort_by_key(|&(broken, of_others, _)| (broken, of_others));
    let far = &text[..text.len().min(FAR)];
    let reads_on =
        |card: &&Card| far.len() <= sample.len() || card.fit(far).broken * BADLY <= far.len();
    likely.into_iter().map(|(.., card)| card).find(reads_on).map(|card| card.entry.name)
}

/// Returns whole lines from the beginning of a text, if there are any.
pub(crate) fn beginning(text: &[u8]) -> &[u8] {
    let sample = &text[..text.len().min(ENOUGH)];
    match sample.iter().rposition(|&b| b == b'\n') {
        Some(end) if sample.len() < text.len() => &sample[..=end],
        _ => sample,
    }
}

/// Returns the tokens of a text in the opposite order.
fn backwards(text: &[u8]) -> Vec<u8> {
    let mut tokens: Vec<&[u8]> = Lexing::Program.tokens(text).map(|token| &text[token]).collect();
    tokens.reverse();
    tokens.join(&b' ')
}

#[cfg(test)]
mod tests {
    use super::{guess, guess_by_text, is_known};
    use crate::registry::absent;

    #[test]
    fn a_header_is_of_the_language_of_its_text() {
        for (text, language) in [
            ("struct a { int b; };\nint f(struct a *);\n", "c"),
            ("class a { public: int b; };\n", "cpp"),
            ("namespace n { struct a; }\n", "cpp"),
            ("template <class T> T f(T);\n", "cpp"),
            ("inline int a::f() { return b::c; }\n", "cpp"),
            ("/* class */ inline int new(int class) { return class ? 1 : new(0); }\n", "c"),
            ("", "c"),
        ] {
            for name in ["a.h", "a.H"] {
                assert_eq!(guess(name, text.as_bytes()), language, "{text}");
            }
        }
        assert_eq!(guess("a.c", b"namespace n { struct a; }"), "c");
        assert_eq!(guess("a.cppm", b""), "cpp");
    }

    #[test]
    fn of_a_suffix_of_two_languages_the_one_with_a_grammar_must_read_the_text() {
        let verilog = "module a(input b, output c);\n  assign c = ~b;\nendmodule\n".repeat(3);
        let proof = "Lemma a : forall b : nat, b = b.\nProof. reflexivity. Qed.\n".repeat(3);
        assert_eq!(guess("a.v", verilog.as_bytes()), "systemverilog");
        assert_eq!(guess("a.v", proof.as_bytes()), "text");
        assert_eq!(guess("a.v", b""), "systemverilog");
    }

    #[test]
    fn a_text_tells_its_language_where_the_name_does_not() {
        let rust =
            "fn main() -> u8 { let a: Vec<u8> = vec![1, 2]; match a.len() { 0 => 1, _ => 2 } }\n";
        let python = "def f(a):\n    for b in a:\n        yield [c for c in b if c is not None]\n";
        let prose = "The quick brown fox jumps over the lazy dog, as it does every day. It is not \
                     tired: it never was! (Or so they say.)\n";
        let log = "2024-01-01 12:00:03 [info] server started on port 8080; 3 workers\n";
        for (text, language) in [
            (rust, Some("rust")),
            (python, Some("python")),
            (prose, None),
            (log, None),
            ("a b", None),
        ] {
            assert_eq!(guess_by_text(text.repeat(4).as_bytes()), language, "{text}");
        }
        let absent = |name, text: &str| absent(name, text.as_bytes());
        assert_eq!(absent("a.GV", "").as_deref(), Some("dot"));
        for (name, text) in [("a.unknown", ""), ("a.rs", ""), ("dot", ""), ("a", "#!/bin/python3")]
        {
            assert_eq!(absent(name, text), None, "{name}");
        }
        assert_eq!(absent("a", "#!/usr/bin/elixir -e\n"), absent("a.ex", ""));
        assert_eq!(absent("a", "<?xml version='1.0'?>"), absent("a.xml", ""));
        let mut two = rust.repeat(100);
        two.push_str(&log.repeat(400));
        assert_eq!(guess_by_text(two.as_bytes()), None, "only the beginning is Rust");
        assert!(is_known("a.rs") && is_known("a.C") && !is_known("a.unknown") && !is_known("a"));
    }
}
