//! Tests on other machines: a *worker* is a command of the user's that starts an *agent*, and the
//! agent is our own runner at the other end of that command's standard input and output.
//!
//! # Protocol
//!
//! Each message is a line (`line.rs`): sixteen digits with XXH3-64 of what follows, a space, and
//! JSON (`message.rs`). Whatever else comes before the first one is passed over, since login shells
//! may greet.
//!
//! | message | from | meaning |
//! |---|---|---|
//! | `hello` | agent | first: version of the program, number of jobs, name of the machine |
//! | `test` | run | once: how the test is run, with its script and the files beside candidates |
//! | `candidate` | run | a number, and whether output is wanted; the candidate in base64 |
//! | `cancel` | run | the answer to this number is no longer wanted |
//! | `answer` | agent | number, outcome, end, seconds it took, another failure, last lines |
//! | `broken` | agent | number, and why the test cannot be run |
//!
//! Agent and run must have the same version of the program, since an agent decides which failure is
//! which. When an agent's input ends, it ends its tests, cleans up and goes.
//!
//! # Invariants
//!
//! - What is heard from a lost, damaged or cancelled exchange is never an answer.
//! - A worker only answers after it has answered for the unchanged input as the run itself did.
//! - What reproduces, according to a worker, counts when it reproduces here as well.
//! - Every question has an end, which follows from the time limit of the test.
//! - The time of a test is measured where it runs; waiting for a worker does not count.

mod agent;
mod line;
mod message;
mod pool;
mod worker;

#[cfg(test)]
mod tests;

pub use agent::{AgentError, serve};
pub use message::{Answer, Hello};
pub use pool::{Examined, Heard, WorkerPool};
