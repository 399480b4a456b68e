//! Compiles files of rules for a grammar.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

use minirepro_syntax::{Kind, Language};

use crate::file::{CaptureTable, OneOrMore, RuleFile, RuleTable};
use crate::form::{Put, namespace_in};
use crate::interned::interned;
use crate::pass::{RuleName, RulePass, add};
use crate::path::Path;
use crate::query::{Capture, Query};
use crate::selector::nearest;

/// What rules are read with.
pub struct Grammar<'a> {
    /// Splits a new text into tokens.
    pub tokens: &'a dyn Fn(&[u8]) -> Vec<Range<usize>>,
    /// Texts in which `$PATTERN` stands for a piece of code, the first that fits counts.
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
    pub(crate) elsewhere: Option<Elsewhere>,
    /// The edits that go together.
    pub(crate) edits: Vec<RuleEdit>,
    pub(crate) name: Arc<RuleName>,
}

/// Texts that are taken from elsewhere: names that something has in a namespace, or what style rules
/// declare for the class that a capture says.
#[derive(Clone, Debug)]
pub(crate) struct Elsewhere {
    pub(crate) namespace: Arc<str>,
    pub(crate) class: Option<Capture>,
    pub(crate) captures: Vec<Capture>,
}

/// Captures and conditions.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scope {
    /// What captures stand for, each after those that it starts from.
    pub(crate) bindings: Vec<Binding>,
    /// Paths that must lead somewhere.
    pub(crate) present: Vec<Path>,
    /// Paths that must lead nowhere.
    pub(crate) absent: Vec<Path>,
}

/// What a capture stands for.
#[derive(Clone, Debug)]
pub(crate) struct Binding {
    pub(crate) capture: Capture,
    pub(crate) paths: Vec<Path>,
    pub(crate) quantity: Quantity,
}

/// How many nodes a capture stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Quantity {
    /// At least one: without, the rule does not match.
    Some,
    Any,
    /// One: the rule matches once for each node.
    Each,
}

/// One of the edits that go together.
#[derive(Clone, Debug)]
pub(crate) struct RuleEdit {
    /// The nodes that the edit is made for, one after the other.
    pub(crate) each: Vec<Path>,
    pub(crate) scope: Scope,
    pub(crate) must: bool,
    /// The nodes that change: the node itself, if empty.
    pub(crate) at: Vec<Path>,
    pub(crate) action: Action,
}

/// What becomes of a node.
#[derive(Clone, Debug)]
pub(crate) enum Action {
    Drop,
    Remove,
    Put(Put),
}

/// The subject, and the node that an edit is made for.
pub(crate) const SUBJECT: Capture = Capture(0);
pub(crate) const THIS: Capture = Capture(1);

/// Compiles one rule.
pub(crate) struct Compiler<'a> {
    pub(crate) grammar: &'a Grammar<'a>,
    pub(crate) language: &'a Language,
    /// The names of the captures, in the order of their numbers; those of an edit that was read are
    /// forgotten.
    names: Vec<String>,
    /// What is not compiled as yet: of the rule with that of its file, and of an edit.
    waiting: [Vec<Waiting<'a>>; 2],
    bindings: [Vec<Binding>; 2],
}

type Waiting<'a> = (Quantity, &'a str, &'a [String]);

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
            let names = ["$", "IT"].map(str::to_owned).to_vec();
            let (waiting, bindings) = ([const { Vec::new() }; 2], [const { Vec::new() }; 2]);
            let compiler = Compiler { grammar: self, language, names, waiting, bindings };
            let rule = compiler.rule(&table).map_err(|RuleError(what)| {
                RuleError(format!("pass `{name}`, rule `{}`: {what}", form(&table)))
            })?;
            rules.extend(Some(rule).filter(|rule| !rule.subjects.is_empty()));
        }
        let [edits, after] = file.head();
        let RuleFile { search, gate, late, grows, .. } = *file;
        Ok(RulePass { name: interned(name), edits, after, search, gate, late, grows, rules })
    }
}

impl<'a> Compiler<'a> {
    fn rule(mut self, table: &'a RuleTable) -> Read<Rule> {
        let text = table.subject.first();
        let query = self.subject(text)?;
        let subjects = query.selector.kinds(&self);
        let subjects =
            subjects.ok_or_else(|| RuleError(format!("`{text}` says no kind of parts")))?;
        let tables = || std::iter::once(table).chain(&table.edit);
        if tables().any(|table| waiting(&table.captures).iter().any(|(_, name, _)| *name == "IT")) {
            self.new_capture("IT")?;
        }
        let own = waiting(&table.captures);
        self.waiting[0] = [own.clone(), waiting(&table.shared)].concat();
        for (_, name, _) in own {
            self.capture(name)?;
        }
        let mut elsewhere = None;
        if let Some(class) = &table.declared_for {
            let captures = vec![self.new_capture("PROPERTY")?, self.new_capture("VALUE")?];
            let class = Some(self.capture(class)?);
            elsewhere = Some(Elsewhere { namespace: Arc::default(), class, captures });
        }
        if let Some(space) = tables().find_map(|table| namespace_in(table.put.first())) {
            let (namespace, captures) = (space.into(), vec![self.new_capture(space)?]);
            elsewhere = Some(Elsewhere { namespace, class: None, captures });
        }
        let (present, absent) = self.conditions(table)?;
        let mut edits = self.edits(table)?;
        for edit in &table.edit {
            self.waiting[1] = waiting(&edit.captures);
            while let Some(&(_, name, _)) = self.waiting[1].first() {
                self.capture(name)?;
            }
            let own = self.edits(edit)?;
            let (present, absent) = self.conditions(edit)?;
            let bindings = std::mem::take(&mut self.bindings[1]);
            bindings.iter().for_each(|binding| self.names[binding.capture.0].clear());
            let scope = Scope { bindings, present, absent };
            edits.extend(own.into_iter().map(|own| RuleEdit { scope: scope.clone(), ..own }));
        }
        let [bindings, _] = self.bindings;
        let origin = self.grammar.origin.to_owned();
        Ok(Rule {
            subjects,
            query,
            captures: self.names.len(),
            scope: Scope { bindings, present, absent },
            elsewhere,
            edits: Some(edits).filter(|edits| !edits.is_empty()).ok_or_else(no_edit)?,
            name: Arc::new(RuleName { origin, form: form(table) }),
        })
    }

    /// Returns the capture of that name; what it starts from is compiled before it.
    pub(crate) fn capture(&mut self, name: &str) -> Read<Capture> {
        if let Some(number) = self.names.iter().position(|known| known == name) {
            return Ok(Capture(number));
        }
        for scope in [1, 0] {
            let at = self.waiting[scope].iter().position(|(_, waiting, _)| *waiting == name);
            if let Some(at) = at {
                let (quantity, _, paths) = self.waiting[scope].remove(at);
                let paths = self.paths(paths)?;
                let capture = self.new_capture(name)?;
                self.bindings[scope].push(Binding { capture, paths, quantity });
                return Ok(capture);
            }
        }
        let known = nearest(name, self.names.iter().map(String::as_str));
        Err(RuleError(format!("nothing captures `{name}`{known}")))
    }

    /// Returns the capture of that name, new if there was none.
    pub(crate) fn new_capture(&mut self, name: &str) -> Read<Capture> {
        match self.names.iter().position(|known| known == name) {
            Some(1) => Err(RuleError(format!("`{name}` is the part that an edit is made for"))),
            Some(known) => Ok(Capture(known)),
            None => {
                self.names.push(name.to_owned());
                Ok(Capture(self.names.len() - 1))
            }
        }
    }

    fn conditions(&mut self, table: &RuleTable) -> Read<(Vec<Path>, Vec<Path>)> {
        Ok((self.paths(&table.present.0)?, self.paths(&table.absent.0)?))
    }

    /// Returns the edits that a table means. Without nodes that it is made for, it is made for
    /// those that it changes, or for the subject.
    fn edits(&mut self, table: &RuleTable) -> Read<Vec<RuleEdit>> {
        let mut actions = vec![(&table.drop, Action::Drop), (&table.remove, Action::Remove)];
        actions.retain(|(OneOrMore(at), _)| !at.is_empty());
        if let Some(code) = table.put.0.first() {
            let is_into = !table.into.0.is_empty();
            let at = if is_into { &table.into } else { &table.at };
            actions.push((at, Action::Put(self.put(code, table, is_into)?)));
        }
        if actions.is_empty() && table.subject.0.is_empty() {
            return Err(no_edit());
        }
        let edits = actions.into_iter().map(|(OneOrMore(at), action)| {
            let subject = ["$".to_owned()];
            let [each, at] = match (&table.each.0[..], &at[..]) {
                ([], []) => [&subject[..], &[]],
                ([], at) => [at, &[]],
                (each, at) => [each, at],
            };
            let (each, at) = (self.paths(each)?, self.paths(at)?);
            Ok(RuleEdit { each, scope: Scope::default(), must: table.must, at, action })
        });
        edits.collect()
    }
}

fn no_edit() -> RuleError {
    RuleError("no edit: `put`, `drop`, `remove`, or a list of them as `edit`".to_owned())
}

fn waiting(table: &CaptureTable) -> Vec<Waiting<'_>> {
    let CaptureTable { some, maybe, any } = table;
    let tables = [(Quantity::Some, some), (Quantity::Any, maybe), (Quantity::Each, any)];
    let all = tables.into_iter().flat_map(|(quantity, table)| {
        table.iter().map(move |(name, OneOrMore(paths))| (quantity, &name[..], &paths[..]))
    });
    all.collect()
}

/// Returns whether one of a rule's texts has the token with which the language ends statements.
fn needs_end(table: &RuleTable) -> bool {
    table.put.first().contains("$END") || table.edit.iter().any(needs_end)
}

/// Returns the rules that a table with several subjects or texts means, each with one.
fn alternatives(table: &RuleTable) -> Vec<RuleTable> {
    let all = |texts: &OneOrMore| match texts.0.len() {
        0 => vec![OneOrMore::default()],
        _ => texts.0.iter().map(|text| OneOrMore(vec![text.clone()])).collect(),
    };
    let mut rules = Vec::new();
    for subject in all(&table.subject) {
        for (number, put) in all(&table.put).into_iter().enumerate() {
            let kind = table.kind.0.get(number).or(table.kind.0.last()).cloned();
            let kind = OneOrMore(kind.into_iter().collect());
            rules.push(RuleTable { subject: subject.clone(), put, kind, ..table.clone() });
        }
    }
    rules
}

/// Returns in words what a rule makes of what.
fn form(table: &RuleTable) -> String {
    let subject = table.subject.first();
    let is_elsewhere = !table.at.0.is_empty() || !table.into.0.is_empty();
    match (table.put.first(), &table.drop.0[..]) {
        ("", [_, ..]) => format!("{subject} → without {}", table.drop.0.join(", ")),
        (put, _) if !put.is_empty() && !is_elsewhere => format!("{subject} → {put}"),
        _ => subject.to_owned(),
    }
}
