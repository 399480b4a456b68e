//! The chapters of the guide, which the program carries in itself.

/// A chapter of the guide.
pub struct Chapter {
    /// What it is called.
    pub topic: &'static str,
    /// The text.
    pub text: &'static str,
}

impl Chapter {
    /// Returns the heading of the chapter.
    pub fn title(&self) -> &'static str {
        self.text.lines().next().unwrap_or_default().trim_start_matches(['#', ' '])
    }
}

/// Makes a table of chapters, each of which is a file `guide/TOPIC.md`.
macro_rules! chapters {
    ($($topic:literal),* $(,)?) => {
        [$(Chapter {
            topic: $topic,
            text: include_str!(concat!("../guide/", $topic, ".md")),
        }),*]
    };
}

/// All chapters, in the order in which one would read them.
pub const CHAPTERS: &[Chapter] = &chapters![
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

/// Returns what the chapters are called.
pub fn topics() -> Vec<String> {
    CHAPTERS.iter().map(|chapter| chapter.topic.to_owned()).collect()
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
