//! Takes a parameter from a template: the least type or value stands in its place, or the argument that all
//! uses give it, and the arguments for it go. A template without parameters is none any more.

use minirepro_syntax::{Change, Edits, FieldRole, NodeId, Role};

use crate::framework::declaration_graph::specialises;
use crate::framework::declarations::{declares, only_part};
use crate::framework::function_parts::{FunctionParts, ListBehind};
use crate::framework::mention_removal::least;
use crate::{Item, PassContext, Proposal, Strategy};

/// The pass's name.
pub(crate) const NAME: &str = "instantiate-template-param";

/// Proposes one item for each parameter of each template, and one for each template without parameters,
/// last first.
pub(crate) fn propose(context: &PassContext<'_>) -> Option<Proposal> {
    let templates = context.ids().rev().filter(|&id| context.is(Role::Template, id));
    let items = templates.filter_map(|id| Template::read(context, id)).flat_map(|t| t.items());
    Proposal::new(context.untried(items.collect()), Strategy::All)
}

struct Template<'a> {
    context: &'a PassContext<'a>,
    id: NodeId,
    parameters: Vec<NodeId>,
    /// What is a template, with the sign that ends it.
    inner: Vec<NodeId>,
    /// The name of the template, where it declares one.
    name: Option<NodeId>,
}

impl<'a> Template<'a> {
    fn read(context: &'a PassContext<'a>, id: NodeId) -> Option<Self> {
        let tree = context.tree;
        let list = context.part(id, FieldRole::Parameters)?;
        let holds = |child: &NodeId| *child > list && !context.is(Role::Qualifier, *child);
        let inner: Vec<NodeId> = tree.children(id).filter(holds).collect();
        let names = inner.first()?.0..tree.subtree_end(id).0;
        let mut names = names.map(NodeId).filter(|&name| context.is_name(name));
        let name = names.find(|&name| declares(context, id, name));
        Some(Self { context, id, parameters: context.elements(list).collect(), inner, name })
    }

    fn items(&self) -> Vec<Item> {
        let instead = self.instead_of_primary();
        if self.parameters.is_empty() {
            return instead.into_iter().chain(self.without_list(Edits::none())).collect();
        }
        let both = |position| {
            let argument = self.only_argument(position).or_else(|| self.only_deduced(position));
            let with = argument.and_then(|argument| self.with(position, argument));
            [self.without(position), with].into_iter().flatten()
        };
        (0..self.parameters.len()).rev().flat_map(both).chain(instead).collect()
    }

    /// Returns the item that leaves this specialisation in the place of its template: what else says what the
    /// template is goes. Without parameters it is no template any more, and its uses have no arguments.
    fn instead_of_primary(&self) -> Option<Item> {
        let Self { context, id, ref parameters, ref inner, .. } = *self;
        let tree = context.tree;
        let own = inner.first()?.0..tree.subtree_end(id).0;
        let mut own = own.map(NodeId).filter(|&name| context.is_name(name));
        let name = own.find(|&name| specialises(context, id, name))?;
        let mut edits = Edits::none();
        let mut weight = 0;
        for &mention in context.mentions(name) {
            let is_other = |&at: &NodeId| {
                let is_about = context.is(Role::Template, at)
                    && (declares(context, at, mention) || specialises(context, at, mention));
                at != id && (is_about || context.is(Role::Instantiation, at))
            };
            if let Some(other) = tree.ancestors(mention).find(is_other) {
                weight += tree.tokens(other);
                if !context.is_droppable(other) || !edits.add(other, Change::drop()) {
                    return None;
                }
                continue;
            }
            let Some(whole) = tree.parent(mention) else { continue };
            let list = context.part(whole, FieldRole::Arguments);
            let is_used = list.is_some_and(|list| !context.is(Role::Arguments, list));
            if is_used && (mention == name || parameters.is_empty()) {
                weight += tree.tokens(whole) - 1;
                if !edits.add(whole, Change::hoist(mention)) {
                    return None;
                }
            }
        }
        match parameters.is_empty() {
            true => {
                let item = self.without_list(edits)?;
                Some(Item::new(item.edits, item.weight + weight))
            }
            false => Some(Item::new(edits, weight)),
        }
    }

    /// Returns the item that takes away the parameter at this position; the least type or value takes its place.
    fn without(&self, position: usize) -> Option<Item> {
        let Self { context, ref parameters, .. } = *self;
        let tree = context.tree;
        let mut edits = Edits::none();
        for mention in parameter_mentions(context, self.id, parameters[position])? {
            let is_part = |&at: &NodeId| {
                context.is(Role::Qualified, at) || context.is(Role::Type, at) && tree.tokens(at) > 1
            };
            // A type that is a member of the parameter goes as a whole.
            let qualified = tree.parent(mention).filter(|&p| context.is(Role::Qualified, p));
            let outer =
                qualified.map(|q| tree.ancestors(q).take_while(is_part).last().unwrap_or(q));
            let at = outer.unwrap_or(mention);
            if !edits.add(at, least(context, at)?) {
                return None;
            }
        }
        self.without_arguments(position, edits)
    }

    /// Returns the item that takes away the parameter at this position; an argument takes its place.
    fn with(&self, position: usize, argument: NodeId) -> Option<Item> {
        let Self { context, ref parameters, .. } = *self;
        let mut edits = Edits::none();
        for mention in parameter_mentions(context, self.id, parameters[position])? {
            if !edits.add(mention, instead_of(context, mention, argument)) {
                return None;
            }
        }
        self.without_arguments(position, edits)
    }

    /// Returns the argument that all uses give a parameter, if it is more than the least one.
    fn only_argument(&self, position: usize) -> Option<NodeId> {
        let Self { context, id, name, .. } = *self;
        let tree = context.tree;
        let outside =
            context.mentions(name?).iter().filter(|&&mention| !tree.contains(id, mention));
        let mut lists = outside.filter_map(|&mention| {
            let list = context.part(tree.parent(mention)?, FieldRole::Arguments)?;
            (!context.is(Role::Arguments, list)).then_some(list)
        });
        let argument = |list| context.elements(list).nth(position);
        let first = argument(lists.next()?)?;
        let is_same =
            |list| argument(list).is_some_and(|other| tree.hash(other) == tree.hash(first));
        (lists.all(is_same) && is_more_than_least(context, first)).then_some(first)
    }

    /// Returns the type of all that a function is called with where its parameter has the type at this
    /// position, as far as names say their types.
    fn only_deduced(&self, position: usize) -> Option<NodeId> {
        let Self { context, ref parameters, ref inner, name, .. } = *self;
        let tree = context.tree;
        let function = *inner.first().filter(|&&id| context.is(Role::Function, id))?;
        let list = FunctionParts::of(context, function)?.parameters;
        let meant = parameter_mentions(context, self.id, parameters[position])?;
        let has_type =
            |id: NodeId| context.part(id, FieldRole::Type).is_some_and(|of| meant.contains(&of));
        let place = context.elements(list).position(has_type)?;
        let lists = context.mentions(name?).iter().filter_map(|&m| ListBehind::of(context, m));
        let mut types = lists.filter(|list| !list.declares).map(|list| {
            type_of(context, *list.elements.get(place).filter(|&&id| context.is_name(id))?)
        });
        let first = types.next()??;
        let is_same =
            |of: Option<NodeId>| of.is_some_and(|other| tree.hash(other) == tree.hash(first));
        (types.all(is_same) && is_more_than_least(context, first)).then_some(first)
    }

    /// Adds to the edits that the parameter goes, with its arguments.
    fn without_arguments(&self, position: usize, mut edits: Edits) -> Option<Item> {
        let Self { context, ref parameters, name, .. } = *self;
        let tree = context.tree;
        let parameter = parameters[position];
        let uses = name.map(|name| context.mentions(name));
        for &mention in uses.into_iter().flatten() {
            let Some(parent) = tree.parent(mention) else { continue };
            let list = context.part(parent, FieldRole::Arguments);
            let Some(list) = list.filter(|&l| !context.is(Role::Arguments, l)) else { continue };
            let argument = context.elements(list).nth(position);
            let instantiation =
                tree.ancestors(mention).find(|&at| context.is(Role::Instantiation, at));
            if let Some(whole) = instantiation.filter(|_| parameters.len() == 1) {
                // Nobody demands what is no template.
                if !edits.add(whole, Change::drop()) {
                    return None;
                }
                continue;
            }
            let change = match argument {
                _ if parameters.len() == 1 => Some((parent, Change::hoist(mention))),
                Some(argument) => Some((argument, Change::drop())),
                None => None,
            };
            if let Some((at, change)) = change
                && !edits.add(at, change)
            {
                return None;
            }
        }
        if parameters.len() == 1 {
            return self.without_list(edits);
        }
        let fits = edits.add(parameter, Change::drop());
        fits.then(|| Item::new(edits, tree.tokens(parameter) + 1))
    }

    /// Returns the item that leaves what was a template.
    fn without_list(&self, edits: Edits) -> Option<Item> {
        let tree = self.context.tree;
        let mut edits = edits;
        let left: u32 = self.inner.iter().map(|&child| tree.tokens(child)).sum();
        let fits = edits.add(self.id, Change::splice(self.inner.iter().copied()));
        fits.then(|| Item::new(edits, tree.tokens(self.id) - left))
    }
}

/// Returns where a parameter is used in its template; `None` where it is more than one type or value.
pub(crate) fn parameter_mentions(
    context: &PassContext<'_>,
    template: NodeId,
    parameter: NodeId,
) -> Option<Vec<NodeId>> {
    let tree = context.tree;
    let is_pack = |child: NodeId| tree.text_of(child) == b"...";
    if tree.subtree(parameter).any(is_pack) {
        return None;
    }
    let named = context.name_part(parameter).or_else(|| {
        let default = tree.children(parameter).find(|&child| tree.text_of(child) == b"=");
        let end = default.unwrap_or(tree.subtree_end(parameter));
        (parameter.0..end.0).map(NodeId).rev().find(|&name| context.is_name(name))
    });
    let Some(name) = named else { return Some(Vec::new()) };
    let all = context.mentions(name).iter().copied();
    Some(all.filter(|&m| tree.contains(template, m) && !tree.contains(parameter, m)).collect())
}

/// Returns the change that puts an argument in the place of a parameter's mention.
pub(crate) fn instead_of(context: &PassContext<'_>, mention: NodeId, argument: NodeId) -> Change {
    let tree = context.tree;
    let argument = only_part(context, argument);
    match context.is_name(argument) {
        true => Change::replace_with(tree.text_of(argument), Some(tree.kind(mention))),
        false => Change::hoist(argument),
    }
}

/// Returns the type with which a name is declared for the first time.
fn type_of(context: &PassContext<'_>, name: NodeId) -> Option<NodeId> {
    let tree = context.tree;
    context.mentions(name).iter().find_map(|&mention| {
        let declaration = tree.parent(mention)?;
        let is_declared = context.part(declaration, FieldRole::Declarator) == Some(mention);
        context.part(declaration, FieldRole::Type).filter(|_| is_declared)
    })
}

/// Returns whether a type or value is not the least one already.
fn is_more_than_least(context: &PassContext<'_>, id: NodeId) -> bool {
    let tree = context.tree;
    let part = only_part(context, id);
    let texts = context.language.roles.placeholders.get(&tree.kind(part));
    texts.is_none_or(|texts| texts.iter().all(|(text, _)| **text != *tree.text_of(part)))
}
