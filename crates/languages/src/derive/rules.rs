//! The rules of a `grammar.json` in the normal form of `syntax::Facts`.
//!
//! Tree-sitter's documentation ("Creating parsers: the grammar DSL") and the first steps of its
//! generator (extraction of tokens) say what is visible in trees. Must not depend on any language.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::derive::expression::Expr;
use crate::derive::grammar::{Form, Grammar, Rule};

/// The rules of a grammar: the children that visible kinds have, and the parts that show no node.
pub(super) struct Rules<'a> {
    /// In the order of the grammar, aliases after all rules. A kind may have several.
    pub(super) lines: Vec<Line<'a>>,
    /// Kinds that are another name for a token, with the token's rule.
    pub(super) token_aliases: Aliases<'a>,
    /// What a rule's fields may hold.
    pub(super) fields: BTreeMap<&'a str, Vec<(&'a str, Expr<'a>)>>,
    /// The rules that trees have nodes of.
    used: BTreeSet<&'a str>,
}

/// New names for rules, each with the rule whose body it has.
type Aliases<'a> = BTreeSet<(&'a str, &'a str)>;

/// One rule.
pub(super) struct Line<'a> {
    /// The name of the kind, or of the part.
    pub(super) name: &'a str,
    /// The rule that says what it is: another one for an alias.
    rule: &'a str,
    /// Whether it shows no node, and is put in wherever its name stands.
    pub(super) hidden: bool,
    pub(super) body: Expr<'a>,
}

impl<'a> Rules<'a> {
    /// Converts the rules of a grammar.
    pub(super) fn of(grammar: &'a Grammar) -> Self {
        let mut tokens = HashMap::new();
        grammar.rules.values().for_each(|body| count_tokens(body, &mut tokens));
        let generator = Generator { grammar, tokens };
        let rules = || grammar.rules.iter().map(|(name, body)| (name.as_str(), body));
        let own = rules().filter(|(name, _)| !generator.is_lexical(name));
        let bodies: BTreeMap<_, _> = own.map(|(name, body)| (name, generator.expr(body))).collect();
        let fields = rules().map(|(name, body)| {
            let own = body.all().into_iter().filter(|part| part.form == Form::Field);
            (name, own.map(|part| (part.name.as_str(), generator.expr(part))).collect())
        });
        let fields = fields.collect();
        // What the content of an alias stands for has another name: of a choice each of its
        // alternatives, of something optional what it is if it is there. What may stand anywhere
        // has no place in any rule.
        let all = grammar.rules.values().chain(&grammar.extras).flat_map(Rule::all);
        let named = all.filter(|rule| rule.form == Form::Alias && rule.named);
        let renamed = named
            .flat_map(|alias| alias.parts().flat_map(symbols).map(|symbol| (alias.text(), symbol)));
        let (aliases, token_aliases): (Aliases<'_>, Aliases<'_>) =
            renamed.partition(|(_, rule)| bodies.contains_key(rule));
        let used = reachable(&bodies, &aliases, grammar);
        let own = grammar.names().filter(|name| used.contains(name));
        let lines = own
            .map(|name| (name, name, grammar.is_hidden(name)))
            .chain(aliases.iter().map(|&(alias, rule)| (alias, rule, false)))
            .filter_map(|(name, rule, hidden)| {
                let body = bodies.get(rule)?.clone();
                Some(Line { name, rule, hidden, body })
            })
            .collect();
        Self { lines, token_aliases, fields, used }
    }

    /// Returns whether trees have nodes of this kind: a grammar may have rules that it never uses.
    pub(super) fn has_kind(&self, kind: &str) -> bool {
        self.used.contains(kind) || self.token_aliases.iter().any(|&(alias, _)| alias == kind)
    }

    /// Returns the rules of visible kinds.
    pub(super) fn visible(&self) -> impl Iterator<Item = &Line<'a>> {
        self.lines.iter().filter(|line| !line.hidden)
    }

    /// Returns a part that shows no node.
    fn hidden(&self, name: &str) -> Option<&Line<'a>> {
        self.lines.iter().find(|line| line.hidden && line.name == name)
    }

    /// Returns a visible kind and all parts that are put in.
    fn with_parts<'r>(&'r self, line: &'r Line<'a>) -> Vec<&'r Line<'a>> {
        let (mut found, mut seen) = (vec![line], BTreeSet::new());
        let mut at = 0;
        while let Some(&line) = found.get(at) {
            let names = line.body.names().filter(|&name| seen.insert(name));
            found.extend(names.filter_map(|name| self.hidden(name)).collect::<Vec<_>>());
            at += 1;
        }
        found
    }

    /// Returns the kinds that can stand below a node, not only alone.
    pub(super) fn below(&self, line: &Line<'a>) -> BTreeSet<&'a str> {
        let names = self.with_parts(line).into_iter().flat_map(|line| line.body.names());
        names.filter(|name| self.hidden(name).is_none()).collect()
    }

    /// Returns the kinds that each field of a visible kind may hold: of its own, and of the parts
    /// that are put in.
    pub(super) fn fields_of(&self, line: &Line<'a>) -> BTreeMap<&'a str, BTreeSet<&'a str>> {
        let mut found = BTreeMap::<_, BTreeSet<&str>>::new();
        for line in self.with_parts(line) {
            for (field, held) in self.fields.get(line.rule).into_iter().flatten() {
                found.entry(*field).or_default().extend(self.alternatives(held));
            }
        }
        found
    }

    /// Returns the visible kinds that an expression can be alone.
    pub(super) fn alternatives(&self, expr: &Expr<'a>) -> BTreeSet<&'a str> {
        let (mut found, mut seen) = (BTreeSet::new(), BTreeSet::new());
        let mut todo = vec![expr];
        while let Some(expr) = todo.pop() {
            match expr {
                Expr::Literal(_) => {}
                Expr::Name(name) => match self.hidden(name) {
                    Some(line) => todo.extend(seen.insert(name).then_some(&line.body)),
                    None => drop(found.insert(*name)),
                },
                Expr::Choice(parts) => todo.extend(parts),
                Expr::Many(inner, _) => todo.push(inner),
                Expr::Seq(parts) => {
                    let mut needed =
                        parts.iter().filter(|part| !matches!(part, Expr::Many(_, '?' | '*')));
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
        let from = format!("Grammar facts of tree-sitter-{}", grammar.name);
        let lines = self.lines.iter().map(|Line { name, hidden, body, .. }| {
            format!("{name} {} {}\n", if *hidden { ":=" } else { "=" }, body.text(false))
        });
        let lines: String = lines.collect();
        format!("# {from}, written by `xtask facts`: not to be edited.\n{lines}")
    }
}

/// Returns the rules that occur under their own names below the first rule, or below what may stand
/// anywhere.
fn reachable<'a>(
    bodies: &BTreeMap<&'a str, Expr<'a>>,
    aliases: &Aliases<'a>,
    grammar: &'a Grammar,
) -> BTreeSet<&'a str> {
    let mut used = BTreeSet::new();
    let mut todo: Vec<&str> = grammar.names().take(1).chain(grammar.extra_kinds()).collect();
    while let Some(name) = todo.pop() {
        if used.insert(name) {
            let aliased = aliases.iter().filter(|(alias, _)| *alias == name).map(|&(_, rule)| rule);
            let rules = std::iter::once(name).chain(aliased);
            todo.extend(rules.filter_map(|rule| bodies.get(rule)).flat_map(Expr::names));
        }
    }
    used
}

/// Counts tokens that have no rule of their own: strings, patterns, `token(...)`.
fn count_tokens<'a>(rule: &'a Rule, counts: &mut HashMap<&'a Rule, usize>) {
    match rule.is_token() {
        true => *counts.entry(rule).or_default() += 1,
        false => rule.parts().for_each(|part| count_tokens(part, counts)),
    }
}

struct Generator<'a> {
    grammar: &'a Grammar,
    /// How often each token without a rule of its own occurs in the whole grammar.
    tokens: HashMap<&'a Rule, usize>,
}

impl<'a> Generator<'a> {
    /// Returns whether the rule is a token: its whole body is one that occurs nowhere else. A
    /// precedence around it makes it a rule with a token inside.
    fn is_lexical(&self, name: &str) -> bool {
        let body = self.grammar.rules.get(name);
        body.is_none_or(|body| body.is_token() && self.tokens.get(body).is_none_or(|&n| n <= 1))
    }

    fn expr(&self, rule: &'a Rule) -> Expr<'a> {
        match rule.form {
            Form::Blank => Expr::NOTHING,
            Form::String => Expr::Literal(rule.text()),
            // A token without a name is visible if it is a fixed text.
            Form::Token => match rule.parts().next().map(Rule::unwrapped) {
                Some(content) if content.form == Form::String => Expr::Literal(content.text()),
                _ => token(rule),
            },
            Form::Pattern => token(rule),
            Form::Symbol => self.symbol(&rule.name),
            Form::Alias => {
                let (name, literal) = (Expr::Name(rule.text()), Expr::Literal(rule.text()));
                let alias = if rule.named { name } else { literal };
                let is_one = |part: &Rule| part.is_token() || part.form == Form::Symbol;
                match rule.parts().next().map(Rule::unwrapped) {
                    Some(content) if !is_one(content) => self.expr(content).renamed(&alias),
                    _ => alias,
                }
            }
            Form::Choice => Expr::choice(rule.parts().map(|part| self.expr(part))),
            Form::Seq | Form::Repeat | Form::Repeat1 | Form::Field | Form::Prec => {
                let all = Expr::seq(rule.parts().map(|part| self.expr(part)));
                match rule.form {
                    Form::Repeat => Expr::many(all, '*'),
                    Form::Repeat1 => Expr::many(all, '+'),
                    _ => all,
                }
            }
        }
    }

    fn symbol(&self, name: &'a str) -> Expr<'a> {
        if !self.grammar.is_hidden(name) || !self.is_lexical(name) {
            return Expr::Name(name);
        }
        match self.grammar.rule(name) {
            // A text that is known shows; only patterns take the name of a rule.
            Some(body) if body.form == Form::String && !body.is_blank() => {
                Expr::Literal(body.text())
            }
            Some(body) => token(body),
            // Tokens of a scanner that has no name for them: they carry no text.
            None => Expr::NOTHING,
        }
    }
}

/// Returns the symbols that stand in a rule's place alone or with others.
fn symbols(rule: &Rule) -> Vec<&str> {
    match rule.form {
        Form::Symbol => vec![rule.name.as_str()],
        Form::Alias | Form::Token => Vec::new(),
        _ => rule.parts().flat_map(symbols).collect(),
    }
}

/// Returns a token whose text is not known.
fn token<'a>(rule: &Rule) -> Expr<'a> {
    if rule.is_blank() { Expr::NOTHING } else { Expr::Name("hidden") }
}
