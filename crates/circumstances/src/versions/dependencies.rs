//! Which changes need others: those that mention a name need those that declare it.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use minirepro_search::Configuration;

use crate::archive::{Entry, entries};
use crate::versions::merge::Merge;
use crate::versions::plausibility::Plausibility;
use crate::versions::visible_names::{Mentioned, mentioned};

/// For each difference of a merge: which others must be there as well if it is.
#[derive(Clone, Debug, Default)]
pub(crate) struct Dependencies(Vec<Vec<usize>>);

/// Where a name of one version is mentioned.
#[derive(Default)]
struct Places {
    /// Where nothing differs.
    common: bool,
    /// The differences in which it is where everybody sees it.
    declared: Vec<usize>,
    /// Those in which it is not.
    used: Vec<usize>,
}

/// By language and name.
type Names = HashMap<(String, Arc<[u8]>), Places>;

impl Dependencies {
    /// Reads the files in which something differs. Near linear.
    pub(crate) fn of(merge: &Merge, plausibility: &Plausibility) -> Self {
        let mut needs = vec![Vec::new(); merge.differences()];
        let [old, new] = [false, true].map(|is_new| names(merge, plausibility, is_new));
        for (name, places) in &new {
            // New names need what declares them.
            if !places.common && !old.contains_key(name) {
                for &used in &places.used {
                    needs[used].extend(places.declared.iter().filter(|&&d| d != used));
                }
            }
        }
        for (name, places) in &old {
            // What takes a name away needs everything that mentions it to go, too.
            if !places.common && !new.contains_key(name) {
                for &declared in &places.declared {
                    needs[declared].extend(places.used.iter().filter(|&&u| u != declared));
                }
            }
        }
        needs.iter_mut().for_each(|all| {
            all.sort_unstable();
            all.dedup();
        });
        Self(needs)
    }

    /// Returns whether no difference can bring another one along.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.iter().all(Vec::is_empty)
    }

    /// Returns the differences with all that they need. Linear in the needs.
    pub(crate) fn closure(&self, there: &Configuration) -> Configuration {
        if self.is_empty() {
            return there.clone();
        }
        let mut open: Vec<usize> = there.iter().collect();
        let mut all = vec![false; self.0.len()];
        open.iter().for_each(|&i| all[i] = true);
        while let Some(i) = open.pop() {
            for &needed in &self.0[i] {
                if !std::mem::replace(&mut all[needed], true) {
                    open.push(needed);
                }
            }
        }
        Configuration::of(all.len(), (0..all.len()).filter(|&i| all[i]))
    }
}

/// Returns the names of one version of the files in which something differs. Those of the others
/// are common.
fn names(merge: &Merge, plausibility: &Plausibility, is_new: bool) -> Names {
    let (old, new) = merge.ends();
    let text = if is_new { new } else { old };
    let parts: Vec<(Range<usize>, Option<usize>)> = numbered(merge, is_new);
    let mut found = Names::new();
    for entry in entries(text) {
        let body = entry.body();
        let first = parts.partition_point(|(span, _)| span.end <= entry.span.start);
        let here = || parts[first..].iter().take_while(|(span, _)| span.start < entry.span.end);
        let differs = here().any(|(_, difference)| difference.is_some());
        if differs {
            add(&mut found, plausibility, &entry, |at| {
                let at = body.start + at;
                here().find(|(span, _)| span.contains(&at)).and_then(|(_, difference)| *difference)
            });
        }
    }
    for (language, name) in plausibility.same_names() {
        if let Some(places) = found.get_mut(&(language, name)) {
            places.common = true;
        }
    }
    found
}

fn add(
    found: &mut Names,
    plausibility: &Plausibility,
    entry: &Entry<'_>,
    difference: impl Fn(usize) -> Option<usize>,
) {
    let Some(language) = plausibility.language(entry.path, entry.text) else { return };
    let tree = language.parser.parse(entry.text);
    for Mentioned { at, name, is_visible } in mentioned(&tree, &language) {
        let places = found.entry((language.name.clone(), name)).or_default();
        match difference(at) {
            // Only a declaration counts: a use that stays needs what declares it, and shows.
            None => places.common = true,
            Some(number) if is_visible => places.declared.push(number),
            Some(number) => places.used.push(number),
        }
    }
}

/// Returns the parts of one version in order, with the numbers of those that differ.
fn numbered(merge: &Merge, is_new: bool) -> Vec<(Range<usize>, Option<usize>)> {
    let mut next = 0;
    let number = |common: bool| {
        (!common).then(|| {
            next += 1;
            next - 1
        })
    };
    let mut number = number;
    merge
        .parts()
        .iter()
        .map(|part| {
            let number = number(part.common);
            (if is_new { part.new.clone() } else { part.old.clone() }, number)
        })
        .filter(|(span, _)| !span.is_empty())
        .collect()
}
