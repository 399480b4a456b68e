//! Matches of a pass: what the captures of its rules stand for, and the edits that go together.

use std::cell::Cell;
use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use minirepro_syntax::{Edits, Kind, NodeId, won};

use crate::compile::{Binding, Rule, RuleEdit, SUBJECT, THIS};
use crate::file::RuleSearch;
use crate::pass::{RuleName, RulePass};
use crate::path::{Path, Quantity};
use crate::query::{Captured, Found};
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
pub struct Refusal<'r> {
    /// The part.
    pub part: NodeId,
    /// The rule.
    pub rule: Arc<RuleName>,
    /// The condition that does not hold, in words or as it is written.
    pub why: &'r str,
}

/// Why a rule does not match although everything leads somewhere.
const NO_EDIT: &str = "one of the edits cannot be made";

impl RulePass {
    /// Returns the matches that win a wanted number of tokens, in the order of their nodes from the
    /// last one. Linear in the nodes of the kinds that the rules are about, and in what their paths
    /// lead to. Tells which parts look as a rule wants them although it does not match, and why.
    pub fn matches<'r>(
        &'r self,
        world: &dyn World,
        is_sweep: bool,
        is_wanted: impl Fn(i64) -> bool,
        mut refused: impl FnMut(Refusal<'r>),
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
                let tell = |why| refused(Refusal { part, rule: Arc::clone(&rule.name), why });
                let ways = rule.ways(view, part, tell);
                let before = found.len();
                let new = ways.into_iter().filter(|one| is_wanted(one.won));
                found.extend(new.filter(|one| seen.insert(one.edits.clone())));
                let is_first = self.file.search == Some(RuleSearch::First) && !is_sweep;
                if is_first && found.len() > before {
                    found.truncate(before + 1);
                    break;
                }
            }
        }
        found
    }
}

impl Rule {
    /// Returns the matches at a part, and tells what does not hold of others.
    fn ways<'r>(
        &'r self,
        view: View<'_>,
        part: NodeId,
        mut refused: impl FnMut(&'r str),
    ) -> Vec<Match> {
        let mut captured = Captured(vec![Found::default(); self.captures]);
        captured.set(SUBJECT, vec![part]);
        let mut ways = self.query.ways(view, part, &captured);
        for binding in &self.scope {
            let bound = |captured| view.bound(binding, captured).map_err(&mut refused).ok();
            ways = ways.into_iter().filter_map(bound).flatten().collect();
        }
        let made = |captured| self.made(view, captured).map_err(&mut refused).ok();
        ways.into_iter().filter_map(made).collect()
    }

    /// Returns the edits with what the captures stand for.
    fn made(&self, view: View<'_>, mut captured: Captured) -> Result<Match, &str> {
        let mut edits = Edits::none();
        for edit in &self.edits {
            view.add(edit, &mut captured, &mut edits)?;
        }
        let (won, rule) = (won(view.tree, view.language, &edits), Arc::clone(&self.name));
        if edits.is_empty() { Err(NO_EDIT) } else { Ok(Match { edits, won, rule }) }
    }
}

/// Returns how many nodes several paths must lead to.
fn quantity(paths: &[Path]) -> Quantity {
    paths.iter().map(|path| path.quantity).max().unwrap_or(Quantity::Some)
}

impl View<'_> {
    /// Returns the nodes that paths lead to.
    ///
    /// # Errors
    /// If there are none and must be some, or the other way round: the first path.
    fn led_to<'p>(self, paths: &'p [Path], captured: &Captured) -> Result<Vec<NodeId>, &'p str> {
        let nodes = self.follow_all(paths, captured);
        let quantity = quantity(paths);
        let fits = nodes.is_empty() == (quantity == Quantity::None);
        if fits || quantity == Quantity::Any { Ok(nodes) } else { Err(&paths[0].text) }
    }

    /// Returns the captures with one more, if the paths are no condition; several, if each of its
    /// nodes makes a match.
    ///
    /// # Errors
    /// If the paths do not lead where they must.
    fn bound(
        self,
        (capture, paths): &Binding,
        mut captured: Captured,
    ) -> Result<Vec<Captured>, &str> {
        let nodes = self.led_to(paths, &captured)?;
        let Some(capture) = *capture else { return Ok(vec![captured]) };
        if quantity(paths) != Quantity::Each {
            captured.set(capture, nodes);
            return Ok(vec![captured]);
        }
        let one = |(place, node)| {
            captured.0[capture.0] = Found { nodes: vec![node], place: Some(place) };
            captured.clone()
        };
        Ok(nodes.into_iter().enumerate().map(one).collect())
    }

    /// Makes one edit for each of its nodes for which its conditions hold.
    ///
    /// # Errors
    /// If the rule does not match: what does not hold.
    fn add<'r>(
        self,
        edit: &'r RuleEdit,
        captured: &mut Captured,
        edits: &mut Edits,
    ) -> Result<(), &'r str> {
        'each: for node in self.follow_all(&edit.each, captured) {
            captured.set(THIS, vec![node]);
            for (capture, paths) in &edit.scope {
                match (self.led_to(paths, captured), *capture) {
                    (Err(_), None) => continue 'each,
                    (Ok(_), None) => {}
                    (nodes, Some(capture)) => captured.set(capture, nodes?),
                }
            }
            for at in self.led_to(&edit.at, captured)? {
                let is_made = match &edit.put {
                    None => self.world.remove(at, edits),
                    Some(put) => edits.add(at, put.change(self, captured, at).ok_or(NO_EDIT)?),
                };
                is_made.then_some(()).ok_or(NO_EDIT)?;
            }
        }
        Ok(())
    }
}
