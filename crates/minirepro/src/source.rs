//! Rust source of results.

/// Returns a literal for bytes: a raw string if they are text that is easier to read so.
pub(crate) fn byte_string(bytes: &[u8]) -> String {
    match readable(bytes) {
        Some(text) if text.is_ascii() => format!("b{}", raw(text)),
        _ => format!("b\"{}\"", bytes.escape_ascii()),
    }
}

/// Returns a literal for a text.
#[cfg_attr(not(feature = "serde"), expect(dead_code, reason = "only JSON becomes a text"))]
pub(crate) fn string(text: &str) -> String {
    match readable(text.as_bytes()) {
        Some(text) => raw(text),
        None => format!("{text:?}"),
    }
}

/// Returns the text if it needs escapes for quotation marks, backslashes and line ends only.
fn readable(bytes: &[u8]) -> Option<&str> {
    let needs_escapes = bytes.iter().any(|byte| matches!(byte, b'"' | b'\\' | b'\n'));
    let is_plain = |c: char| c == '\n' || !c.is_control() && !is_invisible(c);
    let text = std::str::from_utf8(bytes).ok().filter(|_| needs_escapes)?;
    (text.chars().all(is_plain) && !text.trim().is_empty()).then_some(text)
}

/// Returns whether a literal may not show what it holds: marks of direction, blanks of no width.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

fn raw(text: &str) -> String {
    let is_closed_by = |hashes: &String| text.contains(&format!("\"{hashes}"));
    let marks = (0..).map(|count| "#".repeat(count)).find(|hashes| !is_closed_by(hashes));
    let marks = marks.expect("a text is finite");
    format!("r{marks}\"{text}\"{marks}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_are_raw_where_that_is_easier_to_read() {
        for (bytes, literal) in [
            (&b"abc"[..], r##"b"abc""##),
            (b"a\"b", r##"br#"a"b"#"##),
            (b"a\"#b", r###"br##"a"#b"##"###),
            (b"a\nb", "br\"a\nb\""),
            (b"\n\n", r##"b"\n\n""##),
            (b"a\"\0", r##"b"a\"\x00""##),
            (b"\xff\xfe", r##"b"\xff\xfe""##),
            ("\u{e4}\"".as_bytes(), r##"b"\xc3\xa4\"""##),
        ] {
            assert_eq!(byte_string(bytes), literal);
        }
        assert_eq!(string("{\"\u{e4}\": 1}"), "r#\"{\"\u{e4}\": 1}\"#");
        assert_eq!(string("\u{202e}\""), "\"\\u{202e}\\\"\"");
    }
}
