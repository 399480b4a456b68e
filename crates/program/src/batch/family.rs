//! The bugs of a family: failures with one message in one innermost function.

use std::collections::BTreeMap;

use minirepro_runner::Signature;

use crate::batch::error::BatchError;
use crate::batch::inputs::Input;
use crate::batch::job::{Done, JobKind, JobPlan};
use crate::batch::request::Shared;
use crate::batch::run_log::{accepted, hang};
use crate::tester::subject::Test;

/// An input that fails.
#[derive(Clone, Debug)]
pub struct Failing<'a> {
    /// The input.
    pub input: &'a Input,
    /// How it fails, with the line in the innermost function.
    pub signature: Signature,
    /// How often each test of it must be repeated, if it does not always fail.
    pub repeat: u32,
}

/// Failures with one signature, the best input for a reduction first.
#[derive(Clone, Debug)]
pub struct Variant<'a> {
    pub signature: Signature,
    pub members: Vec<Failing<'a>>,
}

/// The variants of a family, the one with the best input first.
pub type Family<'a> = Vec<Variant<'a>>;

/// A bug, as far as its family tells.
#[derive(Clone, Debug)]
pub struct FoundBug<'a> {
    /// How the smallest result with any caller and any line fails, or the input if there is none.
    pub ends_as: Signature,
    /// The reduction that gave the reproducer.
    pub reproducer: Done,
    /// All reductions, that one among them.
    pub jobs: Vec<Done>,
    /// The last of its first chain of reductions, which later variants are compared with.
    last: Done,
    /// What it is made of.
    pub variants: Vec<Variant<'a>>,
}

/// Sorts failures into families: those with the same message, apart from what it quotes, and the
/// same innermost function.
pub fn families<'a>(all: impl IntoIterator<Item = Failing<'a>>) -> Vec<Family<'a>> {
    let mut families: BTreeMap<Signature, BTreeMap<Signature, Vec<Failing<'a>>>> = BTreeMap::new();
    for failing in all {
        let mut key = failing.signature.without_quotes();
        key.frames.truncate(1);
        key.place = None;
        let variants = families.entry(key).or_default();
        variants.entry(failing.signature.clone()).or_default().push(failing);
    }
    let rank = |one: &Failing<'a>| {
        // Inputs of the user's before those that reductions came across.
        (one.input.is_found, one.repeat, one.input.bytes, one.input.paths.clone())
    };
    let sorted = |variants: BTreeMap<Signature, Vec<Failing<'a>>>| {
        let variants = variants.into_iter().map(|(signature, mut members)| {
            members.sort_by_cached_key(rank);
            Variant { signature, members }
        });
        let mut variants: Family<'a> = variants.collect();
        variants.sort_by_cached_key(|variant| rank(&variant.members[0]));
        variants
    };
    families.into_values().map(sorted).collect()
}

/// Reduces the variants of a family until it is clear which of them are one bug.
///
/// # Errors
/// If the batch is to end, or nothing can be written.
pub fn bugs<'a>(
    shared: &Shared<'_>,
    family: &Family<'a>,
    jobs: usize,
) -> Result<Vec<FoundBug<'a>>, BatchError> {
    let mut bugs: Vec<FoundBug<'a>> = Vec::new();
    for variant in family {
        if is_unknown(shared.request.test, &variant.signature) {
            members_apart(shared, variant, jobs, &mut bugs)?;
            continue;
        }
        let new = of_variant(shared, variant, jobs)?;
        match bugs.iter_mut().find(|bug| are_one(bug, &new)) {
            Some(bug) => {
                bug.jobs.extend(new.jobs);
                bug.variants.extend(new.variants);
            }
            None => bugs.push(new),
        }
    }
    Ok(bugs)
}

/// Returns whether a signature says so little that two bugs can easily have it.
fn is_unknown(test: &dyn Test, signature: &Signature) -> bool {
    signature.is_weak() || *signature == accepted(test) || *signature == hang()
}

/// Reduces the best input of a variant to its end, and what became of it once more with any caller
/// and any line.
fn of_variant<'a>(
    shared: &Shared<'_>,
    variant: &Variant<'a>,
    jobs: usize,
) -> Result<FoundBug<'a>, BatchError> {
    let member = &variant.members[0];
    let signature = &member.signature;
    let has_place = signature.place.is_some();
    let run = |kind, of| JobPlan::new(shared, member, kind, of)?.run(shared, jobs);
    let mut first = run(if has_place { JobKind::Exact } else { JobKind::AnyLine }, None)?;
    if first.record.error.is_some() && has_place {
        // The line may change from run to run.
        first = run(JobKind::AnyLine, None)?;
    }
    let mut all = vec![first.clone()];
    let mut last = first.clone();
    if first.record.error.is_none() && (signature.frames.len() > 1 || has_place) {
        let more = run(JobKind::AnyCaller, Some(&first.plan.output))?;
        if more.record.error.is_none() && more.record.signature.is_some() {
            last = more.clone();
        }
        all.push(more);
    }
    let ends_as = last.record.signature.clone().unwrap_or_else(|| signature.clone());
    Ok(FoundBug { ends_as, reproducer: first, jobs: all, last, variants: vec![variant.clone()] })
}

/// Returns whether two chains of reductions have found one bug: their ends fail alike, or they have
/// the same shape and message.
fn are_one(bug: &FoundBug<'_>, new: &FoundBug<'_>) -> bool {
    if bug.last.record.error.is_some() || new.last.record.error.is_some() {
        return false;
    }
    let (a, b) = (&bug.ends_as, &new.ends_as);
    a == b || (a.message == b.message && bug.last.record.shape == new.last.record.shape)
}

/// Finds the bugs of a variant of which nothing is known but how the program ended: each input is
/// reduced until it contains the result of a bug, or to its end.
fn members_apart<'a>(
    shared: &Shared<'_>,
    variant: &Variant<'a>,
    jobs: usize,
    bugs: &mut Vec<FoundBug<'a>>,
) -> Result<(), BatchError> {
    let from = bugs.len();
    let is_reduced = variant.signature != hang() || shared.request.limits.time.is_some();
    for member in &variant.members {
        let alone = Variant { signature: variant.signature.clone(), members: vec![member.clone()] };
        let known = &mut bugs[from..];
        let most = known.iter().map(|bug| bug.last.record.tokens).max();
        if let Some(most) = most.filter(|_| is_reduced) {
            let mut plan = JobPlan::new(shared, member, JobKind::AnyLine, None)?;
            plan.until_tokens = Some(2 * most + 8);
            let coarse = plan.run(shared, jobs)?;
            let shape = &coarse.record.shape;
            let is_known = |bug: &&mut FoundBug<'_>| shape.contains(&bug.last.record.shape);
            if coarse.record.error.is_none()
                && let Some(bug) = known.iter_mut().find(is_known)
            {
                bug.jobs.push(coarse);
                bug.variants[0].members.push(member.clone());
                continue;
            }
        }
        let new = of_variant(shared, &alone, jobs)?;
        let shape = new.last.record.shape.clone();
        let is_same = |bug: &&mut FoundBug<'_>| {
            let known = &bug.last.record.shape;
            let is_like = shape.contains(known) || known.contains(&shape);
            !is_reduced || new.last.record.error.is_none() && is_like
        };
        match known.iter_mut().find(is_same) {
            Some(bug) => {
                bug.jobs.extend(new.jobs);
                bug.variants[0].members.push(member.clone());
            }
            None => bugs.push(new),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use minirepro_runner::Digest;

    use super::*;

    #[test]
    fn a_family_has_one_message_and_one_innermost_function() {
        let input = |name: &str, bytes| Input {
            digest: Digest::of(name.as_bytes()),
            paths: vec![PathBuf::from(name)],
            bytes,
            is_found: name.starts_with("found"),
        };
        let signature = |message: &str, frames: &[&str], place: &str| Signature {
            kind: "crash".to_owned(),
            message: message.to_owned(),
            frames: frames.iter().map(ToString::to_string).collect(),
            place: Some(place.to_owned()),
            end: "SIGSEGV".to_owned(),
            crash: true,
        };
        let all = [
            (input("a", 9), signature("no 'x'", &["f", "g"], "a.c:1")),
            (input("b", 5), signature("no 'y'", &["f", "h"], "a.c:1")),
            (input("c", 7), signature("no 'y'", &["f", "h"], "a.c:1")),
            (input("found", 1), signature("no 'x'", &["f", "g"], "a.c:1")),
            (input("d", 9), signature("no 'x'", &["g"], "a.c:1")),
        ];
        let failing = all.iter().map(|(input, signature)| Failing {
            input,
            signature: signature.clone(),
            repeat: 1,
        });
        let families = families(failing);
        let names = |family: &Family<'_>| -> Vec<Vec<String>> {
            let names = |variant: &Variant<'_>| {
                let paths =
                    variant.members.iter().map(|one| one.input.paths[0].display().to_string());
                paths.collect()
            };
            family.iter().map(names).collect()
        };
        let all: Vec<_> = families.iter().map(names).collect();
        assert_eq!(all, [vec![vec!["b", "c"], vec!["a", "found"]], vec![vec!["d"]]]);
    }
}
