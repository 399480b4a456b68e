//! Reads pages as a browser does (html5ever).
//!
//! `markup5ever_rcdom` holds the resulting DOM. Its authors offer it for tests and not for
//! browsers, since it is neither fast nor complete for scripts. Here it is the reference that our
//! trees are compared with: it is built once, read, and dropped, by the code with which html5ever
//! itself is tested.

pub(crate) mod browser;
mod comparison;
mod page;
