//! Texts with parts in Base64: attachments of mails, pages with all that they load, data in
//! addresses. Each part that can be read is a file of its own, and its name stands in its place.

use std::collections::HashMap;
use std::sync::LazyLock;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use minirepro_syntax::archive::{Entry, Kind, entries, stem_of};
use regex::bytes::{Captures, Regex};

use crate::coded::Codec;
use crate::coded::archive::packed;
use crate::guess;

/// The path of the text around the parts.
const AROUND: &[u8] = b"text";

/// Digits in lines, which may be indented.
const RUN: &str = r"(?-u)[A-Za-z0-9+/]{24,}((\r?\n[ \t]*)[A-Za-z0-9+/]+)*={0,2}";

static RUNS: LazyLock<Regex> = LazyLock::new(|| Regex::new(RUN).expect("it is tested"));
static NAMES: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"base64_\d+").expect("it is tested"));

/// The form of such texts.
pub(crate) struct Base64;

impl Codec for Base64 {
    fn decode(&self, file: &[u8]) -> Option<Vec<u8>> {
        let mut files = vec![(Kind::Plain, AROUND.to_vec(), Vec::new())];
        let mut at = 0;
        for run in RUNS.captures_iter(file) {
            let coded = &run[0];
            let is_blank = u8::is_ascii_whitespace;
            let digits: Vec<u8> = coded.iter().copied().filter(|byte| !is_blank(byte)).collect();
            let Ok(part) = STANDARD.decode(digits) else { continue };
            let width = coded.iter().position(is_blank).unwrap_or(coded.len());
            let between = run.get(2).map_or(&b""[..], |between| between.as_bytes());
            if guess("", &part) != "bytes" && lines(&part, width, between) == coded {
                let name = format!("base64_{}", files.len());
                let path = format!("{name}.{width}").into_bytes();
                files.push((Kind::Plain, [&path, between].concat(), part));
                let run = run.get_match().range();
                files[0].2.extend([&file[at..run.start], name.as_bytes()].concat());
                at = run.end;
            }
        }
        files[0].2.extend(&file[at..]);
        let text = packed(&files).filter(|_| files.len() > 1)?;
        (self.encode(&text).as_deref() == Some(file)).then_some(text)
    }

    fn encode(&self, text: &[u8]) -> Option<Vec<u8>> {
        let files = entries(text).into_iter();
        let files: HashMap<_, Entry<'_>> = files.map(|file| (stem_of(file.path), file)).collect();
        let coded = |name: &Captures<'_>| {
            let Entry { path, text, .. } = files.get(&name[0])?;
            let form = path.get(name[0].len() + 1..)?;
            let digits = form.iter().take_while(|byte| byte.is_ascii_digit()).count();
            let width = std::str::from_utf8(&form[..digits]).ok()?.parse().ok()?;
            (width > 0).then(|| lines(text, width, &form[digits..]))
        };
        let coded = |name: &Captures<'_>| coded(name).unwrap_or_default();
        Some(NAMES.replace_all(files.get(AROUND)?.text, coded).into_owned())
    }
}

/// Returns the coded lines of a part.
fn lines(part: &[u8], width: usize, between: &[u8]) -> Vec<u8> {
    STANDARD.encode(part).as_bytes().chunks(width).collect::<Vec<_>>().join(between)
}

#[cfg(test)]
mod tests {
    use minirepro_syntax::archive::pack;

    use super::*;

    /// Returns the files of a text, with what stands between their lines.
    fn files(text: &str) -> Vec<String> {
        let Some(read) = Base64.decode(text.as_bytes()) else { return Vec::new() };
        assert_eq!(Base64.encode(&read).as_deref(), Some(text.as_bytes()));
        let shown = |file: &Entry<'_>| {
            format!("{}: {}", file.path.escape_ascii(), file.text.escape_ascii())
        };
        entries(&read).iter().map(shown).collect()
    }

    #[test]
    fn parts_that_can_be_read_are_files() {
        let part = STANDARD.encode("int main(void) { return 0; }\n");
        let (first, last) = part.split_at(28);
        let file = "base64_1.28";
        let c = "int main(void) { return 0; }\\n";
        for (before, between, after) in [
            ("A: b\n\n", "\n", "\n--x\n"),
            ("A: b\r\n\r\n", "\r\n", "\r\n"),
            ("a: >\n  ", "\n  ", ""),
        ] {
            let text = [before, first, between, last, after].concat();
            let around = format!("text: {}base64_1{}", before.escape_debug(), after.escape_debug());
            let path = format!("{file}{}: {c}", between.escape_debug());
            assert_eq!(files(&text), [around, path]);
        }
        assert_eq!(files(&format!("x={part};"))[0], "text: x=base64_1;");
        let random = STANDARD.encode([0xfe, 0x81, 0x93, 0xe7, 0x9f].repeat(9));
        for other in ["", "abc", "internationalizationOfNothing", &random, "base64_1"] {
            assert_eq!(files(other), [""; 0], "{other}");
        }
        assert_eq!(files(&format!("{random}\n\n{part}")).len(), 2);
        assert_eq!(guess("a.eml", part.as_bytes()), "base64");
    }

    #[test]
    fn a_part_can_go_and_its_text_cannot() {
        let part = STANDARD.encode("int main(void) { return 0; }\n");
        let read = Base64.decode(part.as_bytes()).unwrap();
        let files = entries(&read);
        let with = |from: usize, to: usize| {
            Base64.encode(&read[files[from].span.start..files[to].span.end])
        };
        assert_eq!(with(0, 0).as_deref(), Some(&b""[..]));
        assert_eq!(with(1, 1), None);
        // A candidate without a form is read as one with an empty part.
        for form in ["", ".", ".0", ".x"] {
            let files = [
                (Kind::Plain, AROUND, &b"base64_1"[..]),
                (Kind::Plain, &[&b"base64_1"[..], form.as_bytes()].concat(), b"a"),
            ];
            assert_eq!(Base64.encode(&pack(files).unwrap()).as_deref(), Some(&b""[..]), "{form}");
        }
    }
}
