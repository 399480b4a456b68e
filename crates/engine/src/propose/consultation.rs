//! A question to a proposer and its answer, as plain data.

use std::sync::Arc;

/// Who is asked something that is no test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whom {
    /// The proposer of this number, from 0: what to try next.
    Proposer(usize),
    /// The tool that reads candidates: its messages about this text.
    Informant,
    /// A compiler that has read the text: which of its declarations nothing refers to.
    Analyser,
}

/// What a proposer gets when it is asked what to try next; of an informant, the text that it is
/// asked about.
#[derive(Clone, Debug)]
pub struct Consultation {
    /// Who is asked.
    pub whom: Whom,
    /// The best text so far, which candidates should beat. No single edit of ours makes it smaller.
    pub text: Arc<[u8]>,
    /// The name of its language.
    pub language: Arc<str>,
}

/// What a proposer says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Said {
    /// Try these, in this order.
    Candidates(Vec<Arc<[u8]>>),
    /// These messages, of an informant.
    Messages(Vec<Message>),
    /// Nothing refers to what is declared at these places, of an analyser.
    Unreferenced(Vec<Unreferenced>),
    /// It cannot be asked again.
    Gone(Gone),
}

/// A message of a tool about a text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Message {
    /// The line and the column that it is about, counted from 1; the column is 0 if it names none.
    pub place: Option<(u32, u32)>,
    /// The words that it puts in quotes.
    pub quoted: Vec<Arc<str>>,
    /// Its other words, those of the lines of the text that it shows, too.
    pub others: Vec<Arc<str>>,
}

/// A declaration, or the body of a function, that nothing refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unreferenced {
    /// The line and the column of its name, counted from 1.
    pub place: (u32, u32),
    /// Whether the function is mentioned, but its body is not needed for that.
    pub is_body: bool,
}

/// Why a proposer cannot be asked again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gone {
    /// It could not be started.
    NotStarted,
    /// It said nothing for too long.
    Silent,
    /// It failed, or said nothing that could be understood.
    Unclear,
}
