//! Reads the part of JavaScript in which actions are written: statements that are chains of calls
//! with literals, such as `page.locator("a").click({ delay: 3 })`.

use serde_json::{Map, Number, Value};

/// One link of a chain: a name, and what it is called with.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Call {
    pub(crate) name: String,
    pub(crate) arguments: Vec<Argument>,
}

/// An argument of a call.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Argument {
    Literal(Value),
    Chain(Vec<Call>),
}

impl Call {
    /// Returns an argument that is a literal.
    pub(crate) fn literal(&self, at: usize) -> Option<&Value> {
        match self.arguments.get(at)? {
            Argument::Literal(value) => Some(value),
            Argument::Chain(_) => None,
        }
    }

    /// Returns an argument that is a text, or that is shown as one.
    pub(crate) fn text(&self, at: usize) -> Option<String> {
        match self.literal(at)? {
            Value::String(text) => Some(text.clone()),
            value @ (Value::Number(_) | Value::Bool(_)) => Some(value.to_string()),
            _ => None,
        }
    }

    /// Returns an argument that is a number.
    pub(crate) fn number(&self, at: usize) -> Option<f64> {
        self.literal(at)?.as_f64()
    }
}

/// Splits a script into its statements: at semicolons, and at the ends of lines outside of
/// brackets. Comments are left out.
pub(crate) fn statements(script: &str) -> Vec<String> {
    let mut all = Vec::new();
    let mut statement = String::new();
    let (mut depth, mut quote) = (0_i32, None);
    let mut rest = script.chars().peekable();
    while let Some(sign) = rest.next() {
        match (quote, sign) {
            (Some(_), '\\') => {
                statement.push(sign);
                statement.extend(rest.next());
                continue;
            }
            (Some(end), _) if sign == end => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'' | '`') => quote = Some(sign),
            (None, '(' | '[' | '{') => depth += 1,
            (None, ')' | ']' | '}') => depth -= 1,
            (None, '/') if rest.peek() == Some(&'/') => {
                while rest.peek().is_some_and(|&sign| sign != '\n') {
                    rest.next();
                }
                continue;
            }
            (None, ';' | '\n') if depth <= 0 => {
                all.push(std::mem::take(&mut statement));
                continue;
            }
            (None, _) => {}
        }
        statement.push(sign);
    }
    all.push(statement);
    all.retain(|statement| !statement.trim().is_empty());
    all.iter().map(|statement| statement.trim().to_owned()).collect()
}

/// Reads a whole text as a chain of calls, leaving out an `await` before it.
pub(crate) fn chain(text: &str) -> Option<Vec<Call>> {
    let text = text.trim();
    let text = text.strip_prefix("await ").unwrap_or(text);
    let mut reader = Reader { rest: text };
    let chain = reader.chain()?;
    reader.rest.trim_start().is_empty().then_some(chain)
}

struct Reader<'a> {
    rest: &'a str,
}

impl Reader<'_> {
    fn take(&mut self, sign: char) -> bool {
        let rest = self.rest.trim_start();
        match rest.strip_prefix(sign) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn name(&mut self) -> Option<String> {
        let rest = self.rest.trim_start();
        let is_part = |sign: char| sign.is_alphanumeric() || sign == '_' || sign == '$';
        let end = rest.find(|sign| !is_part(sign)).unwrap_or(rest.len());
        let is_name = end > 0 && !rest.starts_with(|sign: char| sign.is_ascii_digit());
        let (name, rest) = is_name.then(|| rest.split_at(end))?;
        self.rest = rest;
        Some(name.to_owned())
    }

    fn chain(&mut self) -> Option<Vec<Call>> {
        let mut chain = Vec::new();
        loop {
            let name = self.name()?;
            let mut arguments = Vec::new();
            if self.take('(') && !self.take(')') {
                loop {
                    arguments.push(self.argument()?);
                    if self.take(')') || self.take(',') && self.take(')') {
                        break;
                    }
                    if !self.rest_begins_argument() {
                        return None;
                    }
                }
            }
            chain.push(Call { name, arguments });
            if !self.take('.') {
                return Some(chain);
            }
        }
    }

    /// Returns whether something stands where the comma before it was taken.
    fn rest_begins_argument(&self) -> bool {
        !self.rest.trim_start().is_empty()
    }

    fn argument(&mut self) -> Option<Argument> {
        let start = self.rest;
        if let Some(value) = self.value() {
            return Some(Argument::Literal(value));
        }
        self.rest = start;
        self.chain().map(Argument::Chain)
    }

    fn value(&mut self) -> Option<Value> {
        let rest = self.rest.trim_start();
        match rest.chars().next()? {
            quote @ ('"' | '\'' | '`') => self.string(quote).map(Value::String),
            // A regular expression stands for its text.
            '/' => {
                let text = self.string('/')?;
                let flags = self.rest.find(|sign: char| !sign.is_ascii_alphabetic());
                self.rest = &self.rest[flags.unwrap_or(self.rest.len())..];
                Some(Value::String(text))
            }
            '[' => {
                self.take('[');
                let mut all = Vec::new();
                while !self.take(']') {
                    all.push(self.value()?);
                    self.take(',');
                }
                Some(Value::Array(all))
            }
            '{' => {
                self.take('{');
                let mut all = Map::new();
                while !self.take('}') {
                    let quote = self.rest.trim_start().chars().next()?;
                    let key = match quote {
                        '"' | '\'' => self.string(quote)?,
                        _ => self.name()?,
                    };
                    let value = self.take(':').then(|| self.value())??;
                    all.insert(key, value);
                    self.take(',');
                }
                Some(Value::Object(all))
            }
            '-' | '.' | '0'..='9' => {
                let is_part = |sign: char| sign.is_ascii_digit() || "-+.eE".contains(sign);
                let end = rest.find(|sign| !is_part(sign)).unwrap_or(rest.len());
                let (number, rest) = rest.split_at(end);
                self.rest = rest;
                let whole = number.parse::<i64>().ok().map(Number::from);
                let number = whole.or_else(|| Number::from_f64(number.parse().ok()?))?;
                Some(Value::Number(number))
            }
            _ => match self.name()?.as_str() {
                "true" => Some(Value::Bool(true)),
                "false" => Some(Value::Bool(false)),
                "null" | "undefined" => Some(Value::Null),
                _ => None,
            },
        }
    }

    fn string(&mut self, quote: char) -> Option<String> {
        let start = self.rest.trim_start().strip_prefix(quote)?;
        let mut text = String::new();
        let mut signs = start.char_indices();
        while let Some((at, sign)) = signs.next() {
            match sign {
                _ if sign == quote => {
                    self.rest = &start[at + sign.len_utf8()..];
                    return Some(text);
                }
                // What a regular expression escapes stays as it is, but for its own end.
                '\\' if quote == '/' => match signs.next()?.1 {
                    '/' => text.push('/'),
                    escaped => text.extend(['\\', escaped]),
                },
                '\\' => match signs.next()?.1 {
                    'n' => text.push('\n'),
                    'r' => text.push('\r'),
                    't' => text.push('\t'),
                    '\n' => {}
                    'u' => {
                        let code: String = signs.by_ref().take(4).map(|(_, sign)| sign).collect();
                        let code = u32::from_str_radix(&code, 16).ok()?;
                        text.push(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
                    }
                    escaped => text.push(escaped),
                },
                _ => text.push(sign),
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{Argument, chain, statements};

    #[test]
    fn statements_end_with_semicolons_and_lines() {
        let script = "a('x;y') // c;d\nb({\n c: 1 }); e()\n\n";
        assert_eq!(statements(script), ["a('x;y')", "b({\n c: 1 })", "e()"]);
    }

    #[test]
    fn chains_of_calls_with_literals_are_read() {
        let read = chain("await page.getByRole('a\\'b', { name: /x\\/y/i, n: [-1.5, 2] }).go(1,)");
        let read = read.unwrap();
        let names: Vec<&str> = read.iter().map(|call| &call.name[..]).collect();
        assert_eq!(names, ["page", "getByRole", "go"]);
        assert_eq!(read[1].text(0).unwrap(), "a'b");
        assert_eq!(read[1].literal(1).unwrap(), &json!({ "name": "x/y", "n": [-1.5, 2] }));
        assert_eq!(read[2].number(0), Some(1.0));
        let nested = chain("a.b(page.c('d'))").unwrap();
        assert!(matches!(&nested[1].arguments[0], Argument::Chain(calls) if calls.len() == 2));
        assert!(chain("a(").is_none() && chain("a = 1").is_none() && chain("a(() => 1)").is_none());
    }
}
