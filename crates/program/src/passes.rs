//! The list of all passes: those that are functions, and those that are rules of languages.

use minirepro_engine::{PASS_EXAMPLES, insert_rules, passes as functions};
use minirepro_languages::{RulePassInfo, rule_passes};

/// What a user wants to know of a pass.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PassInfo {
    /// Its name.
    pub name: &'static str,
    /// The edits that it tries, in words.
    pub edits: &'static str,
    /// The languages that have rules for it; `None` if it is the same for all.
    pub languages: Option<Vec<&'static str>>,
}

impl PassInfo {
    /// Returns what its edits give and never give, in texts of several languages.
    pub fn examples(&self) -> &'static str {
        let mut all = PASS_EXAMPLES.iter();
        all.find(|(name, _)| *name == self.name).map_or("", |&(_, examples)| examples)
    }

    /// Returns the shortest of these texts and what an edit makes of it, if that fits in a line.
    pub fn example(&self) -> Option<[String; 2]> {
        let cases = self.examples().split("--- before\n").skip(1);
        let pairs = cases.filter_map(|case| {
            let (before, after) = case.split_once("\n--- after\n")?;
            let line = |text: &str| {
                let text = text.split("\n---").next()?.split("\n===").next()?;
                Some(text.split_whitespace().collect::<Vec<_>>().join(" "))
            };
            Some([line(before)?, line(after)?])
        });
        let length = |pair: &[String; 2]| pair[0].len() + pair[1].len();
        pairs.filter(|pair| length(pair) <= LONGEST_EXAMPLE).min_by_key(length)
    }
}

/// The most bytes of an example that stands in a table.
const LONGEST_EXAMPLE: usize = 160;

/// Returns all passes in the order of a round.
pub fn passes() -> Vec<PassInfo> {
    let mut all = own();
    let rules = rule_passes().iter().map(|info| {
        let RulePassInfo { name, edits, after, is_common, languages } = info;
        let languages = Some(languages.clone()).filter(|_| !is_common);
        (PassInfo { name, edits, languages }, *after)
    });
    insert_rules(&mut all, rules.collect(), |pass| pass.name);
    all
}

fn own() -> Vec<PassInfo> {
    let info = |pass: minirepro_engine::Pass| PassInfo {
        name: pass.name,
        edits: pass.edits,
        languages: None,
    };
    functions().map(info).collect()
}

/// Returns the edits of the pass of this name in words; `None` if there is no such pass.
pub fn pass_in_words(name: &str) -> Option<&'static str> {
    passes().into_iter().find(|pass| pass.name == name).map(|pass| pass.edits)
}
