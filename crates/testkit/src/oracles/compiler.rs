//! The part of a C compiler that makes deleting hard: a name must be declared before its use,
//! called with as many arguments as it has parameters, and declared only once.

use std::collections::{HashMap, HashSet};

use minirepro_engine::Outcome;
use minirepro_syntax::{NodeId, Tree};

use super::oracle::{Oracle, found};

/// Returns an oracle that looks for a shape in programs that compile; all others are Unresolved.
pub(super) fn after_compiling(shape: impl Fn(&Tree) -> bool + 'static) -> Oracle {
    let c = minirepro_languages::by_name("c").expect("C is built in");
    Box::new(move |text| {
        let tree = c.parser.parse(text);
        if !parses(&tree) || Compiler::new(&tree).run().is_none() {
            return Outcome::Unresolved;
        }
        found(shape(&tree))
    })
}

/// Returns whether a C compiler could parse it. `switch (n) do { case 0: … } while (…);` (Duff's
/// device) is C, but tree-sitter-c finds the `do` wrong.
fn parses(tree: &Tree) -> bool {
    let is_wrong = |&id: &NodeId| tree.flags(id).error || tree.flags(id).missing;
    tree.errors() == 0 || tree.ids().filter(is_wrong).all(|id| tree.text_of(id) == b"do")
}

/// What a name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Meaning {
    Object,
    /// An array, too.
    Pointer,
    Constant,
    Type,
    /// With this many parameters; `None` where any number may be given.
    Function {
        parameters: Option<usize>,
        defined: bool,
    },
}

struct Scope<'a> {
    end: NodeId,
    names: HashMap<&'a [u8], Meaning>,
}

/// One look at a program, in document order.
struct Compiler<'a> {
    tree: &'a Tree,
    scopes: Vec<Scope<'a>>,
    fields: HashSet<&'a [u8]>,
}

const LOOPS: [&str; 3] = ["for_statement", "while_statement", "do_statement"];

impl<'a> Compiler<'a> {
    fn new(tree: &'a Tree) -> Self {
        let file = Scope { end: tree.subtree_end(NodeId::ROOT), names: HashMap::new() };
        Self { tree, scopes: vec![file], fields: HashSet::new() }
    }

    /// Runs the program; returns `None` as soon as something is wrong.
    fn run(mut self) -> Option<()> {
        for node in self.tree.ids() {
            while self.scopes.len() > 1 && self.scopes.last().is_some_and(|s| s.end <= node) {
                self.scopes.pop();
            }
            let text = self.text(node);
            match self.tree.kind_name(node) {
                "function_definition" | "compound_statement" | "for_statement" => {
                    let end = self.tree.subtree_end(node);
                    self.scopes.push(Scope { end, names: HashMap::new() });
                }
                "identifier" if text == b"do" => {}
                "identifier" => self.identifier(node)?,
                "type_identifier" => self.type_name(node)?,
                "field_identifier" => match declaration(self.tree, node) {
                    Some(_) => drop(self.fields.insert(text)),
                    None => self.fields.get(text).map(drop)?,
                },
                "call_expression" => self.call(node)?,
                "subscript_expression" => self.pointer(node)?,
                "field_expression" if self.tree.children(node).any(|c| self.text(c) == b"->") => {
                    self.pointer(node)?;
                }
                "break_statement" => self.inside(node, &["switch_statement"])?,
                "continue_statement" => self.inside(node, &[])?,
                "case_statement" => self.case(node)?,
                _ => {}
            }
        }
        Some(())
    }

    fn text(&self, node: NodeId) -> &'a [u8] {
        self.tree.text_of(node)
    }

    /// Checks that a statement stands in a loop, or in one of the `others`.
    fn inside(&self, node: NodeId, others: &[&str]) -> Option<()> {
        let mut above = self.tree.ancestors(node).map(|a| self.tree.kind_name(a));
        above.find(|kind| LOOPS.contains(kind) || others.contains(kind)).map(drop)
    }

    /// Checks that the first child is not something that is surely no pointer.
    fn pointer(&self, node: NodeId) -> Option<()> {
        let first = self.tree.children(node).next()?;
        match self.tree.kind_name(first) {
            "identifier" => (self.lookup(self.text(first))? == Meaning::Pointer).then_some(()),
            "number_literal" => None,
            _ => Some(()),
        }
    }

    /// Checks that a case stands in a switch, for another constant than those before it.
    fn case(&self, node: NodeId) -> Option<()> {
        let tree = self.tree;
        tree.ancestors(node).find(|&a| tree.kind_name(a) == "switch_statement")?;
        let label = |case: NodeId| tree.children(case).nth(1).map(|value| tree.text_of(value));
        let siblings = tree.children(tree.parent(node)?).take_while(|&c| c != node);
        let mut before = siblings.filter(|&c| tree.kind_name(c) == "case_statement").map(label);
        let value = tree.children(node).nth(1)?;
        let mut names = tree.subtree(value).filter(|&n| tree.kind_name(n) == "identifier");
        let constant = names.all(|n| self.lookup(tree.text_of(n)) == Some(Meaning::Constant));
        (constant && !before.any(|other| other == label(node))).then_some(())
    }

    fn lookup(&self, name: &[u8]) -> Option<Meaning> {
        self.scopes.iter().rev().find_map(|scope| scope.names.get(name)).copied()
    }

    fn identifier(&mut self, node: NodeId) -> Option<()> {
        let tree = self.tree;
        let name = tree.text_of(node);
        let Some(by) = declaration(tree, node) else { return self.lookup(name).map(drop) };
        let outer = self.scopes.len() - 1;
        match tree.kind_name(by) {
            "function_definition" => {
                let meaning = function(tree, node, true);
                // `int f { }` is nothing.
                matches!(meaning, Meaning::Function { .. }).then_some(())?;
                self.declare(outer.checked_sub(1)?, name, meaning)
            }
            "parameter_declaration" if !is_defined(tree, by) => Some(()),
            "declaration" => self.declare(outer, name, function(tree, node, false)),
            "parameter_declaration" => self.declare(outer, name, function(tree, node, false)),
            _ => self.declare(outer, name, Meaning::Constant),
        }
    }

    fn type_name(&mut self, node: NodeId) -> Option<()> {
        let tree = self.tree;
        let parent = tree.parent(node).map_or("", |p| tree.kind_name(p));
        if matches!(parent, "struct_specifier" | "union_specifier" | "enum_specifier") {
            return Some(());
        }
        let name = tree.text_of(node);
        let last = tree
            .parent(node)
            .and_then(|p| tree.children(p).filter(|&c| tree.is_named(c)).last().map(|c| (p, c)));
        match declaration(tree, node) {
            Some(by)
                if tree.kind_name(by) == "type_definition"
                    && (by != tree.parent(node)? || last == Some((by, node))) =>
            {
                let outer = self.scopes.len() - 1;
                self.declare(outer, name, Meaning::Type)
            }
            _ => (self.lookup(name)? == Meaning::Type).then_some(()),
        }
    }

    fn declare(&mut self, scope: usize, name: &'a [u8], meaning: Meaning) -> Option<()> {
        let is_file = scope == 0;
        match self.scopes[scope].names.insert(name, meaning) {
            None => Some(()),
            Some(Meaning::Function { parameters: old, defined: before }) => match meaning {
                Meaning::Function { parameters, defined } => {
                    (old == parameters && !(before && defined)).then_some(())
                }
                _ => None,
            },
            Some(before) => (is_file && before == meaning).then_some(()),
        }
    }

    fn call(&self, node: NodeId) -> Option<()> {
        let mut parts = self.tree.children(node);
        let callee = parts.next()?;
        let arguments = parts.next()?;
        if self.tree.kind_name(callee) != "identifier" {
            return Some(());
        }
        match self.lookup(self.tree.text_of(callee))? {
            Meaning::Function { parameters, .. } => {
                let given = named(self.tree, arguments).count();
                parameters.is_none_or(|p| p == given).then_some(())
            }
            _ => None,
        }
    }
}

fn named(tree: &Tree, node: NodeId) -> impl Iterator<Item = NodeId> + '_ {
    tree.children(node).filter(|&c| tree.is_named(c) && !tree.flags(c).extra)
}

/// Returns the node that declares the name at `node`, if it is not a use.
fn declaration(tree: &Tree, node: NodeId) -> Option<NodeId> {
    let mut below = node;
    for node in tree.ancestors(node) {
        let is_first = tree.children(node).find(|&c| tree.is_named(c)) == Some(below);
        match tree.kind_name(node) {
            "pointer_declarator" | "parenthesized_declarator" => {}
            "array_declarator" | "function_declarator" | "init_declarator" if is_first => {}
            "declaration"
            | "parameter_declaration"
            | "function_definition"
            | "type_definition"
            | "field_declaration" => return Some(node),
            "enumerator" | "preproc_def" | "preproc_function_def" => {
                return is_first.then_some(node);
            }
            _ => return None,
        }
        below = node;
    }
    None
}

/// Returns whether a parameter belongs to a function with a body.
fn is_defined(tree: &Tree, parameter: NodeId) -> bool {
    let mut above = tree.ancestors(parameter).skip(2).map(|a| tree.kind_name(a));
    above.find(|kind| *kind != "pointer_declarator") == Some("function_definition")
}

/// Returns the meaning of a name that a declaration introduces.
fn function(tree: &Tree, name: NodeId, defined: bool) -> Meaning {
    let Some(parent) = tree.parent(name).filter(|&p| tree.kind_name(p) == "function_declarator")
    else {
        let kind = tree.parent(name).map_or("", |p| tree.kind_name(p));
        let points = matches!(kind, "pointer_declarator" | "array_declarator");
        return if points { Meaning::Pointer } else { Meaning::Object };
    };
    let list = tree.children(parent).find(|&c| tree.kind_name(c) == "parameter_list");
    let parameters: Vec<NodeId> = list.map(|l| named(tree, l).collect()).unwrap_or_default();
    let is_void = |&p: &NodeId| tree.text_of(p) == b"void";
    let variadic = parameters.iter().any(|&p| tree.kind_name(p) == "variadic_parameter");
    let parameters = match parameters.as_slice() {
        [] => None,
        _ if variadic => None,
        [only] if is_void(only) => Some(0),
        all => Some(all.len()),
    };
    Meaning::Function { parameters, defined }
}
