//! The guide explains each step of a path in the words of the code.
//! `UPDATE_EXPECT=1 cargo test -p minirepro-rules` writes them there.

#![expect(
    clippy::disallowed_methods,
    reason = "it compares a chapter of the guide, which is a file"
)]

use minirepro_rules::Word;
use strum::{EnumMessage, VariantNames};

const HEAD: &str = "| step | leads to | such as |\n|---|---|---|\n";

#[test]
fn the_guide_explains_each_word_of_a_path() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../cli/guide/rules.md");
    let guide = std::fs::read_to_string(path).unwrap();
    let rows = Word::VARIANTS.iter().map(|name| {
        let word: Word = name.parse().unwrap();
        let sentence = word.get_documentation().unwrap().split_whitespace();
        let sentence = sentence.collect::<Vec<_>>().join(" ");
        let (step, meaning) = sentence.split_once(": ").unwrap();
        assert!(step.starts_with(&format!("`.{name}")), "{sentence}");
        let (meaning, example) = meaning.split_once(". Such as ").unwrap();
        format!("| {step} | {meaning} | {} |\n", example.trim_end_matches('.'))
    });
    let table = format!("{HEAD}{}", rows.collect::<String>());
    let start = guide.find(HEAD).unwrap();
    let end = start + guide[start..].find("\n\n").unwrap() + 1;
    let expected = format!("{}{table}{}", &guide[..start], &guide[end..]);
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::write(path, expected).unwrap();
    } else {
        assert!(guide == expected, "the table of words is not that of the code");
    }
}
