//! Words of a command line that are languages of their own: templates, patterns, names.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;

use minirepro_engine::{Algorithm, Granularity};
use minirepro_runner::{Conditions, Pattern, Template};

/// Reads every line of the bytes as a word of a command.
pub fn arguments(bytes: &[u8]) {
    let lines = bytes.split(|&b| b == b'\n');
    let words: Vec<OsString> = lines.map(|line| OsStr::from_bytes(line).to_owned()).collect();
    if let Ok(template) = Template::new(&words) {
        let names = template.names().len();
        for (first, second) in template.pairs() {
            assert!(first < names && second < names, "a pair of a word that is not there");
        }
    }
    for word in words.iter().filter_map(|word| word.to_str()) {
        let _ = word.parse::<Pattern>();
        let _ = Conditions::ending(word);
        let _ = word.parse::<Algorithm>();
        let _ = word.parse::<Granularity>();
        let _ = minirepro_languages::by_name(word);
        let _ = minirepro_languages::guess(word, bytes);
    }
}
