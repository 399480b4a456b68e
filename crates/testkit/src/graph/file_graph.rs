//! The arrows between the files of one crate, and its circles of files and of folders.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::modules::{Modules, SourceError};
use super::order::{Arrows, circles, levels, upward};

/// Files, or entries of one folder, that all use each other, directly or on a longer way.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Circle {
    /// Paths relative to the sources of the crate, sorted.
    pub members: Vec<PathBuf>,
}

/// Which file of a crate uses names that another one defines.
///
/// A name that `lib.rs` or `mod.rs` hands on (`pub use`) counts for the file that defines it; such
/// a face has no arrow for it, nor has the declaration of a module. Code for tests does not count.
#[derive(Debug)]
pub struct FileGraph {
    files: Vec<PathBuf>,
    arrows: Arrows,
}

impl FileGraph {
    /// Reads the crate whose root (`lib.rs` or `main.rs`) stands in the folder `sources`.
    ///
    /// # Errors
    /// If a file of the crate cannot be read or parsed.
    pub fn read(sources: &Path) -> Result<Self, SourceError> {
        let modules = Modules::read(sources)?;
        let mut arrows = Arrows::new();
        for (index, module) in modules.modules.iter().enumerate() {
            for path in &module.mentioned {
                let used = modules.file_of(index, path).filter(|&used| used != module.file);
                if let Some(used) = used {
                    arrows.insert((module.file, used), 1);
                }
            }
        }
        Ok(Self { files: modules.files, arrows })
    }

    /// Returns how many files there are.
    pub fn files(&self) -> usize {
        self.files.len()
    }

    /// Returns how many arrows lead from one file to another one.
    pub fn arrows(&self) -> usize {
        self.arrows.len()
    }

    /// Returns every arrow as the user and the used file.
    pub fn pairs(&self) -> impl Iterator<Item = (&Path, &Path)> {
        self.arrows.keys().map(|&(from, to)| (&*self.files[from], &*self.files[to]))
    }

    /// Returns the number of files on the longest way down.
    pub fn levels(&self) -> usize {
        levels(self.files.len(), &self.arrows)
    }

    /// Returns the circles of files.
    pub fn circles(&self) -> Vec<Circle> {
        let named = |circle: Vec<usize>| {
            let mut members: Vec<PathBuf> =
                circle.into_iter().map(|file| self.files[file].clone()).collect();
            members.sort();
            Circle { members }
        };
        circles(self.files.len(), &self.arrows).into_iter().map(named).collect()
    }

    /// Returns the circles among the entries of a folder: files, and folders with all that stands
    /// below them.
    pub fn folder_circles(&self) -> Vec<Circle> {
        let mut found = Vec::new();
        for entries in self.entries_of_folders() {
            for circle in circles(entries.names.len(), &entries.arrows) {
                let mut members: Vec<PathBuf> =
                    circle.into_iter().map(|entry| entries.names[entry].clone()).collect();
                members.sort();
                found.push(Circle { members });
            }
        }
        found
    }

    /// Returns how many arrows point upward if the entries of every folder are ordered such that
    /// few do.
    pub fn upward(&self) -> usize {
        let folders = self.entries_of_folders().into_iter();
        folders.map(|entries| upward(entries.names.len(), &entries.arrows)).sum()
    }

    /// Returns, folder by folder, its entries and the arrows between them. `a.rs` and the folder
    /// `a` are one entry.
    fn entries_of_folders(&self) -> Vec<Entries> {
        let mut folders: BTreeMap<PathBuf, Entries> = BTreeMap::new();
        for (&(from, to), count) in &self.arrows {
            let mut from = self.files[from].with_extension("");
            let mut to = self.files[to].with_extension("");
            for path in [&mut from, &mut to] {
                if path.file_name().is_some_and(|name| name == "mod") {
                    path.pop();
                }
            }
            let shared = from.iter().zip(to.iter()).take_while(|(a, b)| a == b).count();
            let folder: PathBuf = from.iter().take(shared).collect();
            let entries = folders.entry(folder).or_default();
            let from = entries.index(from.iter().take(shared + 1).collect());
            let to = entries.index(to.iter().take(shared + 1).collect());
            if from != to {
                *entries.arrows.entry((from, to)).or_default() += count;
            }
        }
        folders.into_values().collect()
    }
}

/// The entries of one folder.
#[derive(Debug, Default)]
struct Entries {
    names: Vec<PathBuf>,
    arrows: Arrows,
}

impl Entries {
    fn index(&mut self, name: PathBuf) -> usize {
        self.names.iter().position(|known| *known == name).unwrap_or_else(|| {
            self.names.push(name);
            self.names.len() - 1
        })
    }
}
