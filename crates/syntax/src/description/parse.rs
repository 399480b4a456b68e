//! The two interfaces to a language's texts: a parser makes trees of them, and a reader tells what
//! no tree says.

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::{Copied, Mention, Rendered, Tree};

/// Text to tree.
pub trait Parse: Send + Sync {
    /// Returns the tree of any bytes. Never fails: text that does not fit the grammar becomes error
    /// nodes.
    fn parse(&self, text: &[u8]) -> Tree;

    /// Returns the same as [`parse`](Self::parse) for a text that is like that of `base`, a tree of
    /// this parser's. May be cheaper: what is in both need not be read again.
    fn parse_after(&self, base: &Tree, text: &[u8]) -> Tree {
        let _read_it_all = base;
        self.parse(text)
    }

    /// Returns how many nodes of [`parse`](Self::parse) would be errors or missing. May be cheaper.
    fn errors(&self, text: &[u8]) -> u32 {
        self.parse(text).errors()
    }

    /// Returns the same as [`errors`](Self::errors) for a candidate made of `base`, a tree of this
    /// parser's. May be cheaper still: what was copied need not be read again.
    fn errors_after(&self, base: &Tree, candidate: &Rendered) -> u32 {
        let _read_it_all = base;
        self.errors(&candidate.text)
    }
}

/// What only a reader of the language can tell of a text. A reader says what it knows better than
/// the one that it was built on.
pub trait Reader: Send + Sync {
    /// Returns the reader that is asked about all that this one does not answer itself; without
    /// one, the tree says all.
    fn inner(&self) -> Option<&dyn Reader> {
        None
    }

    /// Returns whether a text is too large or too deep to be read: it is one broken region until it
    /// is smaller.
    fn is_too_much(&self, text: &[u8]) -> bool {
        self.inner().is_some_and(|inner| inner.is_too_much(text))
    }

    /// Returns how many tokens a piece of text has for which there is no tree yet, if they are not
    /// its words and signs. Must not be asked about a whole text: only its tree tells what a
    /// quotation mark in it means.
    fn tokens(&self, text: &[u8]) -> Option<u64> {
        self.inner()?.tokens(text)
    }

    /// Returns the parse errors that readers of the language find in a text that they do not refuse
    /// (HTML). The last passes may then leave the grammar, as long as there is no parse error that
    /// the input did not have.
    fn parse_errors(&self, text: &[u8]) -> Option<ParseErrors> {
        self.inner()?.parse_errors(text)
    }

    /// Returns whether readers of the language read `after` as `before` without everything that was
    /// not `copied` from there. If not, an edit of the tree means something else to them than it
    /// does to us.
    fn edit_is_faithful(&self, before: &[u8], after: &[u8], copied: &[Copied]) -> bool {
        self.inner().is_none_or(|inner| inner.edit_is_faithful(before, after, copied))
    }

    /// Returns the text of a candidate with these parts of `base`, where some fields depend on the
    /// rest: lengths and checksums in binary files.
    fn corrected(&self, base: &Tree, candidate: &[u8], copied: &[Copied]) -> Option<Vec<u8>> {
        self.inner()?.corrected(base, candidate, copied)
    }

    /// Rewrites `text` to the canonical form that the language parses, if it accepts only that
    /// form.
    fn canonical_form(&self, text: &[u8]) -> Option<Vec<u8>> {
        self.inner()?.canonical_form(text)
    }

    /// Returns the file that holds `text`, if files hold texts of the language in another form,
    /// such as a binary one: [`canonical_form`](Self::canonical_form) gives the text of a file.
    /// `None` if no file holds it.
    fn file_of<'t>(&self, text: &'t [u8]) -> Option<Cow<'t, [u8]>> {
        self.inner().map_or(Some(Cow::Borrowed(text)), |inner| inner.file_of(text))
    }

    /// Returns whether readers of the language find more errors than the grammar knows of, which
    /// [`Parse::errors`] counts as well: then no candidate is tested that was not read.
    fn is_strict(&self) -> bool {
        self.inner().is_some_and(Reader::is_strict)
    }

    /// Returns all mentions of names in parts of leaves, in the order of the text. Linear.
    fn mentions(&self, tree: &Tree) -> Vec<Mention> {
        self.inner().map_or_else(Vec::new, |inner| inner.mentions(tree))
    }
}

/// A reader that knows no more than the tree.
impl Reader for () {}

/// How often each kind of thing is wrong with a text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ParseErrors {
    /// What readers complain about, by their messages.
    pub messages: BTreeMap<String, u32>,
    /// Errors in injected texts of which readers read nothing then, by their languages.
    pub injected: BTreeMap<String, u32>,
}

impl ParseErrors {
    /// Adds those of another text.
    pub fn add(&mut self, other: Self) {
        let all = [(&mut self.messages, other.messages), (&mut self.injected, other.injected)];
        for (own, more) in all {
            more.into_iter().for_each(|(kind, count)| *own.entry(kind).or_default() += count);
        }
    }

    /// Returns how many errors there are in all.
    pub fn count(&self) -> u32 {
        self.messages.values().chain(self.injected.values()).sum()
    }

    /// Returns whether the other text has each of the messages at least as often.
    pub fn complains_at_most_as(&self, other: &Self) -> bool {
        is_within(&self.messages, &other.messages)
    }

    /// Returns whether the texts that are injected in the other one have each of these errors at
    /// least as often.
    pub fn breaks_at_most_as(&self, other: &Self) -> bool {
        is_within(&self.injected, &other.injected)
    }
}

fn is_within(errors: &BTreeMap<String, u32>, others: &BTreeMap<String, u32>) -> bool {
    errors.iter().all(|(kind, count)| others.get(kind).is_some_and(|most| count <= most))
}
