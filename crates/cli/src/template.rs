//! The text of test scripts that `init` writes. Runs nothing.

use std::ffi::{OsStr, OsString};
use std::path::Path;

use minirepro_runner::Signature;

use crate::failure::quote;

/// A program that crashes or complains.
#[derive(Debug)]
pub struct Crash<'a> {
    /// The command.
    pub words: &'a [OsString],
    /// What it calls the candidate.
    pub name: &'a OsStr,
    /// The file to reduce.
    pub file: &'a Path,
    /// What is wrong.
    pub signature: &'a Signature,
    /// What the program says then, word for word.
    pub said: Option<String>,
}

/// A script that looks for this failure.
pub fn crash(crash: &Crash<'_>) -> String {
    let Crash { words, name, file, signature, said } = crash;
    let code = code(&signature.end);
    let mut script = head(&signature.to_string(), file, name);
    script += &format!("{} < {} > output.txt 2>&1\ncode=$?\n\n", command(words), quote(name));
    script += "# A run without any failure: not reproduced.\n[ $code -ne 0 ] || exit 1\n";
    script += &format!(
        "# Another failure says nothing about this one (125: unresolved).\n\
         [ $code -eq {code} ] || exit 125\n"
    );
    if let Some(said) = said {
        script += &format!("grep -qF -e {} output.txt || exit 125\n", quote(OsStr::new(said)));
    }
    script += GUARD;
    script
}

/// A script that looks for a program that a compiler translates wrongly.
pub fn wrong_code(words: &[OsString], name: &OsStr, file: &Path, right: Option<&str>) -> String {
    let mut script = head("the program behaves otherwise when it is compiled", file, name);
    let name = quote(name);
    let is_cxx = file.extension().is_some_and(|suffix| suffix != "c" && suffix != "i");
    let cc = if is_cxx { "c++" } else { "cc" };
    let sane = "-w -O0 -fsanitize=address,undefined -fno-sanitize-recover=all";
    let right = right.map_or_else(|| unoptimised(words), |right| right.replace("@@", &name));
    script += &format!(
        "# Undefined behaviour may do anything: such candidates say nothing (125: unresolved).\n\
         # More warnings that mean it: -Wall -Wextra; more tools: valgrind, frama-c, compcert -interp.\n\
         {cc} -S -o warnings.s -Werror=implicit -Werror=uninitialized -Werror=return-type \\\n    \
         -Werror=array-bounds -Werror=format -Werror=int-conversion \\\n    \
         -Werror=incompatible-pointer-types -O2 {name} > warnings.txt 2>&1 || exit 125\n\
         {cc} {sane} -o sane {name} > warnings.txt 2>&1 || exit 125\n\
         timeout 10 ./sane > sane.txt 2> errors.txt\nsane=$?\n\
         [ $sane -lt 124 ] && [ ! -s errors.txt ] || exit 125\n\n"
    );
    script += &format!(
        "# The right compiler and the sanitized program must agree.\n\
         {right} -o right > warnings.txt 2>&1 || exit 125\n\
         timeout 10 ./right > right.txt 2> /dev/null\nright=$?\n\
         [ $right -eq $sane ] && cmp -s right.txt sane.txt || exit 125\n\n"
    );
    script += &format!(
        "# Reproduced: the compiler under test translates it to something else.\n\
         {} -o wrong > warnings.txt 2>&1 || exit 125\n\
         timeout 10 ./wrong > wrong.txt 2> /dev/null\nwrong=$?\n\
         [ $wrong -ne $right ] || ! cmp -s wrong.txt right.txt\n",
        command(words)
    );
    script
}

fn head(what: &str, file: &Path, name: &OsStr) -> String {
    let file = quote(file.file_name().unwrap_or_default());
    let what: String = what.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let mut script = format!(
        "#!/bin/sh\n# Reproduced (exit code 0): {what}.\n# It runs in a directory of its own that \
         holds the candidate as {file}.\nexport LC_ALL=C\n\n"
    );
    let name = quote(name);
    if name != file {
        script += &format!("cp {file} {name}\n");
    }
    script
}

const GUARD: &str = "\
\n# What else must hold? For instance that the candidate compiles elsewhere:
# cc -fsyntax-only \"$1\" 2> /dev/null || exit 125
exit 0
";

fn command(words: &[OsString]) -> String {
    words.iter().map(|word| quote(word)).collect::<Vec<_>>().join(" ")
}

/// The command without optimisation.
fn unoptimised(words: &[OsString]) -> String {
    let is_level = |word: &&OsString| word.to_str().is_none_or(|word| !word.starts_with("-O"));
    let kept: Vec<OsString> = words.iter().filter(is_level).cloned().collect();
    let (program, rest) = kept.split_at(1.min(kept.len()));
    command(&[program, &["-O0".into()], rest].concat())
}

/// What a shell says about how a program ended.
fn code(end: &str) -> i32 {
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
    fn the_right_compiler_is_the_same_without_optimisation() {
        let words = ["gcc", "-O2", "-m32", "a b.c"].map(OsString::from);
        assert_eq!(unoptimised(&words), "gcc -O0 -m32 'a b.c'");
    }
}
