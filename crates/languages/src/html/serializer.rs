//! A DOM written out as HTML, with the parts of the text in the order of the document.
//!
//! Follows the HTML standard, section 13.3 "Serializing HTML fragments", and is independent of our
//! kinds.

use std::ops::Range;

use html5ever::{Attribute, QualName, ns};
use markup5ever_rcdom::{Handle, NodeData, RcDom};

/// A part of a written page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DomKind {
    Document,
    Doctype,
    Comment,
    Instruction,
    Element,
    /// `<p`
    Start,
    Attribute,
    /// The name of an attribute, with a space before it.
    Name,
    /// `="…"`
    Value,
    /// `>`
    Close,
    /// `</p>`
    End,
    /// Text that is written as it is: style sheets, scripts.
    Raw,
    Text,
    Word,
}

impl DomKind {
    /// All parts, each at its own number.
    pub(crate) const ALL: [Self; 14] = [
        Self::Document,
        Self::Doctype,
        Self::Comment,
        Self::Instruction,
        Self::Element,
        Self::Start,
        Self::Attribute,
        Self::Name,
        Self::Value,
        Self::Close,
        Self::End,
        Self::Raw,
        Self::Text,
        Self::Word,
    ];

    /// Returns the name in the facts.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Document => "document",
            Self::Doctype => "doctype",
            Self::Comment => "comment",
            Self::Instruction => "instruction",
            Self::Element => "element",
            Self::Start => "start",
            Self::Attribute => "attribute",
            Self::Name => "name",
            Self::Value => "value",
            Self::Close => "close",
            Self::End => "end",
            Self::Raw => "raw",
            Self::Text => "text",
            Self::Word => "word",
        }
    }
}

/// A step of a walk over the written page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    Open(DomKind, Range<usize>),
    Leaf(DomKind, Range<usize>),
    Close,
}

/// Which tags are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tags {
    /// Those of `html`, `head`, `body`, `tbody` and `colgroup` only where they have attributes.
    Needed,
    /// All.
    All,
}

/// A DOM as text.
pub(crate) struct Written {
    pub(crate) text: Vec<u8>,
    pub(crate) steps: Vec<Step>,
    /// The steps that opened a node whose end is not known yet.
    open: Vec<usize>,
    tags: Tags,
}

enum Work {
    Node(Handle),
    /// The end of an element, with its tag.
    End(Option<String>),
}

impl Written {
    /// Writes the whole document. Linear; no recursion on depth.
    pub(crate) fn new(dom: &RcDom, tags: Tags) -> Self {
        let mut written = Self { text: Vec::new(), steps: Vec::new(), open: Vec::new(), tags };
        written.open(DomKind::Document);
        let mut stack = children(&dom.document);
        while let Some(work) = stack.pop() {
            match work {
                Work::Node(node) => written.node(&node, &mut stack),
                Work::End(tag) => {
                    if let Some(tag) = tag {
                        written.leaf(DomKind::End, &["</", &tag, ">"]);
                    }
                    written.close();
                }
            }
        }
        written.close();
        written
    }

    fn node(&mut self, node: &Handle, stack: &mut Vec<Work>) {
        match &node.data {
            NodeData::Document => stack.extend(children(node)),
            NodeData::Doctype { name, public_id, system_id } => {
                self.doctype(name, public_id, system_id);
            }
            NodeData::Text { contents } => {
                let contents = contents.borrow();
                let start = self.text.len();
                let part = if is_raw(node) { DomKind::Raw } else { DomKind::Text };
                match part {
                    DomKind::Raw => self.text.extend_from_slice(contents.as_bytes()),
                    _ => self.escaped(&contents, false),
                }
                // Neighbouring texts are one when they are read again.
                match self.steps.last_mut() {
                    Some(Step::Leaf(DomKind::Raw | DomKind::Text, span)) => {
                        span.end = self.text.len()
                    }
                    _ if start == self.text.len() => {}
                    _ => self.steps.push(Step::Leaf(part, start..self.text.len())),
                }
            }
            NodeData::Comment { contents } => {
                self.leaf(DomKind::Comment, &["<!--", contents, "-->"])
            }
            NodeData::ProcessingInstruction { target, contents } => {
                self.leaf(DomKind::Instruction, &["<?", target, " ", contents, ">"]);
            }
            NodeData::Element { name, attrs, template_contents, .. } => {
                let attributes = attrs.borrow();
                let implied = self.tags == Tags::Needed && attributes.is_empty() && can_go(name);
                if implied {
                    stack.extend(children(node));
                    return;
                }
                self.element(node, name, &attributes);
                stack.push(Work::End((!is_void(name)).then(|| name.local.to_string())));
                match &*template_contents.borrow() {
                    Some(contents) => stack.extend(children(contents)),
                    None => stack.extend(children(node)),
                }
            }
        }
    }

    fn doctype(&mut self, name: &str, public: &str, system: &str) {
        let quote = |text: &str| {
            let sign = if text.contains('"') { '\'' } else { '"' };
            format!(" {sign}{text}{sign}")
        };
        let ids = match (public, system) {
            ("", "") => String::new(),
            ("", system) => format!(" SYSTEM{}", quote(system)),
            (public, "") => format!(" PUBLIC{}", quote(public)),
            (public, system) => format!(" PUBLIC{}{}", quote(public), quote(system)),
        };
        self.leaf(DomKind::Doctype, &["<!DOCTYPE ", name, &ids, ">"]);
    }

    /// Returns everything up to the contents.
    fn element(&mut self, node: &Handle, name: &QualName, attributes: &[Attribute]) {
        self.open(DomKind::Element);
        self.leaf(DomKind::Start, &["<", &name.local]);
        for attribute in attributes {
            self.open(DomKind::Attribute);
            match &attribute.name.prefix {
                Some(prefix) => {
                    self.leaf(DomKind::Name, &[" ", prefix, ":", &attribute.name.local])
                }
                None => self.leaf(DomKind::Name, &[" ", &attribute.name.local]),
            }
            if !attribute.value.is_empty() {
                let start = self.text.len();
                self.text.extend_from_slice(b"=\"");
                self.escaped(&attribute.value, true);
                self.text.push(b'"');
                self.steps.push(Step::Leaf(DomKind::Value, start..self.text.len()));
            }
            self.close();
        }
        // A line end at the very start of these is not read.
        let swallows = matches!(&*name.local, "pre" | "textarea" | "listing");
        let first = node.children.borrow().first().cloned();
        let begins_with_line_end = first.is_some_and(|first| match &first.data {
            NodeData::Text { contents } => contents.borrow().starts_with('\n'),
            _ => false,
        });
        let line_end = if swallows && begins_with_line_end { "\n" } else { "" };
        self.leaf(DomKind::Close, &[">", line_end]);
    }

    fn escaped(&mut self, text: &str, quoted: bool) {
        for c in text.chars() {
            match c {
                '&' => self.text.extend_from_slice(b"&amp;"),
                '<' if !quoted => self.text.extend_from_slice(b"&lt;"),
                '"' if quoted => self.text.extend_from_slice(b"&quot;"),
                '\r' => self.text.extend_from_slice(b"&#13;"),
                _ => self.text.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
            }
        }
    }

    fn leaf(&mut self, part: DomKind, texts: &[&str]) {
        let start = self.text.len();
        texts.iter().for_each(|text| self.text.extend_from_slice(text.as_bytes()));
        self.steps.push(Step::Leaf(part, start..self.text.len()));
    }

    fn open(&mut self, part: DomKind) {
        self.open.push(self.steps.len());
        self.steps.push(Step::Open(part, self.text.len()..self.text.len()));
    }

    fn close(&mut self) {
        let opened = self.open.pop().and_then(|step| self.steps.get_mut(step));
        if let Some(Step::Open(_, span)) = opened {
            span.end = self.text.len();
        }
        self.steps.push(Step::Close);
    }
}

fn children(node: &Handle) -> Vec<Work> {
    node.children.borrow().iter().rev().cloned().map(Work::Node).collect()
}

/// Elements that are there without their tags, if nothing forbids it.
fn can_go(name: &QualName) -> bool {
    name.ns == ns!(html) && matches!(&*name.local, "html" | "head" | "body" | "tbody" | "colgroup")
}

fn is_void(name: &QualName) -> bool {
    const VOID: [&str; 19] = [
        "area",
        "base",
        "basefont",
        "bgsound",
        "br",
        "col",
        "embed",
        "frame",
        "hr",
        "img",
        "input",
        "keygen",
        "link",
        "meta",
        "param",
        "source",
        "track",
        "wbr",
        "plaintext",
    ];
    name.ns == ns!(html) && VOID.contains(&&*name.local)
}

/// Returns whether a text is written as it is, because of the element that it stands in.
fn is_raw(node: &Handle) -> bool {
    const RAW: [&str; 8] =
        ["style", "script", "xmp", "iframe", "noembed", "noframes", "plaintext", "noscript"];
    let parent = node.parent.take();
    let element = parent.as_ref().and_then(std::rc::Weak::upgrade);
    node.parent.set(parent);
    element.is_some_and(|element| match &element.data {
        NodeData::Element { name, .. } => name.ns == ns!(html) && RAW.contains(&&*name.local),
        _ => false,
    })
}

#[cfg(test)]
mod tests {
    use super::{Tags, Written};
    use crate::html::feasibility::dom;

    fn write(page: &str, tags: Tags) -> String {
        String::from_utf8(Written::new(&dom(page.as_bytes()), tags).text).unwrap()
    }

    #[test]
    fn what_a_browser_implies_is_written_or_left_out() {
        let page = "<title>a</title><table><p id=x>b<tr><td class=''>&amp;&lt;\"";
        assert_eq!(
            write(page, Tags::All),
            "<html><head><title>a</title></head><body><p id=\"x\">b</p><table><tbody><tr>\
             <td class>&amp;&lt;\"</td></tr></tbody></table></body></html>"
        );
        assert_eq!(
            write(page, Tags::Needed),
            "<title>a</title><p id=\"x\">b</p><table><tr><td class>&amp;&lt;\"</td></tr></table>"
        );
    }

    #[test]
    fn raw_texts_foreign_elements_templates_and_line_ends_survive() {
        for page in [
            "<!DOCTYPE html><script>a<b && c</script><style>p>a{}</style>",
            "<!DOCTYPE html SYSTEM \"x'y\"><pre>\n\na</pre><textarea>\n\n</textarea>",
            "<svg viewBox=\"0 0 1 1\"><foreignObject><p>x</p></foreignObject></svg>",
            "<svg><a xlink:href=\"x\"></a></svg><math><mi>x</mi></math>",
            "<template><td>x</td></template><p title=\"&amp;&quot;<>\">\u{a0}</p><!--c-->",
            "<br><img alt>",
        ] {
            assert_eq!(write(page, Tags::Needed), page);
        }
    }
}
