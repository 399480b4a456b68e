//! Messages without the parts that change from run to run.

use std::sync::LazyLock;

use regex::{Captures, Regex};

use crate::signature::patterns::compile;

/// The number of characters of a message that count.
const LONGEST: usize = 200;

/// The form of what stands in quotes and does not count.
pub(super) const BLANK: &str = "'…'";

/// What stands in quotes, with these.
pub(super) static QUOTED: LazyLock<Regex> =
    LazyLock::new(|| compile(r#"‘[^’]*’|“[^”]*”|"[^"]*"|`[^`]*`|`[^`']*'|\B'[^']*'"#));

/// Blanked in every message: addresses and places in files.
static EXACT: LazyLock<Vec<(Regex, &str)>> = LazyLock::new(|| {
    table(&[(r"0x[0-9a-fA-F]+", "0x"), (r"(\.\w+):\d+(?::\d+)*", "$1"), (r"\s+", " ")])
});

/// Blanked where names and numbers come from the input: the first before what stands in quotes.
static LOOSE: LazyLock<Vec<(Regex, &str)>> = LazyLock::new(|| {
    table(&[
        (r"(?:[\w.+-]*/)+([\w.+-]+)", "$1"),
        (r"<[^<>]*>", "<…>"),
        // A variable of PHP, Perl or a shell.
        (r"\$[A-Za-z_]\w*", "$…"),
        // A symbol, as LLVM writes it.
        (r"@[A-Za-z_$.][\w$.]*", "@…"),
        (NUMBER, "N"),
    ])
});

const NUMBER: &str = r"\b\d+\b";
static NUMBERS: LazyLock<Regex> = LazyLock::new(|| compile(NUMBER));

fn table(rows: &[(&str, &'static str)]) -> Vec<(Regex, &'static str)> {
    rows.iter().map(|(pattern, by)| (compile(pattern), *by)).collect()
}

/// Returns a message as it is compared. What stands in quotes in a `loose` one only counts if this
/// `keeps` it.
pub(super) fn normal(text: &str, loose: bool, keeps: &dyn Fn(&str) -> bool) -> String {
    let blanked = |message: String, rows: &[(Regex, &str)]| {
        rows.iter()
            .fold(message, |text, (pattern, by)| pattern.replace_all(&text, *by).into_owned())
    };
    let mut message = blanked(text.to_owned(), &EXACT);
    if loose {
        let (paths, others) = LOOSE.split_at(1);
        let quoted = |found: &Captures<'_>| {
            let text = &found[0];
            let is_steady = !text.contains(['<', '@', '/']) && !NUMBERS.is_match(text);
            if is_steady && keeps(text) { text.to_owned() } else { BLANK.to_owned() }
        };
        message = QUOTED.replace_all(&blanked(message, paths), quoted).into_owned();
        message = blanked(message, others);
    }
    message.trim().chars().take(LONGEST).collect()
}

/// Returns whether a message has words, or values.
pub(super) fn says_something(message: &str) -> bool {
    let left = QUOTED.replace_all(message, "");
    left.split(|c: char| !c.is_alphanumeric()).any(|word| !word.is_empty() && word != "N")
}
