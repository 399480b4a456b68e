//! The roles of a grammar's kinds, by the names that grammars give to rules and fields, and by what
//! the rules allow.

use std::collections::{BTreeMap, BTreeSet};

use minirepro_syntax::{FieldRole, Role};

use crate::derive::expression::Expr;
use crate::derive::grammar::Grammar;
use crate::derive::least::LeastTexts;
use crate::derive::rules::{Line, Rules};

/// The kinds that play each role.
pub(super) struct Roles<'a> {
    pub(super) kinds: BTreeMap<Role, BTreeSet<&'a str>>,
    /// The kind of words, where it is visible.
    pub(super) word: Option<&'a str>,
    /// All tokens that stand for themselves.
    pub(super) literals: BTreeSet<&'a str>,
    /// The kinds whose whole text can be a zero.
    pub(super) zeros: BTreeSet<&'a str>,
}

/// Names that grammars give to the parts that passes ask for.
pub(super) const FIELDS: &[(FieldRole, &[&str])] = &[
    (FieldRole::Arguments, &["arguments"]),
    (FieldRole::Body, &["body"]),
    (FieldRole::Declarator, &["declarator", "pattern"]),
    (FieldRole::Name, &["name"]),
    (FieldRole::Parameters, &["parameters"]),
    (FieldRole::Type, &["return_type", "result", "type"]),
    (FieldRole::Value, &["right", "value"]),
];

/// What leaves that are names are called, or what their names end in.
const NAMES: &[&str] =
    &["identifier", "name", "variable", "var", "constant", "constructor", "operator_name"];

impl<'a> Roles<'a> {
    /// Finds the roles of all kinds.
    pub(super) fn of(grammar: &'a Grammar, rules: &'a Rules, least: &'a LeastTexts) -> Self {
        let mut literals = BTreeSet::new();
        rules.lines.iter().for_each(|line| line.body.literals(&mut literals));
        let word = grammar.word.as_deref().filter(|word| !grammar.is_hidden(word));
        let mut found = Self { kinds: BTreeMap::new(), word, literals, zeros: BTreeSet::new() };
        let kinds = Kinds { grammar, rules, least };
        found.assign(Role::Identifier, kinds.names(word));
        found.values(&kinds);
        found.declarations(&kinds);
        found.bodies(&kinds);
        found.assign(Role::Divisible, kinds.divisible());
        found.zeros = kinds.zeros();
        // Trees do not have all kinds.
        found.kinds.values_mut().for_each(|kinds| kinds.retain(|kind| rules.has_kind(kind)));
        found.kinds.retain(|_, kinds| !kinds.is_empty());
        found.zeros.retain(|kind| rules.has_kind(kind));
        found.word = word.filter(|word| rules.has_kind(word));
        found
    }

    /// Returns the kinds that play a role.
    pub(super) fn of_role(&self, role: Role) -> impl Iterator<Item = &'a str> + use<'a, '_> {
        self.kinds.get(&role).into_iter().flatten().copied()
    }

    fn assign(&mut self, role: Role, kinds: impl IntoIterator<Item = &'a str>) {
        self.kinds.entry(role).or_default().extend(kinds);
    }

    /// Expressions, calls and statements.
    fn values(&mut self, kinds: &Kinds<'a>) {
        let statement = |name: &str| ends_in(name, &["statement", "stmt", "statements"]);
        let expression = |name: &str| {
            ends_in(name, &["expression", "expr", "exp", "literal", "primary", "value", "arg"])
                && !["pattern", "lhs", "type", "path"].iter().any(|part| name.contains(part))
        };
        let statements = kinds.group(statement);
        let mut expressions = kinds.group(expression);
        let is_holder = |kind: &str| statements.contains(kind) && !expression(kind);
        expressions.retain(|kind| !is_holder(kind));
        let compound = expressions.iter().filter(|kind| kinds.holds_nodes(kind));
        self.assign(Role::CompoundExpression, compound.copied());
        let mut calls = kinds.with_fields(&["arguments"]);
        let is_call = |name: &str| {
            ["call", "invocation", "new", "creation"].iter().any(|part| name.contains(part))
        };
        calls.retain(|line| expressions.contains(line.name.as_str()) || is_call(&line.name));
        let lists = calls.iter().flat_map(|line| kinds.in_fields(line, &["arguments"]));
        let lists: BTreeSet<&str> = lists.filter(|list| kinds.is_bracketed(list)).collect();
        self.assign(Role::Call, calls.iter().map(|line| line.name.as_str()));
        self.assign(Role::Arguments, lists.iter().copied());
        let between = |line: &&Line| {
            let name = line.name.as_str();
            let below = || kinds.below(line);
            !expressions.contains(name)
                && !statements.contains(name)
                && ["argument", "pair", "element", "spread", "field_init", "initializer"]
                    .iter()
                    .any(|part| name.contains(part))
                && below().iter().any(|kind| expressions.contains(kind))
        };
        let holders = kinds.rules.visible().filter(between).map(|line| line.name.as_str());
        self.assign(Role::ExpressionList, holders.chain(lists.iter().copied()));
        let assigns = |line: &&Line| line.name.contains("assign");
        let assigning = kinds.with_fields(&["left", "right"]);
        let assigning = assigning.into_iter().filter(assigns).map(|line| line.name.as_str());
        self.assign(Role::Assignment, assigning.filter(|kind| expressions.contains(kind)));
        let visible = || kinds.rules.visible().map(|line| line.name.as_str());
        let returns = ["return_statement", "return_expression"];
        self.assign(Role::Return, visible().filter(|name| returns.contains(name)));
        let alone = visible().filter(|name| *name == "expression_statement");
        self.assign(Role::ExpressionStatement, alone);
        self.assign(Role::Expression, expressions.iter().copied());
        self.assign(Role::Statement, statements.difference(&expressions).copied());
    }

    /// Functions, their parameters, and other things that have names.
    fn declarations(&mut self, kinds: &Kinds<'a>) {
        let declares =
            ["declaration", "definition", "item", "decl", "def", "declarations", "function"];
        let expressions: BTreeSet<&str> = self.of_role(Role::Expression).collect();
        let all = kinds.group(|name| ends_in(name, &declares)).into_iter();
        let all = all.filter(|kind| !expressions.contains(kind) && kinds.holds_nodes(kind));
        self.assign(Role::Declaration, all);
        let functions = kinds.with_fields(&["body", "parameters"]);
        self.assign(Role::Function, functions.iter().map(|line| line.name.as_str()));
        let lists = kinds.with_fields(&["parameters"]);
        let lists = lists.iter().flat_map(|line| kinds.in_fields(line, &["parameters"]));
        let lists: BTreeSet<&str> = lists.filter(|list| kinds.is_bracketed(list)).collect();
        let elements = lists.iter().filter_map(|list| kinds.line(list));
        let elements = elements.flat_map(|line| kinds.below(line));
        self.assign(Role::Parameter, elements.filter(|kind| kind.contains("parameter")));
        self.assign(Role::Parameters, lists.iter().copied());
        self.assign(Role::Scope, lists);
        let types = kinds.group(|name| ["type", "_type", "simple_type"].contains(&name));
        self.assign(Role::Type, types);
        let about = ["modifier", "visibility", "annotation", "attribute", "qualifier", "decorator"];
        let qualifies = |line: &&Line| about.iter().any(|part| line.name.contains(part));
        let qualifiers = kinds.rules.visible().filter(qualifies).map(|line| line.name.as_str());
        self.assign(Role::Qualifier, qualifiers.filter(|kind| kinds.is_never_needed(kind)));
    }

    /// What stands in brackets or in a body, and hides the names that are declared inside.
    fn bodies(&mut self, kinds: &Kinds<'a>) {
        let in_bodies = kinds.with_fields(&["body"]);
        let in_bodies: BTreeSet<&str> =
            in_bodies.iter().flat_map(|line| kinds.in_fields(line, &["body"])).collect();
        let named = |kind: &str| ["block", "body", "suite"].iter().any(|part| kind.contains(part));
        let expressions: BTreeSet<&str> = self.of_role(Role::CompoundExpression).collect();
        let statements: BTreeSet<&str> =
            self.of_role(Role::Statement).chain(self.of_role(Role::Declaration)).collect();
        let inner: Vec<&str> = kinds
            .rules
            .visible()
            .map(|line| line.name.as_str())
            .filter(|kind| !kinds.grammar.is_extra(kind))
            .filter(|kind| {
                let is_more = expressions.contains(*kind) || statements.contains(*kind);
                let body = in_bodies.contains(kind) && !is_more || named(kind);
                kinds.is_bracketed(kind) || body && kinds.holds_nodes(kind)
            })
            .collect();
        let is_body = |kind: &&str| in_bodies.contains(*kind) || named(kind);
        let curly = |kind: &&str| kinds.brackets(kind).is_some_and(|[open, _]| open == "{");
        let hides = |kind: &&&str| is_body(kind) || curly(kind) && !expressions.contains(**kind);
        self.assign(Role::Scope, inner.iter().filter(hides).copied());
        let functions = kinds.with_fields(&["body", "parameters"]);
        let of_functions: BTreeSet<&str> =
            functions.iter().flat_map(|line| kinds.in_fields(line, &["body"])).collect();
        let is_block = |kind: &&&str| of_functions.contains(**kind) || named(kind);
        self.assign(Role::Block, inner.iter().filter(is_block).copied());
        self.assign(Role::Hollow, inner);
    }
}

/// What can be asked about the kinds of a grammar.
struct Kinds<'a> {
    grammar: &'a Grammar,
    rules: &'a Rules,
    least: &'a LeastTexts,
}

impl<'a> Kinds<'a> {
    fn line(&self, kind: &str) -> Option<&'a Line> {
        self.rules.visible().find(|line| line.name == kind)
    }

    /// Returns the names of all rules, and those of what a scanner finds.
    fn rules(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        self.grammar.rules.iter().map(|(name, _)| name.as_str())
    }

    fn externals(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        self.grammar.externals.iter().filter_map(|token| token["name"].as_str())
    }

    /// Returns the leaves that are names.
    fn names(&self, word: Option<&str>) -> BTreeSet<&'a str> {
        let is_leaf = |name: &str| !self.grammar.is_hidden(name) && self.line(name).is_none();
        let whole = self.rules.visible().filter(|line| !self.holds_nodes(&line.name));
        let named = self
            .rules()
            .filter(|name| is_leaf(name))
            .chain(whole.map(|line| line.name.as_str()))
            .chain(self.externals().filter(|name| !name.starts_with('_')))
            .filter(|name| ends_in(name, NAMES));
        let aliases = self.rules.token_aliases.iter().filter(|(alias, rule)| {
            self.grammar.word.as_ref() == Some(rule) || ends_in(alias, NAMES)
        });
        let word = self.rules().filter(|&name| Some(name) == word);
        named.chain(aliases.map(|(alias, _)| alias.as_str())).chain(word).collect()
    }

    /// Returns the kinds that rules with such a name stand for: those that they put in, or
    /// themselves.
    fn group(&self, fits: impl Fn(&str) -> bool) -> BTreeSet<&'a str> {
        let mut found = BTreeSet::new();
        for line in &self.rules.lines {
            let name = line.name.trim_start_matches('_');
            if !fits(name) {
                continue;
            }
            if line.hidden {
                found.extend(self.rules.alternatives(&line.body));
            } else {
                found.insert(line.name.as_str());
            }
        }
        found.remove("hidden");
        found
    }

    /// Returns whether nodes of the kind can have nodes of other kinds below.
    fn holds_nodes(&self, kind: &str) -> bool {
        self.line(kind).is_some_and(|line| self.below(line).iter().any(|&kind| kind != "hidden"))
    }

    /// Returns the kinds that can stand below a node, not only alone.
    fn below(&self, line: &'a Line) -> BTreeSet<&'a str> {
        let mut found = BTreeSet::new();
        let mut seen = BTreeSet::new();
        let mut todo = vec![&line.body];
        while let Some(expr) = todo.pop() {
            for name in expr.names() {
                match self.rules.hidden(name) {
                    Some(body) => todo.extend(seen.insert(name).then_some(body)),
                    None => drop(found.insert(name)),
                }
            }
        }
        found
    }

    /// Returns the kinds that have all of these fields.
    fn with_fields(&self, fields: &[&str]) -> Vec<&'a Line> {
        let has_all = |line: &&Line| {
            let own = self.rules.fields_of(line);
            fields.iter().all(|field| own.iter().any(|(name, _)| name == field))
        };
        self.rules.visible().filter(has_all).collect()
    }

    /// Returns the kinds that these fields of a node can hold.
    fn in_fields(&self, line: &'a Line, fields: &[&str]) -> BTreeSet<&'a str> {
        let own = self.rules.fields_of(line).into_iter();
        let held = own.filter(|(name, _)| fields.contains(name));
        held.flat_map(|(_, held)| self.rules.alternatives(held)).collect()
    }

    /// Returns the brackets of a kind that can be empty between them.
    fn brackets(&self, kind: &str) -> Option<[&'a str; 2]> {
        let Some([open, close]) = self.least.tokens(kind) else { return None };
        let pairs = [["(", ")"], ["[", "]"], ["{", "}"], ["begin", "end"], ["do", "end"]];
        pairs.into_iter().find(|pair| *pair == [open, close])
    }

    fn is_bracketed(&self, kind: &str) -> bool {
        self.brackets(kind).is_some() && self.holds_nodes(kind)
    }

    /// Returns the kinds whose whole text can be a zero: numbers, and what can be nothing but one.
    fn zeros(&self) -> BTreeSet<&'a str> {
        let is_zero = |name: &str| self.least.tokens(name).is_some_and(|t| t == ["0"]);
        let mut found: BTreeSet<&str> =
            self.rules().filter(|name| self.line(name).is_none() && is_zero(name)).collect();
        loop {
            let before = found.len();
            for line in self.rules.visible() {
                let alone = self.rules.alternatives(&line.body);
                if !alone.is_disjoint(&found) || is_zero(&line.name) {
                    found.insert(&line.name);
                }
            }
            if found.len() == before {
                return found;
            }
        }
    }

    /// Returns whether the kind may be missing wherever it may stand.
    fn is_never_needed(&self, kind: &str) -> bool {
        self.rules.lines.iter().all(|line| !needs(&line.body, kind))
    }

    /// Returns the leaves that hold text: comments, quoted texts, numbers.
    fn divisible(&self) -> BTreeSet<&'a str> {
        let parts = ["comment", "string", "text", "content", "regex", "number", "integer", "float"];
        let aliases = self.rules.token_aliases.iter().map(|(alias, _)| alias.as_str());
        self.rules()
            .chain(aliases)
            .chain(self.externals())
            .filter(|name| !self.grammar.is_hidden(name))
            // Some comments have parts, and others of the same kind have none.
            .filter(|name| !self.holds_nodes(name) || self.grammar.is_extra(name))
            .filter(|name| parts.iter().any(|part| name.contains(part)))
            .filter(|name| !is_border(name))
            .collect()
    }
}

/// Returns whether the name is that of a token before or after a text.
fn is_border(name: &str) -> bool {
    ends_in(name, &["start", "beginning", "end", "open", "close", "delimiter", "quote"])
}

/// Returns whether an expression has a place in which nothing but the kind, or a choice of it, may
/// stand.
fn needs(expr: &Expr, kind: &str) -> bool {
    match expr {
        Expr::Name(name) => name == kind,
        Expr::Literal(_) => false,
        Expr::Seq(parts) | Expr::Choice(parts) => parts.iter().any(|part| needs(part, kind)),
        Expr::Many(_, '?' | '*') => false,
        Expr::Many(inner, _) => needs(inner, kind),
    }
}

/// Returns whether one of these words is the name or its last word.
fn ends_in(name: &str, words: &[&str]) -> bool {
    let last = name.rsplit('_').next().unwrap_or(name);
    words.iter().any(|word| *word == name || *word == last || name.ends_with(&format!("_{word}")))
}
