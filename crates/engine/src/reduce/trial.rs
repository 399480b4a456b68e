//! A text that is tried out although it is larger, and the state to restore if nothing smaller
//! comes of it.

use std::collections::HashSet;
use std::sync::Arc;

use crate::reduce::current::Current;
use crate::reduce::rounds::Turn;

/// The state of the reducer before a larger text was adopted.
#[derive(Clone)]
pub(crate) struct Trial {
    /// The best result, which must be beaten.
    pub before: Arc<Current>,
    /// The items that had been refused.
    pub refused: Arc<HashSet<u64>>,
    /// Where in the order of passes the reducer was.
    pub turn: Turn,
    /// The number of answers within which something smaller must be found.
    pub answers_left: u32,
}
