//! The files of rules under `grammars/`, for the program to hold. A test compares this list with
//! the directories.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use minirepro_rules::RuleFile;

/// Files of rules: the name of the pass, and the text.
pub(crate) type RuleFiles<'a> = &'a [(&'a str, &'a str)];

/// Declares the files of rules in a directory of `grammars/`.
macro_rules! files {
    ($directory:literal: $($name:literal)*) => {
        &[$(($name, include_str!(concat!("../../grammars/", $directory, "/", $name, ".toml")))),*]
    };
}

/// Rules by roles: they hold in every language in which somebody plays the roles.
pub(crate) const COMMON: RuleFiles<'static> = files!("rules": "combine-declarations" "local-to-global" "remove-parameter" "remove-unmentioned" "replace-typedef");

const C: RuleFiles<'static> = files!("c/rules": "aggregate-to-scalar" "cast-to-declaration" "global-to-param" "inline-struct" "local-to-global" "reduce-pointer-level" "remove-member" "replace-typedef" "return-void-early" "return-void" "rewrite");
const CPP: RuleFiles<'static> = files!("cpp/rules": "instantiate-class" "join-declaration-and-definition" "lambda-to-function" "remove-assertions" "remove-namespace" "replace-derived-class" "replace-member-type" "replace-typedef" "rewrite" "simplify-nested-class");
const CSS: RuleFiles<'static> = files!("css/rules": "rewrite");
const GO: RuleFiles<'static> = files!("go/rules": "aggregate-to-scalar" "drop-result" "remove-import" "replace-typedef" "rewrite");
const HTML: RuleFiles<'static> = files!("html/rules": "imply-end-tags" "rewrite-early");
const JAVASCRIPT: RuleFiles<'static> =
    files!("javascript/rules": "end-lines" "rewrite" "rewrite-early");
const LLVM: RuleFiles<'static> = files!("llvm/rules": "invoke-to-call" "merge-blocks" "remove-value" "return-value" "rewrite" "value-to-parameter");
const PAGE: RuleFiles<'static> = files!("page/rules": "rewrite");
const PYTHON: RuleFiles<'static> = files!("python/rules": "rewrite");
const RUST: RuleFiles<'static> = files!("rust/rules": "rewrite");
const SMTLIB: RuleFiles<'static> = files!("smtlib/rules": "rewrite");
const WAT: RuleFiles<'static> = files!("wat/rules": "rewrite");

/// The directories that have rules, with the languages that they are of; common ones are of all.
const DIRECTORIES: &[(&str, RuleFiles<'static>)] = &[
    ("", COMMON),
    ("c", C),
    ("cpp", CPP),
    ("css", CSS),
    ("go", GO),
    ("html", HTML),
    ("javascript", JAVASCRIPT),
    ("llvm", LLVM),
    ("page", PAGE),
    ("python", PYTHON),
    ("rust", RUST),
    ("smtlib", SMTLIB),
    ("wat", WAT),
];

/// What a user wants to know of a pass that is rules of languages in the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RulePassInfo {
    /// Its name.
    pub name: &'static str,
    /// The edits that it tries, in words.
    pub edits: &'static str,
    /// The pass that it follows.
    pub after: &'static str,
    /// Whether it has rules for all languages.
    pub is_common: bool,
    /// The languages that have rules of it themselves.
    pub languages: Vec<&'static str>,
}

/// Returns all passes that are rules of languages in the program, by name.
pub fn rule_passes() -> &'static [RulePassInfo] {
    static PASSES: LazyLock<Vec<RulePassInfo>> = LazyLock::new(|| {
        let mut passes: BTreeMap<&str, RulePassInfo> = BTreeMap::new();
        for &(directory, files) in DIRECTORIES {
            for &(name, text) in files {
                let file = RuleFile::read(text);
                let file = file.unwrap_or_else(|e| unreachable!("rules are tested: {e}"));
                let [edits, after] = file.head();
                let (is_common, languages) = (false, Vec::new());
                let new = || RulePassInfo { name, edits, after, is_common, languages };
                let pass = passes.entry(name).or_insert_with(new);
                match directory {
                    "" => pass.is_common = true,
                    _ => pass.languages.push(directory),
                }
            }
        }
        passes.into_values().collect()
    });
    &PASSES
}

/// Returns the files of rules in the directory of a language.
pub(crate) fn of(directory: &str) -> RuleFiles<'static> {
    let found = DIRECTORIES.iter().filter(|(of, _)| !of.is_empty() && *of == directory);
    found.map(|&(_, files)| files).next().unwrap_or(&[])
}
