//! The default search: groups whose sizes follow the answers.
//!
//! [`group_testing`] estimates with [`rates`] how often a circumstance is needed, and asks for the
//! group whose answer tells most; [`galloping`] only doubles and quarters, for comparison.
//! [`first_group`] is what both begin with. [`binary_reduction`] searches a graph of dependencies,
//! otherwise than its paper in three things; [`graded_reduction`] decides how much of what is known
//! about the graph counts.

pub(crate) mod binary_reduction;
pub(crate) mod first_group;
pub(crate) mod galloping;
pub(crate) mod graded_reduction;
pub(crate) mod group_testing;
pub(crate) mod rates;
