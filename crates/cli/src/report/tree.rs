//! A syntax tree as indented lines.

use std::io::{self, Write};

use minirepro_program::{NodeId, Tree};

use super::terminal::{is_hostile, name};

/// How many characters of a node's text are shown.
const SHOWN: usize = 50;
/// The greatest depth that is indented; of deeper nodes the depth is written instead.
const DEEPEST: usize = 40;

/// Draws a tree with one line a node: the part that it plays in the one above, its kind, how many
/// tokens it has, and how its text begins.
///
/// # Errors
/// If `to` cannot be written to.
pub fn draw(tree: &Tree, to: &mut dyn Write) -> io::Result<()> {
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
        if let Some(field) = tree.field(id) {
            words.push(format!("{}:", name(tree.kinds().field_name(field))));
        }
        if tree.is_named(id) || !tree.is_leaf(id) {
            words.push(name(tree.kind_name(id)));
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
    let mut brief: String = shown.chars().take(SHOWN).map(escaped).collect();
    if shown.chars().count() > SHOWN {
        brief.push('…');
    }
    brief
}

fn escaped(c: char) -> String {
    if is_hostile(c) { c.escape_default().to_string() } else { c.escape_debug().to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_that_the_grammar_names_are_shown_with_their_names() {
        let choice = minirepro_program::LanguageChoice::Named("c".into());
        let text = b"int a = 1;";
        let language = choice
            .find(&minirepro_program::Languages::default(), &[], "a.c".as_ref(), text)
            .unwrap();
        let mut drawn = Vec::new();
        draw(&language.parser.parse(text), &mut drawn).unwrap();
        let drawn = String::from_utf8(drawn).unwrap();
        let lines: Vec<&str> = drawn.lines().map(str::trim).collect();
        for line in
            ["type: primitive_type int", "declarator: identifier a", "value: number_literal 1", ";"]
        {
            assert!(lines.contains(&line), "{drawn}");
        }
    }

    #[test]
    fn no_text_of_the_input_reaches_a_terminal_as_a_command() {
        let text = "int \x1b[31m\u{202e}a;\x07\n".as_bytes();
        let language = minirepro_program::LanguageChoice::Named("c".into());
        let language = language
            .find(&minirepro_program::Languages::default(), &[], "a.c".as_ref(), text)
            .unwrap();
        let mut drawn = Vec::new();
        draw(&language.parser.parse(text), &mut drawn).unwrap();
        let drawn = String::from_utf8(drawn).unwrap();
        assert!(drawn.contains("\\u{1b}") && drawn.contains("\\u{202e}"), "{drawn}");
        assert!(!drawn.chars().any(|c| is_hostile(c) && c != '\n'), "{drawn:?}");
    }
}
