//! Gives a function that a sign calls a name, and makes calls by this name of the expressions with the sign: `a + b` is
//! `a.f(b)` or `f(a, b)`.

use std::collections::{BTreeMap, BTreeSet};

use minirepro_syntax::{Change, Edits, FieldRole, Kind, NodeId, Piece, Role};

use crate::framework::function_parts::arguments;
use crate::names::normalize::short_name;
use crate::{Item, PassContext, Proposal, Strategy};

/// The pass's name.
pub(crate) const NAME: &str = "operators-to-functions";

/// In larger texts there are too many expressions with each sign.
const SMALL: u32 = 2_000;

/// Proposes for each sign to give its functions a name, and to call them by it.
pub(crate) fn propose(context: &PassContext<'_>) -> Option<Proposal> {
    let tree = context.tree;
    if tree.tokens(NodeId::ROOT) > SMALL {
        return None;
    }
    let mut signs: BTreeMap<Vec<u8>, Vec<Operator>> = BTreeMap::new();
    for id in context.ids().filter(|&id| context.is(Role::Operator, id)) {
        let Some(operator) = Operator::read(context, id) else { continue };
        let sign = sign(context, id);
        // What gets memory, or makes values of literals, has no sign.
        if sign.iter().all(u8::is_ascii_punctuation) && !sign.contains(&b'"') {
            signs.entry(sign).or_default().push(operator);
        }
    }
    let items = signs.iter().flat_map(|(sign, operators)| items(context, sign, operators));
    Proposal::new(context.untried(items.collect()), Strategy::Single)
}

/// A declaration of a function that a sign calls.
struct Operator {
    /// The word and the sign that stand in the place of a name.
    name: NodeId,
    /// Whether the first operand is the value whose member it is.
    is_member: bool,
    /// How many operands it has.
    operands: usize,
}

impl Operator {
    fn read(context: &PassContext<'_>, name: NodeId) -> Option<Self> {
        let tree = context.tree;
        let is_function = |&id: &NodeId| context.part(id, FieldRole::Parameters).is_some();
        let declarator = tree.ancestors(name).find(is_function)?;
        let parameters = context.part(declarator, FieldRole::Parameters)?;
        let is_qualified = tree.parent(name).is_some_and(|at| context.is(Role::Qualified, at));
        let is_declaration =
            |&id: &NodeId| context.is(Role::Function, id) || context.is(Role::Member, id);
        let declaration = tree.ancestors(declarator).find(is_declaration);
        let outer = declaration.and_then(|id| tree.parent(tree.parent(id)?));
        let is_member = is_qualified || outer.is_some_and(|id| context.is(Role::Record, id));
        let operands = context.elements(parameters).count() + usize::from(is_member);
        Some(Self { name, is_member, operands })
    }
}

/// Returns the sign of an operator.
fn sign(context: &PassContext<'_>, name: NodeId) -> Vec<u8> {
    let tree = context.tree;
    let mut leaves = tree.subtree(name).filter(|&id| tree.is_leaf(id));
    leaves.next();
    leaves
        .flat_map(|id| tree.text_of(id))
        .copied()
        .filter(|byte| !byte.is_ascii_whitespace())
        .collect()
}

fn items(context: &PassContext<'_>, sign: &[u8], operators: &[Operator]) -> Vec<Item> {
    let Some(name) = free_name(context) else { return Vec::new() };
    let Some(renamed) = renamed(context, sign, operators, &name) else { return Vec::new() };
    let forms: BTreeSet<bool> = operators.iter().map(|operator| operator.is_member).collect();
    let called = forms.into_iter().filter_map(|is_member| {
        let form = Form { context, sign, name: &name, is_member };
        let operands = operators.iter().filter(|operator| operator.is_member == is_member);
        form.item(&operands.map(|operator| operator.operands).collect(), &renamed)
    });
    let called: Vec<Item> = called.collect();
    called.into_iter().chain([Item::new(renamed, 1)]).collect()
}

/// Returns the shortest name that stands nowhere in the text.
fn free_name(context: &PassContext<'_>) -> Option<Vec<u8>> {
    let is_free = |name: &Vec<u8>| !context.index().names.contains_key(name);
    (0..26).map(short_name).find(is_free)
}

/// Returns the edits that give the operators this name, wherever they are called by name.
fn renamed(
    context: &PassContext<'_>,
    sign: &[u8],
    operators: &[Operator],
    name: &[u8],
) -> Option<Edits> {
    let tree = context.tree;
    let mut edits = Edits::none();
    let word = tree.subtree(operators.first()?.name).find(|&id| tree.is_leaf(id))?;
    let whole = [tree.text_of(word), sign].concat();
    for id in context.ids() {
        if context.is(Role::Operator, id) && self::sign(context, id) == sign {
            if !edits.add(id, Change::replace_with(name, None)) {
                return None;
            }
            continue;
        }
        // What the grammar does not know is hidden from it.
        let text = tree.text_of(id);
        if tree.flags(id).extra && tree.is_leaf(id) && text.ends_with(sign) {
            let packed: Vec<u8> =
                text.iter().copied().filter(|b| !b.is_ascii_whitespace()).collect();
            let Some(start) = packed.strip_suffix(&whole[..]) else { continue };
            if !edits.add(id, Change::replace_with([start, name].concat(), None)) {
                return None;
            }
        }
    }
    Some(edits)
}

/// How the uses of a sign are written.
struct Form<'a> {
    context: &'a PassContext<'a>,
    sign: &'a [u8],
    name: &'a [u8],
    is_member: bool,
}

impl Form<'_> {
    /// Returns the item after which expressions with the sign are calls if they have one of these numbers of operands.
    fn item(&self, operands: &BTreeSet<usize>, renamed: &Edits) -> Option<Item> {
        let Self { context, .. } = self;
        let mut edits = renamed.clone();
        let before = edits.len();
        for id in context.ids().filter(|&id| context.is(Role::CompoundExpression, id)) {
            let Some(of) = self.operands(id) else { continue };
            let is_meant = context.is(Role::Call, id) || operands.contains(&of.len());
            if is_meant && !edits.add(id, self.call(id, &of)?) {
                return None;
            }
        }
        (edits.len() > before).then(|| Item::new(edits, 1))
    }

    /// Returns the operands of an expression with the sign; of a call only the value that is called.
    fn operands(&self, id: NodeId) -> Option<Vec<NodeId>> {
        let Self { context, sign, .. } = *self;
        let tree = context.tree;
        let operands: Vec<NodeId> = context.elements(id).collect();
        if context.is(Role::Call, id) {
            let list = arguments(context, id)?;
            let ends = [tree.children(list).next()?, tree.children(list).last()?];
            let brackets = ends.map(|end| tree.text_of(end)).concat();
            let called = *operands.first()?;
            return (brackets == sign && self.is_value(called)).then(|| vec![called]);
        }
        let lists = operands.last().filter(|&&last| context.is(Role::ExpressionList, last));
        if let Some(&list) = lists {
            let ends = [tree.children(list).next()?, tree.children(list).last()?];
            let brackets = ends.map(|end| tree.text_of(end)).concat();
            let inner = context.elements(list);
            let all = operands[..1].iter().copied().chain(inner).collect();
            return (brackets == sign).then_some(all);
        }
        let mut signs = tree.children(id).filter(|&child| !tree.is_named(child));
        let own = signs.next().filter(|_| signs.next().is_none())?;
        (tree.text_of(own) == sign).then_some(operands)
    }

    /// Returns whether a name that is called does not stand for a function.
    fn is_value(&self, called: NodeId) -> bool {
        let Self { context, .. } = *self;
        let tree = context.tree;
        let has_parameters = |&mention: &NodeId| {
            let parent = tree.parent(mention);
            parent.is_some_and(|at| context.part(at, FieldRole::Parameters).is_some())
        };
        let is_type = |&mention: &NodeId| context.is(Role::Type, mention);
        let mut mentions = context.mentions(called).iter();
        context.is_name(called) && !mentions.any(|m| has_parameters(m) || is_type(m))
    }

    fn call(&self, id: NodeId, operands: &[NodeId]) -> Option<Change> {
        let Self { context, name, is_member, .. } = *self;
        let tokens = context.tokens();
        let text = |text: &[u8]| Piece::Text(text.into(), None);
        let [open, close] = [&tokens.open_bracket, &tokens.close_bracket];
        let [open, close] = [text(open.as_deref()?), text(close.as_deref()?)];
        let (&first, rest) = operands.split_first()?;
        let mut pieces = Vec::new();
        if is_member {
            let is_tight = context.is(Role::Tight, first);
            pieces.extend((!is_tight).then(|| open.clone()));
            pieces.push(Piece::Node(first));
            pieces.extend((!is_tight).then(|| close.clone()));
            pieces.extend([text(&member_sign(context)?), text(name)]);
            if context.is(Role::Call, id) {
                pieces.push(Piece::Node(arguments(context, id)?));
                return Some(Change(pieces));
            }
            pieces.push(open);
        } else {
            pieces.extend([text(name), open, Piece::Node(first)]);
        }
        let separator = separator(context)?;
        for (number, &operand) in rest.iter().enumerate() {
            pieces.extend((!is_member || number > 0).then(|| text(&separator)));
            pieces.push(Piece::Node(operand));
        }
        pieces.push(close);
        Some(Change(pieces))
    }
}

/// Returns the sign that the grammar lets stand between a value and its member.
fn member_sign(context: &PassContext<'_>) -> Option<Vec<u8>> {
    let access = context.language.roles.kinds(Role::Access).next()?;
    shortest_sign(context, access, &[])
}

/// Returns the sign that the grammar lets stand between two arguments.
fn separator(context: &PassContext<'_>) -> Option<Vec<u8>> {
    let open = context.tokens().open_bracket.as_deref()?;
    let open = context.language.kinds.get(std::str::from_utf8(open).ok()?, false)?;
    let lists = context.language.roles.kinds(Role::Arguments);
    let signs = lists.filter_map(|list| shortest_sign(context, list, &[open]));
    signs.min_by_key(|sign| (sign.len(), sign.clone()))
}

/// Returns the shortest sign that the grammar lets stand behind `before` and a name, if more has to follow it.
fn shortest_sign(context: &PassContext<'_>, parent: Kind, before: &[Kind]) -> Option<Vec<u8>> {
    let language = context.language;
    let automaton = language.facts.automaton(parent)?;
    let start = automaton.start();
    let start = before.iter().fold(start, |states, &kind| automaton.step(&states, kind));
    let mut signs = Vec::new();
    for name in language.roles.kinds(Role::Identifier) {
        let behind = automaton.step(&start, name);
        let kinds = (0..language.kinds.len()).filter_map(|at| u16::try_from(at).ok()).map(Kind);
        let is_inner = |&kind: &Kind| {
            let states = automaton.step(&behind, kind);
            !states.is_empty() && !states.meets(&automaton.ends())
        };
        let kinds = kinds.filter(|&kind| !language.kinds.is_named(kind)).filter(is_inner);
        signs.extend(kinds.map(|kind| language.kinds.name(kind).as_bytes().to_vec()));
    }
    signs.into_iter().min_by_key(|sign| (sign.len(), sign.clone()))
}
