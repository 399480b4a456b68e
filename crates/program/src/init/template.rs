//! The text of test scripts. Runs nothing.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::time::Duration;

use crate::compilers::options::{DEPENDENCIES, OUTPUTS, STAGES, meaning};
use minirepro_runner::shell::{self, quote};

/// A program that fails, and how.
#[derive(Debug)]
pub struct Crash<'a> {
    /// The command.
    pub words: &'a [OsString],
    /// The name that the candidate gets.
    pub name: &'a OsStr,
    /// The file to reduce.
    pub file: &'a Path,
    /// The failure in words.
    pub failure: String,
    /// What must hold for a candidate to show the failure.
    pub checks: Vec<Check>,
    /// The time after which the program counts as hanging, if that is the failure.
    pub hangs_after: Option<Duration>,
    /// Shell commands that must succeed before the program runs.
    pub first_guards: &'a [String],
    /// Shell commands that must succeed as well.
    pub guards: &'a [String],
}

/// Something that a script looks at after the program has ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Check {
    /// How the program ended, as a shell reports it.
    ExitCode(i32),
    /// Words that it must have written, anywhere.
    Says(String),
    /// A function that must be in its stack.
    Frame(String),
    /// A regular expression that a stream must match, or must not.
    Matches {
        /// `stdout` or `stderr`.
        stream: &'static str,
        /// The expression.
        pattern: String,
        /// Whether it must match.
        wanted: bool,
    },
}

impl Check {
    fn line(&self) -> String {
        let grep = |how: &str, text: &str, files: &str| {
            format!("grep -q{how} -e {} {files}", quote(OsStr::new(text)))
        };
        match self {
            Self::ExitCode(code) => format!(
                "[ $code -eq {code} ] || unresolved \"it ended with exit code $code, not {code}\"\n"
            ),
            Self::Says(words) => {
                let grep = grep("F", words, "stdout.txt stderr.txt");
                format!("{grep} || unresolved 'it does not say the same'\n")
            }
            Self::Frame(function) => {
                let grep = grep("F", function, "stdout.txt stderr.txt");
                let why = quote(OsStr::new(&format!("{function} is not in its stack"))).to_owned();
                format!("{grep} || unresolved {why}\n")
            }
            Self::Matches { stream, pattern, wanted } => {
                let grep = grep("E", pattern, &format!("{stream}.txt"));
                match wanted {
                    true => format!("{grep} || unresolved 'its {stream} does not match'\n"),
                    false => {
                        format!("! {grep} || unresolved 'its {stream} matches what it must not'\n")
                    }
                }
            }
        }
    }
}

/// Returns a script that looks for this failure.
pub fn crash(crash: &Crash<'_>) -> String {
    let Crash { words, name, file, failure, checks, hangs_after, first_guards, guards } = crash;
    let mut script = head(failure, file, name);
    if !first_guards.is_empty() {
        script += "# First what is cheap: the program is spared what it refuses.\n";
        script.extend(first_guards.iter().map(|command| guard(command, name)));
        script += "\n";
    }
    let run = format!("{} < {} > stdout.txt 2> stderr.txt", command(words), quote(name));
    match hangs_after {
        Some(time) => {
            let seconds = time.as_secs_f64();
            script += &format!("timeout {seconds} {run}\ncode=$?\n\n");
            script += "# Reproduced: it does not end in time.\n";
            script += "[ $code -eq 124 ] || not_reproduced \"it ended with exit code $code\"\n";
        }
        None => {
            script += &format!("{run}\ncode=$?\n\n");
            if !checks.contains(&Check::ExitCode(0)) {
                script += "[ $code -ne 0 ] || not_reproduced 'it ended without a failure'\n";
            }
        }
    }
    if !checks.is_empty() {
        script += "# Another failure says nothing about this one.\n";
        script.extend(checks.iter().map(Check::line));
    }
    script += "\n# What else must hold? For instance that the candidate compiles elsewhere:\n";
    if guards.is_empty() {
        script += "# cc -fsyntax-only \"$1\" 2> guard.txt || unresolved 'it does not compile elsewhere'\n";
    }
    script.extend(guards.iter().map(|command| guard(command, name)));
    script += "reproduced\n";
    script
}

/// Returns the lines for a command that must succeed.
fn guard(command: &str, name: &OsStr) -> String {
    let command = shell::with_name(OsStr::new(command), name);
    let command = command.to_string_lossy();
    format!("{{ {command}\n}} > guard.txt 2>&1 || unresolved 'what is required fails'\n")
}

/// Returns a script that looks for a program that a compiler translates wrongly.
pub fn wrong_code(words: &[OsString], name: &OsStr, file: &Path, right: Option<&str>) -> String {
    let mut script = head("the program behaves otherwise when it is compiled", file, name);
    script += "complaint() { grep -m 1 -e 'error: ' -e 'undefined reference' warnings.txt; }\n\n";
    let words = linking(words);
    let meaning = command(&meaning(&words[1..], name));
    let cc = if is_cxx(&words, file) { "c++" } else { "cc" };
    let sane = "-w -O0 -fsanitize=address,undefined -fno-sanitize-recover=all";
    let right = right.map_or_else(
        || plain(&words),
        |right| shell::with_name(OsStr::new(right), name).to_string_lossy().into_owned(),
    );
    let clang = words.first().filter(|program| {
        let name = Path::new(program).file_name().unwrap_or_default();
        name.as_bytes().starts_with(b"clang")
    });
    let candidate = quote(name);
    let clang = clang.map_or_else(|| "clang".to_owned(), |program| quote(program));
    let wrong = command(&words);
    script += &format!(
        "# First what is cheap and decides most: do the two compilers disagree at all?\n\
         {right} -o right > warnings.txt 2>&1 || unresolved \"the right compiler refuses it: $(complaint)\"\n\
         {wrong} -o wrong > warnings.txt 2>&1 || unresolved \"the compiler under test refuses it: $(complaint)\"\n\
         timeout 10 ./right > right.txt 2> errors.txt\nright=$?\n\
         [ $right -ne 124 ] || unresolved 'rightly compiled, it does not end'\n\
         timeout 10 ./wrong > wrong.txt 2> errors.txt\nwrong=$?\n\
         [ $wrong -ne $right ] || ! cmp -s wrong.txt right.txt || \\\n    \
         not_reproduced 'both compilers give the same'\n\n"
    );
    script += &format!(
        "# Undefined behaviour may do anything: such candidates say nothing.\n\
         # More warnings that mean it: -Wall -Wextra; more tools: valgrind, frama-c, compcert -interp.\n\
         {cc} -S -o warnings.s -Werror=implicit -Werror=uninitialized -Werror=maybe-uninitialized \\\n    \
         -Werror=return-type -Werror=array-bounds -Werror=format -Werror=int-conversion \\\n    \
         -Werror=incompatible-pointer-types -O2 {meaning} > warnings.txt 2>&1 || \\\n    \
         unresolved \"a warning says that its behaviour is undefined: $(complaint)\"\n\
         # Variables without a value get another one than they have by chance, where the compiler can do that.\n\
         {cc} {sane} -ftrivial-auto-var-init=pattern -o sane {meaning} > warnings.txt 2>&1 || \\\n    \
         {cc} {sane} -o sane {meaning} > warnings.txt 2>&1 || \\\n    \
         unresolved \"the sanitizers refuse it: $(complaint)\"\n\
         # A leak is no undefined behaviour, and looking for leaks is forbidden in some containers.\n\
         ASAN_OPTIONS=detect_leaks=0 timeout 10 ./sane > sane.txt 2> errors.txt\nsane=$?\n\
         [ $sane -ne 124 ] || unresolved 'with sanitizers, it does not end'\n\
         [ ! -s errors.txt ] || unresolved \"a sanitizer complains: $(head -n 1 errors.txt)\"\n\
         [ $right -eq $sane ] || unresolved \"it exits with $right, with sanitizers with $sane\"\n\
         cmp -s right.txt sane.txt || unresolved 'with sanitizers, it prints something else'\n\
         # Clang sees other faults, and values that were never written: only MemorySanitizer sees each use of one. It must\n\
         # not be asked about what a C++ library does that was compiled without it.\n\
         kinds=memory,undefined\n\
         if grep -qw std {candidate}; then kinds=undefined; fi\n\
         if {clang} -w -O0 -fsanitize=$kinds -fno-sanitize-recover=all -o other {meaning} > warnings.txt 2>&1; then\n    \
         timeout 10 ./other > other.txt 2> errors.txt\n    \
         ! grep -q -e MemorySanitizer -e 'runtime error: ' errors.txt || \\\n        \
         unresolved \"a sanitizer of Clang complains: $(grep -m 1 -e 'runtime error' -e MemorySanitizer errors.txt)\"\n\
         fi\n\
         reproduced\n"
    );
    script
}

/// Returns the command as it makes a program: without options for another stage, and without a name
/// for the output.
fn linking(words: &[OsString]) -> Vec<OsString> {
    let mut kept = Vec::new();
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        match word.to_str() {
            // After `--`, an option would be a file.
            Some("--") => {}
            Some(option) if STAGES.contains(&option) || DEPENDENCIES.contains(&option) => {}
            Some(option) if OUTPUTS.contains(&option) => drop(rest.next()),
            _ => kept.push(word.clone()),
        }
    }
    kept
}

/// Returns whether a program in C++ is compiled: the command decides, or else the suffix of the
/// file.
fn is_cxx(words: &[OsString], file: &Path) -> bool {
    let text = |word: &OsString| word.to_string_lossy().into_owned();
    let apart = words.iter().position(|word| word == "-x").and_then(|at| words.get(at + 1));
    let joined = words.iter().find_map(|word| word.to_str()?.strip_prefix("-x").map(str::to_owned));
    let language = apart.map(text).or(joined);
    if let Some(language) = language.filter(|language| language != "none") {
        return language.contains("++");
    }
    let program = words.first().map(text).unwrap_or_default();
    program.contains("++") || file.extension().is_some_and(|suffix| suffix != "c" && suffix != "i")
}

fn head(what: &str, file: &Path, name: &OsStr) -> String {
    let file = quote(file.file_name().unwrap_or_default());
    // A comment ends with its line.
    let in_line = |text: &str| text.replace(char::is_control, " ");
    let (what, shown) = (in_line(what), in_line(&file));
    let mut script = format!(
        "#!/bin/sh\n# Reproduced (exit code 0): {what}.\n# It runs in a directory of its own that \
         holds the candidate as {shown}.\n{STEPS}"
    );
    let name = quote(name);
    if name != file {
        script += &format!("cp {file} {name}\n");
    }
    script
}

/// The ways in which a script ends.
const STEPS: &str = "\
# Which step decided: MINIREPRO_EXPLAIN=1 ./this-script FILE
export LC_ALL=C
explain() { [ -z \"${MINIREPRO_EXPLAIN-}\" ] || echo \"$*\" >&2; }
reproduced() { explain 'reproduced'; exit 0; }
not_reproduced() { explain \"not reproduced: $*\"; exit 1; }
unresolved() { explain \"unresolved: $*\"; exit 125; }

";

fn command(words: &[OsString]) -> String {
    words.iter().map(|word| quote(word)).collect::<Vec<_>>().join(" ")
}

/// Returns the command without optimisation, and without options that allow other results.
fn plain(words: &[OsString]) -> String {
    const OTHER_RESULTS: &[&str] = &[
        "-Ofast",
        "-ffast-math",
        "-funsafe-math-optimizations",
        "-fassociative-math",
        "-freciprocal-math",
        "-ffinite-math-only",
        "-fno-signed-zeros",
        "-fno-trapping-math",
        "-ffp-contract=",
        "-ffp-model=",
    ];
    let stays = |word: &&OsString| {
        word.to_str().is_none_or(|word| {
            let is_level = word.starts_with("-O");
            !is_level && !OTHER_RESULTS.iter().any(|option| word.starts_with(option))
        })
    };
    let kept: Vec<OsString> = words.iter().filter(stays).cloned().collect();
    let (program, rest) = kept.split_at(1.min(kept.len()));
    command(&[program, &["-O0".into()], rest].concat())
}

/// Returns the exit code with which a shell reports this end of a program.
pub fn code(end: &str) -> i32 {
    let signal = |name: &str| minirepro_runner::Conditions::signal_number(name).ok();
    let number = |text: &str| text.parse::<i32>().ok();
    end.strip_prefix("exit code ")
        .and_then(number)
        .or_else(|| end.strip_prefix("signal ").and_then(number).map(|n| 128 + n))
        .or_else(|| signal(end).map(|n| 128 + n))
        .unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_are_what_the_shell_says() {
        let ends = ["exit code 3", "SIGSEGV", "signal 31"].map(code);
        assert_eq!(ends, [3, 139, 159]);
    }

    #[test]
    fn the_checks_see_the_same_program() {
        let cases = [
            ("gcc -O2 -c @@ -o x.o -lm", "@@ -lm", false),
            (
                "gcc -O3 -Xclang -I -std=c++20 -I inc -DA=1 -pthread a.o",
                "-std=c++20 -I inc -DA=1 -pthread a.o @@",
                false,
            ),
            ("gcc -fplugin=x -x c++ -march=native @@ -MD -MF d", "-x c++ @@", true),
            ("clang++-14 -isystem inc -O1 -Wall -g @@", "-isystem inc @@", true),
        ];
        for (words, expected, is_cxx_) in cases {
            let words: Vec<OsString> = words.split(' ').map(OsString::from).collect();
            let words = linking(&words);
            let kept = meaning(&words, OsStr::new("@@")).join(OsStr::new(" "));
            assert_eq!(kept, OsStr::new(expected));
            assert_eq!(is_cxx(&words, Path::new("a.c")), is_cxx_);
        }
        let words = ["gcc", "-c", "-o", "a.o", "-O2", "a.c"].map(OsString::from);
        assert_eq!(command(&linking(&words)), "gcc -O2 a.c");
    }

    #[test]
    fn the_right_compiler_is_the_same_without_optimisation() {
        let words = ["gcc", "-O2", "-ffast-math", "-m32", "a b.c"].map(OsString::from);
        assert_eq!(plain(&words), "gcc -O0 -m32 'a b.c'");
    }
}
