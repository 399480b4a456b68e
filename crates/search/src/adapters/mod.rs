//! Wrappers around a search: [`empty_first`] asks a first question, [`sweep`] ends with the
//! certificate of 1-minimality.
//!
//! [`cached`] (memory of answers) and [`limits`] (stopping early) are for callers who drive a
//! search themselves, as *Why Programs Fail*, §5.8 describes; the engine has a memory and a budget
//! of its own, since they must also cover other searches and candidates made ahead.

pub(crate) mod cached;
pub(crate) mod empty_first;
pub(crate) mod limits;
pub(crate) mod sweep;
