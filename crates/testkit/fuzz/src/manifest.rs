//! A manifest that somebody is writing is refused with a reason, whatever it says.

/// Loads the grammar of JSON with the text as its manifest.
pub fn manifest(text: &[u8]) {
    if let Ok(text) = std::str::from_utf8(text) {
        let _ = minirepro_languages::check_manifest("json", text);
    }
}
