//! Names in a text without a grammar: words that several lines have in common.
//!
//! The line that begins with a word and `:` or `=`, or else the first line with it, says what it
//! means, as declarations do, and the others mention it. So what is known of names helps here as
//! well: a line goes together with the lines that need it.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::Arc;

use minirepro_syntax::{Kind, Mention, Namespace, NodeId, Tree};

use crate::plain::chunks::parts_of;

/// Larger texts have too many words to remember all.
const LARGE: usize = 2 << 20;

/// What a word stands for that has more than half of the text below it is its line alone.
const MOST: u32 = 2;

/// Bytes before a number that make it a name: `%5`, `$1`, `!7`.
pub(super) const SIGILS: &[u8] = b"%$@!#^&";

/// Returns the words of lines in a tree in which these are the kinds of a line, and of what holds a
/// line and all that stands below it.
pub(super) fn mentions(tree: &Tree, line: Kind, block: Kind) -> Vec<Mention> {
    let mut mentions = Vec::new();
    if tree.text().len() > LARGE {
        return mentions;
    }
    let namespace = Arc::new(Namespace { name: "word".to_owned(), short: Vec::new() });
    let lines = || tree.ids().filter(|&id| tree.kind(id) == line);
    // Of several lines, the first counts.
    let begins = lines().rev().filter_map(|line| Some((begin(tree.text_of(line))?, line)));
    let mut definitions: HashMap<&[u8], NodeId> = begins.collect();
    let mut counts: HashMap<&[u8], usize> = HashMap::new();
    for line in lines().map(|line| tree.text_of(line)) {
        words(line).into_iter().for_each(|part| *counts.entry(&line[part]).or_default() += 1);
    }
    let mut seen = HashSet::new();
    for line in lines() {
        let unit = unit(tree, line, block);
        let text = tree.text_of(line);
        for part in words(text) {
            let word = &text[part.clone()];
            if counts[word] == 1 {
                continue;
            }
            let of_word = *definitions.entry(word).or_insert(line);
            let is_definition = of_word == line && seen.insert(word);
            mentions.push(Mention {
                namespace: Arc::clone(&namespace),
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

/// Returns what goes with a line: at the head of a block all of it.
fn unit(tree: &Tree, line: NodeId, block: Kind) -> NodeId {
    let is_head = |&outer: &NodeId| {
        tree.kind(outer) == block
            && tree.children(outer).next() == Some(line)
            && tree.tokens(outer) * MOST <= tree.tokens(NodeId::ROOT)
    };
    tree.parent(line).filter(is_head).unwrap_or(line)
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
    let words = parts_of(line, is_word).filter_map(|Range { start, end }| {
        let dots = line[start..end].iter().rev().take_while(|&&byte| byte == b'.').count();
        let mut letters = line[start..end].iter().filter(|&&byte| byte != b'.');
        // What begins with a dot is a name, or a command at the beginning of a line.
        let is_command = line[start] == b'.'
            && line[..start].trim_ascii().is_empty()
            && !matches!(line.get(end), Some(b':' | b'='));
        let is_number = is_command || letters.next().is_none_or(u8::is_ascii_digit);
        let sigil = line[..start].last().filter(|sign| is_number && SIGILS.contains(sign));
        (!is_number || sigil.is_some()).then(|| start - usize::from(sigil.is_some())..end - dots)
    });
    words.collect()
}

#[cfg(test)]
mod tests {
    use crate::by_name;

    #[test]
    fn words_stand_for_their_lines_and_blocks() {
        let language = by_name("text").unwrap();
        let text = b"define f:\n  b1 = 5\n  %7 = add b1, 5\nother b1, %7.\ndefine g:\n  .ret .L\n";
        let tree = language.parser.parse(text);
        let mentions = language.reader.mentions(&tree);
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
                r"define in define g:\n  .ret .L\n",
            ]
        );
    }
}
