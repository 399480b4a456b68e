//! Names of node kinds and of fields, as small numbers.

use std::borrow::Cow;
use std::num::NonZeroU16;

use rustc_hash::FxHashMap;

/// The kind of a node: an index into [`Kinds`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Kind(pub u16);

/// The part that a node plays in its parent, as the grammar names it (the `body` of a function): a
/// number of 12 bits in [`Kinds`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Field(pub(crate) NonZeroU16);

/// The table of all kinds of a language and of those inside of it, and of all fields. Named kinds
/// (`if_statement`) and anonymous tokens (`"if"`) with the same spelling are different kinds. What
/// a language inside calls `rule_set` is called `css_rule_set` in the whole.
#[derive(Clone, Debug, Default)]
pub struct Kinds {
    names: Vec<(String, bool)>,
    /// By spelling: the token that stands for itself, and the rule of the grammar.
    index: FxHashMap<String, [Option<Kind>; 2]>,
    fields: Vec<String>,
    /// What the named kinds of the language begin with that the table is looked at by.
    prefix: String,
}

impl Kinds {
    /// Lets `read` have the table as a language of this name inside has it: by its own names.
    pub fn within<T>(&mut self, language: &str, read: impl FnOnce(&mut Self) -> T) -> T {
        let inner = prefix(&self.prefix, language);
        let outer = std::mem::replace(&mut self.prefix, inner);
        let result = read(self);
        self.prefix = outer;
        result
    }

    /// Returns what a kind is called in the whole.
    fn whole_name<'n>(&self, name: &'n str, named: bool) -> Cow<'n, str> {
        match named && !self.prefix.is_empty() {
            true => format!("{}{name}", self.prefix).into(),
            false => name.into(),
        }
    }

    /// Finds the kind or adds it.
    ///
    /// # Panics
    /// If there are more than 65,535 kinds, which no grammar has.
    pub fn intern(&mut self, name: &str, named: bool) -> Kind {
        if let Some(kind) = self.get(name, named) {
            return kind;
        }
        let kind = Kind(u16::try_from(self.names.len()).expect("at most 65,535 kinds"));
        let name = self.whole_name(name, named).into_owned();
        self.index.entry(name.clone()).or_default()[usize::from(named)] = Some(kind);
        self.names.push((name, named));
        kind
    }

    /// Finds the field of that name or adds it.
    ///
    /// # Panics
    /// If there are more than 4,095 fields, which no grammar has.
    pub fn intern_field(&mut self, name: &str) -> Field {
        if let Some(field) = self.field(name) {
            return field;
        }
        self.fields.push(name.to_owned());
        assert!(self.fields.len() < 1 << 12, "at most 4,095 fields");
        self.field(name).expect("it was added")
    }

    /// Returns the field of that name, if the table has it.
    pub fn field(&self, name: &str) -> Option<Field> {
        let index = self.fields.iter().position(|known| known == name)?;
        u16::try_from(index + 1).ok().and_then(NonZeroU16::new).map(Field)
    }

    /// Returns the name of a field.
    pub fn field_name(&self, field: Field) -> &str {
        &self.fields[usize::from(field.0.get()) - 1]
    }

    /// Returns the kind of that name, if the table has it.
    pub fn get(&self, name: &str, named: bool) -> Option<Kind> {
        self.index.get(&*self.whole_name(name, named))?[usize::from(named)]
    }

    /// Returns the named kind of that name, if the table has it.
    pub fn named(&self, name: &str) -> Option<Kind> {
        self.get(name, true)
    }

    /// Returns the spelling of a kind in the whole.
    pub fn name(&self, kind: Kind) -> &str {
        &self.names[usize::from(kind.0)].0
    }

    /// Returns whether the kind is named (a rule of the grammar), not a token that stands for
    /// itself.
    pub fn is_named(&self, kind: Kind) -> bool {
        self.names[usize::from(kind.0)].1
    }

    /// Returns the named kinds of a language of this name inside.
    pub fn all_within(&self, language: &str) -> impl Iterator<Item = Kind> + use<'_> {
        self.all_beginning(&prefix("", language))
    }

    /// Returns the named kinds whose names begin so.
    pub fn all_beginning(&self, beginning: &str) -> impl Iterator<Item = Kind> + use<'_> {
        let prefix = format!("{}{beginning}", self.prefix);
        let all = (0..=u16::MAX).zip(&self.names);
        let own = all.filter(move |(_, (name, named))| *named && name.starts_with(&prefix));
        own.map(|(number, _)| Kind(number))
    }

    /// Returns how many kinds there are.
    pub fn count(&self) -> usize {
        self.names.len()
    }
}

/// Returns what the kinds of a language inside of another begin with.
fn prefix(outer: &str, language: &str) -> String {
    // A name of a kind is one word: the language may be called `gzip:c`.
    let name = language.replace(|c: char| !c.is_ascii_alphanumeric(), "_");
    format!("{outer}{name}_")
}
