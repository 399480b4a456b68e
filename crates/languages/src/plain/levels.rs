//! How many levels a text may open by indentation, list markers and brackets, before a parser sees
//! it: some scanners keep them in 1 KB and end the program where there are more.

/// Returns whether more levels than these may be open somewhere. Linear. Levels of texts that look
/// like it but are quoted count, too.
pub(crate) fn exceed(text: &[u8], most: usize) -> bool {
    let mut indentations: Vec<usize> = Vec::new();
    let mut brackets = 0usize;
    for line in text.split(|&b| b == b'\n') {
        let indentation = line.iter().take_while(|&&b| b == b' ' || b == b'\t').count();
        if indentation == line.trim_ascii_end().len() {
            continue;
        }
        indentations.truncate(indentations.partition_point(|&outer| outer < indentation));
        indentations.push(indentation);
        let mut markers = 0;
        for (at, byte) in line.iter().enumerate() {
            match byte {
                b'[' | b'{' => brackets += 1,
                b']' | b'}' => brackets = brackets.saturating_sub(1),
                b'-' | b'?' | b':' if brackets == 0 => {
                    markers += usize::from(line.get(at + 1).is_none_or(u8::is_ascii_whitespace));
                }
                _ => {}
            }
            // A line of markers opens as many levels, and those that follow are inside of them.
            if indentations.len() + markers + brackets > most {
                return true;
            }
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::exceed;

    #[test]
    fn levels_are_those_of_lines_markers_and_brackets() {
        let steps: String = (0..9).map(|i| format!("{}a:\n", " ".repeat(i))).collect();
        for (text, levels) in [
            ("", 0),
            ("a: b\nc: d\n", 2),
            ("- - - x\n- y", 4),
            ("[[[1], {a: 2}]]", 4),
            (&steps, 10),
        ] {
            assert!(!exceed(text.as_bytes(), levels), "{text}");
            assert!(levels == 0 || exceed(text.as_bytes(), levels - 1), "{text}");
        }
    }
}
