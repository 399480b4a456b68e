//! The form of a binary file, as words that a user can write: structures, and what each is made of.

use regex::bytes::{Regex, RegexBuilder};

use crate::binary::expression::Expression;
use crate::binary::number::Number;
use crate::binary::sums::Sum;
use crate::binary::text_numbers::TextNumber;
use crate::coded::Compressed;

/// What files of a form are made of. The first structure is the whole file.
#[derive(Debug, Default)]
pub(super) struct Form {
    pub(super) structures: Vec<Structure>,
    /// How the names of such files end.
    pub(super) suffixes: Vec<String>,
    /// Whether only files of this form begin so.
    pub(super) is_marked: bool,
    /// Numbers that are written as text, and parts that go by their number.
    pub(super) numbers: Vec<(TextNumber, Regex)>,
}

/// A part of a file: one of several alternatives, of which the first that can be read counts.
#[derive(Debug)]
pub(super) struct Structure {
    pub(super) name: String,
    pub(super) alternatives: Vec<Vec<Word>>,
}

/// A step of reading a structure, with its arguments.
#[derive(Debug, Default)]
pub(super) struct Word {
    pub(super) step: Step,
    pub(super) numbers: Vec<Expression>,
    pub(super) bytes: Vec<u8>,
    pattern: Option<Regex>,
    pub(super) name: String,
    pub(super) structure: usize,
    /// What a region holds.
    pub(super) content: Content,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Step {
    /// These bytes, or what fits the regular expression.
    #[default]
    Match,
    /// This number of bytes.
    Bytes,
    /// A number with a name; this much is taken off its value.
    Number(Number, i64),
    /// A region that lies here.
    Data(End),
    /// Another structure.
    One,
    /// As many of a structure as can be read, or at most this number.
    List,
    /// A region that lies elsewhere: at this place, of this size.
    At,
    /// The same; what describes it stays when it goes.
    Part,
    /// Numbers say where a part of the file is, which others may describe as well.
    Span,
    /// A region for each item of a list, in which a number is its length.
    Each,
    /// A number says as well how long the last data are.
    Length,
    /// A number says as well how many items the last list of a structure has.
    Count,
    /// A number mentions the item of a list.
    Index,
    /// The alternative is the right one.
    Is,
    /// The item of a list counts for two.
    Twice,
    /// Whether the highest byte of a number comes first from here on.
    Order {
        is_big: bool,
    },
    /// Zeros after the data, up to a multiple of this.
    Pad,
    Sum(Sum),
}

/// Where a region ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// After this many bytes.
    Size,
    /// After this many bytes, which it always has.
    Block,
    /// Where the region around it ends.
    Rest,
    /// Before these bytes, or where the region around it ends.
    Before,
}

/// What a region holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Content {
    #[default]
    Bytes,
    /// Structures side by side to its end, after this number of bytes; else bytes.
    List { structure: usize, skip: usize },
    /// Bytes that are compressed.
    Packed(Compressed),
}

/// All words, and their arguments: `b` bytes, `t` a text, `n` a number, `s` a structure, `w` a
/// name, `r` a regular expression. They stand in brackets, or after a `:` if that comes first.
const WORDS: &[(&str, &str, Step)] = &[
    ("hex", ":b", Step::Match),
    ("start", ":b", Step::Match),
    ("text", ":t", Step::Match),
    ("match", "r", Step::Match),
    ("bytes", ":n", Step::Bytes),
    ("skip", ":n", Step::Bytes),
    ("data", "n", Step::Data(End::Size)),
    ("block", "n", Step::Data(End::Block)),
    ("rest", "", Step::Data(End::Rest)),
    ("until", ":b", Step::Data(End::Before)),
    ("at", "nn", Step::At),
    ("at", "n", Step::At),
    ("part", "nn", Step::Part),
    ("span", "nn", Step::Span),
    ("index", "ns", Step::Index),
    ("each", "sw", Step::Each),
    ("length", "n", Step::Length),
    ("count", "ns", Step::Count),
    ("is", "n", Step::Is),
    ("twice", "", Step::Twice),
    ("big", "", Step::Order { is_big: true }),
    ("little", "", Step::Order { is_big: false }),
    ("pad", ":n", Step::Pad),
    ("crc32", "", Step::Sum(Sum::Crc32)),
    ("ogg_crc", "", Step::Sum(Sum::Ogg)),
    ("sum32", "", Step::Sum(Sum::Sum32)),
    ("tar_sum", "", Step::Sum(Sum::Tar)),
];

/// More bytes than these are one part, whatever they say.
const MOST_FIXED: i64 = 512;

impl Word {
    /// Takes an argument of this sort; `None` if it is of another.
    fn take(&mut self, sort: char, argument: &str, form: &Form) -> Option<()> {
        match sort {
            'b' => self.bytes = hex(argument)?,
            't' => self.bytes = argument.into(),
            'n' => self.numbers.push(Expression::parse(argument)?),
            's' => self.structure = form.place(argument)?,
            'w' => self.name = argument.into(),
            _ => {
                let pattern = format!(r"\A(?:{argument})");
                self.pattern = Some(RegexBuilder::new(&pattern).unicode(false).build().ok()?);
            }
        }
        Some(())
    }

    /// Returns how many bytes fit at the start of a text.
    pub(super) fn matched(&self, text: &[u8]) -> Option<usize> {
        match &self.pattern {
            Some(pattern) => pattern.find(text).map(|found| found.len()).filter(|&size| size > 0),
            None => text.starts_with(&self.bytes).then_some(self.bytes.len()),
        }
    }

    /// Returns how many bytes it reads of every file, where they are several that say something
    /// each by itself.
    pub(super) fn fixed_bytes(&self) -> Option<usize> {
        match (self.step, &self.numbers[..]) {
            (Step::Bytes, [Expression::Constant(size)]) if (2..=MOST_FIXED).contains(size) => {
                usize::try_from(*size).ok()
            }
            _ => None,
        }
    }
}

/// What a form of one line calls the whole.
const FILE: &str = "file";
/// What it calls its parts.
const RECORD: &str = "record";

impl Form {
    /// Reads lines like `record = type:u8 length:u16be data(length)`. Several lines for one name
    /// are alternatives. A single line without a name describes a record; the file is a list of
    /// them.
    ///
    /// # Errors
    /// If the text describes no form; the message says what is wrong.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let mut lines: Vec<(&str, Vec<&str>)> = Vec::new();
        let mut form = Self::default();
        for line in text.lines().map(str::trim) {
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let numbers = line.strip_prefix("numbers ").and_then(|line| line.split_once(' '));
            if let Some((kind, pattern)) = numbers {
                let names = |regex: &Regex| regex.capture_names().flatten().any(|n| n == "number");
                let regex = Regex::new(pattern).ok().filter(|regex| kind == "row" || names(regex));
                let number = kind.parse().ok().zip(regex);
                form.numbers.push(number.ok_or_else(|| format!("`{line}` finds no numbers"))?);
                continue;
            }
            let (name, words) = line.split_once(" = ").unwrap_or(("", line));
            let mut words = split(words);
            words.retain(|&word| {
                let suffix = word.strip_prefix("suffix:");
                form.suffixes.extend(suffix.map(str::to_owned));
                form.is_marked |= word == "marked";
                suffix.is_none() && word != "marked"
            });
            if name.is_empty() {
                let begins = |word: &&str| word.starts_with("start:") || word.starts_with("skip:");
                let (mut first, words): (Vec<_>, Vec<_>) = words.into_iter().partition(begins);
                if !words.iter().any(|word| word.starts_with("data")) {
                    return Err("a record needs `length:…` and, after it, `data`".into());
                }
                first.push("record*");
                lines.extend([(FILE, first), (RECORD, words)]);
            } else {
                lines.push((name, words));
            }
        }
        for (name, _) in &lines {
            if form.place(name).is_none() {
                form.structures
                    .push(Structure { name: (*name).to_owned(), alternatives: Vec::new() });
            }
        }
        for (name, words) in lines {
            let own = form.place(name).expect("all have a place");
            let read = words.into_iter().map(|word| form.word(word)).collect::<Result<_, _>>()?;
            form.structures[own].alternatives.push(read);
        }
        match form.structures.is_empty() {
            true => Err("a form needs words".into()),
            false => Ok(form),
        }
    }

    fn place(&self, name: &str) -> Option<usize> {
        self.structures.iter().position(|known| known.name == name)
    }

    /// Returns all words of all structures.
    pub(super) fn words(&self) -> impl Iterator<Item = &Word> {
        self.structures.iter().flat_map(|known| known.alternatives.iter().flatten())
    }

    /// Reads a word of a structure: `NAME`, `NAME:ARGUMENT` or `NAME(ARGUMENTS)`, and after it what
    /// a region holds, as in `data(size):chunk+4`.
    fn word(&self, word: &str) -> Result<Word, String> {
        let (name, behind) = word.split_at(word.find([':', '(', '*']).unwrap_or(word.len()));
        if let Some(structure) = self.place(name) {
            return self.structure(structure, behind).ok_or(format!("`{word}` has no number"));
        }
        // As lines without names say it: the number is called `length`.
        if name == "data" && !behind.starts_with('(') {
            return self.word(&format!("data(length){behind}"));
        }
        let number = behind.strip_prefix(':').and_then(|number| {
            let (kind, minus) = number.split_once('+').unwrap_or((number, "0"));
            Number::named(kind).zip(minus.parse().ok())
        });
        if let Some((number, minus)) = number {
            let step = Step::Number(number, minus);
            return Ok(Word { step, name: name.to_owned(), ..Word::default() });
        }
        let mut rows = WORDS.iter().filter(|(known, ..)| *known == name);
        let read = rows.find_map(|(_, sorts, step)| self.of_row(*step, sorts, behind));
        read.ok_or_else(|| format!("`{word}` is nothing that a file is made of"))
    }

    /// Reads a structure: one, `*` as many as there are, or `*(NUMBER)`.
    fn structure(&self, structure: usize, behind: &str) -> Option<Word> {
        let step = if behind.is_empty() { Step::One } else { Step::List };
        let mut word = Word { step, structure, ..Word::default() };
        match behind {
            "" | "*" => {}
            _ => word.take('n', behind.strip_prefix("*(")?.strip_suffix(')')?, self)?,
        }
        Some(word)
    }

    /// Reads the arguments of a word, and what it holds; `None` if they are others.
    fn of_row(&self, step: Step, sorts: &str, behind: &str) -> Option<Word> {
        let mut word = Word { step, ..Word::default() };
        let (arguments, content) = match sorts.strip_prefix(':') {
            Some(_) => {
                let value = behind.strip_prefix(':')?;
                value.split_at(value.find(':').unwrap_or(value.len()))
            }
            None if sorts.is_empty() => ("", behind),
            None => behind.strip_prefix('(')?.rsplit_once(')')?,
        };
        let sorts = sorts.trim_start_matches(':');
        let mut arguments = arguments.splitn(sorts.len(), ',');
        for sort in sorts.chars() {
            word.take(sort, arguments.next()?, self)?;
        }
        if !content.is_empty() {
            word.content = self.content(content.strip_prefix(':')?)?;
        }
        Some(word)
    }

    fn content(&self, content: &str) -> Option<Content> {
        if let Ok(form) = content.parse::<Compressed>() {
            return Some(Content::Packed(form));
        }
        let (name, skip) = content.split_once('+').unwrap_or((content, "0"));
        Some(Content::List { structure: self.place(name)?, skip: skip.parse().ok()? })
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
    let digits: Vec<u32> = text.chars().map(|c| c.to_digit(16)).collect::<Option<_>>()?;
    let bytes = digits.chunks(2).map(|pair| match *pair {
        [high, low] => u8::try_from(16 * high + low).ok(),
        _ => None,
    });
    bytes.collect::<Option<Vec<u8>>>().filter(|bytes| !bytes.is_empty())
}
