//! The trees of texts that files hold in another form.

use std::borrow::Cow;
use std::sync::Arc;

use minirepro_syntax::{Language, Parse, Reader, Rendered, Tree};

use crate::coded::Codec;

/// Returns the language of files that hold texts of this one in another form.
pub(crate) fn coded(language: Language, codec: &'static dyn Codec) -> Language {
    let Language { parser, reader, .. } = language;
    let coded = Arc::new(CodedParser { parser, reader, codec });
    Language { parser: coded.clone(), reader: coded, ..language }
}

/// A parser and reader of such texts.
struct CodedParser {
    parser: Arc<dyn Parse>,
    reader: Arc<dyn Reader>,
    codec: &'static dyn Codec,
}

impl Parse for CodedParser {
    fn parse(&self, text: &[u8]) -> Tree {
        self.parser.parse(text).with_faults(self.codec.faults(text))
    }

    fn errors(&self, text: &[u8]) -> u32 {
        self.parser.errors(text) + self.codec.faults(text)
    }

    fn errors_after(&self, base: &Tree, candidate: &Rendered) -> u32 {
        self.parser.errors_after(base, candidate) + self.codec.faults(&candidate.text)
    }
}

impl Reader for CodedParser {
    fn inner(&self) -> Option<&dyn Reader> {
        Some(&*self.reader)
    }

    fn canonical_form(&self, file: &[u8]) -> Option<Vec<u8>> {
        let text = self.codec.decode(file)?;
        Some(self.reader.canonical_form(&text).unwrap_or(text))
    }

    fn file_of<'t>(&self, text: &'t [u8]) -> Option<Cow<'t, [u8]>> {
        // The text may be that of another form, such as of a module that is compressed.
        let inner = self.reader.file_of(text)?;
        match self.codec.is_binary() {
            true => self.codec.encode(&inner).map(Cow::Owned),
            false => Some(inner),
        }
    }

    fn is_strict(&self) -> bool {
        true
    }
}
