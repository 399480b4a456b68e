//! Our names for a grammar's symbols and fields, and what is special about each kind.

use std::num::NonZeroU16;
use std::sync::Arc;

use minirepro_syntax::{Facts, FactsError, Field, Kind, Kinds};
use tree_sitter::{Language, Node};

use crate::manifest::schema::{Manifest, Retag};
use crate::plain::tokenizer::Lexing;
use crate::plain::word_nodes::WordNodes;

/// Our names for a grammar's symbols.
pub(super) struct Symbols {
    pub(super) kinds: Arc<Kinds>,
    /// What each grammar calls them.
    tables: Vec<Table>,
    pub(super) error: Kind,
    pub(super) hidden: Kind,
    /// What is special about each of our kinds.
    traits: Vec<Traits>,
    pub(super) words: WordNodes,
    pub(super) lexing: Lexing,
    retag: Vec<Retagged>,
}

/// Our names for what one grammar numbers.
struct Table {
    /// Our kind for each of the grammar's symbols.
    symbols: Vec<Kind>,
    /// Our field for each of the grammar's; they begin with number 1.
    fields: Vec<Option<Field>>,
}

impl Table {
    fn new(language: &Language, kinds: &mut Kinds) -> Self {
        let count = u16::try_from(language.node_kind_count()).expect("symbols are u16");
        let symbols = (0..count)
            .map(|id| {
                let name = language.node_kind_for_id(id).unwrap_or_default();
                kinds.intern(name, language.node_kind_is_named(id))
            })
            .collect();
        let last_field = u16::try_from(language.field_count()).expect("fields are u16");
        let fields = (0..=last_field)
            .map(|id| language.field_name_for_id(id).map(|name| kinds.intern_field(name)))
            .collect();
        Self { symbols, fields }
    }
}

/// Leaves of a kind are of another one, unless they have one of these texts.
struct Retagged {
    from: Kind,
    to: Kind,
    unless: Vec<String>,
}

/// What is special about a kind.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Traits {
    /// It becomes a leaf although the grammar splits it.
    atom: bool,
    /// It is split into words although the grammar does not split it.
    pub(super) split: bool,
    /// Its facts mention hidden tokens, which are thus no extras.
    pub(super) with_hidden: bool,
}

impl Symbols {
    /// Names the symbols of grammars, and reads `facts` with those about text that is split.
    ///
    /// # Errors
    /// If the facts are wrong.
    pub(super) fn new(
        grammars: &[Language],
        manifest: &Manifest,
        facts: &str,
        kinds: &mut Kinds,
    ) -> Result<(Self, Facts), FactsError> {
        let Manifest { atoms, split_into_words: split, lexing, word_kind, .. } = manifest;
        let word = word_kind.as_deref();
        let tables = grammars.iter().map(|grammar| Table::new(grammar, kinds)).collect();
        let error = kinds.intern("ERROR", true);
        let hidden = kinds.intern("hidden", true);
        let words = WordNodes::new(kinds, *lexing, word);
        let parts = manifest.part.iter().map(|part| format!("{} = {}\n", part.name, part.is));
        let parts: String = parts.collect();
        let facts = format!("{facts}\n{}{parts}", WordNodes::facts(word, split));
        let facts = Facts::parse(&facts, kinds)?;
        // A manifest may name kinds that the grammar does not have, so all are known before they
        // are counted.
        let [atoms, split] = [atoms, split]
            .map(|names| names.iter().map(|name| kinds.intern(name, true)).collect::<Vec<Kind>>());
        let retag = manifest.retag.iter().map(|Retag { kind, to, unless }| Retagged {
            from: kinds.intern(kind, true),
            to: kinds.intern(to, true),
            unless: unless.clone(),
        });
        let retag = retag.collect();
        let traits = (0..).map(Kind).take(kinds.len()).map(|kind| Traits {
            atom: atoms.contains(&kind),
            split: split.contains(&kind),
            with_hidden: facts.automaton(kind).is_some_and(|automaton| automaton.has(hidden)),
        });
        let traits = traits.collect();
        let kinds = Arc::new(kinds.clone());
        let symbols = Self { kinds, tables, error, hidden, traits, words, lexing: *lexing, retag };
        Ok((symbols, facts))
    }

    pub(super) fn traits(&self, kind: Kind) -> Traits {
        self.traits[usize::from(kind.0)]
    }

    /// Returns the kind of a node in a tree of the grammar of this number.
    pub(super) fn kind(&self, grammar: usize, node: Node<'_>) -> Kind {
        if node.is_error() {
            return self.error;
        }
        let symbols = &self.tables[grammar].symbols;
        symbols.get(usize::from(node.kind_id())).copied().unwrap_or(self.error)
    }

    /// Returns our field for one of the grammar of this number.
    pub(super) fn field(&self, grammar: usize, id: Option<NonZeroU16>) -> Option<Field> {
        *self.tables[grammar].fields.get(usize::from(id?.get()))?
    }

    /// Returns the kind of a leaf with this text.
    pub(super) fn leaf_kind(&self, kind: Kind, text: &[u8]) -> Kind {
        let is_right = |retag: &Retagged| retag.unless.iter().any(|word| word.as_bytes() == text);
        match self.retag.iter().find(|retag| retag.from == kind) {
            Some(retag) if !text.is_empty() && !is_right(retag) => retag.to,
            _ => kind,
        }
    }

    /// Returns whether our tree leaves out what the grammar has below the node.
    pub(super) fn is_closed(&self, node: Node<'_>, kind: Kind) -> bool {
        let Traits { atom, split, .. } = self.traits(kind);
        (atom || split) && !node.has_error()
    }
}
