//! Expressions of the facts' normal form: simplified while they are built, then written.

use std::collections::BTreeSet;

/// An expression of the normal form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Expr {
    /// A visible kind or a hidden rule, by name.
    Name(String),
    /// A token that stands for itself.
    Literal(String),
    Seq(Vec<Expr>),
    Choice(Vec<Expr>),
    /// With the sign `?`, `*` or `+`.
    Many(Box<Expr>, char),
}

impl Expr {
    pub(super) const NOTHING: Self = Self::Seq(Vec::new());

    pub(super) fn is_nothing(&self) -> bool {
        matches!(self, Self::Seq(parts) if parts.is_empty())
    }

    /// Returns whether it is marked as one that may be missing.
    pub(super) fn is_optional(&self) -> bool {
        matches!(self, Self::Many(_, '?' | '*'))
    }

    /// Returns one after the other.
    pub(super) fn seq(parts: impl IntoIterator<Item = Self>) -> Self {
        let flat = parts.into_iter().flat_map(|part| match part {
            Self::Seq(inner) => inner,
            other => vec![other],
        });
        let mut flat: Vec<Self> = flat.collect();
        if flat.len() == 1 { flat.remove(0) } else { Self::Seq(flat) }
    }

    /// Returns one of them; nothing at all among them makes the rest optional.
    pub(super) fn choice(parts: impl IntoIterator<Item = Self>) -> Self {
        let mut flat: Vec<Self> = Vec::new();
        let mut optional = false;
        for part in parts {
            let alternatives = match part {
                Self::Choice(inner) => inner,
                other => vec![other],
            };
            for a in alternatives {
                if a.is_nothing() {
                    optional = true;
                } else if !flat.contains(&a) {
                    flat.push(a);
                }
            }
        }
        let one = match flat.len() {
            0 => return Self::NOTHING,
            1 => flat.remove(0),
            _ => Self::Choice(flat),
        };
        if optional { Self::many(one, '?') } else { one }
    }

    /// Repeats `inner` as the sign says: `?`, `*` or `+`.
    pub(super) fn many(inner: Self, sign: char) -> Self {
        match inner {
            nothing if nothing.is_nothing() => Self::NOTHING,
            Self::Many(inner, '*') => Self::Many(inner, '*'),
            Self::Many(inner, '?') if sign != '?' => Self::Many(inner, '*'),
            Self::Many(inner, '+') if sign != '+' => Self::Many(inner, '*'),
            inner if matches!(inner, Self::Many(..)) => inner,
            inner => Self::Many(Box::new(inner), sign),
        }
    }

    /// Returns the names in it, in their order, also twice.
    pub(super) fn names(&self) -> Vec<&str> {
        match self {
            Self::Name(name) => vec![name],
            Self::Literal(_) => Vec::new(),
            Self::Seq(parts) | Self::Choice(parts) => parts.iter().flat_map(Self::names).collect(),
            Self::Many(inner, _) => inner.names(),
        }
    }

    /// Collects the tokens in it that stand for themselves.
    pub(super) fn literals<'a>(&'a self, found: &mut BTreeSet<&'a str>) {
        match self {
            Self::Name(_) => {}
            Self::Literal(text) => _ = found.insert(text),
            Self::Seq(parts) | Self::Choice(parts) => parts.iter().for_each(|p| p.literals(found)),
            Self::Many(inner, _) => inner.literals(found),
        }
    }

    /// Gives every kind in it the name `alias`: what tree-sitter does with an alias of an
    /// expression.
    pub(super) fn renamed(self, alias: &Self) -> Self {
        match self {
            Self::Name(_) | Self::Literal(_) => alias.clone(),
            Self::Seq(parts) => Self::seq(parts.into_iter().map(|p| p.renamed(alias))),
            Self::Choice(parts) => Self::choice(parts.into_iter().map(|p| p.renamed(alias))),
            Self::Many(inner, sign) => Self::many(inner.renamed(alias), sign),
        }
    }

    /// Appends the expression; `inside` of another one it gets brackets if it has several parts.
    pub(super) fn write(&self, out: &mut String, inside: bool) {
        let (parts, between) = match self {
            Self::Name(name) => return out.push_str(name),
            Self::Literal(text) => return write_literal(out, text),
            Self::Many(inner, sign) => {
                inner.write(out, true);
                return out.push(*sign);
            }
            Self::Seq(parts) => (parts, " "),
            Self::Choice(parts) => (parts, " | "),
        };
        out.push_str(if inside { "(" } else { "" });
        for (i, part) in parts.iter().enumerate() {
            out.push_str(if i > 0 { between } else { "" });
            part.write(out, matches!((self, part), (Self::Seq(_), Self::Choice(_))));
        }
        out.push_str(if inside { ")" } else { "" });
    }
}

fn write_literal(out: &mut String, text: &str) {
    out.push('"');
    for c in text.chars() {
        match c {
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\0' => out.push_str("\\0"),
            '"' | '\\' => out.extend(['\\', c]),
            _ => out.push(c),
        }
    }
    out.push('"');
}
