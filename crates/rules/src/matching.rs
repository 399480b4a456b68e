//! Matches of a pass: what the captures of its rules stand for, and the edits that go together.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use minirepro_syntax::{Change, Edits, Kind, NodeId, Piece};

use crate::compile::{Action, Binding, Elsewhere, Quantity, Rule, RuleEdit, SUBJECT, Scope, THIS};
use crate::file::RuleSearch;
use crate::form::Form;
use crate::pass::{RuleName, RulePass};
use crate::path::Path;
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
        let view = View::new(world);
        let mut about: BTreeMap<Kind, Vec<usize>> = BTreeMap::new();
        for (number, rule) in self.rules.iter().enumerate() {
            rule.subjects.iter().for_each(|&kind| about.entry(kind).or_default().push(number));
        }
        let mut seen = HashSet::new();
        let mut found: Vec<Match> = Vec::new();
        let nodes = world.of_kinds(&mut about.keys().copied());
        let nodes = view.language.interruption.until(nodes.into_iter().rev());
        let nodes = nodes.filter(|&node| node != NodeId::ROOT);
        for part in nodes.take_while(|_| world.may_follow()) {
            for &number in &about[&view.tree.kind(part)] {
                let rule = &self.rules[number];
                let why = refusals.is_some().then(Vec::new);
                let mut matching = Matching { view, rule, matches: Vec::new(), why };
                matching.at(part);
                let before = found.len();
                for one in matching.matches.into_iter().filter(|one| is_wanted(one.won)) {
                    if seen.insert(one.edits.clone()) {
                        found.push(one);
                    }
                }
                let refused = matching.why.into_iter().flatten();
                let refused =
                    refused.map(|why| Refusal { part, rule: Arc::clone(&rule.name), why });
                if let Some(all) = &mut refusals {
                    all.extend(refused);
                }
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
    matches: Vec<Match>,
    /// Why the rule does not match, if somebody asks.
    why: Option<Vec<String>>,
}

impl Matching<'_> {
    fn at(&mut self, node: NodeId) {
        let rule = self.rule;
        let mut captured = Captured(vec![Found::default(); rule.captures]);
        captured.set(SUBJECT, vec![node]);
        for captured in rule.query.ways(self.view, node, &captured) {
            self.bind(&rule.scope.bindings, captured);
        }
    }

    /// Finds the matches with what the other captures stand for.
    fn bind(&mut self, bindings: &[Binding], captured: Captured) {
        let Some((binding, others)) = bindings.split_first() else {
            return self.finish(&captured);
        };
        let nodes = self.view.follow_all(&binding.paths, &captured);
        match binding.quantity {
            Quantity::Some if nodes.is_empty() => {
                let text = |path: &Path| format!("`{}` leads nowhere", path.text);
                self.refuse(|| binding.paths.iter().map(text).collect::<Vec<_>>().join(", "));
            }
            Quantity::Some | Quantity::Any => {
                let mut captured = captured;
                captured.set(binding.capture, nodes);
                self.bind(others, captured);
            }
            Quantity::Each => {
                for (place, node) in nodes.into_iter().enumerate() {
                    let mut captured = captured.clone();
                    captured.set(binding.capture, vec![node]);
                    captured.0[binding.capture.0].place = Some(place);
                    self.bind(others, captured);
                }
            }
        }
    }

    fn refuse(&mut self, why: impl FnOnce() -> String) {
        if let Some(all) = &mut self.why {
            all.push(why());
        }
    }

    fn finish(&mut self, captured: &Captured) {
        if let Some((word, path)) = self.view.refuses(&self.rule.scope, captured) {
            return self.refuse(|| format!("{word} `{}`", path.text));
        }
        let before = self.matches.len();
        for mut captured in self.with_texts(captured) {
            let mut made = Made::default();
            let mut edits = self.rule.edits.iter();
            let fits = edits.all(|edit| made.add(self.view, edit, &mut captured).is_some());
            if fits && !made.edits.is_empty() {
                let (won, rule) = (made.won(self.view), Arc::clone(&self.rule.name));
                self.matches.push(Match { edits: made.edits, won, rule });
            }
        }
        if self.matches.len() == before {
            self.refuse(|| "one of the edits cannot be made".to_owned());
        }
    }

    /// Returns the captures with each text that comes from elsewhere.
    fn with_texts(&self, captured: &Captured) -> Vec<Captured> {
        let Some(Elsewhere { namespace, class, captures }) = &self.rule.elsewhere else {
            return vec![captured.clone()];
        };
        let class = class.and_then(|class| captured.first(class));
        let all = self.view.world.texts(namespace, class).into_iter().map(|texts| {
            let mut captured = captured.clone();
            for (&Capture(number), text) in captures.iter().zip(texts) {
                captured.0[number].text = Some(text.into());
            }
            captured
        });
        all.collect()
    }
}

impl View<'_> {
    /// Returns the condition that does not hold, if there is one.
    fn refuses<'s>(
        self,
        scope: &'s Scope,
        captured: &Captured,
    ) -> Option<(&'static str, &'s Path)> {
        let leads = |path: &Path| !self.follow(path, captured).is_empty();
        let nowhere = scope.present.iter().find(|path| !leads(path)).map(|path| ("where", path));
        nowhere.or_else(|| Some(("unless", scope.absent.iter().find(|path| leads(path))?)))
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
            let at = match Self::binds(view, &edit.scope, captured) {
                false => Vec::new(),
                true if edit.at.is_empty() => vec![node],
                true => view.follow_all(&edit.at, captured),
            };
            if edit.must && at.is_empty() {
                return None;
            }
            for at in at {
                let is_made = match &edit.action {
                    Action::Drop => self.edits.add(at, Change::drop()),
                    Action::Remove => view.world.remove(at, &mut self.edits),
                    Action::Put(put) => {
                        if put.kind.is_some_and(|kind| !view.world.takes(at, kind)) {
                            return None;
                        }
                        let form = Form::of(view, put, captured, at)?;
                        self.tokens.insert(form.at, form.tokens);
                        self.edits.add(form.at, form.change)
                    }
                };
                if !is_made {
                    return None;
                }
            }
        }
        Some(())
    }

    /// Sets the captures of an edit; returns whether all conditions hold.
    fn binds(view: View<'_>, scope: &Scope, captured: &mut Captured) -> bool {
        for binding in &scope.bindings {
            let nodes = view.follow_all(&binding.paths, captured);
            if nodes.is_empty() && binding.quantity != Quantity::Any {
                return false;
            }
            captured.set(binding.capture, nodes);
        }
        view.refuses(scope, captured).is_none()
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
            if around.iter().all(|(_, Change(pieces))| pieces.iter().any(holds)) {
                won += i64::from(tree.tokens(id)) - i64::from(self.left(view, id, change));
            }
            around.push((id, change));
        }
        won
    }

    /// Returns the tokens that a change leaves of a node.
    fn left(&self, view: View<'_>, id: NodeId, change: &Change) -> u32 {
        if change.is_inside() {
            return view.tree.tokens(id);
        }
        self.tokens.get(&id).filter(|_| !change.is_drop()).copied().unwrap_or_else(|| {
            let tokens = |piece: &Piece| match piece {
                Piece::Node(node) => view.tree.tokens(*node),
                Piece::Text(text, _) => u32::from(!text.is_empty()),
                Piece::Part(..) => 1,
            };
            change.0.iter().map(tokens).sum()
        })
    }
}
