//! Matches of one rule: its captures, and the edits that go together.

use std::collections::{HashMap, HashSet};

use minirepro_syntax::{
    Binding, Capture, Change, Edits, NodeId, Piece, Put, Quantity, Rule, RuleAction, RuleEdit,
};

use crate::framework::mention_removal::{Extent, add_unit, least};
use crate::framework::slots::Place;
use crate::rules::captures::Captured;
use crate::rules::elsewhere::{Elsewhere, Extra};
use crate::rules::form::Filling;
use crate::rules::paths::{all_lead, follow_all, none_leads};
use crate::{Item, PassContext};

/// The matches of a rule in one text.
pub(super) struct Matching<'a> {
    pub(super) context: &'a PassContext<'a>,
    pub(super) rule: &'a Rule,
    pub(super) elsewhere: &'a Elsewhere,
    /// The matches of which there is only one each, by what they agree in.
    pub(super) seen: HashSet<Vec<Key>>,
    /// The subjects that fit the rule although its edits cannot be made there.
    pub(super) unmade: Vec<NodeId>,
}

/// One of the things that two matches may agree in.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Key {
    Name(Vec<u8>),
    Place(usize),
    Node(Option<NodeId>),
}

/// An item with the tokens that it takes away, fewer than none if it adds some.
pub(super) struct Match {
    pub(super) edits: Edits,
    pub(super) won: i64,
}

impl Match {
    pub(super) fn item(self, rule: &Rule) -> Item {
        Item::new(self.edits, u32::try_from(self.won).unwrap_or(0)).by(&rule.rule)
    }
}

impl Matching<'_> {
    /// Adds the matches of the rule at a node.
    pub(super) fn at(&mut self, node: NodeId, matches: &mut Vec<Match>) {
        let Self { context, rule, .. } = *self;
        let mut captured = Captured::new(rule.captures.max(2), node);
        if let Some(pattern) = &rule.pattern {
            let mut found = vec![Vec::new(); rule.captures.max(2)];
            if !pattern.fits(context.tree, node, &mut found) {
                return;
            }
            for (number, nodes) in found.into_iter().enumerate().skip(1) {
                captured.set(Capture(number), nodes);
            }
        }
        self.bind(&rule.bindings, captured, rule.once.is_empty(), matches);
    }

    /// Adds the matches with what the other captures stand for.
    fn bind(
        &mut self,
        bindings: &[Binding],
        mut captured: Captured,
        is_known_once: bool,
        matches: &mut Vec<Match>,
    ) {
        let context = self.context;
        let mut is_known_once = is_known_once;
        if !is_known_once && !self.rule.once.iter().any(|c| is_bound_by(bindings, *c)) {
            if !self.seen.insert(self.keys(&captured)) {
                return;
            }
            is_known_once = true;
        }
        let Some((binding, others)) = bindings.split_first() else {
            self.finish(&captured, matches);
            return;
        };
        let nodes = follow_all(context, &binding.paths, &captured);
        match binding.quantity {
            Quantity::Some if nodes.is_empty() => {}
            Quantity::Some | Quantity::Any => {
                captured.set(binding.capture, nodes);
                self.bind(others, captured, is_known_once, matches);
            }
            Quantity::Each => {
                for (place, node) in nodes.into_iter().enumerate() {
                    let mut captured = captured.clone();
                    captured.set_one(binding.capture, node, place);
                    self.bind(others, captured, is_known_once, matches);
                }
            }
        }
    }

    fn keys(&self, captured: &Captured) -> Vec<Key> {
        let key = |capture| {
            let found = captured.get(capture);
            let first = found.nodes.first().copied();
            match (first, found.place) {
                (_, Some(place)) => Key::Place(place),
                (Some(node), None) if self.context.is_name(node) => {
                    Key::Name(self.context.name_key(node).into_owned())
                }
                _ => Key::Node(first),
            }
        };
        self.rule.once.iter().map(|&capture| key(capture)).collect()
    }

    fn finish(&mut self, captured: &Captured, matches: &mut Vec<Match>) {
        let Self { context, rule, elsewhere, .. } = *self;
        let before = matches.len();
        if !all_lead(context, &rule.present, captured)
            || !none_leads(context, &rule.absent, captured)
        {
            return;
        }
        for extra in elsewhere.extras(context, rule, captured) {
            let mut made = Made::default();
            let mut captured = captured.clone();
            let fits = rule
                .edits
                .iter()
                .all(|edit| self.edit(edit, &mut captured, &extra, &mut made).is_some());
            if fits && !made.edits.is_empty() && made.edits.len() >= rule.least_edits {
                let won = made.won(context);
                matches.push(Match { edits: made.edits, won });
            }
        }
        if matches.len() == before {
            self.unmade.extend(captured.first(Capture(0)));
        }
    }

    /// Makes one edit for each of its nodes; `None` if the rule does not match.
    fn edit(
        &self,
        edit: &RuleEdit,
        captured: &mut Captured,
        extra: &Extra<'_>,
        made: &mut Made,
    ) -> Option<()> {
        let context = self.context;
        for node in follow_all(context, &edit.each, captured) {
            captured.set(edit.this, vec![node]);
            if !self.bind_edit(edit, captured) {
                if edit.must {
                    return None;
                }
                continue;
            }
            let at = match edit.at.is_empty() {
                true => vec![node],
                false => follow_all(context, &edit.at, captured),
            };
            if edit.must && at.is_empty() {
                return None;
            }
            for at in at {
                let is_made = match &edit.action {
                    RuleAction::Drop => made.edits.add(at, Change::drop()),
                    RuleAction::Remove { narrow } => {
                        let extent = if *narrow { Extent::Narrow } else { Extent::Wide };
                        add_unit(context, at, extent, &mut made.edits)
                    }
                    RuleAction::Least => {
                        least(context, at).is_some_and(|change| made.edits.add(at, change))
                    }
                    RuleAction::Put(put) => self.put(put, at, captured, extra, made)?,
                };
                if !is_made {
                    return None;
                }
            }
        }
        Some(())
    }

    /// Sets the captures of an edit; returns whether all conditions hold.
    fn bind_edit(&self, edit: &RuleEdit, captured: &mut Captured) -> bool {
        let context = self.context;
        for binding in &edit.bindings {
            let nodes = follow_all(context, &binding.paths, captured);
            if nodes.is_empty() && binding.quantity != Quantity::Any {
                return false;
            }
            captured.set(binding.capture, nodes);
        }
        all_lead(context, &edit.present, captured) && none_leads(context, &edit.absent, captured)
    }

    /// Puts a text somewhere; `None` if it lacks a part.
    fn put(
        &self,
        put: &Put,
        at: NodeId,
        captured: &Captured,
        extra: &Extra<'_>,
        made: &mut Made,
    ) -> Option<bool> {
        let Self { context, elsewhere, .. } = *self;
        if put.kind.is_some_and(|kind| !Place::of(context, at).takes([kind])) {
            return None;
        }
        let filling = Filling { context, captured, extra, elsewhere };
        let (node, form) = filling.fill(put, at)?;
        made.tokens.insert(node, form.tokens);
        Some(made.edits.add(node, form.change))
    }
}

/// Returns whether one of these bindings gives a capture its nodes.
fn is_bound_by(bindings: &[Binding], capture: Capture) -> bool {
    bindings.iter().any(|binding| binding.capture == capture)
}

/// The edits of a match so far.
#[derive(Default)]
struct Made {
    edits: Edits,
    /// The tokens that new texts leave of the nodes that they come at, with those of kept nodes.
    tokens: HashMap<NodeId, u32>,
}

impl Made {
    /// Returns how many tokens fewer there are after the edits. What lies in a part that goes
    /// counts once.
    fn won(&self, context: &PassContext<'_>) -> i64 {
        let tree = context.tree;
        let mut won = 0;
        // The changed nodes around the one that is looked at, innermost last.
        let mut around: Vec<(NodeId, &Change)> = Vec::new();
        for (id, change) in self.edits.iter() {
            around.retain(|&(outer, _)| tree.contains(outer, id));
            let is_kept = around.iter().all(|(_, Change(pieces))| {
                let holds =
                    |piece: &Piece| matches!(piece, Piece::Node(node) if tree.contains(*node, id));
                pieces.iter().any(holds)
            });
            if is_kept {
                won += i64::from(tree.tokens(id)) - i64::from(self.left(context, id, change));
            }
            around.push((id, change));
        }
        won
    }

    /// Returns the tokens that a change leaves of a node.
    fn left(&self, context: &PassContext<'_>, id: NodeId, change: &Change) -> u32 {
        if change.is_inside() {
            return context.tree.tokens(id);
        }
        self.tokens.get(&id).filter(|_| !change.is_drop()).copied().unwrap_or_else(|| {
            let tokens = |piece: &Piece| match piece {
                Piece::Node(node) => context.tree.tokens(*node),
                Piece::Text(text, _) => u32::from(!text.is_empty()),
                Piece::Part(..) => 1,
            };
            change.0.iter().map(tokens).sum()
        })
    }
}
