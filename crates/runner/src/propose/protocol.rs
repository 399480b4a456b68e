//! The lines that are exchanged with a program that proposes candidates.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use minirepro_engine::{Consultation, DescribedNode, Finding, Refused, Verdict};
use serde::{Deserialize, Serialize};

/// The version of what is sent beyond Shrink Ray's protocol.
const VERSION: u32 = 1;

/// What a program says in one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Line {
    /// Candidates, in the order in which they should be tried, and whether more will follow.
    Candidates(Vec<Vec<u8>>, bool),
    /// Nothing more for this text.
    Idle,
}

/// A new text to work on.
#[derive(Serialize)]
struct Begin<'a> {
    minirepro: u32,
    content: String,
    interesting: bool,
    text: Option<&'a str>,
    language: &'a str,
    size: u64,
    tokens: Vec<(usize, usize)>,
    tree: Vec<Node<'a>>,
    refused: Vec<Edit<'a>>,
    tried: Vec<Tried<'a>>,
}

#[derive(Serialize)]
struct Node<'a> {
    kind: &'a str,
    from: usize,
    to: usize,
    parent: Option<usize>,
}

#[derive(Serialize)]
struct Edit<'a> {
    by: &'a str,
    from: usize,
    to: usize,
    text: String,
}

/// What became of a candidate.
#[derive(Serialize)]
struct Tried<'a> {
    content: String,
    interesting: bool,
    finding: &'a str,
}

/// A line of a program, as it is written.
#[derive(Deserialize)]
struct Answer {
    #[serde(default)]
    idle: bool,
    candidates: Option<Vec<Candidate>>,
    #[serde(default)]
    more: bool,
    #[serde(flatten)]
    candidate: Candidate,
}

/// A candidate, in one of three forms.
#[derive(Deserialize)]
struct Candidate {
    content: Option<String>,
    text: Option<String>,
    edits: Option<Vec<Replacement>>,
}

/// A span of the text, and what to put there.
#[derive(Deserialize)]
struct Replacement {
    from: usize,
    to: usize,
    #[serde(default)]
    text: String,
}

/// Writes the line that hands a text over.
pub(super) fn begin(consultation: &Consultation) -> Vec<u8> {
    let Consultation { text, language, tokens, nodes, refused, verdicts, .. } = consultation;
    let node = |part: &DescribedNode| (part.span.start, part.span.end);
    let leaves = nodes.iter().filter(|part| part.is_leaf && !part.span.is_empty());
    line(&Begin {
        minirepro: VERSION,
        content: STANDARD.encode(text),
        interesting: true,
        text: std::str::from_utf8(text).ok(),
        language,
        size: *tokens,
        tokens: leaves.map(node).collect(),
        tree: nodes.iter().map(Node::new).collect(),
        refused: refused.iter().map(Edit::new).collect(),
        tried: verdicts.iter().map(Tried::new).collect(),
    })
}

/// Writes the line that says what became of a candidate; `None` if it was not tried.
pub(super) fn verdict(candidate: &[u8], finding: Option<Finding>) -> Vec<u8> {
    line(&Tried {
        content: STANDARD.encode(candidate),
        interesting: finding == Some(Finding::Fails),
        finding: finding.map_or("untried", word),
    })
}

impl<'a> Node<'a> {
    fn new(part: &'a DescribedNode) -> Self {
        Self { kind: &part.kind, from: part.span.start, to: part.span.end, parent: part.parent }
    }
}

impl<'a> Edit<'a> {
    fn new(refused: &'a Refused) -> Self {
        let text = String::from_utf8_lossy(&refused.with).into_owned();
        Self { by: refused.pass, from: refused.span.start, to: refused.span.end, text }
    }
}

impl Tried<'_> {
    fn new(verdict: &Verdict) -> Self {
        Self {
            content: STANDARD.encode(&verdict.candidate),
            interesting: verdict.finding == Finding::Fails,
            finding: word(verdict.finding),
        }
    }
}

fn word(finding: Finding) -> &'static str {
    match finding {
        Finding::Fails => "fails",
        Finding::Passes => "passes",
        Finding::Unresolved => "unresolved",
        Finding::Infeasible => "infeasible",
        Finding::TooLarge => "too-large",
    }
}

fn line(value: &impl Serialize) -> Vec<u8> {
    // Strings and numbers only: writing them to memory cannot fail.
    let mut line = serde_json::to_vec(value).unwrap_or_default();
    line.push(b'\n');
    line
}

/// Reads a line of a program that works on `text`; `None` if it has no known form. Candidates that
/// cannot be are left out.
pub(super) fn read(line: &[u8], text: &[u8]) -> Option<Line> {
    let answer: Answer = serde_json::from_slice(line).ok()?;
    if answer.idle {
        return Some(Line::Idle);
    }
    if let Some(all) = answer.candidates {
        let made: Vec<Vec<u8>> = all.into_iter().filter_map(|one| one.bytes(text)).collect();
        return Some(if made.is_empty() {
            Line::Idle
        } else {
            Line::Candidates(made, answer.more)
        });
    }
    answer.candidate.bytes(text).map(|one| Line::Candidates(vec![one], true))
}

impl Candidate {
    /// Returns its bytes; `None` if it has no known form.
    fn bytes(self, text: &[u8]) -> Option<Vec<u8>> {
        if let Some(content) = self.content {
            return STANDARD.decode(content).ok();
        }
        if let Some(whole) = self.text {
            return Some(whole.into_bytes());
        }
        edited(text, self.edits?)
    }
}

/// Replaces spans by texts; `None` if they overlap or lie outside.
fn edited(text: &[u8], mut edits: Vec<Replacement>) -> Option<Vec<u8>> {
    edits.sort_by_key(|edit| (edit.from, edit.to));
    let mut made = Vec::with_capacity(text.len());
    let mut end = 0;
    for edit in edits {
        made.extend_from_slice(text.get(end..edit.from)?);
        text.get(edit.from..edit.to)?;
        made.extend_from_slice(edit.text.as_bytes());
        end = edit.to;
    }
    made.extend_from_slice(text.get(end..)?);
    Some(made)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_in_every_form() {
        let one = |bytes: &[u8]| Some(Line::Candidates(vec![bytes.to_vec()], true));
        let all = |bytes: &[u8]| Some(Line::Candidates(vec![bytes.to_vec()], false));
        for (said, read_as) in [
            (r#"{"content": "YWI="}"#, one(b"ab")),
            (r#"{"text": "ab", "why": "because"}"#, one(b"ab")),
            (
                r#"{"edits": [{"from": 4, "to": 5, "text": "X"}, {"from": 0, "to": 2}]}"#,
                one(b"23X5"),
            ),
            (r#"{"edits": []}"#, one(b"012345")),
            (r#"{"edits": [{"from": 0, "to": 3}, {"from": 2, "to": 4}]}"#, None),
            (r#"{"edits": [{"from": 3, "to": 2}]}"#, None),
            (r#"{"edits": [{"from": 0, "to": 7}]}"#, None),
            (r#"{"edits": [{"from": -1, "to": 1}]}"#, None),
            (r#"{"candidates": [{"text": "a"}, {"content": "?"}]}"#, all(b"a")),
            (r#"{"candidates": [{"text": "a"}], "more": true}"#, one(b"a")),
            (r#"{"candidates": []}"#, Some(Line::Idle)),
            (r#"{"idle": true}"#, Some(Line::Idle)),
            (r#"{"content": 7}"#, None),
            ("{}", None),
            ("Sure! Here is a smaller program:", None),
            ("", None),
        ] {
            assert_eq!(read(said.as_bytes(), b"012345"), read_as, "{said}");
        }
    }

    #[test]
    fn verdicts_are_those_of_shrink_ray_with_one_more_field() {
        let line = verdict(b"ab", Some(Finding::Fails));
        let text = String::from_utf8_lossy(&line);
        assert_eq!(text, "{\"content\":\"YWI=\",\"interesting\":true,\"finding\":\"fails\"}\n");
    }
}
