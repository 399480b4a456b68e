//! The notation of grammars and extensions: rules as in EBNF, made into the form of a
//! `grammar.json`.
//!
//! `NAME = RULE` is a rule, which replaces one of that name; in it, `...` stands for the replaced
//! one. `%in NAME: X before Y` puts X before the parts Y of that rule, wherever they stand; `after`
//! puts it there, `or` makes it an alternative, and `for` puts it in their place. Other statements:
//! `%name`, `%word`, `%extras`, `%externals`, `%inline`, `%supertypes`, `%conflict`, `%precedence`,
//! `%without`.

use serde_json::{Map, Value, json};

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
    for statement in statements(text) {
        let wrong = |why: String| format!("{why}: {statement}");
        let mut reader = Reader { rest: statement.trim_end() };
        let done = match reader.after("%") {
            Some(list) => list.list(grammar),
            None => reader.rule(grammar),
        };
        done.map_err(wrong)?;
    }
    Ok(())
}

/// Returns the statements: lines with those that go on with them, without comments.
fn statements(text: &str) -> Vec<String> {
    let mut statements: Vec<String> = Vec::new();
    for line in text.lines().map(without_comment).filter(|line| !line.trim().is_empty()) {
        match statements.last_mut().filter(|_| line.starts_with(char::is_whitespace)) {
            Some(statement) => *statement = format!("{statement} {}", line.trim()),
            None => statements.push(line.to_owned()),
        }
    }
    statements
}

/// Returns a line without its comment: a `#` that begins it or follows blank space, outside of
/// texts and patterns.
fn without_comment(line: &str) -> &str {
    let mut closing = None;
    let mut is_escaped = false;
    let mut before = ' ';
    for (at, c) in line.char_indices() {
        match closing {
            Some(_) if is_escaped => is_escaped = false,
            Some(_) if c == '\\' => is_escaped = true,
            Some(quote) if c == quote => closing = None,
            Some(_) => {}
            None if c == '"' || c == '/' => closing = Some(c),
            None if c == '#' && before.is_whitespace() => return &line[..at],
            None => {}
        }
        before = c;
    }
    line
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
fn change(rule: &mut Value, parts: &[Value], new: &dyn Fn(Value) -> Value) -> usize {
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
        Value::Object(inside) => inside.values_mut().map(|part| change(part, parts, new)).sum(),
        Value::Array(inside) => inside.iter_mut().map(|part| change(part, parts, new)).sum(),
        _ => 0,
    }
}

/// The rest of a statement.
struct Reader<'a> {
    rest: &'a str,
}

impl<'a> Reader<'a> {
    /// Goes on after a sign, if it stands here.
    fn after(&mut self, sign: &str) -> Option<&mut Self> {
        self.rest = self.rest.strip_prefix(sign)?.trim_start();
        Some(self)
    }

    /// Takes a sign that has to stand here.
    fn must(&mut self, sign: &str) -> Result<(), String> {
        let missing = format!("`{sign}` is missing before `{}`", self.rest);
        self.after(sign).map(|_| ()).ok_or(missing)
    }

    /// Takes a word, which may be empty.
    fn word(&mut self) -> &'a str {
        let is_part = |c: char| c.is_alphanumeric() || c == '_';
        let end = self.rest.find(|c| !is_part(c)).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest.trim_start();
        word
    }

    /// Takes a rule of a grammar.
    fn rule(&mut self, grammar: &mut Value) -> Result<(), String> {
        let name = self.word();
        self.must("=")?;
        let mut rule = self.choice()?;
        if !self.rest.is_empty() {
            return Err(format!("unexpected `{}`", self.rest));
        }
        let rules = rules(grammar)?;
        fill(&mut rule, rules.get(name))?;
        rules.insert(name.to_owned(), rule);
        Ok(())
    }

    /// Takes a statement that begins with `%`.
    fn list(&mut self, grammar: &mut Value) -> Result<(), String> {
        let list = self.word();
        if list == "in" {
            return self.change(grammar);
        }
        let parts = self.all()?;
        let names = || {
            let name = |part: &Value| part["name"].as_str().map(str::to_owned);
            parts.iter().map(name).collect::<Option<Vec<_>>>().ok_or("not a name")
        };
        let added = match list {
            "name" | "word" => {
                grammar[list] = names()?.concat().into();
                return Ok(());
            }
            "without" => {
                let gone = names()?;
                rules(grammar)?.retain(|name, _| !gone.contains(name));
                return Ok(());
            }
            "conflict" => (&mut grammar["conflicts"], json!([names()?])),
            "precedence" => (&mut grammar["precedences"], json!([parts])),
            "inline" | "supertypes" => (&mut grammar[list], json!(names()?)),
            "extras" | "externals" => (&mut grammar[list], json!(parts)),
            _ => return Err("no such statement".into()),
        };
        let (old, Value::Array(mut new)) = added else { return Ok(()) };
        let mut all = old.as_array_mut().map(std::mem::take).unwrap_or_default();
        let is_old = |part: &Value| part == OLD || part["name"] == OLD;
        match new.iter().position(is_old) {
            Some(at) => drop(new.splice(at..=at, all)),
            // Of these there are several statements.
            None if ["conflict", "precedence"].contains(&list) => {
                all.append(&mut new);
                new = all;
            }
            None => {}
        }
        *old = new.into();
        Ok(())
    }

    /// Takes a change of a part of a rule.
    fn change(&mut self, grammar: &mut Value) -> Result<(), String> {
        let name = self.word();
        self.must(":")?;
        let new = self.part()?;
        let place = self.word();
        let parts = self.all()?;
        let both = |kind, members: [&Value; 2]| list_of(kind, members.map(Value::clone).into());
        let changed = |old: Value| match place {
            "before" => both("SEQ", [&new, &old]),
            "after" => both("SEQ", [&old, &new]),
            "or" => both("CHOICE", [&old, &new]),
            _ => new.clone(),
        };
        if !["before", "after", "or", "for"].contains(&place) {
            return Err("`before`, `after`, `or` or `for` is missing".into());
        }
        let rule = rules(grammar)?.get_mut(name).ok_or("there is no such rule")?;
        match change(rule, &parts, &changed) {
            0 => Err("the rule has no such part".into()),
            _ => Ok(()),
        }
    }

    /// Takes all parts until the end.
    fn all(&mut self) -> Result<Vec<Value>, String> {
        let mut parts = Vec::new();
        while !self.rest.is_empty() {
            parts.push(self.part()?);
        }
        Ok(parts)
    }

    fn choice(&mut self) -> Result<Value, String> {
        let mut members = vec![self.sequence()?];
        while self.after("|").is_some() {
            members.push(self.sequence()?);
        }
        Ok(list_of("CHOICE", members))
    }

    fn sequence(&mut self) -> Result<Value, String> {
        let mut members = Vec::new();
        while !self.rest.is_empty() && !self.rest.starts_with(['|', ')']) {
            members.push(self.part()?);
        }
        Ok(list_of("SEQ", members))
    }

    /// Takes a part with its field, its repetition and its kind.
    fn part(&mut self) -> Result<Value, String> {
        let here = self.rest;
        let field = self.word();
        if !field.is_empty() && self.after(":").is_some() {
            let content = self.part()?;
            return Ok(json!({ "type": "FIELD", "name": field, "content": content }));
        }
        self.rest = here;
        let mut rule = self.atom()?;
        loop {
            rule = if self.after("?").is_some() {
                json!({ "type": "CHOICE", "members": [rule, { "type": "BLANK" }] })
            } else if self.after("*").is_some() {
                json!({ "type": "REPEAT", "content": rule })
            } else if self.after("+").is_some() {
                json!({ "type": "REPEAT1", "content": rule })
            } else if self.after("->").is_some() {
                let named = !self.rest.starts_with('"');
                let value = if named { self.word().to_owned() } else { self.text()? };
                json!({ "type": "ALIAS", "content": rule, "named": named, "value": value })
            } else {
                return Ok(rule);
            }
        }
    }

    fn atom(&mut self) -> Result<Value, String> {
        if self.after("(").is_some() {
            return self.closed();
        }
        if self.rest.starts_with('"') {
            return Ok(json!({ "type": "STRING", "value": self.text()? }));
        }
        if self.rest.starts_with('/') {
            return self.pattern();
        }
        let here = self.rest;
        let name = if self.after(OLD).is_some() { OLD } else { self.word() };
        if name.is_empty() {
            return Err(format!("unexpected `{here}`"));
        }
        // What follows a name without a blank is what it is applied to.
        let form = FORMS.iter().find(|(form, _)| *form == name);
        match form.filter(|_| here[name.len()..].starts_with('(')) {
            Some((_, kind)) => {
                self.must("(")?;
                let mut rule = json!({ "type": kind });
                if kind.starts_with("PREC") {
                    rule["value"] = self.precedence()?;
                }
                rule["content"] = self.closed()?;
                Ok(rule)
            }
            None => Ok(json!({ "type": "SYMBOL", "name": name })),
        }
    }

    /// Takes what stands in brackets, and the end of them.
    fn closed(&mut self) -> Result<Value, String> {
        let rule = self.choice()?;
        self.must(")")?;
        Ok(rule)
    }

    /// Takes how much something is preferred: a number, or a name in quotes.
    fn precedence(&mut self) -> Result<Value, String> {
        let value = if self.rest.starts_with('"') {
            self.text()?.into()
        } else {
            let end = self.rest.find(',').unwrap_or(0);
            let number = self.rest[..end].trim().parse::<i32>();
            self.rest = &self.rest[end..];
            number.map_err(|_| "a precedence is missing")?.into()
        };
        self.must(",")?;
        Ok(value)
    }

    /// Takes a text in quotes.
    fn text(&mut self) -> Result<String, String> {
        let text = self.quoted('"')?;
        self.rest = self.rest.trim_start();
        serde_json::from_str(&format!("\"{text}\"")).map_err(|error| error.to_string())
    }

    /// Takes a pattern with its flags, which follow at once.
    fn pattern(&mut self) -> Result<Value, String> {
        let value = self.quoted('/')?.replace("\\/", "/");
        let end = self.rest.find(|c: char| !c.is_ascii_lowercase()).unwrap_or(self.rest.len());
        let (flags, rest) = self.rest.split_at(end);
        self.rest = rest.trim_start();
        let mut rule = json!({ "type": "PATTERN", "value": value });
        if !flags.is_empty() {
            rule["flags"] = flags.into();
        }
        Ok(rule)
    }

    /// Takes what stands between two quotes; a backslash hides the next character.
    fn quoted(&mut self, quote: char) -> Result<&'a str, String> {
        let inside = &self.rest[1..];
        let mut is_escaped = false;
        for (at, c) in inside.char_indices() {
            if !is_escaped && c == quote {
                self.rest = &inside[at + 1..];
                return Ok(&inside[..at]);
            }
            is_escaped = c == '\\' && !is_escaped;
        }
        Err(format!("`{quote}` is not closed"))
    }
}

/// What can be applied to a rule.
const FORMS: [(&str, &str); 6] = [
    ("dynamic", "PREC_DYNAMIC"),
    ("immediate", "IMMEDIATE_TOKEN"),
    ("left", "PREC_LEFT"),
    ("prec", "PREC"),
    ("right", "PREC_RIGHT"),
    ("token", "TOKEN"),
];

fn rules(grammar: &mut Value) -> Result<&mut Map<String, Value>, String> {
    grammar["rules"].as_object_mut().ok_or("the grammar has no rules".to_owned())
}
