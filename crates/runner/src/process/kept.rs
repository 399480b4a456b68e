//! The part of an output that is kept: its beginning and its end.

/// A text of which only the first and the last half of some number of bytes are kept.
#[derive(Debug)]
pub(crate) struct Kept {
    first: Vec<u8>,
    last: Vec<u8>,
    half: usize,
}

impl Kept {
    pub fn new(most: usize) -> Self {
        Self { first: Vec::new(), last: Vec::new(), half: most / 2 }
    }

    pub fn add(&mut self, text: &[u8]) {
        let (head, tail) = text.split_at(text.len().min(self.half - self.first.len()));
        self.first.extend_from_slice(head);
        self.last.extend_from_slice(tail);
        let surplus = self.last.len().saturating_sub(self.half);
        // Not for each few bytes.
        if surplus > self.half + (64 << 10) {
            self.last.drain(..surplus);
        }
    }

    pub fn into_text(mut self) -> Vec<u8> {
        self.first.extend_from_slice(&self.last[self.last.len().saturating_sub(self.half)..]);
        self.first
    }
}
