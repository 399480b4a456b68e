//! Files that can be there or not, each together with what brings it into others: includes, imports,
//! links. Knows paths and what a language's role `file` says; of other files, lines.

use std::sync::Arc;

use regex::bytes::Regex;

use crate::archive::{Entry, Kind};
use crate::changes::LanguageOf;
use crate::couplings::{Couplings, Item, Sheet, smallest_droppable};

/// How a line begins that brings another file in, where no grammar tells.
const BRINGS_IN: &str = r"(?x-u) ^\s*
    ( \#\s*(include|import) | import\b | from\b | export\b | @import | @use | @forward | use\b | mod\b
    | require | source\b | \.\s | load\b )";

/// The files of an archive. Linear in what can bring something in times the files.
pub fn files(archive: Arc<[u8]>, language: &LanguageOf) -> Couplings {
    Couplings::new(archive, "files", language, find)
}

fn find(all: &[Entry<'_>], sheets: &[Option<Sheet>]) -> Vec<Item> {
    let one = |file: usize| Item { files: [file].into(), ..Item::default() };
    let mut items: Vec<Item> = (0..all.len()).map(one).collect();
    let brings_in = Regex::new(BRINGS_IN).expect("the pattern above is one");
    for (user, entry) in all.iter().enumerate().filter(|(_, e)| e.kind != Kind::Link) {
        let others = || (0..all.len()).filter(move |&other| other != user);
        if let Some(sheet) = &sheets[user] {
            let (tree, roles) = (&sheet.tree, &sheet.language.roles);
            for leaf in tree.ids().filter(|&id| tree.is_leaf(id)) {
                if !roles.is("file", tree.kind(leaf)) {
                    continue;
                }
                for used in others().filter(|&other| names(tree.text_of(leaf), all[other].path)) {
                    let part = smallest_droppable(sheet, leaf);
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

/// Whether a text is the path of the file, as seen from anywhere, or that without its suffix as
/// modules are imported. What follows `?` or `#` belongs to no path.
fn names(text: &[u8], path: &[u8]) -> bool {
    let is_sign =
        |b: &u8| matches!(b, b'"' | b'\'' | b'<' | b'>' | b'`') || b.is_ascii_whitespace();
    let start = text.iter().position(|b| !is_sign(b)).unwrap_or(text.len());
    let text = &text[start..];
    let end = text.iter().position(|b| is_sign(b) || matches!(b, b'?' | b'#'));
    let text = &text[..end.unwrap_or(text.len())];
    let text = text.rsplit(|&b| b == b'/').next().unwrap_or(text);
    let name = path.rsplit(|&b| b == b'/').next().unwrap_or(path);
    let stem = name.iter().rposition(|&b| b == b'.').map_or(name, |dot| &name[..dot]);
    !text.is_empty() && (text == name || text == stem)
}

/// Whether a line names the file: by its name, or without suffix as modules are.
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
