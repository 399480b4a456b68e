//! New texts: the templates of rules, filled with what was captured.

use std::sync::Arc;

use minirepro_syntax::{
    Capture, Change, NodeId, Piece, Placement, Put, Role, TemplatePart, name_in,
};

use crate::PassContext;
use crate::framework::slots::Place;
use crate::rules::captures::Captured;
use crate::rules::elsewhere::{Elsewhere, Extra};

/// A text that comes at a node.
pub(super) struct Form {
    pub(super) change: Change,
    /// The tokens that it leaves, with those of kept nodes.
    pub(super) tokens: u32,
}

/// What texts are filled from.
pub(super) struct Filling<'a> {
    pub(super) context: &'a PassContext<'a>,
    pub(super) captured: &'a Captured,
    pub(super) extra: &'a Extra<'a>,
    pub(super) elsewhere: &'a Elsewhere,
}

impl Filling<'_> {
    /// Returns the node that changes where a text comes at `node`, and how; `None` if something in
    /// the text was not captured.
    pub(super) fn fill(&self, put: &Put, node: NodeId) -> Option<(NodeId, Form)> {
        let tree = self.context.tree;
        let keep = |form: &mut Form, node: NodeId| form.push(Piece::Node(node), tree.tokens(node));
        let mut form = Form { change: Change(Vec::new()), tokens: 0 };
        match put.place {
            Placement::Instead => {
                self.add(put, node, &mut form)?;
                self.as_said(put, &mut form);
                Some((node, form))
            }
            Placement::Before => {
                self.add(put, node, &mut form)?;
                keep(&mut form, node);
                Some((node, form))
            }
            Placement::After => {
                keep(&mut form, node);
                self.add(put, node, &mut form)?;
                Some((node, form))
            }
            Placement::Into => {
                let last = self.context.elements(node).last();
                let at = last.or_else(|| tree.children(node).next())?;
                keep(&mut form, at);
                if last.is_some() {
                    form.push_text(put.separator.clone());
                }
                self.add(put, at, &mut form)?;
                Some((at, form))
            }
        }
    }

    /// Adds the text to a form at a node.
    fn add(&self, put: &Put, at: NodeId, form: &mut Form) -> Option<()> {
        let tree = self.context.tree;
        let text = |form: &mut Form, text: Vec<u8>| form.push(Piece::Text(text.into(), None), 1);
        let is_one = put.template.len() == 1;
        for part in &put.template {
            match part {
                TemplatePart::Token(token) if put.separator.as_ref() == Some(token) => {
                    form.separate(self.context, token);
                }
                TemplatePart::Token(token) => form.push_text([token.clone()]),
                TemplatePart::Node(capture) => {
                    let node = self.captured.first(*capture)?;
                    self.add_node(node, put, at, is_one, form)?;
                }
                TemplatePart::Nodes(capture) => {
                    self.add_nodes(self.captured.nodes(*capture), put, at, form)?;
                }
                TemplatePart::Fresh => {
                    text(form, self.elsewhere.fresh(self.context).to_vec());
                }
                TemplatePart::NameOf(_) => {
                    let Extra::Name(name) = self.extra else { return None };
                    text(form, name.clone());
                }
                TemplatePart::DeclaredProperty(_) => {
                    let Extra::Declaration(declared) = self.extra else { return None };
                    text(form, name_in(&[b"'", &declared.property[..], b"'"].concat())?);
                }
                TemplatePart::DeclaredValue(_) => {
                    let Extra::Declaration(declared) = self.extra else { return None };
                    text(form, [b"'", &declared.value[..], b"'"].concat());
                }
                TemplatePart::NameIn(capture) => {
                    text(form, name_in(tree.text_of(self.captured.first(*capture)?))?);
                }
            }
        }
        Some(())
    }

    /// Adds a captured node: itself, if it is part of what changes, else its text.
    fn add_node(
        &self,
        node: NodeId,
        put: &Put,
        at: NodeId,
        is_alone: bool,
        form: &mut Form,
    ) -> Option<()> {
        let tree = self.context.tree;
        if let Some((declared, meant)) = put.substitute {
            return self.add_substituted(node, declared, meant, form);
        }
        let is_part = put.place == Placement::Instead && tree.contains(at, node) && at != node;
        if put.with_edits || is_part {
            form.push(Piece::Node(node), tree.tokens(node));
            return Some(());
        }
        let are_names = self.context.is_name(node) && self.context.is_name(at);
        let kind = is_alone.then(|| tree.kind(if are_names { at } else { node }));
        // What does not fit by its kind may fit as it reads, such as a type that is written around
        // a name.
        let kind = kind.filter(|&kind| Place::of(self.context, at).takes([kind]));
        form.push(Piece::Text(Arc::from(tree.text_of(node)), kind), tree.tokens(node));
        Some(())
    }

    /// Adds the leaves of a node, and instead of each name that is declared, what is meant by it;
    /// `None` if nothing is.
    fn add_substituted(
        &self,
        node: NodeId,
        declared: Capture,
        meant: Capture,
        form: &mut Form,
    ) -> Option<()> {
        let tree = self.context.tree;
        let reads_like = |leaf: NodeId| {
            move |&declaration: &NodeId| {
                let mut names = tree.subtree(declaration).filter(|&id| self.context.is_name(id));
                names.any(|name| tree.text_of(name) == tree.text_of(leaf))
            }
        };
        for leaf in tree.subtree(node).filter(|&leaf| tree.is_leaf(leaf)) {
            let mut declarations = self.captured.nodes(declared).iter();
            let place = declarations.position(reads_like(leaf));
            let part = match place.filter(|_| self.context.is_name(leaf)) {
                Some(place) => *self.captured.nodes(meant).get(place)?,
                None => leaf,
            };
            form.push(Piece::Text(Arc::from(tree.text_of(part)), None), tree.tokens(part));
        }
        Some(())
    }

    /// Adds several nodes with what the rule puts between them.
    fn add_nodes(&self, nodes: &[NodeId], put: &Put, at: NodeId, form: &mut Form) -> Option<()> {
        let tree = self.context.tree;
        if let Some(joint) = &put.joint {
            let texts: Vec<&[u8]> = nodes.iter().map(|&node| tree.text_of(node)).collect();
            form.push(Piece::Text(texts.join(&joint[..]).into(), put.kind), 1);
            return Some(());
        }
        let is_alone = put.template.len() == 1 && nodes.len() == 1;
        for (number, &node) in nodes.iter().enumerate() {
            let is_between = number > 0 && put.place != Placement::Into;
            if let Some(separator) = put.separator.as_ref().filter(|_| is_between) {
                form.separate(self.context, separator);
            }
            self.add_node(node, put, at, is_alone, form)?;
        }
        Some(())
    }

    /// Marks a form that is made of nodes alone but becomes a node of another kind: only a parser
    /// can tell whether that fits.
    fn as_said(&self, put: &Put, form: &mut Form) {
        let is_node = |piece: &Piece| matches!(piece, Piece::Node(_));
        let kind_of = |id: NodeId| Some(self.context.tree.kind(id));
        let is_as_said = match form.change.0[..] {
            [Piece::Node(id)] => kind_of(id) == put.kind,
            _ => false,
        };
        let is_drop = form.change.0.is_empty();
        if put.kind.is_some() && !is_as_said && !is_drop && form.change.0.iter().all(is_node) {
            form.push(Piece::Text(Arc::from([]), None), 0);
        }
    }
}

impl Form {
    fn push(&mut self, piece: Piece, tokens: u32) {
        self.change.0.push(piece);
        self.tokens += tokens;
    }

    fn push_text(&mut self, tokens: impl IntoIterator<Item = Arc<[u8]>>) {
        for token in tokens {
            let count = u32::from(!token.trim_ascii().is_empty());
            self.push(Piece::Text(token, None), count);
        }
    }

    /// Adds what stands between two nodes or after the last; nothing does after a block.
    fn separate(&mut self, context: &PassContext<'_>, separator: &Arc<[u8]>) {
        let is_block = |piece: &Piece| match piece {
            Piece::Node(node) => context.is(Role::Block, *node),
            _ => false,
        };
        if !self.change.0.last().is_some_and(is_block) {
            self.push_text([separator.clone()]);
        }
    }
}
