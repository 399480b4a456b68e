//! Names in a text without a grammar: words that several lines have in common.
//!
//! The line that begins with a word and `:` or `=`, or else the first line with it, says what it
//! means, as declarations do, and the others mention it. So what is known of names helps here as
//! well: a line goes together with the lines that need it.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::Arc;

use minirepro_syntax::{FindNames, Kind, Mention, Namespace, NodeId, Tree};

/// Larger texts have too many words to remember all.
const LARGE: usize = 2 << 20;

/// What a word stands for that has more than half of the text below it is its line alone.
const MOST: u32 = 2;

/// Bytes before a number that make it a name: `%5`, `$1`, `!7`.
pub(super) const SIGILS: &[u8] = b"%$@!#^&";

/// Finds the words of lines.
pub(super) struct LineWords {
    /// A line, and what holds a line and all that stands below it.
    pub(super) line: Kind,
    pub(super) block: Kind,
    pub(super) namespace: Arc<Namespace>,
}

impl FindNames for LineWords {
    fn mentions(&self, tree: &Tree) -> Vec<Mention> {
        let mut mentions = Vec::new();
        if tree.text_of(NodeId::ROOT).len() > LARGE {
            return mentions;
        }
        let lines = || tree.ids().filter(|&id| tree.kind(id) == self.line);
        let begins = lines().filter_map(|line| Some((begin(tree.text_of(line))?, line)));
        let mut definitions: HashMap<&[u8], NodeId> = HashMap::new();
        for (word, line) in begins {
            definitions.entry(word).or_insert(line);
        }
        let mut counts: HashMap<&[u8], usize> = HashMap::new();
        for line in lines() {
            let text = tree.text_of(line);
            words(text).into_iter().for_each(|part| *counts.entry(&text[part]).or_default() += 1);
        }
        let mut seen = HashSet::new();
        for line in lines() {
            let unit = self.unit(tree, line);
            let text = tree.text_of(line);
            for part in words(text) {
                let word = &text[part.clone()];
                if counts[word] == 1 {
                    continue;
                }
                let of_word = *definitions.entry(word).or_insert(line);
                let is_definition = of_word == line && seen.insert(word);
                mentions.push(Mention {
                    namespace: Arc::clone(&self.namespace),
                    document: NodeId::ROOT,
                    leaf: unit,
                    part,
                    in_list: false,
                    is_definition,
                });
            }
        }
        mentions
    }
}

impl LineWords {
    /// Returns what goes with a line: at the head of a block all of it.
    fn unit(&self, tree: &Tree, line: NodeId) -> NodeId {
        let is_head = |&block: &NodeId| {
            tree.kind(block) == self.block
                && tree.children(block).next() == Some(line)
                && tree.tokens(block) * MOST <= tree.tokens(NodeId::ROOT)
        };
        tree.parent(line).filter(is_head).unwrap_or(line)
    }
}

/// Returns the word with which a line begins, if it says what that means.
fn begin(line: &[u8]) -> Option<&[u8]> {
    let part = words(line).into_iter().next()?;
    let behind = line[part.end..].trim_ascii_start().first();
    let is_first = !line[..part.start].iter().any(u8::is_ascii_alphanumeric);
    (is_first && behind.is_some_and(|byte| b":=".contains(byte))).then(|| &line[part])
}

/// Returns the words of a line that may be names.
fn words(line: &[u8]) -> Vec<Range<usize>> {
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | 0x80..);
    let mut found = Vec::new();
    let mut at = 0;
    while at < line.len() {
        if !is_word(line[at]) {
            at += 1;
            continue;
        }
        let length = line[at..].iter().take_while(|&&byte| is_word(byte)).count();
        let end = at + length;
        let dots = line[at..end].iter().rev().take_while(|&&byte| byte == b'.').count();
        let is_number = line[at].is_ascii_digit() || line[at] == b'.';
        let has_sigil = at > 0 && SIGILS.contains(&line[at - 1]);
        if !is_number {
            found.push(at..end - dots);
        } else if has_sigil {
            found.push(at - 1..end - dots);
        }
        at = end;
    }
    found
}

#[cfg(test)]
mod tests {
    use crate::by_name;

    #[test]
    fn words_stand_for_their_lines_and_blocks() {
        let language = by_name("text").unwrap();
        let text = b"define f:\n  b1 = 5\n  %7 = add b1, 5\nother b1, %7.\ndefine g:\n  ret\n";
        let tree = language.parser.parse(text);
        let mentions = language.names.mentions(&tree);
        let mentions: Vec<String> = mentions
            .iter()
            .filter(|mention| !mention.is_definition)
            .map(|mention| {
                let unit = tree.text_of(mention.leaf);
                let word = &unit[mention.part.clone()];
                format!("{} in {}", word.escape_ascii(), unit.escape_ascii())
            })
            .collect();
        assert_eq!(
            mentions,
            [
                r"b1 in   %7 = add b1, 5\n",
                r"b1 in other b1, %7.\n",
                r"%7 in other b1, %7.\n",
                r"define in define g:\n  ret\n",
            ]
        );
    }
}
