//! The interface to a language's parser: text to tree, and what only a reader of the language can
//! tell.

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::{Copied, NodeId, Rendered, TokenHash, Tree};

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

    /// Returns whether a text is too large or too deep to be read: it is one broken region until it
    /// is smaller.
    fn is_too_much(&self, text: &[u8]) -> bool {
        let _all_can_be_read = text;
        false
    }

    /// Returns how many tokens a piece of text has for which there is no tree yet, if they are not
    /// its words and signs. Must not be asked about a whole text: only its tree tells what a
    /// quotation mark in it means.
    fn tokens(&self, text: &[u8]) -> Option<u64> {
        let _words_and_signs = text;
        None
    }

    /// Returns the parse errors that readers of the language find in a text that they do not refuse
    /// (HTML). The last passes may then leave the grammar, as long as there is no parse error that
    /// the input did not have.
    fn parse_errors(&self, text: &[u8]) -> Option<ParseErrors> {
        let _every_error_is_in_the_tree = text;
        None
    }

    /// Returns whether readers of the language read `after` as `before` without everything that was
    /// not `copied` from there. If not, an edit of the tree means something else to them than it
    /// does to us.
    fn edit_is_faithful(&self, before: &[u8], after: &[u8], copied: &[Copied]) -> bool {
        let _the_tree_is_what_is_read = (before, after, copied);
        true
    }

    /// Returns the text and the hash of a candidate with these parts of `base`, where some fields
    /// depend on the rest: lengths and checksums in binary files.
    fn corrected(
        &self,
        base: &Tree,
        candidate: &[u8],
        copied: &[Copied],
    ) -> Option<(Vec<u8>, TokenHash)> {
        let _nothing_depends_on_it = (base, candidate, copied);
        None
    }

    /// Returns how readers of the language see a text, for people to read.
    fn reading(&self, text: &[u8]) -> Option<String> {
        let _as_the_tree_shows = text;
        None
    }

    /// Rewrites `text` to the canonical form that the language parses, if it accepts only that
    /// form.
    fn canonical_form(&self, text: &[u8]) -> Option<Vec<u8>> {
        let _any_form_will_do = text;
        None
    }

    /// Returns the file that holds `text`, if files hold texts of the language in another form,
    /// such as a binary one: [`canonical_form`](Self::canonical_form) gives the text of a file.
    /// `None` if no file holds it.
    fn file_of<'t>(&self, text: &'t [u8]) -> Option<Cow<'t, [u8]>> {
        Some(Cow::Borrowed(text))
    }

    /// Returns whether readers of the language find more errors than the grammar knows of, which
    /// [`errors`](Self::errors) counts as well: then no candidate is tested that was not read.
    fn is_strict(&self) -> bool {
        false
    }

    /// Writes `text` as careful people write it, where readers read it the same: elements are
    /// closed.
    fn sound_form(&self, text: &[u8]) -> Option<Vec<u8>> {
        let _it_is_written_so = text;
        None
    }

    /// Returns the text that a leaf holds in an encoding that hides it from the tree.
    fn encoded(&self, tree: &Tree, leaf: NodeId) -> Option<Encoded> {
        let _every_text_is_as_it_reads = (tree, leaf);
        None
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

/// A text inside of a leaf, in a code.
pub struct Encoded {
    /// Its tree, with the kinds of the language around it.
    pub tree: Tree,
    /// The text of the leaf that holds another text instead.
    pub encode: Encode,
}

/// From a text to a coded one.
pub type Encode = Box<dyn Fn(&[u8]) -> Vec<u8>>;

/// How often each kind of thing is wrong with a text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ParseErrors {
    /// What readers complain about, by their messages.
    pub messages: BTreeMap<String, u32>,
    /// Errors in injected texts of which readers read nothing then, by their languages.
    pub injected: BTreeMap<String, u32>,
}

impl ParseErrors {
    /// Returns how many errors there are in all.
    pub fn count(&self) -> u32 {
        self.messages.values().chain(self.injected.values()).sum()
    }

    /// Returns whether the other text has each of all these errors at least as often.
    pub fn subset_of(&self, other: &Self) -> bool {
        self.complains_at_most_as(other) && self.breaks_at_most_as(other)
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
