//! The language of a directory: what the languages of its files know, together.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use minirepro_syntax::{
    Facts, FileKinds, Interruption, Kind, Kinds, Language, NodeId, Roles, Spacing,
};

use crate::manifest::adopt::Host;
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

/// The most fields that a table of kinds can hold.
const MOST_FIELDS: usize = 255;

/// Returns the language of [archives](minirepro_syntax::archive) with these files, each read in the
/// form beside its path: one tree, in which a list of a file is a list like any other.
///
/// Where the languages have more fields than a table holds, the files of the last ones are not
/// read.
pub fn project(files: impl IntoIterator<Item = (Vec<u8>, FileForm)>) -> Language {
    let mut kinds = Kinds::default();
    let directory = kinds.intern("directory", true);
    let file = kinds.intern("file", true);
    let head = kinds.intern("path", true);
    let unread = kinds.intern("unread", true);
    let mut host = Host { kinds, facts: Facts::default(), roles: Roles::default() };
    host.roles.files = Some(FileKinds { file, head });
    let interruption = Interruption::default();
    let mut all: Vec<Member> = Vec::new();
    let mut of = HashMap::new();
    let mut by_name: BTreeMap<String, Option<usize>> = BTreeMap::new();
    let mut fields: BTreeSet<String> = BTreeSet::new();
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
            let own = language.kinds.field_names().map(str::to_owned);
            let more: BTreeSet<String> = fields.iter().cloned().chain(own).collect();
            (more.len() <= MOST_FIELDS).then(|| {
                fields = more;
                let adopted = host.adopt(&language);
                let tokens = Arc::new(language.roles.tokens.clone());
                // What has no name may be of any language.
                let named = |kind: &&Kind| host.kinds.is_named(**kind);
                for &kind in adopted.kinds.iter().filter(named) {
                    host.roles.tokens_of.insert(kind, Arc::clone(&tokens));
                }
                // Tags are looked for in all files together.
                let end_tag_start = &mut host.roles.tokens.end_tag_start;
                *end_tag_start = end_tag_start.take().or_else(|| tokens.end_tag_start.clone());
                let empty = language.parser.parse(b"");
                let root = adopted.kinds[usize::from(empty.kind(NodeId::ROOT).0)];
                contents.insert(host.kinds.name(root).to_owned());
                let whole = interruption.clone();
                let guard = language.interruption.watch(move || whole.is_set());
                all.push(Member { language: Arc::clone(&language), adopted, interruption: guard });
                all.len() - 1
            })
        });
        of.insert(path, number);
    }
    let contents: Vec<&str> =
        contents.iter().map(String::as_str).chain([host.kinds.name(unread)]).collect();
    let own = format!("directory = file*\nfile = path ({})?", contents.join(" | "));
    let own = Facts::parse(&own, &mut host.kinds).expect("the facts above are valid");
    let Host { kinds, mut facts, roles } = host;
    facts.adopt(&own, |kind| kind);
    let kinds = Arc::new(kinds);
    let between_tokens = all.iter().all(|member| member.language.spacing.between_tokens);
    let mut of_suffix: HashMap<Vec<u8>, Option<usize>> = HashMap::new();
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
    Language {
        name: PROJECT.to_owned(),
        kinds,
        facts,
        // Each file has its own.
        spacing: Spacing { between_tokens, keep_words_apart: false, indentation: false },
        roles,
        parser: Box::new(ProjectParser::new(members.clone())),
        names: Box::new(ProjectNames { members }),
        interruption,
    }
}
