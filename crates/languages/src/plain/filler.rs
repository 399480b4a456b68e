//! Bytes that say nothing: zeros, and those that repeat the one before them.

use std::ops::Range;

/// Shorter runs are not one unit.
const SHORT: usize = 8;

/// Returns how many bytes of a span say something. Linear.
pub(crate) fn tokens(text: &[u8], span: Range<usize>) -> usize {
    span.filter(|&at| says_something(text, at)).count()
}

fn says_something(text: &[u8], at: usize) -> bool {
    text[at] != 0 && (at == 0 || text[at - 1] != text[at])
}

/// Returns the units of a span: single bytes, and runs of those that say nothing, halved down to
/// single bytes so that any length of a run can be left. Linear.
pub(crate) fn units(text: &[u8], span: Range<usize>) -> Vec<Range<usize>> {
    let mut units = Vec::new();
    let mut at = span.start;
    while at < span.end {
        let run = (at..span.end).take_while(|&i| !says_something(text, i)).count();
        if run < SHORT {
            let end = at + run.max(1);
            units.extend((at..end).map(|i| i..i + 1));
            at = end;
            continue;
        }
        let end = at + run;
        while at < end {
            let size = (end - at).div_ceil(2);
            units.push(at..at + size);
            at += size;
        }
    }
    units
}

#[cfg(test)]
mod tests {
    use std::ops::Range;

    use super::{tokens, units};

    #[test]
    fn runs_are_units() {
        let text = [&b"ab\0c"[..], &[0; 13], b"dd", &[0xff; 10]].concat();
        let lengths: Vec<usize> = units(&text, 0..text.len()).iter().map(Range::len).collect();
        assert_eq!(lengths, [1, 1, 1, 1, 7, 3, 2, 1, 1, 1, 1, 5, 2, 1, 1]);
        assert_eq!(tokens(&text, 0..text.len()), 5);
    }
}
