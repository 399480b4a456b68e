//! Parsers for the values of options.

use std::ffi::OsStr;
use std::str::FromStr;
use std::time::Duration;

use clap::builder::{PossibleValue, StringValueParser, TypedValueParser};
use minirepro_program::{RetryPolicy, pass_in_words};

/// A size, in one of two units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    /// Tokens, as the language counts them.
    Tokens(u64),
    /// Bytes of the file.
    Bytes(u64),
}

/// Parses a whole number from 1 on.
///
/// # Errors
/// If it is not one.
pub fn whole<N: FromStr + Default + PartialOrd>(text: &str) -> Result<N, String> {
    let number = text.parse().ok().filter(|number| *number > N::default());
    number.ok_or_else(|| "must be a whole number from 1 on".into())
}

/// Parses a time: `90`, `90s`, `1.5m` or `2h`.
///
/// # Errors
/// If it is not a number above 0, perhaps with one of these units.
pub fn time(text: &str) -> Result<Duration, String> {
    let unit = text.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    let factor = [("", 1.0), ("s", 1.0), ("m", 60.0), ("min", 60.0), ("h", 3600.0)];
    let factor = factor.iter().find(|(name, _)| *name == unit).map(|(_, factor)| factor);
    let number = text[..text.len() - unit.len()].parse::<f64>().ok();
    let seconds = number.zip(factor).map(|(number, factor)| number * factor);
    let time = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    time.filter(|time| !time.is_zero())
        .ok_or_else(|| "must be a number above 0, with s, m or h after it".into())
}

/// Parses how often a test is repeated: a number of times, or a share of its tests.
///
/// # Errors
/// If it is neither a whole number from 1 on nor between 0 and 1.
pub fn retry(text: &str) -> Result<RetryPolicy, String> {
    let times = text.parse().ok().filter(|times| *times > 0).map(RetryPolicy::Repeat);
    let rate =
        || text.parse().ok().filter(|rate| 0.0 < *rate && *rate < 1.0).map(RetryPolicy::Rate);
    times.or_else(rate).ok_or("must be a whole number from 1 on, or between 0 and 1".into())
}

/// What of a stack belongs to a signature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stack {
    /// At most this many frames.
    pub frames: usize,
    /// The file and the line in the innermost one.
    pub place: bool,
}

impl Default for Stack {
    fn default() -> Self {
        Self { frames: 3, place: false }
    }
}

/// Parses what of a stack belongs to a signature, like `3` or `3,place`.
///
/// # Errors
/// If it is not a number, perhaps with this word.
pub fn stack(text: &str) -> Result<Stack, String> {
    let number = text.strip_suffix(",place");
    let frames = number.unwrap_or(text).parse().map_err(|_| "must be like 3 or 3,place")?;
    Ok(Stack { frames, place: number.is_some() })
}

/// Parses megabytes to bytes.
///
/// # Errors
/// If they are not a whole number from 1 on, or too many.
pub fn megabytes(text: &str) -> Result<u64, String> {
    whole::<u64>(text)?.checked_mul(1 << 20).ok_or_else(|| "is more than there can be".into())
}

/// Parses a size like `100tokens`.
///
/// # Errors
/// If the number or the unit is missing.
pub fn size(text: &str) -> Result<Size, String> {
    let at = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let number = text[..at].parse().map_err(|_| "must begin with a number".to_owned())?;
    match text[at..].trim() {
        "tokens" | "token" | "t" => Ok(Size::Tokens(number)),
        "bytes" | "byte" | "b" | "B" => Ok(Size::Bytes(number)),
        _ => Err("must end with `tokens` or `bytes`".into()),
    }
}

/// Parses the name of a pass.
///
/// # Errors
/// If no pass has this name.
pub fn pass(name: &str) -> Result<String, String> {
    let known = pass_in_words(name).map(|_| name.to_owned());
    known.ok_or_else(|| "no pass has this name; see `minirepro passes`".to_owned())
}

/// A value that may be anything, with suggestions for the completions of shells.
#[derive(Clone, Copy, Debug)]
pub struct Suggested(pub fn() -> Vec<String>);

impl TypedValueParser for Suggested {
    type Value = String;

    fn parse_ref(
        &self,
        command: &clap::Command,
        argument: Option<&clap::Arg>,
        value: &OsStr,
    ) -> Result<String, clap::Error> {
        StringValueParser::new().parse_ref(command, argument, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new((self.0)().into_iter().map(PossibleValue::new)))
    }
}

/// Returns the names of all languages of this program.
pub fn languages() -> Vec<String> {
    minirepro_program::languages::all().iter().map(|info| info.name.clone()).collect()
}

/// Returns the names of all passes.
pub fn pass_names() -> Vec<String> {
    minirepro_program::passes().into_iter().map(|pass| pass.name.to_string()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_and_times_are_read() {
        assert_eq!(size("100tokens"), Ok(Size::Tokens(100)));
        assert_eq!(size("2 bytes"), Ok(Size::Bytes(2)));
        assert!(size("7").is_err() && size("bytes").is_err() && size("").is_err());
        for (text, milliseconds) in
            [("0.5", 500), ("90s", 90_000), ("6m", 360_000), ("1.5h", 5_400_000)]
        {
            assert_eq!(time(text), Ok(Duration::from_millis(milliseconds)));
        }
        assert!(["0", "-1", "nan", "1e99", "", "m", "3d"].iter().all(|text| time(text).is_err()));
    }
}
