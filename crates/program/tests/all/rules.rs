//! What rules can say: files of rules with examples, each of which must hold.

use minirepro_program::{CheckedExample, Languages, Rules, check_rules};

/// Returns what is wrong with the examples of a file of rules for C.
fn faults(text: &str) -> Result<Vec<String>, String> {
    let rules = Rules { origin: "own.toml".to_owned(), text: text.to_owned() };
    let checked =
        check_rules(&Languages::default(), Some("c"), &rules).map_err(|e| e.to_string())?;
    let fault = |example: CheckedExample| format!("{example:?}");
    Ok(checked.into_iter().filter(|example| !example.holds()).map(fault).collect())
}

#[test]
fn each_verb_does_what_its_example_says() {
    for (verb, text) in [
        (
            "move",
            "[[rule]]\nmatch = 'declaration'\nwhere = '$.parent(block)'\n\
             let = { FUNCTION = '$.around(function)', ITSELF = '$' }\n\
             move = 'ITSELF'\nbefore = 'FUNCTION'\n\
             [[example]]\nbefore = 'int f(void) { int a; a = 1; return a; }'\n\
             after = 'int a; int f(void) { a = 1; return a; }'\n\
             never = 'int f(void) { a = 1; return a; }'\n",
        ),
        (
            "fresh",
            "[[rule]]\npattern = '$F($X, $Y, $Z)'\nfresh = 'NEW'\nput = '$NEW'\n\
             [[example]]\nbefore = 'int a; int g(void) { return h(a, 2, 3); }'\n\
             after = 'int a; int g(void) { return b; }'\n\
             never = 'int a; int g(void) { return a; }'\n",
        ),
        (
            "least",
            "[[rule]]\npattern = '$F($X, $Y)'\nleast = 'X'\n\
             [[example]]\nbefore = 'int g(int a) { return h(a + 1, 2); }'\n\
             after = 'int g(int a) { return h(0, 2); }'\n",
        ),
        (
            "remove, wide and narrow",
            "[[rule]]\nmatch = 'parameter'\nlet = { NAME = '$.declared' }\nremove = 'NAME.uses'\n\
             [[rule]]\nmatch = 'parameter'\nlet = { NAME = '$.declared' }\n\
             remove = 'NAME.uses'\nnarrow = true\n\
             [[example]]\nbefore = 'int b; int f(int a) { a = g(b); return 0; }'\n\
             after = ['int b; int f(int a) { return 0; }', 'int b; int f(int a) { g(b); return 0; }']\n",
        ),
        (
            "must",
            "[[rule]]\nmatch = 'function'\nany = { PARAMETER = '$.within(parameters).children' }\n\
             let = { NAME = '$.within(parameters).first.function_name' }\ndrop = 'PARAMETER'\n\
             edit = [{ each = 'NAME.uses.list', must = true, drop = 'IT.column(PARAMETER)' }]\n\
             [[example]]\nbefore = 'int f(int a, int b) { return 0; } int g(void) { return f(1, 2); }'\n\
             after = 'int f(int a) { return 0; } int g(void) { return f(1); }'\n\
             [[example]]\nbefore = 'int f(int a, int b) { return 0; } int g(void) { return f(1); }'\n\
             never = 'int f(int a) { return 0; } int g(void) { return f(1); }'\n",
        ),
        (
            "substitute",
            "[[rule]]\nmatch = 'macro'\nlet = { NAME = '$.name', CALLS = 'NAME.uses.parent(call)', \
             VALUE = '$.value', PARAMETERS = '$.parameters.children' }\n\
             drop = '$'\n\
             [[rule.edit]]\neach = 'CALLS'\nlet = { ARGUMENTS = 'IT.arguments.children' }\n\
             put = '$VALUE'\nsubstitute = ['PARAMETERS', 'ARGUMENTS']\n\
             [[example]]\nbefore = \"#define M(x) x-1\\nint f(void) { return M(2); }\"\n\
             after = 'int f(void) { return 2-1; }'\n",
        ),
        (
            "grows",
            "grows = true\n[[rule]]\npattern = '$A - $B'\nput = '$A - $B - $B'\n\
             [[example]]\nbefore = 'int f(int a) { return a - 2; }'\n\
             after = 'int f(int a) { return a - 2 - 2; }'\n",
        ),
    ] {
        assert_eq!(faults(text), Ok(Vec::new()), "{verb}");
    }
}

#[test]
fn an_example_that_does_not_hold_is_found() {
    let rule =
        "[[rule]]\npattern = '$A + $B'\nput = '$A'\n[[example]]\nbefore = 'int a = 1 + 2;'\n";
    assert_eq!(faults(&format!("{rule}after = 'int a = 1;'\n")), Ok(Vec::new()));
    for wrong in ["after = 'int a = 2;'\n", "never = 'int a = 1;'\n"] {
        assert_eq!(faults(&format!("{rule}{wrong}")).map(|all| all.len()), Ok(1), "{wrong}");
    }
    let expects_nothing = faults(rule).expect_err("it expects nothing");
    assert!(expects_nothing.contains("says neither what comes `after`"), "{expects_nothing}");
}
