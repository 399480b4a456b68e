//! The language `dom`: a page as the tree that a browser builds from it.
//!
//! A text has a tree only if it is what the browser's tree of it is written as, so a candidate that
//! a browser reads as another tree than the edited one has errors, and is infeasible.

use std::ops::Range;
use std::sync::Arc;

use minirepro_syntax::{
    Facts, Flags, Interruption, Kind, Kinds, Language, Parse, Tree, TreeBuilder,
};

use crate::html::feasibility;
use crate::html::serializer::{DomKind, Step, Tags, Written};
use crate::manifest::error::ManifestError;
use crate::manifest::schema::Manifest;
use crate::plain::chunks::{pieces, words};
use crate::plain::nesting::Nesting;
use crate::plain::tokenizer::Lexing;

const FACTS: &str = "\
document = (doctype | comment | instruction | element | text)*
element = start attribute* close (comment | instruction | element | raw | text)* end?
attribute = name value?
raw = word*
text = word*
";

/// What else there is to say of it.
pub(crate) const MANIFEST: &str = include_str!("../../grammars/html/dom.toml");

/// Returns the language without those inside of it, and its manifest; deeper pages than `nesting`
/// allows are not read.
///
/// # Errors
/// If the manifest is wrong.
pub(crate) fn language(nesting: Option<Nesting>) -> Result<(Language, Manifest), ManifestError> {
    let manifest = Manifest::read(MANIFEST, &|_| None)?;
    let mut kinds = Kinds::default();
    let error = kinds.intern("ERROR", true);
    let facts = Facts::parse(FACTS, &mut kinds).expect("the text above is in normal form");
    let parts = DomKind::ALL.map(|part| kinds.intern(part.name(), true));
    let kinds = Arc::new(kinds);
    let mut roles = manifest.roles(&kinds)?;
    let parser = Box::new(Dom { kinds: kinds.clone(), parts, error, nesting });
    roles.rules = manifest.rule_passes(&kinds, &roles, &*parser)?;
    let spacing = manifest.spacing();
    let names = Box::new(());
    let name = manifest.name.clone();
    let interruption = Interruption::default();
    let language = Language { name, kinds, facts, spacing, roles, parser, names, interruption };
    Ok((language, manifest))
}

struct Dom {
    kinds: Arc<Kinds>,
    /// The kind of each part, in the order of [`DomKind::ALL`].
    parts: [Kind; DomKind::ALL.len()],
    error: Kind,
    nesting: Option<Nesting>,
}

impl Dom {
    /// Returns how the browser's tree of `text` is written, if that is `text` itself.
    fn written(&self, text: &[u8]) -> Option<Written> {
        let dom = feasibility::read(text, self.nesting.as_ref())?;
        let forms = [Tags::Needed, Tags::All];
        forms.into_iter().map(|tags| Written::new(&dom, tags)).find(|w| w.text == text)
    }

    fn tree(&self, text: Arc<[u8]>, steps: &[Step]) -> Tree {
        let mut builder = TreeBuilder::new(text.clone(), self.kinds.clone());
        for step in steps {
            match step {
                Step::Open(part, span) => {
                    builder.open(self.kind(*part), span.clone(), Flags::default());
                }
                Step::Close => builder.close(),
                Step::Leaf(part @ (DomKind::Raw | DomKind::Text), span) => {
                    self.text(&mut builder, &text, *part, span.clone());
                }
                Step::Leaf(part, span) => self.leaf(&mut builder, &text, *part, span.clone()),
            }
        }
        builder.finish()
    }

    /// Returns a text and its words, each with the blank space after it.
    fn text(&self, builder: &mut TreeBuilder, text: &[u8], part: DomKind, span: Range<usize>) {
        builder.open(self.kind(part), span.clone(), Flags::default());
        words(text, span, &[])
            .into_iter()
            .for_each(|word| self.leaf(builder, text, DomKind::Word, word));
        builder.close();
    }

    fn leaf(&self, builder: &mut TreeBuilder, text: &[u8], part: DomKind, span: Range<usize>) {
        let tokens = Lexing::Markup.count(&text[span.clone()]);
        builder.leaf(self.kind(part), span, Flags::default(), tokens);
    }

    fn kind(&self, part: DomKind) -> Kind {
        self.parts[part as usize]
    }

    /// Returns a text that is no written tree: one broken region.
    fn broken(&self, text: &[u8]) -> Tree {
        let mut builder = TreeBuilder::new(Arc::from(text), self.kinds.clone());
        let error = Flags { error: true, ..Flags::default() };
        builder.open(self.error, 0..text.len(), error);
        let all = 0..text.len();
        let parts = match text.len() {
            ..LARGE => words(text, all, &[]),
            length => pieces(text, all, length / 10_000),
        };
        parts.into_iter().for_each(|word| self.leaf(&mut builder, text, DomKind::Word, word));
        builder.close();
        builder.finish()
    }

    /// Returns the page as its DOM is written: with as few tags as a browser reads as the same DOM.
    /// `None` where no form is read as it was written: some DOMs of broken pages can be written in
    /// no way.
    fn rewritten(&self, text: &[u8]) -> Option<Vec<u8>> {
        // What can't be written is read as something that is closer to what can.
        const ROUNDS: usize = 4;
        let mut text = text.to_vec();
        for _ in 0..ROUNDS {
            let dom = feasibility::read(&text, self.nesting.as_ref())?;
            for tags in [Tags::Needed, Tags::All] {
                text = Written::new(&dom, tags).text;
                if self.written(&text).is_some() {
                    return Some(text);
                }
            }
        }
        None
    }
}

/// Broken texts above this get coarse leaves.
const LARGE: usize = 1 << 20;

impl Parse for Dom {
    fn parse(&self, text: &[u8]) -> Tree {
        match self.written(text) {
            Some(written) => self.tree(Arc::from(text), &written.steps),
            None => self.broken(text),
        }
    }

    fn tokens(&self, text: &[u8]) -> Option<u64> {
        Some(u64::from(Lexing::Markup.count(text)))
    }

    fn errors(&self, text: &[u8]) -> u32 {
        u32::from(self.written(text).is_none())
    }

    fn canonical_form(&self, text: &[u8]) -> Option<Vec<u8>> {
        self.rewritten(text)
    }
}

#[cfg(test)]
mod tests {
    use super::language;

    #[test]
    fn pages_are_written_anew_until_they_are_stable() {
        let parser = language(None).expect("the manifest is right").0.parser;
        for (page, gives) in [
            ("<P>a<B>b", "<p>a<b>b</b></p>"),
            ("<table><p>x<tr><td>y", "<p>x</p><table><tr><td>y</td></tr></table>"),
            ("<b>1<i>2</b>3</i>", "<b>1<i>2</i></b><i>3</i>"),
            ("<body class=x><p>", "<body class=\"x\"><p></p></body>"),
            ("", ""),
        ] {
            let normal = parser.canonical_form(page.as_bytes()).expect("can be written");
            assert_eq!(String::from_utf8_lossy(&normal), gives);
            assert_eq!(parser.errors(&normal), 0);
            assert_eq!(parser.canonical_form(&normal), Some(normal));
        }
    }

    #[test]
    fn a_text_that_reads_as_another_tree_has_errors() {
        let parser = language(None).expect("the manifest is right").0.parser;
        assert_eq!(parser.errors(b"<table><tr><td>y</td></tr></table>"), 0);
        assert_eq!(parser.errors(b"<table><td>y</td></table>"), 1);
        assert_eq!(parser.errors(b"<p>a<p>b"), 1);
        assert_eq!(parser.parse(b"<p>a<p>b").errors(), 1);
    }
}
