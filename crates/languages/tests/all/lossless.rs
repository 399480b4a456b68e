//! Every language parses any bytes to a tree that holds all of them.

use minirepro_languages::{all, by_name, guess_by_text};
use minirepro_syntax::{Edits, Language, NodeId, Tree, render};
use proptest::prelude::*;

fn languages() -> Vec<Language> {
    // Some names are forms of names.
    let names = all().iter().filter(|info| !info.name.contains(':'));
    names.map(|info| by_name(&info.name).expect("a listed language")).collect()
}

/// Leaves lie in order, gaps between them are blank (or empty, where the style has none), parents
/// span their children, and what nothing edits is rendered as it was.
fn check(language: &Language, text: &[u8]) {
    let tree = language.parser.parse(text);
    let name = &language.name;
    let shown = String::from_utf8_lossy(text);
    let text = &tree.text().to_vec();
    let mut at = 0;
    for id in tree.ids().filter(|&id| tree.is_leaf(id) && id != NodeId::ROOT) {
        let span = tree.span(id);
        assert!(at <= span.start, "{name}: {shown:?}: leaves overlap");
        let gap = &text[at..span.start];
        assert!(is_gap(language, gap), "{name}: {shown:?}: {gap:?} is in no leaf");
        at = span.end;
    }
    assert!(is_gap(language, &text[at..]), "{name}: {shown:?}: the end is in no leaf");
    for id in tree.ids().skip(1) {
        let parent = tree.parent(id).expect("not the root");
        let (outer, inner) = (tree.span(parent), tree.span(id));
        assert!(outer.start <= inner.start && inner.end <= outer.end, "{name}: {shown:?}: spans");
    }
    assert_eq!(language.parser.errors(text), tree.errors(), "{name}: {shown:?}: errors");
    let rendered = render(&tree, &Edits::none(), language.spacing);
    assert_eq!(*rendered.text, **text, "{name}: render");
    assert_eq!(rendered.tokens, u64::from(tree.tokens(NodeId::ROOT)), "{name}: tokens");
}

fn is_gap(language: &Language, gap: &[u8]) -> bool {
    gap.is_empty() || language.spacing.between_tokens && gap.iter().all(u8::is_ascii_whitespace)
}

const ROUGH: &[&[u8]] = &[
    b"",
    b" \n\t ",
    b"\0",
    b"a\0b",
    b"\xff\xfe\x80int x;\xc3",
    b"\xef\xbb\xbfint x;",
    b"int a;\r\n#define X 1 \\\r\n 2\r\n\r\nint b;\r\n",
    b"int x = \\\n 1; // c \\\n still\n/* open",
    b"#define F(x) x ## 1 + \"open\n#if A > 1\nint y\n#else\n{{{\n#endif",
    b"\"unterminated\nint f( { return 'x; }",
    b"f(a, , b) )) }} @ $ ` 0x",
    b"#include <a.h>\n#include \"b.h\"\n#pragma once  \n#error no\n#",
    b"<!DOCTYPE html PUBLIC \"x\"><p class=a id='b' x=\"c d\">t&amp;u<br/>v</q></p><!-- c -->",
    b"<script>if (a < b) { '</p>' }\n// x\n</script><style>p{}</style><textarea><p></textarea>",
    b"<p <b> < > </ x=\"<p>\" <!-- open",
    b"<table><p>x<tr><td>y</table><svg><path d='M0 0'/></svg><x-y:z></x-y:z>",
    b"<div \x0b x\x0b=1>\x0b</div>\xc2\xa0",
];

#[test]
fn rough_inputs_are_held_completely() {
    for language in languages() {
        ROUGH.iter().for_each(|text| check(&language, text));
    }
}

#[test]
fn deep_and_long_inputs_neither_overflow_nor_get_lost() {
    let deep = 30_000;
    let inputs = [
        [b"int x = ".to_vec(), b"(".repeat(deep), b"1".to_vec(), b")".repeat(deep)].concat(),
        b"{".repeat(deep),
        b"<div>".repeat(deep),
        [b"<b>".repeat(deep / 10), b"</b>".repeat(deep / 10)].concat(),
        b"a".repeat(100_000),
        b"1,".repeat(10_000),
    ];
    // Others take seconds for some of them, which tests must not.
    for name in
        ["c", "css", "html", "javascript", "json", "page", "text", "lines", "chars", "bytes"]
    {
        let language = by_name(name).expect("a language");
        inputs.iter().for_each(|text| check(&language, text));
    }
}

#[test]
fn a_text_beyond_all_limits_is_one_broken_region() {
    let is_broken = |language: &str, text: &[u8]| {
        let tree: Tree = by_name(language).expect("a language").parser.parse(text);
        assert!(tree.errors() <= 1, "{} errors", tree.errors());
        tree.errors() == 1 && tree.len() < 100_000
    };
    let list = b"f(1);".repeat(2_000_001);
    assert!(is_broken("c", &[b"int f() {", &list[..], b"}"].concat()));
    // Of such a text, even the tree alone would take more than a gigabyte.
    let reader = by_name("c").expect("a language").reader;
    assert!(reader.is_too_much(&b"f(1);".repeat(8_000_001)) && !reader.is_too_much(&list));
    // The grammar's scanner reads on to the end for each token.
    assert!(is_broken("lua", &[b"<b>".repeat(10_000), b"</b>".repeat(10_000)].concat()));
}

#[test]
fn random_mixtures_are_held_completely() {
    let languages = languages();
    proptest!(ProptestConfig::with_cases(32), |(
        parts in prop::collection::vec((0..ROUGH.len(), 0usize..40, 0usize..40), 1..6),
        noise in prop::collection::vec(any::<u8>(), 0..8),
    )| {
        let mut text = Vec::new();
        for (which, from, length) in parts {
            let part = ROUGH[which];
            let from = from.min(part.len());
            text.extend_from_slice(&part[from..(from + length).min(part.len())]);
        }
        text.extend(noise);
        languages.iter().for_each(|language| check(language, &text));
    });
}

/// The time for a word depends neither on how long its line is nor on how much has been read before
/// it.
#[test]
fn a_long_line_is_read_to_its_end() {
    let member = |i: usize| format!("void (*f{i})(T a, U b); V *g{i}; some *__restrict h{i}; ");
    let members: String = (0..1_000).map(member).collect();
    for (name, text) in [
        ("cpp", format!("struct s {{ {members} }};")),
        ("cpp", members.clone()),
        ("c", format!("struct s {{ {members} }};")),
    ] {
        let language = by_name(name).expect("a listed language");
        assert_eq!(language.parser.parse(text.as_bytes()).errors(), 0, "{name}");
    }
}

#[test]
fn a_text_that_no_parser_gets_to_the_end_of_is_one_broken_region() {
    // Java's parser would try all ways to go on at each token; YAML's scanner would end the
    // program.
    let texts = [
        ("java", format!("in{}", "<!--".repeat(5_000))),
        // Its errors are such that the parser never says that it is in one.
        ("rust", format!(".{}", "fromstruct(=".repeat(2_000))),
        ("yaml", format!("{}x\n", "- ".repeat(2_000))),
        ("yaml", format!("a: {}\n", "[".repeat(2_000))),
    ];
    for (name, text) in texts {
        let language = by_name(name).expect("a listed language");
        check(&language, text.as_bytes());
        assert_eq!(language.parser.errors(text.as_bytes()), 1, "{name}");
    }
    assert_eq!(guess_by_text("- ".repeat(2_000).as_bytes()), None);
}
