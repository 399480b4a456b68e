//! The headers in a preprocessed text: what stands between the marker that enters a file and the one that goes on
//! with the file around it.

use minirepro_syntax::{NodeId, Role};

use crate::PassContext;

/// The text of a header, without those of the headers in it.
pub(crate) struct Header {
    /// The header in which it is included; `None` for the file itself.
    pub(crate) outer: Option<usize>,
    /// The neighbours that belong to it: its first marker, and the last markers of the headers in it.
    pub(crate) own: Vec<NodeId>,
}

/// What a marker says.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Marker {
    Enters,
    Leaves,
}

/// Returns the headers in the order in which they begin. What begins in one list of neighbours and ends in another
/// belongs to the header around it. Linear in the tree.
pub(crate) fn headers(context: &PassContext<'_>) -> Vec<Header> {
    let tree = context.tree;
    let mut headers: Vec<Header> = Vec::new();
    let mut open: Vec<(Option<NodeId>, NodeId)> = Vec::new();
    let mut pairs: Vec<(NodeId, NodeId)> = Vec::new();
    for id in context.ids().filter(|&id| context.is(Role::FileMarker, id)) {
        match marker(context, id) {
            Some(Marker::Enters) => open.push((tree.parent(id), id)),
            Some(Marker::Leaves) => {
                if let Some((parent, first)) = open.pop()
                    && parent == tree.parent(id)
                {
                    pairs.push((first, id));
                }
            }
            None => {}
        }
    }
    pairs.sort_unstable();
    let mut around: Vec<(usize, NodeId)> = Vec::new();
    for &(first, end) in &pairs {
        while around.last().is_some_and(|&(_, end)| end < first) {
            around.pop();
        }
        let outer = around.last().map(|&(header, _)| header);
        around.push((headers.len(), end));
        headers.push(Header { outer, own: Vec::new() });
    }
    for (number, &(first, end)) in pairs.iter().enumerate() {
        let mut inner = number + 1;
        let mut at = first;
        while at < end {
            while pairs.get(inner).is_some_and(|&(first, _)| first < at) {
                inner += 1;
            }
            if let Some(&(_, end)) = pairs.get(inner).filter(|&&(first, _)| first == at) {
                at = end;
            }
            headers[number].own.push(at);
            at = tree.subtree_end(at);
        }
    }
    headers
}

/// Returns what the marker at `id` says, if it is one.
fn marker(context: &PassContext<'_>, id: NodeId) -> Option<Marker> {
    let tokens = context.tokens();
    let text = context.tree.text_of(id);
    let behind = text.iter().rposition(|&byte| byte == b'"').map(|at| &text[at + 1..])?;
    let is_number = |text: &[u8]| text.trim_ascii_start().first().is_some_and(u8::is_ascii_digit);
    let mut words = behind.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    let first = words.next().filter(|_| text.get(1..).is_some_and(is_number));
    match first {
        Some(word) if Some(word) == tokens.enter_file.as_deref() => Some(Marker::Enters),
        Some(word) if Some(word) == tokens.leave_file.as_deref() => Some(Marker::Leaves),
        _ => None,
    }
}
