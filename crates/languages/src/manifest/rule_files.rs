//! The files of rules under `grammars/`, for the program to hold. A test compares this list with
//! the directories.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use minirepro_rules::RuleFile;

/// A file of rules: the name of the pass, and the text.
pub(crate) type RuleText<'a> = (&'a str, &'a str);

/// Several of them.
pub(crate) type RuleFiles<'a> = &'a [RuleText<'a>];

/// Declares the files of rules in directories of `grammars/`.
macro_rules! files {
    ($($of:literal in $directory:literal: $($name:literal)*;)*) => {
        &[$(($of, &[$(
            ($name, include_str!(concat!("../../grammars/", $directory, "/", $name, ".toml"))),
        )*])),*]
    };
}

/// The directories that have rules, with the languages that they are of. The first ones hold by
/// roles, in every language in which somebody plays them.
const DIRECTORIES: &[(&str, RuleFiles<'static>)] = files! {
    "" in "rules": "combine-declarations" "local-to-global" "name-to-constant" "remove-parameter"
        "remove-unmentioned" "replace-typedef" "self-close";
    "c" in "c/rules": "aggregate-to-scalar" "cast-to-declaration" "expand-macro" "global-to-param"
        "inline-struct" "local-to-global" "reduce-pointer-level" "remove-member" "replace-typedef" "return-void-early"
        "return-void" "rewrite";
    "cpp" in "cpp/rules": "instantiate-class" "instantiate-template-param" "join-declaration-and-definition"
        "lambda-to-function" "name-to-constant" "remove-assertions" "remove-namespace" "replace-derived-class"
        "replace-member-type" "replace-typedef" "rewrite" "simplify-nested-class";
    "css" in "css/rules": "rewrite";
    "go" in "go/rules": "aggregate-to-scalar" "drop-result" "remove-import" "replace-typedef" "rewrite";
    "html" in "html/rules": "imply-end-tags" "rewrite-early";
    "javascript" in "javascript/rules": "end-lines" "rewrite" "rewrite-early";
    "llvm" in "llvm/rules": "invoke-to-call" "merge-blocks" "remove-value" "return-value" "rewrite"
        "value-to-parameter";
    "page" in "page/rules": "rewrite";
    "python" in "python/rules": "rewrite";
    "rust" in "rust/rules": "rewrite";
    "smtlib" in "smtlib/rules": "rewrite";
    "wat" in "wat/rules": "rewrite";
};

/// What a user wants to know of a pass that is rules of languages in the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RulePassInfo {
    /// Its name.
    pub name: &'static str,
    /// The edits that it tries, in words.
    pub edits: &'static str,
    /// The pass that it follows.
    pub after: &'static str,
    /// The languages that have rules of it; an empty name stands for all.
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
                let new = || RulePassInfo { name, edits, after, languages: Vec::new() };
                passes.entry(name).or_insert_with(new).languages.push(directory);
            }
        }
        passes.into_values().collect()
    });
    &PASSES
}

/// Returns the files of rules in the directory of a language; the common ones for none.
pub(crate) fn of(directory: &str) -> RuleFiles<'static> {
    DIRECTORIES.iter().find(|(of, _)| *of == directory).map_or(&[], |&(_, files)| files)
}
