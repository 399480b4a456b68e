//! A language as plain data, with its parser.

use std::any::Any;
use std::sync::Arc;

use crate::edit::render::simple_tokens;
use crate::{Facts, Interruption, Kinds, Parse, Reader, Roles, Spacing};

/// Everything that passes and the engine know of a language.
pub struct Language {
    /// The name for `--lang`.
    pub name: String,
    /// The table of kinds.
    pub kinds: Arc<Kinds>,
    /// What the grammar allows; empty when nothing is known.
    pub facts: Facts,
    /// The blank space in candidates.
    pub spacing: Spacing,
    /// Which kinds play which role.
    pub roles: Roles,
    /// The parser.
    pub parser: Arc<dyn Parse>,
    /// What only readers of the language can tell.
    pub reader: Arc<dyn Reader>,
    /// The passes that are rules, as the crate `rules` packs them.
    pub rules: Arc<dyn Any + Send + Sync>,
    /// Asked by all that takes long: parsing, proposals, candidates.
    pub interruption: Interruption,
}

/// A text and the number of its tokens.
#[derive(Clone, Copy, Debug)]
pub struct TextWithSize<'a> {
    /// How many tokens it has.
    pub tokens: u64,
    /// The text.
    pub text: &'a [u8],
}

impl Language {
    /// Makes a language of its parser, which leaves all blank space as it is and knows of no names
    /// but leaves.
    pub fn plain(
        name: impl Into<String>,
        kinds: Arc<Kinds>,
        facts: Facts,
        roles: Roles,
        parser: Arc<impl Parse + Reader + 'static>,
    ) -> Self {
        Self {
            name: name.into(),
            kinds,
            facts,
            spacing: Spacing::NONE,
            roles,
            reader: parser.clone(),
            parser,
            rules: Arc::new(()),
            interruption: Interruption::default(),
        }
    }

    /// Returns how many tokens a piece of text has for which there is no tree yet.
    pub fn tokens(&self, text: &[u8]) -> u64 {
        self.reader.tokens(text).unwrap_or_else(|| simple_tokens(text).count() as u64)
    }

    /// Returns whether `new` comes before `old` in the order of acceptance: fewer tokens; then
    /// fewer faults, where readers refuse no text; then fewer bytes; then the order of the bytes.
    /// Faults are only looked for where the numbers of tokens are equal.
    pub fn is_smaller(&self, new: TextWithSize<'_>, old: TextWithSize<'_>) -> bool {
        if new.tokens != old.tokens || new.text == old.text {
            return new.tokens < old.tokens;
        }
        let faults = |text: &[u8]| self.reader.parse_errors(text).map(|errors| errors.count());
        let key = |text| (faults(text).unwrap_or(0), <[u8]>::len(text));
        (key(new.text), new.text) < (key(old.text), old.text)
    }
}

impl std::fmt::Debug for Language {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Language").field("name", &self.name).finish_non_exhaustive()
    }
}
