//! The notation of grammars and extensions: rules as in EBNF, made into the form of a
//! `grammar.json`. `notation.pest` is its own grammar.
//!
//! `NAME = RULE` is a rule, which replaces one of that name; in it, `...` stands for the replaced
//! one. `%in NAME: X before Y` puts X before the parts Y of that rule, wherever they stand; `after`
//! puts it there, `or` makes it an alternative, and `for` puts it in their place. Other statements:
//! `%name`, `%word`, `%extras`, `%externals`, `%inline`, `%supertypes`, `%conflict`, `%without`. An
//! indented line goes on with a statement, and one that begins with `#` is a comment.

use pest::Parser;
use pest::iterators::Pair;
use serde_json::{Map, Value, json};

#[derive(pest_derive::Parser)]
#[grammar = "build/notation.pest"]
struct Notation;

/// Stands for what is replaced.
const OLD: &str = "...";

/// Returns a grammar without rules.
pub(crate) fn empty() -> Value {
    json!({ "rules": {} })
}

/// Applies a text in the notation to a grammar.
///
/// # Errors
/// If the text is malformed, or mentions a rule or a part that there is not.
pub(crate) fn extend(grammar: &mut Value, text: &str) -> Result<(), String> {
    let mut statements: Vec<String> = Vec::new();
    for line in text.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty()) {
        match statements.last_mut().filter(|_| line.starts_with(char::is_whitespace)) {
            Some(statement) => *statement = format!("{statement} {}", line.trim()),
            None => statements.push(line.to_owned()),
        }
    }
    for statement in statements {
        let sort = if statement.starts_with('%') { Rule::statement } else { Rule::rule };
        let parsed = Notation::parse(sort, &statement).map_err(|why| why.variant.message().into());
        let done = parsed.and_then(|mut parsed| parsed.try_for_each(|pair| apply(grammar, pair)));
        done.map_err(|why| format!("{why}: {statement}"))?;
    }
    Ok(())
}

/// Applies a statement.
fn apply(grammar: &mut Value, statement: Pair<'_, Rule>) -> Result<(), String> {
    let is_rule = statement.as_rule() == Rule::rule;
    let mut inside = statement.into_inner().filter(|part| part.as_rule() != Rule::EOI);
    let Some(first) = inside.next() else { return Ok(()) };
    if first.as_rule() == Rule::change {
        return change(grammar, first);
    }
    let name = first.as_str();
    let mut parts: Vec<Value> = inside.map(value).collect();
    if is_rule {
        let rules = rules(grammar)?;
        parts.iter_mut().try_for_each(|rule| fill(rule, rules.get(name)))?;
        rules.extend(parts.into_iter().map(|rule| (name.to_owned(), rule)));
        return Ok(());
    }
    let names = || {
        let names = parts.iter().map(|part| part["name"].as_str().map(str::to_owned));
        names.collect::<Option<Vec<String>>>().ok_or("not a name")
    };
    let mut new: Vec<Value> = match name {
        "name" | "word" => {
            grammar[name] = names()?.concat().into();
            return Ok(());
        }
        "without" => {
            let gone = names()?;
            rules(grammar)?.retain(|name, _| !gone.contains(name));
            return Ok(());
        }
        // Of these there are several statements.
        "conflict" => vec![OLD.into(), names()?.into()],
        "inline" | "supertypes" => names()?.into_iter().map(Value::from).collect(),
        "extras" | "externals" => parts,
        _ => return Err("no such statement".into()),
    };
    let list = &mut grammar[if name == "conflict" { "conflicts" } else { name }];
    let old = list.as_array_mut().map(std::mem::take).unwrap_or_default();
    if let Some(at) = new.iter().position(|part| part == OLD || part["name"] == OLD) {
        new.splice(at..=at, old);
    }
    *list = new.into();
    Ok(())
}

/// Changes a part of a rule.
fn change(grammar: &mut Value, statement: Pair<'_, Rule>) -> Result<(), String> {
    let mut inside = statement.into_inner();
    let mut next = || inside.next().expect("a change has four parts");
    let (name, new, place) = (next().as_str(), value(next()), next().as_str());
    let parts: Vec<Value> = inside.map(value).collect();
    let changed = |old: Value| match place {
        "before" => list_of("SEQ", vec![new.clone(), old]),
        "after" => list_of("SEQ", vec![old, new.clone()]),
        "or" => list_of("CHOICE", vec![old, new.clone()]),
        _ => new.clone(),
    };
    let rule = rules(grammar)?.get_mut(name).ok_or("there is no such rule")?;
    match replace(rule, &parts, &changed) {
        0 => Err("the rule has no such part".into()),
        _ => Ok(()),
    }
}

fn rules(grammar: &mut Value) -> Result<&mut Map<String, Value>, String> {
    grammar["rules"].as_object_mut().ok_or("the grammar has no rules".to_owned())
}

/// Returns the form of a part of a rule in a `grammar.json`.
fn value(part: Pair<'_, Rule>) -> Value {
    let (sort, text) = (part.as_rule(), part.as_str());
    let mut inside = part.into_inner();
    let mut next = || inside.next().expect("the notation's grammar says which parts there are");
    match sort {
        Rule::choice => list_of("CHOICE", inside.map(value).collect()),
        Rule::sequence => list_of("SEQ", inside.map(value).collect()),
        Rule::field => {
            json!({ "type": "FIELD", "name": next().as_str(), "content": value(next()) })
        }
        Rule::form => {
            let (applied, content) = (next().as_str(), value(next()));
            let (name, precedence) = applied.split_once('(').unwrap_or((applied, ""));
            let kind = match name {
                "immediate" => "IMMEDIATE_TOKEN".to_owned(),
                "token" | "prec" => name.to_uppercase(),
                _ => format!("PREC_{}", name.to_uppercase()),
            };
            match precedence {
                "" => json!({ "type": kind, "content": content }),
                _ => json!({ "type": kind, "value": json_of(precedence), "content": content }),
            }
        }
        Rule::text => json!({ "type": "STRING", "value": json_of(text) }),
        Rule::pattern => {
            let value = next().as_str().replace("\\/", "/");
            match next().as_str() {
                "" => json!({ "type": "PATTERN", "value": value }),
                flags => json!({ "type": "PATTERN", "value": value, "flags": flags }),
            }
        }
        Rule::part => {
            let part = value(next());
            inside.fold(part, with_suffix)
        }
        _ => json!({ "type": "SYMBOL", "name": text }),
    }
}

fn with_suffix(rule: Value, suffix: Pair<'_, Rule>) -> Value {
    match (suffix.as_str(), suffix.into_inner().next()) {
        (_, Some(name)) => {
            let named = name.as_rule() == Rule::word;
            let value = if named { name.as_str().into() } else { json_of(name.as_str()) };
            json!({ "type": "ALIAS", "content": rule, "named": named, "value": value })
        }
        ("?", _) => json!({ "type": "CHOICE", "members": [rule, { "type": "BLANK" }] }),
        ("*", _) => json!({ "type": "REPEAT", "content": rule }),
        _ => json!({ "type": "REPEAT1", "content": rule }),
    }
}

/// Returns a number, or a text in quotes.
fn json_of(text: &str) -> Value {
    serde_json::from_str(text).expect("numbers and texts are written as in JSON")
}

/// Returns one of several parts, or one after the other, without a list around a single one.
fn list_of(kind: &str, mut members: Vec<Value>) -> Value {
    match members.len() {
        0 => json!({ "type": "BLANK" }),
        1 => members.remove(0),
        _ => json!({ "type": kind, "members": members }),
    }
}

/// Puts the old rule wherever a new one stands for it.
fn fill(rule: &mut Value, old: Option<&Value>) -> Result<(), String> {
    match rule {
        Value::Object(members) if members.get("name").is_some_and(|name| name == OLD) => {
            *rule = old.ok_or("there is no old rule")?.clone();
            Ok(())
        }
        Value::Object(members) => members.values_mut().try_for_each(|part| fill(part, old)),
        Value::Array(parts) => parts.iter_mut().try_for_each(|part| fill(part, old)),
        _ => Ok(()),
    }
}

/// Changes a rule wherever these parts stand in it, one after the other; returns how often.
fn replace(rule: &mut Value, parts: &[Value], new: &dyn Fn(Value) -> Value) -> usize {
    if parts.len() == 1 && *rule == parts[0] {
        *rule = new(rule.take());
        return 1;
    }
    if parts.len() > 1
        && let Some(Value::Array(members)) = rule.get_mut("members")
        && let Some(at) = members.windows(parts.len()).position(|window| window == parts)
    {
        let old: Vec<Value> = members.drain(at..at + parts.len()).collect();
        members.insert(at, new(list_of("SEQ", old)));
        return 1;
    }
    match rule {
        Value::Object(inside) => inside.values_mut().map(|part| replace(part, parts, new)).sum(),
        Value::Array(inside) => inside.iter_mut().map(|part| replace(part, parts, new)).sum(),
        _ => 0,
    }
}
