//! tree-sitter's trees to ours: lossless, without recursion on depth. Knows no language.

use std::sync::Arc;

use minirepro_syntax::{Facts, Flags, Kind, Kinds, Parse, Rendered, Tree, TreeBuilder};
use tree_sitter::{Language, Node, Parser};

use crate::implied::{Explicit, Implied};
use crate::lexing::Lexing;
use crate::manifest::{PartTable, Retag};
use crate::nesting::Nesting;
use crate::pieces::{self, Piece};
use crate::prose::Prose;
use crate::recount::Counted;
use crate::reread;

mod walk;

use walk::Walk;

/// A parser for one grammar of tree-sitter.
pub(crate) struct Sitter {
    language: Language,
    kinds: Arc<Kinds>,
    /// Our kind for each of the grammar's symbols.
    symbols: Vec<Kind>,
    error: Kind,
    hidden: Kind,
    /// What is special about each of our kinds.
    traits: Vec<Traits>,
    prose: Prose,
    lexing: Lexing,
    nesting: Option<Nesting>,
    implied: Implied,
    /// Kinds whose leaves are of another kind, unless they have one of these texts.
    retag: Vec<(Kind, Kind, Vec<Vec<u8>>)>,
    /// Long texts are read in pieces.
    apart: bool,
}

/// What is special about a kind.
#[derive(Clone, Copy, Debug, Default)]
struct Traits {
    /// It becomes a leaf although the grammar splits it.
    atom: bool,
    /// It is split into words although the grammar does not split it.
    split: bool,
    /// Its facts mention hidden tokens, which are thus no extras.
    with_hidden: bool,
}

/// Above this the parser would need gigabytes: such a text is one broken region until it is smaller.
const LARGEST: usize = 10_000_000;

/// From this length on, texts are read in pieces where that can be: trees of the parser need about 30
/// bytes for each byte, and reading a long list again, even if little is new, costs its length.
const LONG: usize = 256 << 10;

/// What the manifest says about trees.
pub(crate) struct Shape<'a> {
    pub(crate) atoms: &'a [String],
    pub(crate) split: &'a [String],
    pub(crate) lexing: Lexing,
    pub(crate) name: Option<&'a str>,
    pub(crate) nesting: Option<Nesting>,
    pub(crate) implied: Implied,
    pub(crate) retag: &'a [Retag],
    pub(crate) apart: bool,
    pub(crate) parts: &'a [PartTable],
}

impl Sitter {
    /// A parser, and the facts of `facts` plus those about text that is split.
    ///
    /// # Panics
    /// When the facts are wrong: they are part of the program and tested with it.
    pub(crate) fn new(
        language: Language,
        shape: Shape<'_>,
        facts: &str,
    ) -> (Self, Facts, Arc<Kinds>) {
        let mut kinds = Kinds::default();
        let count = u16::try_from(language.node_kind_count()).expect("symbols are u16");
        let symbols = (0..count)
            .map(|id| {
                let name = language.node_kind_for_id(id).unwrap_or_default();
                kinds.intern(name, language.node_kind_is_named(id))
            })
            .collect();
        let error = kinds.intern("ERROR", true);
        let hidden = kinds.intern("hidden", true);
        let prose = Prose::new(&mut kinds, shape.lexing, shape.name);
        let parts: String =
            shape.parts.iter().map(|p| format!("{} = {}\n", p.name, p.is)).collect();
        let facts = format!("{facts}\n{}{parts}", prose.facts(&kinds, shape.split));
        let facts = Facts::parse(&facts, &mut kinds).expect("committed grammar facts are tested");
        let mut traits = vec![Traits::default(); kinds.len()];
        for name in shape.atoms {
            traits[usize::from(kinds.intern(name, true).0)].atom = true;
        }
        for name in shape.split {
            traits[usize::from(kinds.intern(name, true).0)].split = true;
        }
        for (i, traits) in (0..).zip(&mut traits) {
            traits.with_hidden = facts.automaton(Kind(i)).is_some_and(|a| {
                (0..a.len()).any(|s| a.expected(u32::try_from(s).unwrap_or(0)).any(|k| k == hidden))
            });
        }
        let mut retag = Vec::new();
        for Retag { kind, to, unless } in shape.retag {
            let unless = unless.iter().map(|word| word.clone().into_bytes()).collect();
            retag.push((kinds.intern(kind, true), kinds.intern(to, true), unless));
        }
        let kinds = Arc::new(kinds);
        let sitter = Self {
            language,
            kinds: kinds.clone(),
            symbols,
            error,
            hidden,
            traits,
            prose,
            lexing: shape.lexing,
            nesting: shape.nesting,
            implied: shape.implied,
            retag,
            apart: shape.apart,
        };
        (sitter, facts, kinds)
    }

    fn traits(&self, kind: Kind) -> Traits {
        self.traits[usize::from(kind.0)]
    }

    /// Whether the parser is not asked: it would take minutes or all memory.
    fn is_too_much(&self, text: &[u8]) -> bool {
        let is_large = |longest: usize| longest > LARGEST;
        is_large(text.len()) && (!self.apart || is_large(pieces::longest(text)))
            || self.nesting.as_ref().is_some_and(|n| n.is_too_deep(text))
    }

    /// A tree whose root is one broken region.
    fn broken(&self, text: &[u8]) -> Tree {
        let mut builder = TreeBuilder::new(Arc::from(text), self.kinds.clone());
        let error = Flags { error: true, ..Flags::default() };
        builder.open(self.error, 0..text.len(), error);
        self.prose.add(&mut builder, text, 0..text.len());
        builder.close();
        builder.finish()
    }

    /// The parser's tree, made from one of a similar text if there is one.
    fn parsed(&self, text: &[u8], old: Option<&tree_sitter::Tree>) -> tree_sitter::Tree {
        let mut parser = Parser::new();
        parser.set_language(&self.language).expect("grammar and tree-sitter are of one generation");
        parser.parse(text, old).expect("a parser with a language and no time limit gives a tree")
    }

    fn kind(&self, node: Node<'_>) -> Kind {
        if node.is_error() {
            return self.error;
        }
        self.symbols.get(usize::from(node.kind_id())).copied().unwrap_or(self.error)
    }

    /// The kind of a leaf with this text.
    fn leaf_kind(&self, kind: Kind, text: &[u8]) -> Kind {
        let other = self.retag.iter().find(|(from, _, _)| *from == kind);
        let other = other.filter(|(_, _, unless)| !unless.iter().any(|word| word == text));
        other.filter(|_| !text.is_empty()).map_or(kind, |(_, to, _)| *to)
    }

    /// The parser's tree of the text, or of the text with its implied tokens written out where that
    /// has fewer errors; and how many.
    fn best_parse(&self, text: &[u8]) -> BestParse {
        let parsed = self.parsed(text, None);
        let errors = self.count_errors(&parsed);
        if errors > 0
            && let Some(explicit) = self.implied.write_out(text)
        {
            let other = self.parsed(&explicit.text, None);
            let fewer = self.count_errors(&other);
            if fewer < errors {
                return (other, Some(explicit), fewer);
            }
        }
        (parsed, None, errors)
    }

    /// Reads a text piece by piece: `take` gets each of them with its tree. A piece that cannot be read
    /// alone is read together with what follows.
    fn read_apart(&self, text: &[u8], mut take: impl FnMut(&Piece, BestParse)) {
        let ends = pieces::ends(text);
        let (mut start, mut next) = (0, 0);
        while next < ends.len() {
            let mut span = start..ends[next];
            let mut best = self.best_parse(&text[span.clone()]);
            while let (1.., Some(&end)) = (best.2, ends.get(next + 1)) {
                let longer = self.best_parse(&text[start..end]);
                if longer.2 >= best.2 {
                    break;
                }
                (best, span.end, next) = (longer, end, next + 1);
            }
            (start, next) = (span.end, next + 1);
            take(&Piece { span, errors: best.2 }, best);
        }
    }

    /// The errors in a text that is read piece by piece.
    fn errors_apart(&self, text: &[u8]) -> u32 {
        let mut errors = 0;
        self.read_apart(text, |piece, _| errors += piece.errors);
        errors
    }

    fn is_read_apart(&self, text: &[u8]) -> bool {
        self.apart && text.len() >= LONG
    }

    fn count_errors(&self, parsed: &tree_sitter::Tree) -> u32 {
        if !parsed.root_node().has_error() {
            return 0;
        }
        let mut cursor = parsed.walk();
        let mut errors = 0;
        loop {
            let node = cursor.node();
            errors += u32::from(node.is_error() || node.is_missing());
            let below = node.has_error() && !self.is_closed(node, self.kind(node));
            if below && cursor.goto_first_child() {
                continue;
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return errors;
                }
            }
        }
    }

    /// Whether our tree has nothing of what the grammar has below the node.
    fn is_closed(&self, node: Node<'_>, kind: Kind) -> bool {
        let Traits { atom, split, .. } = self.traits(kind);
        (atom || split) && !node.has_error()
    }
}

/// The parser's tree, the text that was parsed instead, and the number of errors.
type BestParse = (tree_sitter::Tree, Option<Explicit>, u32);

impl Parse for Sitter {
    fn parse(&self, text: &[u8]) -> Tree {
        if self.is_too_much(text) {
            return self.broken(text);
        }
        let counted = Counted::new(self.lexing, text);
        let (mut pieces, mut parsed) = (Vec::new(), None);
        let mut builder = if self.is_read_apart(text) {
            let mut walk = Walk::new(self, text, self.parsed(b"", None).root_node());
            self.read_apart(text, |piece, (parsed, explicit, _)| {
                walk.part(piece.span.start, &mut parsed.walk(), explicit);
                pieces.push(piece.clone());
            });
            walk.built()
        } else {
            let (tree, explicit, _) = self.best_parse(text);
            let as_it_is = explicit.is_none();
            let mut walk = Walk::new(self, text, tree.root_node());
            walk.whole(&mut tree.walk(), explicit);
            let builder = walk.built();
            // A tree of a text with additions says nothing about the text's own places.
            parsed = as_it_is.then_some(tree);
            builder
        };
        builder.keep(Some(Arc::new(Read { parsed, pieces, counted })));
        builder.finish()
    }

    fn tokens(&self, text: &[u8]) -> Option<u64> {
        Some(u64::from(self.lexing.count(text)))
    }

    fn tokens_after(&self, base: &Tree, candidate: &Rendered) -> Option<u64> {
        let Some(read) = read(base) else { return self.tokens(&candidate.text) };
        Some(read.counted.again(self.lexing, &candidate.text, &candidate.copied).into())
    }

    fn errors(&self, text: &[u8]) -> u32 {
        if self.is_too_much(text) {
            return 1;
        }
        if self.is_read_apart(text) { self.errors_apart(text) } else { self.best_parse(text).2 }
    }

    fn errors_after(&self, base: &Tree, candidate: &Rendered) -> u32 {
        let text = &candidate.text;
        let read = read(base);
        if let Some(Read { pieces, .. }) = read.filter(|read| !read.pieces.is_empty()) {
            let (unread, errors) = pieces::unread(pieces, &candidate.copied, text.len());
            return errors
                + unread.into_iter().map(|span| self.errors_apart(&text[span])).sum::<u32>();
        }
        let old = read.and_then(|read| read.parsed.as_ref());
        let Some(old) = old.filter(|_| !self.is_too_much(text)) else { return self.errors(text) };
        let old = reread::adapt(old, base.text(), candidate);
        let errors = self.count_errors(&self.parsed(text, Some(&old)));
        // Implied tokens are looked for only where the text has more errors than before.
        if errors > base.errors() && !self.implied.is_empty() { self.errors(text) } else { errors }
    }
}

/// What is kept of a text to read similar ones faster.
struct Read {
    parsed: Option<tree_sitter::Tree>,
    /// Of a text that was read in pieces.
    pieces: Vec<Piece>,
    counted: Counted,
}

fn read(base: &Tree) -> Option<&Read> {
    base.origin().as_ref()?.downcast_ref()
}
