//! Long texts that are read in pieces: the same trees and errors as those of the whole.

use minirepro_syntax::{Change, Edits, Interruption, Kinds, Language, NodeId, Tree, render};

use crate::manifest::rule_files;
use crate::manifest::schema::Manifest;
use crate::registry::load::{describe, plain};
use crate::registry::table::{present, present_named};

/// Returns C, read in pieces where it is long, or as a whole.
fn c(apart: bool) -> Language {
    read_apart("c", apart)
}

/// Returns a language, read in pieces where a text is long, or as a whole.
fn read_apart(name: &'static str, apart: bool) -> Language {
    let (entry, grammar) = present_named(name).unwrap();
    let mut manifest = entry.read().unwrap();
    manifest.item_lists = manifest.item_lists.filter(|_| apart);
    plain(&grammar, &manifest, &Interruption::default(), &mut Kinds::default()).unwrap()
}

/// Returns a program of some hundred kilobytes.
fn program() -> String {
    let part = |i: usize| {
        format!(
            "#ifdef A{i}\nint a{i}[] = {{ {i}, '}}', sizeof \";\" }};\n#else\nextern int a{i};\n#endif\n\
             struct s{i} {{ int x; struct {{ char c; }} in; }}\nv{i} = {{ 1 }};\n\
             int old{i}(a, b)\nint a;\nchar *b;\n{{ for (a = 0; a < {i}; a++) {{ b[a] = 1; }} return a; }}\n\
             /* ; }} */ static void f{i}(void) {{ if (v{i}.x) {{ f{i}(); }} else {{ old{i}(1, 0); }} }}\n"
        )
    };
    (0..1000).map(part).collect()
}

fn shape(tree: &Tree) -> Vec<(String, std::ops::Range<usize>, u32, minirepro_syntax::Flags)> {
    let node = |id| (tree.kind_name(id).to_owned(), tree.span(id), tree.tokens(id), tree.flags(id));
    tree.ids().map(node).collect()
}

#[test]
fn pieces_give_the_tree_of_the_whole() {
    let text = program();
    let [whole, pieces] = [false, true].map(|apart| c(apart).parser.parse(text.as_bytes()));
    assert_eq!(whole.errors(), 0);
    let whole = shape(&whole);
    let pieces = shape(&pieces);
    let first = whole.iter().zip(&pieces).find(|(a, b)| a != b);
    assert!(whole == pieces, "{first:?} {} {}", whole.len(), pieces.len());
}

#[test]
fn errors_of_candidates_are_those_of_the_whole() {
    let text = program();
    check_candidates([false, true].map(c), &text);
}

/// Returns a program with lists in lists.
#[cfg(feature = "cpp")]
fn namespaces() -> String {
    let part = |i: usize| {
        format!(
            "inline namespace n{i} __attribute__((x)) {{ template <class T> struct s{i} {{ T x; s{i}(); }};\n\
             # 1 \"a.h\" 2\nextern \"C\" {{ int f{i}(int); }} template <> s{i}<int>::s{i}() : x(f{i}({i})) {{ }} }}\n\
             using namespace n{i}; enum class e{i} : int {{ a = {i}, b }};\n"
        )
    };
    let many: Vec<String> = (0..900).map(part).collect();
    let [few, more] = many.split_at(300).into();
    format!(
        "int x; // all of it\nnamespace std {{ {} inline namespace in {{ {} }} }} int y;\n",
        few.concat(),
        more.concat()
    )
}

#[cfg(feature = "cpp")]
#[test]
fn errors_of_candidates_are_those_of_the_whole_inside_of_lists_too() {
    check_candidates([false, true].map(|apart| read_apart("cpp", apart)), &namespaces());
}

/// Holds the errors in candidates, read in pieces, against those in the whole.
fn check_candidates([whole, pieces]: [Language; 2], text: &str) {
    let base = pieces.parser.parse(text.as_bytes());
    let mut broken = 0;
    // A few nodes all over the text, dropped whether the grammar allows it or not.
    for first in (1..60).step_by(9) {
        let nodes = (first * 7..).step_by(base.len() / 2).map(NodeId);
        let nodes = nodes.take_while(|id| (id.0 as usize) < base.len());
        let edits = Edits::drop_all(nodes);
        let candidate = render(&base, &edits, pieces.spacing);
        let errors = whole.parser.errors(&candidate.text);
        let found = pieces.parser.errors_after(&base, &candidate);
        assert_eq!(
            found > 0,
            errors > 0,
            "{first} {errors} {found} {edits:?} {:?}",
            edits
                .iter()
                .map(|(i, _)| (base.kind_name(i), String::from_utf8_lossy(base.text_of(i))))
                .collect::<Vec<_>>()
        );
        broken += u32::from(errors > 0);
        if first % 10 == 0 {
            let [after, alone] = [
                pieces.parser.parse_after(&base, &candidate.text),
                pieces.parser.parse(&candidate.text),
            ];
            assert!(shape(&after) == shape(&alone) && after.errors() == alone.errors(), "{first}");
            let hashes = |tree: &Tree| tree.ids().map(|id| tree.hash(id)).collect::<Vec<_>>();
            assert!(hashes(&after) == hashes(&alone), "{first}");
            let parents = |tree: &Tree| tree.ids().map(|id| tree.parent(id)).collect::<Vec<_>>();
            assert!(parents(&after) == parents(&alone), "{first}");
        }
    }
    assert!((2..7).contains(&broken), "{broken}: the candidates differ");
    let one = Edits::one(NodeId(1), Change::replace_with("int x;", None));
    let candidate = render(&base, &one, pieces.spacing);
    assert_eq!(pieces.parser.errors_after(&base, &candidate), 0);
}

#[cfg(feature = "cpp")]
#[test]
fn lists_read_from_inside_give_the_tree_of_the_whole() {
    let text = namespaces();
    let read = |apart| read_apart("cpp", apart).parser.parse(text.as_bytes());
    let [whole, parts] = [false, true].map(|apart| shape(&read(apart)));
    let first = whole.iter().zip(&parts).find(|(a, b)| a != b);
    assert!(whole == parts, "{first:?} {} {}", whole.len(), parts.len());
}

#[test]
fn a_broken_piece_stays_one() {
    let text = program().replace("static void f500(void) {", "static void f500(void) { ) = = (");
    let [whole, pieces] = [false, true].map(|apart| c(apart).parser.parse(text.as_bytes()));
    assert!(whole.errors() > 0 && pieces.errors() > 0);
    assert_eq!(pieces.kind_name(NodeId::ROOT), "translation_unit");
    let last = pieces.children(NodeId::ROOT).last().unwrap();
    assert_eq!(pieces.kind_name(last), "function_definition", "the rest is read as before");
}

#[test]
fn a_manifest_of_another_grammar_is_no_panic() {
    // Manifests over all that was derived may say nothing that another grammar could lack.
    let by_hand = || present().filter(|(e, _)| !e.manifest.contains("\nderived = true\n"));
    for (number, (entry, grammar)) in present().enumerate() {
        // Each with every fifth other one.
        let others = by_hand().skip(number % 5).step_by(5);
        for (other, its) in others.filter(|(other, _)| other.name != entry.name) {
            let (derived, rules) =
                (toml::from_str(entry.derived).unwrap(), rule_files::of(entry.name));
            let read = Manifest::read_over(derived, other.manifest, rules);
            let described = |read| describe(&grammar, read, &mut Kinds::default());
            let checked = read.and_then(described);
            if entry.derived.is_empty() {
                // JavaScript has all kinds of nodes that JSON has; pages are HTML.
                let fits = (other.name, entry.name) == ("json", "javascript")
                    || its.facts == grammar.facts;
                assert_eq!(checked.is_ok(), fits, "{} as {}", other.name, entry.name);
            }
        }
    }
}
