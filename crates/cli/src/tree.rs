//! `minirepro tree` and `minirepro languages`: what there is to see before a reduction.

use std::fmt::Write;
use std::io::{self, Write as _};

use minirepro_syntax::{NodeId, Tree};

use crate::args;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::plan::{language, read};

/// So many characters of a node's text are shown.
const SHOWN: usize = 50;

/// Prints the syntax tree of a file.
///
/// # Errors
/// When it cannot be read.
pub fn tree(args: &args::Tree) -> Result<Exit, Failure> {
    let text = read(&args.file)?;
    let language = language(args.lang.as_deref(), &args.file, &text)?;
    print(&draw(&language.parser.parse(&text)))
}

/// Prints the table of languages.
///
/// # Errors
/// When standard output is closed.
pub fn languages() -> Result<Exit, Failure> {
    let all = minirepro_languages::all();
    let rows: Vec<[String; 3]> = all
        .into_iter()
        .map(|info| {
            let names = [vec![info.name], info.aliases].concat().join(", ");
            let suffixes: Vec<_> = info.suffixes.iter().map(|s| format!(".{s}")).collect();
            [names, suffixes.join(" "), info.description]
        })
        .collect();
    let width = |column: usize| rows.iter().map(|r| r[column].chars().count()).max().unwrap_or(0);
    let (first, second) = (width(0), width(1));
    let lines = rows.iter().map(|[a, b, c]| format!("{a:first$}  {b:second$}  {c}\n"));
    print(&lines.collect::<String>())
}

fn print(text: &str) -> Result<Exit, Failure> {
    match io::stdout().write_all(text.as_bytes()) {
        // A reader like `head` has seen enough.
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Failure::new(Exit::NotWritten, error))
        }
        _ => Ok(Exit::Reduced),
    }
}

/// One line per node: its kind, how many tokens it has, and how its text begins.
fn draw(tree: &Tree) -> String {
    let mut lines = String::new();
    let mut open: Vec<NodeId> = Vec::new();
    for id in tree.ids() {
        while open.last().is_some_and(|&end| end <= id) {
            open.pop();
        }
        let (kind, text) = (tree.kind_name(id), brief(tree.text_of(id)));
        let indent = 2 * open.len();
        let line = if !tree.is_leaf(id) {
            format!("{:indent$}{kind} {} {text}{}", "", tree.tokens(id), marks(tree, id))
        } else if tree.is_named(id) {
            format!("{:indent$}{kind} {text}{}", "", marks(tree, id))
        } else {
            format!("{:indent$}{text}{}", "", marks(tree, id))
        };
        writeln!(lines, "{}", line.trim_end()).expect("strings take anything");
        open.push(tree.subtree_end(id));
    }
    lines
}

fn marks(tree: &Tree, id: NodeId) -> &'static str {
    let flags = tree.flags(id);
    match (flags.error, flags.missing) {
        (true, _) => " (broken)",
        (_, true) => " (missing)",
        _ => "",
    }
}

fn brief(text: &[u8]) -> String {
    let shown = &text[..text.len().min(4 * SHOWN)];
    let shown = String::from_utf8_lossy(shown);
    let mut brief: String = shown.chars().take(SHOWN).flat_map(char::escape_debug).collect();
    if shown.chars().count() > SHOWN {
        brief.push('…');
    }
    brief
}
