//! What a language that holds others knows of them: their kinds, facts and roles.

use std::collections::BTreeMap;

use minirepro_syntax::{Facts, Field, FieldRole, Kind, Kinds, Language, Role, Roles};
use minirepro_syntax::{Placeholder, SpecialPlaceholders};

use crate::manifest::rules::compile::add_pass;

/// A language that takes over what others know.
pub(crate) struct Host {
    pub(crate) kinds: Kinds,
    pub(crate) facts: Facts,
    pub(crate) roles: Roles,
}

/// What the parts of another language are called in the one that holds it.
pub(crate) struct Adopted {
    /// The kind there for each of its own.
    pub(crate) kinds: Vec<Kind>,
    /// The field there for each of its own.
    pub(crate) fields: BTreeMap<Field, Field>,
}

impl Host {
    /// Takes over what a language knows. Its kinds are called `language_kind`.
    pub(crate) fn adopt(&mut self, guest: &Language) -> Adopted {
        let Self { kinds, facts, roles } = self;
        let adopted =
            Adopted { kinds: adopt_kinds(kinds, guest), fields: adopt_fields(kinds, guest) };
        let to = |kind: Kind| adopted.kinds[usize::from(kind.0)];
        facts.adopt(&guest.facts, to);
        for &role in Role::ALL {
            guest.roles.kinds(role).for_each(|kind| roles.assign(role, to(kind)));
        }
        for &role in FieldRole::ALL {
            let fields = guest.roles.fields(role).iter();
            fields.for_each(|field| roles.assign_field(role, adopted.fields[field]));
        }
        let translated = |texts: &[Placeholder]| -> Vec<Placeholder> {
            texts.iter().map(|(text, kind)| (text.clone(), kind.map(to))).collect()
        };
        for (&kind, texts) in &guest.roles.placeholders {
            roles.placeholders.entry(to(kind)).or_default().extend(translated(texts));
        }
        for (&kind, specials) in &guest.roles.special_placeholders {
            let specials = specials.iter().map(|special| SpecialPlaceholders {
                texts: translated(&special.texts),
                ..special.clone()
            });
            roles.special_placeholders.entry(to(kind)).or_default().extend(specials);
        }
        roles.folder_files.extend(guest.roles.folder_files.iter().cloned());
        roles.styles.complete(&guest.roles.styles);
        roles.tokens.complete(&guest.roles.tokens);
        for pass in &guest.roles.rules {
            add_pass(&mut roles.rules, pass.translated(to, |field| adopted.fields[&field]));
        }
        adopted
    }
}

/// Returns the kind in the host's table for each of the guest's.
fn adopt_kinds(kinds: &mut Kinds, guest: &Language) -> Vec<Kind> {
    let all = (0..guest.kinds.len()).map(|i| Kind(u16::try_from(i).expect("kinds are u16")));
    // A name of a kind is one word: the language may be called `gzip:c`.
    let name = guest.name.replace(|c: char| !c.is_ascii_alphanumeric(), "_");
    let adopt = |kind: Kind| {
        let own = guest.kinds.name(kind);
        match guest.kinds.is_named(kind) {
            true => kinds.intern(&format!("{name}_{own}"), true),
            false => kinds.intern(own, false),
        }
    };
    all.map(adopt).collect()
}

/// Returns the field in the host's table for each of the guest's.
fn adopt_fields(kinds: &mut Kinds, guest: &Language) -> BTreeMap<Field, Field> {
    let names = guest.kinds.field_names();
    names.filter_map(|name| Some((guest.kinds.field(name)?, kinds.intern_field(name)))).collect()
}
