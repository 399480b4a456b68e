//! The language of a text whose name says nothing: the grammar that reads it with the fewest
//! errors, if any reads it well and that means something.

use std::cmp::Reverse;

use crate::plain::tokenizer::Lexing;
use crate::tree_sitter::broken::Fit;

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

/// Returns the grammar that a text is probably written for. `fit` says what a grammar finds in a
/// text. Linear in the beginning of the text, for each grammar, and in the text for the likeliest.
pub(crate) fn probable<G: Copy>(
    text: &[u8],
    grammars: impl Iterator<Item = G>,
    fit: impl Fn(G, &[u8]) -> Fit,
) -> Option<G> {
    let sample = beginning(text);
    if sample.len() < SHORT {
        return None;
    }
    let shuffled = backwards(sample);
    let tokens = Lexing::Program.tokens(sample).count();
    let reads_well = |(_, fit): &(G, Fit)| {
        let is_structure = fit.kinds >= FEW_KINDS && fit.nodes * DENSE >= tokens;
        fit.broken * WELL <= sample.len() && is_structure
    };
    let mut likely: Vec<_> = grammars
        .map(|grammar| (grammar, fit(grammar, sample)))
        .filter(reads_well)
        .map(|(grammar, of_text)| (of_text.broken, fit(grammar, &shuffled).broken, grammar))
        .filter(|(_, of_others, _)| of_others * BADLY >= shuffled.len())
        .collect();
    likely.sort_by_key(|&(broken, of_others, _)| (broken, Reverse(of_others)));
    let far = &text[..text.len().min(FAR)];
    let reads_on =
        |grammar: &G| far.len() <= sample.len() || fit(*grammar, far).broken * BADLY <= far.len();
    likely.into_iter().map(|(.., grammar)| grammar).find(reads_on)
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
