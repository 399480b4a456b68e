//! The least text of a token, found by trying a few against the token's pattern.

use regex::Regex;
use serde_json::Value;

use crate::derive::grammar::{kind, members};

/// Texts that some token of nearly every language can be, the least first.
const SAMPLES: &[&str] = &[
    "0", "a", "A", "\"\"", "''", "``", "0.0", "'a'", "\"a\"", "_", "$a", "@a", "%a", "#a", ":a",
    "@A", "%A",
];

/// Returns the least text of a token among those that are usual; `None` if none fits, or if its
/// pattern is not of a form that we understand.
pub(super) fn least(rule: &Value) -> Option<String> {
    if kind(rule) == "STRING" {
        return rule["value"].as_str().map(str::to_owned);
    }
    let pattern = Regex::new(&format!("^(?:{})$", pattern(rule)?)).ok()?;
    SAMPLES.iter().find(|sample| pattern.is_match(sample)).map(|&sample| sample.to_owned())
}

/// Returns the regular expression of a token's rule; `None` if it refers to other rules.
fn pattern(rule: &Value) -> Option<String> {
    let all = |between: &str| -> Option<String> {
        let parts: Option<Vec<String>> = members(rule).iter().map(pattern).collect();
        Some(format!("(?:{})", parts?.join(between)))
    };
    match kind(rule) {
        "BLANK" => Some(String::new()),
        "STRING" => rule["value"].as_str().map(regex::escape),
        "PATTERN" => {
            let flags = rule["flags"].as_str().filter(|flags| flags.contains('i'));
            let sign = if flags.is_some() { "(?i:" } else { "(?:" };
            rule["value"].as_str().map(|value| format!("{sign}{value})"))
        }
        "SEQ" => all(""),
        "CHOICE" => all("|"),
        "REPEAT" => pattern(&rule["content"]).map(|inner| format!("(?:{inner})*")),
        "REPEAT1" => pattern(&rule["content"]).map(|inner| format!("(?:{inner})+")),
        "SYMBOL" => None,
        _ => rule.get("content").and_then(pattern),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::least;

    #[test]
    fn the_least_text_of_a_token_fits_its_pattern() {
        let number = json!({ "type": "PATTERN", "value": "\\d+" });
        assert_eq!(least(&number).as_deref(), Some("0"));
        let local = json!({ "type": "TOKEN", "content": { "type": "SEQ", "members": [
            { "type": "STRING", "value": "%" }, { "type": "PATTERN", "value": "[a-z]+" },
        ] } });
        assert_eq!(least(&local).as_deref(), Some("%a"));
        let word = json!({ "type": "PATTERN", "value": "SELECT", "flags": "i" });
        assert_eq!(least(&word), None);
        // Tree-sitter knows forms of patterns that we do not.
        assert_eq!(least(&json!({ "type": "PATTERN", "value": "(?<=a)b" })), None);
    }
}
