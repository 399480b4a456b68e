//! The list of all passes: those that are functions, and those that are rules of languages. And the
//! check of the examples of rules.

use std::ffi::OsStr;
use std::path::Path;
use std::sync::Arc;

use minirepro_engine::{
    LARGER_FORMS, PASS_EXAMPLES, Pass, insert_rules, is_askable, offers, passes as functions,
    passes_of, refused, without_blanks,
};
use minirepro_languages::{OneOrMore, RuleExample, RulePassInfo, rule_file, rule_passes, rules_of};

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
}

/// Returns all passes in the order of a round.
pub fn passes() -> Vec<PassInfo> {
    let own = functions().map(|Pass { name, edits, .. }| PassInfo { name, edits, languages: None });
    let mut all: Vec<PassInfo> = own.collect();
    let rules = rule_passes().iter().map(|info| {
        let RulePassInfo { name, edits, after, languages } = info;
        let languages = Some(languages.clone()).filter(|all| !all.contains(&""));
        (PassInfo { name, edits, languages }, *after)
    });
    insert_rules(&mut all, rules.collect(), |pass| pass.name);
    all
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
    /// The text before.
    pub before: String,
    /// The texts that single matches give, those that a reduction would ask about, each with its
    /// rule in words.
    pub matches: Vec<[String; 2]>,
    /// The parts that look as a rule wants them although nothing comes of it, each with the rule
    /// and the condition that does not hold.
    pub refused: Vec<[String; 3]>,
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
    let mut examples = rule_file(origin, text).map_err(BadRequest::from)?.examples;
    let pass = Path::new(origin).file_stem().and_then(OsStr::to_str);
    let ours = pass.filter(|_| examples.is_empty());
    if ours.is_some() {
        examples = our_examples(Path::new(origin), language);
    }
    if let Some(name) = language {
        languages.add_rules(&mut languages.by_name(name)?, origin, text)?;
    }
    let checked = |example| checked(languages, language, rules, example, ours);
    examples.into_iter().map(checked).collect()
}

/// Returns the examples of our pass that is called like a file: those in a language, or in that of
/// its directory.
fn our_examples(file: &Path, language: Option<&str>) -> Vec<RuleExample> {
    let name = file.file_stem().unwrap_or_default();
    let directory = file.parent().and_then(|rules| rules.parent()?.file_name()?.to_str());
    let is_wanted = |own: &str| match (language, directory) {
        (Some(language), _) => own == language,
        (None, Some("grammars")) => own != "project",
        (None, directory) => directory == Some(own),
    };
    let text = PASS_EXAMPLES.iter().find(|(pass, _)| name == *pass).map_or("", |(_, text)| text);
    let examples = text.split("\n=== ").skip(1).filter_map(|example| {
        let (head, parts) = example.split_once('\n')?;
        let (own, title) = head.split_once(": ").filter(|(own, _)| is_wanted(own))?;
        let texts = |wanted: &'static str| {
            let parts = parts.split("--- ").skip(1).filter_map(|part| part.split_once('\n'));
            parts.filter(move |(key, _)| *key == wanted).map(|(_, text)| text.to_owned())
        };
        Some(RuleExample {
            language: Some(own.to_owned()),
            title: title.to_owned(),
            before: texts("before").collect(),
            after: OneOrMore::More(texts("after").collect()),
            never: OneOrMore::More(texts("never").collect()),
        })
    });
    examples.collect()
}

fn checked(
    languages: &Languages,
    language: Option<&str>,
    Rules { origin, text }: &Rules,
    example: RuleExample,
    ours: Option<&str>,
) -> Result<CheckedExample, Error> {
    let RuleExample { language: own, title, before, after, never } = example;
    let name = own.as_deref().or(language);
    let name = name.ok_or_else(|| BadRequest::ExampleWithoutLanguage(title.clone()))?;
    let language = languages.by_name(name)?;
    // Only the rules of the file count, not those of the language's own pass of the same name.
    let mut alone = languages.by_name(name)?;
    alone.rules = Arc::new(());
    languages.add_rules(&mut alone, origin, text)?;
    let (mut matches, mut parts): (Vec<[String; 2]>, _) = (Vec::new(), Vec::new());
    // An example of ours may show what another file of the pass does.
    for language in [Some(&alone), Some(&language).filter(|_| ours.is_some())].into_iter().flatten()
    {
        let tree = language.parser.parse(before.as_bytes());
        let own = rules_of(&alone);
        let larger = own.iter().any(|rules| rules.file.grows).then_some(LARGER_FORMS);
        let passes = passes_of(language).into_iter();
        // A language that has a file of this name itself may have no part that this one is about.
        let is_meant =
            |name: &str| ours == Some(name) || own.iter().any(|rules| rules.name == name);
        let passes = passes.filter(|pass| is_meant(pass.name));
        for pass in passes.chain(larger) {
            for one in offers(language, &pass, &tree) {
                if is_askable(language, &pass, &tree, &one.rendered) {
                    let rule = one.item.rule.map(|rule| rule.form.clone()).unwrap_or_default();
                    matches.push([String::from_utf8_lossy(&one.rendered.text).into_owned(), rule]);
                }
            }
            parts.extend(refused(language, &pass, &tree).into_iter().map(|refusal| {
                let part = String::from_utf8_lossy(tree.text_of(refusal.part));
                [without_blanks(&part), refusal.rule.form.clone(), refusal.why.to_owned()]
            }));
        }
    }
    if after.all().is_empty() && never.all().is_empty() {
        return Err(BadRequest::ExampleWithoutExpectation(title).into());
    }
    let gives = |text: &String| {
        let text = without_blanks(text);
        matches.iter().any(|[one, _]| without_blanks(one) == text)
    };
    let missing = after.all().iter().filter(|text| !gives(text)).cloned().collect();
    let unwanted = never.all().iter().filter(|text| gives(text)).cloned().collect();
    let language = name.to_owned();
    Ok(CheckedExample { title, language, before, matches, refused: parts, missing, unwanted })
}
