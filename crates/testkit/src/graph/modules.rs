//! Reads the modules of a crate: their files, the names that they define and import, and every path
//! that their code mentions.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use proc_macro2::{TokenStream, TokenTree};
use syn::visit::Visit;

/// The source of a crate cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum SourceError {
    /// A file is missing, or no text.
    #[error("cannot read {path}: {source}")]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// A file is not Rust.
    #[error("cannot parse {path}: {source}")]
    Parse {
        /// The file.
        path: PathBuf,
        /// What the parser says.
        source: syn::Error,
    },
    /// A folder has neither `lib.rs` nor `main.rs`.
    #[error("no crate in {0}")]
    NoCrate(PathBuf),
}

/// A path of names, as `a::b::c`.
pub(crate) type Names = Vec<String>;

/// A module, which may be a whole file or a part of one.
#[derive(Debug, Default)]
pub(crate) struct Module {
    /// The index of its file.
    pub(crate) file: usize,
    pub(crate) parent: Option<usize>,
    pub(crate) children: BTreeMap<String, usize>,
    /// The names of items that stand in it.
    pub(crate) defined: BTreeSet<String>,
    /// Names that `use` brings into it, and the paths they stand for.
    pub(crate) imported: BTreeMap<String, Names>,
    /// The modules whose names are all brought into it (`use a::*`).
    pub(crate) globs: Vec<Names>,
    /// The paths that its code mentions, except those that a face only hands on.
    pub(crate) mentioned: BTreeSet<Names>,
}

/// All modules of a crate that are not for tests only; the first one is the root.
#[derive(Debug)]
pub(crate) struct Modules {
    /// Files, relative to the folder of the sources.
    pub(crate) files: Vec<PathBuf>,
    pub(crate) modules: Vec<Module>,
}

impl Modules {
    /// Reads the crate whose root stands in the folder `sources`.
    ///
    /// # Errors
    /// If a file cannot be read or parsed.
    pub(crate) fn read(sources: &Path) -> Result<Self, SourceError> {
        let root = ["lib.rs", "main.rs"]
            .into_iter()
            .find(|root| sources.join(root).is_file())
            .ok_or_else(|| SourceError::NoCrate(sources.to_owned()))?;
        let mut reader = Reader { sources, files: Vec::new(), modules: Vec::new() };
        reader.file(Path::new(root), Path::new(""), None)?;
        Ok(Self { files: reader.files, modules: reader.modules })
    }
}

struct Reader<'a> {
    sources: &'a Path,
    files: Vec<PathBuf>,
    modules: Vec<Module>,
}

impl Reader<'_> {
    /// Reads a file and the modules that it declares. Files of its child modules stand in `folder`.
    fn file(
        &mut self,
        path: &Path,
        folder: &Path,
        parent: Option<usize>,
    ) -> Result<usize, SourceError> {
        let full = self.sources.join(path);
        let text = std::fs::read_to_string(&full)
            .map_err(|source| SourceError::Read { path: full.clone(), source })?;
        let parsed =
            syn::parse_file(&text).map_err(|source| SourceError::Parse { path: full, source })?;
        self.files.push(path.to_owned());
        let file = self.files.len() - 1;
        self.module(&parsed.items, file, folder, parent)
    }

    fn module(
        &mut self,
        items: &[syn::Item],
        file: usize,
        folder: &Path,
        parent: Option<usize>,
    ) -> Result<usize, SourceError> {
        let index = self.modules.len();
        self.modules.push(Module { file, parent, ..Module::default() });
        for item in items {
            if is_for_tests(item) {
                continue;
            }
            match item {
                syn::Item::Mod(item) => self.child(item, index, folder)?,
                syn::Item::Use(item) => self.import(item, index),
                _ => {
                    let module = &mut self.modules[index];
                    module.defined.extend(name_of(item));
                    let mut mentions = Mentions { found: &mut module.mentioned };
                    mentions.visit_item(item);
                }
            }
        }
        Ok(index)
    }

    fn child(
        &mut self,
        item: &syn::ItemMod,
        parent: usize,
        folder: &Path,
    ) -> Result<(), SourceError> {
        let name = item.ident.to_string();
        let below = folder.join(&name);
        let child = if let Some((_, items)) = &item.content {
            let file = self.modules[parent].file;
            self.module(items, file, &below, Some(parent))?
        } else {
            let beside = folder.join(format!("{name}.rs"));
            let is_beside = self.sources.join(&beside).is_file();
            let path = if is_beside { beside } else { below.join("mod.rs") };
            self.file(&path, &below, Some(parent))?
        };
        self.modules[parent].children.insert(name, child);
        Ok(())
    }

    fn import(&mut self, item: &syn::ItemUse, index: usize) {
        let mut leaves = Vec::new();
        collect_leaves(&item.tree, &mut Vec::new(), &mut leaves);
        let is_face = is_face(&self.files[self.modules[index].file]);
        let hands_on = is_face && !matches!(item.vis, syn::Visibility::Inherited);
        let module = &mut self.modules[index];
        for leaf in leaves {
            if !hands_on {
                module.mentioned.insert(leaf.path.clone());
            }
            match leaf.name {
                Some(name) => _ = module.imported.insert(name, leaf.path),
                None => module.globs.push(leaf.path),
            }
        }
    }
}

/// Returns whether a file may be there to hand names on.
fn is_face(file: &Path) -> bool {
    file.file_name().is_some_and(|name| name == "lib.rs" || name == "main.rs" || name == "mod.rs")
}

/// One name that a `use` brings in.
struct Leaf {
    path: Names,
    /// The name it gets; none if it stands for all names of a module.
    name: Option<String>,
}

fn collect_leaves(tree: &syn::UseTree, prefix: &mut Names, leaves: &mut Vec<Leaf>) {
    match tree {
        syn::UseTree::Path(path) => {
            prefix.push(path.ident.to_string());
            collect_leaves(&path.tree, prefix, leaves);
            prefix.pop();
        }
        syn::UseTree::Name(name) => leaves.push(leaf(prefix, &name.ident, &name.ident)),
        syn::UseTree::Rename(name) => leaves.push(leaf(prefix, &name.ident, &name.rename)),
        syn::UseTree::Glob(_) => leaves.push(Leaf { path: prefix.clone(), name: None }),
        syn::UseTree::Group(group) => {
            for tree in &group.items {
                collect_leaves(tree, prefix, leaves);
            }
        }
    }
}

fn leaf(prefix: &Names, original: &syn::Ident, name: &syn::Ident) -> Leaf {
    let mut path = prefix.clone();
    if original != "self" {
        path.push(original.to_string());
    }
    let name = if name == "self" { prefix.last().cloned() } else { Some(name.to_string()) };
    Leaf { path, name }
}

/// Returns whether an item exists in tests only.
fn is_for_tests(item: &syn::Item) -> bool {
    let attributes = match item {
        syn::Item::Fn(item) => &item.attrs,
        syn::Item::Impl(item) => &item.attrs,
        syn::Item::Mod(item) => &item.attrs,
        syn::Item::Struct(item) => &item.attrs,
        syn::Item::Use(item) => &item.attrs,
        _ => return false,
    };
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("cfg")
            && attribute.parse_args::<syn::Ident>().is_ok_and(|condition| condition == "test")
    })
}

fn name_of(item: &syn::Item) -> Option<String> {
    let name = match item {
        syn::Item::Const(item) => &item.ident,
        syn::Item::Enum(item) => &item.ident,
        syn::Item::Fn(item) => &item.sig.ident,
        syn::Item::Macro(item) => item.ident.as_ref()?,
        syn::Item::Static(item) => &item.ident,
        syn::Item::Struct(item) => &item.ident,
        syn::Item::Trait(item) => &item.ident,
        syn::Item::TraitAlias(item) => &item.ident,
        syn::Item::Type(item) => &item.ident,
        syn::Item::Union(item) => &item.ident,
        _ => return None,
    };
    Some(name.to_string())
}

/// Collects paths of two names or more, and what `use` inside of a function brings in.
struct Mentions<'a> {
    found: &'a mut BTreeSet<Names>,
}

impl<'ast> Visit<'ast> for Mentions<'_> {
    fn visit_path(&mut self, path: &'ast syn::Path) {
        let names: Names = path.segments.iter().map(|part| part.ident.to_string()).collect();
        if names.len() > 1 && path.leading_colon.is_none() {
            self.found.insert(names);
        }
        syn::visit::visit_path(self, path);
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        let mut leaves = Vec::new();
        collect_leaves(&item.tree, &mut Vec::new(), &mut leaves);
        self.found.extend(leaves.into_iter().map(|leaf| leaf.path));
    }

    fn visit_macro(&mut self, item: &'ast syn::Macro) {
        collect_paths(item.tokens.clone(), self.found);
        syn::visit::visit_macro(self, item);
    }
}

/// Collects the paths among the tokens that a macro is given.
fn collect_paths(tokens: TokenStream, found: &mut BTreeSet<Names>) {
    let mut path = Names::new();
    let mut colons = 0;
    for token in tokens {
        match token {
            TokenTree::Punct(punct) if punct.as_char() == ':' => colons += 1,
            TokenTree::Ident(name) if colons == 2 && !path.is_empty() => {
                path.push(name.to_string());
                colons = 0;
            }
            other => {
                finish(&mut path, found);
                colons = 0;
                match other {
                    TokenTree::Ident(name) => path.push(name.to_string()),
                    TokenTree::Group(group) => collect_paths(group.stream(), found),
                    _ => {}
                }
            }
        }
    }
    finish(&mut path, found);
}

fn finish(path: &mut Names, found: &mut BTreeSet<Names>) {
    let path = std::mem::take(path);
    if path.len() > 1 {
        found.insert(path);
    }
}
