//! Puts what a function does in place of its calls, and drops the function.
//!
//! There are three forms, all of which must be smaller at once: a call that is a statement gives
//! way to the body; a call of a function that is nothing but an expression gives way to that
//! expression; any other call becomes the least value, with the body before the statement that it
//! stands in. Arguments take the place of parameters, or else the parameters become variables
//! outside. A function without parameters whose body is an expression may be used without a call.

use minirepro_syntax::{Change, Edits, FieldRole, NodeId, Piece, Role};

use crate::framework::declarations::{bracketed, declared_name, outside, text_with};
use crate::framework::limits::COPIES;
use crate::framework::views::{FunctionParts, arguments};
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
    body: Body,
    /// The name of each parameter.
    parameters: Vec<Option<NodeId>>,
    /// Each call with its arguments, if it has any.
    calls: Vec<(NodeId, Option<NodeId>)>,
    declarations: Vec<NodeId>,
    /// What declares the parameters outside, if they are to become variables.
    variables: Option<Vec<u8>>,
}

/// What a function does.
#[derive(Clone, Copy)]
enum Body {
    /// A list of statements.
    Block(NodeId),
    /// Nothing but an expression.
    Expression(NodeId),
}

impl<'a> Function<'a> {
    fn read(cx: &'a PassContext<'a>, function: NodeId) -> Option<Self> {
        let FunctionParts { name, parameters, body } = FunctionParts::of(cx, function)?;
        let expression = || {
            let body = cx.part(function, FieldRole::Body);
            body.filter(|&body| cx.is(Role::Expression, body)).map(Body::Expression)
        };
        let body = body.map(Body::Block).or_else(expression)?;
        let parameters: Vec<Option<NodeId>> =
            cx.elements(parameters).map(|p| declared_name(cx, p)).collect();
        let mut calls = Vec::new();
        let mut declarations = Vec::new();
        let is_member = cx.ancestors(function).any(|around| cx.is(Role::Record, around));
        for &mention in cx.mentions(name).iter().filter(|&&m| m != name) {
            let parent = cx.parent(mention)?;
            // What another thing has under this name is not this function.
            let is_accessed =
                cx.is(Role::Access, parent) && cx.elements(parent).next() != Some(mention);
            if is_accessed && !is_member {
                continue;
            }
            let is_value = parameters.is_empty()
                && matches!(body, Body::Expression(_))
                && cx.is(Role::Expression, mention);
            if let Some(arguments) = arguments(cx, parent).filter(|&list| mention < list) {
                calls.push((parent, Some(arguments)));
            } else if is_value {
                calls.push((mention, None));
            } else {
                // A declaration of the function goes; any other use forbids the whole.
                let declaration = cx.ancestors(mention).find(|&a| cx.is_droppable(a))?;
                declarations.push(declaration);
            }
        }
        let fits = (1..=COPIES).contains(&calls.len())
            && calls.iter().all(|&(call, _)| !cx.contains(function, call))
            && declarations.iter().all(|&d| cx.is(Role::Declaration, d));
        let variables = None;
        fits.then_some(Self { cx, id: function, body, parameters, calls, declarations, variables })
    }

    /// Puts variables outside in place of the parameters.
    fn with_variables(self) -> Option<Self> {
        let cx = self.cx;
        let list =
            self.parameters.iter().flatten().find_map(|&name| {
                cx.ancestors(name).find(|&around| cx.is(Role::Parameters, around))
            })?;
        let variables: Option<Vec<Vec<u8>>> =
            cx.elements(list).map(|parameter| outside(cx, parameter)).collect();
        Some(Self { variables: Some(variables?.concat()), ..self })
    }

    /// Returns the items: first those that put an expression where calls are values, then those
    /// that put the body before the statements.
    fn items(&self) -> Vec<Item> {
        let forms = [true, false].into_iter();
        let mut items: Vec<Item> = forms.filter_map(|as_value| self.item(as_value)).collect();
        items.dedup();
        items
    }

    /// Returns the item that replaces all calls.
    fn item(&self, as_value: bool) -> Option<Item> {
        let cx = self.cx;
        let mut edits = Edits::drop_all(self.declarations.iter().copied());
        let place =
            self.variables.as_ref().map_or(Change::drop(), |text| Change::replace_with(text, None));
        edits.add(self.id, place).then_some(())?;
        for &(call, arguments) in &self.calls {
            let done = match (cx.statement_of(call), self.body) {
                (Some(statement), Body::Block(block)) => {
                    let text = self.body_with(block, arguments);
                    edits.add(statement, Change::replace_with(text, None))
                }
                _ if as_value => edits.add(call, self.bracketed(self.value()?, arguments)?),
                _ => self.before_statement(call, arguments, &mut edits)?,
            };
            done.then_some(())?;
        }
        Some(Item::new(edits, cx.tokens(self.id)))
    }

    /// Returns the one expression that the body consists of.
    fn value(&self) -> Option<NodeId> {
        let block = match self.body {
            Body::Block(block) => block,
            Body::Expression(value) => return Some(value),
        };
        let mut statements = self.cx.elements(block);
        let only = statements.next().filter(|_| statements.next().is_none())?;
        let cx = self.cx;
        if cx.is(Role::Expression, only) && cx.statement_of(only) == Some(only) {
            return Some(only);
        }
        let holds = cx.is(Role::Return, only) || cx.is(Role::ExpressionStatement, only);
        cx.elements(only).next().filter(|_| holds).map(|value| cx.innermost(value))
    }

    fn bracketed(&self, value: NodeId, arguments: Option<NodeId>) -> Option<Change> {
        let text = self.text_with(self.cx.subtree(value), arguments);
        Some(Change::replace_with(bracketed(self.cx, value, &text)?, None))
    }

    fn before_statement(
        &self,
        call: NodeId,
        arguments: Option<NodeId>,
        edits: &mut Edits,
    ) -> Option<bool> {
        let Self { cx, body: Body::Block(block), .. } = *self else { return None };
        let in_body = |&s: &NodeId| cx.parent(s).is_some_and(|p| cx.is(Role::Block, p));
        let statement = cx.ancestors(call).find(in_body)?;
        let (least, kind) = cx.language.roles.placeholders.get(&cx.kind(call))?.first()?;
        let body = Piece::Text(self.body_with(block, arguments).into(), None);
        let both = Change(vec![body, Piece::Node(statement)]);
        Some(edits.add(call, Change::replace_with(least, *kind)) && edits.add(statement, both))
    }

    /// Returns the text of the block without its brackets, if it has any.
    fn body_with(&self, block: NodeId, arguments: Option<NodeId>) -> Vec<u8> {
        let tree = self.cx.tree;
        let is_bracket = |id: NodeId| tree.is_leaf(id) && !tree.is_named(id);
        let all: Vec<NodeId> = tree.children(block).collect();
        let is_inner =
            |&(at, &id): &(usize, &NodeId)| !is_bracket(id) || at > 0 && at + 1 < all.len();
        let inner = all.iter().enumerate().filter(is_inner).map(|(_, &id)| id);
        self.text_with(inner.flat_map(|id| tree.subtree(id)), arguments)
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
