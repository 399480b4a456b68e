//! The list of all passes: those that are functions, and those that are rules of languages. And the
//! check of the examples of rules.

use minirepro_engine::{
    LARGER_FORMS, PASS_EXAMPLES, insert_rules, is_askable, offers, passes as functions, passes_of,
    refused, without_blanks,
};
use minirepro_languages::{OneOrMore, RuleExample, RulePassInfo, rule_examples, rule_passes};

use crate::error::{BadRequest, Error};
use crate::grammars::Languages;
use crate::request::Rules;

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

/// An example, and what the rules make of its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckedExample {
    /// What it shows, in words.
    pub title: String,
    /// The language.
    pub language: String,
    /// The texts that single matches give: those that a reduction would ask about, without blank
    /// space that keeps no words apart.
    pub matches: Vec<String>,
    /// The parts that fit a rule although what it makes of them is not tried: it may not stand
    /// there, does not parse, or is not smaller. The same blank space is left out.
    pub refused: Vec<String>,
    /// The texts that a match should give, and none does.
    pub missing: Vec<String>,
    /// The texts that no match may give, and one does.
    pub unwanted: Vec<String>,
}

impl CheckedExample {
    /// Returns whether the rules do what the example says.
    pub fn holds(&self) -> bool {
        self.missing.is_empty() && self.unwanted.is_empty()
    }
}

/// Checks all examples of a file of rules. Those that do not say their language are in `language`.
///
/// # Errors
/// If the file is wrong, or an example's language is unknown or not said.
pub fn check_rules(
    languages: &Languages,
    language: Option<&str>,
    rules: &Rules,
) -> Result<Vec<CheckedExample>, Error> {
    let Rules { origin, text } = rules;
    let no_language = |error| BadRequest::from(crate::grammars::NoLanguage::from(error));
    let examples = rule_examples(origin, text).map_err(no_language)?;
    examples.into_iter().map(|example| checked(languages, language, rules, example)).collect()
}

fn checked(
    languages: &Languages,
    language: Option<&str>,
    Rules { origin, text }: &Rules,
    example: RuleExample,
) -> Result<CheckedExample, Error> {
    let RuleExample { language: own, title, before, after, never } = example;
    let Some(name) = own.as_deref().or(language) else {
        return Err(BadRequest::ExampleWithoutLanguage { title }.into());
    };
    let mut language = languages.by_name(name).map_err(BadRequest::from)?;
    // Only the rules of the file count, not those of the language's own pass of the same name.
    language.roles.rules.clear();
    languages.add_rules(&mut language, origin, text).map_err(BadRequest::from)?;
    let tree = language.parser.parse(before.as_bytes());
    let mut matches = Vec::new();
    let mut parts = Vec::new();
    let own = &language.roles.rules;
    let larger = own.iter().any(|rules| rules.grows).then_some(LARGER_FORMS);
    let passes = passes_of(&language).into_iter();
    let passes = passes.filter(|pass| own.iter().any(|rules| rules.name == pass.name));
    for pass in passes.chain(larger) {
        let candidates = offers(&language, &pass, &tree).into_iter().map(|offer| offer.rendered);
        let asked = candidates.filter(|candidate| is_askable(&language, &pass, &tree, candidate));
        matches.extend(asked.map(|one| without_blanks(&String::from_utf8_lossy(&one.text))));
        let text = |part| without_blanks(&String::from_utf8_lossy(tree.text_of(part)));
        parts.extend(refused(&language, &pass, &tree).into_iter().map(text));
    }
    if after.0.is_empty() && never.0.is_empty() {
        return Err(BadRequest::ExampleWithoutExpectation { title }.into());
    }
    let gives = |text: &String| matches.contains(&without_blanks(text));
    let OneOrMore(after) = after;
    let OneOrMore(never) = never;
    let missing = after.into_iter().filter(|text| !gives(text)).collect();
    let unwanted = never.into_iter().filter(gives).collect();
    let language = name.to_owned();
    Ok(CheckedExample { title, language, matches, refused: parts, missing, unwanted })
}
