//! `grammar.json` of a tree-sitter grammar in the normal form of `syntax::Facts`.
//!
//! Tree-sitter's documentation ("Creating parsers: the grammar DSL") and the first steps of its
//! generator (extraction of tokens) say what is visible in trees. Must not depend on any language.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use anyhow::{Context, bail};
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use super::expression::Expr;

/// What we need of a `grammar.json`.
#[derive(Deserialize)]
pub(super) struct Grammar {
    name: String,
    #[serde(deserialize_with = "in_order")]
    rules: Vec<(String, Value)>,
    #[serde(default)]
    supertypes: Vec<String>,
    #[serde(default)]
    inline: Vec<String>,
}

/// Returns the members of an object in the order of the file: the first rule is the root.
fn in_order<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<(String, Value)>, D::Error> {
    struct Members;
    impl<'de> Visitor<'de> for Members {
        type Value = Vec<(String, Value)>;

        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("an object")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            let mut members = Vec::new();
            while let Some(member) = map.next_entry()? {
                members.push(member);
            }
            Ok(members)
        }
    }
    from.deserialize_map(Members)
}

struct Generator<'a> {
    grammar: &'a Grammar,
    /// How often each token without a rule of its own occurs in the whole grammar.
    tokens: BTreeMap<String, usize>,
    /// Aliases of rules: the new name and the rule whose body it has.
    aliases: BTreeSet<(String, String)>,
}

/// Returns the facts as text.
pub(super) fn generate(grammar: &Grammar) -> anyhow::Result<String> {
    let mut generator = Generator { grammar, tokens: BTreeMap::new(), aliases: BTreeSet::new() };
    for (_, body) in &grammar.rules {
        count_tokens(body, &mut generator.tokens);
    }
    let mut bodies = BTreeMap::new();
    for (name, body) in &grammar.rules {
        if !generator.is_lexical(name) {
            bodies.insert(name.as_str(), generator.expr(body)?);
        }
    }
    let mut out = format!(
        "# Grammar facts of tree-sitter-{}, written by `xtask facts`: not to be edited.\n",
        grammar.name
    );
    let aliases = std::mem::take(&mut generator.aliases);
    let used = reachable(&bodies, &aliases, grammar);
    for name in grammar.rules.iter().map(|(name, _)| name.as_str()) {
        let Some(body) = bodies.get(name).filter(|_| used.contains(name)) else { continue };
        line(&mut out, name, if generator.is_hidden(name) { ":=" } else { "=" }, body);
    }
    for (alias, rule) in &aliases {
        if let Some(body) = bodies.get(rule.as_str()) {
            line(&mut out, alias, "=", body);
        }
    }
    Ok(out)
}

fn line(out: &mut String, name: &str, sign: &str, body: &Expr) {
    let mut text = String::new();
    body.write(&mut text, false);
    writeln!(out, "{name} {sign} {text}").expect("writing to a string never fails");
}

/// Returns the rules that occur under their own names below the first rule.
fn reachable<'a>(
    bodies: &'a BTreeMap<&'a str, Expr>,
    aliases: &'a BTreeSet<(String, String)>,
    grammar: &'a Grammar,
) -> BTreeSet<&'a str> {
    fn names<'a>(expr: &'a Expr, found: &mut Vec<&'a str>) {
        match expr {
            Expr::Name(name) => found.push(name),
            Expr::Literal(_) => {}
            Expr::Seq(parts) | Expr::Choice(parts) => parts.iter().for_each(|p| names(p, found)),
            Expr::Many(inner, _) => names(inner, found),
        }
    }
    let mut used = BTreeSet::new();
    // What only an alias reaches is walked too, but has no line under its own name.
    let mut todo: Vec<&str> = grammar.rules.iter().take(1).map(|(name, _)| name.as_str()).collect();
    let mut walked: BTreeSet<&str> = BTreeSet::new();
    while let Some(name) = todo.pop() {
        used.insert(name);
        let bodies_of = std::iter::once(name).chain(
            aliases.iter().filter(|(alias, _)| alias == name).map(|(_, rule)| rule.as_str()),
        );
        for rule in bodies_of {
            if walked.insert(rule)
                && let Some(body) = bodies.get(rule)
            {
                names(body, &mut todo);
            }
        }
    }
    used
}

/// Counts tokens that have no rule of their own: strings, patterns, `token(...)`.
fn count_tokens(rule: &Value, counts: &mut BTreeMap<String, usize>) {
    match kind(rule) {
        "STRING" | "PATTERN" | "TOKEN" | "IMMEDIATE_TOKEN" => {
            *counts.entry(rule.to_string()).or_default() += 1;
        }
        _ => {
            if let Some(content) = rule.get("content") {
                count_tokens(content, counts);
            }
            members(rule).iter().for_each(|m| count_tokens(m, counts));
        }
    }
}

fn kind(rule: &Value) -> &str {
    rule["type"].as_str().unwrap_or_default()
}

fn members(rule: &Value) -> &[Value] {
    rule["members"].as_array().map_or(&[], Vec::as_slice)
}

/// Returns the rule without the wrappers that do not show in trees.
fn unwrapped(rule: &Value) -> &Value {
    match kind(rule) {
        "FIELD" | "PREC" | "PREC_LEFT" | "PREC_RIGHT" | "PREC_DYNAMIC" | "RESERVED" => {
            unwrapped(&rule["content"])
        }
        _ => rule,
    }
}

impl Generator<'_> {
    fn is_hidden(&self, name: &str) -> bool {
        name.starts_with('_')
            || self.grammar.supertypes.iter().any(|s| s == name)
            || self.grammar.inline.iter().any(|s| s == name)
    }

    /// Returns the body of a rule; tokens of a scanner have none.
    fn body(&self, name: &str) -> Option<&Value> {
        self.grammar.rules.iter().find(|(n, _)| n == name).map(|(_, body)| unwrapped(body))
    }

    /// Returns whether the rule is a token: its whole body is one that occurs nowhere else.
    fn is_lexical(&self, name: &str) -> bool {
        let Some(body) = self.body(name) else { return true };
        matches!(kind(body), "STRING" | "PATTERN" | "TOKEN" | "IMMEDIATE_TOKEN")
            && self.tokens.get(&body.to_string()).is_none_or(|&n| n <= 1)
    }

    fn expr(&mut self, rule: &Value) -> anyhow::Result<Expr> {
        let rule = unwrapped(rule);
        Ok(match kind(rule) {
            "BLANK" => Expr::NOTHING,
            "STRING" => Expr::Literal(text(rule, "value")?),
            "PATTERN" | "TOKEN" | "IMMEDIATE_TOKEN" => token(rule)?,
            "SYMBOL" => self.symbol(&text(rule, "name")?),
            "ALIAS" => self.alias(rule)?,
            "REPEAT" => Expr::many(self.expr(&rule["content"])?, '*'),
            "REPEAT1" => Expr::many(self.expr(&rule["content"])?, '+'),
            "SEQ" => Expr::seq(self.all(members(rule))?),
            "CHOICE" => Expr::choice(self.all(members(rule))?),
            other => bail!("unknown rule type `{other}`"),
        })
    }

    fn all(&mut self, rules: &[Value]) -> anyhow::Result<Vec<Expr>> {
        rules.iter().map(|rule| self.expr(rule)).collect()
    }

    fn symbol(&self, name: &str) -> Expr {
        if !self.is_hidden(name) || !self.is_lexical(name) {
            return Expr::Name(name.to_owned());
        }
        match self.body(name) {
            Some(body) if !is_blank(body) => Expr::Name("hidden".to_owned()),
            // Tokens of a scanner that has no name for them: they carry no text.
            _ => Expr::NOTHING,
        }
    }

    fn alias(&mut self, rule: &Value) -> anyhow::Result<Expr> {
        let value = text(rule, "value")?;
        let named = rule["named"].as_bool().unwrap_or_default();
        let content = unwrapped(&rule["content"]);
        if kind(content) == "SYMBOL" {
            let name = text(content, "name")?;
            if named && !self.is_lexical(&name) {
                self.aliases.insert((value.clone(), name));
            }
        }
        let alias = if named { Expr::Name(value) } else { Expr::Literal(value) };
        match kind(content) {
            "SYMBOL" | "STRING" | "PATTERN" | "TOKEN" | "IMMEDIATE_TOKEN" => Ok(alias),
            _ => Ok(self.expr(content)?.renamed(&alias)),
        }
    }
}

fn text(rule: &Value, field: &str) -> anyhow::Result<String> {
    Ok(rule[field].as_str().with_context(|| format!("no `{field}` in {rule}"))?.to_owned())
}

/// Returns a token without a name: visible if it is a fixed text, hidden otherwise.
fn token(rule: &Value) -> anyhow::Result<Expr> {
    let content = if kind(rule) == "PATTERN" { rule } else { unwrapped(&rule["content"]) };
    Ok(match kind(content) {
        "STRING" => Expr::Literal(text(content, "value")?),
        _ if is_blank(content) => Expr::NOTHING,
        _ => Expr::Name("hidden".to_owned()),
    })
}

/// Returns whether a token can only be blank space: then it shows nowhere in our trees.
fn is_blank(rule: &Value) -> bool {
    let fits = |text: &str| {
        let rest = text.replace("\\r", "").replace("\\n", "").replace("\\t", "").replace("\\s", "");
        rest.chars().all(|c| " \t\r\n?*+()[]|".contains(c))
    };
    match kind(rule) {
        "BLANK" => true,
        "STRING" => rule["value"].as_str().is_some_and(|v| v.trim().is_empty()),
        "PATTERN" => rule["value"].as_str().is_some_and(fits),
        _ => rule.get("content").is_none_or(is_blank) && members(rule).iter().all(is_blank),
    }
}
