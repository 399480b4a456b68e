//! Runs one pass alone and looks at each of its edits: what the pass makes of a text. Knows how an
//! edit becomes a candidate; must not know the order of passes, searches or outcomes.

use std::collections::HashSet;

use minirepro_passes::{Gate, Input, Item, PASSES, Pass};
use minirepro_syntax::{Language, NodeId, Rendered, Tree, close, render};

/// One edit of a pass, gone through the gate of its pass.
#[derive(Clone, Debug)]
pub struct Offer {
    /// What the pass proposed.
    pub item: Item,
    /// The text after it, with what the closure of the edits took along.
    pub rendered: Rendered,
    /// Whether the grammar facts alone said that the text is fine.
    pub certain: bool,
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

/// Every edit that the pass offers for the text: those of its rounds, each proposal refused before
/// the next, then those of the final sweep. Infeasible ones are left out.
///
/// # Panics
/// When the pass proposes something again that was refused.
pub fn offers(language: &Language, pass: &Pass, tree: &Tree) -> Vec<Offer> {
    let mut refused = HashSet::new();
    let mut seen = HashSet::new();
    let mut found = Vec::new();
    loop {
        let input = Input::new(tree, language, pass.gate, &refused);
        let Some(proposal) = (pass.propose)(&input) else { break };
        let keys: Vec<u64> = proposal.items.iter().map(|item| input.key(item)).collect();
        let new = keys.iter().filter(|&key| !refused.contains(key)).count();
        assert_eq!(new, keys.len(), "{} proposes what was refused", pass.name);
        found.extend(proposal.items);
        refused.extend(keys);
    }
    let input = Input::sweep(tree, language, pass.gate, &refused);
    found.extend((pass.propose)(&input).into_iter().flat_map(|proposal| proposal.items));
    found.retain(|item| seen.insert(item.edits.clone()));
    found.into_iter().filter_map(|item| offer(language, pass.gate, tree, item)).collect()
}

fn offer(language: &Language, gate: Gate, tree: &Tree, item: Item) -> Option<Offer> {
    let (edits, certain) = match gate {
        Gate::Facts => {
            let closed = close(tree, language, &item.edits)?;
            (closed.edits, closed.certain)
        }
        Gate::Reparse => (item.edits.clone(), false),
    };
    let rendered = render(tree, &edits, language.style);
    let drops = edits.iter().all(|(_, change)| change.is_drop());
    Some(Offer { item, rendered, certain, drops })
}

/// The pass of that name.
///
/// # Panics
/// When there is none.
pub fn pass(name: &str) -> &'static Pass {
    PASSES.iter().find(|p| p.name == name).unwrap_or_else(|| panic!("no pass is called {name}"))
}

/// Holds a pass against an example: what it expects must be among the candidates of single edits
/// that hold every needle, are smaller, and parse no worse than the text before.
///
/// # Panics
/// When the example does not hold; the message lists all candidates.
pub fn check(pass_name: &str, language: &Language, example: &Example) {
    let tree = language.parser.parse(example.before.as_bytes());
    let size = |tokens: u64, text: &[u8]| (tokens, text.len(), text.to_vec());
    let before = size(tree.tokens(NodeId::ROOT).into(), tree.text());
    let candidates: Vec<String> = offers(language, pass(pass_name), &tree)
        .into_iter()
        .map(|offer| offer.rendered)
        .filter(|candidate| {
            let tokens = language.parser.tokens(&candidate.text).unwrap_or(candidate.tokens);
            size(tokens, &candidate.text) < before
                && language.parser.errors(&candidate.text) <= tree.errors()
        })
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

/// The text with one space for all blank space in a row.
fn plain(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

impl Example {
    /// Reads examples: `=== language: title`, then parts that start with `--- before`,
    /// `--- needle`, `--- after` or `--- never`. What stands before the first example is a comment.
    ///
    /// # Panics
    /// When the text is not of that form, or an example expects nothing.
    pub fn read_all(text: &str) -> Vec<Self> {
        let mut all: Vec<Self> = Vec::new();
        let mut part: Option<&str> = None;
        for line in text.lines() {
            if let Some(head) = line.strip_prefix("=== ") {
                let (language, title) =
                    head.split_once(": ").unwrap_or_else(|| panic!("no language in {line:?}"));
                let (language, title) = (language.to_owned(), title.to_owned());
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
