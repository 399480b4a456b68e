//! The language of a directory: what the languages of its files know, together.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex};

use minirepro_rules::adopt;
use minirepro_syntax::{
    Facts, FileKinds, FindNames, Interruption, Kinds, Language, Mention, NodeId, Roles, Tree,
};

use crate::project::parser::ProjectParser;

/// What the language of a directory is called.
pub const PROJECT: &str = "project";

/// What a file is to its directory.
pub enum FileForm {
    /// A text in a language.
    Text(Arc<Language>),
    /// A link to this place: it goes as a whole, and never changes.
    Link(Vec<u8>),
}

/// What the kinds of a directory are called: it, a file, what stands before its text (all of a
/// link), and a text that nobody reads.
const OWN: [&str; 4] = ["directory", "file", "path", "unread"];

/// Returns a table of kinds for a [directory](project). The languages of its files add their own to
/// it, each [within](Kinds::within) its name.
pub fn project_kinds() -> Kinds {
    let mut kinds = Kinds::default();
    for name in OWN {
        kinds.intern(name, true);
    }
    kinds
}

/// Returns the language of [archives](minirepro_syntax::archive) with these files, each read in the
/// form beside its path: one tree, in which a list of a file is a list like any other. The kinds of
/// all languages are in this table.
pub fn project(mut kinds: Kinds, files: impl IntoIterator<Item = (Vec<u8>, FileForm)>) -> Language {
    let own = OWN.map(|name| kinds.intern(name, true));
    let [_, file, head, unread] = own;
    let (mut facts, mut roles) = (Facts::default(), Roles::default());
    roles.files = Some(FileKinds { file, head });
    let interruption = Interruption::default();
    let forms: HashMap<Vec<u8>, FileForm> = files.into_iter().collect();
    let (mut contents, mut names) = (BTreeSet::new(), BTreeSet::new());
    let mut languages = Vec::new();
    let (mut guards, mut between_tokens) = (Vec::new(), true);
    let mut paths: Vec<&Vec<u8>> = forms.keys().collect();
    paths.sort_unstable();
    for path in paths {
        let FileForm::Text(language) = &forms[path] else { continue };
        if !names.insert(&*language.name) {
            continue;
        }
        facts.adopt(&language.facts);
        roles.adopt(&language.roles);
        let tokens = Arc::new(language.roles.tokens.clone());
        // What has no name may be of any language.
        let of_language = kinds.all_within(&language.name);
        roles.tokens_of.extend(of_language.map(|kind| (kind, Arc::clone(&tokens))));
        // Tags are looked for in all files together.
        let end_tag_start = &mut roles.tokens.end_tag_start;
        *end_tag_start = end_tag_start.take().or_else(|| tokens.end_tag_start.clone());
        let empty = language.parser.parse(b"");
        contents.insert(kinds.name(empty.kind(NodeId::ROOT)).to_owned());
        let whole = interruption.clone();
        guards.push(language.interruption.watch(move || whole.is_set()));
        between_tokens &= language.spacing.between_tokens;
        languages.push(Arc::clone(language));
    }
    let contents: Vec<&str> =
        contents.iter().map(String::as_str).chain([kinds.name(unread)]).collect();
    let rules = format!("directory = file*\nfile = path ({})?", contents.join(" | "));
    facts.adopt(&Facts::parse(&rules, &mut kinds).expect("the facts above are valid"));
    let kinds = Arc::new(kinds);
    let last = Mutex::default();
    let parser = Arc::new(ProjectParser { forms, kinds: Arc::clone(&kinds), own, guards, last });
    let mut language = Language::plain(PROJECT, kinds, facts, roles, parser);
    // Each file has its own blank space.
    language.spacing.between_tokens = between_tokens;
    languages.iter().for_each(|of_file| adopt(&mut language, of_file));
    language.names = Box::new(NamesOfFiles);
    language.interruption = interruption;
    language
}

/// Finds the names of each file by its own language. Files of one language share them.
struct NamesOfFiles;

impl FindNames for NamesOfFiles {
    fn mentions(&self, tree: &Tree) -> Vec<Mention> {
        let mut mentions = Vec::new();
        for file in ProjectParser::reading(tree).into_iter().flat_map(|reading| &reading.files) {
            let Some((language, own)) = &file.read else { continue };
            let here = |id: NodeId| NodeId(file.root.0 + id.0);
            // Documents inside of a file share no names with others.
            let document = |id| if id == NodeId::ROOT { id } else { here(id) };
            mentions.extend(language.names.mentions(own).into_iter().map(|mention| Mention {
                leaf: here(mention.leaf),
                document: document(mention.document),
                ..mention
            }));
        }
        mentions
    }
}
