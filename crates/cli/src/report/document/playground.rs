//! Links that open a result in a compiler's playground: the file is a part of the link, so that
//! making one needs no network.

use std::path::Path;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde_json::json;

use crate::report::shell::quote_all;

/// Longer links are refused by servers.
const LONGEST: usize = 8_000;

/// A compiler of the playground at godbolt.org: how its names there are made.
struct Family {
    /// The beginnings of the names of the program.
    programs: &'static [&'static str],
    /// What its language is called.
    language: &'static str,
    /// The newest version.
    newest: &'static str,
    /// The version of a program that prints this one.
    version: fn(&[u32]) -> String,
}

const FAMILIES: &[Family] = &[
    Family {
        programs: &["clang++"],
        language: "c++",
        newest: "clang_trunk",
        version: |v| format!("clang{}", clang(v)),
    },
    Family {
        programs: &["clang"],
        language: "c",
        newest: "cclang_trunk",
        version: |v| format!("cclang{}", clang(v)),
    },
    Family {
        programs: &["g++", "c++"],
        language: "c++",
        newest: "gsnapshot",
        version: |v| format!("g{}{}", v[0], v[1]),
    },
    Family {
        programs: &["gcc", "cc"],
        language: "c",
        newest: "cgsnapshot",
        version: |v| format!("cg{}{}", v[0], v[1]),
    },
    Family {
        programs: &["rustc"],
        language: "rust",
        newest: "nightly",
        version: |v| format!("r{}{}{}", v[0], v[1], v[2]),
    },
];

/// The last release of each version of Clang that is there under its own name.
fn clang(version: &[u32]) -> String {
    match version[0] {
        17 => "1701".to_owned(),
        major @ 18.. => format!("{major}10"),
        major => format!("{major}00"),
    }
}

/// Returns links to playgrounds, each with its name. `words` is the command, `version` what its
/// program says about itself, and `file` what the result is called there.
pub fn links(words: &[String], version: &str, file: &str, text: &[u8]) -> Vec<(String, String)> {
    let Ok(text) = std::str::from_utf8(text) else { return Vec::new() };
    let Some(program) = words.first().and_then(|word| Path::new(word).file_name()?.to_str()) else {
        return Vec::new();
    };
    let is_cpp = ["cc", "cpp", "cxx", "C", "ii"]
        .iter()
        .any(|suffix| Path::new(file).extension().is_some_and(|own| own == *suffix));
    let family = |name: &str| {
        FAMILIES.iter().find(|family| family.programs.iter().any(|own| is_called(name, own)))
    };
    let as_cpp = match (is_cpp, family(program).map(|family| family.newest)) {
        (true, Some("cclang_trunk")) => family("clang++"),
        (true, Some("cgsnapshot")) => family("g++"),
        _ => family(program),
    };
    let mut links = Vec::new();
    if let Some(family) = as_cpp {
        let is_output = |at: usize| words[at] == "-o" || words[at - 1] == "-o";
        let options = (1..words.len()).filter(|&at| !is_of_file(&words[at]) && !is_output(at));
        let options = options.map(|at| &words[at]);
        links.push(("Compiler Explorer".to_owned(), explorer(family, options, version, text)));
        if family.language == "rust" {
            links.push(("Rust Playground".to_owned(), rust(words, version, text)));
        }
    } else if let Some((_, language, compiler)) =
        OTHERS.iter().find(|(own, ..)| is_called(program, own))
    {
        let state = json!({"sessions": [{"id": 1, "language": language, "source": text,
            "compilers": [{"id": compiler, "options": ""}]}]});
        links.push(("Compiler Explorer".to_owned(), of_state(&state.to_string())));
    }
    links.retain(|(_, link)| link.len() <= LONGEST);
    links
}

/// Programs whose versions have no names there that could be told: the program, the language, and
/// the newest version.
const OTHERS: &[(&str, &str, &str)] = &[
    ("go", "go", "gltip"),
    ("swiftc", "swift", "swiftnightly"),
    ("opt", "llvm", "opt_trunk"),
    ("llc", "llvm", "llctrunk"),
    ("ldc2", "d", "ldclatestci"),
    ("zig", "zig", "ztrunk"),
];

/// Returns whether a program has a name, perhaps with a version or a target around it.
fn is_called(program: &str, name: &str) -> bool {
    let stem = program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    let stem = stem.strip_suffix('-').unwrap_or(stem);
    stem == name
}

/// Returns whether a word of a command names the candidate or what becomes of it.
fn is_of_file(word: &str) -> bool {
    word.contains("@@") || ["-c", "-S", "-E", "-fsyntax-only"].contains(&word)
}

fn explorer<'a>(
    family: &Family,
    options: impl Iterator<Item = &'a String>,
    version: &str,
    text: &str,
) -> String {
    let options = quote_all(options);
    let mut compilers = Vec::new();
    if let Some(version) = numbers(version) {
        compilers.push(json!({"id": (family.version)(&version), "options": options}));
    }
    compilers.push(json!({"id": family.newest, "options": options}));
    let state = json!({"sessions": [{
        "id": 1, "language": family.language, "source": text, "compilers": compilers,
    }]});
    of_state(&state.to_string())
}

fn of_state(state: &str) -> String {
    format!("https://godbolt.org/clientstate/{}", encoded(&BASE64_STANDARD.encode(state)))
}

fn rust(words: &[String], version: &str, text: &str) -> String {
    let channel = ["nightly", "beta"].into_iter().find(|channel| version.contains(channel));
    let edition = words.iter().find_map(|word| word.strip_prefix("--edition="));
    let by_word = words.iter().position(|word| word == "--edition").map(|at| at + 1);
    let edition = edition.or_else(|| Some(words.get(by_word?)?.as_str())).unwrap_or("2015");
    format!(
        "https://play.rust-lang.org/?version={}&mode=debug&edition={edition}&code={}",
        channel.unwrap_or("stable"),
        encoded(text)
    )
}

/// Returns the three numbers of a version, which is the first word that has two points.
fn numbers(version: &str) -> Option<Vec<u32>> {
    version.split_whitespace().find_map(|word| {
        let word = word.trim_start_matches(|c: char| !c.is_ascii_digit());
        let mut parts = word.split(['.', '-', '+', '~']).map_while(|part| part.parse().ok());
        let found: Vec<u32> = parts.by_ref().take(3).collect();
        (found.len() == 3).then_some(found)
    })
}

/// Escapes what has a meaning in an address.
fn encoded(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            encoded += &format!("%{byte:02X}");
        }
    }
    encoded
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(line: &str, version: &str, file: &str, text: &str) -> Vec<(String, String)> {
        let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
        links(&words, version, file, text.as_bytes())
    }

    fn state(link: &str) -> serde_json::Value {
        let text = link.strip_prefix("https://godbolt.org/clientstate/").unwrap();
        let text = text.replace("%2B", "+").replace("%2F", "/").replace("%3D", "=");
        serde_json::from_slice(&BASE64_STANDARD.decode(text).unwrap()).unwrap()
    }

    #[test]
    fn the_file_and_the_options_are_in_the_link() {
        let gcc = "g++-12 (Debian 12.2.0-14) 12.2.0";
        let found = of("g++-12 -O2 -o x.o -std=c++20 -c @@", gcc, "a.min.cc", "int a?;\n");
        let [(name, link)] = &found[..] else { panic!("{found:?}") };
        assert_eq!(name, "Compiler Explorer");
        let session = &state(link)["sessions"][0];
        assert_eq!(session["source"], "int a?;\n");
        assert_eq!(session["language"], "c++");
        assert_eq!(session["compilers"][0]["id"], "g122");
        assert_eq!(session["compilers"][0]["options"], "-O2 -std=c++20");
        assert_eq!(session["compilers"][1]["id"], "gsnapshot");
    }

    #[test]
    fn compilers_have_the_names_of_the_playground() {
        for (line, version, file, expected) in [
            ("/usr/bin/clang-16 @@", "Debian clang version 16.0.6 (15)", "a.c", "cclang1600"),
            ("clang @@", "clang version 17.0.6", "a.cpp", "clang1701"),
            ("clang++-19 @@", "Debian clang version 19.1.7 (3)", "a.cc", "clang1910"),
            ("gcc @@", "gcc (Debian 12.2.0-14) 12.2.0", "a.c", "cg122"),
            ("rustc @@", "rustc 1.90.0 (1159e78c4 2025-09-14)", "a.rs", "r1900"),
            ("go @@", "", "a.go", "gltip"),
        ] {
            let found = of(line, version, file, "x");
            assert_eq!(state(&found[0].1)["sessions"][0]["compilers"][0]["id"], expected, "{line}");
        }
        assert!(of("python3 @@", "Python 3.11.7", "a.py", "x").is_empty());
        assert!(of("gcc @@", "", "a.c", &"x".repeat(9000)).is_empty(), "too long");
    }

    #[test]
    fn rust_has_a_playground_of_its_own() {
        let found =
            of("rustc --edition 2021 @@", "rustc 1.90.0-nightly (1 2)", "a.rs", "fn a() {}");
        assert_eq!(
            found[1].1,
            "https://play.rust-lang.org/?version=nightly&mode=debug&edition=2021&code=fn%20a%28%29%20%7B%7D"
        );
    }
}
