//! Paths: `NAME.uses.parent(access)` leads from a captured name to what its other mentions stand
//! in.
//!
//! A path is the name of a capture (`$` is the subject), then steps with a dot before each; a step
//! may have one argument in brackets. A selector is a list of kinds, roles and `field:NAME` with
//! `|` between them; `name` means all names, and `kind:NAME` a kind that is called like a role.

use std::sync::Arc;

use minirepro_syntax::{Capture, FieldRole, NodePath, PathStep, Selector, Wanted};

use crate::manifest::error::ManifestError;
use crate::manifest::roles::kind;
use crate::manifest::rules::compiler::{Compiler, Names};

/// A path in words: where it starts, and its steps with their arguments.
struct Words<'a> {
    from: &'a str,
    steps: Vec<(&'a str, Option<&'a str>)>,
}

/// Takes a path apart; `None` if it has not the form of one.
fn words(text: &str) -> Option<Words<'_>> {
    let end = text.find('.').unwrap_or(text.len());
    let (from, mut rest) = (text[..end].trim(), &text[end..]);
    let mut steps = Vec::new();
    while let Some(after) = rest.strip_prefix('.') {
        let end = after.find(['.', '(']).unwrap_or(after.len());
        let name = &after[..end];
        rest = &after[end..];
        let mut argument = None;
        if rest.starts_with('(') {
            let close = closing(rest)?;
            argument = Some(rest[1..close].trim());
            rest = &rest[close + 1..];
        }
        steps.push((name.trim(), argument));
        rest = rest.trim_start();
    }
    (rest.is_empty() && !from.is_empty()).then_some(Words { from, steps })
}

/// Returns where the bracket that opens a text is closed; brackets in quotes do not count.
fn closing(text: &str) -> Option<usize> {
    let mut quoted = false;
    text.char_indices().find_map(|(at, sign)| {
        quoted ^= sign == '\'';
        (sign == ')' && !quoted).then_some(at)
    })
}

/// Returns the names of the captures that a path needs.
pub(super) fn captures_in(text: &str) -> Vec<&str> {
    let Some(Words { from, steps }) = words(text) else { return Vec::new() };
    let arguments = steps.into_iter().filter(|(name, _)| BY_CAPTURE.contains(name));
    std::iter::once(from).chain(arguments.filter_map(|(_, argument)| argument)).collect()
}

/// The steps whose argument is a capture.
const BY_CAPTURE: &[&str] =
    &["column", "like", "in", "outside", "without", "same", "before", "after", "from"];

impl Compiler<'_> {
    /// Reads paths.
    pub(super) fn paths(
        &self,
        texts: &[String],
        names: &Names,
    ) -> Result<Vec<NodePath>, ManifestError> {
        texts.iter().map(|text| self.path(text, names)).collect()
    }

    fn path(&self, text: &str, names: &Names) -> Result<NodePath, ManifestError> {
        let malformed = || ManifestError::Path(text.to_owned());
        let Words { from, steps } = words(text).ok_or_else(malformed)?;
        let capture = |name: &str| -> Result<Capture, ManifestError> {
            names.known(name).ok_or_else(|| ManifestError::UnknownCapture {
                name: name.to_owned(),
                rule: text.to_owned(),
            })
        };
        let from = capture(from)?;
        let step = |(name, argument): (&str, Option<&str>)| -> Result<PathStep, ManifestError> {
            let selector = || self.selector(argument.unwrap_or_default());
            let needed = || argument.filter(|text| !text.is_empty()).ok_or_else(malformed);
            let captured = || capture(needed()?);
            let quoted = || {
                let text = needed()?.strip_prefix('\'').and_then(|text| text.strip_suffix('\''));
                text.map(|text| Arc::from(text.as_bytes())).ok_or_else(malformed)
            };
            Ok(match name {
                "field" => PathStep::Field(self.fields(needed()?)?),
                "children" => PathStep::Children,
                "tokens" => PathStep::Tokens,
                "all" => PathStep::All,
                "inner" => PathStep::Inner,
                "until" => PathStep::Until(selector()?),
                "below" => PathStep::Below(selector()?),
                "within" => PathStep::Within(selector()?),
                "leaves" => PathStep::Leaves,
                "parent" => PathStep::Parent(selector()?),
                "around" => PathStep::Around(selector()?),
                "outermost" => PathStep::Outermost(selector()?),
                "climb" => PathStep::Climb(selector()?),
                "next" => PathStep::Next,
                "whole" => PathStep::Whole,
                "mentions" => PathStep::Mentions,
                "uses" => PathStep::Uses,
                "declared" => PathStep::Declared,
                "declarators" => PathStep::Declarators,
                "members" => PathStep::Members,
                "definition" => PathStep::Definition,
                "other_name" => PathStep::OtherName,
                "function_name" => PathStep::FunctionName,
                "list" => PathStep::List,
                "values" => PathStep::Values,
                "looked_up" => PathStep::LookedUp,
                "initials" => PathStep::Initials,
                "implied" => PathStep::Implied,
                "column" => PathStep::Column(captured()?),
                "is" => PathStep::Is(selector()?),
                "not" => PathStep::Not(selector()?),
                "under" => PathStep::Under(selector()?),
                "not_under" => PathStep::NotUnder(selector()?),
                "longer" => PathStep::Longer(needed()?.parse().map_err(|_| malformed())?),
                "same" => PathStep::Same(captured()?),
                "without" => PathStep::Without(captured()?),
                "from" => PathStep::From(captured()?),
                "reads" => PathStep::Reads(quoted()?),
                "unlike" => PathStep::Unlike(quoted()?),
                "like" => PathStep::Like(captured()?),
                "in" => PathStep::In(captured()?),
                "outside" => PathStep::Outside(captured()?),
                "before" => PathStep::Before(captured()?),
                "after" => PathStep::After(captured()?),
                "droppable" => PathStep::Droppable,
                "fixed" => PathStep::Fixed,
                "leading" => PathStep::Leading,
                "trailing" => PathStep::Trailing,
                "alone" => PathStep::Alone,
                "first" => PathStep::First,
                "last" => PathStep::Last,
                "rest" => PathStep::Rest,
                "most" => PathStep::Most,
                "only" => PathStep::Only,
                "lasts" => PathStep::Lasts(needed()?.parse().map_err(|_| malformed())?),
                _ => match name.parse::<FieldRole>() {
                    Ok(part) => PathStep::Part(part),
                    Err(_) => return Err(malformed()),
                },
            })
        };
        let steps = steps.into_iter().map(step).collect::<Result<_, _>>()?;
        Ok(NodePath { from, steps })
    }

    fn fields(&self, names: &str) -> Result<Vec<minirepro_syntax::Field>, ManifestError> {
        let field = |name: &str| {
            self.kinds.field(name).ok_or_else(|| ManifestError::Field(name.to_owned()))
        };
        names.split('|').map(str::trim).map(field).collect()
    }

    /// Reads a selector.
    pub(super) fn selector(&self, text: &str) -> Result<Selector, ManifestError> {
        let alternatives = text.split('|').map(str::trim).filter(|name| !name.is_empty());
        let mut selector = Selector::new();
        for name in alternatives {
            self.select(name, &mut selector)?;
        }
        Ok(selector)
    }

    fn select(&self, name: &str, selector: &mut Selector) -> Result<(), ManifestError> {
        if let Some(name) = name.strip_prefix("kind:") {
            selector.push(Wanted::Kind(kind(self.kinds, name)?));
        } else if let Some(name) = name.strip_prefix("field:") {
            let field = self.kinds.field(name);
            selector.push(Wanted::Field(field.ok_or_else(|| ManifestError::Field(name.into()))?));
        } else if name == "name" {
            selector.push(Wanted::Name);
        } else if let Some(set) = self.sets.get(name) {
            for name in set {
                selector.push(Wanted::Kind(kind(self.kinds, name)?));
            }
        } else {
            selector.push(match name.parse() {
                Ok(role) => Wanted::Role(role),
                Err(_) => Wanted::Kind(kind(self.kinds, name)?),
            });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{captures_in, words};

    #[test]
    fn a_path_is_taken_apart() {
        let path = words("NAME.uses.parent(access | call).first").expect("a path");
        assert_eq!(path.from, "NAME");
        let steps = [("uses", None), ("parent", Some("access | call")), ("first", None)];
        assert_eq!(path.steps, steps);
        assert_eq!(words("$.tokens.reads(')')").expect("a path").steps[1].1, Some("')'"));
        for malformed in ["", ".uses", "A.parent(b", "A.parent(b)c", "A.b c)"] {
            let is_one = words(malformed).is_some_and(|path| !path.steps.is_empty());
            assert!(!is_one || malformed == "A.b c)", "{malformed}");
        }
        assert_eq!(captures_in("A.uses.outside(B).is(c)"), ["A", "B"]);
    }
}
