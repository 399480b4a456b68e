//! `minirepro tree`: what there is to see in a file before a reduction.

use std::io::{self, BufWriter, Write};

use minirepro_syntax::{NodeId, Tree};

use crate::args;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::plan::{language, normal, read};

/// So many characters of a node's text are shown.
const SHOWN: usize = 50;
/// Deeper nodes are not indented further; their depth is written instead.
const DEEPEST: usize = 40;

/// Prints the syntax tree of a file.
///
/// # Errors
/// When it cannot be read.
pub fn tree(args: &args::Tree) -> Result<Exit, Failure> {
    let text = read(&args.file)?;
    let language = language(args.lang.as_deref(), &args.file, &text)?;
    let text = normal(&language, text);
    print(|to| {
        draw(&language.parser.parse(&text), to)?;
        match language.parser.reading(&text) {
            Some(reading) => write!(to, "\nwhat a browser builds:\n{reading}"),
            None => Ok(()),
        }
    })
}
/// Writes to standard output.
///
/// # Errors
/// When it cannot be written, other than because nobody reads on.
pub fn print(write: impl Fn(&mut dyn Write) -> io::Result<()>) -> Result<Exit, Failure> {
    let mut to = BufWriter::new(io::stdout().lock());
    match write(&mut to).and_then(|()| to.flush()) {
        // A reader like `head` has seen enough.
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Failure::new(Exit::NotWritten, error))
        }
        _ => Ok(Exit::Reduced),
    }
}

/// One line per node: its kind, how many tokens it has, and how its text begins.
fn draw(tree: &Tree, to: &mut dyn Write) -> io::Result<()> {
    let mut open: Vec<NodeId> = Vec::new();
    for id in tree.ids() {
        while open.last().is_some_and(|&end| end <= id) {
            open.pop();
        }
        let depth = open.len();
        let indent = 2 * depth.min(DEEPEST);
        let deeper = if depth > DEEPEST { format!("({depth}) ") } else { String::new() };
        let text = brief(tree.text_of(id));
        let mut words = Vec::new();
        if tree.is_named(id) || !tree.is_leaf(id) {
            words.push(tree.kind_name(id).to_owned());
        }
        if !tree.is_leaf(id) {
            words.push(tree.tokens(id).to_string());
        }
        words.extend([text, marks(tree, id).to_owned()].into_iter().filter(|w| !w.is_empty()));
        writeln!(to, "{:indent$}{deeper}{}", "", words.join(" "))?;
        open.push(tree.subtree_end(id));
    }
    Ok(())
}

fn marks(tree: &Tree, id: NodeId) -> &'static str {
    let flags = tree.flags(id);
    match (flags.error, flags.missing) {
        (true, _) => "(broken)",
        (_, true) => "(missing)",
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
