//! Names of node kinds, as small numbers. Knows no grammar.

use std::collections::HashMap;

/// The kind of a node: an index into [`Kinds`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Kind(pub u16);

/// The table of all kinds of one language. Named kinds (`if_statement`) and anonymous tokens
/// (`"if"`) with the same spelling are different kinds.
#[derive(Clone, Debug, Default)]
pub struct Kinds {
    names: Vec<(String, bool)>,
    index: HashMap<(String, bool), Kind>,
}

impl Kinds {
    /// Finds the kind or adds it.
    ///
    /// # Panics
    /// When there are more than 65,535 kinds, which no grammar has.
    pub fn intern(&mut self, name: &str, named: bool) -> Kind {
        if let Some(kind) = self.get(name, named) {
            return kind;
        }
        let kind = Kind(u16::try_from(self.names.len()).expect("at most 65,535 kinds"));
        self.names.push((name.to_owned(), named));
        self.index.insert((name.to_owned(), named), kind);
        kind
    }

    /// The kind of that name, if the table has it.
    pub fn get(&self, name: &str, named: bool) -> Option<Kind> {
        self.index.get(&(name.to_owned(), named)).copied()
    }

    /// The named kind of that name, if the table has it.
    pub fn named(&self, name: &str) -> Option<Kind> {
        self.get(name, true)
    }

    /// The spelling of a kind.
    pub fn name(&self, kind: Kind) -> &str {
        &self.names[usize::from(kind.0)].0
    }

    /// Whether the kind is named (a rule of the grammar), not a token that stands for itself.
    pub fn is_named(&self, kind: Kind) -> bool {
        self.names[usize::from(kind.0)].1
    }

    /// How many kinds there are.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Whether the table is empty.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }
}
