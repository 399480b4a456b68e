//! Files that a text names: by includes, imports, links.

use minirepro_syntax::{Language, Role};
use regex::bytes::Regex;

use crate::archive::path_in;

/// How a line begins that brings another file in, where no grammar tells.
const BRINGS_IN: &str = r"(?x-u) ^\s*
    ( \#\s*(include|import) | import\b | from\b | export\b | @import | @use | @forward | use\b | mod\b
    | require | source\b | \.\s | load\b )";

/// Above this many bytes, a text is not parsed for the files that it names: what is that long was
/// preprocessed or generated, and parsing it takes a while.
const MOST_PARSED: usize = 4 << 20;

/// Longer lines are not includes.
const LONGEST_LINE: usize = 4096;

/// Returns the paths of the files that `text` names where its language may name one (includes,
/// imports, links), or in lines that look like an include where no grammar tells or the text is
/// very long. As written: relative to the file or not, existing or not, without duplicates. Linear
/// in the text.
pub fn named_files(language: &Language, text: &[u8]) -> Vec<Vec<u8>> {
    let mut named: Vec<Vec<u8>> = Vec::new();
    let mut add = |path: &[u8]| {
        if !path.is_empty() && !named.iter().any(|known| known == path) {
            named.push(path.to_owned());
        }
    };
    if language.roles.is_played(Role::File) && text.len() <= MOST_PARSED {
        let tree = language.parser.parse(text);
        for leaf in tree.ids().filter(|&id| tree.is_leaf(id)) {
            if language.roles.is(Role::File, tree.kind(leaf)) {
                let text = tree.text_of(leaf);
                add(&text[path_in(text)]);
            }
        }
        return named;
    }
    let brings_in = Regex::new(BRINGS_IN).expect("the pattern above is valid");
    let is_include = |line: &&[u8]| line.len() <= LONGEST_LINE && brings_in.is_match(line);
    for line in text.split(|&b| b == b'\n').filter(is_include) {
        for word in line.split(|b| b.is_ascii_whitespace() || b"()[]{};,=".contains(b)) {
            add(&word[path_in(word)]);
        }
    }
    named
}
