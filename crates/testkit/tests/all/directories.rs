//! A file of a directory is read and written as it is alone.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::collections::HashSet;
use std::sync::Arc;

use minirepro_languages::{FileForm, by_name, by_name_in, guess, project, project_kinds};
use minirepro_passes::{PassContext, own};
use minirepro_syntax::archive::{Kind, entries, pack};
use minirepro_syntax::{Edits, Language, NodeId, render, rendered};

const FILES: [(&str, &str); 6] = [
    ("a.c", "/* first */\n#include \"b.h\"\nint f(int a, int b) { return a\n  + b; }\n\n"),
    ("empty.c", ""),
    ("p/b.py", "# first\ndef f(x):\n    if x:\n        return [1, 2]\n    return x\n\nf(1)"),
    ("notes.txt", "one two\n  three\n\nfour"),
    ("page.html", "<p class=a>text<b>bold</b>\n<style>p { color: red }</style>\n"),
    ("last.c", "\nint x;\n"),
];

fn archive() -> Vec<u8> {
    pack(FILES.map(|(path, text)| (Kind::Plain, path.as_bytes(), text.as_bytes()))).unwrap()
}

fn language_of(path: &str, text: &str) -> Arc<Language> {
    Arc::new(by_name(&guess(path, text.as_bytes())).unwrap())
}

fn directory() -> Language {
    let mut kinds = project_kinds();
    let files = FILES.map(|(path, text)| {
        let name = guess(path, text.as_bytes());
        let language = kinds.within(&name, |kinds| by_name_in(&name, kinds)).unwrap();
        (path.into(), FileForm::Text(Arc::new(language)))
    });
    project(kinds, files)
}

#[test]
fn a_candidate_of_one_file_leaves_the_others_alone_and_is_what_it_would_be_alone() {
    let language = directory();
    let archive = archive();
    let whole = language.parser.parse(&archive);
    let unchanged = render(&whole, &Edits::none(), language.spacing);
    assert_eq!(unchanged.text[..], archive[..]);
    let fresh = directory();
    let mut edited = 0;
    for ((number, (path, text)), file) in FILES.iter().enumerate().zip(whole.children(NodeId::ROOT))
    {
        let alone = language_of(path, text);
        let tree = alone.parser.parse(text.as_bytes());
        let Some(root) = whole.children(file).nth(1) else { continue };
        for id in tree.ids().skip(1) {
            let here = NodeId(root.0 + id.0);
            assert_eq!(whole.text_of(here), tree.text_of(id));
            let expected = render(&tree, &Edits::drop(id), alone.spacing).text;
            let candidate = rendered(&whole, &language, &Edits::drop(here));
            let shown = String::from_utf8_lossy(&candidate.text);
            for (at, entry) in entries(&candidate.text).iter().enumerate() {
                let expected = if at == number { &expected } else { FILES[at].1.as_bytes() };
                assert_eq!(entry.text, expected, "{path}, {here:?}: {shown}");
            }
            let errors = language.parser.errors_after(&whole, &candidate);
            assert_eq!(errors, fresh.parser.errors(&candidate.text), "{shown}");
            edited += 1;
        }
    }
    assert!(edited > 50, "{edited}");
}

#[test]
fn what_is_no_archive_of_these_files_has_errors() {
    let language = directory();
    let archive = archive();
    assert_eq!(language.parser.errors(&archive), 0);
    assert_eq!(language.parser.errors(b""), 0);
    let all = entries(&archive);
    let first = &archive[all[0].span.clone()];
    let twice = [first, first].concat();
    let stranger = pack([(Kind::Plain, &b"other.c"[..], &b"int x;"[..])]).unwrap();
    for text in [&archive[1..], &twice, &stranger, b"text"] {
        assert!(language.parser.errors(text) > 0);
        assert!(language.parser.parse(text).errors() > 0);
    }
}

#[test]
fn files_that_could_take_each_others_parts_do_not_do_so_at_once() {
    let files: [(Kind, &[u8], &[u8]); 2] = [
        (Kind::Plain, b"a.c", b"#include \"b.h\"\nint a;\n"),
        (Kind::Plain, b"b.h", b"#include \"a.c\"\nint b;\n"),
    ];
    let archive = pack(files).unwrap();
    let mut kinds = project_kinds();
    let c = Arc::new(kinds.within("c", |kinds| by_name_in("c", kinds)).unwrap());
    let paths = [b"a.c".to_vec(), b"b.h".to_vec()];
    let language = project(kinds, paths.map(|path| (path, FileForm::Text(Arc::clone(&c)))));
    let tree = language.parser.parse(&archive);
    let none = HashSet::new();
    let pass = own().find(|pass| pass.name == "inline-files").unwrap();
    let context = PassContext::new(&tree, &language, pass.gate, &none);
    let items = pass.propose(&context).unwrap().items;
    let [one, other] = &items[..] else { panic!("{items:?}") };
    assert!(Edits::merged([&one.edits, &other.edits]).is_none());
}

#[test]
fn a_link_goes_as_a_whole_and_never_changes() {
    let archive = pack([(Kind::Link, &b"link"[..], &b"a.c"[..])]).unwrap();
    let language = project(project_kinds(), [(b"link".to_vec(), FileForm::Link(b"a.c".to_vec()))]);
    let tree = language.parser.parse(&archive);
    let link: Vec<NodeId> = tree.children(NodeId::ROOT).collect();
    assert_eq!((link.len(), tree.children(link[0]).count(), tree.errors()), (1, 1, 0));
    let without = render(&tree, &Edits::drop(link[0]), language.spacing);
    assert_eq!(without.text[..], b""[..]);
    for target in [&b"b.c"[..], b"", b"a.c\0"] {
        let other = pack([(Kind::Link, &b"link"[..], target)]).unwrap();
        assert!(language.parser.errors(&other) > 0);
    }
    // What stood in the next file would be where the link points to.
    let merged = [&archive[..], b"int x;"].concat();
    assert!(language.parser.errors(&merged) > 0);
}
