//! Opens what differs between two texts of no grammar character by character.

use crate::patch::align::align;
use crate::versions::merge::{Merge, Segment};

/// Opens every difference, and blank space that differs, character by character (of invalid UTF-8,
/// byte by byte).
pub(super) fn by_character(merge: &Merge) -> Merge {
    let mut parts = Vec::new();
    for part in merge.parts() {
        let (a, b) = merge.texts(part);
        if a == b {
            parts.push(Segment { common: true, ..part.clone() });
            continue;
        }
        let (olds, news) = (characters(a), characters(b));
        let (mut old_at, mut new_at) = (part.old.start, part.new.start);
        let mut push = |old: usize, new: usize, common| {
            let (o, n) = (old_at, new_at);
            (old_at, new_at) = (o + old, n + new);
            parts.push(Segment { old: o..old_at, new: n..new_at, common });
        };
        for run in align(olds.iter().copied(), news.iter().copied()) {
            if run.common {
                let bytes = olds[run.old].iter().map(|c| c.len()).sum();
                push(bytes, bytes, true);
            } else {
                olds[run.old].iter().for_each(|c| push(c.len(), 0, false));
                news[run.new].iter().for_each(|c| push(0, c.len(), false));
            }
        }
    }
    merge.cut(parts)
}

fn characters(text: &[u8]) -> Vec<&[u8]> {
    let mut all = Vec::new();
    for chunk in text.utf8_chunks() {
        let valid = chunk.valid();
        all.extend(valid.char_indices().map(|(at, c)| &valid.as_bytes()[at..at + c.len_utf8()]));
        all.extend(chunk.invalid().chunks(1));
    }
    all
}
