//! Each machine asks what the plain loop of its paper asks, in the same order.

use crate::common::{draw, run};
use minirepro_search::{Configuration, Dd, Ddmin, Fragments, Outcome, Recursive, Search};
use proptest::prelude::*;

/// What a plain loop asked and what it answered in the end.
struct Log<'a> {
    n: usize,
    oracle: &'a dyn Fn(&Configuration) -> Outcome,
    asked: Vec<Configuration>,
}

impl Log<'_> {
    fn test(&mut self, kept: &[usize]) -> Outcome {
        let question = Configuration::of(self.n, kept.iter().copied());
        let outcome = (self.oracle)(&question);
        self.asked.push(question);
        outcome
    }

    fn fails(&mut self, kept: &[usize]) -> bool {
        self.test(kept) == Outcome::Fail
    }
}

fn minus(all: &[usize], part: &[usize]) -> Vec<usize> {
    all.iter().copied().filter(|c| !part.contains(c)).collect()
}

/// Splits as in example 5.5 of *Why Programs Fail*, with its floating point.
fn split(all: &[usize], n: usize) -> Vec<Vec<usize>> {
    let mut start = 0;
    let part = |i: usize| {
        let length = ((all.len() - start) as f64 / (n - i) as f64 + 0.5) as usize;
        start += length;
        all[start - length..start].to_vec()
    };
    (0..n).map(part).collect()
}

/// Runs figure 5 of Zeller & Hildebrandt 2002, with the parts of ∇ᵢ those that are left.
fn ddmin(log: &mut Log<'_>, all: &[usize]) -> Vec<usize> {
    fn recur(log: &mut Log<'_>, all: &[usize], parts: &[Vec<usize>]) -> Vec<usize> {
        for part in parts {
            if log.fails(part) {
                return ddmin(log, part);
            }
        }
        for i in 0..if parts.len() > 2 { parts.len() } else { 0 } {
            let rest = minus(all, &parts[i]);
            if log.fails(&rest) {
                return recur(log, &rest, &[&parts[..i], &parts[i + 1..]].concat());
            }
        }
        if parts.len() < all.len() {
            return recur(log, all, &split(all, (2 * parts.len()).min(all.len())));
        }
        all.to_vec()
    }
    if all.len() < 2 { all.to_vec() } else { recur(log, all, &split(all, 2)) }
}

/// Runs example 5.4 of *Why Programs Fail*.
fn ddmin_complements(log: &mut Log<'_>, mut all: Vec<usize>) -> Vec<usize> {
    let mut n = 2;
    while all.len() >= 2 {
        let complements = split(&all, n).into_iter().map(|part| minus(&all, &part));
        let failing = complements.collect::<Vec<_>>().into_iter().find(|c| log.fails(c));
        if let Some(complement) = failing {
            all = complement;
            n = (n - 1).max(2);
        } else if n == all.len() {
            break;
        } else {
            n = (n * 2).min(all.len());
        }
    }
    all
}

/// Runs figure 15 of Zeller & Hildebrandt 2002, each outcome used at once.
fn dd(
    log: &mut Log<'_>,
    passing: Vec<usize>,
    failing: Vec<usize>,
    n: usize,
) -> (Vec<usize>, Vec<usize>) {
    let difference = minus(&failing, &passing);
    if difference.len() < 2 {
        return (passing, failing);
    }
    let n = n.min(difference.len());
    let parts = split(&difference, n);
    let fewer = (n - 1).max(2);
    for part in &parts {
        let more = [&passing[..], part].concat();
        match log.test(&more) {
            Outcome::Fail => return dd(log, passing, more, 2),
            Outcome::Pass => return dd(log, more, failing, fewer),
            Outcome::Unresolved => {}
        }
    }
    for part in parts.iter().filter(|_| n > 2) {
        let less = minus(&failing, part);
        match log.test(&less) {
            Outcome::Pass => return dd(log, less, failing, 2),
            Outcome::Fail => return dd(log, passing, less, fewer),
            Outcome::Unresolved => {}
        }
    }
    if n < difference.len() { dd(log, passing, failing, 2 * n) } else { (passing, failing) }
}

/// Returns the recursion of seed 003; `beside` is what stays with the part.
fn recursive(log: &mut Log<'_>, part: &[usize], beside: &[usize]) -> Vec<usize> {
    if part.len() < 2 {
        return part.to_vec();
    }
    let (first, second) = part.split_at(part.len() / 2);
    if log.fails(&[first, beside].concat()) {
        return recursive(log, first, beside);
    }
    if log.fails(&[second, beside].concat()) {
        return recursive(log, second, beside);
    }
    let first = recursive(log, first, &[second, beside].concat());
    let second = recursive(log, second, &[&first[..], beside].concat());
    [first, second].concat()
}

/// Returns the loops of seed 003.
fn fragments(log: &mut Log<'_>, mut all: Vec<usize>) -> Vec<usize> {
    let mut length = all.len() / 2;
    while length >= 1 {
        let mut checked = Vec::new();
        for at in (0..all.len()).step_by(length) {
            let end = all.len().min(at + length);
            if !log.fails(&[&checked[..], &all[end..]].concat()) {
                checked.extend(&all[at..end]);
            }
        }
        all = checked;
        length /= 2;
    }
    all
}

/// Runs both on the oracle and compares questions and result.
fn check(
    n: usize,
    oracle: &dyn Fn(&Configuration) -> Outcome,
    mut machine: impl Search,
    plain: impl Fn(&mut Log<'_>, Vec<usize>) -> Vec<usize>,
) -> Result<(), TestCaseError> {
    let mut log = Log { n, oracle, asked: Vec::new() };
    let result = plain(&mut log, (0..n).collect());
    let asked: Vec<_> = run(&mut machine, oracle).into_iter().map(|(q, _)| q).collect();
    prop_assert_eq!(asked, log.asked);
    prop_assert_eq!(machine.kept(), &Configuration::of(n, result));
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn machines_are_the_loops(n in 0usize..20, seed: u64, failing in prop_oneof![Just(5u64), Just(40), Just(90)]) {
        let oracle = |kept: &Configuration| {
            match draw(kept, seed) % 100 {
                draw if draw < failing => Outcome::Fail,
                draw if draw % 3 == 0 => Outcome::Pass,
                _ => Outcome::Unresolved,
            }
        };
        check(n, &oracle, Ddmin::new(n), |log, all| ddmin(log, &all))?;
        check(n, &oracle, Ddmin::of_the_book(n), ddmin_complements)?;
        check(n, &oracle, Recursive::new(n), |log, all| recursive(log, &all, &[]))?;
        check(n, &oracle, Fragments::new(n), fragments)?;

        let mut log = Log { n, oracle: &oracle, asked: Vec::new() };
        let (passing, failing) = dd(&mut log, vec![], (0..n).collect(), 2);
        let mut machine = Dd::new(n);
        let asked: Vec<_> = run(&mut machine, &oracle).into_iter().map(|(q, _)| q).collect();
        prop_assert_eq!(asked, log.asked);
        prop_assert_eq!(machine.passing(), &Configuration::of(n, passing));
        prop_assert_eq!(machine.kept(), &Configuration::of(n, failing));
        prop_assert!(machine.ask().is_none());
    }
}
