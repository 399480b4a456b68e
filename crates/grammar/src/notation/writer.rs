//! Writes the notation.

use crate::grammar::Grammar;
use crate::rule::{Precedence, Rule};

/// Lines should not be longer.
const WIDTH: usize = 100;

pub(super) fn write(grammar: &Grammar) -> String {
    let mut text = format!("%name {}\n", grammar.name);
    let mut list = |name: &str, parts: &str| {
        if !parts.is_empty() {
            text.push_str(&format!("%{name} {parts}\n"));
        }
    };
    let rules = |rules: &[Rule]| rules.iter().map(|r| part(r, Inside::Part)).collect::<Vec<_>>();
    list("word", grammar.word.as_deref().unwrap_or_default());
    list("extras", &rules(&grammar.extras).join(" "));
    list("externals", &rules(&grammar.externals).join(" "));
    grammar.conflicts.iter().for_each(|names| list("conflict", &names.join(" ")));
    grammar.precedences.iter().for_each(|parts| list("precedence", &rules(parts).join(" ")));
    list("inline", &grammar.inline.join(" "));
    list("supertypes", &grammar.supertypes.join(" "));
    for (name, rule) in &grammar.rules {
        let line = format!("\n{name} = {}\n", part(rule, Inside::Nothing));
        if line.len() <= WIDTH + 2 {
            text.push_str(&line);
            continue;
        }
        text.push_str(&format!("\n{name} =\n    {}\n", lines(rule)));
    }
    text
}

/// Writes each alternative, or each part of a sequence, as a line of its own.
fn lines(rule: &Rule) -> String {
    let all =
        |members: &[Rule], inside| members.iter().map(|m| part(m, inside)).collect::<Vec<_>>();
    match rule {
        Rule::Choice { members } if !is_optional(members) => {
            all(members, Inside::Choice).join("\n  | ")
        }
        Rule::Seq { members } => all(members, Inside::Sequence).join("\n    "),
        _ => part(rule, Inside::Nothing),
    }
}

/// What a part stands in, which decides whether it needs brackets.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Inside {
    Nothing,
    Choice,
    Sequence,
    /// Something is applied to it.
    Part,
}

fn is_optional(members: &[Rule]) -> bool {
    matches!(members, [_, Rule::Blank])
}

fn part(rule: &Rule, inside: Inside) -> String {
    let all =
        |members: &[Rule], inside| members.iter().map(|m| part(m, inside)).collect::<Vec<_>>();
    let in_brackets = |text: String, from: Inside| {
        if inside >= from { format!("({text})") } else { text }
    };
    match rule {
        Rule::Blank => "()".to_owned(),
        Rule::String { value } => quoted(value),
        Rule::Pattern { value, flags } => {
            format!("/{}/{}", value.replace('/', "\\/"), flags.as_deref().unwrap_or_default())
        }
        Rule::Symbol { name } => name.clone(),
        Rule::Choice { members } if is_optional(members) => {
            format!("{}?", part(&members[0], Inside::Part))
        }
        Rule::Choice { members } => {
            in_brackets(all(members, Inside::Choice).join(" | "), Inside::Choice)
        }
        Rule::Seq { members } => {
            in_brackets(all(members, Inside::Sequence).join(" "), Inside::Sequence)
        }
        Rule::Repeat { content } => format!("{}*", part(content, Inside::Part)),
        Rule::Repeat1 { content } => format!("{}+", part(content, Inside::Part)),
        Rule::Field { name, content } => {
            in_brackets(format!("{name}: {}", part(content, Inside::Part)), Inside::Part)
        }
        Rule::Alias { content, named, value } => {
            let kind = if *named { value.clone() } else { quoted(value) };
            format!("{} -> {kind}", part(content, Inside::Part))
        }
        Rule::Prec { value, content } => applied("prec", Some(value), content),
        Rule::PrecLeft { value, content } => applied("left", Some(value), content),
        Rule::PrecRight { value, content } => applied("right", Some(value), content),
        Rule::PrecDynamic { value, content } => applied("dynamic", Some(value), content),
        Rule::Token { content } => applied("token", None, content),
        Rule::ImmediateToken { content } => applied("immediate", None, content),
    }
}

fn applied(form: &str, value: Option<&Precedence>, content: &Rule) -> String {
    let value = match value {
        Some(Precedence::Number(number)) => format!("{number}, "),
        Some(Precedence::Name(name)) => format!("{}, ", quoted(name)),
        None => String::new(),
    };
    format!("{form}({value}{})", part(content, Inside::Nothing))
}

fn quoted(text: &str) -> String {
    serde_json::to_string(text).expect("a text is plain data")
}
