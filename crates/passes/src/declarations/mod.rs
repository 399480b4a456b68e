//! Passes over declarations: types, members, parameters, scopes.

pub(crate) mod aggregate_to_scalar;
pub(crate) mod assertions;
pub(crate) mod cast_to_declaration;
pub(crate) mod combine;
pub(crate) mod combine_members;
pub(crate) mod definition_to_class;
pub(crate) mod global_to_param;
pub(crate) mod inline_struct;
pub(crate) mod join_numbers;
pub(crate) mod lambda_to_function;
pub(crate) mod local_to_global;
pub(crate) mod member_to_global;
pub(crate) mod operators_to_functions;
pub(crate) mod pointer_level;
pub(crate) mod remove_dominated;
pub(crate) mod remove_member;
pub(crate) mod remove_namespace;
pub(crate) mod remove_parameter;
pub(crate) mod remove_unused;
pub(crate) mod replace_derived_class;
pub(crate) mod replace_typedef;
pub(crate) mod return_void;
pub(crate) mod simplify_nested_class;
pub(crate) mod specifiers;
pub(crate) mod stand_ins;
pub(crate) mod template_parameter;
