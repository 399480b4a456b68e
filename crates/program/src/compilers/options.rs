//! Options of GCC and Clang: the only place that lists them.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// Options with a path, in the same word or the next one. No option stands before one that it
/// begins.
const PATHS: &str = "-isystem -iquote -idirafter -include-pch -include -imacros -isysroot -iframework --sysroot \
                     -fmodule-file -I -L -B -F";

/// Options that say what a compiler, or Clang's frontend, makes of a file.
pub const STAGES: &str =
    "-c -S -E -fsyntax-only -emit-llvm -emit-obj -emit-llvm-only -emit-codegen-only";

/// Options about files that are written, with a value in the next word, unless it is glued to them.
const OUTPUTS: &str = "-o -MF -MT -MQ -MJ --output --serialize-diagnostics";

/// Options about dependencies that are written.
const DEPENDENCIES: &str = "-M -MM -MD -MMD -MP";

/// What options begin with that have the preprocessor write dependencies, as builds of Linux do.
const DEPENDENCIES_BY_PREPROCESSOR: &str = "-Wp,-M";

/// What options begin with that have a compiler write other files besides.
const WRITES: &str = "-MD -MMD -MP -fdump- -save-temps -ftime-trace";

/// Options that every compiler needs to understand a program, with a value in the same word or the
/// next one.
const MEANING: &str = "-x -I -D -U -L -l -isystem -iquote -idirafter -include -imacros";

/// What options of one word begin with that every compiler needs to understand a program.
const DIALECT: &str = "-std= -ansi -pthread -fopenmp -fwrapv -fno-strict- -fsigned-char -funsigned-char \
                       -fpermissive -fms-extensions -fgnu89-inline -fno-delete-null-pointer-checks \
                       -fexceptions -fcoroutines -fconcepts";

/// Other options with a value in the next word, which mean nothing to another compiler.
const FOREIGN: &str = "-Xclang -mllvm --param -target -arch -Xlinker -Xassembler -T";

/// Returns whether a word stands in a table.
pub fn is_in(table: &str, word: &str) -> bool {
    table.split(' ').any(|known| known == word)
}

/// Returns the entry of a table that a word begins with.
fn beginning<'t>(table: &'t str, word: &[u8]) -> Option<&'t str> {
    table.split(' ').find(|known| word.starts_with(known.as_bytes()))
}

/// Returns whether a word says where something is written, which no failure depends on.
fn writes(word: &str) -> bool {
    is_in(DEPENDENCIES, word)
        || word.starts_with(DEPENDENCIES_BY_PREPROCESSOR)
        || beginning(OUTPUTS, word.as_bytes()).is_some() && !word.starts_with("-object")
}

/// Returns whether a word has a compiler write other files besides, in which it may fail.
pub fn writes_besides(word: &str) -> bool {
    beginning(WRITES, word.as_bytes()).is_some()
}

/// Returns the words without those that say where something is written.
pub fn without_outputs(words: &[OsString]) -> Vec<OsString> {
    let mut kept = Vec::new();
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        match word.to_str() {
            Some(option) if is_in(OUTPUTS, option) => drop(rest.next()),
            Some(option) if writes(option) => {}
            _ => kept.push(word.clone()),
        }
    }
    kept
}

/// Returns the words with what `meant` returns in place of the paths of options.
pub fn with_paths(words: &[OsString], meant: &dyn Fn(&OsStr) -> Option<OsString>) -> Vec<OsString> {
    let mut is_path = false;
    let changed = |word: &OsString| {
        // The frontend of Clang gets word by word: `-Xclang -include -Xclang FILE`.
        if is_path && word == "-Xclang" {
            return None;
        }
        let is_option = word.to_str().is_some_and(|word| is_in(PATHS, word));
        if std::mem::replace(&mut is_path, is_option) {
            is_path = false;
            return meant(word);
        }
        let option = beginning(PATHS, word.as_bytes())?;
        let (option, path) = word.as_bytes().split_at(option.len());
        let equals = usize::from(path.starts_with(b"="));
        let mut whole = [option, &path[..equals]].concat();
        whole.extend_from_slice(meant(OsStr::from_bytes(&path[equals..]))?.as_bytes());
        Some(OsStr::from_bytes(&whole).to_owned())
    };
    let changed: Vec<_> = words.iter().map(changed).collect();
    changed.into_iter().zip(words).map(|(new, old)| new.unwrap_or_else(|| old.clone())).collect()
}

/// Returns words in which the places of headers are absolute paths if they are there by relative
/// ones: they must mean the same in the directory of a test. What is reduced, as `is_own` says,
/// must stay a relative path.
pub fn with_absolute_header_paths(
    words: &[OsString],
    is_own: &dyn Fn(&Path) -> bool,
) -> Vec<OsString> {
    with_paths(words, &|path| {
        let path = Path::new(path);
        let stays = path.is_absolute() || is_own(path) || !path.exists();
        if stays { None } else { std::path::absolute(path).ok().map(Into::into) }
    })
}

/// Lets a compiler look for headers in this directory as well. After `--`, an option would be a
/// file.
pub fn look_for_headers(words: &mut Vec<OsString>, directory: &Path) {
    let end = words.iter().position(|word| word == "--").unwrap_or(words.len());
    words.splice(end..end, ["-iquote".into(), directory.into()]);
}

/// Returns what another compiler needs to understand the same program, in the same order: the
/// candidate and other inputs, the language, macros, headers and libraries.
pub fn meaning(arguments: &[OsString], name: &OsStr) -> Vec<OsString> {
    let mut kept: Vec<OsString> = Vec::new();
    let mut rest = arguments.iter();
    while let Some(word) = rest.next() {
        let Some(text) = word.to_str().filter(|text| text.starts_with('-') && text.len() > 1)
        else {
            kept.push(word.clone());
            continue;
        };
        if is_in(MEANING, text) {
            kept.push(word.clone());
            kept.extend(rest.next().cloned());
        } else if [MEANING, DIALECT].iter().any(|all| beginning(all, text.as_bytes()).is_some()) {
            kept.push(word.clone());
        } else if is_in(FOREIGN, text) {
            rest.next();
        }
    }
    if !kept.iter().any(|word| word == name) {
        kept.push(name.to_owned());
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_of_headers_become_absolute() {
        let here = std::env::current_dir().unwrap();
        // Tests run in the directory of the crate.
        let words = "cc -Isrc -I ./src -isystem=src -iquote no -Ino -include src/lib.rs -O src -Isrc/run @@";
        let words: Vec<OsString> = words.split(' ').map(OsString::from).collect();
        let found = with_absolute_header_paths(&words, &|path| path.starts_with("src/run"));
        let shown = found.join(OsStr::new(" ")).into_string().unwrap();
        assert_eq!(
            shown.replace(here.to_str().unwrap(), "HERE"),
            "cc -IHERE/src -I HERE/src -isystem=HERE/src -iquote no -Ino -include HERE/src/lib.rs -O src -Isrc/run @@"
        );
    }
}
