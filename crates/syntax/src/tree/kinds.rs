//! Names of node kinds and of fields, as small numbers.

use std::num::NonZeroU8;

use rustc_hash::FxHashMap;

/// The kind of a node: an index into [`Kinds`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Kind(pub u16);

/// The part that a node plays in its parent, as the grammar names it (the `body` of a function): a
/// number in [`Kinds`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Field(NonZeroU8);

/// The table of all kinds of one language, and of all fields. Named kinds (`if_statement`) and
/// anonymous tokens (`"if"`) with the same spelling are different kinds.
#[derive(Clone, Debug, Default)]
pub struct Kinds {
    names: Vec<(String, bool)>,
    /// By spelling: the token that stands for itself, and the rule of the grammar.
    index: FxHashMap<String, [Option<Kind>; 2]>,
    fields: Vec<String>,
}

impl Kinds {
    /// Finds the kind or adds it.
    ///
    /// # Panics
    /// If there are more than 65,535 kinds, which no grammar has.
    pub fn intern(&mut self, name: &str, named: bool) -> Kind {
        if let Some(kind) = self.get(name, named) {
            return kind;
        }
        let kind = Kind(u16::try_from(self.names.len()).expect("at most 65,535 kinds"));
        self.names.push((name.to_owned(), named));
        self.index.entry(name.to_owned()).or_default()[usize::from(named)] = Some(kind);
        kind
    }

    /// Finds the field of that name or adds it.
    ///
    /// # Panics
    /// If there are more than 255 fields, which no grammar has.
    pub fn intern_field(&mut self, name: &str) -> Field {
        if let Some(field) = self.field(name) {
            return field;
        }
        self.fields.push(name.to_owned());
        let number = u8::try_from(self.fields.len()).ok().and_then(NonZeroU8::new);
        Field(number.expect("at most 255 fields"))
    }

    /// Returns the field of that name, if the table has it.
    pub fn field(&self, name: &str) -> Option<Field> {
        let index = self.fields.iter().position(|known| known == name)?;
        u8::try_from(index + 1).ok().and_then(NonZeroU8::new).map(Field)
    }

    /// Returns the name of a field.
    pub fn field_name(&self, field: Field) -> &str {
        &self.fields[usize::from(field.0.get()) - 1]
    }

    /// Returns the names of all fields, in the order of their numbers.
    pub fn field_names(&self) -> impl Iterator<Item = &str> {
        self.fields.iter().map(String::as_str)
    }

    /// Returns the kind of that name, if the table has it.
    pub fn get(&self, name: &str, named: bool) -> Option<Kind> {
        self.index.get(name)?[usize::from(named)]
    }

    /// Returns the named kind of that name, if the table has it.
    pub fn named(&self, name: &str) -> Option<Kind> {
        self.get(name, true)
    }

    /// Returns the spelling of a kind.
    pub fn name(&self, kind: Kind) -> &str {
        &self.names[usize::from(kind.0)].0
    }

    /// Returns whether the kind is named (a rule of the grammar), not a token that stands for
    /// itself.
    pub fn is_named(&self, kind: Kind) -> bool {
        self.names[usize::from(kind.0)].1
    }

    /// Returns how many kinds there are.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Returns whether the table is empty.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }
}
