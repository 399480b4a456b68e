//! Files of an archive that can be there or not, each together with the lines of others that
//! include or import it. Knows paths and lines, no language.

use std::sync::Arc;

use minirepro_search::Configuration;
use regex::bytes::Regex;

use crate::archive::{Kind, entries, pack};
use crate::level::Circumstances;

/// How a line begins that brings another file in.
const BRINGS_IN: &str = r"(?x-u) ^\s*
    ( \#\s*(include|import) | import\b | from\b | export\b | @import | @use | @forward | use\b | mod\b
    | require | source\b | \.\s | load\b | <link\b | <script\b | <img\b | (const|let|var)\b.*\brequire )";

/// Which files of an archive are there.
pub struct Files {
    archive: Arc<[u8]>,
    /// By file: the lines of other files that bring it in (number of the file, start and end in its
    /// text).
    brought_in: Vec<Vec<(usize, usize, usize)>>,
    paths: Vec<Vec<u8>>,
    sizes: Vec<usize>,
}

impl Files {
    /// The files of an archive. Linear in the lines that bring something in times the files.
    pub fn new(archive: Arc<[u8]>) -> Self {
        let brings_in = Regex::new(BRINGS_IN).expect("the pattern above is one");
        let all = entries(&archive);
        let mut brought_in = vec![Vec::new(); all.len()];
        for (user, entry) in all.iter().enumerate().filter(|(_, e)| e.kind != Kind::Link) {
            let mut at = 0;
            for line in entry.text.split_inclusive(|&b| b == b'\n') {
                let span = (user, at, at + line.len());
                at = span.2;
                if !brings_in.is_match(line) {
                    continue;
                }
                for (used, other) in all.iter().enumerate() {
                    if used != user && mentions(line, other.path) {
                        brought_in[used].push(span);
                    }
                }
            }
        }
        let paths = all.iter().map(|entry| entry.path.to_vec()).collect();
        let sizes = all.iter().map(|entry| entry.text.len()).collect();
        Self { archive, brought_in, paths, sizes }
    }

    /// The paths of the files.
    pub fn paths(&self) -> &[Vec<u8>] {
        &self.paths
    }
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

impl Circumstances for Files {
    fn name(&self) -> &'static str {
        "files"
    }

    fn weights(&self) -> Vec<u32> {
        self.sizes.iter().map(|&size| u32::try_from(size).unwrap_or(u32::MAX).max(1)).collect()
    }

    fn candidate(&self, there: &Configuration) -> Option<Vec<u8>> {
        let all = entries(&self.archive);
        let gone = (0..all.len()).filter(|&file| !there.contains(file));
        let mut cuts: Vec<&(usize, usize, usize)> =
            gone.flat_map(|file| &self.brought_in[file]).collect();
        cuts.sort_unstable();
        cuts.dedup();
        let texts: Vec<(Kind, &[u8], Vec<u8>)> = there
            .iter()
            .map(|file| {
                let mut text = Vec::new();
                let mut at = 0;
                for &&(_, start, end) in cuts.iter().filter(|cut| cut.0 == file) {
                    text.extend_from_slice(&all[file].text[at..start]);
                    at = end;
                }
                text.extend_from_slice(&all[file].text[at..]);
                (all[file].kind, all[file].path, text)
            })
            .collect();
        pack(texts.iter().map(|(kind, path, text)| (*kind, *path, &text[..])))
    }

    fn finer(&self, _: &Configuration, _: &Configuration) -> Option<Arc<dyn Circumstances>> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_goes_with_the_lines_that_bring_it_in() {
        let files: [(&str, &str); 4] = [
            ("main.c", "#include \"lib.h\"\n#include <stdio.h>\nint lib;\n"),
            ("lib.h", "int f(void);\n"),
            ("lib.c", "# include \"lib.h\"\nint f(void) { return 1; }\n"),
            ("src/app.js", "import { x } from './util';\nrequire('other');\n"),
        ];
        let files = files.map(|(path, text)| (Kind::Plain, path.as_bytes(), text.as_bytes()));
        let choice = Files::new(pack(files).unwrap().into());
        let shown = |there: &[usize]| {
            let there = Configuration::of(4, there.iter().copied());
            let archive = choice.candidate(&there).unwrap();
            let all = entries(&archive);
            let texts = all.iter().map(|entry| String::from_utf8_lossy(entry.text).into_owned());
            texts.collect::<Vec<_>>()
        };
        assert_eq!(shown(&[0]), ["#include <stdio.h>\nint lib;\n"]);
        assert_eq!(
            shown(&[1, 2]).concat(),
            "int f(void);\n# include \"lib.h\"\nint f(void) { return 1; }\n"
        );
        assert!(mentions(b"import { x } from './util';", b"src/util.js"));
        assert!(!mentions(b"#include \"lib.h\"", b"lib.c"));
        assert!(!mentions(b"#include \"mylib.h\"", b"lib.h"));
    }
}
