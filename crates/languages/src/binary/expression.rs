//! What a form says about sizes, counts and places: sums and products of the numbers in a file.

use std::collections::BTreeSet;

/// An expression.
#[derive(Clone, Debug, PartialEq, Eq)]
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
    Operation {
        sign: &'static str,
        left: Box<Expression>,
        right: Box<Expression>,
    },
}

/// What an expression is about.
pub(super) trait Values {
    /// Returns the value of a name.
    fn named(&self, name: &str) -> Option<i64>;

    /// Returns a number in the item of a list with this place, or in the first item in which the
    /// number `key` has this value.
    fn of_item(&self, list: &str, key: Option<&str>, value: i64, name: &str) -> Option<i64>;
}

/// How deep an expression may be.
const DEEPEST: usize = 16;

/// The signs, those that bind weakest first. Longer ones stand before their beginnings.
const LEVELS: [&[&str]; 4] =
    [&["!=", "<=", "=", "<"], &["<<", ">>", "&"], &["+", "-"], &["*", "/"]];

impl Expression {
    /// Reads an expression without blank space in it.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let mut rest = text;
        let read = Self::level(&mut rest, 0, 0)?;
        rest.is_empty().then_some(read)
    }

    fn level(rest: &mut &str, level: usize, depth: usize) -> Option<Self> {
        let Some(signs) = LEVELS.get(level) else { return Self::atom(rest, depth) };
        let mut left = Self::level(rest, level + 1, depth)?;
        while let Some(&sign) = signs.iter().find(|sign| rest.starts_with(**sign)) {
            *rest = &rest[sign.len()..];
            let right = Self::level(rest, level + 1, depth)?;
            left = Self::Operation { sign, left: Box::new(left), right: Box::new(right) };
        }
        Some(left)
    }

    fn atom(rest: &mut &str, depth: usize) -> Option<Self> {
        if depth > DEEPEST {
            return None;
        }
        /// Reads what stands before this sign.
        fn inside(rest: &mut &str, sign: &str, depth: usize) -> Option<Expression> {
            let read = Expression::level(rest, 0, depth + 1)?;
            *rest = rest.strip_prefix(sign)?;
            Some(read)
        }
        if let Some(inner) = rest.strip_prefix('(') {
            *rest = inner;
            return inside(rest, ")", depth);
        }
        let word = |rest: &mut &str| {
            let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
            let (word, behind) = rest.split_at(rest.find(|c| !is_part(c)).unwrap_or(rest.len()));
            *rest = behind;
            (!word.is_empty()).then(|| word.to_owned())
        };
        let list = word(rest)?;
        if list.starts_with(|c: char| c.is_ascii_digit()) {
            let value = match list.strip_prefix("0x") {
                Some(digits) => i64::from_str_radix(digits, 16),
                None => list.parse(),
            };
            return Some(Self::Constant(value.ok()?));
        }
        let (key, end) = match rest.bytes().next() {
            Some(b'[') => {
                *rest = &rest[1..];
                (None, "].")
            }
            Some(b'{') => {
                *rest = &rest[1..];
                let key = word(rest)?;
                *rest = rest.strip_prefix('=')?;
                (Some(key), "}.")
            }
            _ => return Some(Self::Name(list)),
        };
        let value = Box::new(inside(rest, end, depth)?);
        Some(Self::Item { list, key, value, name: word(rest)? })
    }

    /// Returns the value; `None` if a name has none, or no number is large enough.
    pub(super) fn value(&self, values: &impl Values) -> Option<i64> {
        match self {
            Self::Constant(value) => Some(*value),
            Self::Name(name) => values.named(name),
            Self::Item { list, key, value, name } => {
                values.of_item(list, key.as_deref(), value.value(values)?, name)
            }
            Self::Operation { sign, left, right } => {
                let (left, right) = (left.value(values)?, right.value(values)?);
                match *sign {
                    "=" => Some((left == right).into()),
                    "!=" => Some((left != right).into()),
                    "<" => Some((left < right).into()),
                    "<=" => Some((left <= right).into()),
                    "&" => Some(left & right),
                    "<<" => left.checked_mul(1_i64.checked_shl(u32::try_from(right).ok()?)?),
                    ">>" => left.checked_shr(u32::try_from(right).ok()?),
                    "+" => left.checked_add(right),
                    "-" => left.checked_sub(right),
                    "*" => left.checked_mul(right),
                    _ => left.checked_div(right),
                }
            }
        }
    }

    /// Returns the name that stands first: the number that follows when what it mentions changes.
    pub(super) fn first_name(&self) -> Option<&str> {
        match self {
            Self::Constant(_) | Self::Item { .. } => None,
            Self::Name(name) => Some(name),
            Self::Operation { left, right, .. } => left.first_name().or_else(|| right.first_name()),
        }
    }

    /// Collects the names of the lists that the expression looks into.
    pub(super) fn lists(&self, found: &mut BTreeSet<String>) {
        match self {
            Self::Constant(_) | Self::Name(_) => {}
            Self::Item { list, value, .. } => {
                found.insert(list.clone());
                value.lists(found);
            }
            Self::Operation { left, right, .. } => {
                left.lists(found);
                right.lists(found);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Expression, Values};

    struct Some4;

    impl Values for Some4 {
        fn named(&self, name: &str) -> Option<i64> {
            (name == "four").then_some(4)
        }

        fn of_item(&self, list: &str, key: Option<&str>, value: i64, name: &str) -> Option<i64> {
            let factor = match key {
                None => 10,
                Some("tag") => 100,
                Some(_) => return None,
            };
            (list == "list" && name == "size").then_some(factor * value)
        }
    }

    #[test]
    fn signs_bind_as_usual() {
        let check = |text: &str, value: Option<i64>| {
            let read = Expression::parse(text).unwrap_or_else(|| panic!("{text}"));
            assert_eq!(read.value(&Some4), value, "{text}");
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
            assert_eq!(Expression::parse(wrong), None, "{wrong}");
        }
        assert_eq!(Expression::parse(&"(".repeat(10_000)), None);
        let first = Expression::parse("2*(size-four)").unwrap();
        assert_eq!(first.first_name(), Some("size"));
    }
}
