//! Passes over declarations: types, members, parameters, scopes.

pub(crate) mod join_sizes;
pub(crate) mod member_to_global;
pub(crate) mod specifiers;
pub(crate) mod template_parameter;
