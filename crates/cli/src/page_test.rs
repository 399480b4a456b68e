//! Tells tests of pages, which need browsers, from other scripts.

use std::path::Path;

use minirepro_program::sources;

/// Returns whether a file is a test that `minirepro-browser` has written.
pub fn is_test(path: &Path) -> bool {
    let begin = b"#!/bin/sh\n# Written by minirepro-browser.\n";
    path.is_file() && sources::file(path).is_ok_and(|text| text.starts_with(begin))
}
