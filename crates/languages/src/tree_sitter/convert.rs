//! Converts tree-sitter's tree to ours, node by node and without recursion on depth.

use std::ops::Range;
use std::sync::Arc;

use memchr::memchr_iter;
use minirepro_syntax::{Field, Flags, Interruption, Kind, TreeBuilder};
use tree_sitter::{Node, TreeCursor};

use crate::manifest::implied::Explicit;
use crate::plain::word_nodes::trim;
use crate::tree_sitter::parser::BestParse;
use crate::tree_sitter::symbols::Symbols;

struct Open {
    kind: Kind,
    end: usize,
    error: bool,
}

/// A walk over the parser's tree that builds ours.
pub(super) struct Walk<'a> {
    symbols: &'a Symbols,
    /// The number of the grammar that the tree was read by.
    grammar: usize,
    text: &'a [u8],
    /// What was parsed instead of it.
    explicit: Option<Explicit>,
    builder: TreeBuilder,
    open: Vec<Open>,
    /// Where the text ends that is in the tree already.
    at: usize,
    interruption: &'a Interruption,
}

impl<'a> Walk<'a> {
    /// Starts a walk with the root. What follows an interruption is left out.
    pub(super) fn new(
        symbols: &'a Symbols,
        text: &'a [u8],
        parse: BestParse,
        interruption: &'a Interruption,
    ) -> (Self, tree_sitter::Tree) {
        let BestParse { tree, grammar, explicit, .. } = parse;
        let mut walk = Self {
            symbols,
            grammar,
            text,
            explicit,
            builder: TreeBuilder::new(Arc::from(text), Arc::clone(&symbols.kinds)),
            open: Vec::new(),
            at: 0,
            interruption,
        };
        walk.open(tree.root_node(), None, 0..text.len());
        (walk, tree)
    }

    /// Takes over a tree of the whole text, which is a part of another one, below the root that is
    /// open.
    pub(super) fn part(&mut self, cursor: &mut TreeCursor<'_>) {
        if !cursor.node().is_error() {
            self.below(cursor);
        } else if self.enter(cursor) {
            self.below(cursor);
            self.close();
        }
    }

    /// Closes the root and returns the tree's builder.
    pub(super) fn built(mut self) -> TreeBuilder {
        self.close();
        self.builder
    }

    /// Takes over all that is below the cursor's node.
    pub(super) fn below(&mut self, cursor: &mut TreeCursor<'_>) {
        let depth = self.open.len();
        if !cursor.goto_first_child() {
            return;
        }
        for _ in self.interruption.until(0u64..) {
            if self.enter(cursor) && cursor.goto_first_child() {
                continue;
            }
            while !cursor.goto_next_sibling() {
                if self.open.len() == depth {
                    return;
                }
                self.close();
                cursor.goto_parent();
            }
        }
        while self.open.len() > depth {
            self.close();
        }
    }

    /// Adds the cursor's node; `true` if it was opened and its children have to follow.
    fn enter(&mut self, cursor: &TreeCursor<'_>) -> bool {
        let node = cursor.node();
        let field = self.symbols.field(self.grammar, cursor.field_id());
        let place = |at: usize| self.explicit.as_ref().map_or(at, |e| e.original(at));
        let start = place(node.start_byte()).clamp(self.at, self.text.len());
        let end = place(node.end_byte()).clamp(start, self.text.len());
        self.fill(start);
        let kind = self.symbols.kind(self.grammar, node);
        let closed = self.symbols.is_closed(node, kind);
        if closed && self.symbols.split.contains(&kind) {
            self.open(node, field, start..end);
            self.symbols.words.add(&mut self.builder, self.text, start..end);
            self.at = end;
            self.close();
            return false;
        }
        if closed || node.child_count() == 0 && !node.is_error() {
            let tokens = self.symbols.lexing.of_leaf(&self.text[start..end]);
            let kind = self.symbols.leaf_kind(kind, &self.text[start..end]);
            self.builder.leaf(kind, start..end, flags(node), tokens);
            self.builder.set_field(field);
            self.at = end;
            return false;
        }
        self.open(node, field, start..end);
        if node.child_count() == 0 {
            self.close();
            return false;
        }
        true
    }

    fn open(&mut self, node: Node<'_>, field: Option<Field>, span: Range<usize>) {
        let kind = self.symbols.kind(self.grammar, node);
        self.open.push(Open { kind, end: span.end, error: node.is_error() });
        self.builder.open(kind, span, flags(node));
        self.builder.set_field(field);
    }

    fn close(&mut self) {
        if let Some(end) = self.open.last().map(|open| open.end) {
            self.fill(end);
            self.open.pop();
            self.builder.close();
        }
    }

    /// Puts the text up to `end` that the parser has no node for into the innermost open node.
    fn fill(&mut self, end: usize) {
        let span = trim(self.text, self.at..end.max(self.at));
        self.at = end.max(self.at);
        let Some(parent) = self.open.last().filter(|_| !span.is_empty()) else { return };
        if parent.error {
            self.symbols.words.add(&mut self.builder, self.text, span);
        } else {
            let extra = !self.symbols.with_hidden.contains(&parent.kind);
            let flags = Flags { extra, ..Flags::default() };
            // Declarations that the grammar does not know can go one by one.
            let spans = if extra { declarations(self.text, span) } else { vec![span] };
            for span in spans {
                let tokens = self.symbols.lexing.of_leaf(&self.text[span.clone()]);
                self.builder.leaf(self.symbols.hidden, span, flags, tokens);
            }
        }
    }
}

/// Returns the parts of a span, each of which but the last ends with a semicolon.
fn declarations(text: &[u8], span: Range<usize>) -> Vec<Range<usize>> {
    let mut start = span.start;
    let ends = memchr_iter(b';', &text[span.clone()]).map(|at| span.start + at + 1);
    let parts =
        ends.chain([span.end]).map(|end| trim(text, std::mem::replace(&mut start, end)..end));
    parts.filter(|part| !part.is_empty()).collect()
}

fn flags(node: Node<'_>) -> Flags {
    let (error, missing) = (node.is_error(), node.is_missing());
    Flags { extra: node.is_extra() && !error, error, missing }
}
