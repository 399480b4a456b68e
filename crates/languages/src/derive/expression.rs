//! Expressions of the facts' normal form: simplified while they are built, then written.

/// An expression of the normal form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Expr<'a> {
    /// A visible kind or a hidden rule, by name.
    Name(&'a str),
    /// A token that stands for itself.
    Literal(&'a str),
    Seq(Vec<Self>),
    Choice(Vec<Self>),
    /// With the sign `?`, `*` or `+`.
    Many(Box<Self>, char),
}

impl<'a> Expr<'a> {
    pub(super) const NOTHING: Self = Self::Seq(Vec::new());

    /// Returns one after the other.
    pub(super) fn seq(parts: impl IntoIterator<Item = Self>) -> Self {
        let parts = parts.into_iter().flat_map(|part| match part {
            Self::Seq(inner) => inner,
            other => vec![other],
        });
        let mut flat: Vec<Self> = parts.collect();
        if flat.len() == 1 { flat.remove(0) } else { Self::Seq(flat) }
    }

    /// Returns one of them; nothing at all among them makes the rest optional.
    pub(super) fn choice(parts: impl IntoIterator<Item = Self>) -> Self {
        let alternatives = parts.into_iter().flat_map(|part| match part {
            Self::Choice(inner) => inner,
            other => vec![other],
        });
        let mut flat: Vec<Self> = Vec::new();
        let mut sign = None;
        for alternative in alternatives {
            if alternative == Self::NOTHING {
                sign = Some('?');
            } else if !flat.contains(&alternative) {
                flat.push(alternative);
            }
        }
        let one = match flat.len() {
            0 => return Self::NOTHING,
            1 => flat.remove(0),
            _ => Self::Choice(flat),
        };
        match sign {
            Some(sign) => Self::many(one, sign),
            None => one,
        }
    }

    /// Repeats `inner` as the sign says: `?`, `*` or `+`.
    pub(super) fn many(inner: Self, sign: char) -> Self {
        match inner {
            nothing if nothing == Self::NOTHING => nothing,
            Self::Many(inner, own) => Self::Many(inner, if own == sign { own } else { '*' }),
            inner => Self::Many(Box::new(inner), sign),
        }
    }

    /// Returns the names and tokens in it, in their order, also twice.
    pub(super) fn leaves(&self) -> Vec<&Self> {
        match self {
            Self::Name(_) | Self::Literal(_) => vec![self],
            Self::Seq(parts) | Self::Choice(parts) => parts.iter().flat_map(Self::leaves).collect(),
            Self::Many(inner, _) => inner.leaves(),
        }
    }

    /// Returns the names in it.
    pub(super) fn names(&self) -> impl Iterator<Item = &'a str> {
        self.leaves().into_iter().filter_map(|leaf| match leaf {
            Self::Name(name) => Some(*name),
            _ => None,
        })
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

    /// Returns the expression as text; `inside` of another one it gets brackets if it has several
    /// parts.
    pub(super) fn text(&self, inside: bool) -> String {
        let text = match self {
            Self::Name(name) => return (*name).to_owned(),
            Self::Literal(text) => return format!("{text:?}"),
            Self::Many(inner, sign) => return format!("{}{sign}", inner.text(true)),
            Self::Seq(parts) => {
                let is_choice = |part: &Self| matches!(part, Self::Choice(_));
                let parts: Vec<String> = parts.iter().map(|p| p.text(is_choice(p))).collect();
                parts.join(" ")
            }
            Self::Choice(parts) => {
                let parts: Vec<String> = parts.iter().map(|part| part.text(false)).collect();
                parts.join(" | ")
            }
        };
        if inside { format!("({text})") } else { text }
    }
}
