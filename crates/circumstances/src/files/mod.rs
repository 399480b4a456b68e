//! Files of a directory, and the names that several of them share.
//!
//! Both are [`coupled`] parts: they stretch over several files and are removed together.

pub(crate) mod coupled;
pub(crate) mod includes;
pub(crate) mod shared_names;
