//! Parses text with tree-sitter, as a whole.

use std::cell::Cell;
use std::collections::HashMap;
use std::ops::{ControlFlow, Range};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use minirepro_syntax::{
    Facts, FactsError, Flags, Interruption, Kinds, NodeId, Parse, Reader, Rendered, Tree,
    TreeBuilder,
};
use tree_sitter::{Language, LogType, ParseOptions, ParseState, Parser};

use crate::manifest::implied::{Explicit, Implied};
use crate::manifest::schema::Manifest;
use crate::plain::levels;
use crate::plain::nesting::Nesting;
use crate::tree_sitter::broken::visit;
use crate::tree_sitter::chunked::{self, Piece, Verdict};
use crate::tree_sitter::convert::Walk;
use crate::tree_sitter::incremental;
use crate::tree_sitter::symbols::Symbols;

/// A parser for one language.
pub(crate) struct Sitter {
    /// Its grammars: a text is read by the first one that finds no error in it, or else by the last
    /// one.
    grammars: Vec<Language>,
    pub(crate) symbols: Symbols,
    nesting: Option<Nesting>,
    /// Whether the end of a text closes what is open, without ado.
    ends_all: bool,
    most_levels: Option<usize>,
    implied: Implied,
    /// If long texts are read item by item: the words with which lists of such items begin.
    pub(super) item_lists: Option<Vec<String>>,
    pub(super) interruption: Interruption,
    /// Parsers that have read a text to its end: making one takes longer than reading a short text.
    idle: Mutex<Vec<Parser>>,
    /// What is wrong with parts of long texts, by their hashes.
    pub(super) judged: Mutex<HashMap<u128, Verdict>>,
}

/// Above this the parser would need gigabytes: such a text is one broken region until it is
/// smaller.
const LARGEST: usize = 10_000_000;

/// The same for a text that is read in pieces. Its tree needs 28 bytes for each byte, and reading
/// it half a second for a megabyte.
const LARGEST_IN_PIECES: usize = 40_000_000;

/// From this length on, texts are read in pieces where that can be: trees of the parser need about
/// 30 bytes for each byte, and reading a long list again, even if little is new, costs its length.
const LONG: usize = 256 << 10;

impl Sitter {
    /// Creates a parser, and reads `facts` with those about text that is split.
    ///
    /// # Errors
    /// If the facts are wrong.
    pub(crate) fn new(
        grammars: Vec<Language>,
        manifest: &Manifest,
        facts: &str,
        interruption: Interruption,
        kinds: &mut Kinds,
    ) -> Result<(Self, Facts), FactsError> {
        let (symbols, facts) = Symbols::new(&grammars, manifest, facts, kinds)?;
        let sitter = Self {
            grammars,
            symbols,
            nesting: manifest.nesting.clone(),
            ends_all: manifest.nesting.is_some() && manifest.tokens.whole_tags,
            most_levels: manifest.most_levels,
            implied: manifest.implied.clone(),
            item_lists: manifest.item_lists.clone(),
            interruption,
            idle: Mutex::default(),
            judged: Mutex::default(),
        };
        Ok((sitter, facts))
    }

    /// Returns a tree whose root is one broken region; of one leaf, if nobody waits any more.
    fn broken(&self, text: &[u8]) -> Tree {
        let mut builder = TreeBuilder::new(Arc::from(text), self.symbols.kinds.clone());
        let (kind, error) = (self.symbols.error, Flags { error: true, ..Flags::default() });
        if self.interruption.is_set() {
            builder.leaf(kind, 0..text.len(), error, 0);
            return builder.finish();
        }
        builder.open(kind, 0..text.len(), error);
        match &self.nesting {
            Some(nesting) => self.symbols.words.add_elements(&mut builder, text, nesting),
            None => self.symbols.words.add(&mut builder, text, 0..text.len()),
        }
        builder.close();
        builder.finish()
    }

    /// Returns the tree of the parser for the grammar of this number, made from one of a similar
    /// text if there is one.
    fn parsed(
        &self,
        grammar: usize,
        text: &[u8],
        old: Option<&tree_sitter::Tree>,
    ) -> Option<tree_sitter::Tree> {
        let idle = || self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let mut parser = idle().pop().unwrap_or_default();
        let tree = parse(&mut parser, &self.grammars[grammar], text, old, &self.interruption)?;
        // One that was stopped would go on with its text.
        idle().push(parser);
        Some(tree)
    }

    /// Returns the parser's tree of the text, or of the text with its implied tokens written out,
    /// where that has fewer errors; and how many. The first grammars may be left out.
    pub(super) fn best_parse(&self, first: usize, text: &[u8]) -> Option<BestParse> {
        let mut best = None;
        for grammar in first..self.grammars.len() {
            best = self.read_by(grammar, text);
            if best.as_ref().is_some_and(|best| best.errors == 0) {
                break;
            }
        }
        let mut best = best?;
        let implied = if best.errors > 0 { self.written_out(text) } else { None };
        let is_short = implied.is_some() && text.len() < SHORT;
        let others = is_short.then(|| self.implied.all_but_one(text)).into_iter().flatten();
        for explicit in implied.into_iter().chain(others) {
            let other = self.read_by(best.grammar, &explicit.text)?;
            if other.errors < best.errors {
                best = BestParse { explicit: Some(explicit), ..other };
            }
            if best.errors == 0 {
                break;
            }
        }
        Some(best)
    }

    fn read_by(&self, grammar: usize, text: &[u8]) -> Option<BestParse> {
        let tree = self.parsed(grammar, text, None)?;
        let errors = self.count_errors(grammar, &tree)?;
        Some(BestParse { tree, grammar, explicit: None, errors })
    }

    /// Returns the text with what is implied in it, or after its end.
    fn written_out(&self, text: &[u8]) -> Option<Explicit> {
        let of_tokens = (text.len() < LONG).then(|| self.implied.write_out(text)).flatten();
        of_tokens.or_else(|| {
            let tags = self.nesting.as_ref().filter(|_| self.ends_all)?.implied_end_tags(text)?;
            Some(Explicit::ending(text, &tags))
        })
    }

    /// Returns whether anything may be implied: in long texts only what ends, since there another
    /// reading takes too long.
    fn implies(&self, text: &[u8]) -> bool {
        !self.implied.is_empty() && text.len() < LONG || self.ends_all
    }

    /// Returns the errors in a text.
    fn errors_of(&self, text: &[u8]) -> Option<u32> {
        if self.is_too_much(text) {
            None
        } else if self.is_read_apart(text) {
            self.errors_apart(text)
        } else {
            Some(self.best_parse(0, text)?.errors)
        }
    }

    /// Returns the errors in a candidate made of `base`.
    fn errors_of_candidate(&self, base: &Tree, candidate: &Rendered) -> Option<u32> {
        let text = &candidate.text;
        let read = read(base);
        if let Some(Read { pieces, .. }) = read.filter(|read| !read.pieces.is_empty()) {
            let (unread, mut errors) = chunked::unread(pieces, &candidate.copied, text.len());
            for span in unread {
                errors += self.errors_apart(&text[span])?;
            }
            return Some(errors);
        }
        let old = read.and_then(|read| read.parsed.as_ref());
        let Some((grammar, old)) = old.filter(|_| !self.is_too_much(text)) else {
            return self.errors_of(text);
        };
        let adapted = incremental::adapt(old, base.text(), text, &candidate.copied);
        let parsed = self.parsed(*grammar, text, Some(&adapted))?;
        let errors = self.count_errors(*grammar, &parsed)?;
        // Other readings are looked for only where the text has more errors than before.
        if errors <= base.errors() {
            Some(errors)
        } else if grammar + 1 < self.grammars.len() {
            Some(self.best_parse(grammar + 1, text)?.errors)
        } else if self.implies(text) {
            self.errors_of(text)
        } else {
            Some(errors)
        }
    }

    /// Returns the tree of a text, of which some pieces may stand in that of `base`.
    fn tree(&self, base: Option<&Tree>, text: &[u8]) -> Option<Tree> {
        if self.is_too_much(text) {
            return None;
        }
        let (mut builder, read) = match self.is_read_apart(text) {
            true => self.built_apart(base, text)?,
            false => self.built(text)?,
        };
        builder.keep(Some(Arc::new(read)));
        Some(builder.finish())
    }

    fn built(&self, text: &[u8]) -> Option<(TreeBuilder, Read)> {
        let best = self.best_parse(0, text)?;
        // A tree of a text with additions says nothing about the text's own places.
        let parsed = best.explicit.is_none().then(|| (best.grammar, best.tree.clone()));
        let (mut walk, tree) = Walk::new(&self.symbols, text, best, &self.interruption);
        walk.below(&mut tree.walk());
        Some((walk.built(), Read { parsed, ..Read::default() }))
    }

    fn is_read_apart(&self, text: &[u8]) -> bool {
        self.item_lists.is_some() && text.len() >= LONG
    }

    /// Returns the number of errors in a text that was not read to its end: it is one broken
    /// region, and must not be accepted if nobody waits any more.
    fn errors_of_unread(&self) -> u32 {
        if self.interruption.is_set() { u32::MAX } else { 1 }
    }

    /// Returns how many nodes are errors or missing.
    fn count_errors(&self, grammar: usize, parsed: &tree_sitter::Tree) -> Option<u32> {
        let mut errors = 0;
        let is_done = !parsed.root_node().has_error()
            || visit(parsed, &self.interruption, |node| {
                errors += u32::from(node.is_error() || node.is_missing());
                let kind = self.symbols.kind(grammar, node);
                node.has_error() && !self.symbols.is_closed(node, kind)
            });
        is_done.then_some(errors)
    }
}

/// Returns the parser's tree of a text, made from one of a similar text if there is one; `None` if
/// there is no parser for the grammar's version, if it takes too long, or if nobody waits any more.
pub(super) fn parse(
    parser: &mut Parser,
    grammar: &Language,
    text: &[u8],
    old: Option<&tree_sitter::Tree>,
    interruption: &Interruption,
) -> Option<tree_sitter::Tree> {
    parser.set_language(grammar).ok()?;
    // Some grammars look at all that follows for each token, and in some broken texts the parser
    // tries all ways to go on at each of them. What it reads and how often it reports are measures
    // of time that are the same on each machine.
    let (reads, reports) = (Cell::new(0), Cell::new(0));
    let blocks = text.len() / BLOCK + FEW_BLOCKS;
    // Counting takes as long as reading, so it is done in samples until there is something to
    // count.
    let counts = old.is_none() && text.len() >= RECOVERIES_COUNT_FROM;
    let recoveries = Arc::new(AtomicUsize::new(0));
    let recovered = || recoveries.load(Ordering::Relaxed);
    let is_full_of_errors = || {
        let blocks = text.len() / BLOCK;
        recovered() > MOST_RECOVERIES * blocks && recovered() * blocks > FEW_RECOVERIES
            || recovered() > RECOVERIES_IN_A_REPORT * reports.get() + RECOVERIES_AT_ONCE
    };
    let mut block = |at: usize, _| {
        reads.set(reads.get() + 1);
        let end = text.len().min((at / BLOCK + 1) * BLOCK);
        text.get(at..end).unwrap_or_default()
    };
    let mut is_counting = false;
    loop {
        is_counting = counts && !is_counting;
        parser.set_logger(is_counting.then(|| Box::new(counter_of(&recoveries)) as _));
        let mut changes = false;
        let mut progress = |state: &ParseState| {
            reports.set(reports.get() + 1);
            let is_too_much = reads.get() > MOST_READS * blocks
                || reports.get() > MOST_REPORTS * blocks
                || is_full_of_errors();
            let is_sampled = reports.get() % REPORTS_IN_A_SAMPLE == 0;
            let is_wanted = counts && (is_sampled || recovered() > 0 || state.has_error());
            changes = is_wanted != is_counting;
            match changes || is_too_much || interruption.is_set() {
                true => ControlFlow::Break(()),
                false => ControlFlow::Continue(()),
            }
        };
        let options = ParseOptions::new().progress_callback(&mut progress);
        let tree = parser.parse_with_options(&mut block, old, Some(options));
        match tree {
            Some(tree) => {
                // The next text may not count recoveries.
                parser.set_logger(None);
                return Some(tree);
            }
            // It goes on where it was.
            None if changes && !is_full_of_errors() && !interruption.is_set() => {}
            None => return None,
        }
    }
}

/// Returns what counts how often a parser recovers from an error. Only its log says so.
fn counter_of(recoveries: &Arc<AtomicUsize>) -> impl FnMut(LogType, &str) + Send + use<> {
    let recoveries = Arc::clone(recoveries);
    move |kind, message| {
        if kind == LogType::Parse && message.starts_with("resume ") {
            recoveries.fetch_add(1, Ordering::Relaxed);
        }
    }
}

/// Returns whether what is wrong with a text may come of where it ends: an error is not a part of
/// anything, or the last part of what stands there.
fn ends_badly(tree: &tree_sitter::Tree) -> bool {
    let root = tree.root_node();
    if root.is_error() || root.children(&mut tree.walk()).any(|item| item.is_error()) {
        return true;
    }
    let mut cursor = tree.walk();
    let is_wrong = |node: tree_sitter::Node<'_>| node.is_error() || node.is_missing();
    while cursor.node().has_error() && cursor.goto_last_child() {
        if is_wrong(cursor.node()) {
            return true;
        }
    }
    false
}

/// The size of the blocks in which a parser gets the text, in bytes.
const BLOCK: usize = 1 << 10;

/// It may read each block so often, at the mean: of 3,000 files in nine languages, and of the
/// constructs of all grammars, none needed more than 10.
const MOST_READS: usize = 100;

/// It may report its progress so often for each block, at the mean: none of those files needed more
/// than 29.
const MOST_REPORTS: usize = 60;

/// Shorter texts are granted the time of a text of this number of blocks.
const FEW_BLOCKS: usize = 100;

/// A parser may recover from this many errors for each block, at the mean. Each recovery may walk
/// the whole stack, which grows with the text where no rule can be reduced, and at the end the
/// parser may copy the stack for each of them: that takes minutes, and nothing is reported
/// meanwhile. Long headers of C++ full of macros need 3, garbage 40 and more.
const MOST_RECOVERIES: usize = 10;

/// More are allowed as long as their number times the number of blocks stays below this, which
/// takes less than two seconds. Some headers of 30 KB need 13 for each block.
const FEW_RECOVERIES: usize = 20_000;

/// Of any text, this many recoveries are allowed for each report of progress, and some more. A
/// recovery for which the parser tries each way to end what is open takes a hundredth of a second,
/// and nothing else happens meanwhile: such garbage has 30 for each report, headers of C++ have 2.
const RECOVERIES_IN_A_REPORT: usize = 3;

/// Until there is a recovery, they are counted during 1/n of the reports.
const REPORTS_IN_A_SAMPLE: usize = 8;

/// The recoveries that are allowed beyond those.
const RECOVERIES_AT_ONCE: usize = 150;

/// In shorter texts, the recoveries take less time than counting them does in sound ones.
const RECOVERIES_COUNT_FROM: usize = 1 << 10;

/// Below this length, one form of implied tokens after the other is left out where all together
/// leave errors: no text that long is free of what only looks like one of them.
const SHORT: usize = 4 << 10;

/// The better of the ways to read a text.
pub(super) struct BestParse {
    pub(super) tree: tree_sitter::Tree,
    /// The number of the grammar.
    pub(super) grammar: usize,
    /// What was parsed instead of the text: it with its implied tokens.
    pub(super) explicit: Option<Explicit>,
    errors: u32,
}

impl BestParse {
    /// Returns what is wrong with the text.
    pub(super) fn verdict(&self) -> Verdict {
        let ends_badly = self.errors > 0 && ends_badly(&self.tree);
        Verdict { errors: self.errors, ends_badly }
    }
}

impl Parse for Sitter {
    fn parse(&self, text: &[u8]) -> Tree {
        self.tree(None, text).unwrap_or_else(|| self.broken(text))
    }

    fn parse_after(&self, base: &Tree, text: &[u8]) -> Tree {
        self.tree(Some(base), text).unwrap_or_else(|| self.broken(text))
    }

    fn errors(&self, text: &[u8]) -> u32 {
        self.errors_of(text).unwrap_or_else(|| self.errors_of_unread())
    }

    fn errors_after(&self, base: &Tree, candidate: &Rendered) -> u32 {
        self.errors_of_candidate(base, candidate).unwrap_or_else(|| self.errors_of_unread())
    }
}

impl Reader for Sitter {
    fn is_too_much(&self, text: &[u8]) -> bool {
        let is_large = |longest: usize| longest > LARGEST;
        text.len() > LARGEST_IN_PIECES
            || is_large(text.len())
                && (self.item_lists.is_none()
                    || is_large(chunked::longest(text, &self.interruption)))
            || self.nesting.as_ref().is_some_and(|n| n.is_too_deep(text))
            || self.most_levels.is_some_and(|most| levels::exceed(text, most))
    }

    fn tokens(&self, text: &[u8]) -> Option<u64> {
        Some(u64::from(self.symbols.lexing.count(text)))
    }
}

/// What is kept of a text to read similar ones faster.
#[derive(Default)]
pub(super) struct Read {
    /// The parser's tree of the text, and the number of the grammar.
    parsed: Option<(usize, tree_sitter::Tree)>,
    /// The outermost parts of a text that was read part by part.
    pub(super) pieces: Vec<Piece>,
    /// The items in them, which may stand in lists.
    pub(super) items: Vec<Items>,
}

/// Items that were read together, and their nodes in the tree of the text.
pub(super) struct Items {
    pub(super) span: Range<usize>,
    pub(super) nodes: Range<NodeId>,
}

pub(super) fn read(base: &Tree) -> Option<&Read> {
    base.origin().as_ref()?.downcast_ref()
}

#[cfg(all(test, feature = "c"))]
mod tests {
    use super::read;

    #[test]
    fn a_text_is_read_by_the_first_grammar_that_finds_no_error() {
        let c = crate::by_name("c").expect("a language").parser;
        for (text, number) in
            [("int f(void) { return 1; }", 0), ("void f(void) { __asm { mov eax, 1 } }", 1)]
        {
            let tree = c.parse(text.as_bytes());
            let read = read(&tree).and_then(|read| read.parsed.as_ref());
            assert_eq!(read.map(|(grammar, _)| *grammar), Some(number), "{text}");
            assert_eq!(tree.errors(), 0, "{text}");
        }
    }
}
