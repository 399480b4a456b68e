//! Names that several files mention, each with everything that mentions it: a function with its
//! prototype and its calls, a class with its rules.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use minirepro_syntax::{NodeId, Role};

use crate::archive::Entry;
use crate::files::coupled::{CoupledParts, Item, ParsedFile, smallest_droppable};
use crate::language_of::LanguageOf;

/// Returns the names of several files of an archive. Near linear, but for what it takes to find
/// droppable parts.
pub fn shared_names(archive: Arc<[u8]>, language: &LanguageOf) -> CoupledParts {
    CoupledParts::new(archive, "names of several files", language, find)
}

/// What it is a name of, and the name.
type Name = (String, Vec<u8>);

/// Where a name is mentioned.
enum Place {
    /// A leaf that goes with the smallest part around it that can.
    Leaf(NodeId),
    /// One of a list of names in a leaf.
    Part(NodeId, Range<usize>),
}

fn find(_: &[Entry<'_>], parsed: &[Option<ParsedFile>]) -> Vec<Item> {
    let mut found: BTreeMap<Name, Vec<(usize, Place)>> = BTreeMap::new();
    for (file, known) in parsed.iter().enumerate() {
        for (name, place) in known.iter().flat_map(names) {
            found.entry(name).or_default().push((file, place));
        }
    }
    let several = |places: &Vec<(usize, Place)>| {
        places.first().map(|place| place.0) != places.last().map(|place| place.0)
    };
    found.into_values().filter(several).filter_map(|places| item(parsed, places)).collect()
}

/// Returns everything that mentions a name. One that is essential somewhere cannot go.
fn item(parsed: &[Option<ParsedFile>], places: Vec<(usize, Place)>) -> Option<Item> {
    let mut item = Item::default();
    for (file, place) in places {
        match place {
            Place::Leaf(leaf) => {
                let part = smallest_droppable(parsed[file].as_ref()?, leaf)?;
                item.nodes.insert((file, part));
            }
            Place::Part(leaf, part) => {
                item.parts.insert((file, leaf, part.start, part.end));
            }
        }
    }
    Some(item)
}

/// Returns the names of a file, and where they are.
fn names(file: &ParsedFile) -> Vec<(Name, Place)> {
    let ParsedFile { language, tree } = file;
    let identifiers = tree.ids().filter(|&id| tree.is_leaf(id)).filter_map(|id| {
        let is_name = language.roles.is(Role::Identifier, tree.kind(id));
        let name = || (language.name.clone(), tree.text_of(id).to_vec());
        is_name.then(|| (name(), Place::Leaf(id)))
    });
    let mentions = language.names.mentions(tree).into_iter();
    // Documents inside of a file share no names with others.
    let mentions = mentions.filter(|mention| mention.document == NodeId::ROOT).map(|mention| {
        let text = tree.text_of(mention.leaf)[mention.part.clone()].to_vec();
        let place = match mention.in_list {
            true => Place::Part(mention.leaf, mention.part),
            false => Place::Leaf(mention.leaf),
        };
        // Spaces of one name are the same in all languages.
        ((format!("space {}", mention.namespace.name), text), place)
    });
    identifiers.chain(mentions).collect()
}
