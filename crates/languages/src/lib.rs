//! minirepro-languages.
