//! Failures of a compiler that lie in what a header brings, or need a header of one's own: the file
//! itself would be reduced to an `#include`, which is not a result, or to one that nobody else can
//! compile.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use minirepro_program::cc_options::{STAGES, WRITES, meaning};
use minirepro_program::{
    CancelToken, Command, Languages, Outcome, Reduction, sources, with_absolute_header_path,
};

use crate::given::GivenTest;
use crate::report::includes::{included, includes, lines};
use crate::report::shell::quote_all;

/// The most compilers of a test that are tried.
const MOST: usize = 3;

/// The least size of a text whose conditions are worth while to be without.
const LARGE: usize = 10_000;

/// What is reduced in place of the file.
pub struct Preprocessed {
    /// Why.
    pub reason: &'static str,
    /// The shell command that printed it.
    pub shell: String,
    /// What it printed.
    pub text: Vec<u8>,
}

/// Returns what the file's compiler makes of what it includes, if the test runs a C or C++
/// compiler, it fails in the same way on the file and on what is printed, and
/// - it fails on the `#include` lines alone as well,
/// - or not without the headers that are not the system's,
/// - or what is printed is smaller: most of a large file is under conditions that do not hold.
///
/// The test is that of the run, with its guards and with the files beside candidates: a text that a
/// guard refuses could not be reduced.
pub fn preprocessing(
    test: &GivenTest,
    request: &Reduction<'_>,
    stop: &CancelToken,
) -> Option<Preprocessed> {
    let (file, input) = (&request.file, &request.input);
    let includes = includes(input);
    let is_large = input.len() >= LARGE && sources::has_conditions(input);
    if includes.is_none() && !is_large {
        return None;
    }
    let shells = preprocessors(test, file, &request.settings.companions);
    if shells.is_empty() {
        return None;
    }
    // The run will say what is wrong with the test.
    let tester = request.tester(test.as_test(), stop).ok()?;
    let fails =
        |text: &[u8]| tester.test(text, stop).is_ok_and(|seen| seen.outcome == Outcome::Fail);
    if !fails(input) {
        return None;
    }
    let is_in_headers = includes.is_some_and(|includes| fails(&includes));
    let printed = |shell: &str| sources::preprocessed(shell, file).ok();
    let chosen = |reason, shell: &String, text| Preprocessed { reason, shell: shell.clone(), text };
    let needed = shells.iter().find_map(|shell| {
        let text = printed(shell)?;
        let without = without_own_headers(input, &text);
        let reason = match without {
            _ if is_in_headers => "the failure lies in what the file includes",
            Some(without) if !fails(&without) => {
                "the failure needs headers that are not the system's"
            }
            _ => return None,
        };
        fails(&text).then(|| chosen(reason, shell, text))
    });
    if needed.is_some() || !is_large {
        return needed;
    }
    shells.iter().find_map(|shell| {
        let text = printed(shell)?;
        let is_small = sources::weight(&text) < sources::weight(input);
        let reason = "it is smaller without conditions";
        (is_small && fails(&text)).then(|| chosen(reason, shell, text))
    })
}

/// Returns the shell commands that print what the compilers in a test and in its guards compile,
/// with `@@` for the file. Headers are also looked for beside `companions`.
pub fn preprocessors(test: &GivenTest, file: &Path, companions: &[PathBuf]) -> Vec<String> {
    let commands = commands(test, file);
    // A test finds them beside its candidate, except what has a place below the file's directory:
    // that is there, too.
    let absolute = |path: &Path| path.canonicalize().ok();
    let directory = absolute(file).and_then(|file| file.parent().map(Path::to_owned));
    let mut places: Vec<PathBuf> = Vec::new();
    for companion in companions {
        let place = absolute(companion).and_then(|path| path.parent().map(Path::to_owned));
        let is_below = |place: &PathBuf| directory.as_ref().is_some_and(|d| place.starts_with(d));
        places.extend(place.filter(|place| !is_below(place) && !places.contains(place)));
    }
    let mut shells: Vec<String> = Vec::new();
    for mut words in commands.iter().filter_map(|words| preprocessor(words, file)) {
        // After `--`, an option would be a file.
        let end = words.iter().position(|word| word == "--").unwrap_or(words.len());
        words.splice(end..end, places.iter().flat_map(|place| ["-iquote".into(), place.into()]));
        let shell = quote_all(&words);
        if !shells.contains(&shell) {
            shells.push(shell);
        }
    }
    shells.truncate(MOST);
    shells
}

/// Programs that a script runs on a file for the failure's sake, and that do nothing but read it.
const READERS: &[&str] = &[
    "c++", "cc", "clang", "clang++", "g++", "gcc", "ghc", "go", "gnatmake", "gfortran", "javac",
    "llc", "mypy", "node", "opt", "rustc", "sdcc", "solc", "swiftc", "tcc", "tsc", "tidy", "z3",
];

/// Returns the first command of a test script that reads the file, with `@@` for it, if its program
/// is known to do nothing else.
pub fn command_of_script(test: &GivenTest, file: &Path) -> Option<Vec<OsString>> {
    commands_of_script(test, file).into_iter().next()
}

/// Returns all such commands of a test script.
pub fn commands_of_script(test: &GivenTest, file: &Path) -> Vec<Vec<OsString>> {
    let (GivenTest::Script(script), Some(name)) = (test, file.file_name()) else {
        return Vec::new();
    };
    let text = sources::file(&script.path).unwrap_or_default();
    let mut commands = sources::script_commands(&text, name);
    commands.retain(|words| {
        let (_, command) = sources::without_launchers(words);
        let program = command.first().and_then(|word| Path::new(word).file_name()?.to_str());
        let stem = |name: &str| {
            let stem = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
            stem.strip_suffix('-').unwrap_or(stem).to_owned()
        };
        program.is_some_and(|name| READERS.contains(&&*stem(name)))
            && words.iter().any(|word| word.as_bytes() == b"@@")
    });
    commands
}

/// Returns a command that prints more of its errors, if it is a Clang that is asked for a few.
pub fn with_all_errors(mut words: Vec<OsString>) -> Vec<OsString> {
    let (_, command) = sources::without_launchers(&words);
    let at = words.len() - command.len();
    let is_clang = command.first().is_some_and(|word| is_clang(word));
    if is_clang && command.get(1).is_none_or(|word| word != "-cc1") {
        words.insert(at + 1, "-ferror-limit=100".into());
    }
    words
}

/// Returns whether a program is called like Clang: `clang-19`, `/opt/bin/clang++`.
fn is_clang(program: &OsStr) -> bool {
    let name = Path::new(program).file_name().and_then(OsStr::to_str).unwrap_or_default();
    name.split('-').any(|part| part == "clang" || part == "clang++")
}

/// Returns the language that a compiler in the test is told to read the file as (`-x c++`), if
/// there is a language of this name.
pub fn told_language(test: &GivenTest, file: &Path, languages: &Languages) -> Option<String> {
    commands(test, file).iter().find_map(|words| {
        let words = preprocessor(words, file)?;
        let end = words.iter().position(|word| word == "@@")?;
        let at = words[..end].iter().rposition(|word| word.as_bytes().starts_with(b"-x"))?;
        let joined = words[at].to_str()?.strip_prefix("-x")?;
        let told = if joined.is_empty() { words.get(at + 1)?.to_str()? } else { joined };
        let name = told.strip_suffix("-header").or(told.strip_suffix("-cpp-output"));
        let name = name.unwrap_or(told);
        languages.by_name(name).is_ok().then(|| name.to_owned())
    })
}

/// Returns the commands in a test and in its guards.
fn commands(test: &GivenTest, file: &Path) -> Vec<Vec<OsString>> {
    let name = file.file_name().unwrap_or_default();
    match test {
        GivenTest::Command(Command { words, criteria, .. }) => {
            let guards = criteria.first_guards.iter().chain(&criteria.guards);
            let guards = guards.flat_map(|guard| sources::script_commands(guard.as_bytes(), name));
            // The preprocessor runs in the directory of the file, not in this one.
            let mut previous = None;
            let words = words.iter().map(|word| {
                let previous = previous.replace(word.as_os_str());
                let is_own = |path: &Path| path.starts_with(file);
                let path = with_absolute_header_path(previous, word, &is_own);
                path.unwrap_or_else(|| word.clone())
            });
            std::iter::once(words.collect()).chain(guards).collect()
        }
        GivenTest::Script(script) => {
            let text = sources::file(&script.path).unwrap_or_default();
            sources::script_commands(&text, name)
        }
    }
}

/// Returns the text without the lines that include a header which is not the system's, if there are
/// any. `printed` is the text as it was preprocessed: its line markers tell whose a header is.
fn without_own_headers(input: &[u8], printed: &[u8]) -> Option<Vec<u8>> {
    let own: Vec<&Path> = lines(printed).filter_map(own_header).collect();
    let is_own = |line: &[u8]| {
        let name = included(line);
        name.is_some_and(|name| name != "" && own.iter().any(|header| header.ends_with(name)))
    };
    let kept: Vec<_> = lines(input).filter(|line| !is_own(line)).collect();
    let without = kept.concat();
    (without.len() < input.len()).then_some(without)
}

/// Returns the header that begins after a line marker `# 1 "DIR/a.h" 1`, unless it is the system's,
/// whose markers end in a 3 (GCC's manual of the preprocessor, "Preprocessor Output").
fn own_header(line: &[u8]) -> Option<&Path> {
    let marker = line.strip_prefix(b"# ")?;
    let mut parts = marker.split(|&byte| byte == b'"');
    let (name, flags) = (parts.nth(1)?, parts.next()?);
    let mut flags = flags.trim_ascii().split(|&byte| byte == b' ');
    let is_own = flags.next() == Some(b"1") && flags.next() != Some(b"3");
    is_own.then(|| Path::new(OsStr::from_bytes(name)))
}

/// Returns the words of the command that prints what a C or C++ compiler compiles, with `@@` for
/// the file.
fn preprocessor(words: &[OsString], file: &Path) -> Option<Vec<OsString>> {
    compiler(words, file, &["-E"])
}

/// Returns the words of the command by which Clang prints the syntax tree of what a command
/// compiles, with `@@` for the file: the same Clang with the same options, or for another compiler
/// the Clang that is installed with those that it needs to understand the program.
pub fn analyser(words: &[OsString], file: &Path) -> Option<Vec<OsString>> {
    let same = compiler(words, file, DUMPS)?;
    let (_, command) = sources::without_launchers(words);
    let program = command.first()?;
    if is_clang(program) {
        return Some(same);
    }
    let is_cxx = program.to_string_lossy().contains("++");
    let clang = if is_cxx { "clang++" } else { "clang" };
    let own = |word: &OsString| if Path::new(word) == file { "@@".into() } else { word.clone() };
    let command: Vec<OsString> = command.iter().map(own).collect();
    let words = std::iter::once(clang).chain(DUMPS.iter().copied()).map(OsString::from);
    Some(words.chain(meaning(&command, OsStr::new("@@"))).collect())
}

/// Has Clang print its syntax tree, and nothing else.
const DUMPS: &[&str] = &["-fsyntax-only", "-w", "-fno-color-diagnostics", "-Xclang", "-ast-dump"];

/// Returns the words of a command that compiles a file, with `@@` for it, as one that does these
/// things with it instead.
fn compiler(words: &[OsString], file: &Path, stage: &[&str]) -> Option<Vec<OsString>> {
    let (variables, words) = sources::without_launchers(words);
    let (program, rest) = words.split_first()?;
    let name = Path::new(program).file_name()?.to_str()?;
    // `clang-19`, `g++-12`, `m68k-linux-gnu-gcc`
    let mut parts = name.split('-');
    let is_compiler =
        parts.any(|part| ["cc", "gcc", "g++", "c++", "clang", "clang++"].contains(&part));
    if !is_compiler {
        return None;
    }
    // It runs in the directory of the file.
    let program = match program.as_bytes().contains(&b'/') {
        true => std::path::absolute(program).ok()?.into(),
        false => program.clone(),
    };
    let mut kept: Vec<OsString> = Vec::new();
    if !variables.is_empty() {
        kept.push("env".into());
        kept.extend(variables.into_iter().map(OsStr::to_owned));
    }
    kept.push(program);
    let mut rest = rest.iter().peekable();
    // It must come first.
    kept.extend(rest.next_if(|word| *word == "-cc1").cloned());
    kept.extend(stage.iter().map(OsString::from));
    while let Some(word) = rest.next() {
        match word.to_str() {
            Some("-o" | "-MF" | "-MT" | "-MQ") => drop(rest.next()),
            Some(option) if WRITES.iter().any(|begins| option.starts_with(begins)) => {}
            _ if word == OsStr::new("@@") => kept.push("@@".into()),
            Some(stage) if STAGES.contains(&stage) => {}
            _ if Path::new(word) == file => kept.push("@@".into()),
            _ => kept.push(word.clone()),
        }
    }
    Some(kept)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_compilers_preprocess() {
        let cases = [
            ("g++-12 -O2 -c @@ -o x.o -I/a", Some("g++-12 -E -O2 @@ -I/a")),
            ("g++-12 -fdump-go-spec=a -MD -MF b -S @@", Some("g++-12 -E @@")),
            ("m68k-linux-gnu-gcc -S src/a.c", Some("m68k-linux-gnu-gcc -E @@")),
            ("/opt/bin/clang -fsyntax-only a.c", Some("/opt/bin/clang -E a.c")),
            ("env A=b ccache g++ -c @@", Some("env A=b g++ -E @@")),
            ("clang-14 -cc1 -emit-obj -O1 @@ -o x", Some("clang-14 -cc1 -E -O1 @@")),
            ("python3 gcc.py @@", None),
            ("gccgo @@", None),
        ];
        for (words, expected) in cases {
            let words: Vec<OsString> = words.split(' ').map(OsString::from).collect();
            let found = preprocessor(&words, Path::new("src/a.c")).map(|words| quote_all(&words));
            assert_eq!(found.as_deref(), expected);
        }
    }

    #[test]
    fn clang_shows_its_tree_and_all_errors() {
        let words = |text: &str| text.split(' ').map(OsString::from).collect::<Vec<_>>();
        let shown = |command: &str| {
            let tree = analyser(&words(command), Path::new("a.cc"));
            let tree = tree.map(|words| quote_all(&words).replace(&DUMPS.join(" "), "DUMPS"));
            (tree, quote_all(&with_all_errors(words(command))))
        };
        let cases = [
            (
                "clang++-16 -O1 -S @@",
                Some("clang++-16 DUMPS -O1 @@"),
                "clang++-16 -ferror-limit=100 -O1 -S @@",
            ),
            (
                "g++-12 -std=c++20 -O2 -c @@",
                Some("clang++ DUMPS -std=c++20 @@"),
                "g++-12 -std=c++20 -O2 -c @@",
            ),
            ("/opt/clang/run-clang.sh @@", None, "/opt/clang/run-clang.sh @@"),
        ];
        for (command, tree, errors) in cases {
            assert_eq!(shown(command), (tree.map(str::to_owned), errors.to_owned()));
        }
    }

    #[test]
    fn lines_that_include() {
        let text = b"#include <a>\nint x;\n  # include \"b\"\n#define include\n";
        assert_eq!(includes(text).as_deref(), Some(&b"#include <a>\n  # include \"b\"\n"[..]));
        assert_eq!(includes(b"int x;\n"), None);
    }

    #[test]
    fn headers_that_are_not_the_systems() {
        let text =
            b"#include <vector>\n#include \"in/a.h\"\n#include <lib/b.h>\n#include H\nint x;\n";
        let printed = b"# 1 \"/usr/include/c++/vector\" 1 3\n# 5 \"/usr/include/c++/vector\" 3\n\
            # 1 \"/src/in/a.h\" 1\n# 2 \"x.cc\" 2\n# 1 \"/src/lib/b.h\" 1\n# 1 \"/usr/include/x.h\" 1 3 4\n";
        let expected = b"#include <vector>\n#include H\nint x;\n";
        assert_eq!(without_own_headers(text, printed).as_deref(), Some(&expected[..]));
        assert_eq!(without_own_headers(expected, printed), None);
    }
}
