//! Finds the file that defines what a path names, through any number of re-exports.

use super::modules::{Modules, Names};

/// More re-exports in a row than any crate has; names that stand for each other end here.
const MOST_STEPS: u32 = 32;

/// What a path leads to.
#[derive(Clone, Copy)]
enum Found {
    Module(usize),
    /// An item of the file.
    Item(usize),
}

impl Modules {
    /// Returns the file that defines what `path` names in `module`, if it belongs to this crate.
    pub(crate) fn file_of(&self, module: usize, path: &Names) -> Option<usize> {
        Some(match self.resolve(module, path, MOST_STEPS)? {
            Found::Module(found) => self.modules[found].file,
            Found::Item(file) => file,
        })
    }

    fn resolve(&self, module: usize, path: &[String], steps: u32) -> Option<Found> {
        let (first, rest) = path.split_first()?;
        match first.as_str() {
            "crate" => self.walk(0, rest, steps),
            "self" => self.walk(module, rest, steps),
            "super" => {
                let parent = self.modules[module].parent?;
                if rest.first().is_some_and(|next| next == "super") {
                    self.resolve(parent, rest, steps)
                } else {
                    self.walk(parent, rest, steps)
                }
            }
            _ => self.walk(module, path, steps),
        }
    }

    fn walk(&self, mut module: usize, path: &[String], steps: u32) -> Option<Found> {
        for (at, name) in path.iter().enumerate() {
            let rest = &path[at + 1..];
            match self.named(module, name, rest.is_empty(), steps)? {
                Found::Module(child) => module = child,
                item @ Found::Item(_) => return Some(item),
            }
        }
        Some(Found::Module(module))
    }

    fn named(&self, module: usize, name: &String, is_last: bool, steps: u32) -> Option<Found> {
        let steps = steps.checked_sub(1)?;
        let here = &self.modules[module];
        let child = here.children.get(name).map(|&child| Found::Module(child));
        if child.is_some() && !is_last {
            return child;
        }
        if here.defined.contains(name) {
            return Some(Found::Item(here.file));
        }
        let imported = here.imported.get(name).filter(|path| path.first() != Some(name));
        if let Some(found) = imported.and_then(|path| self.resolve(module, path, steps)) {
            return Some(found);
        }
        let from_globs = || {
            let globs = here.globs.iter().filter_map(|path| self.resolve(module, path, steps));
            let mut modules = globs.filter_map(|found| match found {
                Found::Module(found) => Some(found),
                Found::Item(_) => None,
            });
            modules.find_map(|found| self.named(found, name, is_last, steps))
        };
        child.or_else(from_globs)
    }
}
