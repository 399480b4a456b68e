//! `[[rewrite]]`: other forms of a node, written as code with captures and read by the language's own
//! parser.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use minirepro_syntax::{
    Capture, Kind, Kinds, NodeId, Parse, Pattern, PatternNode, Rewrite, Roles, RuleName,
    Strictness, TemplatePart, Tree, Wanted,
};
use regex::Regex;
use serde::Deserialize;

use crate::manifest::error::ManifestError;
use crate::manifest::roles::{RoleName, kind, kinds_of};
use crate::plain::tokenizer::Lexing;

/// Another form that nodes can take: those that fit a pattern, or all of some kinds.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RewriteTable {
    /// Code with captures: `$NAME` stands for one node, `$$$NAME` for any number of neighbours.
    pattern: Option<String>,
    /// How exactly the pattern must fit.
    #[serde(default)]
    strictness: StrictnessName,
    /// Instead of a pattern: the roles of the nodes.
    #[serde(default)]
    roles: Vec<RoleName>,
    /// Instead of a pattern: the kinds of the nodes.
    #[serde(default)]
    kinds: Vec<String>,
    /// Captures children by the grammar's fields.
    #[serde(default)]
    fields: BTreeMap<String, String>,
    /// Captures each uppermost node below of a role or a kind.
    #[serde(default)]
    has: BTreeMap<String, String>,
    /// Captures all uppermost nodes below of a role or a kind, for `$$$NAME`.
    #[serde(default)]
    all: BTreeMap<String, String>,
    /// What captured strings say, as names.
    #[serde(default)]
    name_in: BTreeMap<String, String>,
    /// Names of a namespace that something in the document has.
    #[serde(default)]
    name_of: BTreeMap<String, String>,
    /// Captures each node below of a role or a kind, however deep.
    #[serde(default)]
    within: BTreeMap<String, String>,
    /// What stands between the nodes of `$$$NAME`.
    separator: Option<String>,
    /// The nodes of `$$$NAME` become one token with this text between them.
    joint: Option<String>,
    /// `$PROPERTY` and `$VALUE` are what style rules declare for the class that this capture says.
    declared_for: Option<String>,
    /// The new form: code with captures.
    rewrite: String,
    /// The kind of the new form.
    #[serde(rename = "as")]
    kind: Option<String>,
    /// The effort from which on it is tried, 1 … 9.
    #[serde(default = "least_effort")]
    effort: u8,
    /// Whether it is tried all over the text once the coarse passes are done.
    #[serde(default)]
    early: bool,
}

fn least_effort() -> u8 {
    1
}

impl RewriteTable {
    /// Says in words what it makes of what.
    fn form(&self) -> String {
        let of = match &self.pattern {
            Some(pattern) => pattern.clone(),
            None => {
                let roles = self.roles.iter().map(|RoleName(role)| role.name().to_owned());
                roles.chain(self.kinds.iter().cloned()).collect::<Vec<_>>().join(", ")
            }
        };
        format!("{of} → {}", self.rewrite)
    }
}

/// A strictness as a manifest spells it.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
enum StrictnessName {
    #[default]
    Cst,
    Ast,
}

/// The names of a rewrite's captures, in the order of their numbers.
#[derive(Default)]
struct Names(Vec<String>);

impl Names {
    /// Returns the capture of that name, if there is one.
    fn known(&self, name: &str) -> Option<Capture> {
        self.0.iter().position(|known| known == name).map(Capture)
    }

    /// Returns the capture of that name, new if there was none.
    fn capture(&mut self, name: &str) -> Capture {
        let known = self.0.iter().position(|known| known == name);
        Capture(known.unwrap_or_else(|| {
            self.0.push(name.to_owned());
            self.0.len() - 1
        }))
    }
}

/// Compiles the rewrites of a manifest.
pub(crate) struct Compiler<'a> {
    pub(crate) kinds: &'a Kinds,
    pub(crate) roles: &'a Roles,
    pub(crate) parser: &'a dyn Parse,
    pub(crate) lexing: Lexing,
    /// Texts in which `$PATTERN` stands for a pattern, the first that fits counts.
    pub(crate) contexts: &'a [String],
    /// Where the rules stand.
    pub(crate) origin: &'a str,
}

impl Compiler<'_> {
    /// Returns all rewrites by the kind of the nodes that they are about.
    ///
    /// # Errors
    /// If a pattern does not parse, a capture is unknown, or a name is not the grammar's.
    pub(crate) fn all<'t>(
        &self,
        tables: impl IntoIterator<Item = &'t RewriteTable>,
    ) -> Result<BTreeMap<Kind, Vec<Rewrite>>, ManifestError> {
        let mut rewrites: BTreeMap<Kind, Vec<Rewrite>> = BTreeMap::new();
        for table in tables {
            let (kinds, rewrite) = self.one(table)?;
            for kind in kinds {
                rewrites.entry(kind).or_default().push(rewrite.clone());
            }
        }
        Ok(rewrites)
    }

    /// Returns one rewrite, and the kinds of nodes that it is about.
    fn one(&self, table: &RewriteTable) -> Result<(BTreeSet<Kind>, Rewrite), ManifestError> {
        let mut names = Names::default();
        let mut kinds = kinds_of(self.roles, self.kinds, &table.roles, &table.kinds)?;
        if table.pattern.is_some() != kinds.is_empty() {
            return Err(ManifestError::RewriteSubject(table.rewrite.clone()));
        }
        let mut pattern = None;
        if let Some(code) = &table.pattern {
            let strictness = match table.strictness {
                StrictnessName::Cst => Strictness::Cst,
                StrictnessName::Ast => Strictness::Ast,
            };
            let (kind, root) = self.pattern(code, strictness, &mut names)?;
            kinds.insert(kind);
            pattern = Some(Pattern { root, strictness });
        }
        let mut fields = Vec::new();
        for (name, field) in &table.fields {
            let found = self.kinds.field(field);
            let field = found.ok_or_else(|| ManifestError::Field(field.clone()))?;
            fields.push((names.capture(name), field));
        }
        let mut below = Vec::new();
        for (name, wanted) in &table.has {
            below.push((names.capture(name), self.wanted(wanted)?));
        }
        let mut all_below = Vec::new();
        for (name, wanted) in &table.all {
            all_below.push((names.capture(name), self.wanted(wanted)?));
        }
        let mut within = Vec::new();
        for (name, wanted) in &table.within {
            within.push((names.capture(name), self.wanted(wanted)?));
        }
        if !(1..=9).contains(&table.effort) {
            return Err(ManifestError::Effort(table.effort));
        }
        let template = self.template(table, &names)?;
        let new_kind = table.kind.as_ref().map(|name| kind(self.kinds, name)).transpose()?;
        let captures = names.0.len();
        let rewrite = Rewrite {
            pattern,
            fields,
            below,
            all_below,
            within,
            captures,
            template,
            kind: new_kind,
            separator: table.separator.as_ref().map(|text| Arc::from(text.as_bytes())),
            joint: table.joint.as_ref().map(|text| Arc::from(text.as_bytes())),
            effort: table.effort,
            early: table.early,
            rule: Arc::new(RuleName { origin: self.origin.to_owned(), form: table.form() }),
        };
        Ok((kinds, rewrite))
    }

    /// Returns which nodes a role or a kind of the grammar means: `kind:` before a name says that it is a
    /// kind, where a role has the same name, and `field:` that it is a field.
    fn wanted(&self, name: &str) -> Result<Wanted, ManifestError> {
        if let Some(name) = name.strip_prefix("kind:") {
            return Ok(Wanted::Kind(kind(self.kinds, name)?));
        }
        if let Some(name) = name.strip_prefix("field:") {
            let field = self.kinds.field(name);
            return field.map(Wanted::Field).ok_or_else(|| ManifestError::Field(name.to_owned()));
        }
        match name.parse() {
            Ok(role) => Ok(Wanted::Role(role)),
            Err(_) => Ok(Wanted::Kind(kind(self.kinds, name)?)),
        }
    }

    /// Reads a pattern with the language's parser; the kind is that of the nodes that can fit.
    fn pattern(
        &self,
        code: &str,
        strictness: Strictness,
        names: &mut Names,
    ) -> Result<(Kind, PatternNode), ManifestError> {
        // Captures become words for the parser.
        let mut holes: BTreeMap<Vec<u8>, PatternNode> = BTreeMap::new();
        let mut text = String::new();
        let mut at = 0;
        for found in captures().captures_iter(code) {
            let all = found.get(0).expect("the whole match is a group");
            let name = &found["name"];
            let is_rest = all.as_str().starts_with("$$$");
            let word = format!("{}_{name}", if is_rest { "rest" } else { "capture" });
            text.push_str(&code[at..all.start()]);
            text.push_str(&word);
            at = all.end();
            let hole = match is_rest {
                true => PatternNode::Rest(names.capture(name)),
                false => PatternNode::Capture(names.capture(name)),
            };
            holes.insert(word.into_bytes(), hole);
        }
        text.push_str(&code[at..]);
        let unreadable = || ManifestError::Unreadable(code.to_owned());
        let (tree, root) = self.read(&text).ok_or_else(unreadable)?;
        match node(&tree, root, strictness, &holes) {
            PatternNode::Inner(kind, children) => Ok((kind, PatternNode::Inner(kind, children))),
            _ => Err(unreadable()),
        }
    }

    /// Returns the tree of the first context in which the text is free of errors, and in it the
    /// innermost node with children that is the text and nothing else.
    fn read(&self, text: &str) -> Option<(Tree, NodeId)> {
        self.contexts.iter().find_map(|context| {
            let start = context.find(HOLE)?;
            let tree = self.parser.parse(context.replacen(HOLE, text, 1).as_bytes());
            let span = start..start + text.len();
            let is_whole = |&id: &NodeId| tree.span(id) == span && !tree.is_leaf(id);
            let root = tree.ids().rev().find(is_whole).filter(|_| tree.errors() == 0)?;
            Some((tree, root))
        })
    }

    /// Splits a new form into tokens and captures.
    fn template(
        &self,
        table: &RewriteTable,
        names: &Names,
    ) -> Result<Vec<TemplatePart>, ManifestError> {
        let code = &table.rewrite;
        let mut parts = Vec::new();
        let mut at = 0;
        for found in captures().captures_iter(code) {
            let all = found.get(0).expect("the whole match is a group");
            parts.extend(self.tokens(&code[at..all.start()]));
            at = all.end();
            let name = &found["name"];
            if let Some(namespace) = table.name_of.get(name) {
                parts.push(TemplatePart::NameOf(Arc::from(&namespace[..])));
                continue;
            }
            let of_class = table.declared_for.as_ref().and_then(|class| names.known(class));
            match (name, of_class) {
                (PROPERTY, Some(class)) => {
                    parts.push(TemplatePart::DeclaredProperty(class));
                    continue;
                }
                (VALUE, Some(class)) => {
                    parts.push(TemplatePart::DeclaredValue(class));
                    continue;
                }
                _ => {}
            }
            let string = table.name_in.get(name);
            let known = string.map_or(name, String::as_str);
            let capture = names.known(known).ok_or_else(|| ManifestError::UnknownCapture {
                name: all.as_str().to_owned(),
                rewrite: code.to_owned(),
            })?;
            parts.push(match (string, all.as_str().starts_with("$$$")) {
                (Some(_), _) => TemplatePart::NameIn(capture),
                (None, true) => TemplatePart::Nodes(capture),
                (None, false) => TemplatePart::Node(capture),
            });
        }
        parts.extend(self.tokens(&code[at..]));
        Ok(parts)
    }

    fn tokens<'t>(&self, text: &'t str) -> impl Iterator<Item = TemplatePart> + use<'t> {
        let text = text.as_bytes();
        self.lexing.tokens(text).map(|span| TemplatePart::Token(Arc::from(&text[span])))
    }
}

/// The captures that `declared_for` gives.
const PROPERTY: &str = "PROPERTY";
const VALUE: &str = "VALUE";

/// Stands for the pattern in a context.
const HOLE: &str = "$PATTERN";

/// Finds captures in code.
fn captures() -> Regex {
    Regex::new(r"\$(\$\$)?(?<name>[A-Z][A-Z0-9_]*)").expect("the pattern above is one")
}

/// Returns the pattern of a node; recursion is as deep as the code of a manifest.
fn node(
    tree: &Tree,
    id: NodeId,
    strictness: Strictness,
    holes: &BTreeMap<Vec<u8>, PatternNode>,
) -> PatternNode {
    // Where names begin with a sign, so do captures: `%$A`.
    let text = tree.text_of(id);
    let is_one_leaf = tree.subtree(id).filter(|&below| tree.is_leaf(below)).count() == 1;
    let behind_sign = || {
        let parts = text.split_first().filter(|_| is_one_leaf);
        parts.filter(|(sign, _)| sign.is_ascii_punctuation())
    };
    // Among statements, a capture of neighbours is one: `$$$A;`.
    let as_statement = || {
        let hole = holes.get(text.strip_suffix(b";")?);
        hole.filter(|hole| matches!(hole, PatternNode::Rest(_)))
    };
    let hole = holes.get(text).or_else(as_statement).or_else(|| holes.get(behind_sign()?.1));
    if let Some(hole) = hole {
        return hole.clone();
    }
    if tree.is_leaf(id) {
        return PatternNode::Leaf(tree.kind(id), Arc::from(tree.text_of(id)));
    }
    let children = tree.children(id).filter(|&child| strictness.counts(tree, child));
    let children = children.map(|child| node(tree, child, strictness, holes)).collect();
    PatternNode::Inner(tree.kind(id), children)
}

#[cfg(test)]
mod tests {
    use minirepro_syntax::{Captures, NodeId, TemplatePart, name_in};

    use super::{Compiler, RewriteTable};
    use crate::plain::tokenizer::Lexing;

    /// Returns the forms of the first node of a C program that has any, or why the rewrite is wrong.
    fn forms(table: &str, program: &str) -> Result<Vec<String>, String> {
        let c = crate::by_name("c").unwrap();
        let contexts = ["$PATTERN".to_owned(), "$PATTERN;".to_owned()];
        let compiler = Compiler {
            kinds: &c.kinds,
            roles: &c.roles,
            parser: &*c.parser,
            lexing: Lexing::Program,
            contexts: &contexts,
            origin: "",
        };
        let table: RewriteTable = toml::from_str(table).map_err(|error| error.to_string())?;
        let (kinds, rewrite) = compiler.one(&table).map_err(|error| error.to_string())?;
        let tree = c.parser.parse(program.as_bytes());
        let matches = |id: NodeId| match kinds.contains(&tree.kind(id)) {
            true => rewrite.matches(&tree, |role, kind| c.roles.is(role, kind), id),
            false => Vec::new(),
        };
        let found = tree.ids().map(matches).find(|matches| !matches.is_empty());
        let text = |&node: &NodeId| String::from_utf8_lossy(tree.text_of(node)).into_owned();
        let written = |part: &TemplatePart, captures: &Captures| match part {
            TemplatePart::Token(text) => String::from_utf8_lossy(text).into_owned(),
            TemplatePart::Node(capture) => text(&captures[capture.0][0]),
            TemplatePart::Nodes(capture) => {
                captures[capture.0].iter().map(text).collect::<Vec<_>>().join(" ")
            }
            TemplatePart::NameIn(capture) => {
                let name = name_in(tree.text_of(captures[capture.0][0])).unwrap();
                String::from_utf8(name).unwrap()
            }
            TemplatePart::NameOf(namespace) => format!("({namespace})"),
            TemplatePart::DeclaredProperty(class) => format!("(property for {})", class.0),
            TemplatePart::DeclaredValue(class) => format!("(value for {})", class.0),
        };
        let form = |captures: Captures| {
            let parts: Vec<String> =
                rewrite.template.iter().map(|part| written(part, &captures)).collect();
            parts.join(" ")
        };
        Ok(found.unwrap_or_default().into_iter().map(form).collect())
    }

    #[test]
    fn a_pattern_captures_by_name() {
        let table = "pattern = '$A = $B + $C'\nrewrite = '$A += $C'";
        assert_eq!(forms(table, "f() { x[1] = x[1] + g(2); }").unwrap(), ["x[1] += g(2)"]);
        assert_eq!(forms(table, "f() { x = y - z; }").unwrap(), [""; 0]);
    }

    #[test]
    fn operators_do_not_count_in_the_abstract() {
        let table = "pattern = '$A = $B + $C'\nstrictness = 'ast'\nrewrite = '$A += $C'";
        assert_eq!(forms(table, "f() { x *= y - z; }").unwrap(), ["x += z"]);
    }

    #[test]
    fn one_capture_twice_fits_what_reads_alike() {
        let table = "pattern = '$A = $A + $B'\nrewrite = '$A += $B'";
        assert_eq!(forms(table, "f() { x[1] = x[ 1 ] + z; }").unwrap(), ["x[1] += z"]);
        assert_eq!(forms(table, "f() { x[1] = x[2] + z; }").unwrap(), [""; 0]);
    }

    #[test]
    fn any_number_of_neighbours_can_be_left_out() {
        let table = "pattern = 'f($FIRST, $$$OTHERS)'\nrewrite = '$FIRST'\nstrictness = 'ast'";
        for (call, first) in [("f(1)", "1"), ("f(1, 2, 3)", "1")] {
            assert_eq!(forms(table, &format!("g() {{ {call}; }}")).unwrap(), [first]);
        }
        assert_eq!(forms(table, "g() { f(); }").unwrap(), [""; 0]);
    }

    #[test]
    fn parts_are_captured_by_field_and_by_role() {
        let table = "kinds = ['for_statement']\nfields = { BODY = 'body' }\n\
                     has = { VALUE = 'expression' }\nrewrite = 'while ($VALUE) $BODY'";
        let program = "f() { for (a = 0; a < 3;) ; }";
        assert_eq!(forms(table, program).unwrap(), ["while ( a = 0 ) ;", "while ( a < 3 ) ;"]);
    }

    #[test]
    fn any_number_of_neighbours_can_be_captured() {
        let table = "pattern = 'f($FIRST, $$$OTHERS)'\nrewrite = 'g($$$OTHERS)'";
        assert_eq!(forms(table, "h() { f(1, 2, 3); }").unwrap(), ["g ( 2 , 3 )"]);
        let table =
            "pattern = '{ $$$BEFORE; if ($A) return $B; }'\nrewrite = '{ $$$BEFORE $A; $B; }'";
        let blocks = [("", "{  a ; b ; }"), ("c(); int d;", "{ c(); int d; a ; b ; }")];
        for (before, form) in blocks {
            let program = format!("h() {{ {before} if (a) return b; }}");
            assert_eq!(forms(table, &program).unwrap(), [form]);
        }
        let table = "kinds = ['do_statement']\nall = { VALUES = 'call' }\nrewrite = '$$$VALUES;'";
        assert_eq!(forms(table, "h() { do f(g()); while (i()); }").unwrap(), ["f(g()) i() ;"]);
        assert_eq!(forms(table, "h() { do ; while (1); }").unwrap(), [""; 0]);
    }

    #[test]
    fn a_string_can_become_the_name_that_it_says() {
        let table = "pattern = 'get($TEXT)'\nname_in = { NAME = 'TEXT' }\nrewrite = '$NAME'";
        assert_eq!(forms(table, "h() { get(\"a-b\"); }").unwrap(), ["aB"]);
    }

    #[test]
    fn names_and_declarations_come_from_elsewhere() {
        let table = "pattern = 'get($TEXT)'\nname_of = { NAME = 'id' }\nrewrite = '$NAME'";
        assert_eq!(forms(table, "h() { get(a); }").unwrap(), ["(id)"]);
        let table = "pattern = 'get($TEXT)'\ndeclared_for = 'TEXT'\nrewrite = '$PROPERTY = $VALUE'";
        assert_eq!(forms(table, "h() { get(a); }").unwrap(), ["(property for 0) = (value for 0)"]);
        let error = forms(&table.replace("= 'TEXT'", "= 'OTHER'"), "").unwrap_err();
        assert!(error.ends_with("uses `$PROPERTY`, which nothing captures"), "{error}");
    }

    #[test]
    fn parts_are_captured_at_any_depth() {
        let table = "roles = ['expression']\nwithin = { X = 'expression' }\nrewrite = '*$X'";
        let all = forms(table, "f() { (*p)->q; }").unwrap();
        assert_eq!(all, ["* (*p)", "* *p", "* p"]);
        let error = forms(&format!("{table}\neffort = 0"), "").unwrap_err();
        assert_eq!(error, "the effort of a rewrite is a number from 1 to 9, not 0");
    }

    #[test]
    fn a_pattern_that_does_not_parse_is_refused() {
        let error = forms("pattern = '$A = = $B'\nrewrite = '$A'", "").unwrap_err();
        assert!(error.starts_with("the pattern `$A = = $B` does not parse"), "{error}");
        let error = forms("pattern = '$A'\nrewrite = '$A'", "").unwrap_err();
        assert!(error.starts_with("the pattern `$A` does not parse"), "{error}");
    }

    #[test]
    fn a_capture_that_the_pattern_lacks_is_refused() {
        let error = forms("pattern = '$A = $B'\nrewrite = '$A += $C'", "").unwrap_err();
        assert_eq!(error, "the rewrite `$A += $C` uses `$C`, which nothing captures");
        let error = forms("pattern = 'f($$$ALL)'\nrewrite = 'g($$$OTHERS)'", "").unwrap_err();
        assert_eq!(error, "the rewrite `g($$$OTHERS)` uses `$$$OTHERS`, which nothing captures");
    }

    #[test]
    fn a_rewrite_is_about_a_pattern_or_about_kinds() {
        let both = "pattern = '$A = $B'\nkinds = ['if_statement']\nrewrite = '$A'";
        let expected = "the rewrite `$A` needs either a pattern, or kinds or roles";
        assert_eq!(forms(both, "").unwrap_err(), expected);
        assert_eq!(forms("rewrite = '$A'", "").unwrap_err(), expected);
    }
}
