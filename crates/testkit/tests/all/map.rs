//! Holds `crates/README.md`, the arrows between crates and the layout of the repository against
//! what cargo and git see.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// Which crates of the workspace each crate may use. `None`: any.
const ARROWS: &[(&str, Option<&[&str]>)] = &[
    ("search", Some(&[])),
    ("syntax", Some(&[])),
    ("parsers", Some(&[])),
    ("rules", Some(&["syntax"])),
    ("languages", Some(&["parsers", "rules", "syntax"])),
    ("passes", Some(&["rules", "search", "syntax"])),
    ("circumstances", Some(&["search", "syntax"])),
    ("engine", Some(&["circumstances", "passes", "search", "syntax"])),
    ("runner", Some(&["engine"])),
    ("workers", Some(&["engine", "runner"])),
    ("program", Some(&["circumstances", "engine", "languages", "runner", "syntax", "workers"])),
    ("minirepro", Some(&["engine", "languages", "program", "search", "syntax"])),
    ("cli", Some(&["browser", "program"])),
    ("testkit", Some(&["engine", "languages", "passes", "syntax"])),
    ("browser", Some(&["program", "search"])),
    ("xtask", None),
];

/// What the crates below `runner` may use from outside of the workspace: nothing that could see a
/// file, a process, a thread or a clock, and parsers in `languages` only.
const OUTSIDE: &[(&str, &[&str])] = &[
    ("search", &["fixedbitset", "serde", "strum"]),
    (
        "syntax",
        &[
            "fixedbitset",
            "memchr",
            "rustc-hash",
            "serde",
            "serde_bytes",
            "smallvec",
            "strum",
            "thiserror",
            "xxhash-rust",
        ],
    ),
    ("rules", &["regex", "serde", "strsim", "strum", "thiserror", "toml"]),
    (
        "languages",
        &[
            "base64",
            "brotli-decompressor",
            "html5ever",
            "crc32fast",
            "flate2",
            "indexmap",
            "tar",
            "zip",
            "memchr",
            "markup5ever_rcdom",
            "regex",
            "ruzstd",
            "serde",
            "serde_json",
            "strum",
            "thiserror",
            "toml",
            "tree-sitter",
            "wasmparser",
            "wasmprinter",
            "wat",
            "xxhash-rust",
        ],
    ),
    ("parsers", &["tree-sitter-c", "tree-sitter-language"]),
    ("circumstances", &["imara-diff", "regex"]),
    ("engine", &["base64", "regex", "rustc-hash", "serde", "strum", "xxhash-rust"]),
];

/// Crates that only help to develop: nothing that users run may use them.
const DEVELOPMENT: &[&str] = &["testkit", "xtask"];

/// What may stand at the top of the repository, apart from licences and dot-files.
const TOP: &[&str] =
    &["Cargo.toml", "Cargo.lock", "README.md", "corpus", "crates", "grammars", "tests"];

const PREFIX: &str = "minirepro-";

/// The library that users embed is called like the project.
const LIBRARY: &str = "minirepro";

/// Returns the directory under `crates/` of a package of ours; `None` for a package from outside.
fn short_name(package: &str) -> Option<&str> {
    if package == LIBRARY { Some(LIBRARY) } else { package.strip_prefix(PREFIX) }
}

fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().nth(2).expect("crates/testkit stands two levels down").to_owned()
}

fn stdout_of(program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program)
        .args(arguments)
        .current_dir(root())
        .output()
        .unwrap_or_else(|e| panic!("{program}: {e}"));
    assert!(output.status.success(), "{program}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// One dependency of one crate, as the manifests say.
struct Arrow {
    from: String,
    to: String,
    normal: bool,
}

fn crates_and_arrows() -> (BTreeSet<String>, Vec<Arrow>) {
    let text =
        stdout_of(env!("CARGO"), &["metadata", "--format-version", "1", "--no-deps", "--offline"]);
    let metadata: Value = serde_json::from_str(&text).unwrap();
    let mut crates = BTreeSet::new();
    let mut arrows = Vec::new();
    for package in metadata["packages"].as_array().unwrap() {
        let name = package["name"].as_str().unwrap();
        let short = short_name(name).expect("every crate is minirepro or minirepro-NAME");
        let manifest = package["manifest_path"].as_str().unwrap();
        assert!(manifest.ends_with(&format!("crates/{short}/Cargo.toml")), "{name}: {manifest}");
        crates.insert(short.to_owned());
        arrows.extend(package["dependencies"].as_array().unwrap().iter().map(|to| Arrow {
            from: short.to_owned(),
            to: to["name"].as_str().unwrap().to_owned(),
            normal: to["kind"].is_null(),
        }));
    }
    (crates, arrows)
}

/// Returns the names in backticks of one cell.
fn names(cell: &str) -> BTreeSet<String> {
    cell.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

/// Returns the table of the map: crate → what it may use; `None` for "any".
fn map() -> BTreeMap<String, Option<BTreeSet<String>>> {
    let text = std::fs::read_to_string(root().join("crates/README.md")).unwrap();
    let rows = text.lines().filter(|line| line.starts_with("| `"));
    rows.map(|row| {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        let used = (cells[3] != "any").then(|| names(cells[3]));
        (names(cells[1]).pop_first().unwrap(), used)
    })
    .collect()
}

#[test]
fn the_map_names_every_crate_and_every_allowed_arrow() {
    let expected: BTreeMap<String, Option<BTreeSet<String>>> = ARROWS
        .iter()
        .map(|(name, used)| {
            ((*name).to_owned(), used.map(|u| u.iter().map(|&s| s.to_owned()).collect()))
        })
        .collect();
    assert_eq!(map(), expected, "crates/README.md and ARROWS say the same");
    let (crates, _) = crates_and_arrows();
    let mapped: BTreeSet<String> = map().into_keys().collect();
    assert_eq!(crates, mapped, "crates/README.md names the crates of the workspace, and no others");
}

#[test]
fn arrows_point_down() {
    let (_, arrows) = crates_and_arrows();
    for Arrow { from, to, normal } in arrows {
        let Some(to) = short_name(&to) else { continue };
        if normal {
            let (_, used) = ARROWS.iter().find(|(name, _)| *name == from).unwrap();
            assert!(used.is_none_or(|u| u.contains(&to)), "{from} must not use {to}");
            assert!(
                !DEVELOPMENT.contains(&to) || DEVELOPMENT.contains(&from.as_str()),
                "{from} must not use {to} outside of tests"
            );
        }
    }
}

#[test]
fn crates_below_runner_use_nothing_that_sees_the_world() {
    let (_, arrows) = crates_and_arrows();
    for Arrow { from, to, normal } in arrows {
        let allowed = OUTSIDE.iter().find(|(name, _)| *name == from).map(|(_, allowed)| *allowed);
        if let (Some(allowed), true, None) = (allowed, normal, short_name(&to)) {
            let grammar = from == "languages" && to.starts_with("tree-sitter-");
            assert!(grammar || allowed.contains(&to.as_str()), "{from} must not use {to}");
        }
    }
}

#[test]
fn parsers_stay_in_languages() {
    let (_, arrows) = crates_and_arrows();
    for Arrow { from, to, .. } in arrows {
        let parser =
            to.starts_with("tree-sitter") || to.contains("html5ever") || to == "markup5ever_rcdom";
        // The form in which grammars are handed over, and who loads those of users.
        let own = [("minirepro", "tree-sitter-language"), ("program", "tree-sitter-loader")];
        let is_handed_over = own.contains(&(&from, &to));
        // Where parsers are made, and where tests look at pages as browsers do.
        let is_made = from == "parsers" || from == "testkit" && !to.starts_with("tree-sitter");
        assert!(
            !parser || from == "languages" || is_handed_over || is_made,
            "{from} must not see {to}"
        );
    }
}

#[test]
fn without_its_default_features_the_library_compiles_no_grammar_and_without_texts_no_tree() {
    let arguments = ["tree", "-p", LIBRARY, "-e", "normal,build", "--prefix", "none", "--offline"];
    let arguments = [&arguments[..], &["--no-default-features"]].concat();
    let lists = stdout_of(env!("CARGO"), &arguments);
    assert!(!lists.contains("tree-sitter") && !lists.contains("minirepro-syntax"), "{lists}");
    let all = stdout_of(env!("CARGO"), &[&arguments[..], &["--features", "text"]].concat());
    let names: BTreeSet<&str> = all.lines().filter_map(|line| line.split(' ').next()).collect();
    let parsers =
        names.iter().filter(|name| name.starts_with("tree-sitter") || name.contains("5ever"));
    let parsers: Vec<&str> = parsers.copied().collect();
    // What reads grammars that somebody else has loaded.
    assert_eq!(parsers, ["tree-sitter", "tree-sitter-language"]);
    assert!(!names.contains("minirepro-parsers"), "they are grammars");
    assert!(
        !names.contains("zip") && !names.contains("brotli-decompressor"),
        "they are for archives"
    );
}

#[test]
fn what_reads_for_users_is_part_of_the_program() {
    let arguments =
        ["tree", "-p", "minirepro-cli", "-e", "normal", "--prefix", "none", "--offline"];
    let all = stdout_of(env!("CARGO"), &arguments);
    let names: BTreeSet<&str> = all.lines().filter_map(|line| line.split(' ').next()).collect();
    let parsers =
        ["html5ever", "markup5ever_rcdom", "tree-sitter", "tree-sitter-c", "tree-sitter-html"];
    for name in parsers.into_iter().chain(["clap"]) {
        assert!(names.contains(name), "{name}");
    }
}

#[test]
fn examples_in_the_documentation_of_a_crate_are_tested() {
    for file in stdout_of("git", &["ls-files", "crates/*/src/*.rs"]).lines() {
        let text = std::fs::read_to_string(root().join(file)).unwrap();
        let of_fence = |line: &'_ str| {
            let line = line.trim_start();
            let found = line.strip_prefix("/// ```").or_else(|| line.strip_prefix("//! ```"));
            found.map(str::to_owned)
        };
        let shows_code = text.lines().filter_map(of_fence).step_by(2).any(|info| info != "text");
        let of_crate: PathBuf = Path::new(file).iter().take(2).collect();
        let manifest = std::fs::read_to_string(root().join(of_crate).join("Cargo.toml")).unwrap();
        assert!(!shows_code || !manifest.contains("doctest = false"), "{file}: not tested");
    }
}

#[test]
fn the_top_level_holds_only_what_the_layout_allows() {
    for path in stdout_of("git", &["ls-files", "-z"]).split('\0') {
        let top = path.split('/').next().unwrap();
        let fine = top.starts_with('.') || top.starts_with("LICENSE") || TOP.contains(&top);
        assert!(fine || top.is_empty(), "{top} must not stand at the top level");
    }
}
