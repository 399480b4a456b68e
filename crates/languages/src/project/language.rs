//! The language of a directory: what the languages of its files know, together.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex};

use minirepro_rules::adopt;
use minirepro_syntax::{Facts, FileKinds, Interruption, Kinds, Language, NodeId, Roles};

use crate::project::parser::{PROJECT, ProjectParser};

/// What a file is to its directory.
pub enum FileForm {
    /// A text in a language.
    Text(Arc<Language>),
    /// A link to this place: it goes as a whole, and never changes.
    Link(Vec<u8>),
}

/// What the kinds of a directory are called: it, a file, what stands before its text, and a text
/// that nobody reads.
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
    let (mut all, mut interruptions): (Vec<Arc<Language>>, Vec<_>) = Default::default();
    let (mut of, mut links) = (HashMap::new(), HashMap::new());
    let mut contents = BTreeSet::new();
    for (path, form) in files {
        let language = match form {
            FileForm::Text(language) => language,
            FileForm::Link(target) => {
                links.insert(path, target);
                continue;
            }
        };
        let known = all.iter().find(|known| known.name == language.name).cloned();
        let language = known.unwrap_or_else(|| {
            facts.adopt(&language.facts);
            roles.adopt(&language.roles);
            let tokens = Arc::new(language.roles.tokens.clone());
            // What has no name may be of any language.
            let own = kinds.all_within(&language.name);
            roles.tokens_of.extend(own.map(|kind| (kind, Arc::clone(&tokens))));
            // Tags are looked for in all files together.
            let end_tag_start = &mut roles.tokens.end_tag_start;
            *end_tag_start = end_tag_start.take().or_else(|| tokens.end_tag_start.clone());
            let empty = language.parser.parse(b"");
            contents.insert(kinds.name(empty.kind(NodeId::ROOT)).to_owned());
            let whole = interruption.clone();
            interruptions.push(language.interruption.watch(move || whole.is_set()));
            all.push(Arc::clone(&language));
            language
        });
        of.insert(path, language);
    }
    let contents: Vec<&str> =
        contents.iter().map(String::as_str).chain([kinds.name(unread)]).collect();
    let text = format!("directory = file*\nfile = path ({})?", contents.join(" | "));
    facts.adopt(&Facts::parse(&text, &mut kinds).expect("the facts above are valid"));
    let kinds = Arc::new(kinds);
    let parser = Arc::new(ProjectParser {
        all,
        of,
        links,
        kinds: Arc::clone(&kinds),
        own,
        _interruptions: interruptions,
        last: Mutex::default(),
    });
    let mut language = Language::plain(PROJECT, kinds, facts, roles, parser.clone());
    // Each file has its own blank space.
    language.spacing.between_tokens = parser.all.iter().all(|member| member.spacing.between_tokens);
    parser.all.iter().for_each(|member| adopt(&mut language, member));
    language.interruption = interruption;
    language
}
