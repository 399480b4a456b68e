//! Holds the public interface of the library `minirepro` against `interface.txt`, so that a change
//! of it is seen in a review. It is read from the sources, since rustdoc tells it only in unstable
//! forms. `UPDATE_EXPECT=1` writes the file again.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use expect_test::expect_file;
use quote::{ToTokens, quote};
use syn::{
    Attribute, Expr, Fields, ImplItem, Item, ItemImpl, ItemMod, Lit, Meta, Type, UseTree,
    Visibility,
};

/// The most names that the library may export.
const MOST_EXPORTS: usize = 60;

/// A module: its items, and its place in the crate.
struct Module {
    path: Vec<String>,
    items: Vec<Item>,
}

/// Something that a crate exports.
struct Export {
    name: String,
    /// Where it is defined: in this crate, or in another one.
    path: Vec<String>,
    docs: String,
}

fn sources() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join("minirepro/src")
}

fn is_test(attributes: &[Attribute]) -> bool {
    let text = |a: &Attribute| a.to_token_stream().to_string();
    attributes.iter().any(|a| a.path().is_ident("cfg") && text(a).contains("(test)"))
}

fn is_public(visibility: &Visibility) -> bool {
    matches!(visibility, Visibility::Public(_))
}

/// Reads a module and those below it.
fn read(folder: &Path, path: Vec<String>, items: Vec<Item>, modules: &mut Vec<Module>) {
    for item in &items {
        let Item::Mod(ItemMod { attrs, ident, content, .. }) = item else { continue };
        if is_test(attrs) {
            continue;
        }
        let below = folder.join(ident.to_string());
        let path = [&path[..], &[ident.to_string()]].concat();
        let items = match content {
            Some((_, items)) => items.clone(),
            None => {
                let files = [below.with_extension("rs"), below.join("mod.rs")];
                let file = files.iter().find(|file| file.exists()).unwrap();
                syn::parse_file(&std::fs::read_to_string(file).unwrap()).unwrap().items
            }
        };
        read(&below, path, items, modules);
    }
    modules.push(Module { path, items });
}

fn modules() -> Vec<Module> {
    let folder = sources();
    let text = std::fs::read_to_string(folder.join("lib.rs")).unwrap();
    let mut modules = Vec::new();
    read(&folder, Vec::new(), syn::parse_file(&text).unwrap().items, &mut modules);
    modules
}

/// Returns the documentation of an item.
fn docs(attributes: &[Attribute]) -> String {
    let line = |attribute: &Attribute| match &attribute.meta {
        Meta::NameValue(pair) if pair.path.is_ident("doc") => match &pair.value {
            Expr::Lit(literal) => match &literal.lit {
                Lit::Str(text) => Some(text.value()),
                _ => None,
            },
            _ => None,
        },
        _ => None,
    };
    attributes.iter().filter_map(line).collect::<Vec<_>>().join("\n")
}

/// Adds the names of a `use`.
fn names(tree: &UseTree, path: &[String], found: &mut Vec<(String, Vec<String>)>) {
    match tree {
        UseTree::Path(part) => {
            names(&part.tree, &[path, &[part.ident.to_string()]].concat(), found);
        }
        UseTree::Name(name) => {
            let name = name.ident.to_string();
            found.push((name.clone(), [path, &[name]].concat()));
        }
        UseTree::Rename(new) => {
            let path = [path, &[new.ident.to_string()]].concat();
            found.push((new.rename.to_string(), path));
        }
        UseTree::Group(group) => group.items.iter().for_each(|tree| names(tree, path, found)),
        UseTree::Glob(_) => found.push(("*".to_owned(), path.to_vec())),
    }
}

/// Returns what a module exports, with the public modules in it.
fn exports(all: &[Module], module: &Module, prefix: &str) -> Vec<Export> {
    let mut found = Vec::new();
    for item in &module.items {
        let own = [&module.path[..], &own_name(item).into_iter().collect::<Vec<_>>()].concat();
        match item {
            Item::Use(item) if is_public(&item.vis) => {
                let mut used = Vec::new();
                names(&item.tree, &[], &mut used);
                for (name, path) in used {
                    let below = [&module.path[..], &path[..1]].concat();
                    let is_own = all.iter().any(|module| module.path == below);
                    let path = if is_own { [&module.path[..], &path].concat() } else { path };
                    if let Some(all_of) = all.iter().find(|m| name == "*" && m.path == path) {
                        found.extend(exports(all, all_of, prefix));
                    } else {
                        let (name, docs) = (format!("{prefix}{name}"), docs(&item.attrs));
                        found.push(Export { name, path, docs });
                    }
                }
            }
            Item::Mod(item) if is_public(&item.vis) => {
                let below = all.iter().find(|module| module.path == own).unwrap();
                found.extend(exports(all, below, &format!("{prefix}{}::", item.ident)));
            }
            _ if shown(item).is_some() => {
                let name = format!("{prefix}{}", own.last().unwrap());
                found.push(Export { name, path: own, docs: String::new() });
            }
            _ => {}
        }
    }
    found
}

fn own_name(item: &Item) -> Option<String> {
    let name = match item {
        Item::Const(item) => &item.ident,
        Item::Enum(item) => &item.ident,
        Item::Fn(item) => &item.sig.ident,
        Item::Mod(item) => &item.ident,
        Item::Static(item) => &item.ident,
        Item::Struct(item) => &item.ident,
        Item::Trait(item) => &item.ident,
        Item::Type(item) => &item.ident,
        _ => return None,
    };
    Some(name.to_string())
}

/// Returns the public part of an item without documentation and bodies; `None` if it is private.
fn shown(item: &Item) -> Option<String> {
    let mut item = item.clone();
    let visibility = match &mut item {
        Item::Const(item) => {
            item.attrs.clear();
            let (vis, ident, ty) = (&item.vis, &item.ident, &item.ty);
            return is_public(vis).then(|| plain(quote!(#vis const #ident: #ty)));
        }
        Item::Enum(item) => {
            item.attrs.clear();
            for variant in &mut item.variants {
                variant.attrs.clear();
                variant.fields.iter_mut().for_each(|field| field.attrs.clear());
            }
            item.vis.clone()
        }
        Item::Fn(item) => {
            let (vis, sig) = (&item.vis, &item.sig);
            return is_public(vis).then(|| plain(quote!(#vis #sig)));
        }
        Item::Struct(item) => {
            item.attrs.clear();
            retain_public(&mut item.fields);
            item.vis.clone()
        }
        Item::Trait(item) => {
            item.attrs.clear();
            for member in &mut item.items {
                if let syn::TraitItem::Fn(function) = member {
                    function.attrs.clear();
                    function.default = None;
                }
            }
            item.vis.clone()
        }
        Item::Type(item) => {
            item.attrs.clear();
            item.vis.clone()
        }
        _ => return None,
    };
    is_public(&visibility).then(|| plain(item.to_token_stream()))
}

fn retain_public(fields: &mut Fields) {
    match fields {
        Fields::Named(named) => {
            let public = named.named.iter().filter(|field| is_public(&field.vis)).cloned();
            named.named = public.collect();
            named.named.iter_mut().for_each(|field| field.attrs.clear());
        }
        Fields::Unnamed(unnamed) => {
            let public = unnamed.unnamed.iter().filter(|field| is_public(&field.vis)).cloned();
            unnamed.unnamed = public.collect();
            unnamed.unnamed.iter_mut().for_each(|field| field.attrs.clear());
        }
        Fields::Unit => {}
    }
}

/// Writes tokens as people do, more or less.
fn plain(tokens: impl ToTokens) -> String {
    let mut text = tokens.to_token_stream().to_string().replace('\n', " ");
    for (from, to) in [
        (" :: ", "::"),
        (" < ", "<"),
        (" >", ">"),
        ("< ", "<"),
        (" ,", ","),
        (" ;", ";"),
        (" : ", ": "),
        ("& ", "&"),
        (" (", "("),
        ("( ", "("),
        (" )", ")"),
        ("# [", "#["),
    ] {
        text = text.replace(from, to);
    }
    text
}

/// Returns the public functions of an implementation, or the trait that it implements.
fn members(item: &ItemImpl) -> Vec<String> {
    if let Some((trait_, _)) = &item.trait_ {
        let (generics, ty) = (&item.generics, &item.self_ty);
        return vec![plain(quote!(impl #generics #trait_ for #ty))];
    }
    let functions = item.items.iter().filter_map(|member| match member {
        ImplItem::Fn(function) if is_public(&function.vis) => {
            let sig = &function.sig;
            Some(plain(quote!(pub #sig)))
        }
        ImplItem::Const(constant) if is_public(&constant.vis) => {
            let (ident, ty) = (&constant.ident, &constant.ty);
            Some(plain(quote!(pub const #ident: #ty)))
        }
        _ => None,
    });
    functions.collect()
}

fn name_of_type(ty: &Type) -> Option<String> {
    match ty {
        Type::Path(path) => Some(path.path.segments.last()?.ident.to_string()),
        _ => None,
    }
}

/// Returns the names that the library exports, with their documentation.
fn all_exports() -> Vec<Export> {
    let all = modules();
    let root = all.iter().find(|module| module.path.is_empty()).unwrap();
    exports(&all, root, "")
}

/// Returns the public interface as text.
fn interface() -> String {
    let all = modules();
    let mut implemented: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for item in all.iter().flat_map(|module| &module.items) {
        if let Item::Impl(item) = item
            && let Some(name) = name_of_type(&item.self_ty)
            && !is_test(&item.attrs)
        {
            implemented.entry(name).or_default().extend(members(item));
        }
    }
    let mut text = String::new();
    let mut exports = all_exports();
    exports.sort_by(|a, b| a.name.cmp(&b.name));
    for Export { name, path, .. } in exports {
        let (own, module) = path.split_last().unwrap();
        let module = module.strip_prefix(&["crate".to_owned()]).unwrap_or(module);
        let defined = all.iter().filter(|m| m.path == module).flat_map(|m| &m.items);
        let defined = defined.filter(|item| own_name(item).as_ref() == Some(own));
        let shown: Vec<String> = defined.filter_map(shown).collect();
        if shown.is_empty() {
            let _ = writeln!(text, "{name} = {}", path.join("::"));
            continue;
        }
        for shown in shown {
            let _ = writeln!(text, "{name}: {shown}");
        }
        let mut members = implemented.get(own).cloned().unwrap_or_default();
        members.sort();
        members.iter().for_each(|member| {
            let _ = writeln!(text, "    {member}");
        });
    }
    text
}

#[test]
fn the_public_interface_is_as_it_was() {
    expect_file!["../interface.txt"].assert_eq(&interface());
}

#[test]
fn the_library_exports_few_names_each_with_an_example() {
    let exports = all_exports();
    assert!(exports.len() <= MOST_EXPORTS, "{}", exports.len());
    let all = modules();
    for Export { name, path, docs: of_use } in exports {
        let (own, module) = path.split_last().unwrap();
        let defined = all.iter().filter(|m| m.path == module).flat_map(|m| &m.items);
        let attributes = defined.filter(|item| own_name(item).as_ref() == Some(own)).filter_map(
            |item| match item {
                Item::Enum(item) => Some(&item.attrs),
                Item::Struct(item) => Some(&item.attrs),
                Item::Fn(item) => Some(&item.attrs),
                _ => None,
            },
        );
        let docs: String = attributes.map(|attributes| docs(attributes)).collect();
        assert!((docs + &of_use).contains("```"), "{name} has no example");
    }
}
