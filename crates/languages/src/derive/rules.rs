//! The rules of a `grammar.json` in the normal form of `syntax::Facts`.
//!
//! Tree-sitter's documentation ("Creating parsers: the grammar DSL") and the first steps of its
//! generator (extraction of tokens) say what is visible in trees. Must not depend on any language.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::derive::error::DeriveError;
use crate::derive::expression::Expr;
use crate::derive::grammar::{Grammar, kind, members, parts, unwrapped};

/// The rules of a grammar: the children that visible kinds have, and the parts that show no node.
pub(super) struct Rules {
    /// In the order of the grammar, aliases after all rules. A kind may have several.
    pub(super) lines: Vec<Line>,
    /// Kinds that are another name for a token, with the token's rule.
    pub(super) token_aliases: BTreeSet<(String, String)>,
    /// What a rule's fields may hold.
    fields: BTreeMap<String, Vec<(String, Expr)>>,
    /// The rules that trees have nodes of.
    used: BTreeSet<String>,
}

/// One rule.
pub(super) struct Line {
    /// The name of the kind, or of the part.
    pub(super) name: String,
    /// The rule that says what it is: another one for an alias.
    rule: String,
    /// Whether it shows no node, and is put in wherever its name stands.
    pub(super) hidden: bool,
    pub(super) body: Expr,
}

struct Generator<'a> {
    grammar: &'a Grammar,
    /// How often each token without a rule of its own occurs in the whole grammar.
    tokens: BTreeMap<String, usize>,
    /// Aliases of rules: the new name and the rule whose body it has.
    aliases: BTreeSet<(String, String)>,
}

impl Rules {
    /// Converts the rules of a grammar.
    ///
    /// # Errors
    /// If a rule has a form that tree-sitter does not know.
    pub(super) fn of(grammar: &Grammar) -> Result<Self, DeriveError> {
        let mut generator =
            Generator { grammar, tokens: BTreeMap::new(), aliases: BTreeSet::new() };
        for (_, body) in &grammar.rules {
            count_tokens(body, &mut generator.tokens);
        }
        let mut bodies = BTreeMap::new();
        for (name, body) in &grammar.rules {
            if !generator.is_lexical(name) {
                bodies.insert(name.as_str(), generator.expr(body)?);
            }
        }
        let mut fields: BTreeMap<String, Vec<(String, Expr)>> = BTreeMap::new();
        for (name, body) in &grammar.rules {
            let own = parts(body).filter(|part| kind(part) == "FIELD");
            let own = own.map(|part| Ok((text(part, "name")?, generator.expr(&part["content"])?)));
            fields.insert(name.clone(), own.collect::<Result<_, DeriveError>>()?);
        }
        // They have no place in any rule.
        for extra in grammar.extras.iter().flat_map(parts) {
            if kind(extra) == "ALIAS" && extra["named"].as_bool().unwrap_or_default() {
                generator.note_alias(&text(extra, "value")?, &extra["content"])?;
            }
        }
        let aliases = std::mem::take(&mut generator.aliases);
        let (aliases, token_aliases): (BTreeSet<_>, BTreeSet<_>) =
            aliases.into_iter().partition(|(_, rule)| bodies.contains_key(rule.as_str()));
        let used = reachable(&bodies, &aliases, grammar);
        let own = grammar.rules.iter().map(|(name, _)| (name, name, grammar.is_hidden(name)));
        let own = own.filter(|(name, ..)| used.contains(name.as_str()));
        let lines = own
            .chain(aliases.iter().map(|(alias, rule)| (alias, rule, false)))
            .filter_map(|(name, rule, hidden)| {
                let body = bodies.get(rule.as_str())?.clone();
                Some(Line { name: name.clone(), rule: rule.clone(), hidden, body })
            })
            .collect();
        let used = used.into_iter().map(str::to_owned).collect();
        Ok(Self { lines, token_aliases, fields, used })
    }

    /// Returns whether trees have nodes of this kind: a grammar may have rules that it never uses.
    pub(super) fn has_kind(&self, kind: &str) -> bool {
        let is_alias = |(alias, _): &(String, String)| alias == kind;
        self.used.contains(kind) || self.token_aliases.iter().any(is_alias)
    }

    /// Returns whether nodes have this field.
    pub(super) fn has_field(&self, field: &str) -> bool {
        self.fields.values().flatten().any(|(name, _)| name == field)
    }

    /// Returns the rules of visible kinds.
    pub(super) fn visible(&self) -> impl Iterator<Item = &Line> {
        self.lines.iter().filter(|line| !line.hidden)
    }

    /// Returns the body of a part that shows no node.
    pub(super) fn hidden(&self, name: &str) -> Option<&Expr> {
        self.lines.iter().find(|line| line.hidden && line.name == name).map(|line| &line.body)
    }

    /// Returns the fields of a visible kind, and what each may hold: its own, and those of the
    /// parts that are put in.
    pub(super) fn fields_of<'a>(&'a self, line: &'a Line) -> Vec<(&'a str, &'a Expr)> {
        let mut found = Vec::new();
        let mut seen = BTreeSet::new();
        let mut todo = vec![(line.rule.as_str(), &line.body)];
        while let Some((rule, body)) = todo.pop() {
            if !seen.insert(rule) {
                continue;
            }
            let fields = self.fields.get(rule).into_iter().flatten();
            found.extend(fields.map(|(field, held)| (field.as_str(), held)));
            todo.extend(
                body.names().into_iter().filter_map(|name| Some((name, self.hidden(name)?))),
            );
        }
        found
    }

    /// Returns the visible kinds that an expression can be alone.
    pub(super) fn alternatives<'a>(&'a self, expr: &'a Expr) -> BTreeSet<&'a str> {
        let mut found = BTreeSet::new();
        let mut seen = BTreeSet::new();
        let mut todo = vec![expr];
        while let Some(expr) = todo.pop() {
            match expr {
                Expr::Literal(_) => {}
                Expr::Name(name) => match self.hidden(name) {
                    Some(body) => todo.extend(seen.insert(name).then_some(body)),
                    None => drop(found.insert(name.as_str())),
                },
                Expr::Choice(parts) => todo.extend(parts),
                Expr::Many(inner, _) => todo.push(inner),
                Expr::Seq(parts) => {
                    let mut needed = parts.iter().filter(|part| !part.is_optional());
                    if let (Some(only), None) = (needed.next(), needed.next()) {
                        todo.push(only);
                    }
                }
            }
        }
        found
    }

    /// Returns the facts as text, after a line that says where they come from.
    pub(super) fn facts(&self, grammar: &Grammar) -> String {
        let name = &grammar.name;
        let mut out = format!(
            "# Grammar facts of tree-sitter-{name}, written by `xtask facts`: not to be edited.\n"
        );
        for Line { name, hidden, body, .. } in &self.lines {
            out.push_str(name);
            out.push_str(if *hidden { " := " } else { " = " });
            body.write(&mut out, false);
            out.push('\n');
        }
        out
    }
}

/// Returns the rules that occur under their own names below the first rule, or below what may stand
/// anywhere.
fn reachable<'a>(
    bodies: &'a BTreeMap<&'a str, Expr>,
    aliases: &'a BTreeSet<(String, String)>,
    grammar: &'a Grammar,
) -> BTreeSet<&'a str> {
    let mut used = BTreeSet::new();
    // What only an alias reaches is walked too, but has no line under its own name.
    let mut todo: Vec<&str> = grammar.rules.iter().take(1).map(|(name, _)| name.as_str()).collect();
    for extra in &grammar.extras {
        let name = if kind(extra) == "ALIAS" { &extra["value"] } else { &extra["name"] };
        todo.extend(name.as_str());
    }
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
                todo.extend(body.names());
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

impl Generator<'_> {
    /// Returns whether the rule is a token: its whole body is one that occurs nowhere else. A
    /// precedence around it makes it a rule with a token inside.
    fn is_lexical(&self, name: &str) -> bool {
        let Some(body) = self.grammar.rule_with_wrappers(name) else { return true };
        matches!(kind(body), "STRING" | "PATTERN" | "TOKEN" | "IMMEDIATE_TOKEN")
            && self.tokens.get(&body.to_string()).is_none_or(|&n| n <= 1)
    }

    fn expr(&mut self, rule: &Value) -> Result<Expr, DeriveError> {
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
            other => return Err(DeriveError::Rule(other.to_owned())),
        })
    }

    fn all(&mut self, rules: &[Value]) -> Result<Vec<Expr>, DeriveError> {
        rules.iter().map(|rule| self.expr(rule)).collect()
    }

    fn symbol(&self, name: &str) -> Expr {
        if !self.grammar.is_hidden(name) || !self.is_lexical(name) {
            return Expr::Name(name.to_owned());
        }
        match self.grammar.rule(name) {
            // A text that is known shows; only patterns take the name of a rule.
            Some(body) if kind(body) == "STRING" && !is_blank(body) => {
                Expr::Literal(body["value"].as_str().unwrap_or_default().to_owned())
            }
            Some(body) if !is_blank(body) => Expr::Name("hidden".to_owned()),
            // Tokens of a scanner that has no name for them: they carry no text.
            _ => Expr::NOTHING,
        }
    }

    /// Notes that what the content of an alias stands for has another name: of a choice each of its
    /// alternatives, of something optional what it is if it is there.
    fn note_alias(&mut self, alias: &str, content: &Value) -> Result<(), DeriveError> {
        let mut found = Vec::new();
        symbols(content, &mut found);
        for symbol in found {
            self.aliases.insert((alias.to_owned(), text(symbol, "name")?));
        }
        Ok(())
    }

    fn alias(&mut self, rule: &Value) -> Result<Expr, DeriveError> {
        let value = text(rule, "value")?;
        let named = rule["named"].as_bool().unwrap_or_default();
        let content = unwrapped(&rule["content"]);
        if named {
            self.note_alias(&value, content)?;
        }
        let alias = if named { Expr::Name(value) } else { Expr::Literal(value) };
        match kind(content) {
            "SYMBOL" | "STRING" | "PATTERN" | "TOKEN" | "IMMEDIATE_TOKEN" => Ok(alias),
            _ => Ok(self.expr(content)?.renamed(&alias)),
        }
    }
}

/// Returns the symbols that stand in a rule's place alone or with others.
fn symbols<'a>(rule: &'a Value, found: &mut Vec<&'a Value>) {
    let rule = unwrapped(rule);
    match kind(rule) {
        "SYMBOL" => found.push(rule),
        "SEQ" | "CHOICE" => members(rule).iter().for_each(|member| symbols(member, found)),
        "REPEAT" | "REPEAT1" => symbols(&rule["content"], found),
        _ => {}
    }
}

fn text(rule: &Value, field: &str) -> Result<String, DeriveError> {
    match rule[field].as_str() {
        Some(text) => Ok(text.to_owned()),
        None => Err(DeriveError::Lacks(field.to_owned())),
    }
}

/// Returns a token without a name: visible if it is a fixed text, hidden otherwise.
fn token(rule: &Value) -> Result<Expr, DeriveError> {
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
