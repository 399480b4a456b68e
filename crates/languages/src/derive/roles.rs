//! The roles of a grammar's kinds, by the names that grammars give to rules and fields, and by what
//! the rules allow.

use std::collections::{BTreeMap, BTreeSet};

use minirepro_syntax::{FieldRole, Role};

use crate::derive::expression::Expr;
use crate::derive::grammar::Grammar;
use crate::derive::least::LeastTexts;
use crate::derive::rules::{Line, Rules};

/// Names of kinds.
pub(super) type Names<'a> = BTreeSet<&'a str>;

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

// What the names of kinds end in, or are.
const NAMES: &str = "identifier name variable var constant constructor operator_name";
const STATEMENTS: &str = "statement stmt statements";
const EXPRESSIONS: &str = "expression expr exp literal primary value arg";
const DECLARATIONS: &str = "declaration definition item decl def declarations function";
/// Tokens before or after a text.
const BORDERS: &str = "start beginning end open close delimiter quote";

// What the names of kinds contain.
const NO_EXPRESSIONS: &str = "pattern lhs type path";
const CALLS: &str = "call invocation new creation";
const HOLDERS: &str = "argument pair element spread field_init initializer";
const QUALIFIERS: &str = "modifier visibility annotation attribute qualifier decorator";
const BODIES: &str = "block body suite";
const TEXTS: &str = "comment string text content regex number integer float";

/// Brackets between which there may be nothing.
const BRACKETS: [[&str; 2]; 5] =
    [["(", ")"], ["[", "]"], ["{", "}"], ["begin", "end"], ["do", "end"]];

/// The kinds of a grammar, and what they are.
pub(super) struct Kinds<'a> {
    pub(super) roles: BTreeMap<Role, Names<'a>>,
    /// The kind of words, where it is visible.
    pub(super) word: Option<&'a str>,
    /// All tokens that stand for themselves.
    pub(super) literals: Names<'a>,
    all: Vec<Kind<'a>>,
    /// Those that have a rule.
    visible: Names<'a>,
    /// Those below which there may be nodes of other kinds.
    pub(super) holding: Names<'a>,
    /// Those between whose brackets there may be nothing, each with the first bracket.
    brackets: BTreeMap<&'a str, &'a str>,
}

/// A visible kind that has a rule.
struct Kind<'a> {
    name: &'a str,
    /// The kinds that can stand below it.
    below: Names<'a>,
    /// The kinds that each of its fields may hold.
    fields: BTreeMap<&'a str, Names<'a>>,
}

impl<'a> Kinds<'a> {
    /// Finds the roles of all kinds that trees have.
    pub(super) fn of(grammar: &'a Grammar, rules: &Rules<'a>, least: &LeastTexts<'a>) -> Self {
        let kind = |line: &Line<'a>| Kind {
            name: line.name,
            below: rules.below(line),
            fields: rules.fields_of(line),
        };
        let all: Vec<Kind<'a>> = rules.visible().map(kind).collect();
        let holds = |kind: &&Kind<'_>| kind.below.iter().any(|&name| name != "hidden");
        let visible: Names<'a> = all.iter().map(|kind| kind.name).collect();
        let holding: Names<'a> = all.iter().filter(holds).map(|kind| kind.name).collect();
        let brackets = holding.iter().filter_map(|&name| match least.tokens(name) {
            Some(&[open, close]) if BRACKETS.contains(&[open, close]) => Some((name, open)),
            _ => None,
        });
        let leaves = rules.lines.iter().flat_map(|line| line.body.leaves());
        let literals = leaves.filter_map(|leaf| match leaf {
            Expr::Literal(text) => Some(*text),
            _ => None,
        });
        let is_word = |word: &&str| !grammar.is_hidden(word) && rules.has_kind(word);
        let mut kinds = Self {
            roles: BTreeMap::new(),
            word: grammar.word.as_deref().filter(is_word),
            literals: literals.collect(),
            brackets: brackets.collect(),
            all,
            visible,
            holding,
        };
        kinds.leaves(grammar, rules);
        kinds.values(rules);
        kinds.declarations(rules);
        kinds.bodies(&grammar.extra_kinds().collect());
        kinds.roles.values_mut().for_each(|kinds| kinds.retain(|kind| rules.has_kind(kind)));
        kinds.roles.retain(|_, kinds| !kinds.is_empty());
        kinds
    }

    /// Returns the kinds that play a role.
    pub(super) fn of_role(&self, role: Role) -> Names<'a> {
        self.roles.get(&role).cloned().unwrap_or_default()
    }

    /// Names, and what holds text: comments, quoted texts, numbers.
    fn leaves(&mut self, grammar: &'a Grammar, rules: &Rules<'a>) {
        let aliases = rules.token_aliases.iter();
        let all = grammar.names().chain(aliases.clone().map(|(alias, _)| *alias));
        let mut leaves: Names<'a> = all.chain(grammar.externals()).collect();
        leaves.retain(|name| !grammar.is_hidden(name));
        let is_name = |(alias, rule): &&(&str, &str)| {
            ends_in(alias, NAMES) || grammar.word.as_deref() == Some(*rule)
        };
        let mut names = select(&(&leaves | &self.visible), |name| ends_in(name, NAMES));
        let external: Names<'a> = grammar.externals().collect();
        names.retain(|name| !self.holding.contains(name) || external.contains(name));
        names.extend(aliases.filter(is_name).map(|(alias, _)| *alias).chain(self.word));
        // Some comments have parts, and others of the same kind have none.
        let extras: Names<'a> = grammar.extra_kinds().collect();
        let whole = &self.holding - &extras;
        let is_text = |name: &str| contains(name, TEXTS) && !ends_in(name, BORDERS);
        let texts = select(&(&leaves - &whole), is_text);
        self.roles.extend([(Role::Identifier, names), (Role::Divisible, texts)]);
    }

    /// Expressions, calls and statements.
    fn values(&mut self, rules: &Rules<'a>) {
        let is_expression =
            |name: &str| ends_in(name, EXPRESSIONS) && !contains(name, NO_EXPRESSIONS);
        let statements = group(rules, |name| ends_in(name, STATEMENTS));
        let mut expressions = group(rules, is_expression);
        expressions.retain(|kind| !statements.contains(kind) || is_expression(kind));
        let mut calls = self.with_fields(&["arguments"]);
        calls.retain(|call| expressions.contains(call.name) || contains(call.name, CALLS));
        let lists = self.bracketed(held(&calls, "arguments"));
        let is_holder = |kind: &&Kind<'_>| {
            contains(kind.name, HOLDERS) && !kind.below.is_disjoint(&expressions)
        };
        let holders: Names<'a> = self.all.iter().filter(is_holder).map(|kind| kind.name).collect();
        let holders = &(&holders - &expressions) - &statements;
        let assigning = &names(&self.with_fields(&["left", "right"])) & &expressions;
        let is = |wanted: &'static [&str]| select(&self.visible, |name| wanted.contains(&name));
        let found = [
            (Role::CompoundExpression, &expressions & &self.holding),
            (Role::Call, names(&calls)),
            (Role::ExpressionList, &holders | &lists),
            (Role::Arguments, lists),
            (Role::Assignment, select(&assigning, |name| name.contains("assign"))),
            (Role::Return, is(&["return_statement", "return_expression"])),
            (Role::ExpressionStatement, is(&["expression_statement"])),
            (Role::Statement, &statements - &expressions),
            (Role::Expression, expressions),
        ];
        self.roles.extend(found);
    }

    /// Functions, their parameters, and other things that have names.
    fn declarations(&mut self, rules: &Rules<'a>) {
        let declarations = group(rules, |name| ends_in(name, DECLARATIONS));
        let lists = self.bracketed(held(&self.with_fields(&["parameters"]), "parameters"));
        let elements = self.all.iter().filter(|kind| lists.contains(kind.name));
        let elements: Names<'a> = elements.flat_map(|list| list.below.iter().copied()).collect();
        let is_needed = |kind: &str| rules.lines.iter().any(|line| needs(&line.body, kind));
        let is_qualifier = |kind: &str| contains(kind, QUALIFIERS) && !is_needed(kind);
        let found = [
            (Role::Declaration, &(&declarations & &self.holding) - &self.of_role(Role::Expression)),
            (Role::Function, names(&self.with_fields(&["body", "parameters"]))),
            (Role::Parameter, select(&elements, |kind| kind.contains("parameter"))),
            (Role::Parameters, lists),
            (Role::Type, group(rules, |name| ["type", "simple_type"].contains(&name))),
            (Role::Qualifier, select(&self.visible, is_qualifier)),
        ];
        self.roles.extend(found);
    }

    /// What stands in brackets or in a body, and hides the names that are declared inside.
    fn bodies(&mut self, extras: &Names<'a>) {
        let compound = self.of_role(Role::CompoundExpression);
        let [statements, declarations, parameters] =
            [Role::Statement, Role::Declaration, Role::Parameters].map(|role| self.of_role(role));
        let in_bodies = held(&self.with_fields(&["body"]), "body");
        let of_functions = held(&self.with_fields(&["body", "parameters"]), "body");
        let named = select(&self.visible, |name| contains(name, BODIES));
        let alone = &(&(&in_bodies - &compound) - &statements) - &declarations;
        let bodies = &(&alone | &named) & &self.holding;
        let bracketed: Names<'a> = self.brackets.keys().copied().collect();
        let inner = &(&bracketed | &bodies) - extras;
        let is_curly = |name: &str| self.brackets.get(name) == Some(&"{");
        let curly = &select(&inner, is_curly) - &compound;
        let hiding = &(&inner & &(&in_bodies | &named)) | &curly;
        let found = [
            (Role::Scope, &hiding | &parameters),
            (Role::Block, &inner & &(&of_functions | &named)),
            (Role::Hollow, inner),
        ];
        self.roles.extend(found);
    }

    /// Returns the kinds that have all of these fields.
    fn with_fields(&self, fields: &[&str]) -> Vec<&Kind<'a>> {
        let has_all = |kind: &&Kind<'_>| fields.iter().all(|field| kind.fields.contains_key(field));
        self.all.iter().filter(has_all).collect()
    }

    fn bracketed(&self, mut kinds: Names<'a>) -> Names<'a> {
        kinds.retain(|kind| self.brackets.contains_key(kind));
        kinds
    }
}

fn names<'a>(kinds: &[&Kind<'a>]) -> Names<'a> {
    kinds.iter().map(|kind| kind.name).collect()
}

/// Returns the kinds that stand in this field.
fn held<'a>(kinds: &[&Kind<'a>], field: &str) -> Names<'a> {
    kinds.iter().flat_map(|kind| kind.fields[field].iter().copied()).collect()
}

fn select<'a>(names: &Names<'a>, fits: impl Fn(&str) -> bool) -> Names<'a> {
    names.iter().copied().filter(|name| fits(name)).collect()
}

/// Returns the kinds that rules with such a name stand for: those that they put in, or themselves.
fn group<'a>(rules: &Rules<'a>, fits: impl Fn(&str) -> bool) -> Names<'a> {
    let fitting = rules.lines.iter().filter(|line| fits(line.name.trim_start_matches('_')));
    let kinds = fitting.flat_map(|line| match line.hidden {
        true => rules.alternatives(&line.body),
        false => BTreeSet::from([line.name]),
    });
    kinds.filter(|&kind| kind != "hidden").collect()
}

/// Returns whether an expression has a place in which nothing but the kind, or a choice of it, may
/// stand.
fn needs(expr: &Expr<'_>, kind: &str) -> bool {
    match expr {
        Expr::Name(name) => *name == kind,
        Expr::Literal(_) | Expr::Many(_, '?' | '*') => false,
        Expr::Seq(parts) | Expr::Choice(parts) => parts.iter().any(|part| needs(part, kind)),
        Expr::Many(inner, _) => needs(inner, kind),
    }
}

/// Returns whether one of these words is the name or its last words.
fn ends_in(name: &str, words: &str) -> bool {
    let is_end = |rest: &str| rest.is_empty() || rest.ends_with('_');
    words.split(' ').any(|word| name.strip_suffix(word).is_some_and(is_end))
}

/// Returns whether one of these words is a part of the name.
fn contains(name: &str, words: &str) -> bool {
    words.split(' ').any(|word| name.contains(word))
}
