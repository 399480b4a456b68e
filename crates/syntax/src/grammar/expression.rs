//! Reads the right-hand sides of grammar facts.

#[derive(Clone, Debug)]
pub(crate) enum Expression {
    Name(String),
    Literal(String),
    Sequence(Vec<Expression>),
    Choice(Vec<Expression>),
    /// At least `0` or `1` times; more than once only if the flag is set.
    Repeat(Box<Expression>, bool, bool),
}

impl Expression {
    /// Returns the names in it.
    pub(crate) fn names(&self) -> Vec<&str> {
        match self {
            Self::Name(name) => vec![name],
            Self::Literal(_) => Vec::new(),
            Self::Sequence(parts) | Self::Choice(parts) => {
                parts.iter().flat_map(Self::names).collect()
            }
            Self::Repeat(inner, ..) => inner.names(),
        }
    }
}

/// How deep an expression may be: others walk it by recursion.
const DEEPEST: usize = 256;

pub(crate) struct Reader<'a> {
    rest: &'a str,
    depth: usize,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(rest: &'a str) -> Self {
        Self { rest, depth: 0 }
    }

    pub(crate) fn whole(mut self) -> Result<Expression, String> {
        let expression = self.choice()?;
        match self.rest {
            "" => Ok(expression),
            rest => Err(format!("unexpected `{rest}`")),
        }
    }

    /// Goes on after a sign and the blank space after it, if the sign stands here.
    fn after(&mut self, sign: char) -> bool {
        let rest = self.rest.strip_prefix(sign);
        self.rest = rest.unwrap_or(self.rest).trim_start();
        rest.is_some()
    }

    fn choice(&mut self) -> Result<Expression, String> {
        let mut parts = vec![self.sequence()?];
        while self.after('|') {
            parts.push(self.sequence()?);
        }
        Ok(if parts.len() == 1 { parts.remove(0) } else { Expression::Choice(parts) })
    }

    fn sequence(&mut self) -> Result<Expression, String> {
        let mut parts = Vec::new();
        self.rest = self.rest.trim_start();
        while !self.rest.is_empty() && !self.rest.starts_with(['|', ')']) {
            let mut part = self.atom()?;
            let signs = self.rest.len() - self.rest.trim_start_matches(['*', '+', '?']).len();
            self.deeper(signs)?;
            let (signs, rest) = self.rest.split_at(signs);
            self.depth -= signs.len();
            self.rest = rest.trim_start();
            for sign in signs.chars() {
                part = Expression::Repeat(Box::new(part), sign == '+', sign != '?');
            }
            parts.push(part);
        }
        Ok(if parts.len() == 1 { parts.remove(0) } else { Expression::Sequence(parts) })
    }

    fn atom(&mut self) -> Result<Expression, String> {
        if let Some(rest) = self.rest.strip_prefix('(') {
            self.rest = rest;
            self.deeper(1)?;
            let inner = self.choice()?;
            self.depth -= 1;
            self.rest = self.rest.strip_prefix(')').ok_or("a `(` without its `)`")?;
            return Ok(inner);
        }
        if self.rest.starts_with('"') {
            return self.literal().map(Expression::Literal);
        }
        let rest = self.rest.trim_start_matches(|c: char| c.is_alphanumeric() || "_$".contains(c));
        let name = &self.rest[..self.rest.len() - rest.len()];
        if name.is_empty() {
            return Err(format!("unexpected `{rest}`"));
        }
        self.rest = rest;
        Ok(Expression::Name(name.to_owned()))
    }

    fn deeper(&mut self, levels: usize) -> Result<(), String> {
        self.depth += levels;
        match self.depth > DEEPEST {
            true => Err(format!("more than {DEEPEST} levels")),
            false => Ok(()),
        }
    }

    /// Reads a token in double quotes; `\"`, `\\`, `\n`, `\r`, `\t` as in JSON, and `\0`.
    fn literal(&mut self) -> Result<String, String> {
        let mut text = String::new();
        let mut chars = self.rest.char_indices().skip(1);
        while let Some((at, c)) = chars.next() {
            match c {
                '"' => {
                    self.rest = &self.rest[at + 1..];
                    return Ok(text);
                }
                '\\' => match chars.next() {
                    Some((_, 'n')) => text.push('\n'),
                    Some((_, 'r')) => text.push('\r'),
                    Some((_, 't')) => text.push('\t'),
                    Some((_, '0')) => text.push('\0'),
                    Some((_, other)) => text.push(other),
                    None => break,
                },
                _ => text.push(c),
            }
        }
        Err("a `\"` without its end".into())
    }
}
