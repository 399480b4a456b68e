//! Which changes need others: those that mention a name need those that declare it.

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;
use std::sync::Arc;

use minirepro_search::Configuration;

use crate::archive::entries;
use crate::versions::merge::Merge;
use crate::versions::plausibility::Plausibility;
use crate::versions::visible_names::{Mentioned, mentioned};

/// For each difference of a merge: which others must be there as well if it is.
#[derive(Clone, Debug, Default)]
pub(crate) struct Dependencies(Vec<BTreeSet<usize>>);

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
        let mut needs = vec![BTreeSet::new(); merge.differences()];
        let [old, new] = [false, true].map(|is_new| names(merge, plausibility, is_new));
        // New names need what declares them. What takes a name away needs everything that mentions
        // it to go, too.
        for (names, others, is_new) in [(&new, &old, true), (&old, &new, false)] {
            let own =
                names.iter().filter(|(name, places)| !places.common && !others.contains_key(*name));
            for Places { declared, used, .. } in own.map(|(_, places)| places) {
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

    /// Returns the differences with all that they need. Linear in the needs.
    pub(crate) fn closure(&self, there: &Configuration) -> Configuration {
        let mut all = there.clone();
        let mut open: Vec<usize> = there.iter().collect();
        while let Some(next) = open.pop() {
            for &needed in self.0.get(next).into_iter().flatten() {
                if !all.contains(needed) {
                    all.insert(needed);
                    open.push(needed);
                }
            }
        }
        all
    }
}

/// Returns the names of one version of the files in which something differs. Those of the others
/// are common.
fn names(merge: &Merge, plausibility: &Plausibility, is_new: bool) -> Names {
    let (old, new) = (&merge.old, &merge.new);
    let mut numbers = 0..;
    let parts = merge.parts.iter().map(|part| {
        let span = if is_new { part.new.clone() } else { part.old.clone() };
        (span, (!part.common).then(|| numbers.next()).flatten())
    });
    let parts: Vec<(Range<usize>, Option<usize>)> =
        parts.filter(|(span, _)| !span.is_empty()).collect();
    let mut found = Names::new();
    for entry in entries(if is_new { new } else { old }) {
        let first = parts.partition_point(|(span, _)| span.end <= entry.span.start);
        let here = || parts[first..].iter().take_while(|(span, _)| span.start < entry.span.end);
        let language = plausibility.language(entry.path, entry.text);
        let Some(language) = language.filter(|_| here().any(|(_, number)| number.is_some())) else {
            continue;
        };
        let tree = language.parser.parse(entry.text);
        for Mentioned { at, name, is_visible } in mentioned(&tree, &language) {
            let places = found.entry((language.name.clone(), name)).or_default();
            let at = entry.body().start + at;
            match here().find(|(span, _)| span.contains(&at)).and_then(|(_, number)| *number) {
                // Only a declaration counts: a use that stays needs what declares it, and shows.
                None => places.common = true,
                Some(number) if is_visible => places.declared.push(number),
                Some(number) => places.used.push(number),
            }
        }
    }
    for (name, places) in &mut found {
        places.common |= plausibility.same_names.contains(name);
    }
    found
}
