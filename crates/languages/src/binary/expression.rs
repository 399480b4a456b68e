//! What a form says about sizes, counts and places: sums and products of the numbers in a file.

/// An expression.
#[derive(Debug)]
pub(super) enum Expression {
    Constant(i64),
    /// The number of this name, in the structure or in one around it.
    Name(String),
    /// A number in the item of a list with this place, `section[link].offset`, or in the first one
    /// in which the number `key` has this value: `table{tag=2}.place`.
    Item {
        list: String,
        key: Option<String>,
        value: Box<Expression>,
        name: String,
    },
    Operation(Operator, Box<[Expression; 2]>),
}

type Operator = fn(i64, i64) -> Option<i64>;

/// Finds the number of a name: one that stands alone, or that of an item of a list, known by its
/// place there or by the value of a key.
pub(super) type Lookup<'l> = &'l dyn Fn(&str, Option<(&str, Option<&str>, i64)>) -> Option<i64>;

/// How deep an expression may be.
const DEEPEST: usize = 16;

/// The signs, with how tight they bind. Longer ones stand before their beginnings.
const SIGNS: &[(&str, u8, Operator)] = &[
    ("!=", 0, |a, b| Some((a != b).into())),
    ("<<", 1, |a, b| a.checked_mul(1_i64.checked_shl(u32::try_from(b).ok()?)?)),
    (">>", 1, |a, b| a.checked_shr(u32::try_from(b).ok()?)),
    ("=", 0, |a, b| Some((a == b).into())),
    ("<", 0, |a, b| Some((a < b).into())),
    ("&", 1, |a, b| Some(a & b)),
    ("+", 2, i64::checked_add),
    ("-", 2, i64::checked_sub),
    ("*", 3, i64::checked_mul),
    ("/", 3, i64::checked_div),
];

impl Expression {
    /// Reads an expression without blank space in it.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let mut rest = text;
        Self::operation(&mut rest, 0, 0).filter(|_| rest.is_empty())
    }

    /// Reads what signs that bind at least so tight join.
    fn operation(rest: &mut &str, least: u8, depth: usize) -> Option<Self> {
        let mut left = Self::atom(rest, depth)?;
        let next = |rest: &str| SIGNS.iter().find(|(sign, ..)| rest.starts_with(sign));
        while let Some((sign, tight, operator)) = next(rest).filter(|(_, tight, _)| *tight >= least)
        {
            take(rest, sign)?;
            let right = Self::operation(rest, tight + 1, depth)?;
            left = Self::Operation(*operator, Box::new([left, right]));
        }
        Some(left)
    }

    fn atom(rest: &mut &str, depth: usize) -> Option<Self> {
        let inside = |rest: &mut &str, end| {
            let read = (depth < DEEPEST).then(|| Self::operation(rest, 0, depth + 1))??;
            take(rest, end).map(|()| read)
        };
        if take(rest, "(").is_some() {
            return inside(rest, ")");
        }
        let list = word(rest)?;
        if list.starts_with(|c: char| c.is_ascii_digit()) {
            let value = match list.strip_prefix("0x") {
                Some(digits) => i64::from_str_radix(digits, 16),
                None => list.parse(),
            };
            return value.ok().map(Self::Constant);
        }
        let (key, end) = if take(rest, "[").is_some() {
            (None, "].")
        } else if take(rest, "{").is_some() {
            let key = word(rest)?;
            take(rest, "=")?;
            (Some(key), "}.")
        } else {
            return Some(Self::Name(list));
        };
        let value = Box::new(inside(rest, end)?);
        Some(Self::Item { list, key, value, name: word(rest)? })
    }

    /// Returns the value; `None` if a name has none, or no number is large enough.
    pub(super) fn value(&self, lookup: Lookup<'_>) -> Option<i64> {
        match self {
            Self::Constant(value) => Some(*value),
            Self::Name(name) => lookup(name, None),
            Self::Item { list, key, value, name } => {
                lookup(name, Some((list, key.as_deref(), value.value(lookup)?)))
            }
            Self::Operation(operator, sides) => {
                operator(sides[0].value(lookup)?, sides[1].value(lookup)?)
            }
        }
    }

    /// Returns the name that stands first: the number that follows when what it mentions changes.
    pub(super) fn first_name(&self) -> Option<&str> {
        match self {
            Self::Constant(_) | Self::Item { .. } => None,
            Self::Name(name) => Some(name),
            Self::Operation(_, sides) => sides.iter().find_map(Self::first_name),
        }
    }
}

/// Reads a sign, if it stands here.
fn take(rest: &mut &str, sign: &str) -> Option<()> {
    *rest = rest.strip_prefix(sign)?;
    Some(())
}

fn word(rest: &mut &str) -> Option<String> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let (word, behind) = rest.split_at(rest.find(|c| !is_part(c)).unwrap_or(rest.len()));
    *rest = behind;
    (!word.is_empty()).then(|| word.to_owned())
}

#[cfg(test)]
mod tests {
    use super::Expression;

    fn lookup(name: &str, item: Option<(&str, Option<&str>, i64)>) -> Option<i64> {
        match (name, item) {
            ("four", None) => Some(4),
            ("size", Some(("list", None, value))) => Some(10 * value),
            ("size", Some(("list", Some("tag"), value))) => Some(100 * value),
            _ => None,
        }
    }

    #[test]
    fn signs_bind_as_usual() {
        let check = |text: &str, value: Option<i64>| {
            let read = Expression::parse(text).unwrap_or_else(|| panic!("{text}"));
            assert_eq!(read.value(&lookup), value, "{text}");
        };
        check("1+2*four-3", Some(6));
        check("(1+2)*four/5", Some(2));
        check("0x1f&four<<1=8", Some(1));
        check("list[four-1].size+1", Some(31));
        check("list{tag=four-1}.size+1", Some(301));
        check("list{tug=four-1}.size+1", None);
        check("five+1", None);
        check("1/0", None);
        for wrong in [
            "",
            "1+",
            "(1",
            "a b",
            "list[1]",
            "list{1}.a",
            "list{a=1}",
            "0x",
            "99999999999999999999",
        ] {
            assert!(Expression::parse(wrong).is_none(), "{wrong}");
        }
        assert!(Expression::parse(&"(".repeat(10_000)).is_none());
        let first = Expression::parse("2*(size-four)").unwrap();
        assert_eq!(first.first_name(), Some("size"));
    }
}
