//! Trees keep the grammar's fields, whichever way a text is read.

use minirepro_languages::by_name;
use minirepro_syntax::{FieldRole, NodeId, Tree};

/// Returns the text of every node that a field names, after the field's name.
fn fields(tree: &Tree) -> Vec<String> {
    let named = tree.ids().filter_map(|id| Some((id, tree.field(id)?)));
    named
        .map(|(id, field)| {
            let text = String::from_utf8_lossy(tree.text_of(id));
            format!("{}: {text}", tree.kinds().field_name(field))
        })
        .collect()
}

#[test]
fn a_tree_says_which_parts_its_nodes_play() {
    let c = by_name("c").expect("a listed language");
    let tree = c.parser.parse(b"int f(int a) { return g(a); }");
    assert_eq!(
        fields(&tree),
        [
            "type: int",
            "declarator: f(int a)",
            "declarator: f",
            "parameters: (int a)",
            "type: int",
            "declarator: a",
            "body: { return g(a); }",
            "function: g",
            "arguments: (a)",
        ]
    );
    let function = tree.children(NodeId::ROOT).next().expect("the function");
    let body = c.roles.fields(FieldRole::Body);
    let found = tree.children(function).find(|&child| tree.field(child) == Some(body[0]));
    let found = found.expect("the function has a body");
    assert_eq!(tree.text_of(found), b"{ return g(a); }");
}

#[test]
fn a_text_that_is_read_item_by_item_has_the_same_fields() {
    let c = by_name("c").expect("a listed language");
    let item = "int f(int a) { return g(a); }\n";
    let one = fields(&c.parser.parse(item.as_bytes()));
    let times = (300 << 10) / item.len();
    let all = fields(&c.parser.parse(item.repeat(times).as_bytes()));
    assert_eq!(all.len(), one.len() * times);
    assert!(all.chunks(one.len()).all(|item| item == one));
}

#[test]
fn an_injected_language_keeps_its_fields() {
    let script = "function f(a) { return g(a); }";
    let javascript = by_name("javascript").expect("a listed language");
    let html = by_name("html").expect("a listed language");
    let page = html.parser.parse(format!("<p onclick='g(1)'><script>{script}</script>").as_bytes());
    let mut expected = vec!["function: g".to_owned(), "arguments: (1)".to_owned()];
    expected.extend(fields(&javascript.parser.parse(script.as_bytes())));
    assert_eq!(fields(&page), expected);
    let is_body = |id: &NodeId| {
        let bodies = html.roles.fields(FieldRole::Body);
        page.field(*id).is_some_and(|field| bodies.contains(&field))
    };
    let body = page.ids().find(is_body).expect("the function has a body");
    assert_eq!(page.text_of(body), b"{ return g(a); }");
}
