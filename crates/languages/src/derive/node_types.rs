//! Reads a `node-types.json`: the kinds and fields that trees really have. A grammar may have rules
//! that its parser never shows.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::derive::error::DeriveError;

/// The kinds with names, and the fields, of a parser's trees.
pub(super) struct NodeTypes {
    kinds: BTreeSet<String>,
    fields: BTreeSet<String>,
}

impl NodeTypes {
    /// Reads the text of a `node-types.json`.
    ///
    /// # Errors
    /// If it is not JSON.
    pub(super) fn read(text: &str) -> Result<Self, DeriveError> {
        let types: Vec<Value> = serde_json::from_str(text)?;
        let mut found = Self { kinds: BTreeSet::new(), fields: BTreeSet::new() };
        for node in &types {
            let is_named = node["named"].as_bool().unwrap_or_default();
            // Supertypes show no node.
            if is_named && node.get("subtypes").is_none() {
                found.kinds.extend(node["type"].as_str().map(str::to_owned));
            }
            let fields = node["fields"].as_object().into_iter().flat_map(|fields| fields.keys());
            found.fields.extend(fields.cloned());
        }
        Ok(found)
    }

    /// Returns whether trees have nodes of this kind.
    pub(super) fn has_kind(&self, kind: &str) -> bool {
        self.kinds.contains(kind)
    }

    /// Returns whether nodes have this field.
    pub(super) fn has_field(&self, field: &str) -> bool {
        self.fields.contains(field)
    }
}
