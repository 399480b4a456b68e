//! ddmin, as in the paper and as in the book.

use crate::published::parts::cut;
use crate::{Configuration, Outcome, Search};

/// The minimizing delta-debugging algorithm (Zeller & Hildebrandt 2002, Fig. 5): parts alone
/// ("reduce to subset"), then everything but one part ("reduce to complement"), then more parts.
///
/// The result is 1-minimal for any oracle, provided that the empty configuration does not fail,
/// which is never asked. At most n² + 3n different questions for n circumstances, at most
/// 2·⌈log₂ n⌉ if one circumstance alone is responsible. Some questions come more than once.
#[derive(Clone)]
pub struct Ddmin {
    kept: Configuration,
    parts: Vec<Vec<usize>>,
    next: Next,
    /// Whether it is that of the book.
    is_books: bool,
}

#[derive(Clone, Copy)]
enum Next {
    Subset(usize),
    Complement(usize),
    Done,
}

impl Ddmin {
    /// Searches `0..circumstances`.
    pub fn new(circumstances: usize) -> Self {
        Self::of(circumstances, false)
    }

    /// Returns ddmin of *Why Programs Fail* (ch. 5, Example 5.4), which tests no part alone: each
    /// part is left out in turn; after a success, what is left is cut anew and gone over from its
    /// first part. At most (n² + 7n) / 2 questions.
    pub fn of_the_book(circumstances: usize) -> Self {
        Self::of(circumstances, true)
    }

    fn of(circumstances: usize, is_books: bool) -> Self {
        let kept = Configuration::all(circumstances);
        let mut ddmin = Self { kept, parts: Vec::new(), next: Next::Done, is_books };
        ddmin.cut(2);
        ddmin
    }

    /// Returns the current granularity: into how many parts the configuration is cut.
    pub fn granularity(&self) -> usize {
        self.parts.len()
    }

    /// Cuts the circumstances that are kept, and begins with the first part.
    fn cut(&mut self, count: usize) {
        self.parts = cut(&self.kept, count);
        self.next = match self.kept.len() < 2 {
            true => Next::Done,
            false if self.is_books => Next::Complement(0),
            false => Next::Subset(0),
        };
    }
}

impl Search for Ddmin {
    fn ask(&self) -> Option<Configuration> {
        let universe = self.kept.universe();
        match self.next {
            Next::Subset(i) => Some(Configuration::of(universe, self.parts[i].iter().copied())),
            Next::Complement(i) => Some(self.kept.without(self.parts[i].iter().copied())),
            Next::Done => None,
        }
    }

    fn tell(&mut self, outcome: Outcome) {
        let question = self.ask().expect("told only what was asked");
        let count = self.parts.len();
        match (self.next, outcome) {
            (Next::Subset(_), Outcome::Fail) => {
                self.kept = question;
                self.cut(2);
            }
            (Next::Complement(i), Outcome::Fail) => {
                self.kept = question;
                if self.is_books {
                    self.cut((count - 1).max(2));
                } else {
                    self.parts.remove(i);
                    self.next = Next::Subset(0);
                }
            }
            (Next::Subset(i), _) if i + 1 < count => self.next = Next::Subset(i + 1),
            // Of two parts, each is the complement of the other.
            (Next::Subset(_), _) if count > 2 => self.next = Next::Complement(0),
            (Next::Complement(i), _) if i + 1 < count => self.next = Next::Complement(i + 1),
            _ if count < self.kept.len() => self.cut(count * 2),
            _ => self.next = Next::Done,
        }
    }

    fn kept(&self) -> &Configuration {
        &self.kept
    }
}
