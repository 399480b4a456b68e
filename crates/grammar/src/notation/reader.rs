//! Reads the notation.

use crate::grammar::Grammar;
use crate::notation::NotationError;
use crate::rule::{OLD, Precedence, Rule};

/// Reads a grammar, or an extension of one.
pub(crate) fn read(text: &str) -> Result<Grammar, NotationError> {
    let mut grammar = Grammar::default();
    for statement in statements(text) {
        let mut reader = Reader { rest: statement.trim_end() };
        if let Some(list) = reader.after("%") {
            let name = list.word();
            let parts = reader.all()?;
            add(&mut grammar, name, parts).map_err(|why| NotationError::new(&statement, why))?;
            continue;
        }
        let name = reader.word().to_owned();
        if reader.after("=").is_none() {
            return Err(NotationError::new(reader.rest, "`=` is missing"));
        }
        let rule = reader.choice()?;
        if !reader.rest.is_empty() {
            return Err(NotationError::new(reader.rest, "unexpected"));
        }
        grammar.rules.push((name, rule));
    }
    Ok(grammar)
}

/// Returns the statements: lines with those that go on with them, without comments.
fn statements(text: &str) -> Vec<String> {
    let mut statements: Vec<String> = Vec::new();
    for line in text.lines() {
        let line = without_comment(line);
        if line.trim().is_empty() {
            continue;
        }
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

/// Adds the parts of a statement that begins with `%`.
fn add(grammar: &mut Grammar, list: &str, parts: Vec<Rule>) -> Result<(), &'static str> {
    let names = || {
        let name = |part: &Rule| match part {
            Rule::Symbol { name } => Ok(name.clone()),
            _ => Err("not a name"),
        };
        parts.iter().map(name).collect::<Result<Vec<String>, _>>()
    };
    match list {
        "name" => grammar.name = names()?.concat(),
        "word" => grammar.word = names()?.pop(),
        "extras" => grammar.extras.extend(parts),
        "externals" => grammar.externals.extend(parts),
        "conflict" => grammar.conflicts.push(names()?),
        "precedence" => grammar.precedences.push(parts),
        "inline" => grammar.inline.extend(names()?),
        "without" => grammar.without.extend(names()?),
        "supertypes" => grammar.supertypes.extend(names()?),
        _ => return Err("no such statement"),
    }
    Ok(())
}

/// What is left of a statement.
struct Reader<'a> {
    rest: &'a str,
}

impl<'a> Reader<'a> {
    /// Goes on after a sign, if it stands here.
    fn after(&mut self, sign: &str) -> Option<&mut Self> {
        self.rest = self.rest.strip_prefix(sign)?.trim_start();
        Some(self)
    }

    /// Takes a word, which may be empty.
    fn word(&mut self) -> &'a str {
        let is_part = |c: char| c.is_alphanumeric() || c == '_';
        let end = self.rest.find(|c| !is_part(c)).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest.trim_start();
        word
    }

    /// Takes all parts until the end.
    fn all(&mut self) -> Result<Vec<Rule>, NotationError> {
        let mut parts = Vec::new();
        while !self.rest.is_empty() {
            parts.push(self.part()?);
        }
        Ok(parts)
    }

    fn choice(&mut self) -> Result<Rule, NotationError> {
        let mut members = vec![self.sequence()?];
        while self.after("|").is_some() {
            members.push(self.sequence()?);
        }
        Ok(Rule::choice(members))
    }

    fn sequence(&mut self) -> Result<Rule, NotationError> {
        let mut members = Vec::new();
        while !self.rest.is_empty() && !self.rest.starts_with(['|', ')']) {
            members.push(self.part()?);
        }
        Ok(Rule::seq(members))
    }

    /// Takes a part with its field, its repetition and its kind.
    fn part(&mut self) -> Result<Rule, NotationError> {
        let here = self.rest;
        let field = self.word();
        let is_field = !field.is_empty() && self.after(":").is_some();
        if is_field {
            let content = Box::new(self.part()?);
            return Ok(Rule::Field { name: field.to_owned(), content });
        }
        self.rest = here;
        let mut rule = self.atom()?;
        loop {
            rule = if self.after("?").is_some() {
                Rule::Choice { members: vec![rule, Rule::Blank] }
            } else if self.after("*").is_some() {
                Rule::Repeat { content: Box::new(rule) }
            } else if self.after("+").is_some() {
                Rule::Repeat1 { content: Box::new(rule) }
            } else if self.after("->").is_some() {
                let named = !self.rest.starts_with('"');
                let value = if named { self.word().to_owned() } else { self.text()? };
                Rule::Alias { content: Box::new(rule), named, value }
            } else {
                return Ok(rule);
            }
        }
    }

    fn atom(&mut self) -> Result<Rule, NotationError> {
        if self.after("(").is_some() {
            return self.closed();
        }
        if self.rest.starts_with('"') {
            return Ok(Rule::String { value: self.text()? });
        }
        if self.rest.starts_with('/') {
            return self.pattern();
        }
        if self.after(OLD).is_some() {
            return Ok(Rule::Symbol { name: OLD.to_owned() });
        }
        let here = self.rest;
        let name = self.word();
        if name.is_empty() {
            return Err(NotationError::new(here, "unexpected"));
        }
        // What follows a name without a blank is what it is applied to.
        if here[name.len()..].starts_with('(') && FORMS.contains(&name) {
            self.after("(");
            return self.form(name);
        }
        Ok(Rule::Symbol { name: name.to_owned() })
    }

    /// Takes what stands in brackets, and the end of them.
    fn closed(&mut self) -> Result<Rule, NotationError> {
        let rule = self.choice()?;
        match self.after(")") {
            Some(_) => Ok(rule),
            None => Err(NotationError::new(self.rest, "`)` is missing")),
        }
    }

    fn form(&mut self, name: &str) -> Result<Rule, NotationError> {
        match name {
            "token" => return Ok(Rule::Token { content: Box::new(self.closed()?) }),
            "immediate" => return Ok(Rule::ImmediateToken { content: Box::new(self.closed()?) }),
            _ => {}
        }
        let value = self.precedence()?;
        let content = Box::new(self.closed()?);
        Ok(match name {
            "left" => Rule::PrecLeft { value, content },
            "right" => Rule::PrecRight { value, content },
            "dynamic" => Rule::PrecDynamic { value, content },
            _ => Rule::Prec { value, content },
        })
    }

    fn precedence(&mut self) -> Result<Precedence, NotationError> {
        let missing = NotationError::new(self.rest, "a precedence is missing");
        let value = if self.rest.starts_with('"') {
            Precedence::Name(self.text()?)
        } else {
            let (number, rest) = self.rest.split_once(',').unwrap_or_default();
            let Ok(number) = number.trim().parse() else { return Err(missing) };
            self.rest = rest.trim_start();
            return Ok(Precedence::Number(number));
        };
        self.after(",").map(|_| value).ok_or(missing)
    }

    /// Takes a text in quotes.
    fn text(&mut self) -> Result<String, NotationError> {
        let wrong = NotationError::new(self.rest, "a text without an end");
        let Some(text) = self.quoted('"') else { return Err(wrong) };
        serde_json::from_str(&format!("\"{text}\"")).map_err(|_| wrong)
    }

    fn pattern(&mut self) -> Result<Rule, NotationError> {
        let wrong = NotationError::new(self.rest, "a pattern without an end");
        let value = self.quoted('/').ok_or(wrong)?.replace("\\/", "/");
        let is_end = |c: char| !c.is_ascii_lowercase();
        let end = self.rest.find(is_end).unwrap_or(self.rest.len());
        let (flags, rest) = self.rest.split_at(end);
        self.rest = rest.trim_start();
        let flags = (!flags.is_empty()).then(|| flags.to_owned());
        Ok(Rule::Pattern { value, flags })
    }

    /// Takes what stands between two quotes; a backslash hides the next character. Blank space
    /// after the second one is left after a pattern, whose flags follow at once.
    fn quoted(&mut self, quote: char) -> Option<&'a str> {
        let inside = &self.rest[1..];
        let mut is_escaped = false;
        for (at, c) in inside.char_indices() {
            if is_escaped {
                is_escaped = false;
            } else if c == '\\' {
                is_escaped = true;
            } else if c == quote {
                let rest = &inside[at + 1..];
                self.rest = if quote == '"' { rest.trim_start() } else { rest };
                return Some(&inside[..at]);
            }
        }
        None
    }
}

/// What can be applied to a rule.
pub(super) const FORMS: &[&str] = &["dynamic", "immediate", "left", "prec", "right", "token"];
