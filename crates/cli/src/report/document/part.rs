//! Makes parts of a report of texts.

use std::path::Path;

use minirepro_program::Language;

use super::code::words;
use super::document::{Body, ReportText};

/// Makes a part of a report of a text.
pub fn code(name: &str, text: &[u8], language: Option<&Language>) -> ReportText {
    let suffix = Path::new(name).extension().unwrap_or_default().to_string_lossy().into_owned();
    let is_text = std::str::from_utf8(text).is_ok_and(|text| !text.contains('\0'));
    let body = if is_text { Body::Code(words(text, language)) } else { Body::Binary };
    ReportText { name: name.to_owned(), suffix, body, text: text.to_owned() }
}
