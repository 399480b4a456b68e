//! Reads a long text part by part. Texts that follow each other share most of their parts: those
//! are read once.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::PoisonError;

use minirepro_syntax::{Flags, NodeId, Tree, TreeBuilder};
use xxhash_rust::xxh3::xxh3_128;

use crate::tree_sitter::chunked::{self, Part, Piece, Verdict};
use crate::tree_sitter::convert::Walk;
use crate::tree_sitter::parser::{Items, Read, Sitter, read};

/// The most parts of which it is remembered what is wrong with them: some megabytes.
const MOST_JUDGED: usize = 1 << 16;

impl Sitter {
    /// Returns the errors in a text.
    pub(super) fn errors_apart(&self, text: &[u8]) -> Option<u32> {
        let mut errors = 0;
        self.read_apart(text, |_, verdict, _| {
            errors += verdict.errors;
            Some(())
        })?;
        Some(errors)
    }

    /// Returns the tree of a text. What stands in that of `base` is taken from there.
    pub(super) fn built_apart(
        &self,
        base: Option<&Tree>,
        text: &[u8],
    ) -> Option<(TreeBuilder, Read)> {
        let mut joined = Joined::new(self, base, text)?;
        self.read_apart(text, |span, verdict, parts| joined.add(span, verdict, parts))?;
        joined.builder.close();
        Some((joined.builder, joined.read))
    }

    /// Reads a text piece by piece: `take` gets the place of each of them, what is wrong with it,
    /// and its parts. A piece that cannot be read alone is read together with what follows, and a
    /// list as a whole if something in it is wrong.
    fn read_apart(
        &self,
        text: &[u8],
        mut take: impl FnMut(Range<usize>, Verdict, &[Part]) -> Option<()>,
    ) -> Option<()> {
        let lists = self.item_lists.as_deref().unwrap_or_default();
        let pieces = chunked::pieces(text, lists, &self.interruption);
        let mut pieces = pieces.iter().peekable();
        while let Some(piece) = pieces.next() {
            let mut span = chunked::span(piece);
            if piece.len() > 1 && self.is_sound(text, piece) {
                take(span, Verdict::SOUND, piece)?;
                continue;
            }
            let mut verdict = self.verdict(&text[span.clone()])?;
            while verdict.ends_badly
                && let Some(next) = pieces.peek()
            {
                let longer = span.start..chunked::span(next).end;
                let better = self.verdict(&text[longer.clone()])?;
                if better.errors >= verdict.errors {
                    break;
                }
                (verdict, span) = (better, longer);
                pieces.next();
            }
            take(span.clone(), verdict, &[Part::Items(span)])?;
        }
        Some(())
    }

    /// Returns whether nothing is wrong with the parts of a list.
    fn is_sound(&self, text: &[u8], list: &[Part]) -> bool {
        list.iter().all(|part| match part {
            Part::Items(span) => self.verdict(&text[span.clone()]).is_some_and(|v| v.errors == 0),
            Part::Head(span, _) => self.empty_list(&text[span.clone()]).is_some_and(|head| {
                // The last node of an empty list is the bracket that was added.
                let (end, last) = (head.text().len(), last(&head));
                head.errors() == 0 && head.is_leaf(last) && head.span(last) == (end - 1..end)
            }),
            Part::End(_) => true,
        })
    }

    /// Returns what is wrong with a part of a text.
    fn verdict(&self, text: &[u8]) -> Option<Verdict> {
        let judged = || self.judged.lock().unwrap_or_else(PoisonError::into_inner);
        let key = xxh3_128(text);
        if let Some(&known) = judged().get(&key) {
            return Some(known);
        }
        let verdict = self.best_parse(0, text)?.verdict();
        let mut judged = judged();
        if judged.len() >= MOST_JUDGED {
            judged.clear();
        }
        judged.insert(key, verdict);
        Some(verdict)
    }

    /// Returns the tree of a list that begins like this and holds nothing.
    fn empty_list(&self, head: &[u8]) -> Option<Tree> {
        self.tree_of(&[head, b"}"].concat())
    }

    /// Returns the tree of a part of a text as if it were all of it.
    fn tree_of(&self, text: &[u8]) -> Option<Tree> {
        let best = self.best_parse(0, text)?;
        let (mut walk, tree) = Walk::new(&self.symbols, text, best, &self.interruption);
        walk.part(&mut tree.walk());
        Some(walk.built().finish())
    }
}

/// The tree of a text, put together of those of its parts.
struct Joined<'a> {
    sitter: &'a Sitter,
    text: &'a [u8],
    builder: TreeBuilder,
    read: Read,
    /// The items of another text, by the hashes of what they read.
    known: HashMap<u128, (&'a Tree, &'a Items)>,
    /// The lists that are open, as if nothing were in them, and how many nodes are open for each.
    open: Vec<(Tree, u32)>,
}

impl<'a> Joined<'a> {
    fn new(sitter: &'a Sitter, base: Option<&'a Tree>, text: &'a [u8]) -> Option<Self> {
        let mut builder = TreeBuilder::new(text.into(), sitter.symbols.kinds.clone());
        let root = sitter.tree_of(b"")?.kind(NodeId::ROOT);
        let mut known = HashMap::new();
        if let Some(base) = base {
            let items = read(base).into_iter().flat_map(|read| &read.items);
            let hash = |item: &Items| xxh3_128(&base.text()[item.span.clone()]);
            known.extend(items.map(|item| (hash(item), (base, item))));
            builder.expect_as_many_as(base);
        }
        builder.open(root, 0..text.len(), Flags::default());
        Some(Self { sitter, text, builder, read: Read::default(), known, open: Vec::new() })
    }

    /// Adds the next piece.
    fn add(&mut self, span: Range<usize>, verdict: Verdict, parts: &[Part]) -> Option<()> {
        for part in parts {
            match part {
                Part::Items(span) => self.items(span.clone())?,
                Part::Head(span, end) => {
                    let head = self.sitter.empty_list(&self.text[span.clone()])?;
                    self.open(head, span.start, *end);
                }
                Part::End(span) => self.close(span.start),
            }
        }
        self.read.pieces.push(Piece { span, verdict });
        Some(())
    }

    fn items(&mut self, span: Range<usize>) -> Option<()> {
        let begin = self.builder.next();
        let text = &self.text[span.clone()];
        if let Some((base, Items { span: before, nodes })) = self.known.get(&xxh3_128(text)) {
            self.builder.copy(base, nodes.clone(), before.start, span.start);
        } else {
            let tree = self.sitter.tree_of(text)?;
            let below_root = NodeId(1)..tree.subtree_end(NodeId::ROOT);
            self.builder.copy(&tree, below_root, 0, span.start);
        }
        self.read.items.push(Items { span, nodes: begin..self.builder.next() });
        Some(())
    }

    /// Opens the nodes around the items of a list whose head begins at `start`.
    fn open(&mut self, head: Tree, start: usize, end: usize) {
        let last = last(&head);
        let (mut at, mut depth) = (NodeId(1), 0);
        while at < last {
            let next = head.subtree_end(at);
            if head.contains(at, last) {
                let span = start + head.span(at).start..end;
                self.builder.open(head.kind(at), span, head.flags(at));
                self.builder.set_field(head.field(at));
                depth += 1;
                at.0 += 1;
            } else {
                self.builder.copy(&head, at..next, 0, start);
                at = next;
            }
        }
        self.open.push((head, depth));
    }

    /// Closes them at the bracket.
    fn close(&mut self, bracket: usize) {
        let Some((head, depth)) = self.open.pop() else { return };
        let last = last(&head);
        self.builder.copy(&head, last..head.subtree_end(last), head.span(last).start, bracket);
        for _ in 0..depth {
            self.builder.close();
        }
    }
}

fn last(tree: &Tree) -> NodeId {
    tree.ids().next_back().unwrap_or(NodeId::ROOT)
}
