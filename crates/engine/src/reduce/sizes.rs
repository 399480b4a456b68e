//! What counts as large, and how much must be won there: one table for the order of passes.
//!
//! `corpus/decisions.md` has the measurements ("Order and pace"). Whatever a reduction does below
//! [`ORDER_MATTERS`] tokens depends on none of these.

/// Tokens above which the order of passes is worth a rule. Above it, a round begins again once
/// `delete-and-hoist` alone has removed a quarter: clang14-rejects-ranges has 29,792 tokens after
/// 1,000 tests with this and 51,165 without. Below it, thirteen cases of C have the same tests
/// either way.
pub(super) const ORDER_MATTERS: u64 = 500;

/// Tokens up to which small edits of names, parameters and types win more per test than trying
/// parts one by one does: the latter wins 2.4 tokens a test between 5,881 and 500 tokens of
/// clang14-rejects-ranges.
pub(super) const ONE_BY_ONE_PAYS: u64 = 2_000;

/// Tokens above which a pass has to win something: the search of a group always, small edits unless
/// the last round won too little. There, 918 tests of `split-leaves` had won one token
/// (clang14-rejects-ranges), 2,111 tests of `delete-and-hoist` less than ten of `largest-lists`
/// (clang16-gisel-future), and 188 of `largest-lists` eight tokens (clang14-gisel-pocketfft).
/// In binary files [`ORDER_MATTERS`] takes its place.
pub(super) const MUST_WIN: u64 = 10_000;

/// The number of tests after which it is decided whether a pass has won enough to go on.
pub(super) const TESTS_PER_DECISION: u32 = 24;

/// The share of the tokens that these tests must remove: 1/n of them.
pub(super) const SHARE_OF_ONE_BY_ONE: u64 = 20;
/// See [`SHARE_OF_ONE_BY_ONE`].
pub(super) const SHARE_OF_GROUPS: u64 = 40;
/// See [`SHARE_OF_ONE_BY_ONE`].
pub(super) const SHARE_OF_SMALL_EDITS: u64 = 100;

/// The share of the tokens that a round must remove for the next one to be as strict.
pub(super) const SHARE_OF_ROUND: u64 = 50;

/// The share of the tokens after which `delete-and-hoist` makes way for the passes before it.
pub(super) const SHARE_OF_PASS: u64 = 4;

/// The number of answers within which a larger text must lead to something smaller than the best.
pub(super) const ANSWERS_PER_TRIAL: u32 = 60;

/// The same for the text of a proposer, who may have changed more than one thing.
pub(super) const ANSWERS_PER_PROPOSAL: u32 = 200;

/// The bytes up to which a text may break the syntax ([`Attribute::BreaksSyntax`]).
///
/// [`Attribute::BreaksSyntax`]: minirepro_passes::Attribute::BreaksSyntax
pub(super) const SHORT: usize = 300;

/// How much larger than the current text a pump may make it.
pub(super) const GROWTH: u64 = 2;

/// Bytes that a parser reads within about a millisecond. Larger candidates are only parsed if they
/// fail.
pub(super) const CHEAP_TO_READ: usize = 64 << 10;

/// How often binary reduction looks for a dependency that the graph does not have.
pub(super) const MOST_ADDITIONS: u32 = 12;
