//! Compiles files of rules for a grammar.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

use minirepro_syntax::{Kind, Language};

use crate::file::{OneOrMore, RuleFile, RuleTable};
use crate::form::Put;
use crate::interned::interned;
use crate::pass::{RuleName, RulePass, add};
use crate::path::Path;
use crate::query::{Capture, Query};
use crate::selector::{Selector, nearest};

/// What rules are read with.
pub struct Grammar<'a> {
    /// Splits a new text into tokens.
    pub tokens: &'a dyn Fn(&[u8]) -> Vec<Range<usize>>,
    /// Texts in which `$PATTERN` stands for a piece of code: the first that fits counts, after them
    /// the code alone.
    pub contexts: &'a [String],
    /// Names for several kinds together.
    pub sets: &'a BTreeMap<String, Vec<String>>,
    /// Where the rules stand.
    pub origin: &'a str,
}

/// What is wrong with a rule, in words.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct RuleError(pub(crate) String);

/// A result of reading a rule.
pub(crate) type Read<T> = Result<T, RuleError>;

/// One rule.
#[derive(Clone, Debug)]
pub(crate) struct Rule {
    /// The kinds of nodes that it is about.
    pub(crate) subjects: BTreeSet<Kind>,
    pub(crate) query: Query,
    /// The number of captures: the subject, the node that an edit is made for, and others.
    pub(crate) captures: usize,
    pub(crate) scope: Vec<Binding>,
    /// The edits that go together.
    pub(crate) edits: Vec<RuleEdit>,
    pub(crate) name: Arc<RuleName>,
}

/// A capture, and where its paths lead; without one, a path that must lead somewhere, or nowhere.
/// Each stands after those that it starts from.
pub(crate) type Binding = (Option<Capture>, Vec<Path>);

/// One of the edits that go together.
#[derive(Clone, Debug)]
pub(crate) struct RuleEdit {
    /// The nodes that the edit is made for, one after the other.
    pub(crate) each: Vec<Path>,
    pub(crate) scope: Vec<Binding>,
    /// The nodes that change.
    pub(crate) at: Vec<Path>,
    /// What becomes of them; without, mentions go with as much around each as the grammar demands.
    pub(crate) put: Option<Put>,
}

/// The subject, and the node that an edit is made for.
pub(crate) const SUBJECT: Capture = Capture(0);
pub(crate) const THIS: Capture = Capture(1);

/// Compiles one rule.
pub(crate) struct Compiler<'a> {
    pub(crate) grammar: &'a Grammar<'a>,
    pub(crate) language: &'a Language,
    /// Whether captured nodes from elsewhere come with the edits in them.
    pub(crate) with_edits: bool,
    /// The names of the captures, in the order of their numbers; those of an edit that was read are
    /// forgotten.
    names: Vec<String>,
    /// The captures that nothing has mentioned as yet, and those that something has: of the rule,
    /// and of an edit.
    waiting: [BTreeMap<&'a str, &'a OneOrMore>; 2],
    bound: [Vec<Binding>; 2],
}

impl Grammar<'_> {
    /// Adds the passes that files describe, each with its name, to a language.
    ///
    /// # Errors
    /// If code does not parse, a capture is unknown, or a name is not the grammar's.
    pub fn add(
        &self,
        language: &mut Language,
        files: BTreeMap<String, RuleFile>,
    ) -> Result<(), RuleError> {
        let passes = files.into_iter().map(|(name, file)| self.pass(language, &name, file));
        let passes = passes.collect::<Result<_, _>>()?;
        add(language, passes);
        Ok(())
    }

    fn pass(&self, language: &Language, name: &str, file: RuleFile) -> Read<RulePass> {
        let mut rules = Vec::new();
        for table in &file.rules {
            // Each subject with each text is a rule.
            let [subjects, texts] =
                [&table.r#match, &table.put].map(|texts| 0..texts.all().len().max(1));
            for (subject, text) in subjects.flat_map(|s| texts.clone().map(move |t| (s, t))) {
                let compiler = Compiler {
                    grammar: self,
                    language,
                    with_edits: file.reparse,
                    names: ["$", "IT"].map(str::to_owned).to_vec(),
                    waiting: Default::default(),
                    bound: Default::default(),
                };
                let form = form(table, subject, text);
                // Where nothing ends a statement, nothing needs such an end.
                if form.contains("$END") && language.roles.tokens.statement_end.is_none() {
                    continue;
                }
                let rule = compiler.rule(table, subject, text, &form);
                let rule = rule.map_err(|RuleError(what)| {
                    RuleError(format!("pass `{name}`, rule `{form}`: {what}"))
                })?;
                rules.extend(Some(rule).filter(|rule| !rule.subjects.is_empty()));
            }
        }
        Ok(RulePass { name: interned(name), file: RuleFile { rules: Vec::new(), ..file }, rules })
    }
}

impl<'a> Compiler<'a> {
    /// Compiles the rule of one subject and one text, by their numbers.
    fn rule(mut self, table: &'a RuleTable, subject: usize, text: usize, form: &str) -> Read<Rule> {
        let subject = table.r#match.get(subject);
        let query = self.subject(subject)?;
        let kinds = |selector: &Selector| selector.kinds(&self);
        let subjects = query.wanted.iter().find_map(kinds);
        let subjects =
            subjects.ok_or_else(|| RuleError(format!("`{subject}` says no kind of parts")))?;
        let edits = self.edits(table, 0, text)?;
        let [scope, _] = self.bound;
        let name = RuleName { origin: self.grammar.origin.to_owned(), form: form.to_owned() };
        Ok(Rule { subjects, query, captures: self.names.len(), scope, edits, name: name.into() })
    }

    /// Returns the capture of that name; what it starts from is compiled before it.
    pub(crate) fn capture(&mut self, name: &str) -> Read<Capture> {
        if let Some(number) = self.names.iter().position(|known| known == name) {
            return Ok(Capture(number));
        }
        for scope in [1, 0] {
            if let Some((name, paths)) = self.waiting[scope].remove_entry(name) {
                let paths = self.paths(paths.all())?;
                let capture = self.new_capture(name)?;
                self.bound[scope].push((Some(capture), paths));
                return Ok(capture);
            }
        }
        let known = match name.contains('.') {
            true => ": only a capture may stand there, so name the path in `let`".to_owned(),
            false => nearest(name, self.names.iter().map(String::as_str)),
        };
        Err(RuleError(format!("nothing captures `{name}`{known}")))
    }

    /// Returns the capture of that name, new if there was none.
    pub(crate) fn new_capture(&mut self, name: &str) -> Read<Capture> {
        match self.names.iter().position(|known| known == name) {
            Some(1) => Err(RuleError("`IT` is the part that an edit is made for".to_owned())),
            Some(known) => Ok(Capture(known)),
            None => {
                self.names.push(name.to_owned());
                Ok(Capture(self.names.len() - 1))
            }
        }
    }

    /// Returns the edits that a table means, with one of its texts. Without nodes that it is made
    /// for, it is made for those that it changes, or for the subject.
    fn edits(&mut self, table: &'a RuleTable, scope: usize, text: usize) -> Read<Vec<RuleEdit>> {
        if table.r#let.contains_key("IT") {
            self.new_capture("IT")?;
        }
        self.waiting[scope] = table.r#let.iter().map(|(name, paths)| (&**name, paths)).collect();
        let mut actions = vec![(&table.drop, Some(Put::default())), (&table.remove, None)];
        actions.retain(|(at, _)| !at.all().is_empty());
        if !table.put.all().is_empty() {
            actions.push((&table.at, Some(self.put(table, text)?)));
        }
        let [subject, this] = ["$", "IT"].map(|name| [name.to_owned()]);
        let mut edits = Vec::new();
        for (at, put) in actions {
            let (each, at) = match (table.each.all(), at.all()) {
                ([], []) => (&subject[..], &this[..]),
                ([], at) => (at, &this[..]),
                (each, []) => (each, &this[..]),
                both => both,
            };
            let (each, at) = (self.paths(each)?, self.paths(at)?);
            edits.push(RuleEdit { each, scope: Vec::new(), at, put });
        }
        let conditions = self.paths(table.r#where.all())?;
        self.bound[scope].extend(conditions.into_iter().map(|path| (None, vec![path])));
        if scope == 1 {
            let own = std::mem::take(&mut self.bound[1]);
            own.iter().filter_map(|(own, _)| *own).for_each(|own| self.names[own.0].clear());
            edits.iter_mut().for_each(|edit| edit.scope.clone_from(&own));
        }
        for edit in &table.edit {
            edits.extend(self.edits(edit, 1, 0)?);
        }
        if edits.is_empty() {
            let why = "no edit: `put`, `drop`, `remove`, or a list of them as `edit`";
            return Err(RuleError(why.to_owned()));
        }
        Ok(edits)
    }
}

/// Returns in words what the rule of one subject and one text makes of what.
fn form(table: &RuleTable, subject: usize, text: usize) -> String {
    let own = |table: &RuleTable, text| {
        let gone = [table.drop.all(), table.remove.all()].concat();
        let (put, at) = (table.put.get(text), table.at.all().join(", "));
        let put = if at.is_empty() { put.to_owned() } else { format!("{put} at {at}") };
        let gone = (!gone.is_empty()).then(|| format!("without {}", gone.join(", ")));
        [Some(put).filter(|put| !put.is_empty()), gone].into_iter().flatten()
    };
    let further = table.edit.iter().flat_map(|edit| own(edit, 0));
    let all: Vec<String> = own(table, text).chain(further).collect();
    format!("{} → {}", table.r#match.get(subject), all.join("; "))
}
