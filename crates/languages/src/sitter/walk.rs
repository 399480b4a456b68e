//! Takes the parser's tree over into ours, node by node. Knows what is special about kinds; does not
//! parse.

use std::ops::Range;
use std::sync::Arc;

use minirepro_syntax::{Flags, Kind, TreeBuilder};
use tree_sitter::{Node, TreeCursor};

use super::Sitter;
use crate::implied::Explicit;
use crate::prose::trim;

struct Open {
    kind: Kind,
    end: usize,
    error: bool,
}

/// A walk over the parser's tree that builds ours.
pub(super) struct Walk<'a> {
    sitter: &'a Sitter,
    text: &'a [u8],
    /// Where the part of the text begins that was parsed.
    offset: usize,
    /// What was parsed instead of it.
    explicit: Option<Explicit>,
    builder: TreeBuilder,
    open: Vec<Open>,
    /// Where the text ends that is in the tree already.
    at: usize,
}

impl<'a> Walk<'a> {
    /// A walk that begins with the root, `node`.
    pub(super) fn new(sitter: &'a Sitter, text: &'a [u8], node: Node<'_>) -> Self {
        let mut walk = Self {
            sitter,
            text,
            offset: 0,
            explicit: None,
            builder: TreeBuilder::new(Arc::from(text), Arc::clone(&sitter.kinds)),
            open: Vec::new(),
            at: 0,
        };
        walk.open(node, 0..text.len());
        walk
    }

    /// Takes over a tree of the whole text, whose root is open; what was parsed instead of the text is
    /// `explicit`.
    pub(super) fn whole(&mut self, cursor: &mut TreeCursor<'_>, explicit: Option<Explicit>) {
        self.explicit = explicit;
        self.below(cursor);
    }

    /// Takes over a tree of the part of the text that begins at `offset`, below the root that is open.
    pub(super) fn part(
        &mut self,
        offset: usize,
        cursor: &mut TreeCursor<'_>,
        explicit: Option<Explicit>,
    ) {
        (self.offset, self.explicit) = (offset, explicit);
        let root = cursor.node();
        if !root.is_error() {
            self.below(cursor);
        } else if self.enter(root) {
            self.below(cursor);
            self.close();
        }
    }

    /// What was built, with the root closed.
    pub(super) fn built(mut self) -> TreeBuilder {
        self.close();
        self.builder
    }

    /// Takes over all that is below the cursor's node.
    fn below(&mut self, cursor: &mut TreeCursor<'_>) {
        let depth = self.open.len();
        if !cursor.goto_first_child() {
            return;
        }
        loop {
            if self.enter(cursor.node()) && cursor.goto_first_child() {
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
    }

    /// Adds a node; `true` if it was opened and its children have to follow.
    fn enter(&mut self, node: Node<'_>) -> bool {
        let place = |at: usize| self.offset + self.explicit.as_ref().map_or(at, |e| e.original(at));
        let start = place(node.start_byte()).clamp(self.at, self.text.len());
        let end = place(node.end_byte()).clamp(start, self.text.len());
        self.fill(start);
        let kind = self.sitter.kind(node);
        let closed = self.sitter.is_closed(node, kind);
        if closed && self.sitter.traits(kind).split {
            self.open(node, start..end);
            self.sitter.prose.add(&mut self.builder, self.text, start..end);
            self.at = end;
            self.close();
            return false;
        }
        if closed || node.child_count() == 0 && !node.is_error() {
            let tokens = self.sitter.lexing.count(&self.text[start..end]);
            let kind = self.sitter.leaf_kind(kind, &self.text[start..end]);
            self.builder.leaf(kind, start..end, flags(node), tokens);
            self.at = end;
            return false;
        }
        self.open(node, start..end);
        if node.child_count() == 0 {
            self.close();
            return false;
        }
        true
    }

    fn open(&mut self, node: Node<'_>, span: Range<usize>) {
        let kind = self.sitter.kind(node);
        self.open.push(Open { kind, end: span.end, error: node.is_error() });
        self.builder.open(kind, span, flags(node));
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
            self.sitter.prose.add(&mut self.builder, self.text, span);
        } else {
            let extra = !self.sitter.traits(parent.kind).with_hidden;
            let tokens = self.sitter.lexing.count(&self.text[span.clone()]);
            let flags = Flags { extra, ..Flags::default() };
            self.builder.leaf(self.sitter.hidden, span, flags, tokens);
        }
    }
}

fn flags(node: Node<'_>) -> Flags {
    Flags {
        extra: node.is_extra() && !node.is_error(),
        error: node.is_error(),
        missing: node.is_missing(),
    }
}
