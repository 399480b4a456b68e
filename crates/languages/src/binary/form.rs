//! The form of a binary file, as words that a user can write: structures, and what each is made of.

use std::collections::BTreeSet;

use regex::bytes::{Regex, RegexBuilder};

use crate::binary::expression::Expression;
use crate::binary::number::Number;
use crate::binary::sums::Sum;
use crate::coded::Compressed;

/// What files of a form are made of. The first structure is the whole file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Form {
    pub(super) structures: Vec<Structure>,
    /// How the names of such files end.
    pub(super) suffixes: Vec<String>,
}

/// A part of a file: one of several alternatives, of which the first that can be read counts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Structure {
    pub(super) name: String,
    pub(super) alternatives: Vec<Vec<Word>>,
    /// Whether an expression looks into lists of it.
    pub(super) is_looked_into: bool,
}

/// A step of reading a structure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Word {
    /// These bytes.
    Constant(Vec<u8>),
    /// This number of bytes.
    Bytes(Expression),
    /// What fits a regular expression.
    Match(Pattern),
    /// A number with a name; this much is taken off its value.
    Number { name: String, number: Number, minus: i64 },
    /// A name for the place up to which was read.
    Here(String),
    /// A region that lies here.
    Data { end: End, content: Content },
    /// Another structure.
    One(usize),
    /// As many of a structure as can be read, or at most this number.
    List { structure: usize, most: Option<Expression> },
    /// A region that lies elsewhere; if it is free, what describes it stays when it goes.
    At { place: Expression, size: Option<Expression>, content: Content, is_free: bool },
    /// Numbers say where a part of the file is, which others may describe as well.
    Span { place: Expression, size: Expression },
    /// A region for each item of a list, in which a number is its length.
    Each { structure: usize, size: String },
    /// A number says as well how long the last data are.
    Length(Expression),
    /// A number says as well how many items the last list of a structure has.
    Count { count: Expression, structure: usize },
    /// A number mentions the item of a list.
    Index { place: Expression, structure: usize },
    /// The alternative is the right one.
    Is(Expression),
    /// The next byte, of which only these bits count, has this value.
    Peek { mask: u8, value: u8 },
    /// The item of a list counts for two.
    Twice,
    /// Whether the highest byte of a number comes first from here on.
    Order { is_big: bool },
    /// Zeros after the data, up to a multiple of this.
    Pad(usize),
    /// A checksum.
    Sum(Sum),
}

/// A regular expression that stands for what begins here.
#[derive(Clone, Debug)]
pub(super) struct Pattern(pub(super) Regex);

impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        self.0.as_str() == other.0.as_str()
    }
}

impl Eq for Pattern {}

/// Where a region ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// After this many bytes.
    Size(Expression),
    /// After this many bytes, which it always has.
    Block(Expression),
    /// Where the region around it ends.
    Rest,
    /// Before these bytes, or where the region around it ends.
    Before(Vec<u8>),
}

/// What a region holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Content {
    Bytes,
    /// Structures side by side to its end, after this number of bytes; else bytes.
    List {
        structure: usize,
        skip: usize,
    },
    /// Bytes that are compressed.
    Packed(Compressed),
}

/// A mark of at least this many bytes does not stand anywhere by chance.
const LONG_MARK: usize = 4;

/// More bytes than these are one part, whatever they say.
const MOST_FIXED: i64 = 512;

impl Word {
    /// Returns how many bytes it reads of every file, where they are several that say something
    /// each by itself.
    pub(super) fn fixed_bytes(&self) -> Option<usize> {
        match self {
            Word::Bytes(Expression::Constant(size)) if (2..=MOST_FIXED).contains(size) => {
                usize::try_from(*size).ok()
            }
            _ => None,
        }
    }

    /// Returns whether it reads the same number of bytes in all files, whatever they are.
    fn has_one_width(&self) -> bool {
        match self {
            Word::Bytes(Expression::Constant(_)) => true,
            Word::Number { number, .. } => number.has_one_width(),
            Word::Sum(_) => true,
            _ => false,
        }
    }
}

/// What a form of one line calls the whole.
const FILE: &str = "file";
/// What it calls its parts.
pub(super) const RECORD: &str = "record";

impl Form {
    /// Reads lines like `record = type:u8 length:u16be data(length)`. Several lines for one name
    /// are alternatives. A single line without a name describes a record; the file is a list of
    /// them.
    ///
    /// # Errors
    /// If the text describes no form; the message says what is wrong.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let mut lines: Vec<(String, Vec<&str>)> = Vec::new();
        let mut form = Self::default();
        for line in text.lines().map(str::trim) {
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let (name, words) = line.split_once(" = ").unwrap_or(("", line));
            let (suffixes, words): (Vec<&str>, Vec<&str>) =
                split(words).into_iter().partition(|word| word.starts_with("suffix:"));
            let names = suffixes.iter().filter_map(|word| word.split_once(':'));
            form.suffixes.extend(names.map(|(_, name)| name.to_owned()));
            if name.is_empty() {
                let is_first =
                    |word: &&str| word.starts_with("start:") || word.starts_with("skip:");
                let (mut first, words): (Vec<&str>, Vec<&str>) =
                    words.into_iter().partition(is_first);
                first.push("record*");
                lines.push((FILE.into(), first));
                lines.push((RECORD.into(), words));
            } else {
                lines.push((name.to_owned(), words));
            }
        }
        for (name, _) in &lines {
            if !form.structures.iter().any(|known| known.name == *name) {
                form.structures.push(Structure { name: name.clone(), ..Structure::default() });
            }
        }
        if form.structures.is_empty() {
            return Err("a form needs words".into());
        }
        for (name, words) in lines {
            let own = form.place(&name).expect("all have a place");
            let mut read: Vec<Word> = Vec::new();
            for word in words {
                match word.strip_prefix("nested:") {
                    Some(skip) => form.nest(&mut read, own, skip)?,
                    None => read.push(form.word(word)?),
                }
            }
            let is_data = |word: &Word| matches!(word, Word::Data { .. });
            if name == RECORD && form.structures[0].name == FILE && !read.iter().any(is_data) {
                return Err("a record needs `length:…` and, after it, `data`".into());
            }
            form.structures[own].alternatives.push(read);
        }
        form.mark_lists();
        Ok(form)
    }

    fn place(&self, name: &str) -> Option<usize> {
        self.structures.iter().position(|known| known.name == name)
    }

    /// Says of the data that was read last that it may hold more of the same.
    fn nest(&self, read: &mut [Word], own: usize, skip: &str) -> Result<(), String> {
        let skip = skip.parse().map_err(|_| format!("`nested:{skip}` has no number"))?;
        match read.iter_mut().rev().find(|word| matches!(word, Word::Data { .. })) {
            Some(Word::Data { content, .. }) => {
                *content = Content::List { structure: own, skip };
                Ok(())
            }
            _ => Err("`nested` stands after `data`".into()),
        }
    }

    /// Reads a word of a structure.
    fn word(&self, word: &str) -> Result<Word, String> {
        let wrong = |what: &str| format!("`{word}` has no {what}");
        let expression = |text: &str| Expression::parse(text).ok_or_else(|| wrong("number"));
        let structure = |name: &str| self.place(name).ok_or_else(|| wrong("structure"));
        let end = word.find([':', '(', '*']).unwrap_or(word.len());
        let (name, behind) = word.split_at(end);
        let value = behind.strip_prefix(':');
        let number = || value.and_then(|v| v.parse::<usize>().ok()).ok_or_else(|| wrong("number"));
        let bytes = || value.and_then(hex).ok_or_else(|| wrong("hexadecimal bytes"));
        // Arguments in parentheses, and what follows them.
        let (arguments, after) = match behind.strip_prefix('(').and_then(|b| b.rsplit_once(')')) {
            Some((inside, after)) => (inside.split(',').collect(), after),
            None => (Vec::new(), behind),
        };
        let content = |after: &str| -> Result<Content, String> {
            match after.strip_prefix(':') {
                None => Ok(Content::Bytes),
                Some(content) => {
                    if let Some(form) = Compressed::named(content) {
                        return Ok(Content::Packed(form));
                    }
                    let (name, skip) = content.split_once('+').unwrap_or((content, "0"));
                    let skip = skip.parse().map_err(|_| wrong("number"))?;
                    Ok(Content::List { structure: structure(name)?, skip })
                }
            }
        };
        if name == "match" && behind.starts_with('(') && behind.ends_with(')') {
            let regex = RegexBuilder::new(&format!(r"\A(?:{})", &behind[1..behind.len() - 1]))
                .unicode(false)
                .build();
            return regex.map(|regex| Word::Match(Pattern(regex))).map_err(|e| e.to_string());
        }
        if let Some(place) = self.place(name) {
            return match behind {
                "" => Ok(Word::One(place)),
                "*" => Ok(Word::List { structure: place, most: None }),
                _ => {
                    let most = behind.strip_prefix("*(").and_then(|most| most.strip_suffix(')'));
                    let most = expression(most.ok_or_else(|| wrong("number"))?)?;
                    Ok(Word::List { structure: place, most: Some(most) })
                }
            };
        }
        Ok(match (name, &arguments[..]) {
            ("start" | "hex", []) => Word::Constant(bytes()?),
            ("text", []) => Word::Constant(value.unwrap_or_default().into()),
            ("skip" | "bytes", []) => Word::Bytes(expression(value.unwrap_or_default())?),
            // As lines without names say it: the number is called `length`.
            ("data", []) if behind.is_empty() => {
                let size = Expression::Name("length".into());
                Word::Data { end: End::Size(size), content: Content::Bytes }
            }
            ("data", [size]) => {
                Word::Data { end: End::Size(expression(size)?), content: content(after)? }
            }
            ("block", [size]) => {
                Word::Data { end: End::Block(expression(size)?), content: content(after)? }
            }
            ("rest", []) => Word::Data { end: End::Rest, content: content(behind)? },
            ("until", []) => {
                let (end, inside) = match value.and_then(|value| value.find(':')) {
                    Some(at) => behind.split_at(at + 1),
                    None => (behind, ""),
                };
                let end = end.strip_prefix(':').and_then(hex);
                let end = end.ok_or_else(|| wrong("hexadecimal bytes"))?;
                Word::Data { end: End::Before(end), content: content(inside)? }
            }
            ("at", [place]) => {
                let (place, content) = (expression(place)?, content(after)?);
                Word::At { place, size: None, content, is_free: false }
            }
            ("at" | "part", [place, size]) => Word::At {
                place: expression(place)?,
                size: Some(expression(size)?),
                content: content(after)?,
                is_free: name == "part",
            },
            ("span", [place, size]) => {
                Word::Span { place: expression(place)?, size: expression(size)? }
            }
            ("index", [place, list]) => {
                Word::Index { place: expression(place)?, structure: structure(list)? }
            }
            ("each", [list, size]) => {
                Word::Each { structure: structure(list)?, size: (*size).to_owned() }
            }
            ("length", [size]) => Word::Length(expression(size)?),
            ("count", [count, list]) => {
                Word::Count { count: expression(count)?, structure: structure(list)? }
            }
            ("peek", [mask, value]) => {
                let byte = |text: &str| hex(text).filter(|bytes| bytes.len() == 1);
                let bytes = byte(mask).zip(byte(value)).ok_or_else(|| wrong("two bytes"))?;
                Word::Peek { mask: bytes.0[0], value: bytes.1[0] }
            }
            ("twice", []) => Word::Twice,
            ("is", [value]) => Word::Is(expression(value)?),
            ("big", []) => Word::Order { is_big: true },
            ("little", []) => Word::Order { is_big: false },
            ("pad", []) => Word::Pad(number()?.max(1)),
            _ => {
                if let Some(sum) = Sum::named(name).filter(|_| behind.is_empty()) {
                    return Ok(Word::Sum(sum));
                }
                let Some(value) = value else {
                    return Err(format!("`{word}` is nothing that a file is made of"));
                };
                if value == "here" {
                    return Ok(Word::Here(name.to_owned()));
                }
                let (kind, minus) = value.split_once('+').unwrap_or((value, "0"));
                let number = Number::named(kind).zip(minus.parse().ok());
                let (number, minus) = number.ok_or_else(|| format!("`{word}` is no number"))?;
                Word::Number { name: name.to_owned(), number, minus }
            }
        })
    }

    /// Marks structures of which numbers are wanted after they were read.
    fn mark_lists(&mut self) {
        let mut names = BTreeSet::new();
        let words = self.structures.iter().flat_map(|known| known.alternatives.iter().flatten());
        for word in words {
            let expressions: Vec<&Expression> = match word {
                Word::Each { structure, .. } => {
                    names.insert(self.structures[*structure].name.clone());
                    Vec::new()
                }
                Word::Bytes(one)
                | Word::Is(one)
                | Word::Length(one)
                | Word::Index { place: one, .. } => vec![one],
                Word::Data { end: End::Size(size) | End::Block(size), .. } => vec![size],
                Word::List { most, .. } => most.iter().collect(),
                Word::Count { count, .. } => vec![count],
                Word::At { place, size, .. } => size.iter().chain([place]).collect(),
                Word::Span { place, size } => vec![place, size],
                _ => Vec::new(),
            };
            for expression in expressions {
                expression.lists(&mut |name| {
                    names.insert(name.to_owned());
                });
            }
        }
        for structure in &mut self.structures {
            structure.is_looked_into = names.contains(&structure.name);
        }
    }

    /// Returns whether parts of files of this form have a size that is always the same.
    pub(super) fn has_blocks(&self) -> bool {
        let mut words =
            self.structures.iter().flat_map(|known| known.alternatives.iter().flatten());
        words.any(|word| matches!(word, Word::Data { end: End::Block(_), .. }))
    }

    /// Returns whether files of this form begin with bytes of their own, or have enough of them
    /// at a place that is always the same.
    pub(super) fn has_start(&self) -> bool {
        self.begins(0, 0)
    }

    /// Returns whether a structure begins with bytes of its own. Recurses on structures that begin
    /// with others, which is bounded.
    fn begins(&self, structure: usize, depth: usize) -> bool {
        let begins = |words: &Vec<Word>| {
            let is_read = |word: &&Word| !matches!(word, Word::Order { .. } | Word::Here(_));
            let mut words = words.iter().filter(is_read).enumerate();
            words.find(|(_, word)| !word.has_one_width()).is_some_and(|(place, word)| match word {
                Word::Constant(bytes) => place == 0 || bytes.len() >= LONG_MARK,
                Word::Match(_) => place == 0,
                Word::One(first) | Word::List { structure: first, .. } if place == 0 => {
                    depth < self.structures.len() && self.begins(*first, depth + 1)
                }
                _ => false,
            })
        };
        self.structures[structure].alternatives.iter().all(begins)
    }
}

/// Returns the words of a line: blank space and commas separate them outside of parentheses.
fn split(line: &str) -> Vec<&str> {
    let mut depth = 0_u32;
    let separates = move |c: char| {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0 && (c == ' ' || c == ',')
    };
    line.split(separates).filter(|word| !word.is_empty()).collect()
}

fn hex(text: &str) -> Option<Vec<u8>> {
    let digits = text.as_bytes().chunks(2);
    let byte = |pair: &[u8]| {
        let pair = std::str::from_utf8(pair).ok().filter(|pair| pair.len() == 2)?;
        u8::from_str_radix(pair, 16).ok()
    };
    digits.map(byte).collect::<Option<Vec<u8>>>().filter(|bytes| !bytes.is_empty())
}
