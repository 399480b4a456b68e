//! The stand-ins by the names that `case.toml` gives them.

use minirepro_engine::Outcome;
use serde::Deserialize;

use super::oracle::{Oracle, found};
use super::{c, compiler, html, logs, records};

/// An oracle of the corpus with its parameters, as `case.toml` names it.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "name", rename_all = "kebab-case", deny_unknown_fields)]
pub enum StandIn {
    /// The text holds a start tag of this name, spelled so; attributes may follow.
    StartTag {
        /// The element's name.
        tag: String,
    },
    /// Any of these words stands in the text; a word that is in neither list is Unresolved.
    AnyWord {
        /// One of them is enough.
        wanted: Vec<String>,
        /// Words that may stand there, too.
        known: Vec<String>,
    },
    /// C: nodes inside of each other, from the outermost in. A step is a kind; `> kind` must be a
    /// direct child; words after the kind must be direct children (`binary_expression <<`).
    /// Unresolved if a simple compiler would refuse the program.
    Nested {
        /// The steps.
        path: Vec<String>,
    },
    /// C: in a loop, `i` changes and then `z[i] = z[i] * …`; the function returns an element of
    /// `z`. Stands for GCC 2.95.2 crashing on `bug.c`. Unresolved as for `nested`.
    SubscriptProduct,
    /// C: a switch with an even number of cases, `least` or more, over a member. Not monotone.
    /// Unresolved as for `nested`.
    JumpTable {
        /// The least number of cases.
        least: usize,
    },
    /// HTML: elements inside of each other in the DOM that a browser builds, from the outermost in;
    /// the innermost one holds `text` in its own text.
    Element {
        /// Names of elements.
        path: Vec<String>,
        /// What must stand directly in the innermost one; may be empty.
        #[serde(default)]
        text: String,
    },
    /// HTML: an element of this name stands in a table in the text, outside of its cells, and one
    /// stands just before a table in the DOM: a browser moved it out (foster parenting).
    Fostered {
        /// The element's name.
        tag: String,
    },
    /// HTML: a style sheet in the page selects `parent > child`, elements are written so, but in
    /// the DOM none stands so: a browser puts others between them.
    Missed {
        /// The name of the outer element.
        parent: String,
        /// The name of the inner one.
        child: String,
    },
    /// HTML: `levels` start tags are open at once, in a reader that opens a level for each and
    /// closes it at any end tag, whatever their names. Stands for one that recurses until its stack
    /// is used up.
    Overflow {
        /// How many levels are too many.
        levels: usize,
    },
    /// A log in which two threads take the same two locks in opposite orders. Unresolved if the log
    /// contradicts itself: a lock taken twice, released by others, or a line that is not a log
    /// line.
    LockOrder,
    /// A `PIKT` file with a segment of type 7 that says it is larger than it is. Unresolved without
    /// the magic number.
    Overread,
}

impl StandIn {
    /// Makes the oracle ready to be asked.
    pub fn oracle(&self) -> Oracle {
        match self.clone() {
            Self::StartTag { tag } => Box::new(move |text| found(has_start_tag(text, &tag))),
            Self::AnyWord { wanted, known } => Box::new(move |t| any_word(t, &wanted, &known)),
            Self::Nested { path } => {
                let path = c::Path::new(&path);
                compiler::after_compiling(move |tree| path.holds(tree))
            }
            Self::SubscriptProduct => compiler::after_compiling(c::has_subscript_product),
            Self::JumpTable { least } => {
                compiler::after_compiling(move |tree| c::has_jump_table(tree, least))
            }
            Self::Element { path, text } => {
                html::of_pages(move |_, page| html::has_element(page, &path, &text))
            }
            Self::Fostered { tag } => {
                html::of_pages(move |html, page| html::is_fostered(html, page, &tag))
            }
            Self::Missed { parent, child } => {
                html::of_pages(move |html, page| html::is_missed(html, page, &parent, &child))
            }
            Self::Overflow { levels } => Box::new(move |page| found(html::overflows(page, levels))),
            Self::LockOrder => Box::new(logs::lock_order),
            Self::Overread => Box::new(records::overread),
        }
    }
}

fn has_start_tag(text: &[u8], tag: &str) -> bool {
    let open = format!("<{tag}");
    text.windows(open.len()).enumerate().any(|(at, here)| {
        let rest = &text[at + open.len()..];
        here == open.as_bytes()
            && rest.first().is_some_and(|b| b.is_ascii_whitespace() || *b == b'>')
            && rest.contains(&b'>')
    })
}

fn any_word(text: &[u8], wanted: &[String], known: &[String]) -> Outcome {
    let text = String::from_utf8_lossy(text);
    let is_in = |list: &[String], word: &str| list.iter().any(|w| w == word);
    let mut words = text.split_whitespace();
    if words.clone().any(|word| !is_in(wanted, word) && !is_in(known, word)) {
        return Outcome::Unresolved;
    }
    found(words.any(|word| is_in(wanted, word)))
}
