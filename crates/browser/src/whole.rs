//! Puts what a page loads from files beside it into the page: style sheets with what they import, scripts, pictures
//! and fonts. Pictures and fonts to the least that could do as well. The failure decides which form is reduced.

use std::path::{Component, Path, PathBuf};
use std::sync::LazyLock;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use regex::{Captures, Regex};

use crate::image_size::size;

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

/// Fits it at the beginning of a page.
pub(crate) const DOCTYPE_PATTERN: &str = r"(?i)\A\s*<!doctype html>";

/// Style sheets import others to this depth; deeper ones may import each other.
const DEEP: usize = 8;

/// A page with its files.
pub(crate) struct Site<'a> {
    /// Returns the file at an address that a page in a directory (the path) mentions.
    pub(crate) read: &'a dyn Fn(&Path) -> Option<Vec<u8>>,
    pub(crate) resources: Resources,
}

impl Site<'_> {
    /// Returns the page at a path with all that it loads; `None` if it is no text.
    pub(crate) fn page(&self, path: &Path) -> Option<String> {
        let text = String::from_utf8((self.read)(path)?).ok()?;
        let base = path.parent().unwrap_or(Path::new(""));
        let text = LINK.replace_all(&text, |found: &Captures<'_>| {
            self.linked(&found[0], base).unwrap_or_else(|| found[0].to_owned())
        });
        let text = STYLE.replace_all(&text, |found: &Captures<'_>| {
            format!("{}{}{}", &found[1], self.sheet(&found[2], base, DEEP), &found[3])
        });
        let text = SCRIPT.replace_all(&text, |found: &Captures<'_>| {
            self.script(&found[1], base).unwrap_or_else(|| found[0].to_owned())
        });
        let text = SOURCE.replace_all(&text, |found: &Captures<'_>| {
            let put = self.resource(trimmed(&found[2]), base);
            put.map_or_else(|| found[0].to_owned(), |put| format!("{}\"{put}\"", &found[1]))
        });
        let text = STYLED.replace_all(&text, |found: &Captures<'_>| self.sheet(&found[0], base, 0));
        Some(LONG_DOCTYPE.replace(&text, DOCTYPE).into_owned())
    }

    /// Returns a style sheet in the place of a tag that links to it.
    fn linked(&self, tag: &str, base: &Path) -> Option<String> {
        let relation = attribute(tag, "rel")?.to_lowercase();
        if !relation.split_whitespace().any(|word| word == "stylesheet")
            || relation.contains("alternate")
        {
            return None;
        }
        let path = beside(base, &attribute(tag, "href")?)?;
        let text = String::from_utf8((self.read)(&path)?).ok()?;
        let sheet = self.sheet(&text, path.parent().unwrap_or(base), DEEP);
        let media = attribute(tag, "media").map(|media| format!(" media=\"{media}\""));
        let is_closed = sheet.to_lowercase().contains("</style");
        (!is_closed).then(|| format!("<style{}>{sheet}</style>", media.unwrap_or_default()))
    }

    /// Returns a style sheet with all that it loads.
    fn sheet(&self, text: &str, base: &Path, depth: usize) -> String {
        let text = IMPORT.replace_all(text, |found: &Captures<'_>| {
            let is_put = depth > 0;
            let imported = is_put.then(|| self.imported(&found[1], &found[2], base, depth - 1));
            imported.flatten().unwrap_or_else(|| found[0].to_owned())
        });
        let is_without_fonts = self.resources != Resources::Same;
        let text = match is_without_fonts {
            true => FONT.replace_all(&text, ""),
            false => text,
        };
        let text = ADDRESS.replace_all(&text, |found: &Captures<'_>| {
            let put = self.resource(trimmed(&found[1]), base);
            // In an attribute, a quote could end it.
            put.map_or_else(|| found[0].to_owned(), |put| format!("url({put})"))
        });
        text.into_owned()
    }

    fn imported(&self, address: &str, media: &str, base: &Path, depth: usize) -> Option<String> {
        let path = beside(base, trimmed(address))?;
        let text = String::from_utf8((self.read)(&path)?).ok()?;
        let sheet = self.sheet(&text, path.parent().unwrap_or(base), depth);
        match media.trim() {
            "" => Some(sheet),
            media if media.starts_with("layer") || media.starts_with("supports") => None,
            media => Some(format!("@media {media} {{ {sheet} }}")),
        }
    }

    /// Returns a script in the place of one that loads it.
    fn script(&self, attributes: &str, base: &Path) -> Option<String> {
        let path = beside(base, &attribute(attributes, "src")?)?;
        let text = String::from_utf8((self.read)(&path)?).ok()?;
        let others = SOURCE_OF_SCRIPT.replace(attributes, "");
        let is_closed = text.to_lowercase().contains("</script");
        (!is_closed).then(|| format!("<script{others}>{text}</script>"))
    }

    /// Returns the address that holds a picture or a font: nothing has to be loaded for it.
    fn resource(&self, address: &str, base: &Path) -> Option<String> {
        let address = address.replace("&amp;", "&");
        let (bytes, mime) = match address.strip_prefix("data:") {
            Some(data) => {
                let (mime, data) = data.split_once(";base64,")?;
                (BASE64_STANDARD.decode(data.trim()).ok()?, mime.to_owned())
            }
            None => {
                let path = beside(base, &address)?;
                let mime = mime_of(&path)?.to_owned();
                ((self.read)(&path)?, mime)
            }
        };
        let is_picture = mime.starts_with("image/");
        let same = || format!("data:{mime};base64,{}", BASE64_STANDARD.encode(&bytes));
        let form = match self.resources {
            Resources::Least if is_picture => PIXEL.to_owned(),
            Resources::Sized if is_picture => match size(&bytes) {
                Some((width, height)) => empty_picture(width, height),
                None => PIXEL.to_owned(),
            },
            _ => same(),
        };
        let is_new = form.len() < address.len() || !address.starts_with("data:");
        is_new.then_some(form)
    }
}

/// Returns the address of a picture with a size and nothing on it. No quotes are in it, so that it can stand anywhere.
fn empty_picture(width: u32, height: u32) -> String {
    let picture =
        format!("<svg xmlns='http://www.w3.org/2000/svg' width='{width}' height='{height}'/>");
    format!("data:image/svg+xml;base64,{}", BASE64_STANDARD.encode(picture))
}

/// Returns whether a page begins with the doctype that this module writes, in any case.
pub(crate) fn has_doctype(page: &[u8]) -> bool {
    let start = page.trim_ascii_start();
    start.get(..DOCTYPE.len()).is_some_and(|s| s.eq_ignore_ascii_case(DOCTYPE.as_bytes()))
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
            Component::ParentDir => {
                if !path.pop() {
                    return None;
                }
            }
            Component::CurDir => {}
            other => path.push(other),
        }
    }
    Some(path)
}

/// Returns an address without its escapes.
fn decoded(address: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = address.as_bytes();
    while let [first, others @ ..] = rest {
        let code = others.get(..2).and_then(|code| std::str::from_utf8(code).ok());
        match (first, code.and_then(|code| u8::from_str_radix(code, 16).ok())) {
            (b'%', Some(byte)) => {
                bytes.push(byte);
                rest = &others[2..];
            }
            _ => {
                bytes.push(*first);
                rest = others;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Returns the value of an attribute of a tag.
fn attribute(tag: &str, name: &str) -> Option<String> {
    let is_it = |found: &Captures<'_>| found[1].eq_ignore_ascii_case(name);
    let found = ATTRIBUTE.captures_iter(tag).find(is_it)?;
    Some(trimmed(&found[2]).replace("&amp;", "&"))
}

/// Returns a text without quotes around it.
fn trimmed(text: &str) -> &str {
    text.trim().trim_matches(['"', '\'']).trim()
}

/// Returns what a file holds, as its name says.
fn mime_of(path: &Path) -> Option<&'static str> {
    let suffix = path.extension()?.to_str()?.to_lowercase();
    MIMES.iter().find(|(known, _)| *known == suffix).map(|(_, mime)| *mime)
}

const MIMES: [(&str, &str); 13] = [
    ("png", "image/png"),
    ("gif", "image/gif"),
    ("jpg", "image/jpeg"),
    ("jpeg", "image/jpeg"),
    ("webp", "image/webp"),
    ("avif", "image/avif"),
    ("bmp", "image/bmp"),
    ("ico", "image/x-icon"),
    ("svg", "image/svg+xml"),
    ("woff", "font/woff"),
    ("woff2", "font/woff2"),
    ("ttf", "font/ttf"),
    ("otf", "font/otf"),
];

/// Compiles a pattern that is blind to case; a dot is any character.
fn pattern(text: &str) -> Regex {
    let pattern = format!("(?is){text}");
    Regex::new(&pattern).expect("the patterns of this file are in order")
}

static LINK: LazyLock<Regex> = LazyLock::new(|| pattern(r"<link\b[^>]*>"));
static STYLE: LazyLock<Regex> = LazyLock::new(|| pattern(r"(<style\b[^>]*>)(.*?)(</style)"));
static SCRIPT: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"<script\b([^>]*\bsrc\s*=[^>]*)>\s*</script\s*>"));
static SOURCE_OF_SCRIPT: LazyLock<Regex> =
    LazyLock::new(|| pattern(r#"\s*\bsrc\s*=\s*("[^"]*"|'[^']*'|[^\s>]+)"#));
static ATTRIBUTE: LazyLock<Regex> =
    LazyLock::new(|| pattern(r#"([a-z-]+)\s*=\s*("[^"]*"|'[^']*'|[^\s>]+)"#));
/// Addresses of pictures in a tag.
static SOURCE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r#"(<(?:img|image|input|video|object|embed)\b[^>]*?\s(?:src|poster|data|href|xlink:href)\s*=\s*)("[^"]*"|'[^']*'|[^\s>"']+)"#,
    )
});
/// The style of an element, with its quotes.
static STYLED: LazyLock<Regex> = LazyLock::new(|| pattern(r#"\sstyle\s*=\s*("[^"]*"|'[^']*')"#));
static IMPORT: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r#"@import\s+(?:url\(\s*)?("[^"]*"|'[^']*'|[^\s"'();]+)\s*\)?([^;]*)(?:;|$)"#)
});
static ADDRESS: LazyLock<Regex> =
    LazyLock::new(|| pattern(r#"\burl\(\s*("[^"]*"|'[^']*'|[^"'()]*)\s*\)"#));
static FONT: LazyLock<Regex> = LazyLock::new(|| pattern(r"@font-face\s*\{[^}]*\}"));
/// A doctype of the same mode that says more: of HTML 5 with the address of its legacy, and of strict XHTML and HTML 4.
static LONG_DOCTYPE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r#"^\s*<!doctype\s+html\s+(?:system\s+["']about:legacy-compat["']|public\s+["']-//w3c//dtd (?:xhtml 1\.[01]|html 4\.01)(?: strict)?//en["'][^>]*)\s*>"#,
    )
});

#[cfg(test)]
mod tests {
    use std::collections::HashMap;
    use std::path::{Path, PathBuf};

    use super::{Resources, Site, beside, has_doctype};

    fn check(resources: Resources, files: &[(&str, &str)], expected: &str) {
        let files: HashMap<PathBuf, &str> =
            files.iter().map(|(name, text)| (name.into(), *text)).collect();
        let read = |path: &Path| files.get(path).map(|text| text.as_bytes().to_vec());
        let site = Site { read: &read, resources };
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
        let site = Site { read: &read, resources: Resources::Same };
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
            ("d/i.gif", "GIF89a\u{3}\0\u{2}\0"),
            ("f.woff", "wOFF"),
        ];
        let pixel = super::PIXEL;
        let least =
            format!("<style> p {{ background: url({pixel}) }}</style><img src=\"{pixel}\">");
        check(Resources::Least, &files, &least);
        let sized = super::empty_picture(3, 2);
        let sized =
            format!("<style> p {{ background: url({sized}) }}</style><img src=\"{sized}\">");
        check(Resources::Sized, &files, &sized);
        let same = "data:image/gif;base64,R0lGODlhAwACAA==";
        let same = format!(
            "<style>@font-face {{ src: url(data:font/woff;base64,d09GRg==) }} p {{ background: url({same}) }}</style>\
             <img src=\"{same}\">"
        );
        check(Resources::Same, &files, &same);
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
        assert!(has_doctype(b"\n<!DOCTYPE html>\n<p>"));
        assert!(!has_doctype(quirks.as_bytes()) && !has_doctype(b"<p>"));
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
