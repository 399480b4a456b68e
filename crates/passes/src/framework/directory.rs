//! The files of a directory, and what mentions them in each other: includes, imports, links,
//! entries of manifests.

use std::collections::HashMap;

use minirepro_syntax::{Change, Edits, NodeId, Role, archive};

use crate::PassContext;
use crate::framework::limits::{IMPORT_LEVELS, LONGEST_MENTION};

/// A file of the directory.
pub(crate) struct File<'a> {
    /// Its node.
    pub(crate) node: NodeId,
    /// What begins it.
    pub(crate) head: NodeId,
    pub(crate) path: &'a [u8],
    /// The smallest parts of other files that can go and mention this one.
    pub(crate) mentions: Vec<Mention>,
}

impl File<'_> {
    /// Returns the edits that drop the file while what it holds goes elsewhere.
    ///
    /// They contradict those of [`receives`](Self::receives): two files that take each other's
    /// parts would go on for ever.
    pub(crate) fn gives(&self, cx: &PassContext<'_>) -> Edits {
        let mut edits = self.marked(cx, b"gone");
        let _it_is_another_node = edits.add(self.node, Change::drop());
        edits
    }

    /// Returns the edits by which the file stays while it takes what others hold.
    pub(crate) fn receives(&self, cx: &PassContext<'_>) -> Edits {
        self.marked(cx, &cx.text_of(self.head)[..1])
    }

    /// Replaces the first byte.
    fn marked(&self, cx: &PassContext<'_>, mark: &[u8]) -> Edits {
        let length = cx.text_of(self.head).len();
        Edits::one(self.head, Change::replace(length, 0..1, mark))
    }
}

/// A part of a file that mentions another one.
pub(crate) struct Mention {
    /// The part.
    pub(crate) part: NodeId,
    /// Whether its language says that it names a file.
    pub(crate) is_file: bool,
}

/// Returns the files of the directory; none if the text is no directory. Linear in the tree for a
/// bounded number of files of one name.
pub(crate) fn files<'a>(cx: &PassContext<'a>) -> Vec<File<'a>> {
    let Some(kinds) = cx.language.roles.files else { return Vec::new() };
    let nodes = cx.children(NodeId::ROOT).filter(|&node| cx.kind(node) == kinds.file);
    let mut files: Vec<File<'_>> = nodes
        .filter_map(|node| {
            let head = cx.children(node).next()?;
            let path = archive::path_of(cx.text_of(head))?;
            Some(File { node, head, path, mentions: Vec::new() })
        })
        .collect();
    let mut by_name: HashMap<&[u8], Vec<usize>> = HashMap::new();
    for (number, file) in files.iter().enumerate() {
        // The name of its directory may mean the file.
        let is_of_folder = cx.language.roles.folder_files.contains(stem(file.path));
        let folder = folder(file.path).filter(|_| is_of_folder).map(last_part);
        for name in [last_part(file.path), stem(file.path)].into_iter().chain(folder) {
            by_name.entry(name).or_default().push(number);
        }
    }
    for user in 0..files.len() {
        let node = files[user].node;
        for leaf in cx.until(cx.subtree(node)).filter(|&id| cx.is_leaf(id)) {
            let text = cx.text_of(leaf);
            if text.len() > LONGEST_MENTION {
                continue;
            }
            let mentioned = &text[archive::path_in(text)];
            let module = if cx.is_name(leaf) { import_of(cx, leaf) } else { None };
            let is_file = cx.is(Role::File, leaf) || module.is_some();
            let known = by_name.get(last_part(mentioned)).map_or(&[][..], Vec::as_slice);
            let suffix = |file: usize| files[file].path.rsplit(|&b| b == b'.').next();
            let is_alike = |file: usize| suffix(file) == suffix(user);
            let has_alike = known.iter().any(|&file| is_alike(file));
            // A file of a folder is not meant by what names another file there.
            let may_be = |file: usize| {
                stem(files[file].path) == stem(mentioned) || !names_more(cx, leaf, module)
            };
            // Without its suffix only where a module is named, and then one of the same language.
            let named = |&file: &usize| {
                last_part(mentioned) == last_part(files[file].path)
                    || is_file && (is_alike(file) || !has_alike) && may_be(file)
            };
            let named = known.iter().copied().filter(|used| *used != user && named(used));
            for used in named.collect::<Vec<_>>() {
                let within = cx.around(leaf).take_while(|&id| id > node);
                // Without its module, an import would look for the names in another one.
                let mut large = within.skip_while(|&id| module.is_some_and(|name| id > name));
                if let Some(part) = large.find(|&id| cx.is_droppable(id)) {
                    files[used].mentions.push(Mention { part, is_file });
                }
            }
        }
    }
    for file in &mut files {
        // What stands in a part that mentions the file goes with it.
        let mut end = NodeId::ROOT;
        file.mentions.sort_unstable_by_key(|mention| mention.part);
        file.mentions.retain(|mention| {
            let is_outermost = mention.part >= end;
            end = end.max(cx.subtree_end(mention.part));
            is_outermost
        });
    }
    files
}

/// Returns the part of an import, right below it, in which a name stands.
fn import_of(cx: &PassContext<'_>, leaf: NodeId) -> Option<NodeId> {
    let around = cx.around(leaf);
    let around: Vec<NodeId> = around.take(IMPORT_LEVELS + 1).collect();
    let import = around.iter().position(|&id| cx.is(Role::Module, id))?;
    around.get(import.checked_sub(1)?).copied()
}

/// Returns whether a name is followed by that of something in it, as a package by its module.
fn names_more(cx: &PassContext<'_>, leaf: NodeId, module: Option<NodeId>) -> bool {
    let is_part = module.is_some_and(|part| part < leaf);
    let parent = cx.parent(leaf).filter(|_| is_part);
    let beside = parent.into_iter().flat_map(|parent| cx.children(parent));
    beside.skip_while(|&id| id <= leaf).any(|id| cx.is_name(id))
}

/// Returns the directory in which a file lies.
fn folder(path: &[u8]) -> Option<&[u8]> {
    path.iter().rposition(|&b| b == b'/').map(|end| &path[..end])
}

/// Returns the name of a file, wherever it is.
fn last_part(path: &[u8]) -> &[u8] {
    path.rsplit(|&b| b == b'/').next().unwrap_or(path)
}

/// Returns the name of a file without its suffix, the way modules are imported.
fn stem(path: &[u8]) -> &[u8] {
    let name = last_part(path);
    let dot = name.iter().rposition(|&b| b == b'.').filter(|&dot| dot > 0);
    dot.map_or(name, |dot| &name[..dot])
}
