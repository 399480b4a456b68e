//! `[inherit]`: a manifest that builds on that of a similar language and says only what differs.

use serde::Deserialize;
use toml::{Table, Value};

use crate::manifest::error::ManifestError;
use crate::manifest::overriding::merged;
use crate::manifest::rule_files::{self, RuleFiles};

/// The manifest of a language on which others build.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Base {
    /// What was derived from its grammar.
    pub(crate) derived: &'static str,
    /// Its own text.
    pub(crate) manifest: &'static str,
    /// The files of rules beside it.
    pub(crate) rules: RuleFiles<'static>,
}

/// Returns a manifest with the files of rules beside it, each as `rules.NAME`.
///
/// # Errors
/// If a file is not TOML.
pub(crate) fn with_rules(
    mut manifest: Table,
    files: RuleFiles<'_>,
) -> Result<Table, ManifestError> {
    let mut rules = Table::new();
    for &(name, text) in files {
        rules.insert(name.to_owned(), Value::Table(spread(toml::from_str(text)?)));
    }
    if !rules.is_empty() {
        let beside = Table::from_iter([("rules".to_owned(), Value::Table(rules))]);
        merge(&mut manifest, beside);
    }
    Ok(manifest)
}

/// Returns a file of rules with its captures in each rule: files of one name are joined.
fn spread(mut file: Table) -> Table {
    let Some(Value::Table(shared)) = file.get("let").cloned() else { return file };
    let rules = file.get_mut("rule").and_then(Value::as_array_mut).into_iter().flatten();
    for rule in rules.filter_map(Value::as_table_mut) {
        let mut all = shared.clone();
        if let Some(Value::Table(own)) = rule.remove("let") {
            all.extend(own);
        }
        rule.insert("let".to_owned(), Value::Table(all));
    }
    file
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
    /// Kinds in the other manifest that this grammar lacks.
    #[serde(default)]
    lacks: Vec<String>,
}

/// What belongs to one language alone.
const OWN: &[&str] =
    &["aliases", "derived", "description", "grammar", "inherit", "name", "suffixes"];

/// Returns a manifest together with all that it takes over from another one, which may itself build
/// on one. Lists are joined, sections merged; of two values of one key its own counts.
///
/// # Errors
/// If the section is malformed, or names a language that there is not, or one that builds on this
/// one.
pub(crate) fn with_inherited(
    manifest: Table,
    others: &dyn Fn(&str) -> Option<Base>,
) -> Result<Table, ManifestError> {
    let mut manifest = manifest;
    let mut known: Vec<String> = Vec::new();
    while let Some(inherit) = manifest.remove("inherit") {
        let Inherit { from, except, lacks } = inherit.try_into()?;
        let base = others(&from).filter(|_| !known.contains(&from));
        let Base { derived, manifest: text, rules } =
            base.ok_or_else(|| ManifestError::Inherited(from.clone()))?;
        let mut base = merged(toml::from_str(derived)?, with_rules(toml::from_str(text)?, rules)?);
        let further = base.remove("inherit");
        base.retain(|key, _| !OWN.contains(&key) && !except.iter().any(|e| e == key));
        if let Some(Value::Table(rules)) = base.get_mut("rules") {
            rules.retain(|pass, _| !except.contains(&format!("rules.{pass}")));
        }
        base.iter_mut().for_each(|(_, value)| forget(value, &lacks));
        merge(&mut base, manifest);
        base.extend(further.map(|further| ("inherit".to_owned(), further)));
        known.push(from);
        manifest = base;
    }
    Ok(manifest)
}

/// Returns a manifest with the rules that hold in all languages, before its own.
///
/// # Errors
/// If a file of rules is not TOML.
pub(crate) fn with_common_rules(manifest: Table) -> Result<Table, ManifestError> {
    let mut all = with_rules(Table::new(), rule_files::of(""))?;
    merge(&mut all, manifest);
    Ok(all)
}

/// Takes kinds out of all lists.
fn forget(value: &mut Value, kinds: &[String]) {
    match value {
        Value::Array(items) => {
            items.retain(|item| item.as_str().is_none_or(|text| kinds.iter().all(|k| k != text)));
            items.iter_mut().for_each(|item| forget(item, kinds));
        }
        Value::Table(table) => {
            for (_, value) in table.iter_mut() {
                forget(value, kinds);
            }
        }
        _ => {}
    }
}

/// Adds the entries of `own` to a base.
fn merge(base: &mut Table, own: Table) {
    for (key, value) in own {
        match (base.get_mut(&key), value) {
            (Some(Value::Table(old)), Value::Table(new)) => merge(old, new),
            (Some(Value::Array(old)), Value::Array(new)) => old.extend(new),
            (_, value) => drop(base.insert(key, value)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Base, with_inherited};

    const DERIVED: &str = "lexing = \"markup\"\n[roles]\nscope = [\"block\"]\n";
    const BASE: &str = "name = \"b\"\nlexing = \"program\"\natoms = [\"string\", \"char\"]\n\
                        [roles]\nidentifier = [\"name\", \"old\"]\n\
                        [[forbid]]\nkinds = [\"old\", \"loop\"]\n[[implied]]\ntext = \"int\"\n";

    /// Returns a manifest with what it inherits, or what is wrong with it.
    fn check(own: &str) -> Result<String, String> {
        let others = |name: &str| match name {
            "base" => Some(Base { derived: DERIVED, manifest: BASE, rules: &[] }),
            "circle" => {
                Some(Base { derived: "", manifest: "inherit = { from = \"circle\" }", rules: &[] })
            }
            _ => None,
        };
        let merged = with_inherited(toml::from_str(own).unwrap(), &others);
        merged.map(|table| toml::to_string(&table).unwrap()).map_err(|error| error.to_string())
    }

    #[test]
    fn lists_are_joined_and_own_values_count() {
        let own = "name = \"o\"\nlexing = \"markup\"\natoms = [\"raw\"]\n\
                   inherit = { from = \"base\", except = [\"implied\"], lacks = [\"old\"] }\n\
                   [roles]\nidentifier = [\"new\"]\n[[forbid]]\nkinds = [\"if\"]\n";
        let expected = "atoms = [\"string\", \"char\", \"raw\"]\nlexing = \"markup\"\nname = \"o\"\n\n\
                        [[forbid]]\nkinds = [\"loop\"]\n\n[[forbid]]\nkinds = [\"if\"]\n\n\
                        [roles]\nidentifier = [\"name\", \"new\"]\nscope = [\"block\"]\n";
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
}
