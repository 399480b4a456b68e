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
    pub(crate) scope: Scope,
    /// The edits that go together.
    pub(crate) edits: Vec<RuleEdit>,
    pub(crate) name: Arc<RuleName>,
}

/// Captures and conditions.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scope {
    /// Each after those that it starts from.
    pub(crate) bindings: Vec<Binding>,
    /// Paths that must lead somewhere, or nowhere.
    pub(crate) conditions: Vec<Path>,
}

/// A capture, and where its paths lead.
pub(crate) type Binding = (Capture, Vec<Path>);

/// One of the edits that go together.
#[derive(Clone, Debug)]
pub(crate) struct RuleEdit {
    /// The nodes that the edit is made for, one after the other.
    pub(crate) each: Vec<Path>,
    pub(crate) scope: Scope,
    /// The nodes that change: the node itself, if empty.
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
    bindings: [Vec<Binding>; 2],
}

impl Grammar<'_> {
    /// Adds the passes that files describe, each with its name, to a language.
    ///
    /// # Errors
    /// If code does not parse, a capture is unknown, or a name is not the grammar's.
    pub fn add(
        &self,
        language: &mut Language,
        files: &BTreeMap<String, RuleFile>,
    ) -> Result<(), RuleError> {
        let passes = files.iter().map(|(name, file)| self.pass(language, name, file));
        let passes = passes.collect::<Result<_, _>>()?;
        add(language, passes);
        Ok(())
    }

    fn pass(&self, language: &Language, name: &str, file: &RuleFile) -> Read<RulePass> {
        let mut rules = Vec::new();
        // Where nothing ends a statement, nothing needs such an end.
        let has_end = language.roles.tokens.statement_end.is_some();
        for table in file.rules.iter().flat_map(alternatives).filter(|t| has_end || !needs_end(t)) {
            let compiler = Compiler {
                grammar: self,
                language,
                with_edits: file.reparse,
                names: ["$", "IT"].map(str::to_owned).to_vec(),
                waiting: Default::default(),
                bindings: Default::default(),
            };
            let rule = compiler.rule(&table).map_err(|RuleError(what)| {
                RuleError(format!("pass `{name}`, rule `{}`: {what}", form(&table)))
            })?;
            rules.extend(Some(rule).filter(|rule| !rule.subjects.is_empty()));
        }
        let [edits, after] = file.head();
        let RuleFile { search, reparse, late, grows, .. } = *file;
        let search = search.unwrap_or_default();
        Ok(RulePass { name: interned(name), edits, after, search, reparse, late, grows, rules })
    }
}

impl<'a> Compiler<'a> {
    fn rule(mut self, table: &'a RuleTable) -> Read<Rule> {
        let text = table.r#match.first();
        let query = self.subject(text)?;
        let kinds = |selector: &Selector| selector.kinds(&self);
        let subjects = query.wanted.iter().find_map(kinds);
        let subjects =
            subjects.ok_or_else(|| RuleError(format!("`{text}` says no kind of parts")))?;
        let mut edits = self.edits(table, 0)?;
        let mut scope = self.scope(table, 0)?;
        for edit in &table.edit {
            let own = self.edits(edit, 1)?;
            let scope = self.scope(edit, 1)?;
            scope.bindings.iter().for_each(|(capture, _)| self.names[capture.0].clear());
            edits.extend(own.into_iter().map(|own| RuleEdit { scope: scope.clone(), ..own }));
        }
        if edits.is_empty() {
            return Err(no_edit());
        }
        let [bindings, _] = self.bindings;
        scope.bindings.extend(bindings);
        let name = RuleName { origin: self.grammar.origin.to_owned(), form: form(table) };
        Ok(Rule { subjects, query, captures: self.names.len(), scope, edits, name: name.into() })
    }

    /// Returns the capture of that name; what it starts from is compiled before it.
    pub(crate) fn capture(&mut self, name: &str) -> Read<Capture> {
        if let Some(number) = self.names.iter().position(|known| known == name) {
            return Ok(Capture(number));
        }
        for scope in [1, 0] {
            if let Some((name, paths)) = self.waiting[scope].remove_entry(name) {
                let paths = self.paths(paths)?;
                let capture = self.new_capture(name)?;
                self.bindings[scope].push((capture, paths));
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

    /// Returns the conditions of a table, with what its edits and they have mentioned.
    fn scope(&mut self, table: &'a RuleTable, scope: usize) -> Read<Scope> {
        let conditions = self.paths(&table.r#where)?;
        Ok(Scope { bindings: std::mem::take(&mut self.bindings[scope]), conditions })
    }

    /// Returns the edits that a table means. Without nodes that it is made for, it is made for
    /// those that it changes, or for the subject.
    fn edits(&mut self, table: &'a RuleTable, scope: usize) -> Read<Vec<RuleEdit>> {
        if table.r#let.contains_key("IT") {
            self.new_capture("IT")?;
        }
        self.waiting[scope] = table.r#let.iter().map(|(name, paths)| (&**name, paths)).collect();
        let mut actions = vec![(&table.drop, Some(Put::default())), (&table.remove, None)];
        actions.retain(|(at, _)| !at.all().is_empty());
        if let [code, ..] = table.put.all() {
            actions.push((&table.at, Some(self.put(code, table)?)));
        }
        if actions.is_empty() && scope == 1 {
            return Err(no_edit());
        }
        let edits = actions.into_iter().map(|(at, put)| {
            let (each, at) = (self.paths(&table.each)?, self.paths(at)?);
            let (each, at) = match (each.is_empty(), at.is_empty()) {
                (true, true) => (vec![self.path("$")?], at),
                (true, false) => (at, Vec::new()),
                (false, _) => (each, at),
            };
            Ok(RuleEdit { each, scope: Scope::default(), at, put })
        });
        edits.collect()
    }
}

fn no_edit() -> RuleError {
    RuleError("no edit: `put`, `drop`, `remove`, or a list of them as `edit`".to_owned())
}

/// Returns whether one of a rule's texts has the token with which the language ends statements.
fn needs_end(table: &RuleTable) -> bool {
    table.put.first().contains("$END") || table.edit.iter().any(needs_end)
}

/// Returns the rules that a table with several subjects or texts means, each with one.
fn alternatives(table: &RuleTable) -> Vec<RuleTable> {
    let one = |text: &String| OneOrMore::One(text.clone());
    let each = |texts: &OneOrMore| match texts.all() {
        [] => vec![OneOrMore::default()],
        all => all.iter().map(one).collect(),
    };
    let mut rules = Vec::new();
    for subject in each(&table.r#match) {
        for (number, put) in each(&table.put).into_iter().enumerate() {
            let kinds = table.r#as.all();
            let kind = kinds.get(number).or(kinds.last()).map(one).unwrap_or_default();
            rules.push(RuleTable { r#match: subject.clone(), put, r#as: kind, ..table.clone() });
        }
    }
    rules
}

/// Returns in words what a rule makes of what.
fn form(table: &RuleTable) -> String {
    let edits = |table: &RuleTable| {
        let gone = [table.drop.all(), table.remove.all()].concat();
        let (put, at) = (table.put.first(), table.at.all().join(", "));
        let put = if at.is_empty() { put.to_owned() } else { format!("{put} at {at}") };
        let gone = (!gone.is_empty()).then(|| format!("without {}", gone.join(", ")));
        [Some(put).filter(|put| !put.is_empty()), gone].into_iter().flatten()
    };
    let all: Vec<String> = [table].into_iter().chain(&table.edit).flat_map(edits).collect();
    format!("{} → {}", table.r#match.first(), all.join("; "))
}
