//! Makes pages whose scripts change them, at random but the same for the same seed.

use crate::random::Random;

/// Properties and their values.
const PROPERTIES: &str = include_str!("properties.txt");

const ELEMENTS: [&str; 22] = [
    "div",
    "span",
    "p",
    "ul",
    "li",
    "table",
    "section",
    "fieldset",
    "legend",
    "button",
    "select",
    "ruby",
    "details",
    "summary",
    "input",
    "img",
    "a",
    "b",
    "h2",
    "label",
    "dialog",
    "blockquote",
];

const WORDS: [&str; 8] = ["lorem", "ipsum", "dolor", "sit", "amet", "consectetuer", "elit", "ut"];

/// Elements that have no end tag.
const EMPTY: [&str; 2] = ["input", "img"];

const CLASSES: usize = 12;

const CHANGES: usize = 24;

/// Returns a page.
pub(super) fn page(seed: u64) -> String {
    let mut maker = Maker { random: Random(seed), elements: 0 };
    let mut page = format!("<!DOCTYPE html>\n<title>page {seed}</title>\n<style>\n");
    for class in 0..CLASSES {
        page.push_str(&format!(".c{class} {{ {} }}\n", maker.declarations(3)));
    }
    page.push_str("</style>\n<body>\n");
    for _ in 0..6 {
        page.push_str(&maker.element());
    }
    page.push_str("<script>\nconst changes = [\n");
    for _ in 0..CHANGES {
        page.push_str(&format!("  () => {{ {} }},\n", maker.change()));
        // A layout between changes is what can be kept wrongly.
        page.push_str("  () => { document.body.offsetHeight },\n");
    }
    page.push_str("];\ndocument.body.offsetHeight;\nfor (const change of changes)\n  try { change() } catch (e) { }\n</script>\n");
    page
}

struct Maker {
    random: Random,
    /// How many elements there are.
    elements: usize,
}

impl Maker {
    fn one_of<'a>(&mut self, all: &[&'a str]) -> &'a str {
        all[self.random.below(all.len())]
    }

    fn declaration(&mut self) -> (&'static str, String) {
        let lines: Vec<&str> =
            PROPERTIES.lines().filter(|line| !line.starts_with('#') && !line.is_empty()).collect();
        let (name, values) = self.one_of(&lines).split_once(": ").unwrap_or_default();
        let values: Vec<&str> = values.split(' ').collect();
        (name, self.one_of(&values).replace('+', " "))
    }

    fn declarations(&mut self, most: usize) -> String {
        let many = 1 + self.random.below(most);
        let all: Vec<String> = (0..many)
            .map(|_| {
                let (name, value) = self.declaration();
                format!("{name}: {value}")
            })
            .collect();
        all.join("; ")
    }

    fn words(&mut self) -> String {
        let many = 1 + self.random.below(6);
        let all: Vec<&str> = (0..many).map(|_| self.one_of(&WORDS)).collect();
        all.join(" ")
    }

    /// Returns an element with what is in it.
    fn element(&mut self) -> String {
        let mut text = String::new();
        let mut open: Vec<&str> = Vec::new();
        for _ in 0..12 {
            let name = self.one_of(&ELEMENTS);
            let class = self.random.below(CLASSES);
            text.push_str(&format!("<{name} id=\"e{}\" class=\"c{class}\"", self.elements));
            self.elements += 1;
            if self.random.below(3) == 0 {
                let style = self.declarations(2);
                text.push_str(&format!(" style=\"{style}\""));
            }
            text.push('>');
            if !EMPTY.contains(&name) {
                open.push(name);
                let words = self.words();
                text.push_str(&words);
            }
            // Deeper more often than not.
            while open.len() > 1 && self.random.below(3) == 0 {
                text.push_str(&open.pop().map(|name| format!("</{name}>\n")).unwrap_or_default());
            }
        }
        while let Some(name) = open.pop() {
            text.push_str(&format!("</{name}>\n"));
        }
        text
    }

    /// Returns a statement that changes the page or forces a layout.
    fn change(&mut self) -> String {
        let element = |maker: &mut Self| {
            format!("document.getElementById('e{}')", maker.random.below(maker.elements.max(1)))
        };
        let one = element(self);
        match self.random.below(8) {
            0..=2 => {
                let (name, value) = self.declaration();
                format!("{one}.style.setProperty('{name}', '{value}');")
            }
            3 => format!("{one}.appendChild({});", element(self)),
            4 if self.random.below(2) == 0 => format!("{one}.remove();"),
            5 => format!("{one}.className = 'c{}';", self.random.below(CLASSES)),
            6 => format!("{one}.insertBefore(document.createTextNode('{}'), null);", self.words()),
            _ => format!("{one}.removeAttribute('class');"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{CHANGES, page};

    #[test]
    fn a_seed_always_gives_the_same_page() {
        assert_eq!(page(1), page(1));
        assert_ne!(page(1), page(2));
        for seed in 0..50 {
            let page = page(seed);
            assert_eq!(page.matches("() =>").count(), 2 * CHANGES, "{page}");
            assert!(!page.contains(": ;") && !page.contains('+'), "{page}");
        }
    }
}
