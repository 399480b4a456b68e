//! Reads pages as a browser does (html5ever).

mod attribute_limit;
pub(crate) mod comparison;
pub(crate) mod dom;
pub(crate) mod feasibility;
pub(crate) mod serializer;
pub(crate) mod tracing_parser;
