//! Which changes need others: those that mention a name need those that declare it.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use minirepro_search::Configuration;
use minirepro_syntax::{NodeId, Role};

use crate::archive::entries;
use crate::changes::LanguageOf;
use crate::merge::Merge;
use crate::units::words;

/// For each difference of a merge: which others must be there as well if it is.
pub(crate) struct Needs(Vec<BTreeSet<usize>>);

/// By language and name, whether it is mentioned where nothing differs, in which differences it is
/// where everybody sees it, and in which it is only inside of a scope.
type Names = HashMap<(String, Arc<[u8]>), (bool, Vec<usize>, Vec<usize>)>;

impl Needs {
    /// Reads the files in which something differs. Near linear.
    pub(crate) fn of(merge: &Merge, language: &LanguageOf) -> Self {
        let mut needs = vec![BTreeSet::new(); merge.differences()];
        let [old, new] = [false, true].map(|is_new| names(merge, is_new, language));
        // New names need what declares them. What takes a name away needs everything that mentions
        // it to go, too.
        for (names, others, is_new) in [(&new, &old, true), (&old, &new, false)] {
            let own = names.iter().filter(|(name, _)| !others.contains_key(*name));
            for (_, (_, declared, used)) in own.filter(|(_, (is_common, ..))| !is_common) {
                for (&used, &declared) in
                    used.iter().flat_map(|used| declared.iter().map(move |place| (used, place)))
                {
                    let (this, other) = if is_new { (used, declared) } else { (declared, used) };
                    needs[this].extend((this != other).then_some(other));
                }
            }
        }
        Self(needs)
    }

    /// Returns whether no difference can bring another one along.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.iter().all(BTreeSet::is_empty)
    }

    /// Returns the differences with all that they need. Linear in the needs.
    pub(crate) fn closure(&self, there: &Configuration) -> Configuration {
        let mut all = there.clone();
        all.close(|next| self.0[next].iter().copied());
        all
    }
}

/// Returns the names of one version of the files in which something differs. What others mention
/// they may declare.
fn names(merge: &Merge, is_new: bool, language: &LanguageOf) -> Names {
    let spans = merge
        .numbered()
        .map(|(part, difference)| (if is_new { &part.new } else { &part.old }, difference));
    let spans: Vec<_> = spans.filter(|(span, _)| !span.is_empty()).collect();
    let files = entries(if is_new { &merge.new } else { &merge.old });
    let (changed, same): (Vec<_>, Vec<_>) = files.into_iter().partition(|file| {
        let first = spans.partition_point(|(span, _)| span.end <= file.span.start);
        let mut here = spans[first..].iter().take_while(|(span, _)| span.start < file.span.end);
        here.any(|(_, difference)| difference.is_some())
    });
    let elsewhere: HashSet<&[u8]> = same.iter().flat_map(|file| words(file.text)).collect();
    let mut names = Names::new();
    for file in changed {
        let Some(language) = language(file.path, file.text) else { continue };
        let tree = language.parser.parse(file.text);
        let mut hidden_until = NodeId::ROOT;
        for id in tree.ids() {
            if id >= hidden_until && language.roles.is(Role::Scope, tree.kind(id)) {
                hidden_until = tree.subtree_end(id);
            }
            if !tree.is_leaf(id) || !language.roles.is(Role::Identifier, tree.kind(id)) {
                continue;
            }
            let name = tree.text_of(id);
            let at = file.body().start + tree.span(id).start;
            let (_, difference) = spans[spans.partition_point(|(span, _)| span.end <= at)];
            let (is_common, declared, used) =
                names.entry((language.name.clone(), name.into())).or_default();
            match difference.filter(|_| !elsewhere.contains(name)) {
                // Only a declaration counts: a use that stays needs what declares it, and shows.
                None => *is_common = true,
                Some(number) if id >= hidden_until => declared.push(number),
                Some(number) => used.push(number),
            }
        }
    }
    names
}
