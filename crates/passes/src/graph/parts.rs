//! What of a whole text can go by itself: declarations that are visible from everywhere, and bodies
//! of functions. What a declaration defines beside the names that it declares: types outside of
//! their scope, forms of templates, values of members, meanings of signs.

use std::collections::HashSet;

use minirepro_syntax::{Change, Edits, FieldRole, NodeId, Role};

use crate::PassContext;
use crate::framework::slots::fitting;
use crate::framework::views::declares;

/// A declaration, a function of a record, or a body.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    pub(crate) node: NodeId,
    pub(crate) edits: Edits,
    /// The declaration that a body or a function of a record stands in.
    pub(crate) outer: Option<usize>,
    /// Whether it is a body.
    pub(crate) is_body: bool,
    /// The name of a function of a record.
    pub(crate) member: Option<NodeId>,
}

impl Part {
    pub(crate) fn new(node: NodeId, edits: Edits) -> Self {
        Self { node, edits, outer: None, is_body: false, member: None }
    }

    /// Returns the function whose body it is, or what it declares.
    pub(crate) fn function(&self, cx: &PassContext<'_>) -> Option<NodeId> {
        match self.is_body {
            true => cx.parent(self.node),
            false => inner_declaration(cx, self.node),
        }
    }
}

/// Returns the parts in the order of the text.
pub(crate) fn parts(cx: &PassContext<'_>) -> Vec<Part> {
    let opening = opening_macros(cx);
    let mut declarations = Vec::new();
    let mut lists = vec![NodeId::ROOT];
    while let Some(list) = lists.pop() {
        let mut before = Vec::new();
        for child in cx.children(list) {
            let goes_along = is_attribute(cx, child, &opening);
            let attributes = if goes_along { Vec::new() } else { std::mem::take(&mut before) };
            before.extend(goes_along.then_some(child));
            if goes_along && !is_ordered(cx) {
                continue;
            }
            // What a directive brings in no graph can know. Old programs declare variables by a
            // statement.
            let roles = [Role::Declaration, Role::Type, Role::Import];
            let is_old = is_ordered(cx) && cx.is(Role::ExpressionStatement, child);
            let declares = cx.is_any(&roles, child) || is_old || cx.flags(child).error;
            // What the parser did not get to see may mention names. A sign alone may belong to what
            // stands before it.
            let is_whole = declares && !cx.is_leaf(child) && cx.tokens(child) != 1;
            let brings_all =
                cx.is(Role::Import, child) && cx.leaves_in(child).any(|id| cx.text_of(id) == b"*");
            let can_go =
                || cx.is_droppable(child) && is_balanced(cx, child, &opening) && !brings_all;
            if let Some(inner) = inner_list(cx, child) {
                lists.push(inner);
            } else if (is_whole || is_apart(cx, child))
                && !is_empty_namespace(cx, child)
                && can_go()
            {
                declarations.push((child, attributes));
            }
        }
    }
    declarations.sort_unstable();
    let mut parts = Vec::new();
    for (node, attributes) in declarations {
        let edits = Edits::drop_all(attributes.into_iter().chain([node]));
        let mut around = vec![(parts.len(), cx.subtree_end(node))];
        parts.push(Part::new(node, edits));
        let mut at = NodeId(node.0 + 1);
        while at < cx.subtree_end(node) {
            while around.pop_if(|(_, end)| *end <= at).is_some() {}
            let outer = around.last().map(|&(part, _)| part);
            if let Some(edits) = without_body(cx, at, &opening) {
                parts.push(Part { outer, is_body: true, ..Part::new(at, edits) });
                at = cx.subtree_end(at);
                continue;
            }
            let member = member_name(cx, at);
            if member.is_some() && cx.is_droppable(at) && is_balanced(cx, at, &opening) {
                around.push((parts.len(), cx.subtree_end(at)));
                let edits = Edits::drop_all(with_attributes(cx, at, &opening));
                parts.push(Part { outer, member, ..Part::new(at, edits) });
            }
            at = NodeId(at.0 + 1);
        }
    }
    parts
}

/// Returns the name of a function that is a part of a record and can only be called by this name:
/// it makes and destroys no values of the record.
fn member_name(cx: &PassContext<'_>, id: NodeId) -> Option<NodeId> {
    cx.is_any(&[Role::Declaration, Role::Function], id).then_some(())?;
    let record = cx.parent(cx.parent(id)?)?;
    // Where it says of one type that it is also another one, nothing in it can go.
    let types = cx.children(record).filter(|&id| cx.is(Role::Type, id)).count();
    let holds = cx.is(Role::Declaration, record) && types < 2 && !is_ordered(cx);
    let is_record = holds && !cx.is_any(&[Role::Namespace, Role::Function], record);
    (is_record || cx.is(Role::Record, record)).then_some(())?;
    let function = inner_declaration(cx, id)?;
    let name = plain_name(cx, function).filter(|&name| cx.is_name(name))?;
    let declarator = cx.parent(name)?;
    cx.part(declarator, FieldRole::Parameters)?;
    let of_record = cx.part(record, FieldRole::Name).into_iter();
    let mut names = of_record.flat_map(|of_record| cx.names_in(of_record));
    names.all(|other| cx.text_of(other) != cx.text_of(name)).then_some(name)
}

/// Returns whether a name is declared before it is used: macros are read from the beginning on.
pub(super) fn is_ordered(cx: &PassContext<'_>) -> bool {
    cx.language.roles.is_played(Role::Macro)
}

/// Returns what is declared: inside of a template, or itself.
pub(crate) fn inner_declaration(cx: &PassContext<'_>, declaration: NodeId) -> Option<NodeId> {
    if !cx.is(Role::Template, declaration) {
        return Some(declaration);
    }
    cx.children(declaration).filter(|&id| cx.is(Role::Declaration, id)).last()
}

/// Returns what stands for the name in the innermost declarator of a function.
pub(crate) fn plain_name(cx: &PassContext<'_>, function: NodeId) -> Option<NodeId> {
    let inner = |&at: &NodeId| cx.part(at, FieldRole::Declarator);
    let Some(last) = std::iter::successors(inner(&function), inner).last() else {
        // It may stand in a head.
        let mut all = [function].into_iter().chain(cx.children(function));
        return all.find_map(|id| cx.name_part(id)).filter(|_| !is_ordered(cx));
    };
    // References have no field for what they refer to.
    let mut parts = cx.subtree(last);
    let declarator = parts.find(|&at| cx.part(at, FieldRole::Parameters).is_some());
    declarator.map_or(Some(last), |declarator| inner(&declarator))
}

/// Returns a node, and the attributes just before it.
pub(crate) fn with_attributes(
    cx: &PassContext<'_>,
    id: NodeId,
    opening: &HashSet<&[u8]>,
) -> Vec<NodeId> {
    let siblings = cx.parent(id).into_iter().flat_map(|around| cx.children(around));
    let before: Vec<NodeId> = siblings.take_while(|&sibling| sibling < id).collect();
    let attributes = before.into_iter().rev().take_while(|&at| is_attribute(cx, at, opening));
    std::iter::once(id).chain(attributes).collect()
}

/// Returns whether a node goes with the declaration after it: a comment, a qualifier, or what may
/// be an attribute that the grammar does not know, such as a macro in a line of its own.
fn is_attribute(cx: &PassContext<'_>, id: NodeId, opening: &HashSet<&[u8]>) -> bool {
    if !is_ordered(cx) {
        return cx.is(Role::Qualifier, id) || cx.flags(id).extra && !cx.flags(id).error;
    }
    let text = cx.text_of(id);
    let ends = cx.signs(id).statement_end.as_deref().is_some_and(|end| text.ends_with(end));
    is_apart(cx, id) && cx.is(Role::Unread, id) && !ends && is_balanced(cx, id, opening)
}

/// Returns whether a node is no part of what stands around it: it may stand anywhere, or was not
/// read. One of which both hold is an end of a condition, whose other end would stay.
fn is_apart(cx: &PassContext<'_>, id: NodeId) -> bool {
    cx.flags(id).extra != cx.is(Role::Unread, id)
}

/// Returns whether as many brackets are opened as closed, and none by a macro that leaves some open
/// or closes some.
fn is_balanced(cx: &PassContext<'_>, id: NodeId, opening: &HashSet<&[u8]>) -> bool {
    let mentions = |leaf: NodeId| {
        let is_text = cx.flags(leaf).extra && !cx.is_name(leaf) || cx.is(Role::Unread, leaf);
        let mut words = words(cx.text_of(leaf)).filter(|_| is_text);
        opening.contains(cx.text_of(leaf)) || words.any(|word| opening.contains(word))
    };
    depth(cx, id) == 0 && (opening.is_empty() || !cx.leaves_in(id).any(mentions))
}

/// Returns how many more brackets are opened than closed.
fn depth(cx: &PassContext<'_>, id: NodeId) -> i32 {
    // One sign may be several brackets, of which each is closed by one of its own: `[[a] ]`.
    let open = |byte: &u8| match byte {
        b'(' | b'[' | b'{' => Some(1),
        b')' | b']' | b'}' => Some(-1),
        _ => None,
    };
    let all =
        cx.leaves_in(id).filter_map(|leaf| cx.text_of(leaf).iter().map(open).sum::<Option<i32>>());
    all.sum()
}

/// Returns the names of the macros that open brackets and do not close them, or close what they
/// have not opened.
fn opening_macros<'a>(cx: &PassContext<'a>) -> HashSet<&'a [u8]> {
    let opens = |&id: &NodeId| cx.part(id, FieldRole::Value).is_some_and(|id| depth(cx, id) != 0);
    let opening = cx.until(cx.playing(Role::Macro)).filter(opens);
    opening.filter_map(|id| Some(cx.text_of(cx.name_part(id)?))).collect()
}

/// Returns the words of a text that may be names: not those in quotes, such as the name of a file.
pub(crate) fn words(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let unquoted = text.split(|&byte| byte == b'"').step_by(2);
    let is_sign = |&byte: &u8| !(byte.is_ascii_alphanumeric() || byte == b'_');
    let parts = unquoted.flat_map(move |text| text.split(is_sign));
    parts.filter(|word| word.first().is_some_and(|first| !first.is_ascii_digit()))
}

/// Returns the list of declarations in a namespace, if there are any; a conditional and a broken
/// region are such lists themselves.
fn inner_list(cx: &PassContext<'_>, id: NodeId) -> Option<NodeId> {
    if cx.is(Role::Namespace, id) {
        let body = cx.children(id).find(|&child| cx.is(Role::Hollow, child));
        return body.filter(|&body| cx.elements(body).next().is_some());
    }
    let imports = |&id: &NodeId| {
        cx.is(Role::Hollow, id) && cx.children(id).any(|child| cx.is(Role::Import, child))
    };
    if let Some(list) = cx.children(id).find(imports) {
        return Some(list);
    }
    let roles = [Role::Declaration, Role::Namespace, Role::Conditional];
    let is_list = cx.is(Role::Conditional, id) || cx.flags(id).error;
    (is_list && cx.children(id).any(|child| cx.is_any(&roles, child))).then_some(id)
}

/// Returns whether the node opens a namespace with a name and puts nothing into it, and others of
/// this name do.
fn is_empty_namespace(cx: &PassContext<'_>, id: NodeId) -> bool {
    let name = cx.name_part(id).filter(|_| cx.is(Role::Namespace, id));
    name.is_some_and(|name| cx.mentions(name).len() > 1)
}

/// Returns the edits that take the body of a function away: the function is only declared. Where
/// that is not a sentence of the language (a member's definition outside of its record), the body
/// becomes the least one.
fn without_body(cx: &PassContext<'_>, id: NodeId, opening: &HashSet<&[u8]>) -> Option<Edits> {
    let function = cx.parent_that(Role::Function, id)?;
    // What converts values is called without being named.
    let name = plain_name(cx, function)?;
    let is_qualified = cx.is(Role::Qualified, name);
    let is_mentioned = is_qualified || cx.children(name).all(|part| cx.is_leaf(part));
    // Of what is not understood nothing is known.
    let is_broken = cx.subtree(function).take_while(|&at| at < id).any(|at| cx.flags(at).error);
    if !cx.is(Role::Block, id) || !is_mentioned || is_deduced(cx, function) || is_broken {
        return None;
    }
    // What a record only declares for others (as a friend) may have no default arguments, and no
    // conditions.
    let outer = cx.parent_that(Role::Declaration, function);
    if outer.is_some_and(|outer| !cx.is_any(&[Role::Template, Role::Namespace], outer)) {
        return None;
    }
    let texts = cx.language.roles.placeholders.get(&cx.kind(id))?;
    let end = cx.signs(id).statement_end.as_ref();
    // Only some languages have functions without a body. The last text fits any result.
    let is_declared = cx.part(function, FieldRole::Declarator).is_some();
    let Some(end) = end.filter(|_| is_declared && !is_qualified) else {
        let mut texts = fitting(cx, id, texts);
        let (least, kind) = if is_declared { texts.next()? } else { texts.last()? };
        let is_new = **least != *cx.text_of(id);
        return is_new.then(|| Edits::one(id, Change::replace_with(least, *kind)));
    };
    // With the body go the initial values of members, and attributes that the grammar does not
    // know.
    let values = values_before(cx, id);
    let around = [function].into_iter().chain(outer);
    let unknown = around.flat_map(|at| with_attributes(cx, at, opening).into_iter().skip(1));
    let mut edits = Edits::drop_all(values.chain(unknown));
    edits.add(id, Change::replace_with(end, None)).then_some(edits)
}

/// Returns what stands before the body of a function and gives members their values.
pub(crate) fn values_before(cx: &PassContext<'_>, body: NodeId) -> impl Iterator<Item = NodeId> {
    let siblings = cx.parent(body).into_iter().flat_map(|id| cx.children(id));
    siblings.filter(move |&c| c < body && cx.is(Role::Hollow, c))
}

/// Returns whether only the body says what the function returns.
fn is_deduced(cx: &PassContext<'_>, function: NodeId) -> bool {
    let is_deduced = |id: NodeId| cx.is(Role::Deduced, id);
    cx.part(function, FieldRole::Type).is_some_and(is_deduced)
        && !cx.part(function, FieldRole::Declarator).is_some_and(|id| says_result(cx, id))
}

/// Returns whether a declarator says after the parameters what the function returns. Qualifiers may
/// mention types, too.
fn says_result(cx: &PassContext<'_>, declarator: NodeId) -> bool {
    let parameters = cx.part(declarator, FieldRole::Parameters);
    let mut words = cx.children(declarator).filter(|&child| Some(child) > parameters);
    let is_type = |part| cx.is(Role::Type, part);
    words.any(|child| !cx.is(Role::Qualifier, child) && cx.subtree(child).any(is_type))
}

/// Returns the name of the type or namespace of which a qualified name is a member.
pub(crate) fn scope_of(cx: &PassContext<'_>, name: NodeId) -> Option<NodeId> {
    let qualified = cx.parent_that(Role::Qualified, name)?;
    let scope = cx.children(qualified).next().filter(|&scope| scope != name)?;
    if cx.is_name(scope) { Some(scope) } else { cx.name_part(scope) }
}

/// Returns the sign that a function with this name gives a meaning.
pub(crate) fn sign(cx: &PassContext<'_>, name: NodeId) -> Option<NodeId> {
    let is_name = cx.is(Role::Qualified, name) || cx.is_leaf(name);
    let mut children = cx.children(name);
    let word = children.next().filter(|&id| cx.is_leaf(id) && !is_name)?;
    cx.text_of(word).first().filter(|byte| byte.is_ascii_alphabetic())?;
    let sign = children.last()?;
    (cx.is_leaf(sign) && !cx.is_name(sign)).then_some(sign)
}

/// Returns whether a declaration defines the type of this name, perhaps outside of the type that it
/// is a member of.
pub(crate) fn defines_type(cx: &PassContext<'_>, declaration: NodeId, name: NodeId) -> bool {
    let is_last = |id: NodeId| cx.subtree_end(id) == cx.subtree_end(name);
    let mut around = cx.ancestors(name).take_while(|&id| id >= declaration);
    let defined = around.find(|&id| !(cx.is(Role::Qualified, id) && is_last(id)));
    defined.filter(|&id| cx.part(id, FieldRole::Body).is_some()).is_some_and(|defined| {
        let is_outside = cx.parent(name) != Some(defined) && cx.is(Role::DeclaresType, defined);
        is_outside && (defined == declaration || cx.parent(defined) == Some(declaration))
            || declares(cx, declaration, name)
    })
}

/// Returns whether a declaration gives a member of the type of this name its value.
pub(crate) fn completes(cx: &PassContext<'_>, declaration: NodeId, name: NodeId) -> bool {
    let Some(qualified) = cx.parent_that(Role::Qualified, name) else { return false };
    let ends = |id: NodeId| cx.children(id).last().is_some_and(|last| cx.is_name(last));
    let is_scope = cx.children(qualified).next() == Some(name) && ends(qualified);
    let variable = inner_declaration(cx, declaration);
    let variable = variable.filter(|&id| is_scope && cx.is(Role::Joinable, id));
    let declared = variable.and_then(|variable| plain_name(cx, variable));
    declared.is_some_and(|declared| cx.is(Role::Qualified, declared) && cx.contains(declared, name))
}

/// Returns whether a declaration says what a template is for certain arguments: whoever uses the
/// template may use this. It can stand after the use.
pub(crate) fn specialises(cx: &PassContext<'_>, declaration: NodeId, name: NodeId) -> bool {
    let is_name = |id: NodeId| cx.plays(FieldRole::Name, id);
    let Some(special) = cx.parent(name).filter(|_| is_name(name)) else { return false };
    if cx.part(special, FieldRole::Arguments).is_none() {
        return false;
    }
    // It may stand after the namespace or type of the template.
    let mut whole = special;
    while let Some(qualified) = cx.parent_that(Role::Qualified, whole).filter(|_| is_name(whole)) {
        whole = qualified;
    }
    let defined = cx.parent_that(Role::DeclaresType, whole).filter(|_| is_name(whole));
    let is_type = defined.is_some_and(|id| cx.parent(id) == Some(declaration));
    // A variable or a function.
    let declarator = |&at: &NodeId| cx.part(at, FieldRole::Declarator);
    let inner = cx.is(Role::Template, declaration).then(|| inner_declaration(cx, declaration));
    let mut declarators = std::iter::successors(inner.flatten(), declarator);
    is_type || declarators.any(|at| at == special)
}
