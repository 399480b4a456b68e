//! Blank space between tokens, made plain or laid out by structure. Roles of the language say what
//! stands on a line of its own and what is indented.

use std::cell::{Cell, RefCell};

use minirepro_syntax::{Language, NodeId, Role, Tree};

/// Returns the text with a single line end where there was one between two tokens, else a single
/// space where there was any, and none before the first. Blank space inside of tokens stays.
/// Linear.
pub fn with_plain_blanks(tree: &Tree) -> Vec<u8> {
    written(tree, |_, blank| match blank {
        [] => Blank::None,
        _ if blank.contains(&b'\n') => Blank::Line(0),
        _ => Blank::Space,
    })
}

/// Returns the same text laid out: below nodes of the roles `lines` and `indent` each node of the
/// role `line` begins a line, and so does the last bracket around such nodes; below those of
/// `indent` lines are indented, and so is a statement in another one without brackets if it has a
/// line of its own. Attributes stay on their line, and no blank stands before a semicolon. Linear
/// in the text times the depth of the tree.
pub fn with_layout(tree: &Tree, language: &Language) -> Vec<u8> {
    let is = |role: Role, id: NodeId| language.roles.is(role, tree.kind(id));
    let inside_attribute = |id| tree.ancestors(id).any(|above| is(Role::Attribute, above));
    let is_line = |id: NodeId| {
        let holds = |parent: NodeId| {
            // Among text, blank space means something.
            (is(Role::Lines, parent) || is(Role::Indent, parent))
                && !tree.children(parent).any(|c| is(Role::Text, c))
        };
        is(Role::Line, id) && tree.parent(id).is_some_and(holds)
    };
    let has_lines = with_lines(tree, |id| is_line(id) && !inside_attribute(id));
    let is_block = |id: NodeId| has_lines[id.0 as usize] && is(Role::Indent, id);
    let closes = |id: NodeId| {
        let parent = tree.parent(id).filter(|&parent| is_block(parent));
        let is_last = parent.is_some_and(|p| tree.children(p).last() == Some(id));
        is_last && (is(Role::Bracket, id) || !tree.is_named(id))
    };
    let stands_alone = |id: NodeId| is(Role::Line, id) && !is(Role::Indent, id);
    let inside_statements = |leaf| inside_statements(tree, leaf, &is_block, &stands_alone);
    // What is in a block is indented by one step more than the line in which the block begins.
    let opened = RefCell::new(vec![0; tree.len()]);
    let indentation = Cell::new(0);
    written(tree, |leaf, blank| {
        let start = tree.span(leaf).start;
        let begun = std::iter::once(leaf)
            .chain(tree.ancestors(leaf))
            .take_while(|&id| tree.span(id).start == start)
            .filter(|&id| is_line(id) || closes(id))
            .last();
        let outer = begun.filter(|&id| !inside_attribute(id));
        let depth = |id| {
            let block = tree.ancestors(id).find(|&above| is_block(above));
            block.map_or(0, |block| opened.borrow()[block.0 as usize] + 1)
        };
        let blank = match outer {
            Some(id) => Blank::Line(depth(id) - usize::from(closes(id))),
            None if blank.is_empty() || tree.text_of(leaf) == b";" => Blank::None,
            None if inside_attribute(leaf) => Blank::Space,
            None if blank.contains(&b'\n') => match inside_statements(leaf) {
                Some(steps) => Blank::Line(depth(leaf) + steps),
                None if is_within_line(tree, leaf, &is) => Blank::Space,
                None => Blank::Line(depth(leaf)),
            },
            None => Blank::Space,
        };
        if let Blank::Line(steps) = blank {
            indentation.set(steps);
        }
        let begun = tree.ancestors(leaf).take_while(|&id| tree.span(id).start == start);
        for block in begun.filter(|&id| is_block(id)) {
            opened.borrow_mut()[block.0 as usize] = indentation.get();
        }
        blank
    })
}

/// Returns of each node whether such lines begin in it.
fn with_lines(tree: &Tree, is_line: impl Fn(NodeId) -> bool) -> Vec<bool> {
    let mut has_lines = vec![false; tree.len()];
    for line in tree.ids().filter(|&id| is_line(id)) {
        // The ancestors of one that has lines are marked already.
        for above in tree.ancestors(line) {
            if std::mem::replace(&mut has_lines[above.0 as usize], true) {
                break;
            }
        }
    }
    has_lines
}

/// Returns by how many steps a statement in another one without brackets, like the body of a loop,
/// is indented in it. A word of the outer statement that goes on after it, like `else`, is not.
fn inside_statements(
    tree: &Tree,
    leaf: NodeId,
    is_block: &dyn Fn(NodeId) -> bool,
    stands_alone: &dyn Fn(NodeId) -> bool,
) -> Option<usize> {
    let start = tree.span(leaf).start;
    let begins = |id: &NodeId| tree.span(*id).start == start;
    let chain = std::iter::once(leaf).chain(tree.ancestors(leaf));
    let is_statement = chain.take_while(begins).any(stands_alone);
    let goes_on = !tree.is_named(leaf)
        && tree.text_of(leaf).first().is_some_and(u8::is_ascii_alphabetic)
        && tree.text()[..start].trim_ascii_end().ends_with(b";");
    let around = tree.ancestors(leaf).skip_while(begins).take_while(|&id| !is_block(id));
    let around = around.filter(|&id| stands_alone(id)).count();
    match (is_statement, goes_on) {
        (true, _) => Some(around),
        (_, true) => Some(around.saturating_sub(1)),
        _ => None,
    }
}

/// Returns whether a line end before a leaf is inside of a statement, or before the bracket that
/// opens a block: people write none there.
fn is_within_line(tree: &Tree, leaf: NodeId, is: &dyn Fn(Role, NodeId) -> bool) -> bool {
    let is_any = |&id: &NodeId| [Role::Line, Role::Lines, Role::Indent].iter().any(|&r| is(r, id));
    tree.ancestors(leaf).find(is_any).is_some_and(|id| match is(Role::Indent, id) {
        true => tree.span(id).start == tree.span(leaf).start,
        false => !is(Role::Lines, id),
    })
}

/// What stands before a token.
enum Blank {
    None,
    Space,
    /// A line end, and this many steps of indentation.
    Line(usize),
}

/// Returns the tokens with other blank space before each; `blank` is told what stood there.
fn written(tree: &Tree, blank: impl Fn(NodeId, &[u8]) -> Blank) -> Vec<u8> {
    let text = tree.text();
    let mut written = Vec::with_capacity(text.len());
    let mut at = 0;
    for leaf in tree.ids().filter(|&id| tree.is_leaf(id) && !tree.span(id).is_empty()) {
        let span = tree.span(leaf);
        match blank(leaf, &text[at..span.start]) {
            _ if written.is_empty() => {}
            Blank::None => {}
            Blank::Space => written.push(b' '),
            Blank::Line(depth) => {
                written.push(b'\n');
                written.extend(std::iter::repeat_n(b' ', INDENT * depth));
            }
        }
        written.extend_from_slice(&text[span.clone()]);
        at = span.end;
    }
    if text[at..].contains(&b'\n') && !written.is_empty() {
        written.push(b'\n');
    }
    written
}

/// Spaces for a step.
const INDENT: usize = 2;

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use minirepro_syntax::{Flags, Kinds, TreeBuilder};

    use super::with_plain_blanks;

    #[test]
    fn blanks_become_one_line_end_or_one_space() {
        let text = "  a \t b\n\n   c\"x  y\" \r\n d  ";
        let mut kinds = Kinds::default();
        let kind = kinds.intern("token", true);
        let mut builder = TreeBuilder::new(Arc::from(text.as_bytes()), Arc::new(kinds));
        builder.open(kind, 0..text.len(), Flags::default());
        for token in ["a", "b", "c", "\"x  y\"", "d"] {
            let start = text.find(token).unwrap();
            builder.leaf(kind, start..start + token.len(), Flags::default(), 1);
        }
        builder.close();
        assert_eq!(with_plain_blanks(&builder.finish()), b"a b\nc\"x  y\"\nd");
    }
}
