//! Directories in which tests run.

pub(crate) mod checkout;
pub(crate) mod companions;
pub(crate) mod original;
pub(crate) mod private;
pub(crate) mod scratch;
