//! Puts what a function does in place of its calls, and drops the function.
//!
//! There are three forms, all of which must be smaller at once: a call that is a statement gives
//! way to the body; a call of a function that is nothing but an expression gives way to that
//! expression; any other call becomes the least value, with the body before the statement that it
//! stands in. Arguments take the place of parameters, or else the parameters become variables
//! outside. A function without parameters whose body is an expression may be used without a call.

use minirepro_syntax::{Change, Edits, FieldRole, NodeId, Piece, Role};

use crate::framework::limits::COPIES;
use crate::framework::views::{
    FunctionParts, arguments, bracketed, declared_name, outside, text_with,
};
use crate::{Item, PassContext, Plan, Proposal};

/// Proposes the forms of each function, last function first.
pub(crate) fn propose(cx: &PassContext<'_>) -> Option<Proposal> {
    let functions = cx.until(cx.playing(Role::Function).into_iter().rev());
    let both = |f: Function<'_>| [f.items(), f.with_variables().map_or(Vec::new(), |f| f.items())];
    let items = functions.filter_map(|id| Function::read(cx, id)).flat_map(both).flatten();
    cx.proposal(items, Plan::EACH)
}

/// A function that is only ever called or declared.
struct Function<'a> {
    cx: &'a PassContext<'a>,
    id: NodeId,
    /// A list of statements, or nothing but an expression.
    body: NodeId,
    is_block: bool,
    /// The name of each parameter.
    parameters: Vec<Option<NodeId>>,
    /// Each call with its arguments, if it has any.
    calls: Vec<(NodeId, Option<NodeId>)>,
    declarations: Vec<NodeId>,
    /// What declares the parameters outside, if they are to become variables.
    variables: Option<Vec<u8>>,
}

impl<'a> Function<'a> {
    fn read(cx: &'a PassContext<'a>, function: NodeId) -> Option<Self> {
        let FunctionParts { name, parameters, body: block } = FunctionParts::of(cx, function)?;
        let body = cx.part(function, FieldRole::Body)?;
        (block.is_some() || cx.is(Role::Expression, body)).then_some(())?;
        let parameters: Vec<Option<NodeId>> =
            cx.elements(parameters).map(|p| declared_name(cx, p)).collect();
        let (mut calls, mut declarations) = (Vec::new(), Vec::new());
        let is_member = cx.is_in(Role::Record, function);
        for &mention in cx.mentions(name).iter().filter(|&&m| m != name) {
            let parent = cx.parent(mention)?;
            // What another thing has under this name is not this function.
            let is_accessed =
                cx.is(Role::Access, parent) && cx.elements(parent).next() != Some(mention);
            if is_accessed && !is_member {
                continue;
            }
            let is_value =
                parameters.is_empty() && block.is_none() && cx.is(Role::Expression, mention);
            if let Some(arguments) = arguments(cx, parent).filter(|&list| mention < list) {
                calls.push((parent, Some(arguments)));
            } else if is_value {
                calls.push((mention, None));
            } else {
                // A declaration of the function goes; any other use forbids the whole.
                declarations.push(cx.ancestors(mention).find(|&a| cx.is_droppable(a))?);
            }
        }
        let fits = (1..=COPIES).contains(&calls.len())
            && calls.iter().all(|&(call, _)| !cx.contains(function, call))
            && declarations.iter().all(|&d| cx.is(Role::Declaration, d));
        let (id, is_block, variables) = (function, block.is_some(), None);
        let all = Self { cx, id, body, is_block, parameters, calls, declarations, variables };
        fits.then_some(all)
    }

    /// Puts variables outside in place of the parameters.
    fn with_variables(self) -> Option<Self> {
        let cx = self.cx;
        let list = |name| cx.ancestors(name).find(|&around| cx.is(Role::Parameters, around));
        let list = self.parameters.iter().flatten().find_map(|&name| list(name))?;
        let variables: Option<Vec<Vec<u8>>> =
            cx.elements(list).map(|parameter| outside(cx, parameter)).collect();
        Some(Self { variables: Some(variables?.concat()), ..self })
    }

    /// Returns the items: first those that put an expression where calls are values, then those
    /// that put the body before the statements.
    fn items(&self) -> Vec<Item> {
        let mut items = vec![self.item(true), self.item(false)];
        items.dedup();
        items.into_iter().flatten().collect()
    }

    /// Returns the item that replaces all calls.
    fn item(&self, as_value: bool) -> Option<Item> {
        let cx = self.cx;
        let mut edits = Edits::drop_all(self.declarations.iter().copied());
        let place =
            self.variables.as_ref().map_or(Change::drop(), |text| Change::replace_with(text, None));
        edits.add(self.id, place).then_some(())?;
        for &(call, arguments) in &self.calls {
            let done = match cx.statement_of(call).filter(|_| self.is_block) {
                Some(statement) => {
                    // What a loop repeats is one statement.
                    let body = self.body_with(arguments, !cx.is_droppable(statement));
                    edits.add(statement, Change::replace_with(body, None))
                }
                None if as_value => {
                    let value = self.value()?;
                    let text = self.text_with(cx.subtree(value), arguments);
                    edits.add(call, Change::replace_with(bracketed(cx, value, &text)?, None))
                }
                None => self.above(call, arguments, &mut edits)?,
            };
            done.then_some(())?;
        }
        Some(Item::new(edits, cx.tokens(self.id)))
    }

    /// Returns the one expression that the body consists of.
    fn value(&self) -> Option<NodeId> {
        let cx = self.cx;
        if !self.is_block {
            return Some(self.body);
        }
        let mut statements = cx.elements(self.body);
        let only = statements.next().filter(|_| statements.next().is_none())?;
        if cx.is(Role::Expression, only) && cx.statement_of(only) == Some(only) {
            return Some(only);
        }
        let holds = cx.is_any(&[Role::Return, Role::ExpressionStatement], only);
        cx.elements(only).next().filter(|_| holds).map(|value| cx.innermost(value))
    }

    fn above(&self, call: NodeId, arguments: Option<NodeId>, edits: &mut Edits) -> Option<bool> {
        let Self { cx, is_block: true, .. } = *self else { return None };
        let statement = cx.ancestors(call).find(|&id| cx.parent_that(Role::Block, id).is_some())?;
        let (least, kind) = cx.language.roles.placeholders.get(&cx.kind(call))?.first()?;
        let body = Piece::Text(self.body_with(arguments, false).into(), None);
        let both = Change(vec![body, Piece::Node(statement)]);
        Some(edits.add(call, Change::replace_with(least, *kind)) && edits.add(statement, both))
    }

    /// Returns the text of the block, without its brackets unless they are wanted.
    fn body_with(&self, arguments: Option<NodeId>, brackets: bool) -> Vec<u8> {
        let cx = self.cx;
        let ends = [cx.children(self.body).next(), cx.children(self.body).last()];
        let is_sign = |id: NodeId| cx.is_leaf(id) && !cx.is_named(id);
        let is_bracket = |&id: &NodeId| is_sign(id) && ends.contains(&Some(id));
        let inner = cx.children(self.body).filter(|id| brackets || !is_bracket(id));
        self.text_with(inner.flat_map(|id| cx.subtree(id)), arguments)
    }

    /// Returns the text of these nodes' leaves with arguments in place of parameters.
    fn text_with(&self, nodes: impl Iterator<Item = NodeId>, arguments: Option<NodeId>) -> Vec<u8> {
        let cx = self.cx;
        let arguments: Vec<NodeId> =
            arguments.into_iter().flat_map(|list| cx.elements(list)).collect();
        let argument = |leaf: NodeId| {
            let own = cx.text_of(leaf);
            let is_own = |n: &Option<NodeId>| n.is_some_and(|n| cx.text_of(n) == own);
            let is_name = cx.is_name(leaf) && self.variables.is_none();
            let position = self.parameters.iter().position(is_own).filter(|_| is_name)?;
            arguments.get(position).map(|&argument| cx.text_of(argument))
        };
        text_with(cx, nodes.filter(|&id| cx.is_leaf(id)), argument)
    }
}
