//! Runs one pass alone and looks at each of its edits. Must not depend on the order of passes, on
//! searches or on outcomes.

use std::collections::HashSet;

use minirepro_passes::{Gate, Item, Pass, PassContext, known, of as passes_of};
use minirepro_syntax::{Edits, Language, NodeId, Rendered, TextWithSize, Tree, close, rendered};

/// One edit of a pass, gone through the gate of its pass.
#[derive(Clone, Debug)]
pub struct Offer {
    /// What the pass proposed.
    pub item: Item,
    /// The text after it, with what the closure of the edits took along.
    pub rendered: Rendered,
    /// Whether the grammar facts alone said that the text is fine.
    pub certain: bool,
    /// Whether the final sweep tries it, so that the certificate stands for it.
    pub swept: bool,
    /// Whether every change takes a node away and puts nothing in its place.
    pub drops: bool,
}

/// An example of what a pass does and does not.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Example {
    /// What it shows, in words.
    pub title: String,
    /// The name of the language.
    pub language: String,
    /// The text before.
    pub before: String,
    /// What every candidate must still hold for the failure to show.
    pub needles: Vec<String>,
    /// Candidates that one edit each must give, up to blank space.
    pub after: Vec<String>,
    /// Texts that no single edit may give, up to blank space.
    pub never: Vec<String>,
}

/// Returns every edit that the pass offers for the text: those of its rounds, each proposal refused
/// before the next, then those of the final sweep. Infeasible ones are left out.
///
/// # Panics
/// If the pass proposes something again that was refused.
pub fn offers(language: &Language, pass: &Pass, tree: &Tree) -> Vec<Offer> {
    let mut refused = HashSet::new();
    let mut seen = HashSet::new();
    let mut found = Vec::new();
    loop {
        let input = PassContext::new(tree, language, pass.gate, &refused);
        let Some(proposal) = pass.propose(&input) else { break };
        let keys: Vec<u64> = proposal.items.iter().map(|item| input.fingerprint(item)).collect();
        let new = keys.iter().filter(|&key| !refused.contains(key)).count();
        assert_eq!(new, keys.len(), "{} proposes what was refused", pass.name);
        found.extend(proposal.items);
        refused.extend(keys);
    }
    let input = PassContext::sweep(tree, language, pass.gate, &refused);
    let sweep = pass.propose(&input).map(|proposal| proposal.items).unwrap_or_default();
    let swept: HashSet<Edits> = sweep.iter().map(|item| item.edits.clone()).collect();
    found.extend(sweep);
    found.retain(|item| seen.insert(item.edits.clone()));
    let offers = found.into_iter().filter_map(|item| offer(language, pass.gate, tree, item));
    offers.map(|o| Offer { swept: swept.contains(&o.item.edits), ..o }).collect()
}

fn offer(language: &Language, gate: Gate, tree: &Tree, item: Item) -> Option<Offer> {
    let (edits, certain) = match gate {
        Gate::Facts | Gate::Graph | Gate::Pump => {
            let closed = close(tree, language, &item.edits)?;
            (closed.edits, closed.certain)
        }
        Gate::Reparse => (item.edits.clone(), false),
    };
    let rendered = rendered(tree, language, &edits);
    let drops = edits.iter().all(|(_, change)| change.is_drop());
    Some(Offer { item, rendered, certain, drops, swept: false })
}

/// Returns the pass of that name, which may be one of a language's rules; `None` if the language has no such rules.
pub fn pass(name: &str, language: &Language) -> Option<Pass> {
    passes_of(language).into_iter().chain(known()).find(|pass| pass.name == name)
}

/// Returns whether the engine would ask the oracle about a candidate of this pass: it is smaller
/// than the text it comes from, unless the pass may grow, and parses no worse; where readers refuse
/// no text, the last passes may instead leave no more for them to complain about.
pub fn is_askable(language: &Language, pass: &Pass, before: &Tree, candidate: &Rendered) -> bool {
    let parser = &language.parser;
    let (old, new) = (before.text(), &candidate.text[..]);
    let old_tokens = before.tokens(NodeId::ROOT).into();
    let is_fine = match (pass.gate, parser.parse_errors(old)) {
        (Gate::Facts | Gate::Graph | Gate::Pump, _) => {
            parser.errors(new) <= before.errors()
                && parser.edit_is_faithful(old, new, &candidate.copied)
        }
        (Gate::Reparse, None) => parser.errors(new) <= before.errors(),
        (Gate::Reparse, Some(most)) => parser.parse_errors(new).is_some_and(|c| c.subset_of(&most)),
    };
    let is_smaller = language.is_smaller(
        TextWithSize { tokens: candidate.tokens, text: new },
        TextWithSize { tokens: old_tokens, text: old },
    );
    is_fine && (is_smaller || pass.gate == Gate::Pump)
}

/// Holds a pass against an example: what it expects must be among the candidates of single edits
/// that hold every needle and that the engine [would ask about](is_askable).
///
/// # Panics
/// If the example does not hold; the message lists all candidates.
pub fn check(pass_name: &str, language: &Language, example: &Example) {
    let tree = language.parser.parse(example.before.as_bytes());
    let pass = pass(pass_name, language);
    let offered = |pass: &Pass| {
        let rendered = offers(language, pass, &tree).into_iter().map(|offer| offer.rendered);
        let askable = rendered.filter(|candidate| is_askable(language, pass, &tree, candidate));
        askable.collect::<Vec<_>>()
    };
    let candidates: Vec<String> = pass
        .map_or(Vec::new(), |pass| offered(&pass))
        .into_iter()
        .map(|candidate| plain(&String::from_utf8_lossy(&candidate.text)))
        .filter(|text| example.needles.iter().all(|needle| text.contains(&plain(needle))))
        .collect();
    let shown = || {
        let all = candidates.join("\n    ");
        format!("{pass_name}, {}: the candidates are\n    {all}", example.title)
    };
    for text in &example.after {
        assert!(candidates.contains(&plain(text)), "no edit gives {:?}; {}", plain(text), shown());
    }
    for text in &example.never {
        assert!(!candidates.contains(&plain(text)), "an edit gives {:?}; {}", plain(text), shown());
    }
}

/// Returns the text without the blank space that keeps no two tokens apart.
fn plain(text: &str) -> String {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut plain = String::new();
    for part in text.split_whitespace() {
        if let (Some(last), Some(first)) = (plain.chars().last(), part.chars().next())
            && (last == first || is_word(last) && is_word(first))
        {
            plain.push(' ');
        }
        plain.push_str(part);
    }
    plain
}

impl Example {
    /// Reads examples: `=== language: title`, then parts that start with `--- before`,
    /// `--- needle`, `--- after` or `--- never`. What stands before the first example is a comment.
    ///
    /// # Panics
    /// If the text is not of that form, or an example expects nothing.
    pub fn read_all(text: &str) -> Vec<Self> {
        let mut all: Vec<Self> = Vec::new();
        let mut part: Option<&str> = None;
        for line in text.lines() {
            if let Some(head) = line.strip_prefix("=== ") {
                let (language, title) =
                    head.split_once(": ").unwrap_or_else(|| panic!("no language in {line:?}"));
                let language = language.to_owned();
                let title = title.to_owned();
                all.push(Self { language, title, ..Self::default() });
                part = None;
            } else if let Some(example) = all.last_mut() {
                if let Some(name) = line.strip_prefix("--- ") {
                    example.start(name);
                    part = Some(name);
                } else if let Some(name) = part {
                    let text = example.part(name).expect("the part was started");
                    text.push_str(line);
                    text.push('\n');
                }
            }
        }
        for Self { title, after, never, .. } in &all {
            assert!(!after.is_empty() || !never.is_empty(), "{title:?} expects nothing");
        }
        all
    }

    fn start(&mut self, name: &str) {
        match name {
            "before" => {}
            "needle" => self.needles.push(String::new()),
            "after" => self.after.push(String::new()),
            "never" => self.never.push(String::new()),
            other => panic!("{:?} has an unknown part {other:?}", self.title),
        }
    }

    fn part(&mut self, name: &str) -> Option<&mut String> {
        match name {
            "before" => Some(&mut self.before),
            "needle" => self.needles.last_mut(),
            "after" => self.after.last_mut(),
            _ => self.never.last_mut(),
        }
    }
}
