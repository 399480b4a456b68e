//! Counts the tokens of a text that differs little from one that was counted before. The count is exact.

use minirepro_syntax::{Copied, Interruption};

use crate::plain::tokenizer::Lexing;

/// What is known about a text: at some places, how many tokens begin before.
pub(crate) struct Counted {
    /// In the order of the text, at least [`STRIDE`] bytes apart; the first is the start.
    marks: Vec<Mark>,
}

struct Mark {
    at: usize,
    tokens: u32,
    /// How far one has to look to know everything before this place.
    seen: usize,
}

/// About how many bytes must be read again at a junction of old and new text.
const STRIDE: usize = 256;

impl Counted {
    /// Counts the tokens of a text, or of its beginning if this is interrupted. Linear.
    pub(crate) fn new(lexing: Lexing, text: &[u8], interruption: &Interruption) -> Self {
        let mut marks = Vec::new();
        let mut at = 0;
        let mut tokens = 0;
        let mut seen = 0;
        let mut due = 0;
        while at < text.len() {
            if at >= due {
                if marks.len().is_multiple_of(Interruption::SPAN) && interruption.is_set() {
                    break;
                }
                marks.push(Mark { at, tokens, seen });
                due = at + STRIDE;
            }
            let item = lexing.item(&text[at..]);
            seen = seen.max(at + item.reach);
            at += item.length;
            tokens += u32::from(item.is_token);
        }
        Self { marks }
    }

    /// Returns how many tokens a text has of which these parts were copied from this one. Linear in
    /// what is new, plus about twice [`STRIDE`] bytes and a logarithm for every part.
    pub(crate) fn again(&self, lexing: Lexing, text: &[u8], copied: &[Copied]) -> u32 {
        let mut at = 0;
        let mut tokens = 0;
        let mut parts = copied.iter().peekable();
        while at < text.len() {
            while parts.next_if(|part| part.to + part.from.len() <= at).is_some() {}
            if let Some(part) = parts.peek().filter(|part| part.to <= at)
                && let Some((length, known)) = self.known(at - part.to + part.from.start, part)
            {
                at += length;
                tokens += known;
                continue;
            }
            let item = lexing.item(&text[at..]);
            at += item.length;
            tokens += u32::from(item.is_token);
        }
        tokens
    }

    /// If everything from this place of the old text on is as it was, returns for how many bytes at
    /// least, and how many tokens begin there.
    fn known(&self, at: usize, part: &Copied) -> Option<(usize, u32)> {
        let first = self.marks.binary_search_by_key(&at, |mark| mark.at).ok()?;
        let last = first + self.marks[first..].partition_point(|mark| mark.seen <= part.from.end);
        let from = &self.marks[first];
        let to = &self.marks[last.checked_sub(1)?];
        (to.at > from.at && to.at <= part.from.end)
            .then(|| (to.at - from.at, to.tokens - from.tokens))
    }
}

#[cfg(test)]
mod tests {
    use minirepro_syntax::{Copied, Interruption};
    use proptest::prelude::*;

    use super::Counted;
    use crate::plain::tokenizer::Lexing;

    /// Texts in which tokens have long ends and far beginnings.
    fn text() -> impl Strategy<Value = Vec<u8>> {
        let piece = prop::sample::select(vec![
            "/*",
            "*/",
            "//",
            "\n",
            "\"",
            "'",
            "u8'",
            "<!--",
            "-->",
            "<",
            ">",
            "=",
            "a",
            "0",
            "1e",
            "+",
            ".",
            " ",
            "\\",
            "\u{e9}",
            "word word word word word word word word word word word word word",
        ]);
        prop::collection::vec(piece, 0..400).prop_map(|pieces| pieces.concat().into_bytes())
    }

    proptest! {
        #[test]
        fn counting_again_is_counting(
            text in text(),
            new in text(),
            cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..8),
        ) {
            let mut cuts: Vec<usize> = cuts.iter().map(|i| i.index(text.len() + 1)).collect();
            cuts.sort_unstable();
            let mut candidate = Vec::new();
            let mut copied = Vec::new();
            for pair in cuts.chunks_exact(2) {
                let to = candidate.len();
                copied.push(Copied { from: pair[0]..pair[1], to });
                candidate.extend_from_slice(&text[pair[0]..pair[1]]);
                candidate.extend_from_slice(&new[..new.len().min(pair[0] % 7)]);
            }
            for lexing in [Lexing::Program, Lexing::Script, Lexing::Markup] {
                let counted = Counted::new(lexing, &text, &Interruption::default());
                prop_assert_eq!(counted.again(lexing, &candidate, &copied), lexing.count(&candidate));
            }
        }
    }
}
