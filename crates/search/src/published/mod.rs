//! Published algorithms, each as its paper or book describes it.
//!
//! | module | algorithm | source |
//! |---|---|---|
//! | [`ddmin`] | ddmin | Zeller & Hildebrandt, TSE 28(2), 2002, §3.2, Fig. 5 |
//! | [`ddmin`] | ddmin without tests of single parts | Zeller, *Why Programs Fail*, Example 5.4 |
//! | [`dd`] | dd, isolation of a difference | Zeller & Hildebrandt 2002, §5, Fig. 15 |
//! | [`recursive`] | recursion on halves | Zeller, ESEC/FSE 1999 |
//! | [`fragments`] | fragments of each length, once | Zeller's notebooks on reducing |
//!
//! They are for comparisons (`--algorithm`) and for reading; only `dd` is used by default.

pub(crate) mod dd;
pub(crate) mod ddmin;
pub(crate) mod fragments;
mod parts;
pub(crate) mod recursive;
