//! Puts what the name of a type in a class means in the place of its uses: `s<int>::t` is `int` where `t` is the parameter of `s`.

use minirepro_syntax::{Change, Edits, FieldRole, NodeId, Role};

use crate::framework::declarations::{leaves_without, only_part};
use crate::{Item, PassContext, Proposal, Strategy};

/// The pass's name.
pub(crate) const NAME: &str = "replace-member-type";

/// In larger texts usual names (`type`) have too many mentions, and other passes win more.
const SMALL: u32 = 5_000;

/// Proposes one item for each type's name in a class that is used from outside, last first.
pub(crate) fn propose(context: &PassContext<'_>) -> Option<Proposal> {
    if context.tree.tokens(NodeId::ROOT) > SMALL {
        return None;
    }
    let definitions = context.ids().rev().filter(|&id| context.is(Role::Typedef, id));
    let items = definitions.filter_map(|id| Alias::read(context, id)?.item()).collect();
    Proposal::new(context.untried(items), Strategy::All)
}

/// The name of a type in a class.
struct Alias<'a> {
    context: &'a PassContext<'a>,
    definition: NodeId,
    name: NodeId,
    meaning: NodeId,
    /// The name of the class.
    class: NodeId,
    /// The names of its parameters, if it is a template: those of parameters without a name are missing.
    parameters: Vec<Option<NodeId>>,
}

impl<'a> Alias<'a> {
    fn read(context: &'a PassContext<'a>, definition: NodeId) -> Option<Self> {
        let tree = context.tree;
        let meaning = context.part(definition, FieldRole::Type)?;
        let alias = context.name_part(definition).filter(|&name| name < meaning);
        // What a declarator says of pointers and arrays is not part of the meaning.
        let declared = || tree.children(definition).find(|&c| c > meaning && context.is_name(c));
        let name = alias.or_else(declared)?;
        let around = |id: &NodeId| context.is(Role::Record, *id) || context.is(Role::Function, *id);
        let class = tree.ancestors(definition).find(around)?;
        let template = tree.parent(class).filter(|&id| context.is(Role::Template, id));
        let list = template.and_then(|id| context.part(id, FieldRole::Parameters));
        let name_of = |parameter: NodeId| {
            let mut children = tree.subtree(parameter);
            let end = children.find(|&child| tree.text_of(child) == b"=");
            let end = end.unwrap_or(tree.subtree_end(parameter));
            (parameter.0..end.0).map(NodeId).rev().find(|&id| context.is_name(id))
        };
        let parameters = list.into_iter().flat_map(|list| context.elements(list)).map(name_of);
        Some(Self {
            context,
            definition,
            name,
            meaning,
            class: context.name_part(class)?,
            parameters: parameters.collect(),
        })
    }

    /// Returns the item that replaces all uses from outside, and drops the name if there is no other use.
    fn item(&self) -> Option<Item> {
        let Self { context, definition, name, .. } = *self;
        let tree = context.tree;
        let mut edits = Edits::none();
        let (mut before, mut after, mut others) = (0, 0, 0);
        for &mention in context.mentions(name) {
            if mention == name {
                continue;
            }
            let Some((whole, scope)) = self.use_of(mention) else {
                others += 1;
                continue;
            };
            let (change, tokens) = self.instead(scope)?;
            before += tree.tokens(whole);
            after += tokens;
            if !edits.add(whole, change) {
                return None;
            }
        }
        if edits.is_empty() {
            return None;
        }
        if others == 0 && context.is_droppable(definition) {
            before += tree.tokens(definition);
            if !edits.add(definition, Change::drop()) {
                return None;
            }
        }
        (after < before).then(|| Item::new(edits, before - after))
    }

    /// Returns all that a use of the name from outside of the class consists of, and the class in it.
    fn use_of(&self, mention: NodeId) -> Option<(NodeId, NodeId)> {
        let Self { context, class, .. } = *self;
        let tree = context.tree;
        let is_last = |whole: NodeId, part: NodeId| context.elements(whole).last() == Some(part);
        let qualified = |part: NodeId| {
            tree.parent(part).filter(|&id| context.is(Role::Qualified, id) && is_last(id, part))
        };
        let mut whole = qualified(mention)?;
        let scope = context.elements(whole).next().filter(|&scope| scope != mention)?;
        let of = context.name_part(scope).unwrap_or(scope);
        if tree.text_of(of) != tree.text_of(class) {
            return None;
        }
        while let Some(outer) = qualified(whole) {
            whole = outer;
        }
        // `typename`, which says no more than that this is a type.
        let is_type = |&outer: &NodeId| context.is(Role::Type, outer) && is_last(outer, whole);
        let dependent = tree.parent(whole).filter(is_type);
        Some((dependent.unwrap_or(whole), scope))
    }

    /// Returns what the name means in a class with the arguments of this scope, and how many tokens that has; `None` if an argument
    /// is missing.
    fn instead(&self, scope: NodeId) -> Option<(Change, u32)> {
        let Self { context, meaning, ref parameters, .. } = *self;
        let tree = context.tree;
        let list = context.part(scope, FieldRole::Arguments);
        let arguments: Vec<NodeId> =
            list.into_iter().flat_map(|list| context.elements(list)).collect();
        let place = |leaf: NodeId| {
            let is_it = |name: &Option<NodeId>| {
                name.is_some_and(|name| tree.text_of(name) == tree.text_of(leaf))
            };
            parameters.iter().position(is_it).filter(|_| context.is_name(leaf))
        };
        if let Some(place) = place(only_part(context, meaning)) {
            let argument = only_part(context, *arguments.get(place)?);
            return Some((Change::hoist(argument), tree.tokens(argument)));
        }
        let mut tokens = 0;
        let mut text: Vec<&[u8]> = Vec::new();
        for leaf in leaves_without(context, meaning, &[]) {
            let part = match place(leaf) {
                Some(place) => *arguments.get(place)?,
                None => leaf,
            };
            tokens += tree.tokens(part);
            text.push(tree.text_of(part));
        }
        Some((Change::replace_with(text.join(&b' '), None), tokens))
    }
}
