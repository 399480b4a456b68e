//! Selectors: which nodes are meant.

use std::collections::BTreeSet;
use std::sync::Arc;

use minirepro_syntax::{Field, Kind, NodeId, Role};

use crate::compile::{Compiler, Read, RuleError};
use crate::query::{Capture, Captured};
use crate::world::View;

/// Nodes that fit one of these, or if negated none of them; any node if there are none.
#[derive(Clone, Debug, Default)]
pub(crate) struct Selector {
    pub(crate) negated: bool,
    pub(crate) any: Vec<Wanted>,
}

/// Which nodes are meant.
#[derive(Clone, Debug)]
pub(crate) enum Wanted {
    /// Those that play a role.
    Role(Role),
    /// Those of a kind.
    Kind(Kind),
    /// `field:NAME`: those that stand in a field of their parent.
    Field(Vec<Field>),
    /// `name`: names.
    Name,
    /// `droppable`: those that the grammar can do without.
    Droppable,
    /// `token`: single tokens.
    Token,
    /// `_`: all.
    All,
    /// In queries: parts, or signs.
    Named(bool),
    /// `'TEXT'`: those that read like this.
    Text(Arc<[u8]>),
    /// `A`: those that read like one of the captured nodes.
    Like(Capture),
}

impl From<Wanted> for Selector {
    fn from(wanted: Wanted) -> Self {
        Self { negated: false, any: vec![wanted] }
    }
}

impl Selector {
    /// Returns whether a node is meant.
    pub(crate) fn fits(&self, view: View<'_>, captured: &Captured, node: NodeId) -> bool {
        let tree = view.tree;
        let is_wanted = |wanted: &Wanted| match wanted {
            Wanted::Role(role) => view.is(*role, node),
            Wanted::Kind(kind) => tree.kind(node) == *kind,
            Wanted::Field(fields) => view.is_in(fields, node),
            Wanted::Name => view.is_name(node),
            Wanted::Droppable => view.world.is_droppable(node),
            Wanted::Token => tree.tokens(node) <= 1,
            Wanted::All => true,
            Wanted::Named(is_named) => tree.is_named(node) == *is_named,
            Wanted::Text(text) => tree.text_of(node) == &**text,
            Wanted::Like(capture) => {
                let mut nodes = captured.nodes(*capture).iter();
                nodes.any(|&other| tree.text_of(other) == tree.text_of(node))
            }
        };
        self.any.is_empty() || self.any.iter().any(is_wanted) != self.negated
    }

    /// Returns the nodes of the captures that are meant, where they themselves are, not what they
    /// read like.
    pub(crate) fn captured<'c>(&self, captured: &'c Captured) -> &'c [NodeId] {
        match self.any[..] {
            [Wanted::Like(capture)] => captured.nodes(capture),
            _ => &[],
        }
    }

    /// Returns the kinds that are meant; those of a role that no kind plays are none. `None` if
    /// more than kinds decide.
    pub(crate) fn kinds(&self, compiler: &Compiler<'_>) -> Option<BTreeSet<Kind>> {
        let mut kinds = BTreeSet::new();
        for wanted in &self.any {
            match wanted {
                Wanted::Role(role) => kinds.extend(compiler.language.roles.kinds(*role)),
                Wanted::Kind(kind) => drop(kinds.insert(*kind)),
                _ => return None,
            }
        }
        Some(kinds).filter(|_| !self.any.is_empty() && !self.negated)
    }
}

impl Compiler<'_> {
    /// Reads a selector: `a | b`, or `!a | b` for all others.
    pub(crate) fn selector(&mut self, text: &str) -> Read<Selector> {
        let negated = text.trim_start().starts_with('!');
        let names = text.trim_start_matches([' ', '!']).split('|').map(str::trim);
        let mut any = Vec::new();
        for name in names.filter(|name| !name.is_empty()) {
            let alone = [name.to_owned()];
            for name in self.grammar.sets.get(name).map_or(&alone[..], Vec::as_slice) {
                any.push(self.wanted(name)?);
            }
        }
        Ok(Selector { negated, any })
    }

    fn wanted(&mut self, name: &str) -> Read<Wanted> {
        Ok(match (name, name.split_once(':'), name.parse()) {
            ("name", ..) => Wanted::Name,
            ("droppable", ..) => Wanted::Droppable,
            ("token", ..) => Wanted::Token,
            ("_", ..) => Wanted::All,
            (_, Some(("field", name)), _) => Wanted::Field(self.fields(name)?),
            (_, Some(("kind", name)), _) => Wanted::Kind(self.kind(name)?),
            _ if name.starts_with('\'') => Wanted::Text(name.trim_matches('\'').as_bytes().into()),
            _ if name.starts_with(|first: char| first == '$' || first.is_ascii_uppercase()) => {
                Wanted::Like(self.capture(name)?)
            }
            (_, _, Ok(role)) => Wanted::Role(role),
            _ => Wanted::Kind(self.kind(name)?),
        })
    }

    pub(crate) fn kind(&self, name: &str) -> Read<Kind> {
        let kinds = &self.language.kinds;
        kinds.named(name).ok_or_else(|| {
            let names = kinds.all_beginning("").map(|kind| kinds.name(kind));
            let names = names.chain(Role::ALL.iter().map(|role| role.name()));
            let near = nearest(name, names);
            RuleError(format!("the grammar has no kind, and no language has a role `{name}`{near}"))
        })
    }

    /// Returns the fields of a name: those that play its part in all languages, and the grammar's
    /// own.
    pub(crate) fn fields(&self, name: &str) -> Read<Vec<Field>> {
        let role = name.parse().map(|role| self.language.roles.fields(role));
        match (role, self.language.kinds.field(name)) {
            (Err(_), None) => Err(RuleError(format!("the grammar has no field `{name}`"))),
            (role, own) => Ok(role.into_iter().flatten().copied().chain(own).collect()),
        }
    }
}

/// Returns the name that is most like another one, in words.
pub(crate) fn nearest<'n>(name: &str, names: impl Iterator<Item = &'n str>) -> String {
    let close = names.map(|known| (strsim::jaro_winkler(name, known), known));
    let close =
        close.filter(|(likeness, _)| *likeness > 0.7).max_by(|(a, _), (b, _)| a.total_cmp(b));
    close.map_or_else(String::new, |(_, known)| format!(": did you mean `{known}`?"))
}
