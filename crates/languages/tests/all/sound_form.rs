//! Pages as careful people write them.

use minirepro_languages::by_name;

#[test]
fn elements_are_closed_where_a_browser_closes_them() {
    let parser = by_name("html").unwrap().parser;
    for (page, sound) in [
        ("<ruby style=top:0>a<div id=b>", "<ruby style=\"top:0\">a<div id=\"b\"></div></ruby>"),
        ("<style>* { top: 0", "<style>* { top: 0</style>"),
        ("<p>a<p>b", "<p>a</p><p>b</p>"),
    ] {
        let form = parser.sound_form(page.as_bytes()).unwrap();
        assert_eq!(String::from_utf8_lossy(&form), sound, "{page}");
    }
    assert_eq!(by_name("c").unwrap().parser.sound_form(b"int a;"), None);
}

#[test]
fn scripts_and_style_sheets_have_trees_in_the_tree_of_a_browser() {
    let dom = by_name("dom").unwrap();
    let page = b"<style>a { top: 0 }</style><p style=\"left: 0\">b</p><script>f(1)</script>";
    let tree = dom.parser.parse(page);
    assert_eq!(tree.errors(), 0);
    for kind in ["css_rule_set", "css_declaration", "javascript_call_expression"] {
        let wanted = dom.kinds.named(kind);
        assert!(tree.ids().any(|id| Some(tree.kind(id)) == wanted), "{kind}");
    }
    let json = b"<script type=\"application/json\">[1]</script>";
    let tree = dom.parser.parse(json);
    let wanted = dom.kinds.named("json_array");
    assert!(tree.ids().any(|id| Some(tree.kind(id)) == wanted));
}
