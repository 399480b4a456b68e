//! The command by which a build compiles a file, from its compilation database
//! (`compile_commands.json`, as Clang's "JSON Compilation Database Format Specification" describes
//! it).

use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};

use crate::compilers::options::{look_for_headers, with_paths, without_outputs, writes_besides};
use minirepro_runner::system::read_limited;
use serde::Deserialize;

/// The usual name of a compilation database.
const NAME: &str = "compile_commands.json";

/// What cannot be used of a compilation database.
#[derive(Debug, thiserror::Error, strum::EnumProperty, strum::EnumMessage)]
pub enum CompileCommandsError {
    /// It cannot be read.
    #[error("cannot read {}: {}", .0.display(), .1)]
    Unreadable(PathBuf, std::io::Error),
    /// It has another form.
    #[error("{} is no compilation database: {}", .0.display(), .1)]
    Malformed(PathBuf, String),
    /// It says nothing about the file.
    #[error(
        "{} has no command for {}{}", path.display(), file.display(),
        .other.as_ref().map_or(String::new(), |path| format!("; it has one for {}", path.display()))
    )]
    #[strum(message = "Name a file that the build compiles.")]
    NotListed {
        /// The database.
        path: PathBuf,
        /// The file.
        file: PathBuf,
        /// A file of the same name that it has.
        other: Option<PathBuf>,
    },
}

/// One entry of a database.
#[derive(Deserialize)]
struct Entry {
    directory: PathBuf,
    file: PathBuf,
    command: Option<String>,
    arguments: Option<Vec<String>>,
}

/// Returns the words of the commands that compile `file`, with `@@` in its place: one, or several
/// different ones. `database` is a `compile_commands.json`, or a directory that holds one.
///
/// The words fit any working directory: paths are absolute, what the file includes is also looked
/// for beside it (`-iquote`), and nothing is written but the object file, to the working directory.
/// Response files are replaced by what they hold. Linear in the database.
///
/// # Errors
/// If the database cannot be read or does not list the file.
pub fn compile_commands(
    database: &Path,
    file: &Path,
) -> Result<Vec<Vec<OsString>>, CompileCommandsError> {
    let path = if database.is_dir() { database.join(NAME) } else { database.to_owned() };
    let malformed = |reason: String| CompileCommandsError::Malformed(path.clone(), reason);
    let text =
        fs::read(&path).map_err(|error| CompileCommandsError::Unreadable(path.clone(), error))?;
    let entries: Vec<Entry> =
        serde_json::from_slice(&text).map_err(|error| malformed(error.to_string()))?;
    // Directories may be relative, although they should not.
    let base = path.parent().map(Path::to_owned).unwrap_or_default();
    let wanted = real(file);
    let mut commands = Vec::new();
    for entry in entries.iter().filter(|entry| real(&entry.source(&base)) == wanted) {
        let words = match (&entry.arguments, &entry.command) {
            (Some(words), _) => words.clone(),
            (None, Some(command)) => shlex::split(command)
                .ok_or_else(|| malformed(format!("an open quotation in the command {command}")))?,
            (None, None) => {
                return Err(malformed("an entry has neither command nor arguments".into()));
            }
        };
        if words.is_empty() {
            return Err(malformed("an entry has an empty command".to_owned()));
        }
        let directory = base.join(&entry.directory);
        let mut words = usable_anywhere(expanded(words, &directory), &directory, &wanted);
        if let Some(beside) = wanted.parent() {
            look_for_headers(&mut words, beside);
        }
        if !commands.contains(&words) {
            commands.push(words);
        }
    }
    if commands.is_empty() {
        let is_namesake = |entry: &&Entry| entry.file.file_name() == file.file_name();
        let other = entries.iter().find(is_namesake).map(|entry| entry.source(&base));
        return Err(CompileCommandsError::NotListed { path, file: file.to_owned(), other });
    }
    Ok(commands)
}

/// The most response files that are read: one may name itself.
const MOST_RESPONSE_FILES: usize = 100;

/// Larger ones are left to the compiler: no system runs a command of that size.
const LARGEST_RESPONSE_FILE: u64 = 1 << 20;

/// Returns the words with those of response files (`@FILE`) in their place: their relative paths
/// are those of the directory in which the command runs.
fn expanded(words: Vec<String>, directory: &Path) -> Vec<String> {
    let mut rest: Vec<String> = words.into_iter().rev().collect();
    let mut expanded = Vec::new();
    let mut read = 0;
    while let Some(word) = rest.pop() {
        let file = word.strip_prefix('@').filter(|_| read < MOST_RESPONSE_FILES);
        let text = file.and_then(|file| {
            let path = directory.join(file);
            // A pipe or a device may have no end.
            path.is_file().then(|| read_limited(&path, LARGEST_RESPONSE_FILE).ok()).flatten()
        });
        let text = text.and_then(|text| String::from_utf8(text).ok());
        match text.and_then(|text| shlex::split(&text)) {
            Some(words) => {
                read += 1;
                rest.extend(words.into_iter().rev());
            }
            None => expanded.push(word),
        }
    }
    expanded
}

impl Entry {
    fn source(&self, base: &Path) -> PathBuf {
        base.join(&self.directory).join(&self.file)
    }
}

/// Returns the absolute path of a file, without links where it exists.
fn real(path: &Path) -> PathBuf {
    let absolute = || std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    fs::canonicalize(path).unwrap_or_else(|_| absolute())
}

/// Returns the words without what writes files, with absolute paths, and with `@@` for the source.
fn usable_anywhere(words: Vec<String>, directory: &Path, source: &Path) -> Vec<OsString> {
    let absolute = |path: &OsStr| {
        let is_relative = Path::new(path).is_relative() && !path.is_empty();
        is_relative.then(|| real(&directory.join(path)).into_os_string())
    };
    let words: Vec<OsString> = words.into_iter().map(OsString::from).collect();
    let words = with_paths(&without_outputs(&words), &absolute);
    let meant = |(at, word): (usize, OsString)| {
        let Some(text) = word.to_str() else { return word };
        let other = match text.split_once('=') {
            Some((option, path)) if text.starts_with('-') => {
                let is_path =
                    path.contains('/') && (Path::new(path).is_relative() || writes_besides(text));
                is_path.then(|| with_value(option, path, directory))
            }
            _ if text.starts_with('-') => None,
            // A program without a slash is looked for in the path.
            _ if at == 0 => absolute(&word).filter(|_| text.contains('/')),
            _ if real(&directory.join(text)) == source => Some("@@".into()),
            _ => match text.strip_prefix('@') {
                Some(path) => absolute(path.as_ref())
                    .map(|path| [OsStr::new("@"), &path].into_iter().collect()),
                None => {
                    absolute(&word).filter(|_| text.contains('/') && directory.join(text).exists())
                }
            },
        };
        other.unwrap_or(word)
    };
    words.into_iter().enumerate().map(meant).collect()
}

/// Returns `option=path` for any working directory: a file that is read has an absolute path, one
/// that is written is written to the working directory.
fn with_value(option: &str, path: &str, directory: &Path) -> OsString {
    let place = directory.join(path);
    let is_written = || writes_besides(option) || place.parent().is_some_and(Path::is_dir);
    let value = match place.file_name() {
        _ if place.exists() && !writes_besides(option) => real(&place).into(),
        Some(name) if is_written() => name.to_owned(),
        _ => path.into(),
    };
    let mut whole = OsString::from(format!("{option}="));
    whole.push(value);
    whole
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Writes a project with this database; returns what its command is for `src/a.cc`, with `ROOT`
    /// for the place of the project.
    fn command(database: &str, file: &str) -> Result<String, CompileCommandsError> {
        let place = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(place.path()).unwrap();
        for directory in ["src", "build", "include"] {
            fs::create_dir(root.join(directory)).unwrap();
        }
        for name in ["src/a.cc", "src/b.cc", "build/x.pch"] {
            fs::write(root.join(name), "").unwrap();
        }
        fs::write(root.join("build/flags.rsp"), "-I../include -DA='b c' @more.rsp\n").unwrap();
        fs::write(root.join("build/more.rsp"), "-O1 @more.rsp").unwrap();
        let name = root.to_str().unwrap();
        fs::write(root.join("build").join(NAME), database.replace("ROOT", name)).unwrap();
        let commands = compile_commands(&root.join("build"), &root.join(file))?;
        let joined =
            commands.iter().map(|words| words.join(OsStr::new(" ")).into_string().unwrap());
        Ok(joined.collect::<Vec<_>>().join(" | ").replace(name, "ROOT"))
    }

    #[test]
    fn commands_fit_any_directory_and_write_nothing_else() {
        let cases = [
            (
                r#""command": "g++ -Ilocal -I../include -isystem ../include -DX='a b' -O2 -MD -MF a.d -o a.o -c ../src/a.cc""#,
                "g++ -IROOT/build/local -IROOT/include -isystem ROOT/include -DX=a b -O2 -c @@ -iquote ROOT/src",
            ),
            (
                r#""arguments": ["../bin/clang++", "@none.rsp", "--sysroot=../include", "-x", "c++", "-oa.o", "-std=c++20", "ROOT/src/a.cc"]"#,
                "ROOT/bin/clang++ @ROOT/build/none.rsp --sysroot=ROOT/include -x c++ -std=c++20 @@ -iquote ROOT/src",
            ),
            (
                r#""command": "g++ -fdump-go-spec=../src/a.go -fplugin=./flags.rsp -Wa,-a=none/b -DX=a/b -c ../src/a.cc""#,
                "g++ -fdump-go-spec=a.go -fplugin=ROOT/build/flags.rsp -Wa,-a=none/b -DX=a/b -c @@ -iquote ROOT/src",
            ),
            (
                r#""command": "clang++ -Xclang -include-pch -Xclang x.pch -Xclang -include -Xclang ../src/b.cc -c ../src/a.cc""#,
                "clang++ -Xclang -include-pch -Xclang ROOT/build/x.pch -Xclang -include -Xclang ROOT/src/b.cc -c @@ -iquote ROOT/src",
            ),
            (
                r#""command": "gcc -Wp,-MMD,none/.a.o.d -fdump-go-spec=ROOT/src/b.cc -ftime-trace=/none/a.json -c ../src/a.cc""#,
                "gcc -fdump-go-spec=b.cc -ftime-trace=a.json -c @@ -iquote ROOT/src",
            ),
            (r#""command": "clang++ -c -- ../src/a.cc""#, "clang++ -c -iquote ROOT/src -- @@"),
        ];
        for (words, expected) in cases {
            let database = format!(
                r#"[{{"directory": "ROOT/build", "file": "../src/b.cc", "command": "no"}},
                    {{"directory": "ROOT/build", "file": "../src/a.cc", {words}}}]"#
            );
            // A path that was made absolute is not made shorter where it does not exist.
            let found = command(&database, "src/a.cc").unwrap().replace("build/../", "");
            assert_eq!(found, expected);
        }
    }

    #[test]
    fn response_files_are_read() {
        let database = r#"[{"directory": "ROOT/build", "file": "../src/a.cc", "command": "g++ @flags.rsp -c ../src/a.cc"}]"#;
        let found = command(database, "src/a.cc").unwrap();
        assert!(found.starts_with("g++ -IROOT/include -DA=b c -O1 -O1"), "{found}");
        assert!(found.ends_with(" -c @@ -iquote ROOT/src"), "{found}");
        // It would have no end.
        let found = command(&database.replace("flags.rsp", "/dev/zero"), "src/a.cc").unwrap();
        assert_eq!(found, "g++ @/dev/zero -c @@ -iquote ROOT/src");
    }

    #[test]
    fn each_different_command_is_found() {
        let entry = |options: &str| {
            format!(
                r#"{{"directory": "ROOT", "file": "src/a.cc", "command": "g++ {options} -c src/a.cc"}}"#
            )
        };
        let entries = ["-O1", "-O2 -o x.o", "-O1 -o y.o"].map(entry).join(",");
        let found = command(&format!("[{entries}]"), "src/a.cc").unwrap();
        assert_eq!(found, "g++ -O1 -c @@ -iquote ROOT/src | g++ -O2 -c @@ -iquote ROOT/src");
    }

    #[test]
    fn what_cannot_be_used_is_told() {
        let of_b = r#"[{"directory": "ROOT/build", "file": "../src/b.cc", "command": "cc b.cc"}]"#;
        let cases = [
            (of_b, "has no command for"),
            ("{}", "is no compilation database: invalid type: map"),
            ("[{}]", "missing field `directory`"),
            (r#"[{"directory": "ROOT", "file": "src/a.cc"}]"#, "neither command nor arguments"),
            (
                r#"[{"directory": "ROOT", "file": "src/a.cc", "command": "cc 'a"}]"#,
                "open quotation",
            ),
            (r#"[{"directory": "ROOT", "file": "src/a.cc", "command": " "}]"#, "an empty command"),
        ];
        for (database, expected) in cases {
            let message = command(database, "src/a.cc").unwrap_err().to_string();
            assert!(message.contains(expected), "{message}");
        }
    }
}
