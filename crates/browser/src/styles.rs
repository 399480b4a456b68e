//! Computed styles: do two browsers give elements the same values of properties?

use std::collections::BTreeMap;

use serde_json::json;

/// The values of an element by property.
pub(crate) type Computed = BTreeMap<String, String>;

/// Returns the expression that gives the computed styles of all elements that a selector fits, as
/// JSON: of these properties, or of all.
pub(crate) fn computed(selector: &str, properties: &[String]) -> String {
    format!(
        "JSON.stringify([...document.querySelectorAll({selector})].map(e => {{
            const style = getComputedStyle(e), asked = {properties};
            const names = asked.length ? asked : [...style];
            return Object.fromEntries(names.map(name => [name, style.getPropertyValue(name)]));
        }}))",
        selector = json!(selector),
        properties = json!(properties),
    )
}

/// Returns whether two browsers differ: in the number of elements, or in the value of a property
/// that both know. Numbers in values may differ by `by`.
pub(crate) fn differ(one: &[Computed], other: &[Computed], by: f64) -> bool {
    let is_other = |(one, other): (&Computed, &Computed)| {
        let mut shared = one.iter().filter_map(|(name, value)| Some((value, other.get(name)?)));
        shared.any(|(one, other)| !are_alike(one, other, by))
    };
    one.len() != other.len() || one.iter().zip(other).any(is_other)
}

/// Returns whether two values are the same, but for small differences of numbers.
fn are_alike(one: &str, other: &str, by: f64) -> bool {
    let (one, other) = (parts(one), parts(other));
    let is_alike = |(one, other): (&&str, &&str)| match (one.parse::<f64>(), other.parse::<f64>()) {
        (Ok(one), Ok(other)) => (one - other).abs() <= by,
        _ => one == other,
    };
    one.len() == other.len() && one.iter().zip(&other).all(is_alike)
}

/// Cuts a value into numbers and what stands between them.
fn parts(value: &str) -> Vec<&str> {
    let is_digit = |letter: char| letter.is_ascii_digit() || matches!(letter, '.' | '-');
    let mut parts = Vec::new();
    let mut rest = value;
    while let Some(first) = rest.chars().next() {
        let end = rest.find(|letter| is_digit(letter) != is_digit(first)).unwrap_or(rest.len());
        parts.push(&rest[..end]);
        rest = &rest[end..];
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::{Computed, computed, differ};

    fn element(values: &[(&str, &str)]) -> Computed {
        values.iter().map(|&(name, value)| (name.to_owned(), value.to_owned())).collect()
    }

    #[test]
    fn numbers_differ_by_more_than_what_is_allowed_and_words_at_all() {
        let one = [element(&[("width", "10.4px"), ("display", "block"), ("-x-y", "1")])];
        for (other, expected) in [
            (element(&[("width", "11px"), ("display", "block")]), false),
            (element(&[("width", "12px")]), true),
            (element(&[("display", "inline-block")]), true),
            (element(&[("width", "auto")]), true),
            (element(&[]), false),
        ] {
            assert_eq!(differ(&one, &[other], 1.0), expected);
        }
        assert!(differ(&one, &[], 1.0));
    }

    #[test]
    fn selector_and_properties_are_strings_of_the_expression() {
        let expression = computed("a[href='\"']", &["top".to_owned()]);
        assert!(expression.contains(r#"querySelectorAll("a[href='\"']")"#), "{expression}");
        assert!(expression.contains(r#"asked = ["top"]"#), "{expression}");
    }
}
