//! What is typed while a run goes on.

/// Something that a key asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Key {
    /// To start no further test, or to go on.
    Pause,
    /// To stop here, with the result.
    GoodEnough,
    /// To see what the keys do, or not to see it any more.
    Help,
    /// To end the run.
    Quit,
    /// To draw everything again.
    Redraw,
}

/// The keys, with what stands about them at the bottom of the screen, and in full sentences.
pub const KEYS: [(&str, &str, &str); 4] = [
    ("p", "pause", "Start no further test until p is pressed again; those that run go on."),
    (
        "g",
        "good enough",
        "The text is small enough: stop here, lay it out, and keep it as the result.",
    ),
    ("q", "quit", "End the run, as Ctrl-C does. `minirepro resume` goes on where it ended."),
    ("?", "help", "Show this, or hide it again. Ctrl-L draws everything again, Ctrl-Z suspends."),
];

/// Returns what the bytes ask for that a terminal sent at once. Keys without a meaning, and
/// sequences of escape such as those of arrows, ask for nothing.
pub fn read(bytes: &[u8]) -> Vec<Key> {
    let mut keys = Vec::new();
    let mut rest = bytes;
    while let Some((&first, behind)) = rest.split_first() {
        rest = behind;
        match first {
            b'p' | b'P' | b' ' => keys.push(Key::Pause),
            b'g' | b'G' => keys.push(Key::GoodEnough),
            b'?' | b'h' | b'H' => keys.push(Key::Help),
            b'q' | b'Q' => keys.push(Key::Quit),
            0x0c => keys.push(Key::Redraw),
            0x1b => rest = behind_sequence(behind),
            _ => {}
        }
    }
    keys
}

/// Returns what follows a sequence that began with escape: `[` or `O`, parameters, a final byte.
fn behind_sequence(bytes: &[u8]) -> &[u8] {
    let Some((b'[' | b'O', parameters)) = bytes.split_first() else { return bytes };
    let end = parameters.iter().position(|byte| (0x40..=0x7e).contains(byte));
    end.map_or(&[], |end| &parameters[end + 1..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_read_and_arrows_mean_nothing() {
        assert_eq!(read(b"pq"), [Key::Pause, Key::Quit]);
        assert_eq!(read(b"\x1b[A\x1bOP\x1b[1;5Cg"), [Key::GoodEnough], "arrows and F1 come first");
        assert_eq!(read(b"\x1bg"), [Key::GoodEnough], "escape alone");
        assert_eq!(read(b"?h"), [Key::Help, Key::Help]);
        assert_eq!(read(b"xyz\x1b[\xff\x00"), []);
    }
}
