//! Published algorithms, each as its paper or book describes it.
//!
//! | module | algorithm | source |
//! |---|---|---|
//! | [`ddmin`] | ddmin | Zeller & Hildebrandt, TSE 28(2), 2002, §3.2, Fig. 5 |
//! | [`ddmin`] | W_ddmin, parts of equal weight | Zhou et al., ICSE 2025 |
//! | [`dd`] | dd, isolation of a difference | Zeller & Hildebrandt 2002, §5, Fig. 15 |
//! | [`ddmin_complements`] | ddmin without tests of single parts | Zeller, *Why Programs Fail*, ch. 5, Example 5.4 |
//! | [`recursive`] | recursion on halves | Zeller, ESEC/FSE 1999 |
//! | [`fragments`] | fragments of each length, once | Zeller's notebooks on reducing |
//! | [`probdd`] | ProbDD | Wang et al., ESEC/FSE 2021 |
//! | [`cdd`] | CDD, ProbDD with counters | Zhang et al., ICSE 2025 |
//! | [`single`], [`once`] | one circumstance at a time | folklore |
//!
//! They are for comparisons (`--algorithm`) and for reading; only `once` and `dd` are used by
//! default.
//! [`parts`] is the cutting that several of them share.

pub(crate) mod cdd;
pub(crate) mod dd;
pub(crate) mod ddmin;
pub(crate) mod ddmin_complements;
pub(crate) mod fragments;
pub(crate) mod once;
pub(crate) mod parts;
pub(crate) mod probdd;
pub(crate) mod recursive;
pub(crate) mod single;
