//! Grammar facts: `grammar.json` of a tree-sitter grammar in the normal form of `syntax::Facts`.
//!
//! Knows tree-sitter's rules about what is visible in trees; must not know any language.
//! The source of those rules is tree-sitter's documentation ("Creating parsers: the grammar DSL")
//! and the first steps of its generator (extraction of tokens).

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, bail, ensure};
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::Value;

/// Regenerates the facts of every directory under `grammars/` that has a crate, or compares them.
pub fn run(check: bool) -> anyhow::Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    for (name, source) in crates(&root)? {
        let file = root.join("grammars").join(&name).join("facts.ebnf");
        let facts = from_crate(&source).with_context(|| format!("grammar {name}"))?;
        if check {
            let old = std::fs::read_to_string(&file).unwrap_or_default();
            ensure!(old == facts, "{} is out of date: run `xtask facts`", file.display());
        } else {
            std::fs::write(&file, facts).with_context(|| file.display().to_string())?;
        }
    }
    Ok(())
}

/// The facts of the grammar whose `grammar.json` is the file `source`.
fn from_crate(source: &Path) -> anyhow::Result<String> {
    let text = std::fs::read_to_string(source).with_context(|| source.display().to_string())?;
    let grammar: Grammar = serde_json::from_str(&text)?;
    generate(&grammar)
}

/// The grammars that the workspace uses: name of the language → its `grammar.json`.
fn crates(root: &Path) -> anyhow::Result<BTreeMap<String, PathBuf>> {
    #[derive(Deserialize)]
    struct Metadata {
        packages: Vec<Package>,
    }
    #[derive(Deserialize)]
    struct Package {
        name: String,
        manifest_path: PathBuf,
    }
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let versions = output(Command::new("rustc").arg("-vV"))?;
    let host =
        versions.lines().find_map(|l| l.strip_prefix("host: ")).context("rustc has a host")?;
    // Packages of other platforms are not on this disk, and nothing may be downloaded here.
    let metadata: Metadata = serde_json::from_str(&output(
        Command::new(cargo)
            .args(["metadata", "--format-version", "1", "--locked", "--offline"])
            .args(["--filter-platform", host])
            .current_dir(root),
    )?)?;
    Ok(metadata
        .packages
        .into_iter()
        .filter_map(|p| {
            let name = p.name.strip_prefix("tree-sitter-")?.to_owned();
            let file = p.manifest_path.with_file_name("src").join("grammar.json");
            file.exists().then_some((name, file))
        })
        .collect())
}

fn output(command: &mut Command) -> anyhow::Result<String> {
    let out = command.output().with_context(|| format!("{command:?}"))?;
    ensure!(out.status.success(), "{command:?}: {}", String::from_utf8_lossy(&out.stderr));
    Ok(String::from_utf8(out.stdout)?)
}

#[derive(Deserialize)]
struct Grammar {
    name: String,
    #[serde(deserialize_with = "in_order")]
    rules: Vec<(String, Value)>,
    #[serde(default)]
    supertypes: Vec<String>,
    #[serde(default)]
    inline: Vec<String>,
}

/// The members of an object in the order of the file: the first rule is the root.
fn in_order<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<(String, Value)>, D::Error> {
    struct Members;
    impl<'de> Visitor<'de> for Members {
        type Value = Vec<(String, Value)>;

        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("an object")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            let mut members = Vec::new();
            while let Some(member) = map.next_entry()? {
                members.push(member);
            }
            Ok(members)
        }
    }
    from.deserialize_map(Members)
}

/// An expression of the normal form.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Expr {
    /// A visible kind or a hidden rule, by name.
    Name(String),
    /// A token that stands for itself.
    Literal(String),
    Seq(Vec<Expr>),
    Choice(Vec<Expr>),
    /// With the sign `?`, `*` or `+`.
    Many(Box<Expr>, char),
}

impl Expr {
    const NOTHING: Self = Self::Seq(Vec::new());

    fn is_nothing(&self) -> bool {
        matches!(self, Self::Seq(parts) if parts.is_empty())
    }

    fn seq(parts: impl IntoIterator<Item = Self>) -> Self {
        let mut flat = Vec::new();
        for part in parts {
            match part {
                Self::Seq(inner) => flat.extend(inner),
                other => flat.push(other),
            }
        }
        if flat.len() == 1 { flat.remove(0) } else { Self::Seq(flat) }
    }

    fn choice(parts: impl IntoIterator<Item = Self>) -> Self {
        let mut flat: Vec<Self> = Vec::new();
        let mut optional = false;
        for part in parts {
            let alternatives = match part {
                Self::Choice(inner) => inner,
                other => vec![other],
            };
            for a in alternatives {
                if a.is_nothing() {
                    optional = true;
                } else if !flat.contains(&a) {
                    flat.push(a);
                }
            }
        }
        let one = match flat.len() {
            0 => return Self::NOTHING,
            1 => flat.remove(0),
            _ => Self::Choice(flat),
        };
        if optional { Self::many(one, '?') } else { one }
    }

    fn many(inner: Self, sign: char) -> Self {
        match inner {
            nothing if nothing.is_nothing() => Self::NOTHING,
            Self::Many(inner, '*') => Self::Many(inner, '*'),
            Self::Many(inner, '?') if sign != '?' => Self::Many(inner, '*'),
            Self::Many(inner, '+') if sign != '+' => Self::Many(inner, '*'),
            inner if matches!(inner, Self::Many(..)) => inner,
            inner => Self::Many(Box::new(inner), sign),
        }
    }

    /// Every kind in it becomes `alias`: what tree-sitter does with an alias of an expression.
    fn renamed(self, alias: &Self) -> Self {
        match self {
            Self::Name(_) | Self::Literal(_) => alias.clone(),
            Self::Seq(parts) => Self::seq(parts.into_iter().map(|p| p.renamed(alias))),
            Self::Choice(parts) => Self::choice(parts.into_iter().map(|p| p.renamed(alias))),
            Self::Many(inner, sign) => Self::many(inner.renamed(alias), sign),
        }
    }

    fn write(&self, out: &mut String, inside: bool) {
        match self {
            Self::Name(name) => out.push_str(name),
            Self::Literal(text) => write_literal(out, text),
            Self::Seq(parts) => {
                bracketed(out, inside, |out| join(out, parts, " ", true));
            }
            Self::Choice(parts) => {
                bracketed(out, inside, |out| join(out, parts, " | ", false));
            }
            Self::Many(inner, sign) => {
                inner.write(out, true);
                out.push(*sign);
            }
        }
    }
}

fn join(out: &mut String, parts: &[Expr], between: &str, inside: bool) {
    for (i, part) in parts.iter().enumerate() {
        if i > 0 {
            out.push_str(between);
        }
        part.write(out, inside && matches!(part, Expr::Choice(_)));
    }
}

fn bracketed(out: &mut String, brackets: bool, inner: impl FnOnce(&mut String)) {
    if brackets {
        out.push('(');
    }
    inner(out);
    if brackets {
        out.push(')');
    }
}

fn write_literal(out: &mut String, text: &str) {
    out.push('"');
    for c in text.chars() {
        match c {
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '"' | '\\' => out.extend(['\\', c]),
            _ => out.push(c),
        }
    }
    out.push('"');
}

struct Generator<'a> {
    grammar: &'a Grammar,
    /// How often each token without a rule of its own occurs in the whole grammar.
    tokens: BTreeMap<String, usize>,
    /// Aliases of rules: the new name and the rule whose body it has.
    aliases: BTreeSet<(String, String)>,
}

/// The facts as text.
fn generate(grammar: &Grammar) -> anyhow::Result<String> {
    let mut generator = Generator { grammar, tokens: BTreeMap::new(), aliases: BTreeSet::new() };
    for (_, body) in &grammar.rules {
        count_tokens(body, &mut generator.tokens);
    }
    let mut bodies = BTreeMap::new();
    for (name, body) in &grammar.rules {
        if !generator.is_lexical(name) {
            bodies.insert(name.as_str(), generator.expr(body)?);
        }
    }
    let mut out = format!(
        "# Grammar facts of tree-sitter-{}, written by `xtask facts`: not to be edited.\n",
        grammar.name
    );
    let aliases = std::mem::take(&mut generator.aliases);
    let used = reachable(&bodies, &aliases, grammar);
    for name in grammar.rules.iter().map(|(name, _)| name.as_str()) {
        let Some(body) = bodies.get(name).filter(|_| used.contains(name)) else { continue };
        line(&mut out, name, if generator.is_hidden(name) { ":=" } else { "=" }, body);
    }
    for (alias, rule) in &aliases {
        if let Some(body) = bodies.get(rule.as_str()) {
            line(&mut out, alias, "=", body);
        }
    }
    Ok(out)
}

fn line(out: &mut String, name: &str, sign: &str, body: &Expr) {
    let mut text = String::new();
    body.write(&mut text, false);
    writeln!(out, "{name} {sign} {text}").expect("writing to a string never fails");
}

/// The rules that occur under their own names below the first rule.
fn reachable<'a>(
    bodies: &'a BTreeMap<&'a str, Expr>,
    aliases: &'a BTreeSet<(String, String)>,
    grammar: &'a Grammar,
) -> BTreeSet<&'a str> {
    fn names<'a>(expr: &'a Expr, found: &mut Vec<&'a str>) {
        match expr {
            Expr::Name(name) => found.push(name),
            Expr::Literal(_) => {}
            Expr::Seq(parts) | Expr::Choice(parts) => parts.iter().for_each(|p| names(p, found)),
            Expr::Many(inner, _) => names(inner, found),
        }
    }
    let mut used = BTreeSet::new();
    // What only an alias reaches is walked too, but has no line under its own name.
    let mut todo: Vec<&str> = grammar.rules.iter().take(1).map(|(name, _)| name.as_str()).collect();
    let mut walked: BTreeSet<&str> = BTreeSet::new();
    while let Some(name) = todo.pop() {
        used.insert(name);
        let bodies_of = std::iter::once(name).chain(
            aliases.iter().filter(|(alias, _)| alias == name).map(|(_, rule)| rule.as_str()),
        );
        for rule in bodies_of {
            if walked.insert(rule)
                && let Some(body) = bodies.get(rule)
            {
                names(body, &mut todo);
            }
        }
    }
    used
}

/// Counts tokens that have no rule of their own: strings, patterns, `token(...)`.
fn count_tokens(rule: &Value, counts: &mut BTreeMap<String, usize>) {
    match kind(rule) {
        "STRING" | "PATTERN" | "TOKEN" | "IMMEDIATE_TOKEN" => {
            *counts.entry(rule.to_string()).or_default() += 1;
        }
        _ => {
            if let Some(content) = rule.get("content") {
                count_tokens(content, counts);
            }
            members(rule).iter().for_each(|m| count_tokens(m, counts));
        }
    }
}

fn kind(rule: &Value) -> &str {
    rule["type"].as_str().unwrap_or_default()
}

fn members(rule: &Value) -> &[Value] {
    rule["members"].as_array().map_or(&[], Vec::as_slice)
}

/// The rule without the wrappers that do not show in trees.
fn unwrapped(rule: &Value) -> &Value {
    match kind(rule) {
        "FIELD" | "PREC" | "PREC_LEFT" | "PREC_RIGHT" | "PREC_DYNAMIC" | "RESERVED" => {
            unwrapped(&rule["content"])
        }
        _ => rule,
    }
}

impl Generator<'_> {
    fn is_hidden(&self, name: &str) -> bool {
        name.starts_with('_')
            || self.grammar.supertypes.iter().any(|s| s == name)
            || self.grammar.inline.iter().any(|s| s == name)
    }

    /// The body of a rule; tokens of a scanner have none.
    fn body(&self, name: &str) -> Option<&Value> {
        self.grammar.rules.iter().find(|(n, _)| n == name).map(|(_, body)| unwrapped(body))
    }

    /// Whether the rule is a token: its whole body is one that occurs nowhere else.
    fn is_lexical(&self, name: &str) -> bool {
        let Some(body) = self.body(name) else { return true };
        matches!(kind(body), "STRING" | "PATTERN" | "TOKEN" | "IMMEDIATE_TOKEN")
            && self.tokens.get(&body.to_string()).is_none_or(|&n| n <= 1)
    }

    fn expr(&mut self, rule: &Value) -> anyhow::Result<Expr> {
        let rule = unwrapped(rule);
        Ok(match kind(rule) {
            "BLANK" => Expr::NOTHING,
            "STRING" => Expr::Literal(text(rule, "value")?),
            "PATTERN" | "TOKEN" | "IMMEDIATE_TOKEN" => token(rule)?,
            "SYMBOL" => self.symbol(&text(rule, "name")?),
            "ALIAS" => self.alias(rule)?,
            "REPEAT" => Expr::many(self.expr(&rule["content"])?, '*'),
            "REPEAT1" => Expr::many(self.expr(&rule["content"])?, '+'),
            "SEQ" => Expr::seq(self.all(members(rule))?),
            "CHOICE" => Expr::choice(self.all(members(rule))?),
            other => bail!("unknown rule type `{other}`"),
        })
    }

    fn all(&mut self, rules: &[Value]) -> anyhow::Result<Vec<Expr>> {
        rules.iter().map(|rule| self.expr(rule)).collect()
    }

    fn symbol(&self, name: &str) -> Expr {
        if !self.is_hidden(name) || !self.is_lexical(name) {
            return Expr::Name(name.to_owned());
        }
        match self.body(name) {
            Some(body) if !is_blank(body) => Expr::Name("hidden".to_owned()),
            // Tokens of a scanner that has no name for them: they carry no text.
            _ => Expr::NOTHING,
        }
    }

    fn alias(&mut self, rule: &Value) -> anyhow::Result<Expr> {
        let value = text(rule, "value")?;
        let named = rule["named"].as_bool().unwrap_or_default();
        let content = unwrapped(&rule["content"]);
        if kind(content) == "SYMBOL" {
            let name = text(content, "name")?;
            if named && !self.is_lexical(&name) {
                self.aliases.insert((value.clone(), name));
            }
        }
        let alias = if named { Expr::Name(value) } else { Expr::Literal(value) };
        match kind(content) {
            "SYMBOL" | "STRING" | "PATTERN" | "TOKEN" | "IMMEDIATE_TOKEN" => Ok(alias),
            _ => Ok(self.expr(content)?.renamed(&alias)),
        }
    }
}

fn text(rule: &Value, field: &str) -> anyhow::Result<String> {
    Ok(rule[field].as_str().with_context(|| format!("no `{field}` in {rule}"))?.to_owned())
}

/// A token without a name: visible if it is a fixed text, hidden otherwise.
fn token(rule: &Value) -> anyhow::Result<Expr> {
    let content = if kind(rule) == "PATTERN" { rule } else { unwrapped(&rule["content"]) };
    Ok(match kind(content) {
        "STRING" => Expr::Literal(text(content, "value")?),
        _ if is_blank(content) => Expr::NOTHING,
        _ => Expr::Name("hidden".to_owned()),
    })
}

/// Whether a token can only be blank space: then it shows nowhere in our trees.
fn is_blank(rule: &Value) -> bool {
    let fits = |text: &str| {
        let rest = text.replace("\\r", "").replace("\\n", "").replace("\\t", "").replace("\\s", "");
        rest.chars().all(|c| " \t\r\n?*+()[]|".contains(c))
    };
    match kind(rule) {
        "BLANK" => true,
        "STRING" => rule["value"].as_str().is_some_and(|v| v.trim().is_empty()),
        "PATTERN" => rule["value"].as_str().is_some_and(fits),
        _ => rule.get("content").is_none_or(is_blank) && members(rule).iter().all(is_blank),
    }
}
