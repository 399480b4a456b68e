//! Our names for a grammar's symbols and fields, and what is special about each kind.

use std::collections::BTreeSet;
use std::num::NonZeroU16;
use std::sync::Arc;

use minirepro_syntax::{Facts, FactsError, Field, Kind, Kinds};
use tree_sitter::{Language, Node};

use crate::manifest::schema::{Manifest, Retag};
use crate::plain::tokenizer::Lexing;
use crate::plain::word_nodes::WordNodes;

/// Our names for a grammar's symbols.
pub(crate) struct Symbols {
    pub(crate) kinds: Arc<Kinds>,
    /// What each grammar calls them.
    tables: Vec<Table>,
    pub(super) error: Kind,
    pub(super) hidden: Kind,
    /// Kinds that become leaves although the grammar splits them.
    atoms: BTreeSet<Kind>,
    /// Kinds that are split into words although the grammar does not split them.
    pub(super) split: BTreeSet<Kind>,
    /// Kinds whose facts mention hidden tokens, which are thus no extras.
    pub(super) with_hidden: BTreeSet<Kind>,
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
        let numbers = |count| (0..=u16::MAX).take(count);
        let name = |id| language.node_kind_for_id(id).unwrap_or_default();
        let symbols = numbers(language.node_kind_count());
        let symbols = symbols.map(|id| kinds.intern(name(id), language.node_kind_is_named(id)));
        let symbols = symbols.collect();
        let fields = numbers(language.field_count() + 1).map(|id| language.field_name_for_id(id));
        let fields = fields.map(|name| name.map(|name| kinds.intern_field(name))).collect();
        Self { symbols, fields }
    }
}

/// Leaves of a kind are of another one, unless they have one of these texts.
struct Retagged {
    from: Kind,
    to: Kind,
    unless: Vec<String>,
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
        let facts = format!("{facts}\n{}", WordNodes::facts(word, split));
        let facts = Facts::parse(&facts, kinds)?;
        // A manifest may name kinds that the grammar does not have, so all are known before they
        // are counted.
        let [atoms, split] =
            [atoms, split].map(|names| names.iter().map(|name| kinds.intern(name, true)).collect());
        let retag = manifest.retag.iter().map(|Retag { kind, to, unless }| Retagged {
            from: kinds.intern(kind, true),
            to: kinds.intern(to, true),
            unless: unless.clone(),
        });
        let retag = retag.collect();
        let mentions_hidden =
            |kind: &Kind| facts.automaton(*kind).is_some_and(|automaton| automaton.has(hidden));
        let with_hidden = (0..).map(Kind).take(kinds.count()).filter(mentions_hidden).collect();
        let (kinds, lexing) = (Arc::new(kinds.clone()), *lexing);
        let symbols =
            Self { kinds, tables, error, hidden, atoms, split, with_hidden, words, lexing, retag };
        Ok((symbols, facts))
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
        (self.atoms.contains(&kind) || self.split.contains(&kind)) && !node.has_error()
    }
}
