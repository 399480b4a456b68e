//! Signatures are looked for in whatever a program has written.

use std::cell::OnceCell;

use minirepro_runner::{Signatures, TestEnd};

thread_local! {
    static SIGNATURES: OnceCell<Signatures> = const { OnceCell::new() };
}

/// Looks for a signature in the bytes, as what was written to either stream.
pub fn signature(text: &[u8]) {
    let (stdout, stderr) = text.split_at(text.len() / 3);
    SIGNATURES.with(|known| {
        let signatures = known.get_or_init(|| Signatures::new(3, None));
        for end in [TestEnd::Exited(1), TestEnd::Signaled(6), TestEnd::TimedOut] {
            let found = signatures.of(end, stdout, stderr);
            let again = signatures.of(end, stdout, stderr);
            assert_eq!(found, again, "the same output has another signature");
        }
    });
}
