//! The numbers that passes are tuned by: one table, so that nobody adds one that is there already.
//! Those with a name of a case were measured with it (`corpus/decisions.md`); others bound the
//! tests or the work of a pass, and were chosen once for all inputs.

// Sizes of texts, in tokens. Above them, other passes take away more by each question.

/// Passes that need types, and passes of rules that are `late`.
pub(crate) const SMALL_TEXT: u32 = 5_000;

/// From this size on, a compiler's messages about missing declarations are worth reading.
pub(crate) const LATE_TEXT: u32 = 500;

/// Passes that win a token or two by each question: numbers, neighbouring tokens, what style rules
/// share.
pub(crate) const ENDING_TEXT: u32 = 400;

/// Single tags, each of which a reader can do without.
pub(crate) const SHORT_TEXT: u32 = 100;

/// Above it, all qualifiers are one question: single ones win a token or two by each.
pub(crate) const QUALIFIED_TEXT: u32 = 20_000;

// Shares: 1/n of the tokens of a text.

/// A part with more than 1/n of all tokens is opened: its parts count.
pub(crate) const HEAVY_SHARE: u32 = 8;

/// A list with less than 1/n of all tokens is not a coarse cut.
pub(crate) const COARSE_SHARE: u32 = 16;

/// All parts of one sort must hold at least 1/n of all tokens.
pub(crate) const SORT_SHARE: u32 = 32;

// Numbers of tries, and of parts that are worth one.

/// The fewest parts that are worth one list.
pub(crate) const POOLED_PARTS: usize = 4;

/// Fewer parts are left to passes that ask about one after the other: halving takes as many
/// questions.
pub(crate) const FEW: usize = 8;

/// The most sorts of which no part could go before the others are not tried.
pub(crate) const SORTS_IN_VAIN: u32 = 3;

/// The nodes among which the word is looked for that tells sorts of one kind apart.
pub(crate) const NODES_BEFORE_A_WORD: usize = 8;

/// A file of bytes is overwritten in this many pieces at first, and pieces that must stay in
/// [`PIECES_OF_A_PIECE`].
pub(crate) const PIECES: u32 = 64;

/// See [`PIECES`].
pub(crate) const PIECES_OF_A_PIECE: u32 = 8;

/// The fewest bytes of a piece that is overwritten before parts of the file are deleted.
pub(crate) const LARGE_PIECE: u32 = 16;

/// The least levels of a nest that are halved; fewer are hoisted one by one. The next level is
/// looked for among as many nodes.
pub(crate) const LONG_CHAIN: usize = 16;

/// The same where the nodes are there to be nested.
pub(crate) const SHORT_CHAIN: usize = 3;

/// The most tokens of a node that is replaced by any fitting node inside; larger ones only by
/// the uppermost.
pub(crate) const DEEP_HOIST: u32 = 40;

/// The most smaller numbers that are tried for each that stays. The last steps of a bisection
/// win hardly anything.
pub(crate) const NUMBERS_TRIED: usize = 2;

/// The least number that is made smaller. Others are read as easily, and what they stand for is
/// often worth more: `64 * sizeof(int)` may become `64`, but `3 * sizeof(int)` not `3` (p71626
/// ended at 19 tokens instead of 14).
pub(crate) const LARGE_NUMBER: u64 = 100;

/// The most copies of a body or a value: more are seldom smaller than the original and its
/// uses.
pub(crate) const COPIES: usize = 4;

/// The most names of which all pairs are tried.
pub(crate) const MERGED_NAMES: usize = 6;

/// The lines among which the number is looked for that counts the records after them; what refers
/// to records begins among as many.
pub(crate) const HEADER_LINES: usize = 40;

/// The words that make the shape of a line.
pub(crate) const SHAPE_WORDS: usize = 3;

/// The fewest names of [`LONG_TOKEN`] letters that show that the width of a line may matter; else
/// one of [`LONG_WORD`] does.
pub(crate) const LONG_NAMES: usize = 3;

/// The edits that keep a line as wide as it is of which none may win before the others are not
/// tried.
pub(crate) const WIDTHS_IN_VAIN: u32 = 12;

/// Guesses of how high the text of 100 bytes is, in points: as it is usually set, with more between
/// the lines, in small letters, in two columns.
pub(crate) const ROOM_OF_BYTES: [usize; 4] = [15, 19, 12, 27];

/// How much more room a part takes for what stands between it and others, and for a last line that
/// is not full.
pub(crate) const ROOM_AROUND: usize = 6;

/// The most tokens of a qualifier that goes with others of its spelling.
pub(crate) const LONGEST_QUALIFIER: u32 = 16;

/// The innermost open elements that a tag may close instead.
pub(crate) const OPEN_ELEMENTS: usize = 2;

/// The most elements that a style rule moves into: the last ones that it mentions.
pub(crate) const STYLED_ELEMENTS: usize = 6;

/// The least length of a token that is cut into characters.
pub(crate) const LONG_TOKEN: usize = 6;

/// The least length of a word that is shortened where readers know the words.
pub(crate) const LONG_WORD: usize = 20;

// Bounds that keep work linear: results hardly depend on them.

/// Nodes with more children are lists: clauses are compared with each other.
pub(crate) const CLAUSES: usize = 64;

/// The most declarations of one name that count: of a large family of overloads few are meant.
pub(crate) const OVERLOADS: usize = 6;

/// The most definitions that say what a template is: else one with thousands of forms that
/// mention it would have as many edges as their square.
pub(crate) const DEFINITIONS: usize = 32;

/// Smaller parts are tried again whenever something in them has changed.
pub(crate) const OUTLINED_PART: u32 = 8;

/// The most mentions of names that the rules of a pass follow in one text.
pub(crate) const FOLLOWED_MENTIONS: usize = 1 << 20;

/// The same for each node of a large text.
pub(crate) const FOLLOWED_OF_A_NODE: usize = 2;

/// The leaves by which the beginning of a part is known.
pub(crate) const FIRST_LEAVES: usize = 10;

/// Fewer children are looked at anew for each of them.
pub(crate) const MANY_SIBLINGS: usize = 16;

/// Subtrees with more nodes are known by the hash of their tokens alone: looking at each name
/// would cost the square of the depth where large nodes are nested.
pub(crate) const HASHED_NODES: u32 = 2_000;

/// The most bytes of a leaf that may name a file.
pub(crate) const LONGEST_MENTION: usize = 256;

/// The most nodes around a name of what imports it.
pub(crate) const IMPORT_LEVELS: usize = 6;
