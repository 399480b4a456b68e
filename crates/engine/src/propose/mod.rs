//! Candidates that come from outside: from a program that is shown the best text and says what to
//! try.
//!
//! The session says when it wants to hear something, and gets it, as plain data. Who is asked, and
//! how, is its caller's business.

pub(crate) mod consultation;
pub(crate) mod conversation;
