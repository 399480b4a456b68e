//! Rust source of results.

/// Returns a literal for bytes: a raw string if they are text that is easier to read so.
pub(crate) fn byte_string(bytes: &[u8]) -> String {
    raw(bytes).map_or_else(|| format!("b\"{}\"", bytes.escape_ascii()), |raw| format!("b{raw}"))
}

/// Returns a literal for a text.
#[cfg_attr(not(feature = "serde"), expect(dead_code, reason = "only JSON becomes a text"))]
pub(crate) fn string(text: &str) -> String {
    raw(text.as_bytes()).unwrap_or_else(|| format!("{text:?}"))
}

/// Returns a raw string for text that needs escapes for quotation marks, backslashes and line ends
/// only.
fn raw(bytes: &[u8]) -> Option<String> {
    let needs_escapes = bytes.iter().any(|byte| b"\"\\\n".contains(byte));
    let is_plain = bytes.iter().all(|byte| matches!(byte, b'\n' | b' '..=b'~'));
    let text = str::from_utf8(bytes).ok().filter(|_| needs_escapes && is_plain)?;
    let is_closed_by = |hashes: &String| text.contains(&format!("\"{hashes}"));
    let marks = (0..).map(|count| "#".repeat(count)).find(|hashes| !is_closed_by(hashes))?;
    Some(format!("r{marks}\"{text}\"{marks}"))
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
            (b"a\"\0", r##"b"a\"\x00""##),
            (b"\xff\xfe", r##"b"\xff\xfe""##),
            ("\u{e4}\"".as_bytes(), r##"b"\xc3\xa4\"""##),
        ] {
            assert_eq!(byte_string(bytes), literal);
        }
        assert_eq!(string("{\"a\": 1}"), "r#\"{\"a\": 1}\"#");
        assert_eq!(string("\u{202e}\""), "\"\\u{202e}\\\"\"");
    }
}
