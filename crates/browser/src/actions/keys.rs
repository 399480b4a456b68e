//! The keys of a keyboard: how they are called, and what the protocols of browsers call them.

/// Keys that are no letters, as `KeyboardEvent.key` has them, with their numbers and the letters
/// that stand for them in WebDriver.
const KEYS: [(&str, u32, char); 24] = [
    ("Enter", 13, '\u{e007}'),
    ("Tab", 9, '\u{e004}'),
    ("Escape", 27, '\u{e00c}'),
    ("Backspace", 8, '\u{e003}'),
    ("Delete", 46, '\u{e017}'),
    ("Insert", 45, '\u{e016}'),
    ("ArrowLeft", 37, '\u{e012}'),
    ("ArrowUp", 38, '\u{e013}'),
    ("ArrowRight", 39, '\u{e014}'),
    ("ArrowDown", 40, '\u{e015}'),
    ("Home", 36, '\u{e011}'),
    ("End", 35, '\u{e010}'),
    ("PageUp", 33, '\u{e00e}'),
    ("PageDown", 34, '\u{e00f}'),
    ("Shift", 16, '\u{e008}'),
    ("Control", 17, '\u{e009}'),
    ("Alt", 18, '\u{e00a}'),
    ("Meta", 91, '\u{e03d}'),
    ("F1", 112, '\u{e031}'),
    ("F2", 113, '\u{e032}'),
    ("F3", 114, '\u{e033}'),
    ("F4", 115, '\u{e034}'),
    ("F5", 116, '\u{e035}'),
    ("F6", 117, '\u{e036}'),
];

/// Returns the bit in Chromium's protocol of a key that changes what others mean.
pub(crate) fn modifier(name: &str) -> u32 {
    ["Alt", "Control", "Meta", "Shift"].iter().position(|key| *key == name).map_or(0, |at| 1 << at)
}

/// Returns code and number of a key.
pub(crate) fn code(name: &str) -> (String, u32) {
    if let Some((_, number, _)) = KEYS.iter().find(|(key, ..)| *key == name) {
        let side = if modifier(name) == 0 { "" } else { "Left" };
        return (format!("{name}{side}"), *number);
    }
    let mut letters = name.chars();
    let only = letters.next().filter(|_| letters.next().is_none());
    match only.map(|letter| letter.to_ascii_uppercase()) {
        Some(letter @ 'A'..='Z') => (format!("Key{letter}"), letter.into()),
        Some(digit @ '0'..='9') => (format!("Digit{digit}"), digit.into()),
        Some(' ') => ("Space".to_owned(), 32),
        _ => (String::new(), 0),
    }
}

/// Returns the text that a key writes.
pub(crate) fn text(name: &str) -> Option<&str> {
    match name {
        "Enter" => Some("\r"),
        _ => Some(name).filter(|name| name.chars().count() == 1),
    }
}

/// Returns the letter that stands for a key in WebDriver.
pub(crate) fn driver(name: &str) -> String {
    let key = KEYS.iter().find(|(key, ..)| *key == name);
    key.map_or_else(|| name.to_owned(), |(.., letter)| letter.to_string())
}

/// Splits what is pressed together: `Control+b` is `Control` and `b`.
pub(crate) fn together(keys: &str) -> Vec<&str> {
    // A plus is a key, too.
    let plus = keys.ends_with('+').then_some("+");
    keys.split('+').filter(|key| !key.is_empty()).chain(plus).collect()
}

#[cfg(test)]
mod tests {
    use super::{code, together};

    #[test]
    fn keys_have_names_codes_and_numbers() {
        assert_eq!(together("Control+Shift+b"), ["Control", "Shift", "b"]);
        assert_eq!((together("+"), together("Control++")), (vec!["+"], vec!["Control", "+"]));
        assert_eq!(code("b"), ("KeyB".to_owned(), 66));
        assert_eq!(code("ArrowUp"), ("ArrowUp".to_owned(), 38));
        assert_eq!(code("Shift").0, "ShiftLeft");
    }
}
