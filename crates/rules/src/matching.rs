//! Matches of a pass: what the captures of its rules stand for, and the edits that go together.

use std::cell::Cell;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use minirepro_syntax::{Change, Edits, Kind, NodeId, Piece};

use crate::compile::{Action, Rule, RuleEdit, SUBJECT, Scope, THIS};
use crate::file::RuleSearch;
use crate::form::Form;
use crate::pass::{RuleName, RulePass};
use crate::path::{Path, Quantity};
use crate::query::{Capture, Captured, Found};
use crate::world::{View, World};

/// Edits of a rule that go together.
#[derive(Clone, Debug)]
pub struct Match {
    /// The edits.
    pub edits: Edits,
    /// The tokens that they take away, fewer than none if they add some.
    pub won: i64,
    /// The rule.
    pub rule: Arc<RuleName>,
}

/// A part that looks as a rule wants it although the rule does not match there.
#[derive(Clone, Debug)]
pub struct Refusal {
    /// The part.
    pub part: NodeId,
    /// The rule.
    pub rule: Arc<RuleName>,
    /// The condition that does not hold.
    pub why: String,
}

impl RulePass {
    /// Returns the matches that win a wanted number of tokens, in the order of their nodes from the
    /// last one. Linear in the nodes of the kinds that the rules are about, and in what their paths
    /// lead to. Adds those that came to nothing if somebody asks.
    pub fn matches(
        &self,
        world: &dyn World,
        is_sweep: bool,
        is_wanted: impl Fn(i64) -> bool,
        mut refusals: Option<&mut Vec<Refusal>>,
    ) -> Vec<Match> {
        let (followed, most) = (Cell::new(0), world.most_followed());
        let (tree, language) = world.tree_and_language();
        let view = View { world, tree, language, followed: &followed };
        let mut about: BTreeMap<Kind, Vec<&Rule>> = BTreeMap::new();
        for rule in &self.rules {
            rule.subjects.iter().for_each(|&kind| about.entry(kind).or_default().push(rule));
        }
        let mut seen = HashSet::new();
        let mut found: Vec<Match> = Vec::new();
        let nodes = world.of_kinds(&mut about.keys().copied());
        let nodes = view.language.interruption.until(nodes.into_iter().rev());
        let nodes = nodes.filter(|&node| node != NodeId::ROOT);
        for part in nodes.take_while(|_| followed.get() <= most) {
            for rule in &about[&view.tree.kind(part)] {
                let refusals = refusals.as_deref_mut();
                let mut matching = Matching { view, rule, part, matches: Vec::new(), refusals };
                matching.all();
                let before = found.len();
                let new = matching.matches.into_iter().filter(|one| is_wanted(one.won));
                found.extend(new.filter(|one| seen.insert(one.edits.clone())));
                if found.len() > before && self.search == RuleSearch::First && !is_sweep {
                    found.truncate(before + 1);
                    break;
                }
            }
        }
        found
    }
}

/// The matches of a rule at one node.
struct Matching<'a> {
    view: View<'a>,
    rule: &'a Rule,
    part: NodeId,
    matches: Vec<Match>,
    /// Why the rule does not match, if somebody asks.
    refusals: Option<&'a mut Vec<Refusal>>,
}

impl Matching<'_> {
    fn all(&mut self) {
        let rule = self.rule;
        let mut captured = Captured(vec![Found::default(); rule.captures]);
        captured.set(SUBJECT, vec![self.part]);
        for captured in rule.query.ways(self.view, self.part, &captured) {
            self.bind(&rule.scope.bindings, captured);
        }
    }

    /// Finds the matches with what the other captures stand for.
    fn bind(&mut self, bindings: &[(Capture, Vec<Path>)], mut captured: Captured) {
        let Some(((capture, paths), others)) = bindings.split_first() else {
            return self.finish(captured);
        };
        let Some(nodes) = some_or_any(self.view, paths, &captured) else {
            let texts = || paths.iter().map(|path| &*path.text).collect::<Vec<_>>().join("`, `");
            return self.refuse(|| format!("`{}` leads nowhere", texts()));
        };
        if quantity(paths) != Quantity::Each {
            captured.set(*capture, nodes);
            return self.bind(others, captured);
        }
        for (place, node) in nodes.into_iter().enumerate() {
            captured.0[capture.0] = Found { nodes: vec![node], place: Some(place) };
            self.bind(others, captured.clone());
        }
    }

    fn finish(&mut self, mut captured: Captured) {
        if let Some((leads, path)) = self.view.refuses(&self.rule.scope, &captured) {
            let sign = if *leads { "" } else { "!" };
            return self.refuse(|| format!("where `{sign}{}`", path.text));
        }
        let mut made = Made::default();
        let mut edits = self.rule.edits.iter();
        let fits = edits.all(|edit| made.add(self.view, edit, &mut captured).is_some());
        if !fits || made.edits.is_empty() {
            return self.refuse(|| "one of the edits cannot be made".to_owned());
        }
        let (won, rule) = (made.won(self.view), Arc::clone(&self.rule.name));
        self.matches.push(Match { edits: made.edits, won, rule });
    }

    fn refuse(&mut self, why: impl FnOnce() -> String) {
        if let Some(refusals) = &mut self.refusals {
            let rule = Arc::clone(&self.rule.name);
            refusals.push(Refusal { part: self.part, rule, why: why() });
        }
    }
}

/// Returns how many nodes a capture must stand for that several paths lead to.
fn quantity(paths: &[Path]) -> Quantity {
    paths.iter().map(|path| path.quantity).max().unwrap_or(Quantity::Some)
}

impl View<'_> {
    /// Returns the condition that does not hold, if there is one.
    fn refuses<'s>(self, scope: &'s Scope, captured: &Captured) -> Option<&'s (bool, Path)> {
        let holds =
            |(leads, path): &&(bool, Path)| self.follow(path, captured).is_empty() != *leads;
        scope.conditions.iter().find(|condition| !holds(condition))
    }
}

/// The edits of a match so far.
#[derive(Default)]
struct Made {
    edits: Edits,
    /// The tokens that new texts leave of the nodes that they come at, with those of kept nodes.
    tokens: HashMap<NodeId, u32>,
}

impl Made {
    /// Makes one edit for each of its nodes; `None` if the rule does not match.
    fn add(&mut self, view: View<'_>, edit: &RuleEdit, captured: &mut Captured) -> Option<()> {
        for node in view.follow_all(&edit.each, captured) {
            captured.set(THIS, vec![node]);
            for (capture, paths) in &edit.scope.bindings {
                captured.set(*capture, some_or_any(view, paths, captured)?);
            }
            if view.refuses(&edit.scope, captured).is_some() {
                continue;
            }
            let at = match &edit.at[..] {
                [] => vec![node],
                paths => some_or_any(view, paths, captured)?,
            };
            for at in at {
                let is_made = match &edit.action {
                    Action::Drop => self.edits.add(at, Change::drop()),
                    Action::Remove => view.world.remove(at, &mut self.edits),
                    Action::Put(put) => {
                        if put.kind.is_some_and(|kind| !view.world.takes(at, kind)) {
                            return None;
                        }
                        let form = Form::of(view, put, captured, at)?;
                        self.tokens.insert(at, form.tokens);
                        self.edits.add(at, form.change)
                    }
                };
                is_made.then_some(())?;
            }
        }
        Some(())
    }

    /// Returns how many tokens fewer there are after the edits. What lies in a part that goes
    /// counts once.
    fn won(&self, view: View<'_>) -> i64 {
        let tree = view.tree;
        let mut won = 0;
        // The changed nodes around the one that is looked at, innermost last.
        let mut around: Vec<(NodeId, &Change)> = Vec::new();
        for (id, change) in self.edits.iter() {
            around.retain(|&(outer, _)| tree.contains(outer, id));
            let holds =
                |piece: &Piece| matches!(piece, Piece::Node(node) if tree.contains(*node, id));
            if around.iter().all(|(_, change)| change.0.iter().any(holds)) && !change.is_inside() {
                let tokens = |piece: &Piece| match piece {
                    Piece::Node(node) => tree.tokens(*node),
                    Piece::Text(..) | Piece::Part(..) => 1,
                };
                let left = self.tokens.get(&id).copied();
                let left = left.unwrap_or_else(|| change.0.iter().map(tokens).sum());
                won += i64::from(tree.tokens(id)) - i64::from(left);
            }
            around.push((id, change));
        }
        won
    }
}

/// Returns the nodes that paths lead to; `None` if there are none and must be some.
fn some_or_any(view: View<'_>, paths: &[Path], captured: &Captured) -> Option<Vec<NodeId>> {
    let nodes = view.follow_all(paths, captured);
    (!nodes.is_empty() || quantity(paths) == Quantity::Any).then_some(nodes)
}
