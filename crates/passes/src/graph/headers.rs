//! The headers in a preprocessed text: what stands between the marker that enters a file and the
//! one that goes on with the file around it.

use minirepro_syntax::{NodeId, Role};

use crate::PassContext;

/// A header with those in it.
pub(crate) struct Header {
    /// The marker with which it begins.
    pub(crate) first: NodeId,
    /// The marker with which the file around it goes on: one of its siblings.
    pub(crate) end: NodeId,
    /// The other markers and directives in it, without those of the headers in it.
    pub(crate) directives: Vec<NodeId>,
}

/// What a marker says.
enum Marker {
    /// A file begins.
    Enters,
    /// A file goes on after another one.
    Leaves,
}

/// Returns the headers in the order in which they begin. What begins in one list of neighbours and
/// ends in another does not count. Linear in the tree.
pub(crate) fn headers(cx: &PassContext<'_>) -> Vec<Header> {
    let mut headers: Vec<Header> = Vec::new();
    // In each open header, what has been met since it began.
    let mut open: Vec<(NodeId, Vec<NodeId>)> = Vec::new();
    for id in cx.until(cx.playing(Role::FileMarker)) {
        match marker(cx, id) {
            Some(Marker::Enters) => open.push((id, Vec::new())),
            Some(Marker::Leaves) => {
                let Some((first, directives)) = open.pop() else { continue };
                if cx.parent(first) == cx.parent(id) {
                    headers.push(Header { first, end: id, directives });
                } else if let Some((_, around)) = open.last_mut() {
                    around.extend([first].into_iter().chain(directives).chain([id]));
                }
            }
            None => {
                if let Some((_, directives)) = open.last_mut() {
                    directives.push(id);
                }
            }
        }
    }
    headers.sort_unstable_by_key(|header| header.first);
    headers
}

/// Returns what the marker at `id` says, if it is one.
fn marker(cx: &PassContext<'_>, id: NodeId) -> Option<Marker> {
    let tokens = cx.signs(id);
    let text = cx.text_of(id);
    let number = text.get(1..)?.trim_ascii_start();
    let end = text.iter().rposition(|&byte| byte == b'"')?;
    let mut words = text[end + 1..].split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    number.first().filter(|byte| byte.is_ascii_digit())?;
    match words.next() {
        Some(word) if Some(word) == tokens.enter_file.as_deref() => Some(Marker::Enters),
        Some(word) if Some(word) == tokens.leave_file.as_deref() => Some(Marker::Leaves),
        _ => None,
    }
}
