//! Files that can be removed, each together with whatever brings it into others: includes, imports,
//! links.

use std::sync::Arc;

use minirepro_syntax::{Language, Role};
use regex::bytes::Regex;

use crate::archive::{Entry, Kind};
use crate::files::coupled::{CoupledParts, Item, ParsedFile, smallest_droppable};
use crate::language_of::LanguageOf;

/// How a line begins that brings another file in, where no grammar tells.
const BRINGS_IN: &str = r"(?x-u) ^\s*
    ( \#\s*(include|import) | import\b | from\b | export\b | @import | @use | @forward | use\b | mod\b
    | require | source\b | \.\s | load\b )";

/// Returns the files of an archive. Linear in what can bring something in times the files.
pub fn files(archive: Arc<[u8]>, language: &LanguageOf) -> CoupledParts {
    CoupledParts::new(archive, "files", language, find)
}

fn find(all: &[Entry<'_>], parsed: &[Option<ParsedFile>]) -> Vec<Item> {
    let one = |file: usize| Item { files: [file].into(), ..Item::default() };
    let mut items: Vec<Item> = (0..all.len()).map(one).collect();
    let brings_in = Regex::new(BRINGS_IN).expect("the pattern above is one");
    for (user, entry) in all.iter().enumerate().filter(|(_, e)| e.kind != Kind::Link) {
        let others = || (0..all.len()).filter(move |&other| other != user);
        if let Some(file) = &parsed[user] {
            let tree = &file.tree;
            let roles = &file.language.roles;
            for leaf in tree.ids().filter(|&id| tree.is_leaf(id)) {
                if !roles.is(Role::File, tree.kind(leaf)) {
                    continue;
                }
                for used in others().filter(|&other| names(tree.text_of(leaf), all[other].path)) {
                    let part = smallest_droppable(file, leaf);
                    items[used].nodes.extend(part.map(|part| (user, part)));
                }
            }
            continue;
        }
        let mut at = 0;
        for line in entry.text.split_inclusive(|&b| b == b'\n') {
            let (start, end) = (at, at + line.len());
            at = end;
            if brings_in.is_match(line) {
                for used in others().filter(|&other| mentions(line, all[other].path)) {
                    items[used].lines.insert((user, start, end));
                }
            }
        }
    }
    items
}

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
                add(path_in(tree.text_of(leaf)));
            }
        }
        return named;
    }
    let brings_in = Regex::new(BRINGS_IN).expect("the pattern above is valid");
    let is_include = |line: &&[u8]| line.len() <= LONGEST_LINE && brings_in.is_match(line);
    for line in text.split(|&b| b == b'\n').filter(is_include) {
        for word in line.split(|b| b.is_ascii_whitespace() || b"()[]{};,=".contains(b)) {
            add(path_in(word));
        }
    }
    named
}

/// Returns the path in a text: without quotes and brackets, and without `?` or `#` and what
/// follows.
fn path_in(text: &[u8]) -> &[u8] {
    let is_sign =
        |b: &u8| matches!(b, b'"' | b'\'' | b'<' | b'>' | b'`') || b.is_ascii_whitespace();
    let start = text.iter().position(|b| !is_sign(b)).unwrap_or(text.len());
    let text = &text[start..];
    let end = text.iter().position(|b| is_sign(b) || matches!(b, b'?' | b'#'));
    &text[..end.unwrap_or(text.len())]
}

/// Returns whether a text is the path of the file, as seen from anywhere, or that without its
/// suffix, the way modules are imported.
fn names(text: &[u8], path: &[u8]) -> bool {
    let text = path_in(text);
    let text = text.rsplit(|&b| b == b'/').next().unwrap_or(text);
    let name = path.rsplit(|&b| b == b'/').next().unwrap_or(path);
    let stem = name.iter().rposition(|&b| b == b'.').map_or(name, |dot| &name[..dot]);
    !text.is_empty() && (text == name || text == stem)
}

/// Returns whether a line names the file: by its name, or without suffix as modules are.
fn mentions(line: &[u8], path: &[u8]) -> bool {
    let name = path.rsplit(|&b| b == b'/').next().unwrap_or(path);
    let stem = match name.iter().rposition(|&b| b == b'.') {
        Some(dot) if dot > 0 => &name[..dot],
        _ => name,
    };
    let is_word = |b: Option<&u8>| b.is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'_');
    line.windows(stem.len()).enumerate().any(|(at, here)| {
        let behind = line.get(at + stem.len());
        // Another suffix means another file: a.h is not a.c.
        let suffix = &name[stem.len()..];
        let rest = &line[at + stem.len()..];
        let fits = rest.starts_with(suffix) || behind != Some(&b'.') || suffix.is_empty();
        let begins = at == 0 || !is_word(line.get(at - 1));
        here == stem && begins && !is_word(behind) && fits
    })
}

#[cfg(test)]
mod tests {
    use super::{mentions, names};

    #[test]
    fn a_file_is_named_by_its_path_or_its_stem() {
        assert!(names(b"\"../lib.h\"", b"src/lib.h") && names(b"<lib.h>", b"lib.h"));
        assert!(names(b"'./util'", b"src/util.js") && names(b"a.css?v=2", b"a.css"));
        assert!(!names(b"\"mylib.h\"", b"lib.h") && !names(b"\"\"", b"lib.h"));
        assert!(mentions(b"import { x } from './util';", b"src/util.js"));
        assert!(!mentions(b"#include \"lib.h\"", b"lib.c"));
        assert!(!mentions(b"#include \"mylib.h\"", b"lib.h"));
    }
}
