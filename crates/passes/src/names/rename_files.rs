//! Gives the files of a directory short names, and takes directories away.
//!
//! Where programs put the path of a file together, its name takes the place of what they compute.

use std::collections::{BTreeMap, HashSet};
use std::ops::Range;

use minirepro_syntax::{Change, Edits, NodeId, Role, archive};

use crate::framework::directory::{File, files, last_part, stem};
use crate::framework::limits::IMPORT_LEVELS;
use crate::framework::limits::SMALL_TEXT;
use crate::names::normalize::short_name;
use crate::{Item, PassContext, Proposal, Strategy};

/// The pass's name.
pub(crate) const NAME: &str = "rename-files";

/// Of more files, somebody reads hardly any.
const MOST_FILES: usize = 100;

/// Expressions around the name of a file that may compute its path.
const EXPRESSIONS: usize = 4;

/// Proposes for each directory that its files lie where it does, and for each file the shortest
/// name that is free, each with all mentions.
pub(crate) fn propose(context: &PassContext<'_>) -> Option<Proposal> {
    if context.tree.tokens(NodeId::ROOT) > SMALL_TEXT && !context.is_sweep() {
        return None;
    }
    let files = files(context);
    if files.len() > MOST_FILES {
        return None;
    }
    let items = levels(context, &files).into_iter();
    let items = items.chain(to_top(context, &files)).chain(names(context, &files));
    Proposal::new(context.untried(items.collect()), Strategy::All)
}

/// The items that move a file to where programs run: its name replaces an expression around each
/// mention.
fn to_top(context: &PassContext<'_>, files: &[File<'_>]) -> Vec<Item> {
    let tree = context.tree;
    let mut items = Vec::new();
    for file in files {
        let name = last_part(file.path);
        let is_whole = |&&mention: &&NodeId| {
            let text = tree.text_of(mention);
            last_part(&text[archive::path_in(text)]) == name
        };
        let mentions: Vec<NodeId> = file.names.iter().filter(is_whole).copied().collect();
        let Some(place) = archive::place_of_path(tree.text_of(file.head)) else { continue };
        if mentions.is_empty() || name.len() == file.path.len() {
            continue;
        }
        for level in 0..EXPRESSIONS {
            let mut edits = Edits::none();
            let directory = place.start..place.end - name.len();
            let mut fits = replace(context, &mut edits, file.head, directory, b"");
            for &mention in &mentions {
                let around = std::iter::once(mention).chain(tree.ancestors(mention));
                let mut around = around.filter(|&id| context.is(Role::Expression, id));
                let Some(literal) = around.next() else {
                    fits = false;
                    break;
                };
                let text = tree.text_of(literal);
                let path = archive::path_in(text);
                let start = path.end - last_part(&text[path.clone()]).len();
                let new = [&text[..path.start], &text[start..]].concat();
                let whole = match level {
                    0 => Some(literal),
                    _ => around.nth(level - 1),
                };
                let kind = tree.kind(literal);
                fits &= whole
                    .is_some_and(|whole| edits.add(whole, Change::replace_with(new, Some(kind))));
            }
            items.extend(fits.then(|| Item::new(edits, 1)));
        }
    }
    items
}

/// The items that take directories away, the innermost first.
fn levels(context: &PassContext<'_>, files: &[File<'_>]) -> Vec<Item> {
    let mut below: BTreeMap<&[u8], Vec<&File<'_>>> = BTreeMap::new();
    for file in files {
        for (at, _) in file.path.iter().enumerate().filter(|(_, byte)| **byte == b'/') {
            below.entry(&file.path[..at]).or_default().push(file);
        }
    }
    let items = below.iter().rev().filter_map(|(directory, files)| {
        let name = last_part(directory);
        let start = directory.len() - name.len();
        let mut edits = Edits::none();
        let mut dropped = HashSet::new();
        for file in files {
            let place = archive::place_of_path(context.tree.text_of(file.head))?;
            let level = place.start + start..place.start + directory.len() + 1;
            replace(context, &mut edits, file.head, level, b"").then_some(())?;
            for &mention in &file.names {
                let text = context.tree.text_of(mention);
                let path = archive::path_in(text);
                if let Some(part) = component(&text[path.clone()], name) {
                    let part = path.start + part.start..path.start + part.end;
                    replace(context, &mut edits, mention, part, b"").then_some(())?;
                }
                dropped.extend(packages(context, mention, name));
            }
        }
        edits.merge(&Edits::drop_all(dropped)).then(|| Item::new(edits, 1))
    });
    items.collect()
}

/// Returns where a directory of this name stands in a path, with the `/` after it.
fn component(path: &[u8], name: &[u8]) -> Option<Range<usize>> {
    let mut start = 0;
    for part in path.split_inclusive(|&byte| byte == b'/') {
        if part.strip_suffix(b"/") == Some(name) {
            return Some(start..start + part.len());
        }
        start += part.len();
    }
    None
}

/// Returns the names of packages that stand before the name of a module.
fn packages<'a>(
    context: &'a PassContext<'_>,
    mention: NodeId,
    name: &'a [u8],
) -> impl Iterator<Item = NodeId> + 'a {
    let tree = context.tree;
    let mut around = tree.ancestors(mention).take(IMPORT_LEVELS);
    let import = around.find(|&id| context.is(Role::Module, id));
    let leaves = import.into_iter().flat_map(move |import| tree.subtree(import));
    let own = leaves.filter(move |&id| {
        id < mention && context.is_name(id) && tree.text_of(id) == name && context.is_droppable(id)
    });
    // With the sign between it and what follows.
    own.flat_map(move |id| {
        let siblings = tree.parent(id).into_iter().flat_map(move |parent| tree.children(parent));
        let sign = siblings.skip_while(move |&other| other <= id).take(1);
        std::iter::once(id).chain(sign.filter(|&sign| !tree.is_named(sign)))
    })
}

/// The items that give short names, the first files first.
fn names(context: &PassContext<'_>, files: &[File<'_>]) -> Vec<Item> {
    let taken: HashSet<&[u8]> = files.iter().map(|file| stem(file.path)).collect();
    let mut free = (0u32..).map(short_name).filter(|name| !taken.contains(name.as_slice()));
    let items = files.iter().filter_map(|file| {
        let old = stem(file.path);
        // Its name is what makes it stand for its directory.
        let is_meant_by_folder = file.is_of_folder && !file.names.is_empty();
        if old.len() <= 1 || is_meant_by_folder {
            return None;
        }
        let new = free.next()?;
        let place = archive::place_of_path(context.tree.text_of(file.head))?;
        let start = place.end - last_part(file.path).len();
        let mut edits = Edits::none();
        replace(context, &mut edits, file.head, start..start + old.len(), &new).then_some(())?;
        for &mention in &file.names {
            let text = context.tree.text_of(mention);
            let path = archive::path_in(text);
            let start = path.end - last_part(&text[path.clone()]).len();
            replace(context, &mut edits, mention, start..start + old.len(), &new).then_some(())?;
        }
        Some(Item::new(edits, 1))
    });
    items.collect()
}

/// Adds that a part of a leaf gives way to another text.
fn replace(
    context: &PassContext<'_>,
    edits: &mut Edits,
    leaf: NodeId,
    part: Range<usize>,
    text: &[u8],
) -> bool {
    let length = context.tree.text_of(leaf).len();
    let change = match part == (0..length) {
        true => Change::replace_with(text, Some(context.tree.kind(leaf))),
        false => Change::replace(length, part, text),
    };
    edits.add(leaf, change)
}
