//! `[nesting]`: how deep a page is nested, found before anything parses it: with many levels open,
//! the time that parsers take grows with the square of the length.

use std::collections::BTreeMap;

use memchr::memmem;
use serde::Deserialize;

/// What opens and closes levels, and how many there may be.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Nesting {
    most: usize,
    /// Names of elements that hold nothing. Where there are none, a tag that ends with `/>` closes
    /// what it opens.
    void: Vec<String>,
    /// Names of elements that hold text without tags.
    raw: Vec<String>,
    /// For the name of an element, the open elements next to which it cannot stand: its start tag
    /// closes them.
    closes: BTreeMap<String, Vec<String>>,
}

impl Nesting {
    /// Returns whether more than the allowed number of levels are open somewhere. Linear in the
    /// text, times that number where end tags have no start.
    pub(crate) fn is_too_deep(&self, text: &[u8]) -> bool {
        self.open_at_end(text).is_none()
    }

    /// Returns the end tags that the end of the text stands for; `None` if there are none, or the
    /// text is nested too deeply.
    pub(crate) fn implied_end_tags(&self, text: &[u8]) -> Option<Vec<u8>> {
        let open = self.open_at_end(text)?;
        let tags: Vec<u8> =
            open.iter().rev().flat_map(|name| [b"</", *name, b">"].concat()).collect();
        (!tags.is_empty()).then_some(tags)
    }

    /// Returns whether a tag of this name, of which `rest` is all after its first sign, opens a
    /// level that it does not close.
    fn opens(&self, name: &[u8], rest: &[u8]) -> bool {
        let closes_itself = self.void.is_empty() && rest[..end_of_tag(rest)].ends_with(b"/");
        rest.first().is_some_and(u8::is_ascii_alphabetic)
            && !is_in(&self.void, name)
            && !closes_itself
    }

    /// Returns the names of the elements that the text leaves open, the outermost first; `None` if
    /// too many are open somewhere.
    fn open_at_end<'a>(&self, text: &'a [u8]) -> Option<Vec<&'a [u8]>> {
        let mut open: Vec<&[u8]> = Vec::new();
        let mut rest = text;
        while let Some(at) = rest.iter().position(|&b| b == b'<') {
            rest = &rest[at + 1..];
            if let Some(comment) = rest.strip_prefix(b"!--") {
                rest = behind(comment, b"-->");
            } else if let Some(end) = rest.strip_prefix(b"/") {
                let name = name(end);
                let level = open.iter().rposition(|open| open.eq_ignore_ascii_case(name));
                open.truncate(level.unwrap_or(open.len()));
            } else {
                let name = name(rest);
                if rest.first().is_some_and(u8::is_ascii_alphabetic) && is_in(&self.raw, name) {
                    rest = behind(rest, b"</");
                    open.extend(rest.is_empty().then_some(name));
                } else if self.opens(name, rest) {
                    if let Some((_, names)) = self.closes.iter().find(|(of, _)| is(of, name)) {
                        while open.pop_if(|top| is_in(names, top)).is_some() {}
                    }
                    open.push(name);
                    if open.len() > self.most {
                        return None;
                    }
                }
            }
        }
        Some(open)
    }

    /// Returns the elements of a text as what opens, holds and closes them; `None` if they are
    /// nested so deeply that passes would take long. A tag without its partner is a piece. Linear
    /// in the text, times the depth where end tags have no start.
    pub(crate) fn elements(&self, text: &[u8]) -> Option<Vec<TagPart>> {
        let mut parts: Vec<TagPart> = Vec::new();
        // The name of each open element, and where its part stands.
        let mut open: Vec<(&[u8], usize)> = Vec::new();
        let mut at = 0;
        while at < text.len() {
            let rest = &text[at..];
            let tag = rest.strip_prefix(b"<").filter(|tag| is_tag(tag));
            let Some(tag) = tag else {
                let next = (1..rest.len()).find(|&i| rest[i] == b'<' && is_tag(&rest[i + 1..]));
                at += next.unwrap_or(rest.len());
                parts.push(TagPart::Piece(at));
                continue;
            };
            at = match tag.strip_prefix(b"!--") {
                Some(comment) => text.len() - behind(comment, b"-->").len(),
                None => (at + 1 + end_of_tag(tag) + 1).min(text.len()),
            };
            if let Some(end) = tag.strip_prefix(b"/") {
                parts.push(TagPart::Piece(at));
                let name = self::name(end);
                let level = open.iter().rposition(|(open, _)| open.eq_ignore_ascii_case(name));
                if let Some(level) = level {
                    parts[open[level].1] = TagPart::Open(Some(at));
                    open.truncate(level);
                    parts.push(TagPart::Close);
                }
            } else {
                let name = self::name(tag);
                if self.opens(name, tag) {
                    open.push((name, parts.len()));
                    if open.len() > MOST_ELEMENTS {
                        return None;
                    }
                    parts.push(TagPart::Open(None));
                }
                parts.push(TagPart::Piece(at));
            }
        }
        Some(parts)
    }
}

/// A part of a text of tags.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TagPart {
    /// An element begins that ends here; `None` if its end tag is missing, so that it is no
    /// element.
    Open(Option<usize>),
    /// A tag, a comment, or the text between two of them, up to here.
    Piece(usize),
    /// The element ends.
    Close,
}

/// How many elements may lie in each other: passes look at each level of a chain.
const MOST_ELEMENTS: usize = 2_000;

/// Returns whether what stands after a `<` is the rest of a tag.
fn is_tag(rest: &[u8]) -> bool {
    rest.first().is_some_and(|b| b.is_ascii_alphabetic() || matches!(b, b'/' | b'!' | b'?' | b'_'))
}

/// Returns where a tag ends: before the first `>` that stands in no quotes. Linear in the tag.
fn end_of_tag(tag: &[u8]) -> usize {
    let mut quote = None;
    let is_end = |&b: &u8| {
        match (quote, b) {
            (None, b'"' | b'\'') => quote = Some(b),
            (Some(open), b) if open == b => quote = None,
            _ => {}
        }
        quote.is_none() && b == b'>'
    };
    tag.iter().position(is_end).unwrap_or(tag.len())
}

/// Returns the name at the start of a tag.
fn name(tag: &[u8]) -> &[u8] {
    let is_end = |b: &u8| b.is_ascii_whitespace() || matches!(b, b'>' | b'/' | b'<');
    &tag[..tag.iter().position(is_end).unwrap_or(tag.len())]
}

/// Returns the text after the first `sign`, which is empty if there is none.
fn behind<'a>(text: &'a [u8], sign: &[u8]) -> &'a [u8] {
    memmem::find(text, sign).map_or(&[], |at| &text[at + sign.len()..])
}

fn is_in(names: &[String], name: &[u8]) -> bool {
    names.iter().any(|known| is(known, name))
}

fn is(known: &str, name: &[u8]) -> bool {
    known.as_bytes().eq_ignore_ascii_case(name)
}

#[cfg(test)]
mod tests {
    use super::{Nesting, TagPart};

    #[test]
    fn what_is_open_at_the_end_gets_its_end_tag() {
        let nesting: Nesting =
            toml::from_str("most = 9\nvoid = ['br']\nraw = ['style']\ncloses = { li = ['li'] }")
                .unwrap();
        for (page, tags) in [
            ("<a><br><b></b><UL><li>1<li>2", "</li></UL></a>"),
            ("<a></a>x", ""),
            ("<a><style>p {", "</style></a>"),
            ("<a><style>p {</style>", "</a>"),
        ] {
            let implied = nesting.implied_end_tags(page.as_bytes()).unwrap_or_default();
            assert_eq!(String::from_utf8_lossy(&implied), tags, "{page}");
        }
    }

    #[test]
    fn elements_hold_each_other() {
        let nesting: Nesting =
            toml::from_str("most = 9\nvoid = []\nraw = []\ncloses = {}").unwrap();
        for (text, expected) in [
            ("<a x='>'>1<b/></a>", "([<a x='>'>][1][<b/>][</a>])"),
            ("<a><b><br/></a></c>2", "([<a>][<b>][<br/>][</a>])[</c>][2]"),
            ("<?xml?><a><!-- <b> --><a>a<b</a>", "[<?xml?>][<a>][<!-- <b> -->][<a>][a][<b</a>]"),
            ("1 < 2", "[1 < 2]"),
        ] {
            let (mut shown, mut at) = (String::new(), 0);
            for part in nesting.elements(text.as_bytes()).unwrap() {
                match part {
                    TagPart::Open(end) => shown.extend(end.map(|_| '(')),
                    TagPart::Close => shown.push(')'),
                    TagPart::Piece(end) => {
                        shown += &format!("[{}]", &text[at..end]);
                        at = end;
                    }
                }
            }
            assert_eq!((shown.as_str(), at), (expected, text.len()));
        }
        assert_eq!(nesting.elements("<a>".repeat(10_000).as_bytes()), None);
    }

    #[test]
    fn a_tag_may_close_itself() {
        let of = |void: &str| {
            let text = format!("most = 2\nvoid = [{void}]\nraw = []\ncloses = {{}}");
            toml::from_str::<Nesting>(&text).unwrap()
        };
        let text = b"<a><b/><c x='/>'/><d y=\"1\" /><e><f></f></e></a>";
        assert!(of("'br'").is_too_deep(text));
        assert!(!of("").is_too_deep(b"<a><b/><c x='>'/><d y=\"1\" /></a>"));
        assert!(of("").is_too_deep(text));
    }

    #[test]
    fn only_what_is_open_counts() {
        let nesting: Nesting = toml::from_str(
            "most = 3\nvoid = ['br']\nraw = ['script']\ncloses = { li = ['li'], td = ['td'], tr = ['tr', 'td'] }",
        )
        .unwrap();
        for (page, is_too_deep) in [
            ("<a><b><c>", false),
            ("<a><b><c><d>", true),
            ("<a><b><c></c><d></b><e><f>", false),
            ("<a><b><c></x></y><d>", true),
            ("<a><br><br/><BR><br >", false),
            ("<ul><li>1<li>2<LI>3<li>4<b>", false),
            ("<ul><li><ul><li>", true),
            ("<table><tr><td>1<td>2<tr><td>3<td>4", false),
            ("<a><!-- <b><c><d> --><b><script>'<c><d><e>'</script><c>", false),
            ("<a><select><option>1<option></select><b>", true),
            ("a < b <= c << d", false),
        ] {
            assert_eq!(nesting.is_too_deep(page.as_bytes()), is_too_deep, "{page}");
        }
    }
}
