//! Makes one class of two: a base and the class that is derived from it, or in small texts two neighbours. All that was said
//! about either is said about the one that is left.

use minirepro_syntax::{Change, Edits, FieldRole, NodeId, Role};

use crate::declarations::template_parameter::{instead_of, parameter_mentions};
use crate::framework::declarations::declared;
use crate::framework::sizes::SMALL_TEXT;
use crate::framework::slots::inner_children;
use crate::{Item, PassContext, Proposal, Strategy};

/// The pass's name.
pub(crate) const NAME: &str = "merge-classes";

/// Classes that have nothing to do with each other are rarely one, unless hardly anything is left of them.
const TINY: u32 = 300;

/// Proposes for each class, last first, to be one with each of its bases, in the place of either of the two; then to be
/// one with the class before it.
pub(crate) fn propose(context: &PassContext<'_>) -> Option<Proposal> {
    let tree = context.tree;
    let tokens = tree.tokens(NodeId::ROOT);
    if tokens > SMALL_TEXT || !context.language.roles.is_played(Role::Bases) {
        return None;
    }
    let records = context.until(context.playing(Role::Record));
    let classes: Vec<Class> = records.filter_map(|id| Class::read(context, id)).collect();
    let mut items = Vec::new();
    for (number, derived) in classes.iter().enumerate().rev() {
        let mut before = number.checked_sub(1).map(|before| &classes[before]);
        for mention in derived.bases(context) {
            let name = tree.subtree(mention).find(|&id| context.is_name(id));
            let text = name.map(|name| tree.text_of(name));
            let mut known = classes[..number].iter();
            let Some(base) = known.find(|class| Some(tree.text_of(class.name)) == text) else {
                continue;
            };
            before = before.filter(|before| before.record != base.record);
            let mut pair = Pair { context, base, derived, mention: Some(mention), at: derived };
            items.extend(pair.merged());
            pair.at = base;
            items.extend(pair.merged());
        }
        if let Some(base) = before.filter(|_| tokens <= TINY) {
            items.extend(Pair { context, base, derived, mention: None, at: base }.merged());
        }
    }
    Proposal::new(context.untried(items), Strategy::Single)
}

/// A class with a name and a body.
struct Class {
    record: NodeId,
    name: NodeId,
    body: NodeId,
    /// What makes a template of it.
    template: Option<NodeId>,
}

impl Class {
    fn read(context: &PassContext<'_>, record: NodeId) -> Option<Self> {
        let name = context.name_part(record)?;
        let body = context.part(record, FieldRole::Body)?;
        let template = context.tree.parent(record).filter(|&at| context.is(Role::Template, at));
        Some(Self { record, name, body, template })
    }

    /// Returns what says from which classes it is derived.
    fn clause(&self, context: &PassContext<'_>) -> Option<NodeId> {
        context.tree.children(self.record).find(|&child| context.is(Role::Bases, child))
    }

    fn bases(&self, context: &PassContext<'_>) -> Vec<NodeId> {
        let is_type = |&id: &NodeId| context.is(Role::Type, id) || context.is(Role::Qualified, id);
        let clause = self.clause(context).into_iter();
        clause.flat_map(|clause| context.elements(clause).filter(is_type)).collect()
    }
}

/// Two classes that become one.
#[derive(Clone, Copy)]
struct Pair<'a> {
    context: &'a PassContext<'a>,
    base: &'a Class,
    derived: &'a Class,
    /// Where the derived one mentions the other; two that have nothing to do with each other do not.
    mention: Option<NodeId>,
    /// The one that stays, with the members of the other.
    at: &'a Class,
}

impl Pair<'_> {
    fn merged(&self) -> Option<Item> {
        let Self { context, base, derived, mention, at } = *self;
        let tree = context.tree;
        let is_base_kept = at.record == base.record;
        let gone = if is_base_kept { derived } else { base };
        // Of a template there must be an instance.
        if at.template.is_some() || gone.template.is_some() && mention.is_none() {
            return None;
        }
        let mut edits = self.without_parameters()?;
        let whole = gone.template.unwrap_or(gone.record);
        let name = tree.text_of(at.name);
        let instead = match context.is_droppable(whole) {
            true => Change::drop(),
            false => Change::replace_with(name, Some(tree.kind(gone.name))),
        };
        let is_end = |&id: &NodeId| {
            id > whole && Some(tree.text_of(id)) == context.tokens().statement_end.as_deref()
        };
        let mut fits = true;
        if instead.is_drop()
            && gone.template.is_none()
            && let Some(end) = tree.children(tree.parent(whole)?).find(is_end)
        {
            fits &= edits.add(end, Change::drop());
        }
        fits &= edits.add(whole, instead);
        for &mention in context.mentions(gone.name).iter().filter(|&&id| id != gone.name) {
            let parent = tree.parent(mention)?;
            let has_arguments =
                gone.template.is_some() && context.part(parent, FieldRole::Arguments).is_some();
            let place = if has_arguments { parent } else { mention };
            fits &= edits.add(place, Change::replace_with(name, Some(tree.kind(mention))));
        }
        let of_base = inner_children(context, base.body);
        let of_derived = inner_children(context, derived.body);
        let own = self.declared(&of_derived);
        for (id, name, arity) in self.declared(&of_base) {
            if own.iter().any(|(_, other, count)| (other, *count) == (&name, arity)) {
                fits &= edits.add(id, Change::drop());
                if let Some(sign) = self.separator(id).filter(|_| !of_base.contains(&id)) {
                    fits &= edits.add(sign, Change::drop());
                }
            }
        }
        // What is inherited need not be made known.
        let base_name = tree.text_of(base.name);
        let is_import = |&&id: &&NodeId| {
            let mut names = tree.subtree(id).filter(|&name| context.is_name(name));
            context.is(Role::Import, id) && names.any(|name| tree.text_of(name) == base_name)
        };
        for &import in of_derived.iter().filter(is_import) {
            fits &= edits.add(import, Change::drop());
        }
        let mut pieces = vec![tree.children(base.record).next()?, at.name];
        pieces.extend(self.clause(&mut edits)?);
        pieces.extend(tree.children(base.body).next());
        pieces.extend(of_base.into_iter().chain(of_derived));
        pieces.extend(tree.children(base.body).last());
        fits &= edits.add(at.record, Change::splice(pieces));
        fits.then(|| Item::new(edits, SIGNS))
    }

    /// Returns the edits that put the arguments that the derived class gives its base in the place of the parameters.
    fn without_parameters(&self) -> Option<Edits> {
        let Self { context, base, mention, .. } = *self;
        let mut edits = Edits::none();
        let (Some(template), Some(mention)) = (base.template, mention) else { return Some(edits) };
        let parameters = context.part(template, FieldRole::Parameters)?;
        let arguments = context.part(mention, FieldRole::Arguments)?;
        if context.elements(parameters).count() != context.elements(arguments).count() {
            return None;
        }
        for (parameter, argument) in context.elements(parameters).zip(context.elements(arguments)) {
            for mention in parameter_mentions(context, template, parameter) {
                if !edits.add(mention, instead_of(context, mention, argument)) {
                    return None;
                }
            }
        }
        Some(edits)
    }

    /// Returns what says from which other classes the two are derived, or `None` if both are derived from others.
    fn clause(&self, edits: &mut Edits) -> Option<Option<NodeId>> {
        let Self { context, base, derived, mention, .. } = *self;
        let others = derived.bases(context).len() - usize::from(mention.is_some());
        let of_base = base.clause(context);
        if others == 0 {
            return Some(of_base);
        }
        let clause = derived.clause(context)?;
        if let Some(mention) = mention {
            // With the sign and the words before it, which say how it is a base.
            let children: Vec<NodeId> = context.tree.children(clause).collect();
            let place = children.iter().position(|&id| id == mention)?;
            let is_base =
                |&id: &NodeId| context.is(Role::Type, id) || context.is(Role::Qualified, id);
            let gone = match children[..place].iter().rposition(is_base) {
                Some(before) => &children[before + 1..=place],
                None => children.get(1..=place + 1)?,
            };
            for &id in gone {
                if !edits.add(id, Change::drop()) {
                    return None;
                }
            }
        }
        of_base.is_none().then_some(Some(clause))
    }

    /// Returns the sign that goes with one of several names that are declared at once: the one behind it, or the last.
    fn separator(&self, declarator: NodeId) -> Option<NodeId> {
        let tree = self.context.tree;
        let mut signs =
            tree.children(tree.parent(declarator)?).filter(|&id| tree.text_of(id) == b",");
        let last = signs.clone().last();
        signs.find(|&id| id > declarator).or(last)
    }

    /// Returns what of these members can go by itself, with the name that it declares in the class that stays, and the
    /// number of parameters.
    fn declared(&self, members: &[NodeId]) -> Vec<(NodeId, Vec<u8>, Option<usize>)> {
        let Self { context, base, derived, .. } = *self;
        let tree = context.tree;
        let makers = [tree.text_of(base.name), tree.text_of(derived.name)];
        let mut all = Vec::new();
        for &member in members {
            let parts = match context.is(Role::Function, member) {
                true => vec![member],
                false => declared(context, member),
            };
            for part in parts {
                let mut inside = tree.subtree(part);
                let function = inside.find(|&at| context.part(at, FieldRole::Parameters).is_some());
                let list = function.and_then(|at| context.part(at, FieldRole::Parameters));
                let arity = list.map(|list| context.elements(list).count());
                let name = function.and_then(|at| context.part(at, FieldRole::Declarator));
                let name =
                    name.or_else(|| tree.subtree(part).rev().find(|&at| context.is_name(at)));
                let Some(name) = name.map(|name| tree.text_of(name)) else { continue };
                let sign = makers.iter().find_map(|maker| name.strip_suffix(*maker));
                let sign = sign.filter(|sign| sign.len() < 2 && arity.is_some());
                all.push((part, sign.unwrap_or(name).to_vec(), arity));
            }
        }
        all
    }
}

/// The keyword, the brackets and the end of a class.
const SIGNS: u32 = 5;
