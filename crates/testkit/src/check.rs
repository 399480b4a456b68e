//! Examples of passes: what single edits give, and what they never may.

use std::sync::Arc;

use minirepro_engine::{is_askable, offers, without_blanks as plain};
use minirepro_languages::{FileForm, PROJECT, by_name, by_name_in, guess, project, project_kinds};
use minirepro_passes::{Pass, of as passes_of, own};
use minirepro_syntax::Language;
use minirepro_syntax::archive::{Entry, Kind, entries, pack};

/// An example of what a pass does and does not.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Example {
    /// What it shows, in words.
    pub title: String,
    /// The name of the language.
    pub language: String,
    /// The text before.
    pub before: String,
    /// What every candidate must still hold for the failure to show.
    pub needles: Vec<String>,
    /// Candidates that one edit each must give, up to blank space.
    pub after: Vec<String>,
    /// Texts that no single edit may give, up to blank space.
    pub never: Vec<String>,
}

/// Returns the pass of that name, which may be one of a language's rules; `None` if the language
/// has no such rules.
pub fn pass(name: &str, language: &Language) -> Option<Pass> {
    passes_of(language).into_iter().chain(own()).find(|pass| pass.name == name)
}

/// Holds a pass against an example: what it expects must be among the candidates of single edits
/// that hold every needle and that the engine [would ask about](is_askable).
///
/// # Panics
/// If the example does not hold; the message lists all candidates.
pub fn check(pass_name: &str, language: &Language, example: &Example) {
    let is_directory = language.roles.files.is_some();
    let before = if is_directory { directory(&example.before) } else { example.before.clone() };
    let shown = |text: &[u8]| match is_directory {
        true => files(text),
        false => String::from_utf8_lossy(text).into_owned(),
    };
    let tree = language.parser.parse(before.as_bytes());
    let pass = pass(pass_name, language);
    let offered = |pass: &Pass| {
        let rendered = offers(language, pass, &tree).into_iter().map(|offer| offer.rendered);
        let askable = rendered.filter(|candidate| is_askable(language, pass, &tree, candidate));
        askable.collect::<Vec<_>>()
    };
    let candidates: Vec<String> = pass
        .map_or(Vec::new(), |pass| offered(&pass))
        .into_iter()
        .map(|candidate| plain(&shown(&candidate.text)))
        .filter(|text| example.needles.iter().all(|needle| text.contains(&plain(needle))))
        .collect();
    let listed = || {
        let all = candidates.join("\n    ");
        format!("{pass_name}, {}: the candidates are\n    {all}", example.title)
    };
    for text in &example.after {
        assert!(candidates.contains(&plain(text)), "no edit gives {:?}; {}", plain(text), listed());
    }
    for text in &example.never {
        assert!(
            !candidates.contains(&plain(text)),
            "an edit gives {:?}; {}",
            plain(text),
            listed()
        );
    }
}

/// Begins a line with the path of a file, where an example shows a directory.
const FILE: &str = "--> ";

/// Returns the archive of the files in an example.
fn directory(shown: &str) -> String {
    let parts = shown.split(FILE).skip(1).map(|part| part.split_once('\n').unwrap_or((part, "")));
    let files = parts.map(|(path, text)| (Kind::Plain, path.as_bytes(), text.as_bytes()));
    let archive = pack(files).expect("examples are plain text");
    String::from_utf8(archive).expect("examples are plain text")
}

/// Returns the files of an archive as an example shows them.
fn files(archive: &[u8]) -> String {
    let text = String::from_utf8_lossy;
    let file = |entry: &Entry<'_>| format!("{FILE}{}\n{}", text(entry.path), text(entry.text));
    entries(archive).iter().map(file).collect()
}

impl Example {
    /// Returns the language of the example.
    ///
    /// # Panics
    /// If there is none of that name.
    pub fn language(&self) -> Language {
        if self.language != PROJECT {
            return by_name(&self.language).expect("a language");
        }
        let archive = directory(&self.before);
        let mut kinds = project_kinds();
        let mut read = |entry: &Entry<'_>| {
            let name = guess(&String::from_utf8_lossy(entry.path), entry.text);
            let language = kinds.within(&name, |kinds| by_name_in(&name, kinds));
            (entry.path.to_vec(), FileForm::Text(Arc::new(language.expect("a language"))))
        };
        let files: Vec<_> = entries(archive.as_bytes()).iter().map(&mut read).collect();
        project(kinds, files)
    }

    /// Reads examples: `=== language: title`, then parts that start with `--- before`,
    /// `--- needle`, `--- after` or `--- never`. What stands before the first example is a comment.
    ///
    /// # Panics
    /// If the text is not of that form, or an example expects nothing.
    pub fn read_all(text: &str) -> Vec<Self> {
        let mut all: Vec<Self> = Vec::new();
        let mut part: Option<&str> = None;
        for line in text.lines() {
            if let Some(head) = line.strip_prefix("=== ") {
                let (language, title) =
                    head.split_once(": ").unwrap_or_else(|| panic!("no language in {line:?}"));
                let language = language.to_owned();
                let title = title.to_owned();
                all.push(Self { language, title, ..Self::default() });
                part = None;
            } else if let Some(example) = all.last_mut() {
                if let Some(name) = line.strip_prefix("--- ") {
                    example.start(name);
                    part = Some(name);
                } else if let Some(name) = part {
                    let text = example.part(name).expect("the part was started");
                    text.push_str(line);
                    text.push('\n');
                }
            }
        }
        for Self { title, after, never, .. } in &all {
            assert!(!after.is_empty() || !never.is_empty(), "{title:?} expects nothing");
        }
        all
    }

    fn start(&mut self, name: &str) {
        match name {
            "before" => {}
            "needle" => self.needles.push(String::new()),
            "after" => self.after.push(String::new()),
            "never" => self.never.push(String::new()),
            other => panic!("{:?} has an unknown part {other:?}", self.title),
        }
    }

    fn part(&mut self, name: &str) -> Option<&mut String> {
        match name {
            "before" => Some(&mut self.before),
            "needle" => self.needles.last_mut(),
            "after" => self.after.last_mut(),
            _ => self.never.last_mut(),
        }
    }
}
