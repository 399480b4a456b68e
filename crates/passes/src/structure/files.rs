//! The files of a directory, and what mentions them in each other: includes, imports, links,
//! entries of manifests. Files go with that, or what they hold comes in its place.

use std::collections::HashMap;

use minirepro_syntax::archive::{name_of, path_in, path_of, stem_of};
use minirepro_syntax::{Change, Edits, NodeId, Role};

use crate::framework::limits::{IMPORT_LEVELS, LONGEST_MENTION, SMALL_TEXT};
use crate::structure::remove_counted::lines_in;
use crate::{Item, PassContext, Plan, Proposal};

/// Proposes to drop files, each with what mentions it in the others.
pub(crate) fn remove(cx: &PassContext<'_>) -> Option<Proposal> {
    let items = files(cx).into_iter().map(|file| {
        let parts = file.mentions.iter().map(|mention| mention.part);
        Item::new(Edits::drop_all(parts.chain([file.node])), cx.tokens(file.node))
    });
    cx.proposal(items, Plan::ALL)
}

/// Proposes to replace what includes or imports a file by what the file holds, for all files that
/// others bring in by a part of their own language.
pub(crate) fn inline(cx: &PassContext<'_>) -> Option<Proposal> {
    if cx.tokens(NodeId::ROOT) > SMALL_TEXT && !cx.is_sweep() {
        return None;
    }
    let files = files(cx);
    cx.proposal(files.iter().filter_map(|file| inlined(cx, &files, file)), Plan::ALL)
}

fn inlined(cx: &PassContext<'_>, files: &[File<'_>], file: &File<'_>) -> Option<Item> {
    let content = cx.children(file.node).nth(1)?;
    // The mark of a file that goes elsewhere contradicts that of one that takes others: two files
    // that take each other's parts would go on for ever.
    let marked = |file: &File<'_>, mark: &[u8]| {
        (file.head, Change::replace(cx.text_of(file.head).len(), 0..1, mark))
    };
    let mut changes = vec![marked(file, b"gone"), (file.node, Change::drop())];
    for mention in file.mentions.iter().filter(|mention| mention.is_file) {
        // Only a file of the same language takes the parts of another one.
        let takes = |id: NodeId| cx.kind(id) == cx.kind(content);
        let is_place = |&id: &NodeId| mention.is_line || cx.parent(id).is_some_and(takes);
        let part = cx.around(mention.part).find(is_place)?;
        let user = files.iter().find(|user| cx.contains(user.node, part))?;
        let mark = marked(user, &cx.text_of(user.head)[..1]);
        changes.extend([(part, Change::splice(cx.children(content))), mark]);
    }
    if changes.len() > 2 { Item::of(changes, 1) } else { None }
}

/// A file of the directory.
struct File<'a> {
    node: NodeId,
    /// The leaf that begins it.
    head: NodeId,
    path: &'a [u8],
    /// The smallest parts of other files that can go and mention this one.
    mentions: Vec<Mention>,
}

/// A part of a file that mentions another one.
struct Mention {
    part: NodeId,
    /// Whether its language says that it names a file.
    is_file: bool,
    /// Whether it is a line of a text without a grammar.
    is_line: bool,
}

/// Returns the files of the directory; none if the text is no directory. Linear in the tree for a
/// bounded number of files of one name.
fn files<'a>(cx: &PassContext<'a>) -> Vec<File<'a>> {
    let Some(kinds) = cx.language.roles.files else { return Vec::new() };
    let nodes = cx.children(NodeId::ROOT).filter(|&node| cx.kind(node) == kinds.file);
    let file = |node| {
        let head = cx.children(node).next()?;
        let path = path_of(cx.text_of(head))?;
        Some(File { node, head, path, mentions: Vec::new() })
    };
    let mut files: Vec<File<'_>> = nodes.filter_map(file).collect();
    let mut by_name: HashMap<&[u8], Vec<usize>> = HashMap::new();
    for (number, file) in files.iter().enumerate() {
        // The name of its directory may mean the file.
        let is_of_folder = cx.language.roles.folder_files.contains(stem_of(file.path));
        let end = file.path.iter().rposition(|&b| b == b'/').filter(|_| is_of_folder);
        let folder = end.map(|end| name_of(&file.path[..end]));
        for name in [name_of(file.path), stem_of(file.path)].into_iter().chain(folder) {
            by_name.entry(name).or_default().push(number);
        }
    }
    for user in 0..files.len() {
        let node = files[user].node;
        let is_short = |&leaf: &NodeId| cx.text_of(leaf).len() <= LONGEST_MENTION;
        for leaf in cx.until(cx.leaves_in(node)).filter(is_short) {
            let text = cx.text_of(leaf);
            let mentioned = &text[path_in(text)];
            let module = if cx.is_name(leaf) { import_of(cx, leaf) } else { None };
            let is_file = cx.is(Role::File, leaf) || module.is_some();
            let known = by_name.get(name_of(mentioned)).map_or(&[][..], Vec::as_slice);
            let suffix = |file: usize| files[file].path.rsplit(|&b| b == b'.').next();
            let is_alike = |file: usize| suffix(file) == suffix(user);
            let has_alike = known.iter().any(|&file| is_alike(file));
            // Without its suffix only where a module is named, and then one of the same language. A
            // file of a folder is not meant by what names another file there.
            let is_meant = |&used: &usize| {
                let path = files[used].path;
                let is_whole =
                    || stem_of(path) == stem_of(mentioned) || !names_more(cx, leaf, module);
                let by_stem = is_file && (is_alike(used) || !has_alike) && is_whole();
                used != user && (name_of(mentioned) == name_of(path) || by_stem)
            };
            for used in known.iter().copied().filter(is_meant).collect::<Vec<_>>() {
                let within = cx.around(leaf).take_while(|&id| id > node);
                // Without its module, an import would look for the names in another one.
                let mut large = within.skip_while(|&id| module.is_some_and(|name| id > name));
                if let Some(part) = large.find(|&id| cx.is_droppable(id)) {
                    files[used].mentions.push(Mention { part, is_file, is_line: false });
                }
            }
        }
    }
    for user in 0..files.len() {
        for (used, part) in by_lines(cx, &files, user, &by_name) {
            files[used].mentions.push(Mention { part, is_file: true, is_line: true });
        }
    }
    for file in &mut files {
        // What stands in a part that mentions the file goes with it.
        file.mentions.sort_unstable_by_key(|mention| mention.part);
        file.mentions.dedup_by(|inner, outer| cx.contains(outer.part, inner.part));
    }
    files
}

/// Returns the lines of a file without a grammar that mention another one, and which. The path may
/// lack its suffix. A name alone means a file of the same folder, where nothing but brackets or
/// blank space stands around it.
fn by_lines(
    cx: &PassContext<'_>,
    files: &[File<'_>],
    user: usize,
    by_name: &HashMap<&[u8], Vec<usize>>,
) -> Vec<(usize, NodeId)> {
    // Without a grammar every byte is in a leaf, the last line end, too.
    let is_plain = |&text: &NodeId| {
        let last = cx.leaves_in(text).next_back();
        last.is_some_and(|last| cx.text_of(last).ends_with(b"\n"))
    };
    let content = cx.children(files[user].node).nth(1).filter(is_plain);
    let is_path = |b: u8| b.is_ascii_alphanumeric() || b"_-./".contains(&b) || b >= 0x80;
    let path = files[user].path;
    let own = &path[..path.len() - name_of(path).len()];
    let mut found = Vec::new();
    for line in content.into_iter().flat_map(|content| lines_in(cx, content)) {
        let text = cx.text_of(line);
        let mut before = b' ';
        for part in text.chunk_by(|&a, &b| is_path(a) == is_path(b)) {
            let opening = std::mem::replace(&mut before, part[part.len() - 1]);
            let is_enclosed = b"{[(<\"'".contains(&opening) || part == text.trim_ascii();
            let known = by_name.get(name_of(part));
            let part = part.strip_prefix(b".").unwrap_or(part);
            let part = part.strip_prefix(b"/").unwrap_or(part);
            let has_parts = part.iter().any(|b| b"./".contains(b));
            let is_meant = |&used: &usize| {
                let path = files[used].path;
                let suffix = name_of(path).len() - stem_of(path).len();
                let ends = [path, &path[..path.len() - suffix]].into_iter();
                let mut before = ends.filter_map(|path| path.strip_suffix(part));
                used != user
                    && before.any(|folder| match has_parts {
                        true => folder.is_empty() || folder.ends_with(b"/"),
                        false => is_enclosed && folder == own,
                    })
            };
            let used = known.into_iter().flatten().copied().filter(is_meant);
            found.extend(used.map(|used| (used, line)));
        }
    }
    found
}

/// Returns the part of an import, right below it, in which a name stands.
fn import_of(cx: &PassContext<'_>, leaf: NodeId) -> Option<NodeId> {
    let around: Vec<NodeId> = cx.around(leaf).take(IMPORT_LEVELS + 1).collect();
    let import = around.iter().position(|&id| cx.is(Role::Module, id))?;
    around.get(import.checked_sub(1)?).copied()
}

/// Returns whether a name is followed by that of something in it, as a package by its module.
fn names_more(cx: &PassContext<'_>, leaf: NodeId, module: Option<NodeId>) -> bool {
    let parent = cx.parent(leaf).filter(|_| module.is_some_and(|part| part < leaf));
    let beside = parent.into_iter().flat_map(|parent| cx.children(parent));
    beside.skip_while(|&id| id <= leaf).any(|id| cx.is_name(id))
}
