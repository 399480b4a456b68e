//! Sets whose members can be removed independently: [`words`] of a command line, records of a
//! [`log`].

pub(crate) mod log;
pub(crate) mod words;
