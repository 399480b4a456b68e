//! Proposes to put empty boxes in the place of what fills elements: where only the size of a text
//! or a list matters, no edit of the page alone can find that out. Speaks minirepro's protocol for
//! proposers.

use std::io::{BufRead, Write};
use std::path::Path;

use anyhow::{Context, Result};
use serde_json::{Value, json};

use crate::args::{Conditions, How};
use crate::judge::{Place, settled};
use crate::session::Session;

/// Marks elements of a page while they are measured.
const MARK: &str = "data-minirepro-box";

/// At most so many are proposed for one page, those with the most text first.
const MOST: usize = 40;

/// What is inside of an element must have so many bytes.
const WORTH: usize = 8;

/// Answers until there are no more questions.
///
/// # Errors
/// If standard input or output is broken, or no browser starts.
pub(crate) fn propose(how: &How) -> Result<()> {
    let place = Place::new(Session::of_environment(), &Conditions::default(), how)?;
    let directory = tempfile::tempdir()?;
    let file = directory.path().join("page.html");
    for line in std::io::stdin().lock().lines() {
        let Ok(message) = serde_json::from_str::<Value>(&line?) else { continue };
        let Some(text) = message["text"].as_str() else { continue };
        let filled = filled(text, &message["tree"]);
        let sizes = sizes(&place, &file, how, text, &filled).unwrap_or_default();
        let found = filled.iter().zip(&sizes).filter_map(|(filled, size)| filled.boxed(size));
        let candidates: Vec<Value> = found.map(|edits| json!({ "edits": edits })).collect();
        let mut out = std::io::stdout().lock();
        writeln!(out, "{}", json!({ "candidates": candidates }))?;
        out.flush()?;
    }
    Ok(())
}

/// An element with something in it.
#[derive(Debug, PartialEq, Eq)]
struct Filled {
    /// What is in it.
    inside: [usize; 2],
    /// Where its start tag ends.
    sign: usize,
    /// Its style, without quotes, and where the attribute stands.
    style: Option<(String, [usize; 2])>,
}

/// How an element is shown.
#[derive(Debug, Default, PartialEq)]
struct Size {
    width: f64,
    height: f64,
    is_inline: bool,
}

impl Filled {
    /// Returns the edits that empty it and give it the size that it has.
    fn boxed(&self, size: &Option<Size>) -> Option<Vec<Value>> {
        let Size { width, height, is_inline } = size.as_ref()?;
        let display = if *is_inline { "display:inline-block;" } else { "" };
        let own = format!("{display}width:{}px;height:{}px", width.round(), height.round());
        let edit =
            |[from, to]: [usize; 2], text: String| json!({ "from": from, "to": to, "text": text });
        let style = match &self.style {
            Some((old, place)) => {
                let old = old.trim().trim_end_matches(';').replace('"', "'");
                edit(*place, format!("style=\"{old};{own}\""))
            }
            None => edit([self.sign, self.sign], format!(" style=\"{own}\"")),
        };
        Some(vec![style, edit(self.inside, String::new())])
    }
}

/// Returns the elements of a page that hold most, which are not the page itself.
fn filled(text: &str, tree: &Value) -> Vec<Filled> {
    let nodes: Vec<Value> = tree.as_array().cloned().unwrap_or_default();
    let range = |node: &Value| -> Option<[usize; 2]> {
        let side = |name: &str| usize::try_from(node[name].as_u64()?).ok();
        Some([side("from")?, side("to")?])
    };
    let below = |parent: usize, kind: &str| {
        nodes
            .iter()
            .enumerate()
            .filter(move |(_, node)| {
                node["parent"].as_u64() == u64::try_from(parent).ok() && node["kind"] == kind
            })
            .map(|(at, node)| (at, node.clone()))
            .collect::<Vec<_>>()
    };
    let mut all = Vec::new();
    for (at, node) in nodes.iter().enumerate().filter(|(_, node)| node["kind"] == "element") {
        let Some((start, tag)) = below(at, "start_tag").into_iter().next() else { continue };
        let (Some([_, end]), Some([from, to])) = (range(node), range(&tag)) else { continue };
        let name = text.get(from + 1..to).unwrap_or_default().to_lowercase();
        if ["html", "head", "body", "svg"].iter().any(|whole| name.starts_with(whole)) {
            continue;
        }
        let close = below(at, "end_tag").first().and_then(|(_, tag)| range(tag));
        let inside = [to, close.map_or(end, |[from, _]| from)];
        let attributes = below(start, "attribute").into_iter().filter_map(|(_, node)| range(&node));
        let style = attributes.into_iter().find_map(|place| {
            let value = text.get(place[0]..place[1])?.strip_prefix("style=")?;
            Some((value.trim_matches(['"', '\'']).to_owned(), place))
        });
        let holds_script = text.get(inside[0]..inside[1]).is_none_or(|t| t.contains("<script"));
        if inside[1].saturating_sub(inside[0]) >= WORTH && !holds_script {
            all.push(Filled { inside, sign: to - 1, style });
        }
    }
    all.sort_by_key(|filled| std::cmp::Reverse(filled.inside[1] - filled.inside[0]));
    all.truncate(MOST);
    all
}

/// Asks a browser for the sizes of elements.
fn sizes(
    place: &Place,
    file: &Path,
    how: &How,
    text: &str,
    all: &[Filled],
) -> Result<Vec<Option<Size>>> {
    let mut marks: Vec<(usize, usize)> = all.iter().map(|filled| filled.sign).zip(0..).collect();
    marks.sort_by_key(|(sign, _)| std::cmp::Reverse(*sign));
    let mut marked = text.to_owned();
    for (sign, number) in marks {
        marked.insert_str(sign, &format!(" {MARK}={number}"));
    }
    std::fs::write(file, &marked).with_context(|| file.display().to_string())?;
    let question = format!(
        "JSON.stringify([...Array({}).keys()].map(at => {{
        const e = document.querySelector(`[{MARK}=\"${{at}}\"]`);
        if (!e) return null;
        const style = getComputedStyle(e), r = e.getBoundingClientRect();
        return [parseFloat(style.width) || r.width, parseFloat(style.height) || r.height, style.display === 'inline'];
        }}))",
        all.len()
    );
    let said = place.with_page(file, how, |page| {
        settled(page, how, 1)?;
        page.text(&question)
    })?;
    let said: Vec<Value> = serde_json::from_str(&said.unwrap_or_default())?;
    Ok(said.iter().map(size).collect())
}

fn size(said: &Value) -> Option<Size> {
    let (width, height) = (said[0].as_f64()?, said[1].as_f64()?);
    Some(Size { width, height, is_inline: said[2] == true })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{Size, filled};

    #[test]
    fn an_element_becomes_an_empty_box() {
        let text = "<ul style='top:1px'><li>some words</ul>";
        let tree = json!([
            { "kind": "document", "from": 0, "to": 39 },
            { "kind": "element", "from": 0, "to": 39, "parent": 0 },
            { "kind": "start_tag", "from": 0, "to": 20, "parent": 1 },
            { "kind": "attribute", "from": 4, "to": 19, "parent": 2 },
            { "kind": "element", "from": 20, "to": 34, "parent": 1 },
            { "kind": "start_tag", "from": 20, "to": 24, "parent": 4 },
            { "kind": "end_tag", "from": 34, "to": 39, "parent": 1 },
        ]);
        let all = filled(text, &tree);
        assert_eq!(all.iter().map(|one| one.inside).collect::<Vec<_>>(), [[20, 34], [24, 34]]);
        let size = Some(Size { width: 70.4, height: 20.0, is_inline: false });
        let edits = all[0].boxed(&size).unwrap();
        let expected = json!([
            { "from": 4, "to": 19, "text": "style=\"top:1px;width:70px;height:20px\"" },
            { "from": 20, "to": 34, "text": "" },
        ]);
        assert_eq!(json!(edits), expected);
        let inline = Some(Size { is_inline: true, ..Size::default() });
        let edits = all[1].boxed(&inline).unwrap();
        assert_eq!(edits[0]["text"], " style=\"display:inline-block;width:0px;height:0px\"");
    }
}
