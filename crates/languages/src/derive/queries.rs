//! What the queries say that many grammars bring for editors (`queries/*.scm`): which nodes are
//! names, texts, definitions, scopes, calls, and texts of other languages. Their writers have seen
//! what rules only hint at.

use std::collections::BTreeSet;

use crate::derive::error::DeriveError;
use crate::derive::query_text::{Node, Query, read};

/// The files that something is read from.
pub const QUERY_FILES: &[&str] = &["highlights.scm", "injections.scm", "locals.scm", "tags.scm"];

/// A file of queries, one of [`QUERY_FILES`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueryFile {
    /// Its name.
    pub name: String,
    /// Its text.
    pub text: String,
}

/// All queries of a grammar.
#[derive(Debug, Default)]
pub(super) struct Queries(Vec<Query>);

/// Nodes that hold text of another language.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Injection {
    pub(super) kind: String,
    /// The kind of their parents, where the query says it.
    pub(super) within: Option<String>,
    /// What the query calls the language.
    pub(super) language: String,
}

/// Nodes that declare a name, which stands in a field of theirs.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Definition<'a> {
    pub(super) kind: &'a str,
    pub(super) name_field: &'a str,
    pub(super) is_function: bool,
}

/// What leaves that are names are called, up to the first dot.
const NAMES: &[&str] = &[
    "class",
    "constructor",
    "enum",
    "field",
    "function",
    "interface",
    "label",
    "method",
    "module",
    "name",
    "namespace",
    "parameter",
    "property",
    "struct",
    "type",
    "variable",
];

/// What leaves that hold text are called, up to the first dot.
const TEXTS: &[&str] = &["character", "comment", "float", "number", "string"];

impl Queries {
    /// Reads files of queries.
    ///
    /// # Errors
    /// If a bracket or a quote is not closed, or closes nothing.
    pub(super) fn read(files: &[QueryFile]) -> Result<Self, DeriveError> {
        let mut all = Vec::new();
        for QueryFile { name, text } in files {
            all.extend(read(text).map_err(|line| DeriveError::Query { file: name.clone(), line })?);
        }
        Ok(Self(all))
    }

    /// Returns the kinds of nodes that are names somewhere. A query calls tokens so, too, whose
    /// text is always the same: `int` is a type.
    pub(super) fn names(&self) -> BTreeSet<&str> {
        self.kinds(|capture| match capture.strip_prefix("local.") {
            Some(local) => starts_with_one_of(local, &["definition", "reference"]),
            None => starts_with_one_of(capture, NAMES) && !capture.contains("builtin"),
        })
    }

    /// Returns the kinds of nodes that are comments, quoted texts or numbers, but not what has a
    /// meaning of its own in a text.
    pub(super) fn texts(&self) -> BTreeSet<&str> {
        let is_special =
            |capture: &str| ["escape", "special", "regex"].iter().any(|s| capture.contains(s));
        self.kinds(|capture| starts_with_one_of(capture, TEXTS) && !is_special(capture))
    }

    /// Returns the kinds of nodes that hide the names declared inside.
    pub(super) fn scopes(&self) -> BTreeSet<&str> {
        self.kinds(|capture| ["local.scope", "scope"].contains(&capture))
    }

    /// Returns the kinds of nodes that call what stands in a field of theirs. Queries call
    /// operators calls, too.
    pub(super) fn calls(&self) -> BTreeSet<&str> {
        let mut found = BTreeSet::new();
        self.visit(&mut |_, _, node| {
            let is_call = node.captures.iter().any(|capture| capture == "reference.call");
            let is_called = |child: &Node| {
                let field = child.field.as_deref();
                field.is_some_and(|field| !["operator", "left", "right"].contains(&field))
                    && holds_name(child)
            };
            if is_call && !node.kind.is_empty() && node.children.iter().any(is_called) {
                found.insert(&*node.kind);
            }
        });
        found
    }

    /// Returns what declares names.
    pub(super) fn definitions(&self) -> BTreeSet<Definition<'_>> {
        let mut found = BTreeSet::new();
        self.visit(&mut |_, parent, node| {
            let name_field =
                node.field.as_deref().filter(|_| node.captures.iter().any(|c| c == "name"));
            let (Some(parent), Some(name_field)) = (parent, name_field) else { return };
            let what = parent.captures.iter().find_map(|c| c.strip_prefix("definition."));
            let is_function = what.is_some_and(|what| ["function", "method"].contains(&what));
            if what.is_some() && !parent.kind.is_empty() {
                found.insert(Definition { kind: &parent.kind, name_field, is_function });
            }
        });
        found
    }

    /// Returns where other languages stand, as far as nothing but the place of a node says so.
    pub(super) fn injections(&self) -> BTreeSet<Injection> {
        let mut found = BTreeSet::new();
        self.visit(&mut |query, parent, node| {
            let is_content = node.captures.iter().any(|c| c == "injection.content");
            if !is_content || node.kind.is_empty() {
                return;
            }
            let mut language = None;
            for predicate in &query.predicates {
                match (&*predicate.name, &*predicate.arguments) {
                    // Every text can be a `comment`: editors look for marks in it.
                    ("set!", [key, value]) if key == "injection.language" && value != "comment" => {
                        language = Some(value);
                    }
                    // A condition; text that is put together from several nodes or goes beyond the
                    // node.
                    _ => return,
                }
            }
            found.extend(language.map(|language| Injection {
                kind: node.kind.clone(),
                within: parent.map(|parent| parent.kind.clone()).filter(|kind| !kind.is_empty()),
                language: language.to_lowercase(),
            }));
        });
        found
    }

    fn kinds(&self, fits: impl Fn(&str) -> bool) -> BTreeSet<&str> {
        let mut found = BTreeSet::new();
        self.visit(&mut |_, _, node| {
            if !node.kind.is_empty() && node.captures.iter().any(|capture| fits(capture)) {
                found.insert(&*node.kind);
            }
        });
        found
    }

    /// Shows every node with its query and its parent.
    fn visit<'a>(&'a self, show: &mut dyn FnMut(&'a Query, Option<&'a Node>, &'a Node)) {
        for query in &self.0 {
            let mut left: Vec<(Option<&Node>, &Node)> =
                query.nodes.iter().map(|node| (None, node)).collect();
            while let Some((parent, node)) = left.pop() {
                show(query, parent, node);
                left.extend(node.children.iter().map(|child| (Some(node), child)));
            }
        }
    }
}

/// Returns whether a node is called a name, or one in it is.
fn holds_name(node: &Node) -> bool {
    node.captures.iter().any(|capture| capture == "name") || node.children.iter().any(holds_name)
}

/// Returns whether a capture is one of these, or a special one: `type.definition` is a `type`.
fn starts_with_one_of(capture: &str, names: &[&str]) -> bool {
    names.contains(&capture.split('.').next().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::{Definition, Injection, Queries, QueryFile};

    fn queries(text: &str) -> Queries {
        let file = QueryFile { name: "tags.scm".to_owned(), text: text.to_owned() };
        Queries::read(&[file]).unwrap()
    }

    #[test]
    fn captures_tell_names_texts_scopes_calls_and_definitions() {
        let queries = queries(
            "(word) @variable (word) @type (self) @variable.builtin (ref) @local.reference (rem) @comment.line\n\
             [(loop) (body)] @local.scope (call f: (path (word) @name)) @reference.call\n\
             (sum operator: (sign) @name) @reference.call (esc) @string.escape\n\
             (fun title: (word) @name) @definition.method (let (word) @name) @definition.constant",
        );
        let list = |kinds: std::collections::BTreeSet<&str>| Vec::from_iter(kinds).join(" ");
        assert_eq!(list(queries.names()), "ref sign word");
        assert_eq!(list(queries.texts()), "rem");
        assert_eq!(list(queries.scopes()), "body loop");
        assert_eq!(list(queries.calls()), "call");
        let definition = Definition { kind: "fun", name_field: "title", is_function: true };
        assert_eq!(Vec::from_iter(queries.definitions()), [definition]);
    }

    #[test]
    fn only_a_place_that_always_holds_another_language_is_an_injection() {
        let found = |text: &str| {
            let queries = queries(text);
            let all = queries.injections().into_iter();
            let one = |Injection { kind, within, language }| {
                format!("{kind} in {within:?} is {language}")
            };
            all.map(one).collect::<Vec<_>>().join("; ")
        };
        let script =
            "((script (raw) @injection.content) (#set! injection.language \"JavaScript\"))";
        assert_eq!(found(script), "raw in Some(\"script\") is javascript");
        for other in [
            "((raw) @injection.content (#set! injection.language \"c\") (#eq? @x \"y\"))",
            "((raw) @injection.content (#set! injection.combined) (#set! injection.language \"c\"))",
            "(tag (name) @injection.language (raw) @injection.content)",
        ] {
            assert_eq!(found(other), "", "{other}");
        }
    }
}
