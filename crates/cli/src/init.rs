//! `minirepro init`: a test script for a program that fails, tried before it is handed over.

use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use minirepro_runner::{CommandTest, Limits, Output, Script, Stop, baseline};

use crate::exit::Exit;
use crate::failure::{Failure, quote};
use crate::figures::time;
use crate::interrupt;
use crate::plan::read;
use crate::reduce::system;
use crate::template::{self, Crash};

/// Write a test script for a program that fails on FILE, and try it.
///
/// Without --wrong-code, the failure is how PROGRAM ends and what it says. With it, PROGRAM is a C or
/// C++ compiler whose output does something else than that of --right.
#[derive(Debug, Args)]
#[command(override_usage = "minirepro init [OPTIONS] FILE -- PROGRAM [ARGUMENTS]...")]
pub struct Init {
    /// The file on which the program fails
    pub file: PathBuf,
    /// What fails, with its arguments; `@@` stands for FILE
    #[arg(last = true, required = true, num_args = 1.., value_name = "PROGRAM")]
    pub program: Vec<OsString>,
    /// Where the script goes
    #[arg(short, long, value_name = "OUT", default_value = "test.sh")]
    pub output: PathBuf,
    /// Overwrite OUT
    #[arg(long)]
    pub force: bool,
    /// The compiled program behaves wrongly; candidates with undefined behaviour don't count
    #[arg(long)]
    pub wrong_code: bool,
    /// A compiler command that is right [default: PROGRAM with -O0 instead of its -O option]
    #[arg(long, value_name = "COMMAND", requires = "wrong_code")]
    pub right: Option<String>,
}

/// How long the first runs may take.
const PATIENCE: Duration = Duration::from_secs(300);

/// Writes the script.
///
/// # Errors
/// When the program does not fail, or the script does not reproduce that.
pub fn init(args: &Init) -> Result<Exit, Failure> {
    if args.output.exists() && !args.force {
        let message = format!("{} is there already", args.output.display());
        let advice = "Name another file with -o, or overwrite it with --force.\n";
        return Err(Failure::new(Exit::Usage, message).advise(advice));
    }
    let input = read(&args.file)?;
    let stop = Stop::new().map_err(system)?;
    interrupt::watch(stop.clone()).map_err(system)?;
    let script = if args.wrong_code { wrong_code(args)? } else { crash(args, &input, &stop)? };
    let like = Path::new("/dev/null/no/permissions");
    let written = Output::new(&args.output, like).write(script.as_bytes());
    written.map_err(|error| Failure::new(Exit::NotWritten, error))?;
    let executable = fs::Permissions::from_mode(0o755);
    fs::set_permissions(&args.output, executable)
        .map_err(|error| Failure::new(Exit::NotWritten, error))?;
    attempt(args, &input, &stop)
}

fn crash(args: &Init, input: &[u8], stop: &Stop) -> Result<String, Failure> {
    let limits = Limits::new(PATIENCE);
    let told = |error| Failure::program(&error, "");
    let mut test = CommandTest::new(&args.program, &args.file, 0, limits).map_err(told)?;
    let signature = test.learn(input, None, stop).map_err(told)?;
    let said = test.evidence(input, stop).map_err(told)?;
    let (words, name) = test.words();
    eprintln!("the failure is «{signature}»");
    Ok(template::crash(&Crash { words, name, file: &args.file, signature: &signature, said }))
}

fn wrong_code(args: &Init) -> Result<String, Failure> {
    let test = CommandTest::new(&args.program, &args.file, 0, Limits::new(PATIENCE))
        .map_err(|error| Failure::program(&error, ""))?;
    let (words, name) = test.words();
    Ok(template::wrong_code(words, name, &args.file, args.right.as_deref()))
}

/// Tries the script as a reduction would.
fn attempt(args: &Init, input: &[u8], stop: &Stop) -> Result<Exit, Failure> {
    let script = Script::new(&args.output, &args.file, Limits::new(PATIENCE))
        .map_err(|error| Failure::script(&error))?;
    let out = quote(args.output.as_os_str());
    let seen = baseline(&script, input, stop).map_err(|error| {
        let advice = format!("{out} does not work yet: look at it and change it.\n");
        Failure::baseline(&error, &advice)
    })?;
    let file = quote(args.file.as_os_str());
    let here = if out.contains('/') { "" } else { "./" };
    println!(
        "{out}: reproduces on {file} in {}, and not on an empty file\nNow run\n  minirepro \
         {here}{out} {file}",
        time(seen.slowest)
    );
    Ok(Exit::Reduced)
}
