//! What a manifest says about the kinds and fields of a grammar.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde::Deserialize;
use serde_bytes::ByteBuf;

use crate::{Field, FieldRole, Kind, Role};

/// A text that may stand for a whole node, and its kind in the tree.
pub type Placeholder = (Arc<[u8]>, Option<Kind>);

/// Texts that stand for nodes of some kinds only where a condition holds; then no others do.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SpecialPlaceholders {
    /// The node is a value of one of these properties; any node, if there are none.
    pub properties: BTreeSet<Vec<u8>>,
    /// The node begins with one of these texts; with anything, if there are none.
    pub begins: Vec<Arc<[u8]>>,
    /// The texts, smallest first.
    pub texts: Vec<Placeholder>,
}

/// The tokens that passes write themselves. A pass that lacks one of its tokens proposes nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Tokens {
    /// Ends a statement or a declaration.
    pub statement_end: Option<ByteBuf>,
    /// Two signs, which stand before and after an expression that must not be torn apart.
    pub brackets: Option<ByteBuf>,
    /// Begins an end tag.
    pub end_tag_start: Option<ByteBuf>,
    /// Bytes before and after a name that do not belong to it: `%a` and `a:` mean the same.
    pub sigils: Option<ByteBuf>,
    /// Texts for room that is as high as the 0 in them says, each with a text that stands before
    /// what is shown.
    pub room: Vec<[ByteBuf; 2]>,
    /// Whether readers know the words of a text: a part of one, or another name, says nothing to
    /// them.
    pub fixed_words: bool,
    /// Whether edits treat all between two blanks as one word, as in text without a grammar.
    pub spaced_words: bool,
    /// Whether a tag is dropped as a whole or not at all, since readers take what is left of one
    /// for text; and no edit may break what is well-formed inside.
    pub whole_tags: bool,
    /// Whether the least type need not be said: of a variable outside of all functions, and of
    /// parameters if none has another.
    pub implied_type: bool,
}

fn fill(own: &mut Option<ByteBuf>, other: &Option<ByteBuf>) {
    *own = own.take().or_else(|| other.clone());
}

/// The kinds of nodes in a directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileKinds {
    /// A file: its path, and what it holds.
    pub file: Kind,
    /// The path of a file.
    pub head: Kind,
}

/// How style rules and elements find each other: what pages and style sheets say together.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Styles {
    /// The name of the attribute that holds declarations.
    pub attribute: Option<ByteBuf>,
    /// The name of the attribute that gives an element its name.
    pub id: Option<ByteBuf>,
    /// The name of the attribute that gives an element its classes.
    pub class: Option<ByteBuf>,
    /// An element that has nothing of its own.
    pub element: Option<ByteBuf>,
    /// Elements that are never seen, whatever a rule says.
    pub unseen: BTreeSet<String>,
}

impl Styles {
    /// Takes over what another language says and this one does not.
    pub fn complete(&mut self, other: &Self) {
        fill(&mut self.attribute, &other.attribute);
        fill(&mut self.id, &other.id);
        fill(&mut self.class, &other.class);
        fill(&mut self.element, &other.element);
        self.unseen.extend(other.unseen.iter().cloned());
    }
}

/// Which kinds play which role: read from `grammars/<lang>/language.toml`.
#[derive(Clone, Debug, Default)]
pub struct Roles {
    /// For each kind, by its number, a bit for each role.
    roles_of: Vec<u128>,
    /// The fields that play each field role, by its number.
    fields: [Vec<Field>; FieldRole::ALL.len()],
    /// Texts that may stand for a whole node of a kind, smallest first.
    pub placeholders: BTreeMap<Kind, Vec<Placeholder>>,
    /// Those that hold instead of these under a condition. Of several that fit a node, the first
    /// counts.
    pub special_placeholders: BTreeMap<Kind, Vec<SpecialPlaceholders>>,
    /// Children that the grammar accepts but the language does not, by the kind of the parent.
    pub forbidden: BTreeMap<Kind, BTreeSet<Kind>>,
    /// The files of a directory, where the text is one.
    pub files: Option<FileKinds>,
    /// What a file is called, without its suffix, that stands for the directory it lies in.
    pub folder_files: BTreeSet<Vec<u8>>,
    /// The names that a token refers to without containing them.
    pub mentioned: BTreeMap<Vec<u8>, Vec<Vec<u8>>>,
    /// The tokens that passes write themselves.
    pub tokens: Tokens,
    /// Those of the languages in a directory, by all kinds of each.
    pub tokens_of: BTreeMap<Kind, Arc<Tokens>>,
    /// How style rules and elements find each other.
    pub styles: Styles,
}

const _: () = assert!(Role::ALL.len() <= u128::BITS as usize, "each role has a bit");

impl Roles {
    /// Returns whether nodes of `kind` play `role`.
    pub fn is(&self, role: Role, kind: Kind) -> bool {
        self.roles_of.get(usize::from(kind.0)).is_some_and(|roles| roles >> role as u32 & 1 == 1)
    }

    /// Lets nodes of `kind` play `role`.
    pub fn assign(&mut self, role: Role, kind: Kind) {
        let index = usize::from(kind.0);
        self.roles_of.resize(self.roles_of.len().max(index + 1), 0);
        self.roles_of[index] |= 1 << role as u32;
    }

    /// Takes over what a language inside says, whose kinds are in the same table.
    pub fn adopt(&mut self, other: &Self) {
        self.roles_of.resize(self.roles_of.len().max(other.roles_of.len()), 0);
        self.roles_of.iter_mut().zip(&other.roles_of).for_each(|(own, more)| *own |= more);
        for &role in FieldRole::ALL {
            other.fields(role).iter().for_each(|&field| self.assign_field(role, field));
        }
        for (&kind, texts) in &other.placeholders {
            self.placeholders.entry(kind).or_default().extend(texts.iter().cloned());
        }
        for (&kind, specials) in &other.special_placeholders {
            self.special_placeholders.entry(kind).or_default().extend(specials.iter().cloned());
        }
        self.folder_files.extend(other.folder_files.iter().cloned());
        self.styles.complete(&other.styles);
        fill(&mut self.tokens.brackets, &other.tokens.brackets);
    }

    /// Returns the kinds that play `role`, in their order.
    pub fn kinds(&self, role: Role) -> impl Iterator<Item = Kind> + '_ {
        let all = (0..=u16::MAX).zip(&self.roles_of).map(|(number, _)| Kind(number));
        all.filter(move |&kind| self.is(role, kind))
    }

    /// Returns the fields that play `role`.
    pub fn fields(&self, role: FieldRole) -> &[Field] {
        &self.fields[role as usize]
    }

    /// Lets `field` play `role`.
    pub fn assign_field(&mut self, role: FieldRole, field: Field) {
        let fields = &mut self.fields[role as usize];
        if !fields.contains(&field) {
            fields.push(field);
        }
    }

    /// Returns whether any kind plays `role`.
    pub fn is_played(&self, role: Role) -> bool {
        self.kinds(role).next().is_some()
    }
}
