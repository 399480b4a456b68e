//! Where the result goes. Knows files, no session.

use std::io::{self, IsTerminal, Write};
use std::path::Path;
use std::sync::Arc;

use minirepro_runner::{Output, Writer, rescue};

use crate::exit::Exit;
use crate::failure::Failure;
use crate::plan::{Reduction, Talk, Target};

/// Where results go while we search and at the end.
pub enum Place {
    /// To standard output, at the end.
    Stdout,
    /// To something that can only be written to once, at the end.
    Once(Output),
    /// To a file, again and again.
    Always(Output, Writer),
}

impl Place {
    /// Writes the best result there is, at first the unchanged input, so that it is on disk from now
    /// on.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn new(reduction: &Reduction, best: &[u8]) -> Result<Self, Failure> {
        let Target::File(path) = &reduction.target else { return Ok(Self::Stdout) };
        let output = Output::new(path, &reduction.file);
        if !output.can_be_replaced() {
            return Ok(Self::Once(output));
        }
        output.clean();
        output.write(best).map_err(|error| {
            let advice = "Name a file in a directory that you can write to with -o.\n";
            Failure::new(Exit::NotWritten, error).advise(advice)
        })?;
        Ok(Self::Always(output.clone(), Writer::new(output)))
    }

    /// Hands over a better result.
    pub fn offer(&self, text: &Arc<[u8]>) {
        if let Self::Always(_, writer) = self {
            writer.offer(Arc::clone(text));
        }
    }

    /// Makes sure that the result is where it should be, or at least somewhere.
    ///
    /// # Errors
    /// When it is not where it should be.
    pub fn finish(self, best: &[u8], reduction: &Reduction) -> Result<(), Failure> {
        let written = match self {
            Self::Stdout => io::stdout().write_all(best).map_err(|error| error.to_string()),
            Self::Once(output) => output.write(best).map_err(|error| error.to_string()),
            Self::Always(output, writer) => {
                // What was offered last is the best.
                let written = writer.finish().map_err(|error| error.to_string());
                if written.is_ok() && reduction.talk > Talk::Quiet {
                    eprintln!("  result: {}", output.name().display());
                }
                written
            }
        };
        written.map_err(|error| rescued(&error, best, &reduction.file))
    }
}

fn rescued(error: &str, best: &[u8], name: &Path) -> Failure {
    let failure = Failure::new(Exit::NotWritten, error);
    match rescue(name, best) {
        Ok(path) => failure.advise(format!("The result is in {} instead.\n", path.display())),
        Err(_) if io::stdout().is_terminal() => failure,
        Err(_) => {
            let told = io::stdout().write_all(best).is_ok();
            failure.advise(if told { "The result went to standard output instead.\n" } else { "" })
        }
    }
}
