//! The names of signatures, and the signatures of failures that no message tells.

use minirepro_runner::{Digest, Signature};

/// Returns the name of a signature, which is the same in all batches: the first 12 hexadecimal
/// digits of the XXH3 hash, of 128 bits, of its text.
pub fn signature_name(signature: &str) -> String {
    Digest::of(signature.as_bytes()).as_str()[..12].to_owned()
}

/// The signature of what a script accepts without a message that tells one failure from another.
pub fn accepted() -> Signature {
    Signature::bare("accepted by the test", "exit code 0")
}

/// The signature of a program that does not end.
pub fn hang() -> Signature {
    Signature::bare("hang", "time limit")
}
