//! Real failures on disk: a case is a folder with `test.sh` and `case.json`, whose `file` names the
//! input.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use serde::Deserialize;

/// A failure to reduce.
pub(crate) struct Case {
    /// The name of the folder that it stands in.
    pub(crate) kind: String,
    pub(crate) name: String,
    /// A file or a directory.
    pub(crate) input: PathBuf,
    pub(crate) test: PathBuf,
}

#[derive(Deserialize)]
struct Described {
    file: String,
}

impl Case {
    /// Returns all cases at or below these directories, in the order of their paths.
    ///
    /// # Errors
    /// If a directory or a description cannot be read, or there is no case.
    pub(crate) fn below(directories: &[PathBuf]) -> Result<Vec<Self>> {
        let mut cases = Vec::new();
        for directory in directories {
            let shown = || directory.display().to_string();
            Self::collect(&directory.canonicalize().with_context(shown)?, &mut cases)?;
        }
        ensure!(!cases.is_empty(), "no folder there has a case.json and a test.sh");
        Ok(cases)
    }

    fn collect(directory: &Path, cases: &mut Vec<Self>) -> Result<()> {
        let (described, test) = (directory.join("case.json"), directory.join("test.sh"));
        if described.is_file() && test.is_file() {
            let shown = || described.display().to_string();
            let Described { file } =
                serde_json::from_slice(&fs::read(&described)?).with_context(shown)?;
            let name =
                |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let kind = name(directory.parent().unwrap_or(directory));
            cases.push(Self { kind, name: name(directory), input: directory.join(file), test });
            return Ok(());
        }
        let entries = fs::read_dir(directory)?.collect::<std::io::Result<Vec<_>>>()?;
        let mut below: Vec<PathBuf> = entries.iter().map(fs::DirEntry::path).collect();
        below.sort();
        below.iter().filter(|path| path.is_dir()).try_for_each(|path| Self::collect(path, cases))
    }
}
