//! Files of rules as languages read them.

use minirepro_languages::{add_rules, by_name, rules_of};

/// Returns why a file of rules for C is wrong.
fn fault(file: &str) -> String {
    let mut c = by_name("c").expect("a language");
    add_rules(&mut c, "x/own.toml", file).expect_err("a wrong rule").to_string()
}

#[test]
fn what_is_wrong_with_a_rule_is_said() {
    for (rule, expected) in [
        ("match = '$A = = $B'\nput = '$A'", "`$A = = $B` is no code"),
        ("match = '$A'\nput = '$A'", "`$A` is no code"),
        ("match = '$A = $B'\nput = '$C'", "nothing captures `C`"),
        ("match = 'f($$$ALL)'\nput = '$$$O'", "nothing captures `O`"),
        ("put = 'a'", "rule ` → a`: ``: neither code"),
        ("match = '(call'\ndrop = '$'", "rule `(call → without $`: `(call`: neither code"),
        ("match = '(call (#is? @A \"a\"))'\ndrop = '$'", "no language has a role `#`"),
        ("match = '(fortstatement)'\ndrop = '$'", "did you mean `for_statement`?"),
        ("match = '(name)'\ndrop = '$'", "`(name)` says no kind of parts"),
        ("match = '(call)'", "no edit"),
        ("match = '(call)'\ndrop = 'X.uses'", "nothing captures `X`"),
        ("match = '(call)'\ndrop = '$.use'", "did you mean `uses`?"),
        ("match = '(call)'\ndrop = '$.uses['", "`$.uses[` is not a path"),
        ("match = '(call)'\nlet = { A = 'B', B = 'A' }\ndrop = 'A'", "nothing captures `A`"),
        ("match = '$A = $IT'\nput = '$A'", "`IT` is the part that an edit is made for"),
        (
            "match = '(call)'\nlet = { IT = '$[*]' }\ndrop = 'IT'",
            "`IT` is the part that an edit is made for",
        ),
        ("match = '(call x_y: _)'\ndrop = '$'", "the grammar has no field `x_y`"),
        ("match = '(call)'\nerase = '$'", "unknown field"),
        ("match = '(call)'\nput = 'a'\nas = 'call_expression'", "unknown field `as`"),
    ] {
        let found = fault(&format!("[[rule]]\n{rule}\n"));
        assert!(found.contains(expected), "{rule}: {found}");
    }
    assert!(fault("order = 'all'").contains("unknown field"));
}

#[test]
fn a_file_is_a_pass_and_adds_to_the_pass_of_its_name() {
    let rule = "[[rule]]\nmatch = '(call)'\ndrop = '$'\n";
    let mut c = by_name("c").expect("a language");
    let count = |c: &minirepro_syntax::Language, name: &str| {
        let pass = rules_of(c).iter().find(|pass| pass.name == name);
        pass.map(|pass| pass.names().count())
    };
    let before = count(&c, "rewrite").unwrap();
    add_rules(&mut c, "dir/own.toml", rule).unwrap();
    add_rules(&mut c, "rewrite.toml", rule).unwrap();
    assert_eq!(count(&c, "own"), Some(1));
    assert_eq!(count(&c, "rewrite"), Some(before + 1));
}
