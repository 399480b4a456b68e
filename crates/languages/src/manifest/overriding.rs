//! A manifest over what was derived: it says only what nobody can derive, and what differs.

/// Stands in a list of the manifest for all that was derived.
const DERIVED: &str = "...";

/// Puts what a manifest says in place of what was derived: each key for itself, and in lists
/// `"..."` for the derived ones.
pub(crate) fn merged(mut derived: toml::Table, own: toml::Table) -> toml::Table {
    for (key, value) in own {
        let old = derived.remove(&key);
        let value = match (old, value) {
            (Some(toml::Value::Table(old)), toml::Value::Table(own)) => merged(old, own).into(),
            (old, toml::Value::Array(own)) => {
                let old = old.and_then(|old| old.as_array().cloned()).unwrap_or_default();
                let all = own.into_iter().flat_map(|value| match value.as_str() {
                    Some(DERIVED) => old.clone(),
                    _ => vec![value],
                });
                toml::Value::Array(all.collect())
            }
            (_, own) => own,
        };
        derived.insert(key, value);
    }
    derived
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_manifest_overrides_what_was_derived_key_by_key() {
        let derived = "[fields]\nbody = [\"a\"]\nname = [\"b\"]\nvalue = [\"c\"]";
        let own = "name = \"x\"\n[fields]\nname = [\"d\"]\nvalue = [\"...\", \"e\"]";
        let read = |text: &str| toml::from_str::<toml::Table>(text).unwrap();
        let all = super::merged(read(derived), read(own));
        let expected =
            "name = \"x\"\nfields = { body = [\"a\"], name = [\"d\"], value = [\"c\", \"e\"] }";
        assert_eq!(all, read(expected));
    }
}
