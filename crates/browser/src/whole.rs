//! Puts what a page loads from files beside it into the page: style sheets with what they import,
//! scripts, pictures and fonts. Pictures and fonts to the least that could do as well. The failure
//! decides which form is reduced.

use std::ops::Range;
use std::path::{Component, Path, PathBuf};
use std::sync::LazyLock;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use html5gum::{DefaultEmitter, Doctype, HtmlString, StartTag, Token, Tokenizer};
use imagesize::{ImageSize, blob_size};
use regex::{Captures, Regex, bytes};

/// What becomes of pictures and fonts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Resources {
    /// Pictures are one pixel, and there are no fonts.
    Least,
    /// Pictures have their size and nothing else; there are no fonts.
    Sized,
    /// All are as they were.
    Same,
}

/// A picture of one pixel.
const PIXEL: &str = "data:image/gif;base64,R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==";

/// The doctype that browsers need, and no more of it.
const DOCTYPE: &str = "<!doctype html>";

/// Style sheets import others to this depth; deeper ones may import each other.
const DEEP: usize = 8;

/// A page with its files.
pub(crate) struct Site<'a> {
    /// Returns the file at an address that a page in a directory (the path) mentions.
    pub(crate) read: &'a dyn Fn(&Path) -> Option<Vec<u8>>,
    pub(crate) resources: Resources,
    /// The server whose files are those that are read, such as `https://a.test`. If there is none,
    /// addresses with a server are elsewhere.
    pub(crate) origin: Option<&'a str>,
}

impl Site<'_> {
    /// Returns the page at a path with all that it loads; `None` if it is no text.
    pub(crate) fn page(&self, path: &Path) -> Option<String> {
        let text = String::from_utf8((self.read)(path)?).ok()?;
        let base = path.parent().unwrap_or(Path::new(""));
        let (mut changes, mut open) = (Vec::new(), None);
        for token in tokens(&text) {
            match token {
                Token::StartTag(tag) => {
                    self.of_tag(&text, &tag, base, &mut changes);
                    open = Some(tag).filter(|tag| matches!(&**tag.name, b"script" | b"style"));
                }
                Token::EndTag(end) => {
                    let Some(tag) = open.take().filter(|tag| tag.name == end.name) else {
                        continue;
                    };
                    let inside = tag.span.end..end.span.start;
                    if *tag.name == *b"style" {
                        changes.push((inside.clone(), self.sheet(&text[inside], base, DEEP)));
                    } else if text[inside.clone()].trim().is_empty() {
                        let script = self.script(&text, &tag, inside.end, base);
                        changes.extend(script.into_iter().flatten());
                    }
                }
                Token::Doctype(doctype) if is_long(&doctype) => {
                    changes.push((doctype.span.start..doctype.span.end, DOCTYPE.to_owned()));
                }
                _ => {}
            }
        }
        Some(changed(&text, changes))
    }

    /// Adds the changes of a tag that loads something, or whose style does.
    fn of_tag(&self, text: &str, tag: &Tag, base: &Path, changes: &mut Vec<Edit>) {
        let name = String::from_utf8_lossy(&tag.name);
        if name == "link" {
            let sheet = self.linked(tag, base);
            return changes.extend(sheet.map(|sheet| (tag.span.start..tag.span.end, sheet)));
        }
        let shows = PICTURES.contains(&&*name);
        for (attribute, value) in &tag.attributes {
            let attribute = String::from_utf8_lossy(attribute);
            let old = String::from_utf8_lossy(value);
            let new = match &*attribute {
                "style" => Some(self.sheet(&old, base, 0)).filter(|new| *new != old),
                name if shows && SOURCES.contains(&name) => self.resource(old.trim(), base),
                _ => None,
            };
            if let Some(new) = new {
                let place = place_of(text, value.span.start..value.span.end);
                changes.push((place, format!("{attribute}=\"{}\"", quoted(&new))));
            }
        }
    }

    /// Returns a style sheet that replaces a tag that links to it.
    fn linked(&self, tag: &Tag, base: &Path) -> Option<String> {
        let relation = attribute(tag, "rel")?.to_lowercase();
        if !relation.split_whitespace().any(|word| word == "stylesheet")
            || relation.contains("alternate")
        {
            return None;
        }
        let (text, base) = self.file(base, &attribute(tag, "href")?)?;
        let sheet = self.sheet(&text, &base, DEEP);
        let media = attribute(tag, "media").map(|media| format!(" media=\"{}\"", quoted(&media)));
        let is_closed = sheet.to_lowercase().contains("</style");
        (!is_closed).then(|| format!("<style{}>{sheet}</style>", media.unwrap_or_default()))
    }

    /// Returns a style sheet with all that it loads.
    fn sheet(&self, text: &str, base: &Path, depth: usize) -> String {
        let text = IMPORT.replace_all(text, |found: &Captures<'_>| {
            let imported =
                (depth > 0).then(|| self.imported(&found[1], &found[2], base, depth - 1));
            imported.flatten().unwrap_or_else(|| found[0].to_owned())
        });
        let has_fonts = self.resources == Resources::Same;
        let text = if has_fonts { text } else { FONT.replace_all(&text, "") };
        let text = ADDRESS.replace_all(&text, |found: &Captures<'_>| {
            let put = self.resource(trimmed(&found[1]), base);
            // In an attribute, a quote could end it.
            put.map_or_else(|| found[0].to_owned(), |put| format!("url({put})"))
        });
        text.into_owned()
    }

    fn imported(&self, address: &str, media: &str, base: &Path, depth: usize) -> Option<String> {
        let (text, base) = self.file(base, trimmed(address))?;
        let sheet = self.sheet(&text, &base, depth);
        match media.trim() {
            "" => Some(sheet),
            media if media.starts_with("layer") || media.starts_with("supports") => None,
            media => Some(format!("@media {media} {{ {sheet} }}")),
        }
    }

    /// Returns the changes that replace a script that is loaded by its text: the end tag begins at
    /// `end`.
    fn script(&self, text: &str, tag: &Tag, end: usize, base: &Path) -> Option<[Edit; 2]> {
        let (script, _) = self.file(base, &attribute(tag, "src")?)?;
        let source = &tag.attributes.get(&HtmlString::from(b"src".to_vec()))?.span;
        let mut source = place_of(text, source.start..source.end);
        source.start = text[..source.start].trim_end().len();
        let is_closed = script.to_lowercase().contains("</script");
        (!is_closed).then(|| [(source, String::new()), (tag.span.end..end, script)])
    }

    /// Returns the address that holds a picture or a font: nothing has to be loaded for it.
    fn resource(&self, address: &str, base: &Path) -> Option<String> {
        let (bytes, mime) = match address.strip_prefix("data:") {
            Some(data) => {
                let (mime, data) = data.split_once(";base64,")?;
                (BASE64_STANDARD.decode(data.trim()).ok()?, mime.to_owned())
            }
            None => {
                let path = self.beside(base, address)?;
                let mime = mime_of(&path)?;
                ((self.read)(&path)?, mime)
            }
        };
        let is_picture = mime.starts_with("image/");
        let form = match self.resources {
            Resources::Least if is_picture => PIXEL.to_owned(),
            Resources::Sized if is_picture => empty_picture(&bytes),
            _ => format!("data:{mime};base64,{}", BASE64_STANDARD.encode(&bytes)),
        };
        let is_new = form.len() < address.len() || !address.starts_with("data:");
        is_new.then_some(form)
    }

    /// Returns the text of the file that an address means, and its directory.
    fn file(&self, base: &Path, address: &str) -> Option<(String, PathBuf)> {
        let path = self.beside(base, address)?;
        Some((String::from_utf8((self.read)(&path)?).ok()?, path.parent()?.to_owned()))
    }

    /// Returns the file that an address means.
    fn beside(&self, base: &Path, address: &str) -> Option<PathBuf> {
        let Some(origin) = self.origin else { return beside(base, address) };
        let address = address.trim();
        let rest = address.strip_prefix(origin).unwrap_or(address);
        match rest.strip_prefix('/').filter(|rest| !rest.starts_with('/')) {
            Some(from_root) => beside(Path::new(""), from_root),
            None => beside(base, rest),
        }
    }
}

/// Returns the address of a picture with the size of this one and nothing on it. No quotes are in
/// it, so that it can stand anywhere.
fn empty_picture(bytes: &[u8]) -> String {
    let Ok(ImageSize { width, height }) = blob_size(bytes) else { return PIXEL.to_owned() };
    let picture =
        format!("<svg xmlns='http://www.w3.org/2000/svg' width='{width}' height='{height}'/>");
    format!("data:image/svg+xml;base64,{}", BASE64_STANDARD.encode(picture))
}

/// Returns the regular expression for the doctype of a page, which must stay so that the page is
/// shown in the same mode, if it has the one that this crate writes.
pub fn doctype(page: &[u8]) -> Option<&'static str> {
    let start = page.trim_ascii_start().get(..DOCTYPE.len())?;
    start.eq_ignore_ascii_case(DOCTYPE.as_bytes()).then_some(r"(?i)\A\s*<!doctype html>")
}

/// Returns the file that a relative address means, which must not be above the page.
fn beside(base: &Path, address: &str) -> Option<PathBuf> {
    let address = address.trim().split(['?', '#']).next().filter(|path| !path.is_empty())?;
    let is_elsewhere = address.starts_with('/') || address.split('/').next()?.contains(':');
    if is_elsewhere {
        return None;
    }
    let mut path = PathBuf::new();
    for part in base.join(decoded(address)).components() {
        match part {
            Component::ParentDir => path.pop().then_some(())?,
            Component::CurDir => {}
            other => path.push(other),
        }
    }
    Some(path)
}

/// Returns an address without its escapes.
fn decoded(address: &str) -> String {
    let decoded = ESCAPE.replace_all(address.as_bytes(), |found: &bytes::Captures<'_>| {
        let code = String::from_utf8_lossy(&found[1]);
        u8::from_str_radix(&code, 16).map_or_else(|_| found[0].to_vec(), |byte| vec![byte])
    });
    String::from_utf8_lossy(&decoded).into_owned()
}

/// A start tag with its place in the page.
type Tag = StartTag<usize>;

/// Returns the value of an attribute of a tag.
fn attribute(tag: &Tag, name: &str) -> Option<String> {
    let value = tag.attributes.get(&HtmlString::from(name.as_bytes().to_vec()))?;
    Some(String::from_utf8_lossy(value).trim().to_owned())
}

/// Returns the tags and texts of a page. What stands in a script is no tag.
pub(crate) fn tokens(text: &str) -> impl Iterator<Item = Token<usize>> + '_ {
    let mut emitter = DefaultEmitter::<usize>::new_with_span();
    emitter.naively_switch_states(true);
    Tokenizer::new_with_emitter(text, emitter).flatten()
}

/// Returns where an attribute stands: the tokenizer counts the character after a value without
/// quotes as well.
pub(crate) fn place_of(text: &str, span: Range<usize>) -> Range<usize> {
    let attribute = &text[span.clone()];
    let is_bare = attribute.contains('=') && !attribute.ends_with(['"', '\'']);
    span.start..span.end - usize::from(is_bare)
}

/// Returns a value as it stands between quotes.
fn quoted(value: &str) -> String {
    value.replace('&', "&amp;").replace('"', "&quot;")
}

/// A text that replaces a part.
pub(crate) type Edit = (Range<usize>, String);

/// Returns the text with parts of it changed.
pub(crate) fn changed(text: &str, mut changes: Vec<Edit>) -> String {
    changes.sort_by_key(|(place, _)| place.start);
    let mut whole = text.to_owned();
    for (place, new) in changes.into_iter().rev() {
        whole.replace_range(place, &new);
    }
    whole
}

/// Returns whether a doctype says more than that of HTML 5 and means the same mode.
fn is_long(doctype: &Doctype<usize>) -> bool {
    let mut ids = [&doctype.public_identifier, &doctype.system_identifier].into_iter().flatten();
    let id = ids.next().map(|id| String::from_utf8_lossy(id).to_lowercase());
    let is_html = doctype.name.eq_ignore_ascii_case(b"html") && !doctype.force_quirks;
    is_html && id.is_some_and(|id| STRICT.contains(&&*id))
}

/// What identifies doctypes of no quirks mode: that of strict XHTML and HTML 4, and with the
/// address of the legacy of HTML 5.
const STRICT: [&str; 5] = [
    "-//w3c//dtd xhtml 1.0 strict//en",
    "-//w3c//dtd xhtml 1.1//en",
    "-//w3c//dtd html 4.01//en",
    "-//w3c//dtd html 4.01 strict//en",
    "about:legacy-compat",
];

/// Elements that show a picture, and the attributes that say where it is.
const PICTURES: [&str; 6] = ["embed", "image", "img", "input", "object", "video"];
const SOURCES: [&str; 5] = ["data", "href", "poster", "src", "xlink:href"];

/// Returns a text without quotes around it.
fn trimmed(text: &str) -> &str {
    text.trim().trim_matches(['"', '\'']).trim()
}

/// Returns what a file holds, as its name says.
fn mime_of(path: &Path) -> Option<String> {
    let suffix = path.extension()?.to_str()?.to_lowercase();
    Some(match &*suffix {
        "avif" | "bmp" | "gif" | "jpeg" | "png" | "webp" => format!("image/{suffix}"),
        "jpg" => "image/jpeg".to_owned(),
        "ico" => "image/x-icon".to_owned(),
        "svg" => "image/svg+xml".to_owned(),
        "otf" | "ttf" | "woff" | "woff2" => format!("font/{suffix}"),
        _ => return None,
    })
}

/// Compiles a pattern that is blind to case; a dot is any character.
fn pattern(text: &str) -> Regex {
    let pattern = format!("(?is){text}");
    Regex::new(&pattern).expect("the patterns of this file are in order")
}

static IMPORT: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r#"@import\s+(?:url\(\s*)?("[^"]*"|'[^']*'|[^\s"'();]+)\s*\)?([^;]*)(?:;|$)"#)
});
static ADDRESS: LazyLock<Regex> =
    LazyLock::new(|| pattern(r#"\burl\(\s*("[^"]*"|'[^']*'|[^"'()]*)\s*\)"#));
static ESCAPE: LazyLock<bytes::Regex> =
    LazyLock::new(|| bytes::Regex::new("(?i)%([0-9a-f]{2})").expect("a regular expression"));
static FONT: LazyLock<Regex> = LazyLock::new(|| pattern(r"@font-face\s*\{[^}]*\}"));

#[cfg(test)]
mod tests {
    use std::collections::HashMap;
    use std::path::{Path, PathBuf};

    use super::{Resources, Site, beside, doctype};

    fn check(resources: Resources, files: &[(&str, &str)], expected: &str) {
        let files: HashMap<PathBuf, &str> =
            files.iter().map(|(name, text)| (name.into(), *text)).collect();
        let read = |path: &Path| files.get(path).map(|text| text.as_bytes().to_vec());
        let site = Site { read: &read, resources, origin: None };
        assert_eq!(site.page(Path::new("a.html")).unwrap(), expected);
    }

    #[test]
    fn style_sheets_and_scripts_are_put_into_the_page() {
        check(
            Resources::Same,
            &[
                (
                    "a.html",
                    "<link rel=stylesheet href=a_files/x.css media=print><link rel=icon href=y>\
                     <style>@import 'b.css' screen;p{}</style><script defer src='a_files/x.js?v=1'></script>",
                ),
                ("a_files/x.css", "@import url(\"y%20z.css\");a{}"),
                ("a_files/y z.css", "b{}"),
                ("b.css", "i{}"),
                ("a_files/x.js", "f()"),
            ],
            "<style media=\"print\">b{}a{}</style><link rel=icon href=y>\
             <style>@media screen { i{} }p{}</style><script defer>f()</script>",
        );
    }

    #[test]
    fn what_is_missing_or_elsewhere_stays() {
        let page = "<link rel=stylesheet href=//x/y.css><link rel=stylesheet href=../z.css>\
                    <script src=https://x/y.js></script><img src=z.png><style>@import 'a.css';</style>";
        check(Resources::Least, &[("a.html", page)], page);
    }

    #[test]
    fn a_style_sheet_that_imports_itself_has_an_end() {
        let read = |path: &Path| {
            let page = "<style>@import 'b.css';</style>";
            let text = if path == Path::new("a.html") { page } else { "@import 'b.css';p{}" };
            Some(text.as_bytes().to_vec())
        };
        let site = Site { read: &read, resources: Resources::Same, origin: None };
        let page = site.page(Path::new("a.html")).unwrap();
        assert!(page.starts_with("<style>@import 'b.css';p{}p{}") && page.len() < 100, "{page}");
    }

    #[test]
    fn pictures_and_fonts_become_the_least_that_may_do() {
        // The head of a GIF says that it is 3 pixels wide and 2 high.
        let files = [
            (
                "a.html",
                "<style>@font-face { src: url(f.woff) } p { background: url('d/i.gif') }</style><img src=d/i.gif>",
            ),
            ("d/i.gif", "GIF89a\u{3}\0\u{2}\0\0\0\0"),
            ("f.woff", "wOFF"),
        ];
        let pixel = super::PIXEL;
        let least =
            format!("<style> p {{ background: url({pixel}) }}</style><img src=\"{pixel}\">");
        check(Resources::Least, &files, &least);
        let sized = super::empty_picture(files[1].1.as_bytes());
        let sized =
            format!("<style> p {{ background: url({sized}) }}</style><img src=\"{sized}\">");
        check(Resources::Sized, &files, &sized);
        let same = "data:image/gif;base64,R0lGODlhAwACAAAAAA==";
        let same = format!(
            "<style>@font-face {{ src: url(data:font/woff;base64,d09GRg==) }} p {{ background: url({same}) }}</style>\
             <img src=\"{same}\">"
        );
        check(Resources::Same, &files, &same);
    }

    #[test]
    fn only_tags_are_read_as_tags() {
        let other = "<script>f('<img src=i.gif>')</script><!-- <img src=i.gif> -->";
        let page = format!("{other}<img alt='a > b' SRC = i.gif>");
        let expected = format!("{other}<img alt='a > b' src=\"{}\">", super::PIXEL);
        check(Resources::Least, &[("a.html", &page), ("i.gif", "GIF89a")], &expected);
    }

    #[test]
    fn pictures_in_the_page_become_less_and_never_more() {
        let long = format!("<img src=\"data:image/png;base64,{}\">", "AAAA".repeat(20));
        check(Resources::Least, &[("a.html", &long)], &format!("<img src=\"{}\">", super::PIXEL));
        let page = "<p style=\"background:url(data:image/png;base64,AAAA)\"><img src=data:image/png;base64,AAAA>";
        check(Resources::Least, &[("a.html", page)], page);
    }

    #[test]
    fn doctypes_of_the_same_mode_are_shortened() {
        let xhtml = "<!DOCTYPE html PUBLIC \"-//W3C//DTD XHTML 1.0 Strict//EN\" \"http://w\"><p>";
        check(Resources::Same, &[("a.html", xhtml)], "<!doctype html><p>");
        let quirks = "<!DOCTYPE HTML PUBLIC \"-//W3C//DTD HTML 3.2//EN\"><p>";
        check(Resources::Same, &[("a.html", quirks)], quirks);
        assert!(doctype(b"\n<!DOCTYPE html>\n<p>").is_some());
        assert!(doctype(quirks.as_bytes()).is_none() && doctype(b"<p>").is_none());
    }

    #[test]
    fn addresses_are_files_beside_the_page() {
        for (address, expected) in [
            ("b/./c.css?x#y", Some("d/b/c.css")),
            ("../c.css", Some("c.css")),
            ("../../c.css", None),
            ("/c.css", None),
            ("http://c.css", None),
            ("#c", None),
        ] {
            assert_eq!(beside(Path::new("d"), address), expected.map(PathBuf::from), "{address}");
        }
    }
}
