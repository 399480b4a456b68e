//! Edits on random programs and pages: what the grammar facts call certain parses, and the size and
//! hash of a candidate are those of its own tree, so that answers can be remembered by the hash.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use minirepro_passes::{Gate, of as passes_of};
use minirepro_syntax::{Edits, Language, NodeId, TokenHash, render};
use minirepro_testkit::offers;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

const C_TOP: &[&str] = &[
    "int a;",
    "static const unsigned long b = 3;",
    "struct s { int x; struct s *next; };",
    "struct s c = { 1, 0 };",
    "typedef unsigned char byte;",
    "byte d[4] = { 1, 2, [3] = 4 };",
    "enum e { A, B = 2 };",
    "int g(int p, char *q);",
    "#define M(x) ((x) + 1)\n",
    "#ifdef M\nint m;\n#endif\n",
    "/* a comment */",
    "extern int h(), *i;",
];

const C_INNER: &[&str] = &[
    "a = b + -c * 2;",
    "if (a > 1) { b--; } else c = 2;",
    "for (int i = 0; i < 3; i++) d[i] = i ? 1 : 2;",
    "while (a) { break; }",
    "do a--; while (a);",
    "switch (b) { case 1: a = 2; break; default: ; }",
    "return g(1, \"x y\") - -a;",
    "p->next->x += sizeof(struct s);",
    "char t = 'x', *u = \"a\" \"b\";",
    "l: goto l;",
    "{ ; }",
    "a = (byte) (a && &b == p), b <<= 2;",
    "// a line\n",
];

const HTML: &[&str] = &[
    "<p>one two</p>",
    "<div class=\"a b\" id=c>",
    "</div>",
    "<ul><li>x<li>y</ul>",
    "<br>",
    "<img src='a.png' alt>",
    "text &amp; more",
    "<!-- a comment -->",
    "<script>f(1, 'a');</script>",
    "<style>p { color: red; margin: 0 1px }</style>",
    "<table><tr><td>1</td></tr></table>",
    "<select><option value=1 selected>a</select>",
    "<b><i>x</i></b>",
    "<!DOCTYPE html>",
    "\n  ",
];

fn pieces(from: &'static [&'static str], most: usize) -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(from), 0..most).prop_map(|all| all.join(" "))
}

fn c() -> impl Strategy<Value = String> {
    let top = || pieces(C_TOP, 4);
    (top(), pieces(C_INNER, 5), top()).prop_map(|(before, body, after)| {
        format!("{before}\nint f(int a, struct s *p) {{ {body} }}\n{after}\n")
    })
}

fn html() -> impl Strategy<Value = String> {
    pieces(HTML, 8)
}

fn language(name: &str) -> Language {
    minirepro_languages::by_name(name).unwrap()
}

fn stays(language: &Language, text: &[u8]) {
    let tree = language.parser.parse(text);
    let rendered = render(&tree, &Edits::none(), language.spacing);
    let shown = text.escape_ascii();
    assert!(*rendered.text == *text, "{}: {shown}", language.name);
    assert_eq!(rendered.hash, tree.hash(NodeId::ROOT), "{}: {shown}", language.name);
    assert_eq!(language.parser.errors(text), tree.errors(), "{}: {shown}", language.name);
    assert_eq!(rendered.tokens, u64::from(tree.tokens(NodeId::ROOT)), "{}: {shown}", language.name);
}

fn few(cases: u32) -> ProptestConfig {
    ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(cases) }
}

proptest! {
    #![proptest_config(few(24))]

    #[test]
    fn without_edits_texts_stay_as_they_are(c in c(), html in html(), cut in 0usize..400) {
        let c_language = language("c");
        let html_language = language("html");
        stays(&c_language, c.as_bytes());
        stays(&html_language, html.as_bytes());
        // Broken texts, too: cut off anywhere, and in the wrong language.
        stays(&c_language, &c.as_bytes()[..cut.min(c.len())]);
        stays(&html_language, &html.as_bytes()[cut.min(html.len())..]);
        stays(&html_language, c.as_bytes());
        stays(&c_language, html.as_bytes());
    }
}

#[test]
fn without_edits_any_bytes_stay_as_they_are() {
    let names = minirepro_languages::all().iter().map(|info| &info.name);
    let languages: Vec<_> =
        names.filter(|name| !name.contains(':')).map(|name| language(name)).collect();
    proptest!(few(24), |(
        bytes in prop::collection::vec(any::<u8>(), 0..200),
        signs in "[ \n<>/=\"'&;(){}*+#a0\\\\-]{0,80}",
    )| {
        for language in &languages {
            stays(language, &bytes);
            stays(language, signs.as_bytes());
        }
    });
}

/// How many edits of how many behave as they should; the first that do not.
#[derive(Default)]
struct Rate {
    good: usize,
    all: usize,
    bad: Vec<String>,
}

impl Rate {
    fn count(&mut self, good: bool, show: impl FnOnce() -> String) {
        self.all += 1;
        self.good += usize::from(good);
        if !good && self.bad.len() < 8 {
            self.bad.push(show());
        }
    }

    fn is_at_least(&self, per_mille: usize, what: &str) {
        let Self { good, all, bad } = self;
        let bad = bad.join("\n  ");
        eprintln!("{what}: {good} of {all}");
        assert!(*all > 20, "{what}: only {all}");
        assert!(good * 1000 >= all * per_mille, "{what}: {good} of {all}, not\n  {bad}");
    }
}

#[derive(Default)]
struct Rates {
    certain: Rate,
    uncertain: Rate,
    inside: Rate,
    tokens: Rate,
    hash: Rate,
    order: Rate,
    /// Equal hashes that stand for texts with equal trees.
    memory: Rate,
}

/// Looks at every edit that any pass offers for texts without errors; always the same ones.
fn measure(name: &str, texts: &impl Strategy<Value = String>, count: usize) -> Rates {
    let language = language(name);
    let mut runner = TestRunner::deterministic();
    let mut rates = Rates::default();
    let texts = std::iter::repeat_with(|| texts.new_tree(&mut runner).unwrap().current());
    let sound = texts.map(|t| language.parser.parse(t.as_bytes())).filter(|t| t.errors() == 0);
    for tree in sound.take(count) {
        let mut told: HashMap<TokenHash, (TokenHash, Vec<u8>)> = HashMap::new();
        for pass in &passes_of(&language) {
            for offer in offers(&language, pass, &tree) {
                let rendered = &offer.rendered;
                let after = language.parser.parse(&rendered.text);
                let show = || {
                    let text = |text| String::from_utf8_lossy(text).replace('\n', " ");
                    format!("{}: {} => {}", pass.name, text(tree.text()), text(&rendered.text))
                };
                let reading = after.hash(NodeId::ROOT);
                match told.entry(rendered.hash) {
                    Entry::Vacant(entry) => {
                        entry.insert((reading, rendered.text.to_vec()));
                    }
                    Entry::Occupied(entry) if *entry.get().1 != *rendered.text => {
                        let (read, text) = entry.get();
                        let other = || format!("{} <> {:?}", show(), text.escape_ascii());
                        rates.memory.count(*read == reading, other);
                    }
                    Entry::Occupied(_) => {}
                }
                if pass.gate == Gate::Facts {
                    let rate = match (offer.certain, pass.name) {
                        // Cuts look into leaves, of which the facts know nothing.
                        (_, "split-leaves") => &mut rates.inside,
                        (true, _) => &mut rates.certain,
                        (false, _) => &mut rates.uncertain,
                    };
                    rate.count(after.errors() == 0, show);
                }
                if offer.drops && after.errors() == 0 {
                    let tokens = u64::from(after.tokens(NodeId::ROOT));
                    rates.tokens.count(rendered.tokens == tokens, show);
                    rates.hash.count(rendered.hash == reading, show);
                    if pass.gate == Gate::Facts {
                        rates.order.count(tokens <= tree.tokens(NodeId::ROOT).into(), show);
                    }
                }
            }
        }
    }
    rates
}

#[test]
fn edits_of_c() {
    let rates = measure("c", &c(), 40);
    rates.certain.is_at_least(990, "c: certain edits parse");
    rates.uncertain.is_at_least(950, "c: uncertain edits parse");
    rates.tokens.is_at_least(990, "c: tokens are counted");
    rates.memory.is_at_least(1000, "c: equal hashes read alike");
    rates.hash.is_at_least(990, "c: the hash is that of the text");
    rates.order.is_at_least(1000, "c: drops make nothing larger");
}

#[test]
fn edits_of_html() {
    let rates = measure("html", &html(), 60);
    rates.certain.is_at_least(950, "html: certain edits parse");
    rates.inside.is_at_least(500, "html: cuts parse");
    rates.tokens.is_at_least(990, "html: tokens are counted");
    rates.memory.is_at_least(1000, "html: equal hashes read alike");
    rates.hash.is_at_least(950, "html: the hash is that of the text");
    rates.order.is_at_least(1000, "html: drops make nothing larger");
}
