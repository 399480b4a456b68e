//! What a machine needs to run the test of a report again; it stands in the page as JSON, version
//! 1. Fields may be added; none changes its meaning without a new version.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde::{Deserialize, Serialize};

use super::document::{Document, ReportText, Reproduction};
use crate::args::FailureArgs;

/// The version of the fields.
const VERSION: u32 = 1;
/// What stands before the JSON in a page.
const MARK: &str = "id=\"minirepro-rerun\">";

/// The test of a report and its reproducer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Embedded {
    /// The version of the fields.
    pub version: u32,
    /// The version of the program.
    pub minirepro: String,
    /// What candidates are called.
    pub name: String,
    /// The failure of a command.
    pub failure: Option<String>,
    /// A program and its arguments, if the test is a command.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<Vec<String>>,
    /// What counts as the failure of the command.
    #[serde(default)]
    pub conditions: FailureArgs,
    /// The time of a test in seconds, where it was given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout: Option<f64>,
    /// The text of the script, if the test is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub script: Option<String>,
    /// The reproducer; in a report of several results the first one.
    pub reproducer: Vec<File>,
    /// Files beside it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub companions: Vec<File>,
}

/// A file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct File {
    /// Its path.
    pub name: String,
    /// Its bytes in base 64.
    pub base64: String,
}

impl File {
    fn of(part: &ReportText) -> Self {
        Self { name: part.name.clone(), base64: BASE64_STANDARD.encode(&part.text) }
    }

    /// Returns its bytes; `None` if they are damaged.
    pub fn bytes(&self) -> Option<Vec<u8>> {
        BASE64_STANDARD.decode(&self.base64).ok()
    }
}

impl Embedded {
    /// Returns what is needed of a report.
    pub fn of(document: &Document) -> Self {
        let (command, script) = match &document.test {
            Reproduction::Unknown => (None, None),
            Reproduction::Command(words) => (Some(words.clone()), None),
            Reproduction::Script { text, .. } => (None, Some(text.clone())),
        };
        Self {
            version: VERSION,
            minirepro: env!("CARGO_PKG_VERSION").to_owned(),
            name: document.name.clone(),
            failure: document.failure.clone(),
            command,
            conditions: document.conditions.clone(),
            timeout: document.timeout.map(|time| time.as_secs_f64()),
            script,
            reproducer: document.results.iter().take(1).map(File::of).collect(),
            companions: document.companions.iter().map(File::of).collect(),
        }
    }

    /// Reads it from the text of a page.
    ///
    /// # Errors
    /// If it is not a page of minirepro, or of a later version.
    pub fn read(page: &str) -> Result<Self, String> {
        let begin = page.find(MARK).ok_or("it is no report of minirepro")? + MARK.len();
        let json = page[begin..].split("</script>").next().unwrap_or_default();
        let embedded: Self = serde_json::from_str(json)
            .map_err(|error| format!("its data for a rerun cannot be read: {error}"))?;
        match embedded.version {
            VERSION => Ok(embedded),
            version => Err(format!("it was written in version {version}, which is not known here")),
        }
    }
}

/// Writes it so that it can stand within a `script` element.
pub fn for_page(embedded: &Embedded) -> String {
    let json = serde_json::to_string(embedded).expect("all keys are strings");
    json.replace('<', "\\u003c")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_page_holds_is_read_again() {
        let document = Document {
            name: "a.c".into(),
            test: Reproduction::Script {
                name: "t.sh".into(),
                text: "grep '</script>' \"$1\"\n".into(),
            },
            results: vec![ReportText {
                name: "a.min.c".into(),
                text: vec![0, 255, b'<'],
                ..ReportText::default()
            }],
            ..Document::default()
        };
        let embedded = Embedded::of(&document);
        let page = format!("<script {MARK}{}</script><p>", for_page(&embedded));
        assert_eq!(Embedded::read(&page), Ok(embedded.clone()));
        assert_eq!(embedded.reproducer[0].bytes(), Some(vec![0, 255, b'<']));
        assert!(Embedded::read("<html>").unwrap_err().contains("no report"));
        let later = page.replace("\"version\":1", "\"version\":7");
        assert!(Embedded::read(&later).unwrap_err().contains("version 7"));
    }
}
