//! Takes a page apart that was saved in one file (MHTML, RFC 2557): its parts become files that
//! name each other.

use std::collections::BTreeSet;
use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;

/// The file that holds the page.
pub(crate) const INDEX: &str = "index.html";

/// A part as it was saved.
struct Part {
    /// Where it was, or how others name it: `cid:…`.
    names: Vec<String>,
    kind: String,
    body: Vec<u8>,
}

/// Returns names and contents of files; the page itself is `index.html`.
///
/// # Errors
/// If the text is not of this form.
pub(crate) fn unpack(text: &[u8]) -> Result<Vec<(PathBuf, Vec<u8>)>> {
    let parts = parts(text)?;
    let mut taken = BTreeSet::from([INDEX.to_owned()]);
    let mut files: Vec<String> = Vec::new();
    for (nth, part) in parts.iter().enumerate() {
        let name = if nth == 0 { INDEX.to_owned() } else { free(&file_name(part), &mut taken) };
        files.push(name);
    }
    let mut addresses: Vec<(String, &str)> = Vec::new();
    for (part, file) in parts.iter().zip(&files) {
        for name in &part.names {
            addresses.push((name.clone(), file));
            // As it stands in an attribute.
            addresses.extend(name.contains('&').then(|| (name.replace('&', "&amp;"), &file[..])));
        }
    }
    // An address may be the beginning of another.
    addresses.sort_by(|(a, _), (b, _)| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
    let all = parts.into_iter().zip(&files).map(|(part, file)| {
        let names_others = part.kind.starts_with("text/") || part.kind.contains("svg");
        let body = if names_others { renamed(&part.body, &addresses) } else { part.body };
        (file.into(), body)
    });
    Ok(all.collect())
}

fn parts(text: &[u8]) -> Result<Vec<Part>> {
    let (headers, body) = head(text);
    let kind = value(&headers, "content-type").unwrap_or_default();
    let at = kind.find("boundary=").context("not an MHTML file: it has no parts")?;
    let boundary = kind[at + "boundary=".len()..].split(';').next().unwrap_or_default();
    let line = format!("--{}", boundary.trim().trim_matches('"'));
    let mut parts = Vec::new();
    for text in split(body, line.as_bytes()).into_iter().skip(1) {
        if text.starts_with(b"--") {
            break;
        }
        let text = text.strip_prefix(b"\r").unwrap_or(text);
        parts.push(part(text.strip_prefix(b"\n").unwrap_or(text))?);
    }
    if parts.is_empty() {
        bail!("an MHTML file without parts");
    }
    Ok(parts)
}

fn part(text: &[u8]) -> Result<Part> {
    let (headers, body) = head(text);
    let body = body.strip_suffix(b"\n").unwrap_or(body);
    let body = body.strip_suffix(b"\r").unwrap_or(body);
    let encoding = value(&headers, "content-transfer-encoding").unwrap_or_default();
    let body = match &encoding.to_ascii_lowercase()[..] {
        "base64" => {
            let dense: Vec<u8> =
                body.iter().copied().filter(|byte| !byte.is_ascii_whitespace()).collect();
            BASE64_STANDARD.decode(dense).context("a part that is not base64")?
        }
        "quoted-printable" => unquoted(body),
        _ => body.to_owned(),
    };
    let id = value(&headers, "content-id");
    let id = id.map(|id| format!("cid:{}", id.trim_matches(['<', '>'])));
    let location = value(&headers, "content-location");
    let kind = value(&headers, "content-type").unwrap_or_default().to_ascii_lowercase();
    Ok(Part { names: location.into_iter().chain(id).collect(), kind, body })
}

/// Separates headers from what follows the first empty line. A header goes on in lines that begin
/// with a blank.
fn head(text: &[u8]) -> (Vec<(String, String)>, &[u8]) {
    let mut headers: Vec<(String, String)> = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let end = rest.iter().position(|&byte| byte == b'\n').map_or(rest.len(), |at| at + 1);
        let line = String::from_utf8_lossy(&rest[..end]).into_owned();
        rest = &rest[end..];
        if line.trim().is_empty() {
            break;
        }
        if let (true, Some((_, value))) = (line.starts_with([' ', '\t']), headers.last_mut()) {
            value.push_str(line.trim());
        } else if let Some((name, value)) = line.split_once(':') {
            headers.push((name.trim().to_ascii_lowercase(), value.trim().to_owned()));
        }
    }
    (headers, rest)
}

fn value(headers: &[(String, String)], name: &str) -> Option<String> {
    headers.iter().find(|(own, _)| own == name).map(|(_, value)| value.clone())
}

/// Splits a text at lines that begin with a boundary.
fn split<'a>(text: &'a [u8], boundary: &[u8]) -> Vec<&'a [u8]> {
    let mut all = Vec::new();
    let (mut start, mut at) = (0, 0);
    while at < text.len() {
        if text[at..].starts_with(boundary) {
            all.push(&text[start..at]);
            start = at + boundary.len();
        }
        at = text[at..].iter().position(|&byte| byte == b'\n').map_or(text.len(), |n| at + n + 1);
    }
    all.push(&text[start..]);
    all
}

/// Decodes quoted-printable (RFC 2045).
fn unquoted(text: &[u8]) -> Vec<u8> {
    let mut all = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        if byte != b'=' {
            all.push(byte);
        } else if let Some(next) = after.strip_prefix(b"\r\n").or(after.strip_prefix(b"\n")) {
            rest = next;
        } else {
            let digits = after.get(..2).and_then(|two| std::str::from_utf8(two).ok());
            match digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
                Some(value) => {
                    all.push(value);
                    rest = &after[2..];
                }
                None => all.push(byte),
            }
        }
    }
    all
}

/// Returns a name like the one that a part had, with the suffix of its kind.
fn file_name(part: &Part) -> String {
    let address = part.names.first().map_or("", |name| name.split(['?', '#']).next().unwrap_or(""));
    let last = address.rsplit(['/', ':']).next().unwrap_or_default();
    let clean = |sign: char| {
        if sign.is_ascii_alphanumeric() || matches!(sign, '.' | '-' | '_') { sign } else { '_' }
    };
    let name: String = last.chars().map(clean).collect();
    let name = name.trim_start_matches('.');
    let kinds = [("text/css", "css"), ("text/html", "html"), ("javascript", "js"), ("svg", "svg")];
    let suffix = kinds.iter().find(|(kind, _)| part.kind.contains(kind)).map(|(_, suffix)| *suffix);
    match suffix {
        Some(suffix) if !name.ends_with(&format!(".{suffix}")) => format!("{name}.{suffix}"),
        _ if name.is_empty() => "part".to_owned(),
        _ => name.to_owned(),
    }
}

/// Returns a name that no other file has.
fn free(name: &str, taken: &mut BTreeSet<String>) -> String {
    let mut free = name.to_owned();
    for nth in 2.. {
        if taken.insert(free.clone()) {
            break;
        }
        free = format!("{nth}-{name}");
    }
    free
}

/// Replaces addresses by file names.
fn renamed(text: &[u8], addresses: &[(String, &str)]) -> Vec<u8> {
    let ends = |rest: &[u8]| rest.first().is_none_or(|byte| b"\"'()<> \t\r\n#,\\".contains(byte));
    let mut all = Vec::with_capacity(text.len());
    let mut at = 0;
    while at < text.len() {
        let rest = &text[at..];
        let found = addresses.iter().find(|(address, _)| {
            rest.starts_with(address.as_bytes()) && ends(&rest[address.len()..])
        });
        match found {
            Some((address, file)) => {
                all.extend_from_slice(file.as_bytes());
                at += address.len();
            }
            None => {
                all.push(text[at]);
                at += 1;
            }
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::unpack;

    const SAVED: &str = "From: <Saved by Blink>\r\nContent-Type: multipart/related;\r\n\ttype=\"text/html\";\r\n\tboundary=\"--B--\"\r\n\r\n\r\n\
----B--\r\nContent-Type: text/html\r\nContent-Transfer-Encoding: quoted-printable\r\nContent-Location: https://a.test/\r\n\r\n\
<link href=3D\"cid:1@x\"><img src=3D\"https://a.test/i?a&amp;b\"><a href=3D\"https://a.test/i?a&amp;b&amp;c=\r\n\">=C3=A4\r\n\
----B--\r\nContent-Type: text/css\r\nContent-ID: <1@x>\r\n\r\np { background: url(\"https://a.test/i?a&b\") }\r\n\
----B--\r\nContent-Type: image/png\r\nContent-Transfer-Encoding: base64\r\nContent-Location: https://a.test/i?a&b\r\n\r\nAAEC\r\nAw==\r\n\
----B----\r\n";

    #[test]
    fn parts_become_files_that_name_each_other() {
        let files = unpack(SAVED.as_bytes()).unwrap();
        let shown: Vec<(String, String)> = files
            .iter()
            .map(|(name, bytes)| (name.display().to_string(), bytes.escape_ascii().to_string()))
            .collect();
        let expected = [
            (
                "index.html",
                r#"<link href=\"1_x.css\"><img src=\"i\"><a href=\"https://a.test/i?a&amp;b&amp;c\">\xc3\xa4"#,
            ),
            ("1_x.css", r#"p { background: url(\"i\") }"#),
            ("i", r"\x00\x01\x02\x03"),
        ];
        let expected = expected.map(|(name, text)| (name.to_owned(), text.to_owned()));
        assert_eq!(shown, expected);
        assert!(unpack(b"<p>").is_err());
    }
}
