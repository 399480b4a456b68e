//! `--all`: after a result, the same again with the rest of the input, for independent failures.

use std::fs;
use std::path::Path;

use minirepro_circumstances::without;

use crate::args::Reduce;
use crate::causes::{Cause, settle};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::isolate::beside;
use crate::keep::{Typed, Way};
use crate::plan::{Reduction, Talk, Target};
use crate::reduce::run;

/// Reduces until what is left of the input does not fail any more.
///
/// # Errors
/// When there is no first result.
pub fn reduce(args: &Reduce) -> Result<Exit, Failure> {
    let which = args.all.unwrap_or_default();
    let first = Reduction::new(args.clone())?;
    let Target::File(base) = first.target.clone() else {
        let message = "with --all, results need files: name one with -o";
        return Err(Failure::new(Exit::Usage, message));
    };
    let talk = first.talk;
    let tell = |line: String| {
        if talk > Talk::Quiet {
            eprintln!("{line}");
        }
    };
    let mut found: Vec<Cause> = Vec::new();
    let mut next = first;
    loop {
        let Target::File(path) = next.target.clone() else { return Ok(Exit::Reduced) };
        let exit = match run(&next, &Typed::here(), Way::Begin) {
            Ok(exit) => exit,
            Err(failure) if !found.is_empty() && failure.exit == Exit::NotReproduced => {
                tell("what is left of the input does not fail any more".into());
                break;
            }
            Err(failure) => return Err(failure),
        };
        let result = read(&path)?;
        let language = &next.plan.language;
        let rest = without(language, &next.plan.input, &result).filter(|rest| !rest.is_empty());
        let size = result.len() as u64;
        found.push(Cause { places: vec![path], text: result, size, unit: "byte" });
        let Some(rest) = rest.filter(|_| exit == Exit::Reduced) else {
            if exit == Exit::Reduced {
                break;
            }
            return Ok(exit);
        };
        next = again(args, &base, found.len() + 1, rest)?;
    }
    settle(&found, which, &tell)?;
    Ok(Exit::Reduced)
}

/// The same reduction of the rest.
fn again(args: &Reduce, base: &Path, number: usize, rest: Vec<u8>) -> Result<Reduction, Failure> {
    let mut args = args.clone();
    args.output = Some(beside(base, &number.to_string()));
    // What must stay may have gone with the results before.
    args.scope.keep.retain(|regex| regex.is_match(&rest));
    Reduction::with_input(args, |_| Ok(rest))
}

fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    fs::read(path).map_err(|error| {
        Failure::new(Exit::NotWritten, format!("cannot read {} again: {error}", path.display()))
    })
}
