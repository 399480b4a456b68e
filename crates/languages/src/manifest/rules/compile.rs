//! Compiles files of rules for a grammar.

use std::collections::BTreeSet;
use std::sync::Arc;

use minirepro_syntax::{
    Binding, Capture, Kind, NodePath, Pattern, Placement, Quantity, Rule, RuleAction, RuleEdit,
    RuleName, RulePass, Wanted,
};

use crate::manifest::error::ManifestError;
use crate::manifest::rules::compiler::{Compiler, Names};
use crate::manifest::rules::file::{
    ActionTable, EditTable, OneOrMore, RuleFile, RuleHead, RuleTable, ScopeTable,
};
use crate::manifest::rules::interned::interned;
use crate::manifest::rules::paths::captures_in;

impl Compiler<'_> {
    /// Returns the pass of this name that a file describes.
    ///
    /// # Errors
    /// If a pattern does not parse, a capture is unknown, or a name is not the grammar's.
    pub(crate) fn pass(&self, name: &str, file: &RuleFile) -> Result<RulePass, ManifestError> {
        let in_pass =
            |source| ManifestError::InRules { pass: name.to_owned(), source: Box::new(source) };
        // Where nothing ends a statement, nothing needs such an end.
        let has_end = self.roles.tokens.statement_end.is_some();
        let tables = file.rules.iter().filter(|table| has_end || !table.needs_end());
        let rules = tables.map(|table| self.rule(table));
        let rules: Vec<Rule> = rules.collect::<Result<_, _>>().map_err(in_pass)?;
        let RuleHead { edits, after } = file.head();
        Ok(RulePass {
            name: interned(name),
            edits,
            search: file.search.into(),
            gate: file.gate.into(),
            after,
            coarse: file.coarse,
            late: file.late,
            first_only: file.first_only,
            grows: file.grows,
            rules: rules.into_iter().filter(|rule| !rule.subjects.is_empty()).collect(),
        })
    }

    fn rule(&self, table: &RuleTable) -> Result<Rule, ManifestError> {
        let mut names = Names::default();
        let mut subjects = BTreeSet::new();
        let mut pattern = None;
        match (&table.pattern, &table.subject) {
            (Some(code), None) => {
                let strictness = table.strictness.into();
                let (kind, root) = self.pattern(code, strictness, &mut names)?;
                subjects.insert(kind);
                pattern = Some(Pattern { root, strictness });
            }
            (None, Some(selector)) => subjects = self.subjects(selector)?,
            _ => return Err(ManifestError::RuleSubject(form(table))),
        }
        let bindings = self.bindings(&table.scope, &mut names)?;
        let mut edits = self.actions(&table.action, None, &names)?;
        let mut captures = names.0.len();
        for edit in &table.edit {
            let mut names = names.clone();
            edits.extend(self.edit(edit, &mut names)?);
            captures = captures.max(names.0.len());
        }
        if edits.is_empty() {
            return Err(ManifestError::NoEdit(form(table)));
        }
        let once = table.once.iter().map(|name| self.known(name, &names, table));
        Ok(Rule {
            subjects,
            pattern,
            captures,
            bindings,
            present: self.paths(&table.scope.present.0, &names)?,
            absent: self.paths(&table.scope.absent.0, &names)?,
            once: once.collect::<Result<_, _>>()?,
            edits,
            least_edits: table.least_edits,
            rule: Arc::new(RuleName { origin: self.origin.to_owned(), form: form(table) }),
        })
    }

    fn known(
        &self,
        name: &str,
        names: &Names,
        table: &RuleTable,
    ) -> Result<Capture, ManifestError> {
        let unknown = || ManifestError::UnknownCapture { name: name.to_owned(), rule: form(table) };
        names.known(name).ok_or_else(unknown)
    }

    /// Returns the kinds that a selector means; those of a role that no kind plays are none.
    fn subjects(&self, selector: &str) -> Result<BTreeSet<Kind>, ManifestError> {
        let mut kinds = BTreeSet::new();
        for wanted in self.selector(selector)? {
            match wanted {
                Wanted::Role(role) => kinds.extend(self.roles.kinds(role)),
                Wanted::Kind(kind) => drop(kinds.insert(kind)),
                Wanted::Field(_) | Wanted::Name => {
                    return Err(ManifestError::RuleSubject(selector.to_owned()));
                }
            }
        }
        Ok(kinds)
    }

    /// Returns what captures stand for, each after those that it starts from.
    fn bindings(
        &self,
        scope: &ScopeTable,
        names: &mut Names,
    ) -> Result<Vec<Binding>, ManifestError> {
        let tables = [
            (Quantity::Some, &scope.some),
            (Quantity::Any, &scope.maybe),
            (Quantity::Each, &scope.any),
        ];
        let mut waiting: Vec<(Quantity, &String, &OneOrMore)> = Vec::new();
        for (quantity, table) in tables {
            waiting.extend(table.iter().map(|(name, paths)| (quantity, name, paths)));
        }
        let mut bindings = Vec::new();
        while !waiting.is_empty() {
            let is_ready = |(_, _, OneOrMore(paths)): &(Quantity, &String, &OneOrMore)| {
                let needed = || paths.iter().flat_map(|path| captures_in(path));
                needed().all(|name| names.known(name).is_some())
            };
            let (quantity, name, OneOrMore(paths)) = match waiting.iter().position(is_ready) {
                Some(at) => waiting.remove(at),
                // The error says which name nothing gives.
                None => waiting.remove(0),
            };
            let paths = self.paths(paths, names)?;
            names.check(name)?;
            bindings.push(Binding { capture: names.capture(name), paths, quantity });
        }
        Ok(bindings)
    }

    fn edit(&self, table: &EditTable, names: &mut Names) -> Result<Vec<RuleEdit>, ManifestError> {
        let each = self.paths(&table.each.0, names)?;
        let bindings = self.bindings(&table.scope, names)?;
        let mut edits = self.actions(&table.action, Some(&each), names)?;
        if edits.is_empty() {
            return Err(ManifestError::NoEdit(table.each.0.join(", ")));
        }
        for edit in &mut edits {
            edit.bindings.clone_from(&bindings);
            edit.present = self.paths(&table.scope.present.0, names)?;
            edit.absent = self.paths(&table.scope.absent.0, names)?;
            edit.must = table.must;
        }
        Ok(edits)
    }

    /// Returns the edits that an action means. Without nodes that it is made for, it is made for
    /// those that it changes, or for the subject.
    fn actions(
        &self,
        action: &ActionTable,
        each: Option<&[NodePath]>,
        names: &Names,
    ) -> Result<Vec<RuleEdit>, ManifestError> {
        let edit = |at: &[String], action: RuleAction| -> Result<RuleEdit, ManifestError> {
            let at = self.paths(at, names)?;
            let subject = || vec![NodePath { from: Capture(0), steps: Vec::new() }];
            let (each, at) = match each.filter(|each| !each.is_empty()) {
                Some(each) => (each.to_vec(), at),
                None if at.is_empty() => (subject(), at),
                None => (at, Vec::new()),
            };
            Ok(RuleEdit {
                each,
                this: Capture(1),
                bindings: Vec::new(),
                present: Vec::new(),
                absent: Vec::new(),
                must: false,
                at,
                action,
            })
        };
        let mut edits = Vec::new();
        let simple = [
            (&action.drop, RuleAction::Drop),
            (&action.remove, RuleAction::Remove { narrow: action.narrow }),
            (&action.least, RuleAction::Least),
            (&action.moved, RuleAction::Drop),
        ];
        for (OneOrMore(paths), simple) in simple {
            if !paths.is_empty() {
                edits.push(edit(paths, simple)?);
            }
        }
        let moved = self.moved(action, names)?;
        let Some(code) = action.put.as_ref().or(moved.as_ref()) else { return Ok(edits) };
        let places = [
            (&action.before, Placement::Before),
            (&action.after, Placement::After),
            (&action.into, Placement::Into),
        ];
        let mut is_placed = false;
        for (OneOrMore(paths), place) in places {
            if !paths.is_empty() {
                let put = self.put(code, action, place, names)?;
                edits.push(edit(paths, RuleAction::Put(put))?);
                is_placed = true;
            }
        }
        if !is_placed && moved.is_some() {
            return Err(ManifestError::Move(action.moved.0.join(", ")));
        }
        if !is_placed {
            let put = self.put(code, action, Placement::Instead, names)?;
            edits.push(edit(&action.at.0, RuleAction::Put(put))?);
        }
        Ok(edits)
    }

    /// Returns the text of the nodes that an action moves, if it moves some: those of one capture.
    fn moved(&self, action: &ActionTable, names: &Names) -> Result<Option<String>, ManifestError> {
        match &action.moved.0[..] {
            [] => Ok(None),
            [name] if names.known(name).is_some() => Ok(Some(format!("$$${name}"))),
            others => Err(ManifestError::Move(others.join(", "))),
        }
    }
}

/// Returns in words what a rule makes of what.
fn form(table: &RuleTable) -> String {
    if let Some(says) = &table.says {
        return says.clone();
    }
    let subject = table.pattern.as_ref().or(table.subject.as_ref()).map_or("", String::as_str);
    match (&table.action.put, table.action.drop.0.is_empty()) {
        (Some(put), _) if table.action.at.0.is_empty() => format!("{subject} → {put}"),
        (None, false) => format!("{subject} → without {}", table.action.drop.0.join(", ")),
        _ => subject.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use crate::manifest::rules::file::RuleFile;
    use crate::{add_rules, by_name};

    /// Returns why a file of rules for C is wrong.
    fn fault(file: &str) -> String {
        let mut c = by_name("c").unwrap();
        add_rules(&mut c, "x/own.toml", file).unwrap_err().to_string()
    }

    #[test]
    fn what_is_wrong_with_a_rule_is_said() {
        for (rule, expected) in [
            ("pattern = '$A = = $B'\nput = '$A'", "the pattern `$A = = $B` does not parse"),
            ("pattern = '$A'\nput = '$A'", "the pattern `$A` does not parse"),
            ("pattern = '$A = $B'\nput = '$C'", "`$C` uses `$C`, which nothing captures"),
            ("pattern = 'f($$$ALL)'\nput = '$$$O'", "`$$$O` uses `$$$O`, which nothing captures"),
            ("put = 'a'", "needs either a `pattern`, or kinds and roles as `match`"),
            ("match = 'x_statement'\ndrop = '$'", "the grammar has no kind `x_statement`"),
            ("match = 'name'\ndrop = '$'", "needs either a `pattern`"),
            ("match = 'call'", "has no edit"),
            ("match = 'call'\ndrop = 'X.uses'", "uses `X`, which nothing captures"),
            ("match = 'call'\ndrop = '$.jump'", "`$.jump` is not a path"),
            ("match = 'call'\nlet = { A = 'B', B = 'A' }\ndrop = 'A'", "which nothing captures"),
            ("match = 'call'\nmove = '$.name'\nbefore = '$'", "`$.name` cannot move"),
            ("match = 'call'\nlet = { A = '$' }\nmove = 'A'", "`A` cannot move"),
            ("pattern = '$A = $IT'\nput = '$A'", "no capture can be called `IT`"),
            ("match = 'call'\nany = { IT = '$' }\ndrop = 'IT'", "no capture can be called `IT`"),
            ("match = 'call'\ndrop = '$.field(x_y)'", "the grammar has no field `x_y`"),
        ] {
            let found = fault(&format!("[[rule]]\n{rule}\n"));
            assert!(found.contains(expected), "{rule}: {found}");
        }
    }

    #[test]
    fn a_key_that_no_rule_has_is_refused() {
        for file in ["[[rule]]\nmatch = 'call'\nerase = '$'", "order = 'all'"] {
            let found = toml::from_str::<RuleFile>(file).unwrap_err().to_string();
            assert!(found.contains("unknown field"), "{found}");
        }
    }

    #[test]
    fn a_file_is_a_pass_and_adds_to_the_pass_of_its_name() {
        let rule = "[[rule]]\nmatch = 'call'\ndrop = '$'\n";
        let mut c = by_name("c").unwrap();
        let count = |c: &minirepro_syntax::Language, name: &str| {
            let pass = c.roles.rules.iter().find(|pass| pass.name == name);
            pass.map(|pass| pass.rules.all().len())
        };
        let before = count(&c, "rewrite").unwrap();
        add_rules(&mut c, "dir/own.toml", rule).unwrap();
        add_rules(&mut c, "rewrite.toml", rule).unwrap();
        assert_eq!(count(&c, "own"), Some(1));
        assert_eq!(count(&c, "rewrite"), Some(before + 1));
    }
}
