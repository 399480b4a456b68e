//! The list of all languages: with `absent`, the only place of the program that names them.

use std::borrow::Cow;
use std::collections::BTreeSet;

use minirepro_syntax::{Interruption, Language};
use serde::Deserialize;

use crate::binary::parser;
use crate::by_text::{beginning, probable};
use crate::derive::Derived;
use crate::html::dom;
use crate::html::feasibility::Browser;
use crate::manifest::error::ManifestError;
use crate::manifest::inherit::Base;
use crate::manifest::injections::{InjectionTable, nest};
use crate::manifest::references::{Names, Source};
use crate::manifest::report::ReportTools;
use crate::manifest::schema::Manifest;
use crate::plain::nesting::Nesting;
use crate::plain::text::{HIERARCHIES, is_mostly_text};
use crate::rule_files;
use crate::tree_sitter::broken::{fit, has_tokens_beyond};
use crate::tree_sitter::parser::{Shape, Sitter};
use crate::tree_sitter::symbols::KindNames;

/// What a user wants to know of a language before choosing it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Info {
    /// The name for `--lang`.
    pub name: String,
    /// Other names that mean the same.
    pub aliases: Vec<String>,
    /// Suffixes of file names, without the dot.
    pub suffixes: Vec<String>,
    /// One line.
    pub description: String,
}

impl Info {
    /// Returns whether this is its name, or another one that means the same.
    pub fn is_called(&self, name: &str) -> bool {
        self.name == name || self.aliases.iter().any(|alias| alias == name)
    }

    /// Returns whether a file of this name is in the language: its name ends with one of the suffixes, or
    /// is one, like `Makefile`. Case does not count.
    pub fn is_of(&self, file_name: &str) -> bool {
        let ends = |name: &str, suffix: &str| {
            let is_whole = is_file_name(suffix);
            let before = name.strip_suffix(suffix);
            before.is_some_and(|rest| rest.ends_with('.') || rest.is_empty() && is_whole)
        };
        let lower = file_name.to_ascii_lowercase();
        let is = |suffix: &String| ends(file_name, suffix) || ends(&lower, suffix);
        self.suffixes.iter().any(is)
    }
}

/// Returns whether a suffix is the whole name of a file, too, like `Makefile`.
pub fn is_file_name(suffix: &str) -> bool {
    suffix.to_ascii_lowercase().ends_with("file") || suffix.contains('.')
}

/// Why there is no such language.
#[derive(Debug, thiserror::Error)]
pub enum LanguageError {
    /// Nothing of that name.
    #[error("no language `{name}`; there are: {}", .known.join(", "))]
    Unknown {
        /// What was asked for.
        name: String,
        /// What there is.
        known: Vec<String>,
    },
    /// It has no grammar from which something could be derived.
    #[error("nothing is derived for `{name}`: {why}")]
    NotDerived {
        /// The language.
        name: String,
        /// Why not.
        why: &'static str,
    },
    /// It is no form of records.
    #[error("records: {0}")]
    Records(String),
    /// It has no grammar, so that no rules can be about it.
    #[error("there are no rules for `{name}`: it has no grammar")]
    NoRules {
        /// The language.
        name: String,
    },
    /// A file of rules is wrong.
    #[error("{origin}: {source}")]
    Rules {
        /// The file.
        origin: String,
        /// What is wrong.
        source: ManifestError,
    },
    /// Its manifest is wrong.
    #[error("language `{name}`: {source}")]
    Manifest {
        /// The language.
        name: String,
        /// What is wrong.
        source: ManifestError,
    },
}

/// A language that a directory under `grammars/` describes.
struct Grammar {
    directory: &'static str,
    manifest: &'static str,
    /// What was derived from the grammar, for the manifest to override; empty if it is to say all.
    derived: &'static str,
    facts: &'static str,
    parser: fn() -> tree_sitter::Language,
}

/// The text of a file of a directory under `grammars/`.
macro_rules! file {
    ($directory:literal, $file:literal) => {
        include_str!(concat!("../grammars/", $directory, "/", $file))
    };
}

/// Declares a language: its directory and its parser. `by_hand` if its manifest says all; with its name and its file
/// if it is another language of a directory that has one.
macro_rules! grammar {
    (by_hand $directory:literal, $parser:path) => {
        grammar!($directory, "", $parser)
    };
    ($directory:literal, $parser:path) => {
        grammar!($directory, file!($directory, "derived.toml"), $parser)
    };
    ($name:literal, file $file:literal of $directory:literal, $parser:path) => {
        Grammar {
            directory: $name,
            manifest: file!($directory, $file),
            derived: "",
            facts: file!($directory, "facts.ebnf"),
            parser: || $parser.into(),
        }
    };
    ($directory:literal, $derived:expr, $parser:path) => {
        Grammar {
            directory: $directory,
            manifest: file!($directory, "language.toml"),
            derived: $derived,
            facts: file!($directory, "facts.ebnf"),
            parser: || $parser.into(),
        }
    };
}

const GRAMMARS: &[Grammar] = &[
    grammar!("c", tree_sitter_c::LANGUAGE),
    grammar!(by_hand "cpp", tree_sitter_cpp::LANGUAGE),
    grammar!(by_hand "css", tree_sitter_css::LANGUAGE),
    grammar!(by_hand "html", tree_sitter_html::LANGUAGE),
    grammar!("page", file "page.toml" of "html", tree_sitter_html::LANGUAGE),
    grammar!("javascript", tree_sitter_javascript::LANGUAGE),
    grammar!(by_hand "json", tree_sitter_json::LANGUAGE),
    grammar!("smtlib", minirepro_smtlib::LANGUAGE),
    #[cfg(feature = "rust")]
    grammar!("rust", tree_sitter_rust::LANGUAGE),
    #[cfg(feature = "typescript")]
    grammar!("typescript", tree_sitter_typescript::LANGUAGE_TYPESCRIPT),
    #[cfg(feature = "typescript")]
    grammar!("tsx", tree_sitter_typescript::LANGUAGE_TSX),
    #[cfg(feature = "python")]
    grammar!("python", tree_sitter_python::LANGUAGE),
    #[cfg(feature = "go")]
    grammar!("go", tree_sitter_go::LANGUAGE),
    #[cfg(feature = "java")]
    grammar!("java", tree_sitter_java::LANGUAGE),
    #[cfg(feature = "llvm")]
    grammar!("llvm", tree_sitter_llvm::LANGUAGE),
    #[cfg(feature = "systemverilog")]
    grammar!("systemverilog", tree_sitter_systemverilog::LANGUAGE),
    #[cfg(feature = "sequel")]
    grammar!("sql", tree_sitter_sequel::LANGUAGE),
    #[cfg(feature = "lua")]
    grammar!("lua", tree_sitter_lua::LANGUAGE),
    #[cfg(feature = "ruby")]
    grammar!("ruby", tree_sitter_ruby::LANGUAGE),
    #[cfg(feature = "php")]
    grammar!("php", tree_sitter_php::LANGUAGE_PHP),
    #[cfg(feature = "c-sharp")]
    grammar!("csharp", tree_sitter_c_sharp::LANGUAGE),
    #[cfg(feature = "bash")]
    grammar!("bash", tree_sitter_bash::LANGUAGE),
    #[cfg(feature = "kotlin-ng")]
    grammar!("kotlin", tree_sitter_kotlin_ng::LANGUAGE),
    #[cfg(feature = "swift")]
    grammar!("swift", tree_sitter_swift::LANGUAGE),
    #[cfg(feature = "scala")]
    grammar!("scala", tree_sitter_scala::LANGUAGE),
    #[cfg(feature = "haskell")]
    grammar!("haskell", tree_sitter_haskell::LANGUAGE),
    #[cfg(feature = "ocaml")]
    grammar!("ocaml", tree_sitter_ocaml::LANGUAGE_OCAML),
    #[cfg(feature = "julia")]
    grammar!("julia", tree_sitter_julia::LANGUAGE),
    #[cfg(feature = "zig")]
    grammar!("zig", tree_sitter_zig::LANGUAGE),
    #[cfg(feature = "glsl")]
    grammar!("glsl", tree_sitter_glsl::LANGUAGE_GLSL),
    #[cfg(feature = "wgsl-bevy")]
    grammar!("wgsl", tree_sitter_wgsl_bevy::LANGUAGE),
    #[cfg(feature = "xml")]
    grammar!("xml", tree_sitter_xml::LANGUAGE_XML),
    #[cfg(feature = "yaml")]
    grammar!("yaml", tree_sitter_yaml::LANGUAGE),
    #[cfg(feature = "toml-ng")]
    grammar!("toml", tree_sitter_toml_ng::LANGUAGE),
    #[cfg(feature = "md")]
    grammar!("markdown", tree_sitter_md::LANGUAGE),
    #[cfg(feature = "cmake")]
    grammar!("cmake", tree_sitter_cmake::LANGUAGE),
    #[cfg(feature = "fortran")]
    grammar!("fortran", tree_sitter_fortran::LANGUAGE),
    #[cfg(feature = "containerfile")]
    grammar!("dockerfile", tree_sitter_containerfile::LANGUAGE),
    #[cfg(feature = "dart")]
    grammar!("dart", tree_sitter_dart::LANGUAGE),
    #[cfg(feature = "elixir")]
    grammar!("elixir", tree_sitter_elixir::LANGUAGE),
    #[cfg(feature = "erlang")]
    grammar!("erlang", tree_sitter_erlang::LANGUAGE),
    #[cfg(feature = "graphql")]
    grammar!("graphql", tree_sitter_graphql::LANGUAGE),
    #[cfg(feature = "make")]
    grammar!("make", tree_sitter_make::LANGUAGE),
    #[cfg(feature = "nix")]
    grammar!("nix", tree_sitter_nix::LANGUAGE),
    #[cfg(feature = "objc")]
    grammar!("objc", tree_sitter_objc::LANGUAGE),
    #[cfg(feature = "proto")]
    grammar!("protobuf", tree_sitter_proto::LANGUAGE),
    #[cfg(feature = "r")]
    grammar!("r", tree_sitter_r::LANGUAGE),
];

impl Grammar {
    /// Reads the manifest, with what it takes over from another one and with what was derived.
    fn read(&self) -> Result<Manifest, ManifestError> {
        self.read_text(self.manifest)
    }

    fn described(&self) -> Described<'static> {
        let Self { directory, facts, parser, .. } = self;
        Described { directory, facts, parser: parser() }
    }

    /// Reads another text as the manifest.
    fn read_text(&self, manifest: &str) -> Result<Manifest, ManifestError> {
        let rules = rule_files::of(self.directory);
        Manifest::read_over(self.derived, manifest, rules, &manifest_in)
    }
}

/// The part of a manifest that is shown before a language is chosen.
#[derive(Deserialize)]
struct Head {
    name: String,
    #[serde(default)]
    aliases: Vec<String>,
    suffixes: Vec<String>,
    description: String,
    #[serde(default)]
    reads_anything: bool,
}

impl Head {
    fn of(manifest: &str) -> Self {
        toml::from_str(manifest).unwrap_or_else(|e| unreachable!("manifests are tested: {e}"))
    }
}

/// Returns the manifest in a directory of `grammars/`, for another one to build on.
pub(crate) fn manifest_in(directory: &str) -> Option<Base> {
    let grammar = GRAMMARS.iter().find(|grammar| grammar.directory == directory);
    let rules = rule_files::of(directory);
    grammar.map(|&Grammar { derived, manifest, .. }| Base { derived, manifest, rules })
}

/// Returns all languages, in the order in which they are shown.
pub fn all() -> Vec<Info> {
    let manifests = GRAMMARS.iter().map(|grammar| grammar.manifest);
    manifests
        .chain([dom::MANIFEST])
        .map(info)
        .chain(HIERARCHIES.iter().map(|h| without_suffix(h.name, h.description)))
        .chain(std::iter::once(without_suffix("records:FORM", parser::DESCRIPTION)))
        .collect()
}

/// Returns what the text of a manifest of ours says of its language before somebody chooses it.
pub(crate) fn info(manifest: &str) -> Info {
    let Head { name, aliases, suffixes, description, .. } = Head::of(manifest);
    Info { name, aliases, suffixes, description }
}

fn without_suffix(name: &str, description: &str) -> Info {
    Info {
        name: name.to_owned(),
        aliases: Vec::new(),
        suffixes: Vec::new(),
        description: description.to_owned(),
    }
}

/// Returns the language of that name or alias, ready to parse.
///
/// # Errors
/// If there is no such language; the message lists the names that there are.
pub fn by_name(name: &str) -> Result<Language, LanguageError> {
    if let Some(form) = name.strip_prefix(parser::PREFIX) {
        return parser::language(form).map_err(LanguageError::Records);
    }
    let known = all();
    let Some(i) = known.iter().position(|info| info.is_called(name)) else {
        let known = known.into_iter().map(|i| i.name).collect();
        return Err(LanguageError::Unknown { name: name.to_owned(), known });
    };
    let manifest = |name: &'static str| {
        move |source| LanguageError::Manifest { name: name.to_owned(), source }
    };
    if let Some(grammar) = GRAMMARS.get(i) {
        return load(grammar).map_err(manifest(grammar.directory));
    }
    match HIERARCHIES.iter().find(|h| h.name == known[i].name) {
        Some(hierarchy) => Ok(hierarchy.language()),
        None => browser_tree().map_err(manifest("dom")),
    }
}

/// Returns what was derived from the grammar of a language that is part of the program.
///
/// # Errors
/// If there is no such language, it has no grammar, or its manifest says all by hand.
pub fn derived(name: &str) -> Result<Derived, LanguageError> {
    let why = |why| LanguageError::NotDerived { name: name.to_owned(), why };
    let known = all();
    let Some(at) = known.iter().position(|info| info.is_called(name)) else {
        let known = known.into_iter().map(|info| info.name).collect();
        return Err(LanguageError::Unknown { name: name.to_owned(), known });
    };
    match GRAMMARS.get(at) {
        None => Err(why("it has no grammar")),
        Some(grammar) if grammar.derived.is_empty() => Err(why("its manifest says all by hand")),
        Some(Grammar { derived, facts, .. }) => {
            Ok(Derived { facts: (*facts).to_owned(), manifest: (*derived).to_owned() })
        }
    }
}

/// Returns what makes results in the language of this name easy to read; nothing for a language of which
/// nobody has said it.
pub fn report_tools(name: &str) -> ReportTools {
    #[derive(Deserialize)]
    struct Report {
        name: String,
        #[serde(default)]
        report: ReportTools,
    }
    let manifests = GRAMMARS.iter().map(|grammar| grammar.manifest).chain([dom::MANIFEST]);
    let reports = manifests.filter_map(|manifest| toml::from_str(manifest).ok());
    let own = |report: &Report| report.name == name;
    let mut reports = reports.filter(own);
    reports.next().map_or_else(ReportTools::default, |report: Report| report.report)
}

/// Adds rewrites to a language: a text with `[[rewrite]]` tables as manifests have them; `origin` says where it
/// stands.
///
/// # Errors
/// If the language has no grammar that patterns could be read by, or a rule does not fit it.
pub fn add_rules(language: &mut Language, origin: &str, text: &str) -> Result<(), LanguageError> {
    let name = || language.name.clone();
    let manifest = GRAMMARS
        .iter()
        .map(|grammar| grammar.read())
        .find(|read| read.as_ref().is_ok_and(|manifest| manifest.name == language.name));
    let Some(Ok(manifest)) = manifest else {
        return Err(LanguageError::NoRules { name: name() });
    };
    let wrong = |source| LanguageError::Rules { origin: origin.to_owned(), source };
    manifest.add_rules(language, origin, text).map_err(wrong)
}

/// Checks the text of a manifest for the grammar in a directory of `grammars/`.
///
/// # Errors
/// If there is no such grammar, or the manifest does not fit it.
pub fn check_manifest(directory: &str, text: &str) -> Result<(), LanguageError> {
    let Some(grammar) = GRAMMARS.iter().find(|grammar| grammar.directory == directory) else {
        let known = GRAMMARS.iter().map(|grammar| grammar.directory.to_owned()).collect();
        return Err(LanguageError::Unknown { name: directory.to_owned(), known });
    };
    let check = || -> Result<(), ManifestError> {
        let interruption = Interruption::default();
        let manifest = grammar.read_text(text)?;
        let (language, sources) =
            with_injections(&grammar.described(), manifest, &[], &interruption)?;
        Names::new(&sources, &language.kinds)?;
        Ok(())
    };
    check().map_err(|source| LanguageError::Manifest { name: directory.to_owned(), source })
}

/// Returns how deep a page may be nested: as its grammar says.
fn nesting_of_pages() -> Result<Option<Nesting>, ManifestError> {
    for grammar in GRAMMARS.iter().filter(|grammar| grammar.derived.is_empty()) {
        let manifest = grammar.read()?;
        if manifest.browser {
            return Ok(manifest.nesting);
        }
    }
    Ok(None)
}

/// Loads the language of a page as a browser sees it.
fn browser_tree() -> Result<Language, ManifestError> {
    let (language, manifest) = dom::language(nesting_of_pages()?)?;
    let interruption = Interruption::default();
    let (mut language, sources) = inject(language, manifest, &[], &interruption)?;
    language.names = Box::new(Names::new(&sources, &language.kinds)?);
    Ok(language)
}

fn load(grammar: &Grammar) -> Result<Language, ManifestError> {
    describe(&grammar.described(), grammar.read()?, &Interruption::default())
}

/// A grammar apart from what its manifest says.
pub(crate) struct Described<'a> {
    /// Its name among languages that contain each other.
    pub(crate) directory: &'a str,
    pub(crate) facts: &'a str,
    pub(crate) parser: tree_sitter::Language,
}

/// Makes a language of a grammar and its manifest.
pub(crate) fn describe(
    grammar: &Described<'_>,
    manifest: Manifest,
    interruption: &Interruption,
) -> Result<Language, ManifestError> {
    let browser = manifest.browser;
    let nesting = manifest.nesting.clone();
    let (mut language, sources) = with_injections(grammar, manifest, &[], interruption)?;
    language.names = Box::new(Names::new(&sources, &language.kinds)?);
    if browser {
        language.parser = Box::new(Browser::new(language.parser, nesting));
    }
    Ok(language)
}

/// Loads the language without injected ones.
fn plain(
    grammar: &Described<'_>,
    manifest: &Manifest,
    interruption: &Interruption,
) -> Result<Language, ManifestError> {
    let names = KindNames {
        atoms: &manifest.atoms,
        split: &manifest.split_into_words,
        lexing: manifest.lexing,
        word: manifest.word_kind.as_deref(),
        retag: &manifest.retag,
        parts: &manifest.part,
    };
    let shape = Shape {
        names,
        nesting: manifest.nesting.clone(),
        ignored: manifest.ignored()?,
        implied: manifest.implied()?,
        incremental_items: manifest.incremental_items,
        interruption: interruption.clone(),
    };
    let facts = with_own_facts(grammar.facts, &manifest.facts);
    let (parser, facts, kinds) = Sitter::new(grammar.parser.clone(), shape, &facts)?;
    let mut roles = manifest.roles(&kinds)?;
    roles.rules = manifest.rule_passes(&kinds, &roles, &parser)?;
    Ok(Language {
        roles,
        spacing: manifest.spacing(),
        name: manifest.name.clone(),
        kinds,
        facts,
        parser: Box::new(parser),
        names: Box::new(()),
        interruption: interruption.clone(),
    })
}

/// Returns the facts with those of a manifest in the place of those about the same kinds.
fn with_own_facts<'a>(facts: &'a str, own: &[String]) -> Cow<'a, str> {
    if own.is_empty() {
        return Cow::Borrowed(facts);
    }
    let name = |line: &str| line.split(' ').next().unwrap_or_default().to_owned();
    let replaced: BTreeSet<String> = own.iter().map(|line| name(line)).collect();
    let kept = facts.lines().filter(|line| !replaced.contains(&name(line)));
    let lines: Vec<&str> = kept.chain(own.iter().map(String::as_str)).collect();
    Cow::Owned(lines.join("\n"))
}

/// Loads the language with injected ones, and the references of all of them. On the way down from the
/// outermost, `outside`, a language stands twice at most: pages in pages would have no end.
fn with_injections(
    grammar: &Described<'_>,
    manifest: Manifest,
    outside: &[&str],
    interruption: &Interruption,
) -> Result<(Language, Vec<Source>), ManifestError> {
    let outer = plain(grammar, &manifest, interruption)?;
    inject(outer, manifest, &[outside, &[grammar.directory]].concat(), interruption)
}

/// Injects the languages that a manifest names into one; `path` leads from the outermost to this one.
fn inject(
    outer: Language,
    mut manifest: Manifest,
    path: &[&str],
    interruption: &Interruption,
) -> Result<(Language, Vec<Source>), ManifestError> {
    let is_known = |injection: &InjectionTable| {
        GRAMMARS.iter().any(|grammar| injection.language.as_deref() == Some(grammar.directory))
    };
    manifest.injections.extend(manifest.derived_injections.extract_if(.., |i| is_known(i)));
    for injection in &mut manifest.injections {
        let times = |name: &String| path.iter().filter(|outside| *outside == name).count();
        injection.language = injection.language.take().filter(|name| times(name) < 2);
    }
    let names: BTreeSet<&String> =
        manifest.injections.iter().filter_map(|e| e.language.as_ref()).collect();
    let mut injected = Vec::new();
    let mut inner = Vec::new();
    for name in names {
        let grammar = GRAMMARS.iter().find(|g| g.directory == name);
        let grammar = grammar.ok_or_else(|| ManifestError::Language(name.clone()))?;
        let manifest = grammar.read()?;
        let parts = manifest.part.clone();
        let (inner_language, sources) =
            with_injections(&grammar.described(), manifest, path, interruption)?;
        inner.extend(sources.into_iter().map(|source| source.inside(name)));
        injected.push((inner_language, parts));
    }
    let language = match injected.is_empty() {
        true => outer,
        false => nest(outer, &manifest.injections, injected, manifest.sound)?,
    };
    let own = Source::new(manifest.references, manifest.namespaces, manifest.injections);
    Ok((language, std::iter::once(own).chain(inner).collect()))
}

/// Returns the name of the language for a file: by its suffix, else `text`, or `bytes` when it is
/// mostly no text. Of several languages with this suffix, the text tells which one it is; if it does not, it is the
/// first.
pub fn guess(file_name: &str, text: &[u8]) -> &'static str {
    let whole = if is_file_name(file_name) { file_name } else { "" };
    let suffix = file_name.rsplit_once('.').map_or(whole, |(_, suffix)| suffix);
    let known = all();
    // Only where nobody knows it as it is spelt (`.C` is C++, `.c` is C), case does not count.
    for suffix in [suffix.to_owned(), suffix.to_ascii_lowercase()] {
        let of_suffix = GRAMMARS.iter().zip(&known).filter(|(_, i)| i.suffixes.contains(&suffix));
        let of_suffix: Vec<&Grammar> = of_suffix.map(|(grammar, _)| grammar).collect();
        if let Some(grammar) = better_of(&of_suffix, text) {
            return grammar.directory;
        }
    }
    if is_mostly_text(text) { "text" } else { "bytes" }
}

/// Returns the first grammar, or another one that alone reads all of the beginning of a text, or reads it as well and
/// finds words there that the first does not know, such as `class`: the first may take them for names.
fn better_of<'g>(grammars: &[&'g Grammar], text: &[u8]) -> Option<&'g Grammar> {
    let (&first, others) = grammars.split_first()?;
    if others.is_empty() || text.is_empty() {
        return Some(first);
    }
    let (text, of_first) = (beginning(text), (first.parser)());
    let broken = fit(&of_first, text).broken;
    let is_better = |grammar: &&Grammar| {
        let grammar = (grammar.parser)();
        match fit(&grammar, text).broken {
            0 if broken > 0 => true,
            of_it => of_it <= broken && has_tokens_beyond(&grammar, &of_first, text),
        }
    };
    Some(others.iter().copied().find(is_better).unwrap_or(first))
}

/// Returns whether the name of a file tells its language.
pub fn is_known(file_name: &str) -> bool {
    !["text", "bytes"].contains(&guess(file_name, b""))
}

/// Returns the name of the language whose grammar reads a text well, if there is one: for files whose names
/// do not tell. Reads the beginning of the text with each grammar, once or twice.
pub fn guess_by_text(text: &[u8]) -> Option<&'static str> {
    let choosy: Vec<&Grammar> =
        GRAMMARS.iter().filter(|grammar| !Head::of(grammar.manifest).reads_anything).collect();
    let fit = |number: usize, text: &[u8]| fit(&(choosy[number].parser)(), text);
    let text = is_mostly_text(text).then_some(text)?;
    let number = probable(text, choosy.len(), fit)?;
    choosy.get(number).map(|grammar| grammar.directory)
}

#[cfg(test)]
mod by_text {
    use super::{guess, guess_by_text, is_known};

    #[test]
    fn a_header_is_of_the_language_of_its_text() {
        for (text, language) in [
            ("struct a { int b; };\nint f(struct a *);\n", "c"),
            ("class a { public: int b; };\n", "cpp"),
            ("namespace n { struct a; }\n", "cpp"),
            ("template <class T> T f(T);\n", "cpp"),
            ("inline int a::f() { return b::c; }\n", "cpp"),
            ("/* class */ inline int new(int class) { return class ? 1 : new(0); }\n", "c"),
            ("", "c"),
        ] {
            for name in ["a.h", "a.H"] {
                assert_eq!(guess(name, text.as_bytes()), language, "{text}");
            }
        }
        assert_eq!(guess("a.c", b"namespace n { struct a; }"), "c");
        assert_eq!(guess("a.cppm", b""), "cpp");
    }

    #[test]
    fn a_text_tells_its_language_where_the_name_does_not() {
        let rust =
            "fn main() -> u8 { let a: Vec<u8> = vec![1, 2]; match a.len() { 0 => 1, _ => 2 } }\n";
        let python = "def f(a):\n    for b in a:\n        yield [c for c in b if c is not None]\n";
        let prose = "The quick brown fox jumps over the lazy dog, as it does every day. It is not \
                     tired: it never was! (Or so they say.)\n";
        let log = "2024-01-01 12:00:03 [info] server started on port 8080; 3 workers\n";
        for (text, language) in [
            (rust, Some("rust")),
            (python, Some("python")),
            (prose, None),
            (log, None),
            ("a b", None),
        ] {
            assert_eq!(guess_by_text(text.repeat(4).as_bytes()), language, "{text}");
        }
        assert!(is_known("a.rs") && is_known("a.C") && !is_known("a.unknown") && !is_known("a"));
    }
}

#[cfg(test)]
mod rules {
    use super::{add_rules, by_name};

    #[test]
    fn an_expression_of_two_operands_is_a_pattern() {
        for (language, pattern) in [("c", "$A + $B"), ("c", "$A == $B"), ("cpp", "$A < $B")] {
            let rules = format!("[[rule]]\npattern = '{pattern}'\nput = '$A'\n");
            let mut known = by_name(language).expect("a language");
            let added = add_rules(&mut known, "rules.toml", &rules);
            assert!(added.is_ok(), "{language}, {pattern}: {}", added.unwrap_err());
        }
    }
}

#[cfg(test)]
mod ignored_text {
    use super::by_name;

    #[test]
    fn of_two_readings_with_as_many_errors_that_with_less_broken_text_counts() {
        // In a line of its own a name is taken for a macro: here that is wrong, and right for the namespace.
        let text =
            "bool b =\nFIRST_NAME\nand c;\nnamespace d SOME_VISIBILITY(default) { int e; }\n";
        let tree = by_name("cpp").expect("a language").parser.parse(text.as_bytes());
        let broken = tree.ids().filter(|&id| tree.flags(id).error);
        let broken: Vec<&[u8]> = broken.map(|id| tree.text_of(id)).collect();
        assert_eq!(broken, [b"c"]);
    }
}

#[cfg(test)]
mod foreign_manifests {
    use super::{GRAMMARS, check_manifest};

    #[test]
    fn a_manifest_of_another_grammar_is_no_panic() {
        // Manifests over all that was derived may say nothing that another grammar could lack.
        let by_hand = || GRAMMARS.iter().filter(|g| !g.manifest.contains("\nderived = true\n"));
        for grammar in GRAMMARS {
            for other in by_hand().filter(|other| other.directory != grammar.directory) {
                let checked = check_manifest(grammar.directory, other.manifest);
                if grammar.derived.is_empty() {
                    // JavaScript has all kinds of nodes that JSON has; pages are HTML.
                    let fits = (other.directory, grammar.directory) == ("json", "javascript")
                        || other.facts == grammar.facts;
                    assert_eq!(
                        checked.is_ok(),
                        fits,
                        "{} as {}",
                        other.directory,
                        grammar.directory
                    );
                }
            }
        }
    }
}

#[cfg(test)]
mod blanked_reading;

#[cfg(test)]
mod chunked_reading;
