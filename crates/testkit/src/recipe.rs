//! Inputs of the corpus that are put together instead of stored: a page of many years is a few
//! lines.

use std::path::{Path, PathBuf};

use serde::Deserialize;
use xxhash_rust::xxh3::xxh3_64;

/// Where a case's input comes from, as `case.toml` says it.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub enum Source {
    /// A file, from the case's directory.
    File(PathBuf),
    /// Parts that are put together.
    Recipe(Recipe),
}

/// Parts one after the other.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Recipe {
    /// XXH3-64 of what comes of it, as a hexadecimal number.
    xxh3: String,
    part: Vec<Repeated>,
}

/// What is put there `times` times. In texts, `{n}` is the number of the repetition, from 0.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Repeated {
    #[serde(default = "once")]
    times: usize,
    #[serde(flatten)]
    what: What,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum What {
    Text(String),
    /// A file, from the case's directory, or what stands in it from one text up to another one.
    File(Excerpt),
    Parts(Vec<Self>),
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Excerpt {
    path: PathBuf,
    #[serde(default)]
    from: String,
    #[serde(default)]
    to: String,
}

fn once() -> usize {
    1
}

impl Source {
    /// Returns the input of the case in this directory.
    ///
    /// # Errors
    /// If a file cannot be read or lacks what is wanted of it, or a hash is not the expected one.
    pub fn input(&self, directory: &Path) -> Result<Vec<u8>, String> {
        match self {
            Self::File(path) => read(&directory.join(path)),
            Self::Recipe(recipe) => recipe.follow(directory),
        }
    }
}

impl Recipe {
    fn follow(&self, directory: &Path) -> Result<Vec<u8>, String> {
        let mut made = Vec::new();
        for part in &self.part {
            for number in 0..part.times {
                part.what.add_to(&mut made, number, directory)?;
            }
        }
        let hash = format!("{:016x}", xxh3_64(&made));
        match hash == self.xxh3 {
            true => Ok(made),
            false => {
                Err(format!("what the recipe gives has the XXH3 hash {hash}, not {}", self.xxh3))
            }
        }
    }
}

impl What {
    fn add_to(&self, made: &mut Vec<u8>, number: usize, directory: &Path) -> Result<(), String> {
        match self {
            Self::Text(text) => {
                made.extend_from_slice(text.replace("{n}", &number.to_string()).as_bytes());
            }
            Self::File(Excerpt { path, from, to }) => {
                let text = String::from_utf8_lossy(&read(&directory.join(path))?).into_owned();
                let lacks = |what: &str| format!("{}: no {what}", path.display());
                let start = text.find(from).ok_or_else(|| lacks(from))?;
                let rest = &text[start..];
                let end = match to.is_empty() {
                    true => rest.len(),
                    false => rest.find(to).ok_or_else(|| lacks(to))?,
                };
                made.extend_from_slice(&rest.as_bytes()[..end]);
            }
            Self::Parts(parts) => {
                parts.iter().try_for_each(|part| part.add_to(made, number, directory))?;
            }
        }
        Ok(())
    }
}

fn read(path: &Path) -> Result<Vec<u8>, String> {
    std::fs::read(path).map_err(|e| format!("{}: {e}", path.display()))
}
