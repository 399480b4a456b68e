//! The language of a directory: what the languages of its files know, together.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use minirepro_rules::adopt;
use minirepro_syntax::{Facts, FileKinds, Interruption, Kinds, Language, NodeId, Roles};

use crate::project::members::{Member, Members, PROJECT, last_part, suffix};
use crate::project::names::ProjectNames;
use crate::project::parser::ProjectParser;

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
    let [directory, file, head, unread] = OWN.map(|name| kinds.intern(name, true));
    let (mut facts, mut roles) = (Facts::default(), Roles::default());
    roles.files = Some(FileKinds { file, head });
    let interruption = Interruption::default();
    let mut all: Vec<Member> = Vec::new();
    let mut of = HashMap::new();
    let mut by_name: BTreeMap<String, usize> = BTreeMap::new();
    let mut contents: BTreeSet<String> = BTreeSet::new();
    let mut links = HashMap::new();
    for (path, form) in files {
        let language = match form {
            FileForm::Text(language) => language,
            FileForm::Link(target) => {
                links.insert(path, target);
                continue;
            }
        };
        let number = *by_name.entry(language.name.clone()).or_insert_with(|| {
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
            let guard = language.interruption.watch(move || whole.is_set());
            all.push(Member { language: Arc::clone(&language), _interruption: guard });
            all.len() - 1
        });
        of.insert(path, number);
    }
    let contents: Vec<&str> =
        contents.iter().map(String::as_str).chain([kinds.name(unread)]).collect();
    let own = format!("directory = file*\nfile = path ({})?", contents.join(" | "));
    facts.adopt(&Facts::parse(&own, &mut kinds).expect("the facts above are valid"));
    let kinds = Arc::new(kinds);
    let between_tokens = all.iter().all(|member| member.language.spacing.between_tokens);
    let mut of_suffix: HashMap<Vec<u8>, usize> = HashMap::new();
    let mut ambiguous: BTreeSet<Vec<u8>> = BTreeSet::new();
    for (path, number) in &of {
        if *of_suffix.entry(suffix(path).to_vec()).or_insert(*number) != *number {
            ambiguous.insert(suffix(path).to_vec());
        }
    }
    of_suffix.retain(|suffix, _| !ambiguous.contains(suffix));
    let names = of.keys().map(|path| last_part(path).to_vec()).collect();
    let members = Arc::new(Members {
        all,
        of,
        of_suffix,
        names,
        links,
        kinds: Arc::clone(&kinds),
        directory,
        file,
        head,
        unread,
    });
    let parser = Arc::new(ProjectParser::new(members.clone()));
    let mut language = Language::plain(PROJECT, kinds, facts, roles, parser);
    // Each file has its own blank space.
    language.spacing.between_tokens = between_tokens;
    members.all.iter().for_each(|member| adopt(&mut language, &member.language));
    language.names = Box::new(ProjectNames { members });
    language.interruption = interruption;
    language
}
