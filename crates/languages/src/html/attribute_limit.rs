//! Attributes that a browser's parser is not shown, because there are too many in one tag.
//!
//! html5ever compares each attribute of a tag with all those before it, so a tag with 10⁵
//! attributes would take 5·10⁹ comparisons. Attributes decide hardly anything about the tree: after
//! the first [`MOST`] of a tag they are left out.

use std::borrow::Cow;
use std::ops::Range;

/// Attributes of one tag that are read: more than people write, and few enough to compare each with
/// each.
const MOST: usize = 256;

/// Elements whose contents are text, whatever they look like.
const RAW: [&[u8]; 9] = [
    b"script",
    b"style",
    b"textarea",
    b"title",
    b"xmp",
    b"iframe",
    b"noembed",
    b"noframes",
    b"plaintext",
];

/// Returns the parts of a page that hold the attributes after the first [`MOST`] of each tag, in
/// order. Linear in the page.
pub(super) fn excess_attributes(page: &[u8]) -> Vec<Range<usize>> {
    let mut excess = Vec::new();
    let mut at = 0;
    while let Some(sign) = find(page, at, |b| b == b'<') {
        at = sign + 1;
        if page[at..].starts_with(b"!--") {
            at = find_text(page, at + 3, b"-->");
            continue;
        }
        let closes = page.get(at) == Some(&b'/');
        at += usize::from(closes);
        if page.get(at).is_some_and(u8::is_ascii_alphabetic) {
            let name = at..find(page, at, ends_name).unwrap_or(page.len());
            at = read_attributes(page, name.end, &mut excess);
            let name = &page[name];
            if !closes && RAW.iter().any(|raw| raw.eq_ignore_ascii_case(name)) {
                at = find_end_tag(page, at, name);
            }
        }
    }
    excess
}

/// Returns the page without those parts.
pub(super) fn without_excess_attributes(page: &[u8]) -> Cow<'_, [u8]> {
    let excess = excess_attributes(page);
    if excess.is_empty() {
        Cow::Borrowed(page)
    } else {
        Cow::Owned(left_of(page, 0..page.len(), &excess))
    }
}

/// Returns the bytes of a part of the page that lie outside of all `excess` ranges, which are in
/// order.
pub(super) fn left_of(page: &[u8], part: Range<usize>, excess: &[Range<usize>]) -> Vec<u8> {
    let mut left = Vec::with_capacity(part.len());
    let mut at = part.start;
    let first = excess.partition_point(|range| range.end <= part.start);
    for range in excess[first..].iter().take_while(|range| range.start < part.end) {
        left.extend_from_slice(&page[at..range.start.max(at)]);
        at = range.end.min(part.end);
    }
    left.extend_from_slice(&page[at..part.end]);
    left
}

/// Reads the attributes of a tag from after its name on and returns where the tag ends, before its
/// `>`.
fn read_attributes(page: &[u8], start: usize, excess: &mut Vec<Range<usize>>) -> usize {
    let mut at = start;
    let mut count = 0;
    let mut cut = None;
    loop {
        let is_between = |b: u8| b.is_ascii_whitespace() || b == b'/';
        at = find(page, at, |b| !is_between(b)).unwrap_or(page.len());
        if page.get(at).is_none_or(|&b| b == b'>') {
            break;
        }
        if count == MOST {
            cut = Some(at);
        }
        count += 1;
        // A sign of equality at the very beginning is a part of the name.
        at = find(page, at + 1, |b| ends_name(b) || b == b'=').unwrap_or(page.len());
        let sign = find(page, at, |b| !b.is_ascii_whitespace());
        if let Some(sign) = sign.filter(|&sign| page[sign] == b'=') {
            at = value_end(page, sign + 1);
        }
    }
    excess.extend(cut.map(|cut| cut..at));
    at
}

/// Returns where the value of an attribute ends that begins after `at` or blank space there.
fn value_end(page: &[u8], at: usize) -> usize {
    let Some(start) = find(page, at, |b| !b.is_ascii_whitespace()) else { return page.len() };
    let end = match page[start] {
        quote @ (b'"' | b'\'') => find(page, start + 1, |b| b == quote).map(|end| end + 1),
        _ => find(page, start, |b| b.is_ascii_whitespace() || b == b'>'),
    };
    end.unwrap_or(page.len())
}

fn ends_name(byte: u8) -> bool {
    byte.is_ascii_whitespace() || matches!(byte, b'/' | b'>')
}

fn find(page: &[u8], from: usize, is_wanted: impl Fn(u8) -> bool) -> Option<usize> {
    page[from..].iter().position(|&b| is_wanted(b)).map(|at| from + at)
}

/// Returns where the first such text from `from` on ends; the page's end if there is none.
fn find_text(page: &[u8], from: usize, text: &[u8]) -> usize {
    let rest = page.get(from..).unwrap_or_default();
    let at = rest.windows(text.len()).position(|window| window == text);
    at.map_or(page.len(), |at| from + at + text.len())
}

/// Returns where the end tag of this element begins; the page's end if there is none.
fn find_end_tag(page: &[u8], from: usize, name: &[u8]) -> usize {
    let is_end =
        |window: &[u8]| window.starts_with(b"</") && window[2..].eq_ignore_ascii_case(name);
    let at = page[from..].windows(name.len() + 2).position(is_end);
    at.map_or(page.len(), |at| from + at)
}

#[cfg(test)]
mod tests {
    use super::{MOST, excess_attributes, without_excess_attributes};

    #[test]
    fn attributes_behind_the_first_ones_of_a_tag_are_excess() {
        let many = "a ".repeat(MOST);
        let tag = |rest: &str| format!("<p>x</p><P {many}{rest}>y</p>");
        let end_tag = format!("</p {many}b>");
        assert_eq!(
            &*without_excess_attributes(end_tag.as_bytes()),
            format!("</p {many}>").as_bytes()
        );
        for (rest, left) in [
            ("", ""),
            ("/", "/"),
            ("b", ""),
            ("b='>' c = \">\" =d = e/f", ""),
            ("b c='never closed", ""),
        ] {
            let page = tag(rest);
            let expected = match rest.contains("never") {
                true => format!("<p>x</p><P {many}"),
                false => tag(left),
            };
            let read = without_excess_attributes(page.as_bytes());
            assert_eq!(String::from_utf8_lossy(&read), expected, "{rest}");
        }
    }

    #[test]
    fn what_only_looks_like_a_tag_stays() {
        let many = "a ".repeat(2 * MOST);
        for page in [
            format!("<script>if (a <b {many}) c</script>"),
            format!("<STYLE><b {many}></style>"),
            format!("<!-- <b {many}> -->"),
            format!("a < b {many}"),
            format!("<b>{many}</b>"),
            "<".to_owned(),
            "<!--".to_owned(),
            "<b".to_owned(),
        ] {
            assert!(excess_attributes(page.as_bytes()).is_empty(), "{page}");
        }
    }
}
