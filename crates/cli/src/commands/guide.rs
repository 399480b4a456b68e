//! `minirepro guide`: the chapters of the guide, which the program carries in itself.

use crate::args::Guide;
use crate::chapters::{CHAPTERS, topics};
use crate::error::CliError;
use crate::exit::Exit;
use crate::report::table::table;
use crate::report::terminal::{plain, print_text};

/// Written by `.ci/licenses`.
const LICENSES: &str = include_str!("../../licenses.txt");

/// Prints a chapter, or the list of all.
///
/// # Errors
/// If there is no such chapter, or standard output cannot be written to.
pub fn run(args: &Guide) -> Result<Exit, CliError> {
    let text = match &args.topic {
        None => list(),
        Some(topic) if topic == "licenses" => plain(LICENSES),
        Some(topic) => match CHAPTERS.iter().find(|chapter| chapter.topic == topic) {
            Some(chapter) => chapter.text.to_owned(),
            None => {
                return Err(CliError::usage(format_args!("the guide has no topic '{topic}'"))
                    .advise(format!("There are: {}.\n", topics().join(", "))));
            }
        },
    };
    print_text(&text)
}

fn list() -> String {
    let rows = CHAPTERS.iter().map(|chapter| (chapter.topic, chapter.title()));
    let rows = rows.chain([("licenses", "Those of the libraries and grammars inside")]);
    let rows: Vec<_> =
        rows.map(|(topic, title)| [format!("  {topic}"), title.to_owned()]).collect();
    format!("Topics of `minirepro guide TOPIC`:\n{}", table(&rows, 0..0))
}
