//! Where inputs come from: files, directories, revisions of a git repository, the output of a
//! preprocessor, the journal of an earlier run.

pub(crate) mod companions;
mod files;
pub(crate) mod project;
mod revision;

pub use companions::NamedFiles;
pub(crate) use files::shell_output;
pub use files::{directory, file, grammars, preprocessed, recorded_input, standard_input};
pub use project::{common_directory, is_of_projects, project_top};
pub use revision::{Commit, commits_of, revision};
