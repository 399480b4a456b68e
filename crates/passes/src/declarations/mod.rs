//! Passes over declarations: types, members, parameters, scopes.

pub(crate) mod keep_demanded;
pub(crate) mod member_to_global;
pub(crate) mod remove_dominated;
pub(crate) mod remove_unused;
pub(crate) mod specifiers;
pub(crate) mod stand_ins;
pub(crate) mod template_parameter;
