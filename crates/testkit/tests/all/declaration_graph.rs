//! What the graph of declarations knows to be needed.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::collections::HashSet;

use minirepro_passes::{Gate, PassContext, own};

/// Returns whether the part that begins with `part` (what is in no part, if it is empty) needs the
/// one that begins with `need`, perhaps because of two others that it needs.
fn needs(text: &str, part: &str, need: &str) -> bool {
    let padding: String = (0..8).map(|number| format!("int x{number};\n")).collect();
    let language = minirepro_languages::by_name("cpp").unwrap();
    let tree = language.parser.parse(format!("{text}{padding}").as_bytes());
    let refused = HashSet::new();
    let context = PassContext::new(&tree, &language, Gate::Graph, &refused);
    let pass = own().find(|pass| pass.name == "remove-unused").unwrap();
    let proposal = pass.propose(&context).unwrap();
    let numbered = |begins: &str| {
        let is_it = |(id, _)| tree.text_of(id).starts_with(begins.as_bytes());
        proposal.items.iter().position(|item| item.edits.iter().next().is_some_and(is_it)).unwrap()
    };
    let need = u32::try_from(numbered(need)).unwrap();
    let known = match part {
        "" => &proposal.needs[1][0],
        _ => &proposal.needs[0][numbered(part)],
    };
    let mut together = proposal.together.iter();
    known.contains(&need)
        || together.any(|[a, b, c]| *c == need && known.contains(a) && known.contains(b))
}

#[test]
fn what_a_compiler_looks_up_by_itself() {
    let text = "struct coroutine_traits;\nstruct other;\nint f() { co_return 1; }\n";
    assert!(needs(text, "{ co_return", "struct coroutine_traits"));
    assert!(!needs(text, "{ co_return", "struct other"));
}

#[test]
fn the_operator_of_an_explicit_instantiation_elsewhere() {
    let text = "struct s;\ntemplate <class T> s &operator<<(s &, T);\ntemplate <class T> s &operator<(s &, T);\n\
                extern template s &operator<<(s &, int);\n";
    assert!(needs(text, "extern template", "template <class T> s &operator<<"));
    assert!(!needs(text, "extern template", "template <class T> s &operator<("));
}

#[test]
fn what_a_macro_mentions_that_stands_for_words_of_a_declaration_or_for_whole_ones() {
    let text = "int g();\nint h();\nSOME_WORDS(g) int f();\nnamespace n {\nSOME_LINE(h)\n}\n";
    assert!(needs(text, "SOME_WORDS(g) int", "int g"));
    assert!(!needs(text, "SOME_WORDS(g) int", "int h"));
    assert!(needs(text, "SOME_LINE(h)", "int h"));
    assert!(!needs(text, "SOME_LINE(h)", "int g"));
}

#[test]
fn an_attribute_declares_nothing() {
    let text = "int f() __attribute__((const));\n[[nodiscard]] int g();\n\
                int h() __attribute__((const));\n[[nodiscard]] int i();\nint j __attribute__((aligned(8)));\n\
                int k = j;\n";
    assert!(!needs(text, "int h", "int f"));
    assert!(!needs(text, "[[nodiscard]] int i", "[[nodiscard]] int g"));
    assert!(needs(text, "int k", "int j"));
}

#[test]
fn a_function_of_a_record_whose_name_is_mentioned_with_the_record() {
    let text = "struct s { s(); int size(); int other(); };\nstruct t { long size(); };\n\
                int f() { s a; return a.size(); }\n";
    assert!(needs(text, "{ s a", "int size"));
    assert!(!needs(text, "{ s a", "int other"));
    assert!(!needs(text, "{ s a", "long size"));
    assert!(needs(text, "int other", "struct s"));
    assert!(!needs(text, "struct s", "int size"));
}

#[test]
fn an_operator_goes_with_the_type_of_its_parameters() {
    let text = "struct s;\nstruct t;\nint operator+(s &, int);\nint operator+(t &, int);\n\
                int f(s &a) { return a + 1; }\nint g(s &a) { return 1; }\n";
    assert!(needs(text, "int f(s &a)", "struct s"));
    assert!(!needs(text, "{ return a + 1", "int operator+(t"));
    assert!(!needs(text, "int g", "int operator+(s"));
}

#[test]
fn the_function_of_a_base_that_another_one_overrides() {
    let text = "struct base { virtual base *f(); virtual base *g(); };\n\
                struct derived : base { base *f() override; base *g(); };\n";
    assert!(needs(text, "base *f() override", "virtual base *f()"));
    assert!(!needs(text, "base *g()", "virtual base *g()"));
}

#[test]
fn the_operator_of_a_suffix() {
    let text = "int operator\"\" _a(const char *, unsigned long);\nint operator\"\"_b(const char *, unsigned long);\n\
                int c = \"x\"_a;\nint d = \"x\"_b;\n";
    assert!(needs(text, "int c", "int operator\"\" _a"));
    assert!(!needs(text, "int c", "int operator\"\"_b"));
    assert!(needs(text, "int d", "int operator\"\"_b"));
}

#[test]
fn what_makes_all_names_of_a_namespace_known() {
    let text = "namespace n { int a; }\nusing namespace n;\nusing n::a;\n";
    assert!(needs(text, "", "using namespace n"));
    assert!(!needs(text, "", "using n::a"));
}

#[test]
fn another_name_of_a_namespace() {
    let text = "namespace n { namespace m { int a; } }\nnamespace o = n::m;\nint b = o::a;\n";
    assert!(needs(text, "int b", "namespace o"));
    assert!(!needs(text, "", "namespace o"));
}

#[test]
fn a_type_that_is_defined_outside_of_the_one_it_is_a_member_of() {
    let text = "struct s { struct t; };\nstruct s::t { };\nstruct u;\nint f() { s::t *x; }\n\
                int g() { u *t; }\nnamespace n { struct v; }\nstruct n::v { };\nint h() { n::v x; }\n";
    assert!(needs(text, "{ s::t", "struct s::t"));
    assert!(!needs(text, "{ u *t", "struct s::t"));
    assert!(needs(text, "{ n::v", "struct n::v"));
}
