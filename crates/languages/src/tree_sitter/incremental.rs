//! Parses a text that differs little from one that was parsed before: tree-sitter is told which
//! parts are new and reads only those.

use memchr::{memchr_iter, memrchr};
use minirepro_syntax::Copied;
use tree_sitter::{InputEdit, Point, Tree};

/// Returns the tree of `text`, told what became of it in `candidate`, which was made by copying
/// these parts. Linear in the changes, plus one look at the text for its lines.
///
/// The tree that the parser makes of it is that of the candidate; where the candidate has errors,
/// it may stumble over them in another way than without an old tree.
pub(crate) fn adapt(tree: &Tree, text: &[u8], candidate: &[u8], copied: &[Copied]) -> Tree {
    let end = Copied { from: text.len()..text.len(), to: candidate.len() };
    let mut changes = Vec::new();
    let (mut old, mut new) = (0, 0);
    let (mut place, mut point) = (0, Point::default());
    for part in copied.iter().chain([&end]) {
        if part.from.start < old {
            // It stood before what is kept already: it counts as new.
            continue;
        }
        if (part.from.start, part.to) != (old, new) {
            let start_position = after(point, &text[place..old]);
            point = after(start_position, &text[old..part.from.start]);
            place = part.from.start;
            changes.push(InputEdit {
                start_byte: old,
                old_end_byte: place,
                new_end_byte: old + part.to - new,
                start_position,
                old_end_position: point,
                new_end_position: after(start_position, &candidate[new..part.to]),
            });
        }
        (old, new) = (part.from.end, part.to + part.from.len());
    }
    let mut tree = tree.clone();
    // From last to first: so the places of those to come are still those of the old text.
    changes.iter().rev().for_each(|edit| tree.edit(edit));
    tree
}

/// Returns where a text ends that begins here: lines, and bytes from the start of the line.
fn after(Point { row, column }: Point, text: &[u8]) -> Point {
    match memrchr(b'\n', text) {
        None => Point { row, column: column + text.len() },
        Some(last) => {
            Point { row: row + memchr_iter(b'\n', text).count(), column: text.len() - last - 1 }
        }
    }
}
