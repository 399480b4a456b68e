//! minirepro-runner.
