//! The stack that a program has written when it failed.

use cpp_demangle::{DemangleOptions, Symbol};
use regex::Captures;

use crate::signature::patterns::PATTERNS;

/// The number of innermost frames that may belong to the report of a failure.
const TOP: usize = 16;

/// A line of a stack.
#[derive(Clone, Debug)]
pub(super) struct Frame {
    pub function: String,
    /// The name of the file, and the line.
    pub place: Option<String>,
}

impl Frame {
    fn is_around(&self) -> bool {
        PATTERNS.around.is_match(&self.function)
    }

    /// An address changes with every build.
    fn is_named(&self) -> bool {
        !self.function.contains("+0x")
    }
}

/// Returns the first stack in the text, innermost frame first, without the frames of every stack.
pub(super) fn frames(text: &str) -> Vec<Frame> {
    let mut is_innermost_last = false;
    let mut frames: Vec<Frame> = Vec::new();
    let mut others = 0;
    for line in text.lines() {
        // Another one begins.
        if !frames.is_empty() && PATTERNS.beginning.is_match(line) {
            break;
        }
        let found = PATTERNS.frames.iter().find_map(|(pattern, last)| {
            pattern.captures(line).map(|found| (joined(&found, ""), *last))
        });
        match (found, frames.last_mut()) {
            (Some((frame, last)), _) => {
                (is_innermost_last, others) = (last, 0);
                let function = demangled(&frame).map_or(frame, |name| without_arguments(&name));
                frames.push(Frame { function, place: place_in(line) });
            }
            (None, None) => {}
            (None, Some(last)) => {
                // Some write the file on a line of its own.
                if others == 0 && last.place.is_none() {
                    last.place = place_in(line);
                }
                // Source lines stand between frames; after several others, the stack is over.
                others += if line.is_empty() { 9 } else { 1 };
            }
        }
        if others > 4 || frames.len() > 200 {
            break;
        }
    }
    if is_innermost_last {
        frames.reverse();
    }
    without_reporting(frames)
}

/// Returns the file and the line that a line of a stack names.
fn place_in(line: &str) -> Option<String> {
    let found = PATTERNS.place.captures(line)?;
    Some(format!("{}:{}", &found[1], &found[2]))
}

fn without_reporting(mut frames: Vec<Frame>) -> Vec<Frame> {
    let is_reporting = |frame: &Frame| PATTERNS.reporting.is_match(&frame.function);
    if let Some(last) = frames[..frames.len().min(TOP)].iter().rposition(is_reporting) {
        // Short stacks end in the C library too.
        if frames[last + 1..].iter().all(Frame::is_around) {
            frames.retain(|frame| !is_reporting(frame));
        } else {
            frames.drain(..=last);
        }
    }
    frames.retain(|frame| !frame.is_around());
    // Two functions with names say enough.
    if frames.iter().filter(|frame| frame.is_named()).count() > 1 {
        frames.retain(Frame::is_named);
    }
    // Recursion may go deeper or less deep in a smaller input.
    frames.dedup_by(|later, frame| later.function == frame.function);
    frames
}

/// Returns the groups that match as one text.
pub(super) fn joined(found: &Captures<'_>, by: &str) -> String {
    let mut text = String::new();
    for group in found.iter().skip(1).flatten() {
        let by = if text.is_empty() || group.as_str().starts_with(':') { "" } else { by };
        text.push_str(by);
        text.push_str(group.as_str());
    }
    text
}

/// Returns the qualified name that a mangled one of C++ or Rust stands for, with the arguments of
/// templates, without parameters; `None` for other names. Linear in the result, which may be
/// much longer.
pub(crate) fn demangled(name: &str) -> Option<String> {
    if let Ok(name) = rustc_demangle::try_demangle(name) {
        return Some(format!("{name:#}"));
    }
    if !name.trim_start_matches('_').starts_with('Z') {
        return None;
    }
    let options = DemangleOptions::new().no_params().no_return_type();
    Symbol::new(name).ok()?.demangle_with_options(&options).ok()
}

/// Returns a qualified name without the arguments of templates.
pub(crate) fn without_arguments(name: &str) -> String {
    let mut kept = String::new();
    let mut depth = 0;
    for character in name.chars() {
        // The sign of an operator is a part of its name.
        let is_sign = depth == 0 && kept.ends_with("operator")
            || kept.ends_with("operator<")
            || kept.ends_with("operator-");
        match character {
            '<' if !is_sign => depth += 1,
            '>' if !is_sign && depth > 0 => depth -= 1,
            _ if depth == 0 => kept.push(character),
            _ => {}
        }
    }
    kept
}
