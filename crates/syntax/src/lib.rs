//! minirepro-syntax.
