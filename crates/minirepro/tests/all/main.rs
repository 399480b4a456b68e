//! The library as an embedder uses it.

#[cfg(all(feature = "serde", feature = "arbitrary", feature = "c"))]
mod examples;
mod panics;
mod parallel;
#[cfg(unix)]
mod processes;
mod requests;
#[cfg(all(feature = "serde", feature = "arbitrary"))]
mod values;
