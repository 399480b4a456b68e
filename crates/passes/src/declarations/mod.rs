//! Passes over declarations: qualifiers, parameters of templates, sizes.

pub(crate) mod join_sizes;
pub(crate) mod specifiers;
pub(crate) mod template_parameter;
