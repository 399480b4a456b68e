//! minirepro-testkit.
