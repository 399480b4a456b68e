//! What goes with a part that is there only for its sake.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::collections::HashSet;

use minirepro_passes::{Gate, Item, PassContext, own};
use minirepro_syntax::{Language, Tree, render};

const TEXT: &str = "\
namespace n { struct s { s(); int size(); int spare(); int wait(); }; }
int n::s::size() { return 1; }
struct t { int size(); int spare(); };
int twice(int a) { return a + a; }
int often(n::s a) { return twice(a.size()) + 1 + 2 + 3 + 4 + 5 + 6 + 7 + 8 + 9 + 10 + 11 + 12 + 13; }
int alone() { return 1; }
int main() {
  n::s a;
  int c = often(a);
  return a.wait() + c;
}
";

/// Returns the text with enough after it that it is large: a function that is needed like the rest.
fn large() -> String {
    let statements = "z = 1;".repeat(2_600);
    format!("{TEXT}int z;\nvoid padding() {{ {statements} }}\n")
}

/// Returns what `remove-dominated` proposes when these were refused.
fn proposed(language: &Language, tree: &Tree, refused: &HashSet<u64>) -> Vec<Item> {
    proposed_by("remove-dominated", language, tree, refused)
}

fn proposed_by(pass: &str, language: &Language, tree: &Tree, refused: &HashSet<u64>) -> Vec<Item> {
    let context = PassContext::new(tree, language, Gate::Graph, refused);
    let pass = own().find(|known| known.name == pass).unwrap();
    pass.propose(&context).map_or(Vec::new(), |proposal| proposal.items)
}

/// Returns the lines of the text that an item takes away or changes, and what becomes of them.
fn changed(language: &Language, tree: &Tree, item: &Item) -> Vec<String> {
    let after = render(tree, &item.edits, language.spacing);
    let after = String::from_utf8(after.text.to_vec()).unwrap();
    let lines: HashSet<&str> = after.lines().map(str::trim).collect();
    let changed = TEXT.lines().map(str::trim).filter(|line| !lines.contains(line));
    changed.map(str::to_owned).collect()
}

#[test]
fn declarations_that_nothing_needs_come_first() {
    let language = minirepro_languages::by_name("cpp").unwrap();
    let tree = language.parser.parse(large().as_bytes());
    let items = proposed(&language, &tree, &HashSet::new());
    let changed: Vec<String> =
        items.iter().map(|item| changed(&language, &tree, item).join("\n")).collect();
    assert!(changed.iter().any(|lines| lines == "int alone() { return 1; }"), "{changed:#?}");
    assert!(changed.iter().any(|lines| lines.contains("int main")), "{changed:#?}");
    assert!(!changed.iter().any(|lines| lines.starts_with("int often")), "{changed:#?}");
}

#[test]
fn a_statement_goes_with_all_that_only_it_needs_and_what_needs_it() {
    let language = minirepro_languages::by_name("cpp").unwrap();
    let tree = language.parser.parse(large().as_bytes());
    let mut refused = HashSet::new();
    let roots = proposed(&language, &tree, &refused);
    let context = PassContext::new(&tree, &language, Gate::Graph, &refused);
    let keys = context.fingerprints(&roots);
    refused.extend(keys);
    let items = proposed(&language, &tree, &refused);
    let changed: Vec<Vec<String>> =
        items.iter().map(|item| changed(&language, &tree, item)).collect();
    let statement = changed.iter().find(|lines| {
        lines.iter().any(|line| line == "int c = often(a);")
            && !lines.iter().any(|line| line == "n::s a;")
    });
    let statement = statement.unwrap_or_else(|| panic!("{changed:#?}"));
    let went = |begins: &str| statement.iter().any(|line| line.starts_with(begins));
    assert!(went("int often") && went("int twice"), "{statement:#?}");
    assert!(went("return a.wait() + c;"), "it mentions what is not declared any more");
    assert!(!went("struct t") && !went("int main"), "{statement:#?}");
}

#[test]
fn a_small_text_is_left_to_others() {
    let language = minirepro_languages::by_name("cpp").unwrap();
    let tree = language.parser.parse(TEXT.as_bytes());
    assert!(proposed_by("remove-dominated", &language, &tree, &HashSet::new()).is_empty());
}
