//! Reads queries in tree-sitter's own language: which nodes they are about, and what they call
//! them.

/// A query: nodes that stand side by side, and what else must hold of them.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Query {
    pub(super) nodes: Vec<Node>,
    pub(super) predicates: Vec<Predicate>,
}

/// A node that a query is about. Alternatives stand side by side, as if all were there.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Node {
    /// Its kind; empty for any kind, and for tokens that stand for themselves.
    pub(super) kind: String,
    pub(super) field: Option<String>,
    /// What the query calls it, without the sign.
    pub(super) captures: Vec<String>,
    pub(super) children: Vec<Node>,
}

/// A condition (`#eq?`) or something to be kept in mind (`#set!`).
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Predicate {
    /// Its name with the last sign, without the first.
    pub(super) name: String,
    pub(super) arguments: Vec<String>,
}

/// Reads all queries of a text.
///
/// # Errors
/// The number of the line in which a bracket or a quote is not closed, or closes nothing.
pub(super) fn read(text: &str) -> Result<Vec<Query>, usize> {
    let mut reader = Reader { text, at: 0 };
    let mut queries = Vec::new();
    while reader.next().is_some() {
        let mut query = Query::default();
        query.nodes = reader.item(&mut query.predicates, 0)?;
        queries.push(query);
    }
    Ok(queries)
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

/// Queries of people are some ten levels deep.
const DEEPEST: usize = 200;

impl<'a> Reader<'a> {
    /// Returns the next sign that means something.
    fn next(&mut self) -> Option<char> {
        loop {
            let rest = &self.text[self.at..];
            let next = rest.chars().next()?;
            if next == ';' {
                self.at += rest.find('\n').unwrap_or(rest.len());
            } else if next.is_whitespace() {
                self.at += next.len_utf8();
            } else {
                return Some(next);
            }
        }
    }

    /// Reads over a sign, if it is the next one.
    fn skip(&mut self, sign: char) -> bool {
        let found = self.next() == Some(sign);
        if found {
            self.at += sign.len_utf8();
        }
        found
    }

    /// Reads a name; kinds of supertypes have a slash in it.
    fn name(&mut self) -> &'a str {
        let rest = &self.text[self.at..];
        let is_part = |c: char| c.is_alphanumeric() || "_-.?!/".contains(c);
        let end = rest.find(|c: char| !is_part(c)).unwrap_or(rest.len());
        self.at += end;
        &rest[..end]
    }

    /// Reads the text between quotes, after the first one.
    fn quoted(&mut self) -> Result<String, usize> {
        let mut found = String::new();
        let mut signs = self.text[self.at..].char_indices();
        while let Some((i, sign)) = signs.next() {
            match sign {
                '"' => {
                    self.at += i + 1;
                    return Ok(found);
                }
                '\\' => found.extend(signs.next().map(|(_, sign)| sign)),
                _ => found.push(sign),
            }
        }
        Err(self.wrong())
    }

    /// Returns the number of the line that was read last.
    fn wrong(&self) -> usize {
        self.text[..self.at].matches('\n').count() + 1
    }

    /// Reads one item with all that belongs to it, and returns its nodes.
    fn item(&mut self, predicates: &mut Vec<Predicate>, depth: usize) -> Result<Vec<Node>, usize> {
        let mut nodes = match self.next() {
            _ if depth > DEEPEST => return Err(self.wrong()),
            Some('(') => {
                self.at += 1;
                self.in_brackets(predicates, depth)?
            }
            Some('[') => {
                self.at += 1;
                self.items(']', predicates, depth)?
            }
            Some('"') => {
                self.at += 1;
                self.quoted()?;
                vec![Node::default()]
            }
            // An anchor, a field that must be missing.
            Some('.') => {
                self.at += 1;
                return Ok(Vec::new());
            }
            Some('!') => {
                self.at += 1;
                self.name();
                return Ok(Vec::new());
            }
            _ => {
                let name = self.name();
                if name.is_empty() {
                    return Err(self.wrong());
                }
                if self.skip(':') {
                    let mut nodes = self.item(predicates, depth + 1)?;
                    nodes.iter_mut().for_each(|node| node.field = Some(name.to_owned()));
                    return Ok(nodes);
                }
                vec![Node::default()]
            }
        };
        loop {
            if self.skip('@') {
                let capture = self.name();
                nodes.iter_mut().for_each(|node| node.captures.push(capture.to_owned()));
            } else if !['*', '+', '?'].into_iter().any(|sign| self.skip(sign)) {
                return Ok(nodes);
            }
        }
    }

    /// Reads items up to a closing bracket.
    fn items(
        &mut self,
        close: char,
        predicates: &mut Vec<Predicate>,
        depth: usize,
    ) -> Result<Vec<Node>, usize> {
        let mut nodes = Vec::new();
        while !self.skip(close) {
            nodes.extend(self.item(predicates, depth + 1)?);
        }
        Ok(nodes)
    }

    /// Reads what stands in round brackets: a predicate, several items, or one node and its
    /// children.
    fn in_brackets(
        &mut self,
        predicates: &mut Vec<Predicate>,
        depth: usize,
    ) -> Result<Vec<Node>, usize> {
        match self.next() {
            Some('#') => {
                self.at += 1;
                predicates.push(self.predicate()?);
                Ok(Vec::new())
            }
            Some(c) if c.is_alphanumeric() || c == '_' => {
                // Of `super/sub`, nodes are of the second kind.
                let name = self.name();
                let kind = name.rsplit('/').next().unwrap_or(name);
                let kind = if kind == "_" { String::new() } else { kind.to_owned() };
                let children = self.items(')', predicates, depth)?;
                Ok(vec![Node { kind, children, ..Node::default() }])
            }
            _ => self.items(')', predicates, depth),
        }
    }

    /// Reads a predicate after its first sign.
    fn predicate(&mut self) -> Result<Predicate, usize> {
        let name = self.name().to_owned();
        let mut arguments = Vec::new();
        while !self.skip(')') {
            if self.skip('"') {
                arguments.push(self.quoted()?);
                continue;
            }
            let is_capture = self.skip('@');
            let word = self.name();
            if word.is_empty() {
                return Err(self.wrong());
            }
            arguments.push(if is_capture { format!("@{word}") } else { word.to_owned() });
        }
        Ok(Predicate { name, arguments })
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write;

    use super::{Node, read};

    fn write(out: &mut String, node: &Node) {
        let field = node.field.as_ref().map_or(String::new(), |field| format!("{field}:"));
        let kind = if node.kind.is_empty() { "_" } else { &node.kind };
        let captures: String = node.captures.iter().map(|c| format!("@{c}")).collect();
        write!(out, "({field}{kind}{captures}").unwrap();
        node.children.iter().for_each(|child| write(out, child));
        out.push(')');
    }

    fn check(text: &str) -> String {
        let queries = match read(text) {
            Ok(queries) => queries,
            Err(line) => return format!("line {line}"),
        };
        let mut lines = Vec::new();
        for query in &queries {
            let mut line = String::new();
            query.nodes.iter().for_each(|node| write(&mut line, node));
            for predicate in &query.predicates {
                write!(line, " #{} {:?}", predicate.name, predicate.arguments).unwrap();
            }
            lines.push(line);
        }
        lines.join("\n")
    }

    #[test]
    fn nodes_are_found_with_their_captures_fields_and_parents() {
        for (text, expected) in [
            ("(a) @x ; (b)\n(c)", "(a@x)\n(c)"),
            ("(f name: [(a) (b (c) @z)] @n @m)+ @d", "(f@d(name:a@n@m)(name:b@n@m(c@z)))"),
            (
                "((t) @c (#set! l \"a\\\"b\") (#eq? @c @d))",
                "(t@c) #set! [\"l\", \"a\\\"b\"] #eq? [\"@c\", \"@d\"]",
            ),
            ("(a . (_)? @b \"+\" !f . _ (sup/sub))", "(a(_@b)(_)(_)(sub))"),
            ("[\"if\" \"else\"] @keyword", "(_@keyword)(_@keyword)"),
        ] {
            assert_eq!(check(text), expected, "{text}");
        }
    }

    #[test]
    fn faults_are_told_with_their_line() {
        for text in [
            "\n(a",
            "\n(a \"b)",
            "\n)",
            "\n[(a)",
            "\n(#eq? @a &)",
            &format!("\n{}", "(".repeat(100_000)),
        ] {
            assert_eq!(check(text), "line 2", "{}", &text[..9.min(text.len())]);
        }
    }
}
