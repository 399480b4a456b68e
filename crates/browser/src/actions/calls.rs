//! Reads the part of JavaScript in which actions are written: statements that are calls with
//! literals, such as `click("#a", 3, 4)`.

use serde_json::{Number, Value};

/// A call: a name, and what it is called with.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Call {
    pub(crate) name: String,
    pub(crate) arguments: Vec<Value>,
}

impl Call {
    /// Returns an argument that is a text, or that is shown as one.
    pub(crate) fn text(&self, at: usize) -> Option<String> {
        match self.arguments.get(at)? {
            Value::String(text) => Some(text.clone()),
            Value::Number(number) => Some(number.to_string()),
            _ => None,
        }
    }

    /// Returns an argument that is a number.
    pub(crate) fn number(&self, at: usize) -> Option<f64> {
        self.arguments.get(at)?.as_f64()
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

/// Reads a whole text as a call.
pub(crate) fn call(text: &str) -> Option<Call> {
    let mut reader = Reader { rest: text };
    let call = Call { name: reader.name()?, arguments: reader.arguments()? };
    reader.rest.trim_start().is_empty().then_some(call)
}

struct Reader<'a> {
    rest: &'a str,
}

impl Reader<'_> {
    fn take(&mut self, sign: char) -> bool {
        let rest = self.rest.trim_start().strip_prefix(sign);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
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

    fn arguments(&mut self) -> Option<Vec<Value>> {
        let mut arguments = Vec::new();
        if self.take('(') {
            while !self.take(')') {
                arguments.push(self.value()?);
                self.take(',');
            }
        }
        Some(arguments)
    }

    fn value(&mut self) -> Option<Value> {
        let rest = self.rest.trim_start();
        match rest.chars().next()? {
            quote @ ('"' | '\'' | '`') => self.string(quote).map(Value::String),
            '-' | '.' | '0'..='9' => {
                let is_part = |sign: char| sign.is_ascii_digit() || "-+.eE".contains(sign);
                let end = rest.find(|sign| !is_part(sign)).unwrap_or(rest.len());
                let (number, rest) = rest.split_at(end);
                self.rest = rest;
                let whole = number.parse::<i64>().ok().map(Number::from);
                let number = whole.or_else(|| Number::from_f64(number.parse().ok()?))?;
                Some(Value::Number(number))
            }
            // A variable has no value here.
            _ => self.name().map(|_| Value::Null),
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

    use super::{call, statements};

    #[test]
    fn statements_end_with_semicolons_and_lines() {
        let script = "a('x;y') // c;d\nb({\n c: 1 }); e()\n\n";
        assert_eq!(statements(script), ["a('x;y')", "b({\n c: 1 })", "e()"]);
    }

    #[test]
    fn calls_with_literals_are_read() {
        let read = call("go('a\\'b', x, -1.5, 2,)").unwrap();
        assert_eq!(read.name, "go");
        assert_eq!(read.arguments, [json!("a'b"), json!(null), json!(-1.5), json!(2)]);
        assert_eq!(
            (read.text(0).as_deref(), read.text(1), read.number(3)),
            (Some("a'b"), None, Some(2.0))
        );
        assert!(["a(", "a = 1", "a(() => 1)", "a.b(1)"].iter().all(|text| call(text).is_none()));
    }
}
