//! Holds the examples in a file of rules against what the rules do.

use minirepro_engine::{LARGER_FORMS, is_askable, offers, passes_of, refused, without_blanks};
use minirepro_languages::{OneOrMore, RuleExample, packed, rule_examples, rules_of};

use crate::error::{BadRequest, Error};
use crate::grammars::Languages;
use crate::request::rules::Rules;

/// An example, and what the rules make of its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckedExample {
    /// What it shows, in words.
    pub title: String,
    /// The language.
    pub language: String,
    /// The texts that single matches give: those that a reduction would ask about, without blank
    /// space that keeps no words apart.
    pub matches: Vec<Tried>,
    /// The parts that look as a rule wants them although nothing comes of it. The same blank space
    /// is left out.
    pub refused: Vec<NotTried>,
    /// The texts that a match should give, and none does.
    pub missing: Vec<String>,
    /// The texts that no match may give, and one does.
    pub unwanted: Vec<String>,
}

/// A text that a rule gives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tried {
    /// The text.
    pub text: String,
    /// The rule in words.
    pub rule: String,
}

/// A part that looks as a rule wants it although nothing comes of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotTried {
    /// The part.
    pub part: String,
    /// The rule in words.
    pub rule: String,
    /// The condition that does not hold.
    pub why: String,
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
    language.rules = packed(Vec::new());
    languages.add_rules(&mut language, origin, text).map_err(BadRequest::from)?;
    let tree = language.parser.parse(before.as_bytes());
    let mut matches = Vec::new();
    let mut parts = Vec::new();
    let own = rules_of(&language);
    let larger = own.iter().any(|rules| rules.grows).then_some(LARGER_FORMS);
    let passes = passes_of(&language).into_iter();
    let passes = passes.filter(|pass| own.iter().any(|rules| rules.name == pass.name));
    for pass in passes.chain(larger) {
        let offers = offers(&language, &pass, &tree).into_iter();
        let asked = offers.filter(|one| is_askable(&language, &pass, &tree, &one.rendered));
        let plain = |text: &[u8]| without_blanks(&String::from_utf8_lossy(text));
        matches.extend(asked.map(|one| Tried {
            text: plain(&one.rendered.text),
            rule: one.item.rule.map(|rule| rule.form.clone()).unwrap_or_default(),
        }));
        parts.extend(refused(&language, &pass, &tree).into_iter().map(|refusal| NotTried {
            part: plain(tree.text_of(refusal.part)),
            rule: refusal.rule.form.clone(),
            why: refusal.why,
        }));
    }
    if after.0.is_empty() && never.0.is_empty() {
        return Err(BadRequest::ExampleWithoutExpectation { title }.into());
    }
    let gives = |text: &String| {
        let text = without_blanks(text);
        matches.iter().any(|one: &Tried| one.text == text)
    };
    let OneOrMore(after) = after;
    let OneOrMore(never) = never;
    let missing = after.into_iter().filter(|text| !gives(text)).collect();
    let unwanted = never.into_iter().filter(gives).collect();
    let language = name.to_owned();
    Ok(CheckedExample { title, language, matches, refused: parts, missing, unwanted })
}
