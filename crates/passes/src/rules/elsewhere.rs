//! What texts of rules take from elsewhere in the document, found when it is asked for the first
//! time.

use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use minirepro_syntax::{Rule, RuleAction, TemplatePart};

use crate::framework::limits::NAMES_OFFERED;
use crate::framework::style_rules::Declared;
use crate::rules::captures::Captured;
use crate::{PassContext, Reference};

/// What a text takes from elsewhere in the document.
pub(super) enum Extra<'a> {
    Nothing,
    /// A name that something has.
    Name(Vec<u8>),
    /// A declaration of a style.
    Declaration(&'a Declared),
}

type Names = Rc<[Vec<u8>]>;

#[derive(Default)]
pub(super) struct Elsewhere {
    declared: OnceCell<Vec<Declared>>,
    /// The first names of each namespace.
    names: RefCell<HashMap<Arc<str>, Names>>,
    fresh: OnceCell<Vec<u8>>,
}

impl Elsewhere {
    /// Returns what a rule takes from elsewhere, one for each form.
    pub(super) fn extras<'c>(
        &'c self,
        context: &PassContext<'_>,
        rule: &Rule,
        captured: &Captured,
    ) -> Vec<Extra<'c>> {
        let puts = rule.edits.iter().filter_map(|edit| match &edit.action {
            RuleAction::Put(put) => Some(&put.template),
            _ => None,
        });
        for part in puts.flatten() {
            match part {
                TemplatePart::NameOf(namespace) => {
                    let names = self.names(context, namespace);
                    return names.iter().map(|name| Extra::Name(name.clone())).collect();
                }
                TemplatePart::DeclaredProperty(class) => {
                    let Some(class) = captured.first(*class) else { return Vec::new() };
                    let Some(class) = quoted(context.tree.text_of(class)) else {
                        return Vec::new();
                    };
                    let all = self.declared.get_or_init(|| Declared::all(context)).iter();
                    let own = all.filter(|of| of.classes.iter().any(|own| own == class));
                    return own.map(Extra::Declaration).collect();
                }
                _ => {}
            }
        }
        vec![Extra::Nothing]
    }

    /// Returns the first names of a namespace that something has and that can be names of a
    /// program, those that are mentioned most first.
    fn names(&self, context: &PassContext<'_>, namespace: &Arc<str>) -> Names {
        let mut known = self.names.borrow_mut();
        if let Some(names) = known.get(namespace) {
            return Rc::clone(names);
        }
        let is_given = |r: &&Reference| r.mentions.iter().any(|m| m.is_definition);
        let is_one = |r: &&Reference| r.namespace.name == **namespace;
        let given = context.references().iter().filter(is_one).filter(is_given);
        let names = given.map(|reference| &reference.name[..]);
        let mut names: Vec<&[u8]> = names.filter(|name| is_word(name)).collect();
        names.sort_by_key(|name| std::cmp::Reverse(context.mentions_of(name).len()));
        let few = names.into_iter().take(NAMES_OFFERED);
        let few: Names = few.map(<[u8]>::to_vec).collect();
        known.insert(Arc::clone(namespace), Rc::clone(&few));
        few
    }

    /// Returns the shortest name that nothing has.
    pub(super) fn fresh(&self, context: &PassContext<'_>) -> &[u8] {
        self.fresh.get_or_init(|| {
            let names = (1..).flat_map(words);
            let mut free = names.filter(|name| context.mentions_of(name).is_empty());
            free.next().expect("there are more names than nodes")
        })
    }
}

/// Returns all words of `length` small letters.
fn words(length: u32) -> impl Iterator<Item = Vec<u8>> {
    (0..26u64.pow(length)).map(move |number| {
        let letter = |at: u32| b'a' + (number / 26u64.pow(length - 1 - at) % 26) as u8;
        (0..length).map(letter).collect()
    })
}

/// Returns what a quoted text says.
fn quoted(text: &[u8]) -> Option<&[u8]> {
    match text {
        [b'"', inside @ .., b'"'] | [b'\'', inside @ .., b'\''] => Some(inside),
        _ => None,
    }
}

/// Returns whether a text can be a name of a program.
fn is_word(name: &[u8]) -> bool {
    name.first().is_some_and(|byte| !byte.is_ascii_digit())
        && name.iter().all(|&byte| byte.is_ascii_alphanumeric() || byte == b'_')
}
