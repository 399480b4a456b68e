//! What is derived from grammars that nobody has tested: broken, absurd, or of another tool.

use minirepro_languages::derive;
use minirepro_syntax::{Facts, Kinds};
use proptest::prelude::*;
use serde_json::{Value, json};

/// A grammar with every form of rule.
fn grammar() -> Value {
    json!({
        "name": "all",
        "word": "identifier",
        "rules": {
            "Source": { "type": "REPEAT", "content": { "type": "SYMBOL", "name": "_statement" } },
            "_statement": { "type": "CHOICE", "members": [
                { "type": "SYMBOL", "name": "block" },
                { "type": "SYMBOL", "name": "let_statement" },
                { "type": "PREC", "value": 1, "content": { "type": "SYMBOL", "name": "_chain" } },
            ] },
            "_chain": { "type": "SEQ", "members": [
                { "type": "CHOICE", "members": [
                    { "type": "SYMBOL", "name": "_chain" }, { "type": "SYMBOL", "name": "number" },
                ] },
                { "type": "STRING", "value": "&&" },
                { "type": "SYMBOL", "name": "_expression" },
            ] },
            "block": { "type": "SEQ", "members": [
                { "type": "STRING", "value": "{" },
                { "type": "FIELD", "name": "body", "content": { "type": "REPEAT1",
                    "content": { "type": "SYMBOL", "name": "_statement" } } },
                { "type": "STRING", "value": "}" },
            ] },
            "let_statement": { "type": "PREC_LEFT", "value": 0, "content": { "type": "SEQ", "members": [
                { "type": "STRING", "value": "let" },
                { "type": "ALIAS", "named": true, "value": "name",
                    "content": { "type": "SYMBOL", "name": "identifier" } },
                { "type": "CHOICE", "members": [
                    { "type": "SEQ", "members": [
                        { "type": "STRING", "value": "=" }, { "type": "SYMBOL", "name": "_expression" },
                    ] },
                    { "type": "BLANK" },
                ] },
            ] } },
            "_expression": { "type": "CHOICE", "members": [
                { "type": "SYMBOL", "name": "identifier" }, { "type": "SYMBOL", "name": "number" },
                { "type": "SYMBOL", "name": "raw" },
            ] },
            "identifier": { "type": "PATTERN", "value": "[a-z]+" },
            "number": { "type": "TOKEN", "content": { "type": "REPEAT1",
                "content": { "type": "PATTERN", "value": "\\d" } } },
        },
        "extras": [{ "type": "PATTERN", "value": "\\s" }],
        "externals": [{ "type": "SYMBOL", "name": "raw" }],
        "supertypes": ["_expression"],
        "inline": ["_chain"],
    })
}

/// Returns all values in it that have parts or are one, by their pointers.
fn pointers(value: &Value, here: &str, found: &mut Vec<String>) {
    found.push(here.to_owned());
    match value {
        Value::Object(members) => {
            for (key, value) in members {
                pointers(value, &format!("{here}/{key}"), found);
            }
        }
        Value::Array(items) => {
            for (i, value) in items.iter().enumerate() {
                pointers(value, &format!("{here}/{i}"), found);
            }
        }
        _ => {}
    }
}

/// A change of one value of a grammar.
#[derive(Clone, Debug)]
enum Fault {
    Value(Value),
    /// Another part of the same grammar.
    Copy(prop::sample::Index),
}

fn fault() -> impl Strategy<Value = Fault> {
    prop_oneof![
        Just(Fault::Value(Value::Null)),
        Just(Fault::Value(json!(-1))),
        Just(Fault::Value(json!({}))),
        Just(Fault::Value(json!([]))),
        Just(Fault::Value(json!({ "type": "SEQ" }))),
        Just(Fault::Value(json!({ "type": "SYMBOL", "name": "block" }))),
        "[a-z_\" \n(|)=:#]{0,6}".prop_map(|text| Fault::Value(json!(text))),
        any::<prop::sample::Index>().prop_map(Fault::Copy),
        any::<prop::sample::Index>().prop_map(Fault::Copy),
    ]
}

/// Derives all from a grammar, as it is done with one that a user has named.
fn derived(grammar: &Value) -> Result<(), String> {
    let derived = derive(&grammar.to_string()).map_err(|error| error.to_string())?;
    Facts::parse(&derived.facts, &mut Kinds::default()).map_err(|error| error.to_string())?;
    toml::from_str::<toml::Table>(&derived.manifest).map_err(|error| error.to_string())?;
    Ok(())
}

#[test]
fn a_grammar_as_it_should_be_is_no_error() {
    assert_eq!(derived(&grammar()), Ok(()));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    /// No fault of a grammar makes more of a mess than an error.
    #[test]
    fn a_broken_grammar_is_no_panic(faults in prop::collection::vec((any::<prop::sample::Index>(), fault()), 1..8)) {
        let mut grammar = grammar();
        for (place, fault) in faults {
            let mut all = Vec::new();
            pointers(&grammar, "", &mut all);
            let value = match fault {
                Fault::Value(value) => value,
                Fault::Copy(from) => {
                    let from: &String = from.get(&all);
                    grammar.pointer(from).unwrap().clone()
                }
            };
            // Copies in copies would grow without measure.
            if value.to_string().len() < 20_000 {
                let place: &String = place.get(&all);
                *grammar.pointer_mut(place).unwrap() = value;
            }
        }
        let _ = derived(&grammar);
    }
}

#[test]
fn absurd_grammars_are_errors() {
    let with_rules = |rules: Value| json!({ "name": "x", "rules": rules });
    let error = |grammar: &Value| derived(grammar).unwrap_err();
    let many: serde_json::Map<String, Value> =
        (0..20_000).map(|i| (format!("r{i}"), json!({ "type": "BLANK" }))).collect();
    assert_eq!(error(&with_rules(many.into())), "20000 rules are too many");
    let name = with_rules(json!({ "a b": { "type": "BLANK" } }));
    assert_eq!(error(&name), "a rule cannot be called `a b`");
    // Each rule names the next one twice.
    let doubling: serde_json::Map<String, Value> = (0..60)
        .map(|i| {
            let next = json!({ "type": "SYMBOL", "name": format!("_r{}", i + 1) });
            // Members are sorted: the first rule is the root.
            let name = if i == 0 { "R".to_owned() } else { format!("_r{i}") };
            (name, json!({ "type": "SEQ", "members": [next, next] }))
        })
        .collect();
    let error_of_doubling = error(&with_rules(doubling.into()));
    assert!(error_of_doubling.contains("`R` has too many"), "{error_of_doubling}");
    let mut deep = json!({ "type": "BLANK" });
    for _ in 0..1_000 {
        deep = json!({ "type": "PREC", "content": deep });
    }
    let error = error(&with_rules(json!({ "r": deep })));
    assert!(error.contains("recursion limit exceeded"), "{error}");
    assert!(["", "[]", "{}"].iter().all(|text| derive(text).is_err()));
}

#[test]
fn aliases_of_optional_parts_and_inside_of_extras_keep_their_rules() {
    let symbol = |name: &str| json!({ "type": "SYMBOL", "name": name });
    let string = |value: &str| json!({ "type": "STRING", "value": value });
    let alias = |content: Value, value: &str| json!({ "type": "ALIAS", "named": true, "value": value, "content": content });
    let bracketed = json!({ "type": "SEQ", "members": [string("("), symbol("word"), string(")")] });
    let optional = json!({ "type": "CHOICE", "members": [symbol("_list"), { "type": "BLANK" }] });
    let grammar = json!({
        "name": "x",
        "rules": {
            "File": { "type": "SEQ", "members": [symbol("word"), alias(optional, "arguments")] },
            "_list": bracketed,
            "remark": { "type": "SEQ", "members": [string("#"), alias(symbol("_list"), "note")] },
            "word": { "type": "PATTERN", "value": "[a-z]+" },
        },
        "extras": [symbol("remark")],
    });
    let facts = derive(&grammar.to_string()).unwrap().facts;
    let lines: Vec<&str> = facts.lines().skip(1).collect();
    let expected = [
        "File = word arguments?",
        "remark = \"#\" note",
        "arguments = \"(\" word \")\"",
        "note = \"(\" word \")\"",
    ];
    assert_eq!(lines, expected);
}
