//! Reads a long text part by part. Texts that follow each other share most of their parts: those
//! are read once.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::PoisonError;

use minirepro_syntax::{Flags, NodeId, Tree, TreeBuilder};
use xxhash_rust::xxh3::xxh3_128;

use crate::tree_sitter::chunked::{self, Part, Piece, Verdict};
use crate::tree_sitter::convert::Walk;
use crate::tree_sitter::parser::{BestParse, Read, Sitter, Stopped, read};

/// The most parts of which it is remembered what is wrong with them: some megabytes.
const MOST_JUDGED: usize = 1 << 16;

/// The nodes of some items.
enum Made<'a> {
    /// They stand in the tree of another text.
    Before(&'a Tree, &'a Piece),
    /// They are what stands below the root.
    Now(Tree),
    /// They were read once, and only what is wrong with them was kept.
    NotYet,
}

/// The parts of a piece, with what was made of those that are items.
type Parts<'a> = Vec<(Part, Option<Made<'a>>)>;

/// What reads items.
type ReadItems<'r, 'a> = &'r dyn Fn(&[u8]) -> Result<(Verdict, Made<'a>), Stopped>;

impl Sitter {
    /// Returns the errors in a text.
    pub(super) fn errors_apart(&self, text: &[u8]) -> Result<u32, Stopped> {
        let mut errors = 0;
        let read = |items: &[u8]| Ok((self.verdict(items)?.0, Made::NotYet));
        self.read_apart(text, &read, |_, verdict, _| {
            errors += verdict.errors;
            Ok(())
        })?;
        Ok(errors)
    }

    /// Returns the tree of a text. What stands in that of `base` is taken from there.
    pub(super) fn built_apart(
        &self,
        base: Option<&Tree>,
        text: &[u8],
    ) -> Result<(TreeBuilder, Read), Stopped> {
        let mut known = HashMap::new();
        if let Some(base) = base
            && let Some(Read { items, .. }) = read(base)
        {
            let key = |part: &Piece| xxh3_128(&base.text()[part.span.clone()]);
            known.extend(items.iter().map(|part| (key(part), (base, part))));
        }
        let read = |items: &[u8]| match known.get(&xxh3_128(items)) {
            Some(&(base, known)) => Ok((known.verdict, Made::Before(base, known))),
            None => {
                let (verdict, best) = self.verdict(items)?;
                let now = best.map(|best| Made::Now(self.tree_of(items, best)));
                Ok((verdict, now.unwrap_or(Made::NotYet)))
            }
        };
        let mut joined = Joined::new(self, text)?;
        if let Some(base) = base {
            joined.builder.expect_as_many_as(base);
        }
        self.read_apart(text, &read, |span, verdict, parts| joined.add(span, verdict, parts))?;
        Ok(joined.built())
    }

    /// Reads a text piece by piece: `take` gets the place of each of them, what is wrong with it,
    /// and what `read` has made of the items in it. A piece that cannot be read alone is read
    /// together with what follows, and a list as a whole if something in it is wrong.
    fn read_apart<'a>(
        &self,
        text: &[u8],
        read: ReadItems<'_, 'a>,
        mut take: impl FnMut(Range<usize>, Verdict, Parts<'a>) -> Result<(), Stopped>,
    ) -> Result<(), Stopped> {
        let parts = chunked::parts(text, &self.item_lists, &self.interruption);
        let mut pieces = chunked::outermost(&parts).peekable();
        while let Some(piece) = pieces.next() {
            let mut span = chunked::span(piece);
            let as_items = |span: &Range<usize>| {
                let (verdict, made) = read(&text[span.clone()])?;
                Ok((verdict, vec![(Part::Items(span.clone()), Some(made))]))
            };
            let (mut verdict, mut made) = match piece {
                [Part::Items(_)] => as_items(&span)?,
                list => match self.sound(text, list, read)? {
                    Some(parts) => (Verdict::SOUND, parts),
                    None => as_items(&span)?,
                },
            };
            while verdict.ends_badly
                && let Some(next) = pieces.peek()
            {
                let longer = span.start..chunked::span(next).end;
                let (better, longer_made) = as_items(&longer)?;
                if better.errors >= verdict.errors {
                    break;
                }
                (verdict, made, span) = (better, longer_made, longer);
                pieces.next();
            }
            take(span, verdict, made)?;
        }
        Ok(())
    }

    /// Reads a list part by part; `None` if something in it is wrong.
    fn sound<'a>(
        &self,
        text: &[u8],
        list: &[Part],
        read: ReadItems<'_, 'a>,
    ) -> Result<Option<Parts<'a>>, Stopped> {
        let mut parts = Vec::new();
        for part in list {
            let result = match part {
                Part::Items(span) => read(&text[span.clone()]).map(|(v, made)| (v, Some(made))),
                Part::Head(span, _) => {
                    self.verdict(&without_items(&text[span.clone()])).map(|(v, _)| (v, None))
                }
                Part::End(_) => Ok((Verdict::SOUND, None)),
            };
            match result {
                Ok((Verdict { errors: 0, .. }, made)) => parts.push((part.clone(), made)),
                Err(Stopped::Interrupted) => return Err(Stopped::Interrupted),
                Ok(_) | Err(Stopped::TooMuch) => return Ok(None),
            }
        }
        Ok(Some(parts))
    }

    /// Returns what is wrong with a part of a text, and the parser's tree of it if it had to be
    /// read for that.
    fn verdict(&self, text: &[u8]) -> Result<(Verdict, Option<BestParse>), Stopped> {
        let judged = || self.judged.lock().unwrap_or_else(PoisonError::into_inner);
        let key = xxh3_128(text);
        if let Some(&known) = judged().get(&key) {
            return Ok((known, None));
        }
        let best = self.best_parse(text)?;
        let verdict = best.verdict();
        let mut judged = judged();
        if judged.len() >= MOST_JUDGED {
            judged.clear();
        }
        judged.insert(key, verdict);
        Ok((verdict, Some(best)))
    }

    /// Returns the tree of a part of a text as if it were all of it.
    fn tree_of(&self, text: &[u8], best: BestParse) -> Tree {
        let (mut walk, tree) = Walk::new(&self.symbols, text, best, &self.interruption);
        walk.part(&mut tree.walk());
        walk.built().finish()
    }
}

/// Returns a list that begins like this and holds nothing.
fn without_items(head: &[u8]) -> Vec<u8> {
    [head, b"}"].concat()
}

/// The tree of a text, put together of those of its parts.
struct Joined<'a> {
    sitter: &'a Sitter,
    text: &'a [u8],
    builder: TreeBuilder,
    read: Read,
    /// The lists that are open, as if nothing were in them, and how many nodes are open for each.
    open: Vec<(Tree, u32)>,
}

impl<'a> Joined<'a> {
    fn new(sitter: &'a Sitter, text: &'a [u8]) -> Result<Self, Stopped> {
        let mut builder = TreeBuilder::new(text.into(), sitter.symbols.kinds.clone());
        let empty = sitter.tree_of(b"", sitter.best_parse(b"")?);
        builder.open(empty.kind(NodeId::ROOT), 0..text.len(), Flags::default());
        Ok(Self { sitter, text, builder, read: Read::default(), open: Vec::new() })
    }

    fn built(mut self) -> (TreeBuilder, Read) {
        self.builder.close();
        (self.builder, self.read)
    }

    /// Adds the next piece.
    fn add(
        &mut self,
        span: Range<usize>,
        verdict: Verdict,
        parts: Parts<'_>,
    ) -> Result<(), Stopped> {
        let begin = self.builder.next();
        let mut heads = Vec::new();
        for (part, _) in &parts {
            if let Part::Head(span, _) = part {
                let text = without_items(&self.text[span.clone()]);
                heads.push(self.sitter.tree_of(&text, self.sitter.best_parse(&text)?));
            }
        }
        if heads.iter().all(ends_with_its_bracket) {
            let mut heads = heads.into_iter();
            for (part, made) in parts {
                match part {
                    Part::Items(span) => {
                        self.items(span, verdict, made.unwrap_or(Made::NotYet))?;
                    }
                    Part::Head(span, end) => {
                        self.open.extend(heads.next().map(|head| (head, 0)));
                        self.open(span.start, end);
                    }
                    Part::End(span) => self.close(span.start),
                }
            }
        } else {
            self.items(span.clone(), verdict, Made::NotYet)?;
        }
        self.read.pieces.push(Piece { span, verdict, nodes: begin..self.builder.next() });
        Ok(())
    }

    fn items(
        &mut self,
        span: Range<usize>,
        verdict: Verdict,
        made: Made<'_>,
    ) -> Result<(), Stopped> {
        let begin = self.builder.next();
        let below_root = |tree: &Tree| NodeId(1)..tree.subtree_end(NodeId::ROOT);
        match made {
            Made::Before(base, Piece { span: before, nodes, .. }) => {
                self.builder.copy(base, nodes.clone(), before.start, span.start);
            }
            Made::Now(tree) => self.builder.copy(&tree, below_root(&tree), 0, span.start),
            Made::NotYet => {
                let text = &self.text[span.clone()];
                let tree = self.sitter.tree_of(text, self.sitter.best_parse(text)?);
                self.builder.copy(&tree, below_root(&tree), 0, span.start);
            }
        }
        self.read.items.push(Piece { span, verdict, nodes: begin..self.builder.next() });
        Ok(())
    }

    /// Opens the nodes around the items of a list whose head begins at `start`.
    fn open(&mut self, start: usize, end: usize) {
        let Some((head, depth)) = self.open.last_mut() else { return };
        let last = last(head);
        let mut at = NodeId(1);
        while at < last {
            let next = head.subtree_end(at);
            if head.contains(at, last) {
                let span = start + head.span(at).start..end;
                self.builder.open(head.kind(at), span, head.flags(at));
                self.builder.set_field(head.field(at));
                *depth += 1;
                at.0 += 1;
            } else {
                self.builder.copy(head, at..next, 0, start);
                at = next;
            }
        }
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

/// Returns whether the last node of an empty list is the bracket that was added.
fn ends_with_its_bracket(head: &Tree) -> bool {
    let text = head.text().len();
    head.is_leaf(last(head)) && head.span(last(head)) == (text - 1..text)
}
