//! New texts: templates, and what they become with what was captured.

use std::ops::Range;
use std::sync::Arc;

use minirepro_syntax::{Change, Kind, NodeId, Piece, Role};

use crate::compile::{Compiler, Read};
use crate::file::RuleTable;
use crate::query::{CAPTURES, Capture, Captured, name_of, unquoted};
use crate::world::View;

/// A text that is put somewhere; nothing at all where a part is dropped.
#[derive(Clone, Debug, Default)]
pub(crate) struct Put {
    /// The text from left to right.
    parts: Vec<Part>,
    /// Its kind, if it is a statement by itself: that stands only where the grammar lets it.
    statement: Option<Kind>,
    /// What stands between the nodes of a capture of several; single tokens become one.
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
    /// `$LEAST`: of the texts that may stand there, from the least on, the one with this number.
    Least(usize),
}

impl Compiler<'_> {
    /// Compiles a new text.
    pub(crate) fn put(&mut self, table: &RuleTable, number: usize) -> Read<Put> {
        let both = |[from, to]: &[String; 2]| Ok([self.capture(from)?, self.capture(to)?]);
        let substitute = table.substitute.as_ref().map(both).transpose()?;
        let code = table.put.get(number);
        let read = code.ends_with(';').then(|| self.read(code)).flatten();
        let kind = read.map(|(tree, root)| tree.kind(root));
        Ok(Put {
            parts: self.parts(code, number)?,
            statement: kind.filter(|&kind| self.language.roles.is(Role::Statement, kind)),
            separator: table.separator.as_ref().map(|text| text.as_bytes().into()),
            with_edits: self.with_edits,
            substitute,
        })
    }

    /// Splits a new text into tokens and captures. Blank space is a token only if it is all of the
    /// text.
    fn parts(&mut self, code: &str, number: usize) -> Read<Vec<Part>> {
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
                ("LEAST", _) => Part::Least(number),
                ("END", Some(end)) => Part::Token(end.as_slice().into()),
                (name, _) if found.name("said").is_some() => Part::Said(self.capture(name)?),
                (name, _) => Part::Node(self.capture(name)?, all.as_str().starts_with("$$$")),
            });
        }
        parts.extend(tokens(&code[at..]));
        Ok(parts)
    }
}

impl Put {
    /// Returns what becomes of a node, with what was captured; `None` if something in it was not,
    /// or if it is a statement where none may stand.
    pub(crate) fn change(&self, view: View<'_>, captured: &Captured, at: NodeId) -> Option<Change> {
        let fits = |kind| view.world.takes(at, &[kind]);
        self.statement.is_none_or(fits).then_some(())?;
        let is_itself = |part: &Part| match part {
            Part::Node(node, false) => captured.first(*node) == Some(at),
            _ => false,
        };
        let stays = self.parts.len() > 1 && self.parts.iter().any(is_itself);
        let mut form = Form { view, captured, put: self, at, stays, pieces: Vec::new() };
        self.parts.iter().try_for_each(|part| form.add(part))?;
        let Form { mut pieces, .. } = form;
        // Nodes that the grammar does not let stand there may be others as a parser reads them.
        let kind = |piece: &Piece| match piece {
            Piece::Node(node) => Some(view.tree.kind(*node)),
            _ => None,
        };
        let kinds = pieces.iter().map(kind).collect::<Option<Vec<Kind>>>();
        let kinds = kinds.filter(|kinds| !stays && !kinds.is_empty());
        if kinds.is_some_and(|kinds| !view.world.takes(at, &kinds)) {
            pieces.push(Piece::Text(Arc::default(), None));
        }
        Some(Change(pieces))
    }
}

/// A text that replaces a node, as far as it is made.
struct Form<'a> {
    view: View<'a>,
    captured: &'a Captured,
    put: &'a Put,
    /// The node that changes.
    at: NodeId,
    /// Whether that stays as a part of the text.
    stays: bool,
    pieces: Vec<Piece>,
}

impl Form<'_> {
    fn add(&mut self, part: &Part) -> Option<()> {
        let captured = self.captured;
        match part {
            Part::Token(token) if self.put.separator.as_ref() == Some(token) => self.separate(),
            Part::Token(token) => self.push_text(token),
            Part::Node(capture, true) => self.add_nodes(captured.nodes(*capture))?,
            Part::Node(capture, false) => self.add_nodes(captured.nodes(*capture).get(..1)?)?,
            Part::Fresh => self.push_text(&self.view.world.fresh()),
            Part::Least(number) => {
                self.pieces.extend(self.view.world.least(self.at, *number)?.0);
            }
            Part::Said(capture) => {
                let quoted = self.view.tree.text_of(captured.first(*capture)?);
                self.push_text(name_in(str::from_utf8(quoted).ok()?)?.as_bytes());
            }
        }
        Some(())
    }

    /// Adds several nodes with what the rule puts between them.
    fn add_nodes(&mut self, nodes: &[NodeId]) -> Option<()> {
        let (put, tree) = (self.put, self.view.tree);
        let are_tokens = || nodes.iter().all(|&node| tree.is_leaf(node));
        if let Some(joint) = put.separator.as_ref().filter(|_| put.parts.len() == 1 && are_tokens())
        {
            let texts = nodes.iter().map(|&node| tree.text_of(node));
            self.push_text(&texts.collect::<Vec<_>>().join(&joint[..]));
            return Some(());
        }
        let is_alone = put.parts.len() == 1 && nodes.len() == 1;
        for (number, &node) in nodes.iter().enumerate() {
            if number > 0 {
                self.separate();
            }
            match put.substitute {
                Some(substitute) => self.add_substituted(node, substitute)?,
                None => self.pieces.push(self.piece(node, is_alone)),
            }
        }
        Some(())
    }

    /// Returns a captured node: itself, if it is part of what changes, else its text.
    fn piece(&self, node: NodeId, is_alone: bool) -> Piece {
        let (view, at, tree) = (self.view, self.at, self.view.tree);
        if self.put.with_edits || (node == at) == self.stays && tree.contains(at, node) {
            return Piece::Node(node);
        }
        let are_names = view.is_name(node) && view.is_name(at);
        let kind = is_alone.then(|| tree.kind(if are_names { at } else { node }));
        // What does not fit by its kind may fit as it reads, such as a type that is written around
        // a name.
        Piece::Text(tree.text_of(node).into(), kind.filter(|&kind| view.world.takes(at, &[kind])))
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
            self.push_text(tree.text_of(part));
        }
        Some(())
    }

    fn push_text(&mut self, text: &[u8]) {
        self.pieces.push(Piece::Text(text.into(), None));
    }

    /// Adds what stands between two nodes or after the last, if anything; nothing does after a
    /// block.
    fn separate(&mut self) {
        let is_block = match self.pieces.last() {
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
fn name_in(quoted: &str) -> Option<String> {
    let text = unquoted(quoted)?;
    let mut parts = text.strip_prefix('#').unwrap_or(text).split('-');
    let mut name = parts.next()?.to_owned();
    for part in parts {
        name = name + &part.get(..1)?.to_ascii_uppercase() + &part[1..];
    }
    let begins = name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_');
    let is_name = begins && name.chars().all(|sign| sign.is_ascii_alphanumeric() || sign == '_');
    is_name.then_some(name)
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
            assert_eq!(name_in(quoted).as_deref(), name, "{quoted}");
        }
    }
}
