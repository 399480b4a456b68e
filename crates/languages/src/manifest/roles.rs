//! The sections of a manifest that assign roles to kinds.

use std::collections::{BTreeMap, BTreeSet};

use minirepro_syntax::{FieldRole, Kind, Kinds, Role, Roles, Section};
use serde::{Deserialize, Deserializer, de};

use crate::manifest::error::ManifestError;

/// A role as a manifest spells it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct RoleName(pub(crate) Role);

impl<'de> Deserialize<'de> for RoleName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        name.parse().map(Self).map_err(de::Error::custom)
    }
}

/// One section: the kinds that play each of its roles.
pub(crate) type RoleTable = BTreeMap<RoleName, Vec<String>>;

/// A field role as a manifest spells it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct FieldRoleName(FieldRole);

impl<'de> Deserialize<'de> for FieldRoleName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        name.parse().map(Self).map_err(de::Error::custom)
    }
}

/// The section `[fields]`: the grammar's fields for each part that passes ask for.
pub(crate) type FieldTable = BTreeMap<FieldRoleName, Vec<String>>;

/// Assigns the field roles.
///
/// # Errors
/// If the grammar lacks a field.
pub(crate) fn assign_fields(
    roles: &mut Roles,
    table: &FieldTable,
    kinds: &Kinds,
) -> Result<(), ManifestError> {
    for (&FieldRoleName(role), names) in table {
        for name in names {
            let field = kinds.field(name).ok_or_else(|| ManifestError::Field(name.clone()))?;
            roles.assign_field(role, field);
        }
    }
    Ok(())
}

/// Assigns the roles of one section.
///
/// # Errors
/// If the grammar lacks a kind, or if a role belongs in another section.
pub(crate) fn assign(
    roles: &mut Roles,
    section: Section,
    table: &RoleTable,
    kinds: &Kinds,
) -> Result<(), ManifestError> {
    for (&RoleName(role), names) in table {
        if role.section() != section {
            return Err(ManifestError::Section { role, found: section });
        }
        for name in names {
            roles.assign(role, kind(kinds, name)?);
        }
    }
    Ok(())
}

/// Returns the kinds that an entry is about: those that it names, and those that play its roles.
///
/// # Errors
/// If the grammar lacks a kind, or if no kind plays a role.
pub(crate) fn kinds_of(
    roles: &Roles,
    kinds: &Kinds,
    role_names: &[RoleName],
    kind_names: &[String],
) -> Result<BTreeSet<Kind>, ManifestError> {
    let mut found = kind_names
        .iter()
        .map(|name| kind(kinds, name))
        .collect::<Result<BTreeSet<Kind>, ManifestError>>()?;
    for &RoleName(role) in role_names {
        if !roles.is_played(role) {
            return Err(ManifestError::Role(role));
        }
        found.extend(roles.kinds(role));
    }
    Ok(found)
}

/// Looks up a kind by its name.
///
/// # Errors
/// If the grammar lacks it.
pub(crate) fn kind(kinds: &Kinds, name: &str) -> Result<Kind, ManifestError> {
    kinds.named(name).ok_or_else(|| ManifestError::Kind(name.to_owned()))
}
