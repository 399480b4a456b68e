//! Takes a page apart that was saved in one file (MHTML, RFC 2557): its parts become files that
//! name each other.

use std::collections::BTreeSet;
use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use mailparse::{MailHeaderMap, ParsedMail};

/// The file that holds the page.
pub(crate) const INDEX: &str = "index.html";

/// A part as it was saved.
struct BodyPart {
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

fn parts(text: &[u8]) -> Result<Vec<BodyPart>> {
    let all = mailparse::parse_mail(text).context("not an MHTML file")?;
    if all.subparts.is_empty() {
        bail!("not an MHTML file: it has no parts");
    }
    all.subparts.iter().map(part).collect()
}

fn part(part: &ParsedMail<'_>) -> Result<BodyPart> {
    let value = |name| part.headers.get_first_value(name);
    let id = value("Content-ID").map(|id| format!("cid:{}", id.trim_matches(['<', '>'])));
    Ok(BodyPart {
        names: value("Content-Location").into_iter().chain(id).collect(),
        kind: part.ctype.mimetype.clone(),
        body: part.get_body_raw()?,
    })
}

/// Returns a name like the one that a part had, with the suffix of its kind.
fn file_name(part: &BodyPart) -> String {
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
