//! Which edits are tried, as it was typed. Knows the names of passes and units.

use clap::Args;
use minirepro_engine::{Granularity, Pass, Scope as Edits, UnknownGranularity, passes};
use regex::bytes::{Regex, RegexBuilder};

use crate::exit::Exit;
use crate::failure::Failure;

/// Which edits are tried.
#[derive(Clone, Debug, Args)]
pub struct Scope {
    /// The result need not parse, even if FILE does
    #[arg(long)]
    pub allow_broken: bool,
    /// The smallest unit that is taken away: `items` (functions and declarations, elements of a page,
    /// paragraphs), `lines`, `tokens`, or `characters` [default: characters]
    #[arg(long, value_name = "UNIT", default_value_t, hide_default_value = true, value_parser = unit)]
    pub granularity: Granularity,
    /// Also try what seldom makes the result smaller
    #[arg(long)]
    pub thorough: bool,
    /// Do not try the edits of these passes, like `canonical,merges` to keep names; see
    /// `minirepro passes` (also several times)
    #[arg(long, value_name = "PASSES", value_delimiter = ',', value_parser = pass)]
    pub without: Vec<&'static Pass>,
    /// What this regular expression matches in FILE stays as it is (also several times)
    #[arg(long, value_name = "REGEX", value_parser = lines)]
    pub keep: Vec<Regex>,
}

impl Scope {
    /// What the engine is told.
    pub fn edits(&self) -> Edits {
        Edits {
            allow_broken: self.allow_broken,
            thorough: self.thorough,
            granularity: self.granularity,
            without: self.without.clone(),
            kept: self.keep.clone(),
        }
    }

    /// Refuses an expression that none of these texts matches: it was meant otherwise.
    ///
    /// # Errors
    /// When there is one.
    pub fn check(&self, name: &str, texts: &[&[u8]]) -> Result<(), Failure> {
        let matches = |regex: &Regex| texts.iter().any(|text| regex.is_match(text));
        self.keep.iter().find(|regex| !matches(regex)).map_or(Ok(()), |regex| {
            let message = format!("--keep '{regex}': nothing in {name} matches");
            Err(Failure::new(Exit::Usage, message))
        })
    }
}

fn unit(text: &str) -> Result<Granularity, UnknownGranularity> {
    text.parse()
}

fn pass(name: &str) -> Result<&'static Pass, String> {
    let found = passes().find(|pass| pass.name == name);
    found.ok_or_else(|| "no pass has this name; see `minirepro passes`".to_owned())
}

/// An expression whose `^` and `$` are the ends of lines.
fn lines(text: &str) -> Result<Regex, regex::Error> {
    RegexBuilder::new(text).multi_line(true).build()
}
