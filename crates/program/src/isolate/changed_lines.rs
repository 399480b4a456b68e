//! The size of a difference in lines.

use minirepro_circumstances::align;
use minirepro_circumstances::archive::entries;

/// Returns how many lines are not the same in both texts.
pub fn of_texts(old: &[u8], new: &[u8]) -> u64 {
    let olds = old.split_inclusive(|&b| b == b'\n');
    let news = new.split_inclusive(|&b| b == b'\n');
    let changes = align(olds, news).into_iter().filter(|run| !run.common);
    changes.map(|run| (run.old.len() + run.new.len()) as u64).sum()
}

/// Returns how many lines are not the same in the files of two archives. Binary files do not count.
pub fn of_archives(old: &[u8], new: &[u8]) -> u64 {
    let olds = entries(old);
    let news = entries(new);
    let mut paths: Vec<&[u8]> = olds.iter().chain(&news).map(|entry| entry.path).collect();
    paths.sort_unstable();
    paths.dedup();
    let mut lines = 0;
    for path in paths {
        let text = |all: &[minirepro_circumstances::archive::Entry<'_>]| -> Vec<u8> {
            let found = all.iter().find(|entry| entry.path == path);
            found.map_or_else(Vec::new, |entry| entry.text.to_vec())
        };
        let before = text(&olds);
        let after = text(&news);
        if !before.contains(&0) && !after.contains(&0) {
            lines += of_texts(&before, &after);
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::of_texts;

    #[test]
    fn lines_of_both_sides_count() {
        assert_eq!(of_texts(b"a\nb\nc\n", b"a\nx\ny\nc\n"), 3);
        assert_eq!(of_texts(b"", b"a\n"), 1);
        assert_eq!(of_texts(b"a", b"a"), 0);
    }
}
