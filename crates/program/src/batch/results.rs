//! What a batch leaves: a directory for each bug, and the list of all.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use minirepro_runner::{Output, OutputError, Signature, any_path};
use serde::{Deserialize, Serialize};

use crate::batch::error::BatchError;
use crate::batch::family::FoundBug;
use crate::batch::job::Done;
use crate::batch::run_log::signature_name;

/// The version of the list's format. Later versions may add fields.
const FORMAT: u32 = 1;
/// The name of the list.
const LIST: &str = "bugs.json";

/// A signature, with its name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct BugSignature {
    /// The same in all batches: a hash of the text.
    pub name: String,
    /// The signature.
    pub text: String,
}

/// An input that shows a bug.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct BugInput {
    /// The file; if a reduction came across it, below the directory of the results.
    #[serde(with = "any_path")]
    pub path: PathBuf,
    /// Whether it fails at times only, or otherwise.
    pub is_flaky: bool,
    /// Whether a reduction came across it.
    pub is_found: bool,
}

/// A bug.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Bug {
    /// The name of its signature, with a number where several bugs have one.
    pub name: String,
    /// How its smallest form fails.
    pub failure: String,
    /// A bug with more inputs whose smallest form fails in the same line with the same message, by
    /// its name: one fault of a function that many call, or a fault of each caller.
    #[serde(default)]
    pub same_line_as: Option<String>,
    /// All signatures that its inputs have shown.
    pub signatures: Vec<BugSignature>,
    /// The file and the line in the innermost function, where they are known.
    pub place: Option<String>,
    /// The reproducer, below the directory of the results.
    #[serde(with = "any_path")]
    pub reproducer: PathBuf,
    /// The file that it is a copy of.
    #[serde(skip)]
    source: PathBuf,
    /// Its size.
    pub bytes: u64,
    /// The same in tokens.
    pub tokens: u64,
    /// The language.
    pub language: String,
    /// Whether no single edit makes the reproducer smaller.
    pub is_certified: bool,
    /// Why nothing was reduced, if nothing was.
    pub error: Option<String>,
    /// The size of the input that was reduced.
    pub input_bytes: u64,
    /// The inputs, that one first.
    pub inputs: Vec<BugInput>,
    /// Tests of all its reductions.
    pub tests: u64,
    /// How long they took.
    pub seconds: f64,
    /// Whether an earlier batch had no such bug, if there is one to compare with.
    pub is_new: Option<bool>,
    /// The journal of the reduction that gave the reproducer, below the directory of the results.
    #[serde(with = "any_path")]
    pub journal: PathBuf,
}

impl Bug {
    /// Returns how and where it fails, without its callers.
    fn line(&self) -> (&str, Option<&str>) {
        let failure = self.failure.split(" < ").next().unwrap_or_default();
        (failure, self.place.as_deref())
    }

    /// Returns whether all inputs that show it fail at times only.
    pub fn is_flaky(&self) -> bool {
        self.inputs.iter().all(|input| input.is_flaky)
    }
}

/// All bugs of a batch.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Bugs {
    format: u32,
    /// The bugs, the one with the most inputs first.
    pub bugs: Vec<Bug>,
}

impl Bugs {
    /// Reads the list in the directory of a batch.
    ///
    /// # Errors
    /// If there is none, or of a later version.
    pub fn read(directory: &Path) -> Result<Self, BatchError> {
        let path = directory.join(LIST);
        let read = fs::read(&path).map_err(|error| error.to_string()).and_then(|text| {
            let bugs: Self = serde_json::from_slice(&text).map_err(|error| error.to_string())?;
            if bugs.format == FORMAT { Ok(bugs) } else { Err(format!("format {}", bugs.format)) }
        });
        read.map_err(|why| BatchError::Earlier(path, why))
    }

    /// Describes bugs, and gives each its name.
    pub fn of(found: &[FoundBug<'_>], output: &Path, earlier: Option<&Self>) -> Self {
        let mut bugs: Vec<Bug> = found.iter().map(|bug| described(bug, output)).collect();
        // The numbers of equal names go by lines, which stand still where nothing else tells.
        bugs.sort_by_cached_key(|bug| (bug.name.clone(), line_of(bug), bug.inputs[0].path.clone()));
        for at in 1..bugs.len() {
            let same =
                bugs[..at].iter().filter(|before| before.failure == bugs[at].failure).count();
            if same > 0 {
                bugs[at].name = format!("{}-{}", bugs[at].name, same + 1);
            }
        }
        if let Some(earlier) = earlier {
            let known: BTreeSet<&str> = earlier.bugs.iter().map(|bug| &*bug.name).collect();
            for bug in &mut bugs {
                bug.is_new = Some(!known.contains(&*bug.name));
            }
        }
        for bug in &mut bugs {
            let name = Path::new(&bug.name).join("reproducer");
            bug.reproducer = match bug.inputs[0].path.extension() {
                Some(suffix) => name.with_extension(suffix),
                None => name,
            };
        }
        bugs.sort_by_cached_key(|bug| (usize::MAX - bug.inputs.len(), bug.name.clone()));
        for at in 1..bugs.len() {
            let (before, rest) = bugs.split_at_mut(at);
            let is_same = |other: &&Bug| other.place.is_some() && other.line() == rest[0].line();
            rest[0].same_line_as = before.iter().find(is_same).map(|other| other.name.clone());
        }
        Self { format: FORMAT, bugs }
    }

    /// Writes a directory for each bug and then the list, and removes the directories of bugs that
    /// an earlier list had and this one has not.
    ///
    /// # Errors
    /// If something cannot be written.
    pub fn write(&self, output: &Path) -> Result<(), OutputError> {
        let wrong = |path: &Path| {
            let path = path.to_owned();
            move |error: io::Error| OutputError { path, error }
        };
        for bug in &self.bugs {
            let directory = output.join(&bug.name);
            fs::create_dir_all(&directory).map_err(wrong(&directory))?;
            let inputs = bug.inputs.iter().map(|input| format!("{}\n", input.path.display()));
            let inputs: String = inputs.collect();
            write_changed(&directory.join("inputs.txt"), inputs.as_bytes())?;
            let text = fs::read(&bug.source).map_err(wrong(&bug.source))?;
            write_changed(&output.join(&bug.reproducer), &text)?;
        }
        let old = Self::read(output).map_or_else(|_| Vec::new(), |old| old.bugs);
        let names: BTreeSet<&str> = self.bugs.iter().map(|bug| &*bug.name).collect();
        for bug in old.iter().filter(|bug| !names.contains(&*bug.name)) {
            // The list may be anybody's: only a name leads to a directory of ours.
            if bug.name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-') {
                let _ = fs::remove_dir_all(output.join(&bug.name));
            }
        }
        let list = output.join(LIST);
        let text = serde_json::to_vec_pretty(self).map_err(|error| wrong(&list)(error.into()))?;
        write_changed(&list, &text)
    }
}

/// Writes a file in one step, unless it holds this already.
fn write_changed(path: &Path, text: &[u8]) -> Result<(), OutputError> {
    if fs::read(path).is_ok_and(|there| there == text) {
        return Ok(());
    }
    Output::new(path, path).write(text)
}

/// Returns a path as it is below the directory of the results.
fn relative(path: &Path, output: &Path) -> PathBuf {
    path.strip_prefix(output).unwrap_or(path).to_owned()
}

fn line_of(bug: &Bug) -> Option<(String, u64)> {
    let (file, line) = bug.place.as_deref()?.rsplit_once(':')?;
    Some((file.to_owned(), line.parse().ok()?))
}

fn described(bug: &FoundBug<'_>, output: &Path) -> Bug {
    let named = |signature: &Signature| {
        let text = Signature { place: None, ..signature.clone() }.to_string();
        BugSignature { name: signature_name(&text), text }
    };
    let signatures: BTreeSet<BugSignature> =
        bug.variants.iter().map(|variant| named(&variant.signature)).collect();
    let members = bug.variants.iter().flat_map(|variant| &variant.members);
    let inputs = members.clone().flat_map(|member| {
        member.input.paths.iter().map(|path| BugInput {
            path: relative(path, output),
            is_flaky: member.repeat > 1,
            is_found: member.input.is_found,
        })
    });
    let Done { plan, record } = &bug.reproducer;
    let input_bytes = members.clone().next().map_or(0, |member| member.input.bytes as u64);
    let (source, bytes) = match record.error {
        None => (&plan.output, record.bytes),
        Some(_) => (&plan.input, input_bytes),
    };
    let BugSignature { name, text: failure } = named(&bug.ends_as);
    Bug {
        name,
        failure,
        same_line_as: None,
        signatures: signatures.into_iter().collect(),
        place: bug.ends_as.place.clone(),
        reproducer: PathBuf::new(),
        source: source.clone(),
        bytes,
        tokens: record.tokens,
        language: record.language.clone(),
        is_certified: record.is_certified,
        error: record.error.clone(),
        input_bytes,
        inputs: inputs.collect(),
        tests: bug.jobs.iter().map(|job| job.record.tests).sum(),
        seconds: bug.jobs.iter().map(|job| job.record.seconds).sum(),
        is_new: None,
        journal: relative(&plan.journal, output),
    }
}
