//! The trees of texts that files hold in another form.

use std::borrow::Cow;

use minirepro_syntax::{Copied, Encoded, NodeId, Parse, ParseErrors, Rendered, TokenHash, Tree};

use crate::coded::Codec;

/// A parser of such texts.
pub(crate) struct CodedParser {
    /// Parses the text.
    pub(crate) parser: Box<dyn Parse>,
    pub(crate) codec: &'static dyn Codec,
}

impl CodedParser {
    /// Returns one if readers do not accept the file.
    fn faults(&self, text: &[u8]) -> u32 {
        u32::from(!self.codec.is_valid(text))
    }
}

impl Parse for CodedParser {
    fn parse(&self, text: &[u8]) -> Tree {
        self.parser.parse(text).with_faults(self.faults(text))
    }

    fn is_too_much(&self, text: &[u8]) -> bool {
        self.parser.is_too_much(text)
    }

    fn tokens(&self, text: &[u8]) -> Option<u64> {
        self.parser.tokens(text)
    }

    fn parse_errors(&self, text: &[u8]) -> Option<ParseErrors> {
        self.parser.parse_errors(text)
    }

    fn edit_is_faithful(&self, before: &[u8], after: &[u8], copied: &[Copied]) -> bool {
        self.parser.edit_is_faithful(before, after, copied)
    }

    fn corrected(
        &self,
        base: &Tree,
        candidate: &[u8],
        copied: &[Copied],
    ) -> Option<(Vec<u8>, TokenHash)> {
        self.parser.corrected(base, candidate, copied)
    }

    fn reading(&self, text: &[u8]) -> Option<String> {
        self.parser.reading(text)
    }

    fn canonical_form(&self, file: &[u8]) -> Option<Vec<u8>> {
        let text = self.codec.decode(file)?;
        Some(self.parser.canonical_form(&text).unwrap_or(text))
    }

    fn file_of<'t>(&self, text: &'t [u8]) -> Option<Cow<'t, [u8]>> {
        // The text may be that of another form, such as of a module that is compressed.
        let inner = self.parser.file_of(text)?;
        match self.codec.is_binary() {
            true => self.codec.encode(&inner).map(Cow::Owned),
            false => Some(inner),
        }
    }

    fn is_strict(&self) -> bool {
        true
    }

    fn sound_form(&self, text: &[u8]) -> Option<Vec<u8>> {
        self.parser.sound_form(text)
    }

    fn encoded(&self, tree: &Tree, leaf: NodeId) -> Option<Encoded> {
        self.parser.encoded(tree, leaf)
    }

    fn errors(&self, text: &[u8]) -> u32 {
        self.parser.errors(text) + self.faults(text)
    }

    fn errors_after(&self, base: &Tree, candidate: &Rendered) -> u32 {
        self.parser.errors_after(base, candidate) + self.faults(&candidate.text)
    }
}
