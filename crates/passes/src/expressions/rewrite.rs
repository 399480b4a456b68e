//! Gives a node another form that its language's manifest offers, with parts of it in new places.

use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use minirepro_syntax::{
    Capture, Captures, Change, Edits, NodeId, Piece, Rewrite, Role, TemplatePart, name_in,
};

use crate::framework::slots::Place;
use crate::framework::style_rules::Declared;
use crate::{Item, PassContext, Proposal, Reference, Strategy};

/// Proposes every form of every node that is smaller and that the place takes, smallest result
/// first. Forms of as many tokens may have fewer bytes.
pub(crate) fn propose(context: &PassContext<'_>) -> Option<Proposal> {
    let mut items = all(context, false);
    items.sort_by_key(|item| std::cmp::Reverse(item.weight));
    Proposal::new(context.untried(items), Strategy::Gallop)
}

/// Proposes every form of every node that is not smaller.
pub(crate) fn propose_larger(context: &PassContext<'_>) -> Option<Proposal> {
    Proposal::new(context.untried(all(context, true)), Strategy::Single)
}

/// Proposes the smaller forms that the manifest calls early, all of them at once first.
pub(crate) fn propose_early(context: &PassContext<'_>) -> Option<Proposal> {
    let rewrites = context.language.roles.rewrites.values().flatten();
    if !rewrites.clone().any(|rewrite| rewrite.early) {
        return None;
    }
    let nodes = context.ids().rev().filter(|&id| id != NodeId::ROOT);
    let elsewhere = Elsewhere::default();
    // Two forms of one node would contradict each other.
    let early =
        |id| items(context, &elsewhere, id, false, |rewrite| rewrite.early).into_iter().next();
    let items = nodes.flat_map(early).collect();
    Proposal::new(context.untried(items), Strategy::All)
}

fn all(context: &PassContext<'_>, larger: bool) -> Vec<Item> {
    let nodes = context.ids().rev().filter(|&id| id != NodeId::ROOT);
    let elsewhere = Elsewhere::default();
    nodes.flat_map(|id| items(context, &elsewhere, id, larger, |_| true)).collect()
}

fn items(
    context: &PassContext<'_>,
    elsewhere: &Elsewhere,
    id: NodeId,
    larger: bool,
    is_meant: impl Fn(&Rewrite) -> bool,
) -> Vec<Item> {
    let tree = context.tree;
    let Some(rewrites) = context.language.roles.rewrites.get(&tree.kind(id)) else {
        return Vec::new();
    };
    let place = Place::of(context, id);
    let own = tree.tokens(id);
    let roles = &context.language.roles;
    let mut items = Vec::new();
    let is_wanted = |rewrite: &&Rewrite| {
        is_meant(rewrite)
            && rewrite.effort <= context.effort
            && rewrite.kind.is_none_or(|kind| place.takes([kind]))
    };
    for rewrite in rewrites.iter().filter(is_wanted) {
        for captures in rewrite.matches(tree, |role, kind| roles.is(role, kind), id) {
            for put in elsewhere.puts(context, rewrite, &captures) {
                let Some(form) = Form::of(context, rewrite, &captures, &put) else { continue };
                let is_wanted = if larger { form.tokens >= own } else { form.tokens <= own };
                if is_wanted {
                    let weight = own.saturating_sub(form.tokens);
                    items.push(Item::new(Edits::one(id, form.change), weight).by(&rewrite.rule));
                }
            }
        }
    }
    items
}

/// More names than these would be too many forms of one node.
const FEW_NAMES: usize = 2;

/// What a rewrite puts into a form from elsewhere in the document.
enum Put<'a> {
    Nothing,
    /// A name that something has.
    Name(Vec<u8>),
    /// A declaration of a style.
    Declaration(&'a Declared),
}

type Names = Rc<[Vec<u8>]>;

/// What stands elsewhere in the document, found when it is asked for the first time.
#[derive(Default)]
struct Elsewhere {
    declared: OnceCell<Vec<Declared>>,
    /// The first names of each namespace.
    names: RefCell<HashMap<Arc<str>, Names>>,
}

impl Elsewhere {
    /// Returns what a rewrite puts from elsewhere, one for each form.
    fn puts<'c>(
        &'c self,
        context: &PassContext<'_>,
        rewrite: &Rewrite,
        captures: &Captures,
    ) -> Vec<Put<'c>> {
        for part in &rewrite.template {
            match part {
                TemplatePart::NameOf(namespace) => {
                    let names = self.names(context, namespace);
                    return names.iter().map(|name| Put::Name(name.clone())).collect();
                }
                TemplatePart::DeclaredProperty(Capture(number)) => {
                    let Some(&class) = captures[*number].first() else { return Vec::new() };
                    let Some(class) = quoted(context.tree.text_of(class)) else {
                        return Vec::new();
                    };
                    let all = self.declared.get_or_init(|| Declared::all(context)).iter();
                    let own = all.filter(|of| of.classes.iter().any(|own| own == class));
                    return own.map(Put::Declaration).collect();
                }
                _ => {}
            }
        }
        vec![Put::Nothing]
    }

    /// Returns the first names of a namespace that something has and that can be names of a program, those that
    /// are mentioned most first.
    fn names(&self, context: &PassContext<'_>, namespace: &Arc<str>) -> Names {
        let mut known = self.names.borrow_mut();
        if let Some(names) = known.get(namespace) {
            return Rc::clone(names);
        }
        let is_given = |r: &&Reference| r.mentions.iter().any(|m| m.is_definition);
        let is_one = |r: &&Reference| r.namespace.name == **namespace;
        let given = context.references().iter().filter(is_one).filter(is_given);
        let names = given.map(|reference| &reference.name[..]);
        let mut names: Vec<&[u8]> = names.filter(|name| is_word(name)).collect();
        names.sort_by_key(|name| std::cmp::Reverse(context.index().mentions(name).len()));
        let few = names.into_iter().take(FEW_NAMES);
        let few: Names = few.map(<[u8]>::to_vec).collect();
        known.insert(Arc::clone(namespace), Rc::clone(&few));
        few
    }
}

/// Returns what a quoted text says.
fn quoted(text: &[u8]) -> Option<&[u8]> {
    match text {
        [b'"', inside @ .., b'"'] | [b'\'', inside @ .., b'\''] => Some(inside),
        _ => None,
    }
}

/// Returns whether a text can be a name of a program.
fn is_word(name: &[u8]) -> bool {
    name.first().is_some_and(|byte| !byte.is_ascii_digit())
        && name.iter().all(|&byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// A form that a node can take.
struct Form {
    change: Change,
    /// The tokens that it leaves.
    tokens: u32,
}

impl Form {
    /// Fills a rewrite's template; `None` if something in it was not captured.
    fn of(
        context: &PassContext<'_>,
        rewrite: &Rewrite,
        captures: &Captures,
        put: &Put<'_>,
    ) -> Option<Self> {
        let tree = context.tree;
        let mut form = Self { change: Change(Vec::new()), tokens: 0 };
        for part in &rewrite.template {
            match part {
                TemplatePart::Token(text) if rewrite.separator.as_ref() == Some(text) => {
                    form.separate(context, text);
                }
                TemplatePart::Token(text) => form.push(Piece::Text(text.clone(), None), 1),
                TemplatePart::Node(Capture(number)) => {
                    let &node = captures[*number].first()?;
                    form.push(Piece::Node(node), tree.tokens(node));
                }
                TemplatePart::Nodes(Capture(number)) => {
                    form.push_all(context, &captures[*number], rewrite);
                }
                TemplatePart::NameOf(_) => {
                    let Put::Name(name) = put else { return None };
                    form.push(Piece::Text(Arc::from(&name[..]), None), 1);
                }
                TemplatePart::DeclaredProperty(_) => {
                    let Put::Declaration(declared) = put else { return None };
                    let name = name_in(&[b"'", &declared.property[..], b"'"].concat())?;
                    form.push(Piece::Text(name.into(), None), 1);
                }
                TemplatePart::DeclaredValue(_) => {
                    let Put::Declaration(declared) = put else { return None };
                    let value = [b"'", &declared.value[..], b"'"].concat();
                    form.push(Piece::Text(value.into(), None), 1);
                }
                TemplatePart::NameIn(Capture(number)) => {
                    let name = name_in(tree.text_of(*captures[*number].first()?))?;
                    form.push(Piece::Text(name.into(), None), 1);
                }
            }
        }
        let is_node = |piece: &Piece| matches!(piece, Piece::Node(_));
        let is_as_said =
            matches!(form.change.0[..], [Piece::Node(id)] if Some(tree.kind(id)) == rewrite.kind);
        if rewrite.kind.is_some() && !is_as_said && form.change.0.iter().all(is_node) {
            // They become a node of another kind, so that only a parser can tell whether it fits.
            form.push(Piece::Text(Arc::from([]), None), 0);
        }
        Some(form)
    }

    /// Adds several nodes with what the rewrite puts between them.
    fn push_all(&mut self, context: &PassContext<'_>, nodes: &[NodeId], rewrite: &Rewrite) {
        let tree = context.tree;
        if let Some(joint) = &rewrite.joint {
            let texts: Vec<&[u8]> = nodes.iter().map(|&node| tree.text_of(node)).collect();
            let text = texts.join(&joint[..]);
            self.push(Piece::Text(text.into(), rewrite.kind), 1);
            return;
        }
        for (at, &node) in nodes.iter().enumerate() {
            if let Some(separator) = rewrite.separator.as_ref().filter(|_| at > 0) {
                self.separate(context, separator);
            }
            self.push(Piece::Node(node), tree.tokens(node));
        }
    }

    /// Adds what stands between two nodes or behind the last; nothing does behind a block.
    fn separate(&mut self, context: &PassContext<'_>, separator: &Arc<[u8]>) {
        let is_block = |piece: &Piece| match piece {
            Piece::Node(node) => context.is(Role::Block, *node),
            _ => false,
        };
        if !self.change.0.last().is_some_and(is_block) {
            self.push(Piece::Text(separator.clone(), None), 1);
        }
    }

    fn push(&mut self, piece: Piece, tokens: u32) {
        self.change.0.push(piece);
        self.tokens += tokens;
    }
}
