//! minirepro-passes.
