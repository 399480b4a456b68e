//! Texts of which the parser does not get to see all: candidates are read again where they differ
//! from their base.

use minirepro_syntax::{Edits, NodeId, render};

use super::*;

/// Returns a program that is full of what the grammar does not know.
fn program() -> String {
    let part = |i: usize| {
        format!(
            "namespace n{i} __attribute__ ((__visibility__ (\"default\"))) {{\n\
             template<typename T> struct s{i} {{\n  T t;\n  s{i}() = default;\n}};\n\
             extern template class s{i}<int>;\n\
             inline int f{i}(int a, s{i}<int> b = {{}})\n# 12 \"file.h\" 3\n{{\n  return a + b.t;\n}}\n\
             class VISIBLE c{i} : s{i}<char> {{ int m{i}; }};\n}}\n"
        )
    };
    (0..200).map(part).collect()
}

#[test]
fn errors_of_candidates_are_those_of_a_first_reading() {
    let language = by_name("cpp").expect("a language");
    let text = program();
    let base = language.parser.parse(text.as_bytes());
    assert_eq!(base.errors(), 0);
    let mut broken = 0;
    for first in (1..base.len()).step_by(base.len() / 150) {
        let nodes = [first, (first * 31) % base.len()];
        let nodes = nodes.map(|id| NodeId(u32::try_from(id.max(1)).expect("few nodes")));
        let edits = Edits::drop_all(nodes);
        let candidate = render(&base, &edits, language.spacing);
        let errors = language.parser.errors(&candidate.text);
        let found = language.parser.errors_after(&base, &candidate);
        assert_eq!(found > 0, errors > 0, "{nodes:?}: {found}, {errors}");
        broken += u32::from(errors > 0);
    }
    assert!((10..140).contains(&broken), "{broken}");
}
