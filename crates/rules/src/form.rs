//! New texts: templates, and what they become with what was captured.

use std::ops::Range;
use std::sync::Arc;

use minirepro_syntax::{Change, Kind, NodeId, Piece, Role};

use crate::compile::{Compiler, Read};
use crate::file::RuleTable;
use crate::query::{CAPTURES, Capture, Captured, name_of};
use crate::world::View;

/// A text that is put somewhere; nothing at all where a part is dropped.
#[derive(Clone, Debug, Default)]
pub(crate) struct Put {
    /// The text from left to right.
    parts: Vec<Part>,
    /// Its kind in the tree, where it is known.
    pub(crate) kind: Option<Kind>,
    /// What stands between the nodes of a capture of several, which alone with a kind become one
    /// token.
    separator: Option<Arc<[u8]>>,
    with_edits: bool,
    substitute: Option<[Capture; 2]>,
}

/// One part of a new text.
#[derive(Clone, Debug)]
enum Part {
    /// A new token.
    Token(Arc<[u8]>),
    /// `$A`: the captured node; `$$$A`: all captured nodes, any number.
    Node(Capture, bool),
    /// `$(A)`: what the captured string says, as a name.
    Said(Capture),
    /// `$FRESH`: a name that nothing has.
    Fresh,
}

impl Compiler<'_> {
    /// Compiles a new text.
    pub(crate) fn put(&mut self, code: &str, table: &RuleTable) -> Read<Put> {
        let substitute = match &table.substitute {
            Some([from, to]) => Some([self.capture(from)?, self.capture(to)?]),
            None => None,
        };
        Ok(Put {
            parts: self.parts(code)?,
            kind: table.r#as.all().first().map(|name| self.kind(name)).transpose()?,
            separator: table.separator.as_ref().map(|text| text.as_bytes().into()),
            with_edits: self.with_edits,
            substitute,
        })
    }

    /// Splits a new text into tokens and captures. Blank space is a token only if it is all of the
    /// text.
    fn parts(&mut self, code: &str) -> Read<Vec<Part>> {
        if code.trim_ascii().is_empty() && !code.is_empty() {
            return Ok(vec![Part::Token(code.as_bytes().into())]);
        }
        let lex = self.grammar.tokens;
        let tokens = |text: &str| {
            let token = |span: Range<usize>| Part::Token(text.as_bytes()[span].into());
            lex(text.as_bytes()).into_iter().map(token).collect::<Vec<_>>()
        };
        let mut parts = Vec::new();
        let mut at = 0;
        for found in CAPTURES.captures_iter(code) {
            let all = found.get(0).expect("the whole match is a group");
            parts.extend(tokens(&code[at..all.start()]));
            at = all.end();
            let end = &self.language.roles.tokens.statement_end;
            parts.push(match (name_of(&found), end) {
                ("FRESH", _) => Part::Fresh,
                ("END", Some(end)) => Part::Token(end.as_slice().into()),
                (name, _) if found.name("said").is_some() => Part::Said(self.capture(name)?),
                (name, _) => Part::Node(self.capture(name)?, all.as_str().starts_with("$$$")),
            });
        }
        parts.extend(tokens(&code[at..]));
        Ok(parts)
    }
}

/// A text that replaces a node.
pub(crate) struct Form<'a> {
    view: View<'a>,
    captured: &'a Captured,
    put: &'a Put,
    /// The node that changes.
    at: NodeId,
    /// Whether that stays as a part of the text.
    stays: bool,
    pub(crate) change: Change,
    /// The tokens that it leaves, with those of kept nodes.
    pub(crate) tokens: u32,
}

impl<'a> Form<'a> {
    /// Returns the text with what was captured; `None` if something in it was not, or if the
    /// grammar does not let it stand there.
    pub(crate) fn of(
        view: View<'a>,
        put: &'a Put,
        captured: &'a Captured,
        at: NodeId,
    ) -> Option<Self> {
        put.kind.is_none_or(|kind| view.world.takes(at, kind)).then_some(())?;
        let is_itself = |part: &Part| match part {
            Part::Node(node, false) => captured.first(*node) == Some(at),
            _ => false,
        };
        let stays = put.parts.len() > 1 && put.parts.iter().any(is_itself);
        let change = Change(Vec::new());
        let mut form = Self { view, captured, put, at, stays, change, tokens: 0 };
        for part in &put.parts {
            form.add(part)?;
        }
        form.as_said();
        Some(form)
    }

    fn add(&mut self, part: &Part) -> Option<()> {
        let captured = self.captured;
        match part {
            Part::Token(token) if self.put.separator.as_ref() == Some(token) => self.separate(),
            Part::Token(token) => self.push_text(token),
            Part::Node(capture, true) => self.add_nodes(captured.nodes(*capture))?,
            Part::Node(capture, false) => self.add_nodes(captured.nodes(*capture).get(..1)?)?,
            Part::Fresh => self.push_text(&self.view.world.fresh()),
            Part::Said(capture) => {
                let quoted = self.view.tree.text_of(captured.first(*capture)?);
                self.push_text(&name_in(quoted)?);
            }
        }
        Some(())
    }

    /// Adds a captured node: itself, if it is part of what changes, else its text.
    fn add_node(&mut self, node: NodeId, is_alone: bool) -> Option<()> {
        let (view, at, tree) = (self.view, self.at, self.view.tree);
        if let Some(substitute) = self.put.substitute {
            return self.add_substituted(node, substitute);
        }
        let is_part = (node == at) == self.stays && tree.contains(at, node);
        if self.put.with_edits || is_part {
            self.push(Piece::Node(node), tree.tokens(node));
            return Some(());
        }
        let are_names = view.is_name(node) && view.is_name(at);
        let kind = is_alone.then(|| tree.kind(if are_names { at } else { node }));
        // What does not fit by its kind may fit as it reads, such as a type that is written around
        // a name.
        let kind = kind.filter(|&kind| view.world.takes(at, kind));
        self.push(Piece::Text(tree.text_of(node).into(), kind), tree.tokens(node));
        Some(())
    }

    /// Adds the leaves of a node, and instead of each name that is declared, what is meant by it;
    /// `None` if nothing is.
    fn add_substituted(&mut self, node: NodeId, [declared, meant]: [Capture; 2]) -> Option<()> {
        let (view, tree) = (self.view, self.view.tree);
        for leaf in tree.subtree(node).filter(|&leaf| tree.is_leaf(leaf)) {
            let is_alike =
                |name: NodeId| view.is_name(name) && tree.text_of(name) == tree.text_of(leaf);
            let mut declarations = self.captured.nodes(declared).iter();
            let place = declarations.position(|&at| tree.subtree(at).any(is_alike));
            let part = match place.filter(|_| view.is_name(leaf)) {
                Some(place) => *self.captured.nodes(meant).get(place)?,
                None => leaf,
            };
            self.push(Piece::Text(tree.text_of(part).into(), None), tree.tokens(part));
        }
        Some(())
    }

    /// Adds several nodes with what the rule puts between them.
    fn add_nodes(&mut self, nodes: &[NodeId]) -> Option<()> {
        let put = self.put;
        if let (Some(joint), Some(_), 1) = (&put.separator, put.kind, put.parts.len()) {
            let texts = nodes.iter().map(|&node| self.view.tree.text_of(node));
            let text = texts.collect::<Vec<_>>().join(&joint[..]);
            self.push(Piece::Text(text.into(), put.kind), 1);
            return Some(());
        }
        let is_alone = put.parts.len() == 1 && nodes.len() == 1;
        for (number, &node) in nodes.iter().enumerate() {
            if number > 0 {
                self.separate();
            }
            self.add_node(node, is_alone)?;
        }
        Some(())
    }

    /// Marks a form that is made of nodes alone but becomes a node of another kind: only a parser
    /// can tell whether that fits.
    fn as_said(&mut self) {
        let Some(kind) = self.put.kind.filter(|_| !self.stays) else { return };
        let are_as_said = match self.change.0[..] {
            [] => true,
            [Piece::Node(id)] => self.view.tree.kind(id) == kind,
            ref pieces => pieces.iter().any(|piece| !matches!(piece, Piece::Node(_))),
        };
        if !are_as_said {
            self.push_text(&[]);
        }
    }

    fn push(&mut self, piece: Piece, tokens: u32) {
        self.change.0.push(piece);
        self.tokens += tokens;
    }

    fn push_text(&mut self, text: &[u8]) {
        let tokens = u32::from(!text.trim_ascii().is_empty());
        self.push(Piece::Text(text.into(), None), tokens);
    }

    /// Adds what stands between two nodes or after the last, if anything; nothing does after a
    /// block.
    fn separate(&mut self) {
        let is_block = match self.change.0.last() {
            Some(Piece::Node(node)) => self.view.is(Role::Block, *node),
            _ => false,
        };
        if let Some(separator) = self.put.separator.as_ref().filter(|_| !is_block) {
            self.push_text(separator);
        }
    }
}

/// Returns the name that a quoted text says: `margin-top` in quotes is `marginTop`, as scripts
/// spell the properties of styles, and the selector `#a` is the name `a`. `None` if it is not a
/// name.
fn name_in(quoted: &[u8]) -> Option<Vec<u8>> {
    let [quote @ (b'"' | b'\''), inside @ .., end] = quoted else { return None };
    let inside = inside.strip_prefix(b"#").unwrap_or(inside);
    let mut name = Vec::new();
    let mut parts = inside.split(|&byte| byte == b'-');
    name.extend_from_slice(parts.next()?);
    for part in parts {
        let (first, others) = part.split_first()?;
        name.push(first.to_ascii_uppercase());
        name.extend_from_slice(others);
    }
    let begins = name.first().is_some_and(|first| first.is_ascii_alphabetic() || *first == b'_');
    let is_name = begins && name.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
    (quote == end && is_name).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::name_in;

    #[test]
    fn a_string_says_a_name_or_none() {
        let table: [(&str, Option<&str>); 9] = [
            ("'#a'", Some("a")),
            ("'color'", Some("color")),
            ("\"margin-top\"", Some("marginTop")),
            ("'-webkit-box-flex'", Some("WebkitBoxFlex")),
            ("'--a'", None),
            ("'1a'", None),
            ("'a b'", None),
            ("''", None),
            ("'a\"", None),
        ];
        for (quoted, name) in table {
            assert_eq!(name_in(quoted.as_bytes()), name.map(Vec::from), "{quoted}");
        }
    }
}
