//! `minirepro guide`: the chapters of the guide, which the program carries in itself.

use crate::args::Guide;
use crate::error::CliError;
use crate::exit::Exit;
use crate::report::terminal::print;

/// A chapter of the guide.
struct Chapter {
    topic: &'static str,
    text: &'static str,
}

impl Chapter {
    /// Returns the heading of the chapter.
    fn title(&self) -> &'static str {
        self.text.lines().next().unwrap_or_default().trim_start_matches(['#', ' '])
    }
}

/// Makes a table of chapters, each of which is a file `guide/TOPIC.md`.
macro_rules! chapters {
    ($($topic:literal),* $(,)?) => {
        [$(Chapter {
            topic: $topic,
            text: include_str!(concat!("../../guide/", $topic, ".md")),
        }),*]
    };
}

/// All chapters, in the order in which one would read them.
const CHAPTERS: &[Chapter] = &chapters![
    "test-scripts",
    "commands",
    "progress",
    "results",
    "flaky",
    "limits",
    "journal",
    "clusters",
    "reports",
    "scope",
    "rules",
    "proposers",
    "causes",
    "batches",
    "languages",
    "directories",
    "isolate",
    "options",
    "logs",
    "browser",
    "reference",
    "comparison",
    "embedding",
];

/// Prints a chapter, or the list of all.
///
/// # Errors
/// If there is no such chapter, or standard output cannot be written to.
pub fn run(args: &Guide) -> Result<Exit, CliError> {
    let text = match &args.topic {
        None => list(),
        Some(topic) => match CHAPTERS.iter().find(|chapter| chapter.topic == topic) {
            Some(chapter) => chapter.text.to_owned(),
            None => {
                let topics: Vec<&str> = CHAPTERS.iter().map(|chapter| chapter.topic).collect();
                return Err(CliError::usage(format_args!("the guide has no topic '{topic}'"))
                    .advise(format!("There are: {}.\n", topics.join(", "))));
            }
        },
    };
    print(|to| to.write_all(text.as_bytes()))
        .map_err(|error| CliError::new(Exit::NotWritten, error))?;
    Ok(Exit::Done)
}

fn list() -> String {
    let width = CHAPTERS.iter().map(|chapter| chapter.topic.len()).max().unwrap_or(0);
    let lines =
        CHAPTERS.iter().map(|chapter| format!("  {:width$}  {}\n", chapter.topic, chapter.title()));
    format!("Topics of `minirepro guide TOPIC`:\n{}", lines.collect::<String>())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fs;
    use std::path::Path;

    use super::*;

    #[test]
    fn the_table_and_the_folder_of_chapters_are_equal() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("guide");
        let files: BTreeSet<String> = fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        let topics: BTreeSet<String> =
            CHAPTERS.iter().map(|chapter| format!("{}.md", chapter.topic)).collect();
        assert_eq!(files, topics);
        for chapter in CHAPTERS {
            assert!(chapter.text.starts_with("# "), "{} has no title", chapter.topic);
        }
    }
}
