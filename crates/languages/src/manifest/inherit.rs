//! A manifest says only what nobody can derive, what differs, and, with `[inherit]`, what differs
//! from that of a similar language.

use serde::Deserialize;
use toml::{Table, Value};

use crate::manifest::error::ManifestError;
use crate::manifest::rule_files::{self, RuleFiles, RuleText};
use crate::registry::Entry;

/// Stands in a list of the manifest for all that was derived or inherited.
const OTHERS: &str = "...";

/// Puts what a manifest says in place of what was derived, or of what it inherits: each key for
/// itself, and in lists `"..."` for the other entries. Entries that are tables stand beside them.
pub(crate) fn merged(mut base: Table, own: Table) -> Table {
    for (key, value) in own {
        let value = match (base.remove(&key), value) {
            (Some(Value::Table(base)), Value::Table(own)) => merged(base, own).into(),
            (Some(Value::Array(base)), Value::Array(own))
                if own.first().is_some_and(Value::is_table) =>
            {
                [base, own].concat().into()
            }
            (Some(Value::Array(base)), Value::Array(own)) => {
                let all = own.into_iter().flat_map(|value| match value.as_str() {
                    Some(OTHERS) => base.clone(),
                    _ => vec![value],
                });
                Value::Array(all.collect())
            }
            (_, own) => own,
        };
        base.insert(key, value);
    }
    base
}

/// The section `[inherit]`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Inherit {
    /// The directory of the other manifest.
    from: String,
    /// Keys of the other manifest that are not taken over.
    #[serde(default)]
    except: Vec<String>,
}

/// What belongs to one language alone.
const OWN: &[&str] =
    &["aliases", "derived", "description", "grammar", "inherit", "name", "suffixes"];

/// Returns a manifest together with all that it takes over from another one, which may itself build
/// on one, and the files of rules beside them, its own last. Sections are merged; of two values of
/// one key its own counts.
///
/// # Errors
/// If the section is malformed, or names a language that there is not, or one that builds on this
/// one.
pub(crate) fn with_inherited<'a>(
    mut manifest: Table,
    rules: RuleFiles<'a>,
    others: &dyn Fn(&str) -> Option<&'static Entry>,
) -> Result<(Table, Vec<RuleText<'a>>), ManifestError> {
    let (mut known, mut files): (Vec<String>, _) = (Vec::new(), rules.to_vec());
    while let Some(inherit) = manifest.remove("inherit") {
        let Inherit { from, except } = inherit.try_into()?;
        let base = others(&from).filter(|_| !known.contains(&from));
        let base = base.ok_or_else(|| ManifestError::Inherited(from.clone()))?;
        let mut base = merged(toml::from_str(base.derived)?, toml::from_str(base.manifest)?);
        let further = base.remove("inherit");
        base.retain(|key, _| !OWN.contains(&key) && !except.iter().any(|e| e == key));
        files = [rule_files::of(&from), &files].concat();
        manifest = merged(base, manifest);
        manifest.extend(further.map(|further| ("inherit".to_owned(), further)));
        known.push(from);
    }
    Ok((manifest, files))
}

#[cfg(test)]
mod tests {
    use super::{Entry, merged, with_inherited};

    const DERIVED: &str = "lexing = \"markup\"\n[roles]\nscope = [\"block\"]\n";
    const BASE: &str = "name = \"b\"\nlexing = \"program\"\natoms = [\"string\", \"char\"]\n\
                        [roles]\nidentifier = [\"name\", \"old\"]\n\
                        [[forbid]]\nkinds = [\"old\", \"loop\"]\n[[implied]]\ntext = \"int\"\n";

    /// Returns a manifest with what it inherits, or what is wrong with it.
    fn check(own: &str) -> Result<String, String> {
        let others = |name: &str| match name {
            "base" => Some(&Entry { name: "b", derived: DERIVED, manifest: BASE, grammar: None }),
            "circle" => Some(&Entry {
                name: "circle",
                derived: "",
                manifest: "inherit = { from = \"circle\" }",
                grammar: None,
            }),
            _ => None,
        };
        let merged = with_inherited(toml::from_str(own).unwrap(), &[], &others);
        merged.map(|(table, _)| toml::to_string(&table).unwrap()).map_err(|error| error.to_string())
    }

    #[test]
    fn lists_are_joined_and_own_values_count() {
        let own = "name = \"o\"\nlexing = \"markup\"\natoms = [\"...\", \"raw\"]\n\
                   inherit = { from = \"base\", except = [\"implied\"] }\n\
                   [roles]\nidentifier = [\"new\"]\n[[forbid]]\nkinds = [\"if\"]\n";
        let expected = "atoms = [\"string\", \"char\", \"raw\"]\nlexing = \"markup\"\nname = \"o\"\n\n\
                        [[forbid]]\nkinds = [\"old\", \"loop\"]\n\n[[forbid]]\nkinds = [\"if\"]\n\n\
                        [roles]\nidentifier = [\"new\"]\nscope = [\"block\"]\n";
        assert_eq!(check(own).unwrap(), expected);
    }

    #[test]
    fn a_circle_and_an_unknown_language_are_errors() {
        for name in ["circle", "nothing"] {
            let error = check(&format!("inherit = {{ from = \"{name}\" }}")).unwrap_err();
            assert_eq!(error, format!("there is no manifest of `{name}` to build on"));
        }
        assert!(check("inherit = { of = \"base\" }").is_err());
    }

    #[test]
    fn a_manifest_overrides_what_was_derived_key_by_key() {
        let derived = "[fields]\nbody = [\"a\"]\nname = [\"b\"]\nvalue = [\"c\"]\n[[x]]\na = 1";
        let own = "name = \"x\"\n[fields]\nname = [\"d\"]\nvalue = [\"...\", \"e\"]\n[[x]]\na = 2";
        let read = |text: &str| toml::from_str::<toml::Table>(text).unwrap();
        let all = merged(read(derived), read(own));
        let expected = "name = \"x\"\nfields = { body = [\"a\"], name = [\"d\"], value = [\"c\", \"e\"] }\n\
             x = [{ a = 1 }, { a = 2 }]";
        assert_eq!(all, read(expected));
    }
}
