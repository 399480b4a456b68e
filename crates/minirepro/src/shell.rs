//! Words for a shell.

use std::ffi::OsStr;

/// Writes a word so that a shell reads it as one.
pub fn quote(word: &OsStr) -> String {
    let text = word.to_string_lossy().into_owned();
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "/._-+,:@%=".contains(c);
    if !text.is_empty() && text.chars().all(is_plain) {
        text
    } else {
        format!("'{}'", text.replace('\'', "'\\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_where_a_shell_would_change_them() {
        let quoted = ["gcc", "-O2", "a b", "it's", ""].map(|word| quote(OsStr::new(word)));
        assert_eq!(quoted.join(" "), r"gcc -O2 'a b' 'it'\''s' ''");
    }
}
