//! The parts of a class: where it stands, and what its members are.

use minirepro_syntax::{FieldRole, NodeId, Role};

use crate::PassContext;
use crate::framework::declarations::{declarators, declared_name};
use crate::framework::function_parts::FunctionParts;

/// A class with its members.
pub(crate) struct Class {
    /// The class itself.
    pub(crate) record: NodeId,
    /// Its name.
    pub(crate) name: Option<NodeId>,
    /// The declaration whose type it is, or the class itself.
    pub(crate) holder: NodeId,
    /// The outermost declaration around it that is no namespace, or the holder.
    pub(crate) outermost: NodeId,
    /// The sign after it, where that is not part of the holder.
    pub(crate) end: Option<NodeId>,
    /// Its members. What only says something about others, or about values of the class, does not
    /// count.
    pub(crate) members: Vec<Member>,
}

/// A member of a class.
pub(crate) enum Member {
    /// A type, or another name for one.
    Type {
        /// The declaration.
        id: NodeId,
        /// What it declares.
        names: Vec<NodeId>,
    },
    /// A variable, or several.
    Field {
        /// The declaration.
        id: NodeId,
        /// What it declares.
        names: Vec<NodeId>,
    },
    /// A function.
    Function {
        /// The declaration.
        id: NodeId,
        /// What it declares.
        names: Vec<NodeId>,
        /// The list of its parameters.
        list: NodeId,
        /// Whether it has no body.
        is_declared: bool,
    },
    /// A function that makes values of the class.
    Maker {
        /// The declaration.
        id: NodeId,
        /// The name of the class.
        names: Vec<NodeId>,
        /// Its body.
        body: NodeId,
    },
}

impl Member {
    /// Returns the declaration.
    pub(crate) fn id(&self) -> NodeId {
        match *self {
            Self::Type { id, .. }
            | Self::Field { id, .. }
            | Self::Function { id, .. }
            | Self::Maker { id, .. } => id,
        }
    }

    /// Returns the names that it declares.
    pub(crate) fn names(&self) -> &[NodeId] {
        match self {
            Self::Type { names, .. }
            | Self::Field { names, .. }
            | Self::Function { names, .. }
            | Self::Maker { names, .. } => names,
        }
    }

    /// Returns whether it has parameters.
    pub(crate) fn is_function(&self) -> bool {
        matches!(self, Self::Function { .. } | Self::Maker { .. })
    }

    fn read(context: &PassContext<'_>, class: Option<NodeId>, id: NodeId) -> Option<Self> {
        let tree = context.tree;
        if context.is(Role::Typedef, id) {
            return Some(Self::Type {
                id,
                names: declared_name(context, id).into_iter().collect(),
            });
        }
        let is_type = |id| context.is(Role::DeclaresType, id);
        if is_type(id) {
            let names = context.name_part(id).into_iter().collect();
            return context.part(id, FieldRole::Body).map(|_| Self::Type { id, names });
        }
        if context.is(Role::Template, id) {
            return None;
        }
        // A friend may be a function with a body.
        let own = tree.children(id).find(|&child| context.is(Role::Function, child));
        let id = own.filter(|_| !context.is(Role::Function, id)).unwrap_or(id);
        let has_type = context.part(id, FieldRole::Type).is_some();
        if context.is(Role::Function, id) {
            let FunctionParts { name, parameters, body } = FunctionParts::of(context, id)?;
            let names = vec![name];
            let is_maker = || class.is_some_and(|class| tree.text_of(class) == tree.text_of(name));
            return match has_type {
                true => Some(Self::Function {
                    id,
                    names,
                    list: parameters,
                    is_declared: body.is_none(),
                }),
                false if is_maker() => body.map(|body| Self::Maker { id, names, body }),
                false => None,
            };
        }
        if !context.is(Role::Joinable, id) || !has_type {
            return None;
        }
        if let Some(FunctionParts { name, parameters, .. }) = FunctionParts::of(context, id)
            && tree
                .parent(parameters)
                .is_some_and(|at| context.part(at, FieldRole::Declarator) == Some(name))
        {
            let (names, list) = (vec![name], parameters);
            return Some(Self::Function { id, names, list, is_declared: true });
        }
        let declared = declarators(context, id);
        let mut names: Vec<NodeId> = declared.filter_map(|at| name_in(context, at)).collect();
        let defined = context.part(id, FieldRole::Type).filter(|&of| is_type(of));
        if names.is_empty() {
            names.extend(defined.and_then(|of| context.name_part(of)));
            return defined.map(|_| Self::Type { id, names });
        }
        Some(Self::Field { id, names })
    }
}

impl Class {
    /// Returns the parts of a class; `None` if it has no body, or if it is a template or inside of
    /// one.
    pub(crate) fn read(context: &PassContext<'_>, record: NodeId) -> Option<Self> {
        let tree = context.tree;
        let body = context.part(record, FieldRole::Body)?;
        let name = context.name_part(record);
        if name.is_none() && context.part(record, FieldRole::Name).is_some() {
            return None;
        }
        let is_holder = |&id: &NodeId| {
            let roles = [Role::Declaration, Role::Typedef];
            roles.into_iter().any(|role| context.is(role, id))
                && context.part(id, FieldRole::Type) == Some(record)
        };
        let holder = tree.parent(record).filter(is_holder).unwrap_or(record);
        let mut outermost = holder;
        for id in tree.ancestors(holder) {
            if context.is(Role::Template, id) {
                return None;
            }
            let roles = [Role::Declaration, Role::Function, Role::Record, Role::Statement];
            if !context.is(Role::Namespace, id)
                && roles.into_iter().any(|role| context.is(role, id))
            {
                outermost = id;
            }
        }
        let end = tree.parent(holder).and_then(|parent| {
            let next = tree.children(parent).find(|&child| child >= tree.subtree_end(holder))?;
            let is_end =
                Some(tree.text_of(next)) == context.tokens(holder).statement_end.as_deref();
            Some(next).filter(|_| is_end && holder == record)
        });
        let members = context.elements(body).filter_map(|id| Member::read(context, name, id));
        let members = members.collect();
        Some(Self { record, name, holder, outermost, end, members })
    }

    /// Returns whether a member has this name.
    pub(crate) fn declares(&self, context: &PassContext<'_>, name: NodeId) -> bool {
        let text = context.tree.text_of(name);
        let mut names = self.members.iter().flat_map(Member::names);
        names.any(|&own| context.tree.text_of(own) == text)
    }

    /// Returns whether a member of this class may be meant, as far as names say their types.
    pub(crate) fn may_own(&self, context: &PassContext<'_>, access: NodeId) -> bool {
        let tree = context.tree;
        let Some(target) = context.elements(access).next() else { return false };
        if !context.is_name(target) {
            return true;
        }
        let own = self.name.map(|name| tree.text_of(name));
        let mut is_known = false;
        for &mention in context.mentions(target) {
            let mut around =
                tree.ancestors(mention).take_while(|&id| !context.is(Role::Expression, id));
            let declares =
                |&id: &NodeId| context.is(Role::Declaration, id) || context.is(Role::Parameter, id);
            let Some(declaration) = around.find(declares) else { continue };
            let Some(of) = context.part(declaration, FieldRole::Type) else { continue };
            if tree.contains(of, mention) {
                continue;
            }
            let named = context.name_part(of).unwrap_or(of);
            let is_own = of == self.record || Some(tree.text_of(named)) == own;
            if is_own || !is_plain_class(context, of) {
                return true;
            }
            is_known = true;
        }
        !is_known
    }
}

/// Returns whether a type is a class that is derived from no other.
fn is_plain_class(context: &PassContext<'_>, of: NodeId) -> bool {
    let tree = context.tree;
    let is_plain = |record: NodeId| {
        let has_bases = tree.children(record).any(|child| context.is(Role::Bases, child));
        let has_body = context.part(record, FieldRole::Body).is_some();
        context.is(Role::Record, record) && has_body && !has_bases
    };
    let name = if context.is_name(of) { Some(of) } else { context.name_part(of) };
    let mentions = name.map_or(&[][..], |name| context.mentions(name));
    is_plain(of) || mentions.iter().filter_map(|&mention| tree.parent(mention)).any(is_plain)
}

/// Returns the name in a declarator.
fn name_in(context: &PassContext<'_>, declarator: NodeId) -> Option<NodeId> {
    let mut names = context.tree.subtree(declarator).filter(|&id| context.is_name(id));
    names.next()
}
