//! What a form says about sizes, counts and places: sums and products of the numbers in a file.

/// An expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Expression {
    Constant(i64),
    /// The number of this name, in the structure or in one around it.
    Name(String),
    /// A number in the item of a list with this place: `section[link].offset`.
    Item {
        list: String,
        place: Box<Expression>,
        name: String,
    },
    /// A number in the first item of a list in which another number has this value:
    /// `table{tag=2}.place`.
    Found {
        list: String,
        key: String,
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

    /// Returns a number in an item of a list.
    fn of_item(&self, list: &str, place: i64, name: &str) -> Option<i64>;

    /// Returns a number in the first item of a list in which the number `key` has this value.
    fn of_found(&self, list: &str, key: &str, value: i64, name: &str) -> Option<i64>;
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
        if let Some(inner) = rest.strip_prefix('(') {
            *rest = inner;
            let read = Self::level(rest, 0, depth + 1)?;
            *rest = rest.strip_prefix(')')?;
            return Some(read);
        }
        let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let word = |rest: &mut &str| {
            let end = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
            let (word, behind) = rest.split_at(end);
            *rest = behind;
            (!word.is_empty()).then(|| word.to_owned())
        };
        let name = word(rest)?;
        if name.starts_with(|c: char| c.is_ascii_digit()) {
            let value = match name.strip_prefix("0x") {
                Some(digits) => i64::from_str_radix(digits, 16),
                None => name.parse(),
            };
            return Some(Self::Constant(value.ok()?));
        }
        if let Some(inner) = rest.strip_prefix('{') {
            *rest = inner;
            let key = word(rest)?;
            *rest = rest.strip_prefix('=')?;
            let value = Box::new(Self::level(rest, 0, depth + 1)?);
            *rest = rest.strip_prefix("}.")?;
            return Some(Self::Found { list: name, key, value, name: word(rest)? });
        }
        let Some(inner) = rest.strip_prefix('[') else { return Some(Self::Name(name)) };
        *rest = inner;
        let place = Box::new(Self::level(rest, 0, depth + 1)?);
        *rest = rest.strip_prefix("].")?;
        Some(Self::Item { list: name, place, name: word(rest)? })
    }

    /// Returns the value; `None` if a name has none, or no number is large enough.
    pub(super) fn value(&self, values: &impl Values) -> Option<i64> {
        match self {
            Self::Constant(value) => Some(*value),
            Self::Name(name) => values.named(name),
            Self::Item { list, place, name } => values.of_item(list, place.value(values)?, name),
            Self::Found { list, key, value, name } => {
                values.of_found(list, key, value.value(values)?, name)
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
            Self::Constant(_) | Self::Item { .. } | Self::Found { .. } => None,
            Self::Name(name) => Some(name),
            Self::Operation { left, right, .. } => left.first_name().or_else(|| right.first_name()),
        }
    }

    /// Calls a function with the name of each list that the expression looks into.
    pub(super) fn lists(&self, found: &mut dyn FnMut(&str)) {
        match self {
            Self::Constant(_) | Self::Name(_) => {}
            Self::Item { list, place, .. } => {
                found(list);
                place.lists(found);
            }
            Self::Found { list, value, .. } => {
                found(list);
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

        fn of_item(&self, list: &str, place: i64, name: &str) -> Option<i64> {
            (list == "list" && name == "size").then_some(10 * place)
        }

        fn of_found(&self, list: &str, key: &str, value: i64, name: &str) -> Option<i64> {
            (list == "list" && key == "tag" && name == "size").then_some(100 * value)
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
