//! Places in a text as tools name them: by lines and columns.

/// A text with the places where its lines begin.
pub struct Lines<'t> {
    text: &'t [u8],
    begins: Vec<usize>,
}

impl<'t> Lines<'t> {
    /// Finds the lines of a text. Linear in it.
    pub fn of(text: &'t [u8]) -> Self {
        let ends = text.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
        let begins = std::iter::once(0).chain(ends.map(|(at, _)| at + 1)).collect();
        Self { text, begins }
    }

    /// Returns where a line and a column begin, both counted from 1; a column of 0 is the line's
    /// first word.
    pub fn offset(&self, (line, column): (u32, u32)) -> Option<usize> {
        let number = (line as usize).checked_sub(1)?;
        let begin = *self.begins.get(number)?;
        let end = self.begins.get(number + 1).copied().unwrap_or(self.text.len());
        let line = &self.text[begin..end];
        let column = match column {
            0 => line.iter().position(|byte| !byte.is_ascii_whitespace()).unwrap_or(0),
            column => column as usize - 1,
        };
        (column < line.len()).then_some(begin + column)
    }

    /// Returns the word or sign that begins at a byte.
    pub fn token(&self, at: usize) -> String {
        let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_' || *byte >= 0x80;
        let is_sign = |byte: &u8| byte.is_ascii_punctuation() && !b"()[]{};,_".contains(byte);
        let rest = &self.text[at..];
        let word = rest.iter().take_while(|byte| is_word(byte)).count();
        let sign = rest.iter().take_while(|byte| is_sign(byte)).count();
        String::from_utf8_lossy(&rest[..word.max(sign)]).into_owned()
    }
}
