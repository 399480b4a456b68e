//! The keys of a keyboard: how they are called, and what the protocols of browsers call them.

/// A key that is no letter.
struct Key {
    /// As `KeyboardEvent.key` and `KeyboardEvent.code` have it.
    name: &'static str,
    code: &'static str,
    number: u32,
    /// As WebDriver has it.
    driver: char,
}

const KEYS: [Key; 24] = [
    key("Enter", "Enter", 13, '\u{e007}'),
    key("Tab", "Tab", 9, '\u{e004}'),
    key("Escape", "Escape", 27, '\u{e00c}'),
    key("Backspace", "Backspace", 8, '\u{e003}'),
    key("Delete", "Delete", 46, '\u{e017}'),
    key("Insert", "Insert", 45, '\u{e016}'),
    key("ArrowLeft", "ArrowLeft", 37, '\u{e012}'),
    key("ArrowUp", "ArrowUp", 38, '\u{e013}'),
    key("ArrowRight", "ArrowRight", 39, '\u{e014}'),
    key("ArrowDown", "ArrowDown", 40, '\u{e015}'),
    key("Home", "Home", 36, '\u{e011}'),
    key("End", "End", 35, '\u{e010}'),
    key("PageUp", "PageUp", 33, '\u{e00e}'),
    key("PageDown", "PageDown", 34, '\u{e00f}'),
    key("Shift", "ShiftLeft", 16, '\u{e008}'),
    key("Control", "ControlLeft", 17, '\u{e009}'),
    key("Alt", "AltLeft", 18, '\u{e00a}'),
    key("Meta", "MetaLeft", 91, '\u{e03d}'),
    key("F1", "F1", 112, '\u{e031}'),
    key("F2", "F2", 113, '\u{e032}'),
    key("F3", "F3", 114, '\u{e033}'),
    key("F4", "F4", 115, '\u{e034}'),
    key("F5", "F5", 116, '\u{e035}'),
    key("F6", "F6", 117, '\u{e036}'),
];

const fn key(name: &'static str, code: &'static str, number: u32, driver: char) -> Key {
    Key { name, code, number, driver }
}

/// Keys that change what others mean, with their bits in Chromium's protocol.
const MODIFIERS: [(&str, u32); 4] = [("Alt", 1), ("Control", 2), ("Meta", 4), ("Shift", 8)];

/// Returns the bit of a key that changes what others mean.
pub(crate) fn modifier(name: &str) -> u32 {
    MODIFIERS.iter().find(|(key, _)| *key == name).map_or(0, |(_, bit)| *bit)
}

/// Returns code and number of a key.
pub(crate) fn code(name: &str) -> (String, u32) {
    if let Some(key) = KEYS.iter().find(|key| key.name == name) {
        return (key.code.to_owned(), key.number);
    }
    let mut letters = name.chars();
    match (letters.next(), letters.next()) {
        (Some(letter), None) if letter.is_ascii_alphabetic() => {
            let letter = letter.to_ascii_uppercase();
            (format!("Key{letter}"), u32::from(letter))
        }
        (Some(letter), None) if letter.is_ascii_digit() => {
            (format!("Digit{letter}"), u32::from(letter))
        }
        (Some(' '), None) => ("Space".to_owned(), 32),
        _ => (String::new(), 0),
    }
}

/// Returns the text that a key writes.
pub(crate) fn text(name: &str) -> Option<String> {
    match name {
        "Enter" => Some("\r".to_owned()),
        _ if name.chars().count() == 1 => Some(name.to_owned()),
        _ => None,
    }
}

/// Returns the letter that stands for a key in WebDriver.
pub(crate) fn driver(name: &str) -> String {
    match KEYS.iter().find(|key| key.name == name) {
        Some(key) => key.driver.to_string(),
        None => name.to_owned(),
    }
}

/// Splits what is pressed together: `Control+b` is `Control` and `b`.
pub(crate) fn together(keys: &str) -> Vec<&str> {
    match keys.strip_suffix('+') {
        // A plus is a key, too.
        Some(before) => {
            let before = before.trim_end_matches('+');
            before.split('+').filter(|key| !key.is_empty()).chain(["+"]).collect()
        }
        None => keys.split('+').filter(|key| !key.is_empty()).collect(),
    }
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
    }
}
