//! minirepro-engine.
