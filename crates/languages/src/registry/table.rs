//! The table of all languages with a grammar: the only place of the program that names them.

use crate::coded::Codec;

/// A language that a directory under `grammars/` describes.
pub(crate) struct Entry {
    /// Its name, which is that of its directory unless it shares one.
    pub(crate) name: &'static str,
    pub(crate) manifest: &'static str,
    /// What was derived from the grammar, for the manifest to override; empty if it is to say all.
    pub(crate) derived: &'static str,
    /// `None` in a build without it. Others may still inherit from the manifest.
    pub(crate) grammar: Option<fn() -> Grammar<'static>>,
}

/// A grammar apart from what its manifest says.
pub(crate) struct Grammar<'a> {
    /// The form of the files that hold texts of the language, if it is another one.
    pub(crate) codec: Option<&'static dyn Codec>,
    pub(crate) facts: &'a str,
    /// The parsers, in the order in which they read a text: see
    /// [`crate::tree_sitter::parser::Sitter`].
    pub(crate) parsers: Vec<tree_sitter::Language>,
}

impl Grammar<'_> {
    /// Returns the parser that reads most.
    pub(super) fn parser(&self) -> &tree_sitter::Language {
        self.parsers.last().expect("every grammar has one")
    }
}

/// Includes a file of a directory under `grammars/`.
macro_rules! file {
    ($directory:literal, $file:literal) => {
        include_str!(concat!("../../grammars/", $directory, "/", $file))
    };
}

/// Includes what was derived, unless the manifest says all by hand.
macro_rules! derived {
    (derived, $directory:literal) => {
        file!($directory, "generated/derived.toml")
    };
    (by_hand, $directory:literal) => {
        ""
    };
}

macro_rules! table {
    ($($name:literal, $feature:literal, $directory:literal, $manifest:literal, $rest:ident, $parser:path $(, after $first:path)? $(, in files of $codec:path)?;)*) => {
        pub(super) const TABLE: &[Entry] = &[$(Entry {
            name: $name,
            manifest: file!($directory, $manifest),
            derived: derived!($rest, $directory),
            #[cfg(feature = $feature)]
            grammar: Some(|| Grammar {
                codec: None::<&'static dyn Codec>$(.or(Some(&$codec)))?,
                facts: file!($directory, "generated/facts.ebnf"),
                parsers: vec![$($first.into(),)? $parser.into()],
            }),
            #[cfg(not(feature = $feature))]
            grammar: None,
        },)*];
    };
}

// In the order in which they are shown; of several languages with one suffix the first is the
// likeliest.
table! {
    // name, feature, directory, manifest, who says what it leaves open, parser
    "c", "c", "c", "language.toml", derived, minirepro_parsers::c::LANGUAGE, after minirepro_parsers::PLAIN_C;
    "cpp", "cpp", "cpp", "language.toml", by_hand, minirepro_parsers::cpp::LANGUAGE;
    "css", "css", "css", "language.toml", by_hand, tree_sitter_css::LANGUAGE;
    "html", "html", "html", "language.toml", by_hand, tree_sitter_html::LANGUAGE;
    "page", "html", "html", "page.toml", by_hand, tree_sitter_html::LANGUAGE;
    "javascript", "javascript", "javascript", "language.toml", derived, tree_sitter_javascript::LANGUAGE;
    "json", "json", "json", "language.toml", by_hand, tree_sitter_json::LANGUAGE;
    "smtlib", "smtlib", "smtlib", "language.toml", derived, minirepro_parsers::smtlib::LANGUAGE;
    "rust", "rust", "rust", "language.toml", derived, tree_sitter_rust::LANGUAGE;
    "typescript", "typescript", "typescript", "language.toml", derived, tree_sitter_typescript::LANGUAGE_TYPESCRIPT;
    "tsx", "typescript", "tsx", "language.toml", derived, tree_sitter_typescript::LANGUAGE_TSX;
    "python", "python", "python", "language.toml", derived, tree_sitter_python::LANGUAGE;
    "go", "go", "go", "language.toml", derived, tree_sitter_go::LANGUAGE;
    "java", "java", "java", "language.toml", derived, tree_sitter_java::LANGUAGE;
    "llvm", "llvm", "llvm", "language.toml", derived, tree_sitter_llvm::LANGUAGE;
    "systemverilog", "systemverilog", "systemverilog", "language.toml", derived, tree_sitter_systemverilog::LANGUAGE;
    "sql", "sql", "sql", "language.toml", derived, tree_sitter_sequel::LANGUAGE;
    "lua", "lua", "lua", "language.toml", derived, tree_sitter_lua::LANGUAGE;
    "ruby", "ruby", "ruby", "language.toml", derived, tree_sitter_ruby::LANGUAGE;
    "php", "php", "php", "language.toml", derived, tree_sitter_php::LANGUAGE_PHP;
    "csharp", "csharp", "csharp", "language.toml", derived, tree_sitter_c_sharp::LANGUAGE;
    "bash", "bash", "bash", "language.toml", derived, tree_sitter_bash::LANGUAGE;
    "kotlin", "kotlin", "kotlin", "language.toml", derived, tree_sitter_kotlin_ng::LANGUAGE;
    "swift", "swift", "swift", "language.toml", derived, tree_sitter_swift::LANGUAGE;
    "scala", "scala", "scala", "language.toml", derived, tree_sitter_scala::LANGUAGE;
    "haskell", "haskell", "haskell", "language.toml", derived, tree_sitter_haskell::LANGUAGE;
    "ocaml", "ocaml", "ocaml", "language.toml", derived, tree_sitter_ocaml::LANGUAGE_OCAML;
    "julia", "julia", "julia", "language.toml", derived, tree_sitter_julia::LANGUAGE;
    "zig", "zig", "zig", "language.toml", derived, tree_sitter_zig::LANGUAGE;
    "glsl", "glsl", "glsl", "language.toml", derived, tree_sitter_glsl::LANGUAGE_GLSL;
    "wgsl", "wgsl", "wgsl", "language.toml", derived, tree_sitter_wgsl_bevy::LANGUAGE;
    "xml", "xml", "xml", "language.toml", derived, tree_sitter_xml::LANGUAGE_XML;
    "yaml", "yaml", "yaml", "language.toml", derived, tree_sitter_yaml::LANGUAGE;
    "toml", "toml", "toml", "language.toml", derived, tree_sitter_toml_ng::LANGUAGE;
    "markdown", "markdown", "markdown", "language.toml", derived, tree_sitter_md::LANGUAGE;
    "cmake", "cmake", "cmake", "language.toml", derived, tree_sitter_cmake::LANGUAGE;
    "fortran", "fortran", "fortran", "language.toml", derived, tree_sitter_fortran::LANGUAGE;
    "dockerfile", "dockerfile", "dockerfile", "language.toml", derived, tree_sitter_containerfile::LANGUAGE;
    "dart", "dart", "dart", "language.toml", derived, tree_sitter_dart::LANGUAGE;
    "elixir", "elixir", "elixir", "language.toml", derived, tree_sitter_elixir::LANGUAGE;
    "erlang", "erlang", "erlang", "language.toml", derived, tree_sitter_erlang::LANGUAGE;
    "graphql", "graphql", "graphql", "language.toml", derived, tree_sitter_graphql::LANGUAGE;
    "make", "make", "make", "language.toml", derived, tree_sitter_make::LANGUAGE;
    "nix", "nix", "nix", "language.toml", derived, tree_sitter_nix::LANGUAGE;
    "objc", "objc", "objc", "language.toml", derived, tree_sitter_objc::LANGUAGE;
    "protobuf", "protobuf", "protobuf", "language.toml", derived, tree_sitter_proto::LANGUAGE;
    "r", "r", "r", "language.toml", derived, tree_sitter_r::LANGUAGE;
    "solidity", "solidity", "solidity", "language.toml", derived, tree_sitter_solidity::LANGUAGE;
    "wat", "wat", "wat", "language.toml", derived, minirepro_parsers::wat::LANGUAGE, in files of crate::coded::WAT;
    "wasm", "wat", "wat", "wasm.toml", derived, minirepro_parsers::wat::LANGUAGE, in files of crate::coded::WASM;
}

impl Entry {
    /// Returns the language of this name, whether this build has it or not.
    pub(crate) fn named(name: &str) -> Option<&'static Self> {
        TABLE.iter().find(|entry| entry.name == name)
    }
}

/// Returns the languages that this build has, with their grammars.
pub(super) fn present() -> impl Iterator<Item = (&'static Entry, Grammar<'static>)> {
    TABLE.iter().filter_map(|entry| Some((entry, entry.grammar?())))
}

/// Returns the language of this name with its grammar, if this build has it.
pub(super) fn present_named(name: &str) -> Option<(&'static Entry, Grammar<'static>)> {
    present().find(|(entry, _)| entry.name == name)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::TABLE;
    use crate::registry::card::Head;

    #[test]
    fn manifests_say_the_names_of_the_table() {
        for entry in TABLE {
            assert_eq!(Head::of(entry.manifest).info.name, entry.name);
        }
    }

    #[test]
    fn every_grammar_is_a_feature_of_this_crate_and_of_the_library() {
        let features = |manifest: &str| {
            let manifest: toml::Table = toml::from_str(manifest).expect("a manifest");
            manifest["features"].as_table().expect("a table").clone()
        };
        let own = features(include_str!("../../Cargo.toml"));
        let all: BTreeSet<&str> = ["common", "all-languages"]
            .iter()
            .flat_map(|set| own[*set].as_array().expect("a list"))
            .filter_map(|name| name.as_str())
            .filter(|name| *name != "common")
            .collect();
        let with_crates: BTreeSet<&str> = own
            .keys()
            .map(String::as_str)
            .filter(|name| !["default", "common", "all-languages"].contains(name))
            .collect();
        assert_eq!(all, with_crates);
        let of_library = features(include_str!("../../../minirepro/Cargo.toml"));
        for name in &with_crates {
            let forwards = format!("minirepro-languages/{name}");
            let list = of_library[*name].as_array().expect("a list");
            assert_eq!(list, &["text".into(), toml::Value::from(forwards)], "{name}");
        }
        for set in ["common", "all-languages"] {
            assert_eq!(of_library[set], own[set], "{set}");
        }
        // Present and absent languages together are all.
        let named =
            |name: &&str| *name == "archives" || TABLE.iter().any(|entry| entry.name == *name);
        assert!(all.iter().all(named), "{all:?}");
    }
}
