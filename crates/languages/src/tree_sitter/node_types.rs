//! The kinds and fields that a parser knows, in the form of a `node-types.json`.

use serde_json::{Map, Value, json};
use tree_sitter::Language;

/// Returns what a `node-types.json` would say that knows no more than the parser: the kinds that
/// trees have, and the fields, without saying which kinds have them.
pub(crate) fn node_types_of(language: &Language) -> String {
    let count = u16::try_from(language.node_kind_count()).unwrap_or(u16::MAX);
    let name = |id: u16| language.node_kind_for_id(id).unwrap_or_default();
    let mut types: Vec<Value> = Vec::new();
    for id in 0..count {
        if language.node_kind_is_supertype(id) {
            let below = language.subtypes_for_supertype(id).iter();
            let below: Vec<Value> = below.map(|&id| kind(language, id, name(id))).collect();
            types.push(json!({ "type": name(id), "named": true, "subtypes": below }));
        } else if language.node_kind_is_visible(id) {
            types.push(kind(language, id, name(id)));
        }
    }
    let last = u16::try_from(language.field_count()).unwrap_or(u16::MAX);
    let fields = (1..=last).filter_map(|id| language.field_name_for_id(id));
    let fields: Map<String, Value> =
        fields.map(|field| (field.to_owned(), json!({ "types": [] }))).collect();
    // Fields stand with kinds; these are of none.
    types.push(json!({ "type": "", "named": false, "fields": fields }));
    Value::Array(types).to_string()
}

fn kind(language: &Language, id: u16, name: &str) -> Value {
    json!({ "type": name, "named": language.node_kind_is_named(id) })
}

#[cfg(test)]
mod tests {
    use super::node_types_of;

    #[test]
    fn a_parser_tells_its_kinds_and_fields() {
        let json = tree_sitter::Language::new(tree_sitter_json::LANGUAGE);
        let types = node_types_of(&json);
        assert!(types.contains(r#"{"named":true,"type":"pair"}"#), "{types}");
        assert!(types.contains(r#"{"named":false,"type":"{"}"#), "{types}");
        assert!(types.contains(r#""fields":{"key":{"types":[]},"value":{"types":[]}}"#), "{types}");
    }
}
