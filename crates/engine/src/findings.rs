//! What an experiment gave, as plain data.

/// How one level went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LevelStats {
    /// What its circumstances are.
    pub name: &'static str,
    /// How many of them there were.
    pub circumstances: usize,
    /// How many are left: of the difference when isolating, of the failing side when minimising.
    pub left: usize,
    /// Tests told.
    pub tests: u64,
    /// Questions answered Unresolved by the grammar.
    pub infeasible: u64,
    /// Tests told whose outcome was Unresolved.
    pub unresolved: u64,
    /// Whether no single one of those left could be taken away, or added to the passing side.
    pub minimal: bool,
}

/// The figures of an experiment.
#[derive(Clone, Debug, Default)]
pub struct Findings {
    /// Tests told.
    pub tests: u64,
    /// Tests started, those included that were only speculation.
    pub started: u64,
    /// Questions answered Unresolved because infeasible.
    pub infeasible: u64,
    /// Questions answered from memory.
    pub remembered: u64,
    /// Levels that had more than one circumstance.
    pub levels: Vec<LevelStats>,
    /// Why it ended early, if it did.
    pub stopped: Option<String>,
}
