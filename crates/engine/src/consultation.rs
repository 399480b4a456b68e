//! A question to a proposer and its answer, as plain data.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

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
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Said {
    /// Try these, in this order.
    Candidates(#[serde(with = "in_base64")] Vec<Arc<[u8]>>),
    /// These messages, of an informant.
    Messages(Vec<Message>),
    /// Nothing refers to what is declared at these places, of an analyser.
    Unreferenced(Vec<Unreferenced>),
    /// It cannot be asked again.
    #[serde(untagged)]
    Gone(Gone),
}

/// A message of a tool about a text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Message {
    /// The byte of the text that it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<usize>,
    /// The words that it puts in quotes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub quoted: Vec<String>,
    /// The word or sign of the text that begins where it points.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub here: Vec<String>,
    /// Its other words, those of the lines of the text that it shows, too.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<String>,
}

/// A declaration, or the body of a function, that nothing refers to.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Unreferenced {
    /// The byte of the text at which its name begins.
    pub at: usize,
    /// Its name, as far as that is one word.
    pub name: String,
    /// Whether the function is mentioned, but its body is not needed for that.
    pub is_body: bool,
}

/// Why a proposer cannot be asked again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Gone {
    /// It could not be started.
    NotStarted,
    /// It said nothing for too long.
    Silent,
    /// It failed, or said nothing that could be understood.
    Unclear,
}

/// Writes texts that may be any bytes.
mod in_base64 {
    use std::sync::Arc;

    use base64::Engine;
    use base64::engine::general_purpose::STANDARD;
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(all: &[Arc<[u8]>], to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(all.iter().map(|text| STANDARD.encode(text)))
    }

    pub(super) fn deserialize<'d, D: Deserializer<'d>>(
        from: D,
    ) -> Result<Vec<Arc<[u8]>>, D::Error> {
        let all = Vec::<String>::deserialize(from)?.into_iter();
        all.map(|text| STANDARD.decode(text).map(Into::into).map_err(D::Error::custom)).collect()
    }
}
