//! What rules can say: files of rules with examples, each of which must hold.

use minirepro_program::{CheckedExample, Languages, Rules, check_rules};

/// Returns what is wrong with the examples of a file of rules for C.
fn faults(text: &str) -> Result<Vec<String>, String> {
    faults_of("own.toml", text)
}

fn faults_of(file: &str, text: &str) -> Result<Vec<String>, String> {
    let rules = Rules { origin: file.to_owned(), text: text.to_owned() };
    let checked =
        check_rules(&Languages::default(), Some("c"), &rules).map_err(|e| e.to_string())?;
    let fault = |example: CheckedExample| format!("{example:?}");
    Ok(checked.into_iter().filter(|example| !example.holds()).map(fault).collect())
}

#[test]
fn each_verb_does_what_its_example_says() {
    for (verb, text) in [
        (
            "a part that moves",
            "[[rule]]\nmatch = '(declaration) @ITSELF'\nwhere = '$.parent(block)'\n\
             let = { FUNCTION = '$.around(function)' }\n\
             drop = '$'\nedit = [{ at = 'FUNCTION', put = '$ITSELF $FUNCTION' }]\n\
             [[example]]\nbefore = 'int f(void) { int a; a = 1; return a; }'\n\
             after = 'int a; int f(void) { a = 1; return a; }'\n\
             never = 'int f(void) { a = 1; return a; }'\n",
        ),
        (
            "fresh",
            "[[rule]]\nmatch = '$F($X, $Y, $Z)'\nput = '$FRESH'\n\
             [[example]]\nbefore = 'int a; int g(void) { return h(a, 2, 3); }'\n\
             after = 'int a; int g(void) { return b; }'\n\
             never = 'int a; int g(void) { return a; }'\n",
        ),
        (
            "remove",
            "[[rule]]\nmatch = '(parameter)'\nlet = { NAME = '$.declared' }\n\
             remove = 'NAME.uses'\n\
             [[example]]\nbefore = 'int b; int f(int a) { a = g(b); return 0; }'\n\
             after = 'int b; int f(int a) { g(b); return 0; }'\n",
        ),
        (
            "each must have its edit",
            "[[rule]]\nmatch = '(function)'\n\
             let = { PARAMETER = '$.below(parameters).children[*]', NAME = '$.below(parameters)[0].declared' }\n\
             drop = 'PARAMETER'\nedit = [{ each = 'NAME.uses.list', drop = 'IT.column(PARAMETER)' }]\n\
             [[example]]\nbefore = 'int f(int a, int b) { return 0; } int g(void) { return f(1, 2); }'\n\
             after = 'int f(int a) { return 0; } int g(void) { return f(1); }'\n\
             [[example]]\nbefore = 'int f(int a, int b) { return 0; } int g(void) { return f(1); }'\n\
             never = 'int f(int a) { return 0; } int g(void) { return f(1); }'\n",
        ),
        (
            "substitute",
            "[[rule]]\nmatch = '(macro name: _ @NAME value: _ @VALUE)'\n\
             let = { CALLS = 'NAME.uses.parent(call)', PARAMETERS = '$.parameters.children' }\n\
             drop = '$'\n\
             [[rule.edit]]\neach = 'CALLS'\nlet = { ARGUMENTS = 'IT.arguments.children' }\n\
             put = '$VALUE'\nsubstitute = ['PARAMETERS', 'ARGUMENTS']\n\
             [[example]]\nbefore = \"#define M(x) x-1\\nint f(void) { return M(2); }\"\n\
             after = 'int f(void) { return 2-1; }'\n",
        ),
        (
            "several patterns and texts, and captures of the file",
            "[let]\nB = 'A.uses.in($)'\n[[rule]]\nmatch = ['f($A)', 'g($A)']\n\
             put = ['$A + 1', '$A + 2']\n[[rule]]\nmatch = '$A - $C'\nput = '$B'\n\
             [[example]]\nbefore = 'int h(int a) { return f(a) + g(a); }'\n\
             after = ['int h(int a) { return f(a) + a + 2; }', 'int h(int a) { return a + 1 + g(a); }']\n\
             [[example]]\nbefore = 'int h(int a) { return a - (a + 2); }'\n\
             after = 'int h(int a) { return a; }'\n",
        ),
        (
            "what a query can say",
            "[[rule]]\nmatch = '(call function: (name) @F arguments: (_ . (_) @A . (_) @B .))'\n\
             where = [\"F.is('f' | 'g')\", '!A.is(B)']\nput = '$A'\n\
             [[rule]]\nmatch = '(declaration type: _ @TYPE !value)'\nwhere = \"TYPE.is('long')\"\ndrop = '$'\n\
             [[example]]\nbefore = 'int a = g(2, 3);'\nafter = 'int a = 2;'\nnever = 'int a = 3;'\n\
             [[example]]\nbefore = 'int a = g(2, 2);'\nnever = 'int a = 2;'\n\
             [[example]]\nbefore = 'int a = g(2, 3, 4);'\nnever = 'int a = 2;'\n\
             [[example]]\nbefore = 'int a = h(2, 3);'\nnever = 'int a = 2;'\n\
             [[example]]\nbefore = 'int a; long b;'\nafter = 'int a;'\nnever = 'long b;'\n",
        ),
        (
            "grows",
            "grows = true\n[[rule]]\nmatch = '$A - $B'\nput = '$A - $B - $B'\n\
             [[example]]\nbefore = 'int f(int a) { return a - 2; }'\n\
             after = 'int f(int a) { return a - 2 - 2; }'\n",
        ),
    ] {
        assert_eq!(faults(text), Ok(Vec::new()), "{verb}");
    }
}

#[test]
fn an_example_that_does_not_hold_is_found() {
    let rule = "[[rule]]\nmatch = '$A + $B'\nput = '$A'\n[[example]]\nbefore = 'int a = 1 + 2;'\n";
    assert_eq!(faults(&format!("{rule}after = 'int a = 1;'\n")), Ok(Vec::new()));
    for wrong in ["after = 'int a = 2;'\n", "never = 'int a = 1;'\n"] {
        assert_eq!(faults(&format!("{rule}{wrong}")).map(|all| all.len()), Ok(1), "{wrong}");
    }
    let expects_nothing = faults(rule).expect_err("it expects nothing");
    assert!(expects_nothing.contains("says neither what comes `after`"), "{expects_nothing}");
}

#[test]
fn an_example_of_ours_holds_by_the_other_files_of_its_pass() {
    // No part of C is a style rule: the example is about the file that C has itself.
    let rule = "[[rule]]\nmatch = '(style_rule)'\ndrop = '$'\n";
    assert_eq!(faults_of("grammars/rules/replace-typedef.toml", rule), Ok(Vec::new()));
}
