//! Records of a log (events, commands, requests) that can be removed; those that stay keep their
//! order.

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;
use std::sync::Arc;

use minirepro_search::Configuration;
use regex::bytes::Regex;

use crate::circumstances::Circumstances;

/// Words that begin something, and those that end it.
const BEGIN_AND_END: [(&str, &str); 14] = [
    ("keypress", "keyrelease"),
    ("buttonpress", "buttonrelease"),
    ("keydown", "keyup"),
    ("mousedown", "mouseup"),
    ("pointerdown", "pointerup"),
    ("touchstart", "touchend"),
    ("touchbegin", "touchend"),
    ("press", "release"),
    ("acquire", "release"),
    ("lock", "unlock"),
    ("connect", "disconnect"),
    ("open", "close"),
    ("enter", "leave"),
    ("begin", "end"),
];

/// How a log is read.
#[derive(Clone, Debug, Default)]
pub struct Reading {
    /// A line that matches begins a record; without it every line is one.
    pub start: Option<Regex>,
    /// If there are any, only records that match one of these can go.
    pub only: Vec<Regex>,
    /// Records that match one of these stay.
    pub keep: Vec<Regex>,
    /// What begins something and what ends it, with equal captured texts. If there are none, known
    /// words tell (press and release, open and close …).
    pub pairs: Vec<(Regex, Regex)>,
}

/// A log, cut into records.
#[derive(Clone, Debug)]
pub struct Log {
    text: Arc<[u8]>,
    records: Vec<Range<usize>>,
    changeable: Vec<usize>,
    /// Changeable records that belong together.
    pairs: Vec<(usize, usize)>,
}

impl Log {
    /// Reads a log. Near linear for the known words; for patterns as regular expressions are.
    pub fn new(text: Arc<[u8]>, reading: &Reading) -> Self {
        let records = records(&text, reading.start.as_ref());
        let is_any = |patterns: &[Regex], record: &Range<usize>| {
            patterns.iter().any(|pattern| pattern.is_match(&text[record.clone()]))
        };
        let changeable: Vec<usize> = (0..records.len())
            .filter(|&i| reading.only.is_empty() || is_any(&reading.only, &records[i]))
            .filter(|&i| !is_any(&reading.keep, &records[i]))
            .collect();
        let shown = |i: usize| &text[records[i].clone()];
        let pairs = pairs(&changeable, shown, &reading.pairs);
        Self { text: Arc::clone(&text), records, changeable, pairs }
    }

    /// Returns how many records there are, and how many of them can go.
    pub fn counts(&self) -> (usize, usize) {
        (self.records.len(), self.changeable.len())
    }

    /// Returns how many pairs belong together.
    pub fn pairs(&self) -> usize {
        self.pairs.len()
    }

    /// Returns which of these records, which can go, are in a log that holds all that cannot go and
    /// some of them; `None` if there is no such log.
    fn chosen(&self, text: &[u8], among: &[usize]) -> Option<Vec<usize>> {
        // By record: from which offsets of the text the rest can be made of the records that
        // follow.
        let mut reaching: Vec<BTreeSet<usize>> = vec![BTreeSet::from([text.len()])];
        for (i, span) in self.records.iter().enumerate().rev() {
            let record = &self.text[span.clone()];
            let behind = reaching.last()?;
            let must = self.changeable.binary_search(&i).is_err();
            let with = behind.iter().filter(|&&at| text[..at].ends_with(record));
            let mut here: BTreeSet<usize> = if must || among.contains(&i) {
                with.map(|at| at - record.len()).collect()
            } else {
                BTreeSet::new()
            };
            if !must {
                here.extend(behind);
            }
            reaching.push(here);
        }
        reaching.reverse();
        let mut at = 0;
        let mut chosen = Vec::new();
        for (i, span) in self.records.iter().enumerate() {
            if !reaching[i].contains(&at) {
                return None;
            }
            let record = &self.text[span.clone()];
            let must = self.changeable.binary_search(&i).is_err();
            let can_go_on = reaching[i + 1].contains(&(at + record.len()));
            if must {
                at += record.len();
            } else if among.contains(&i) && can_go_on && text[at..].starts_with(record) {
                chosen.push(i);
                at += record.len();
            }
        }
        (at == text.len()).then_some(chosen)
    }

    /// Returns the log without those records that can go, but for `kept`.
    pub fn with(&self, kept: &[usize]) -> Vec<u8> {
        let is_there = |i: &usize| kept.contains(i) || self.changeable.binary_search(i).is_err();
        let there = (0..self.records.len()).filter(is_there);
        there.flat_map(|i| self.text[self.records[i].clone()].iter().copied()).collect()
    }
}

fn records(text: &[u8], start: Option<&Regex>) -> Vec<Range<usize>> {
    let mut records: Vec<Range<usize>> = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive(|&b| b == b'\n') {
        let span = at..at + line.len();
        at = span.end;
        match records.last_mut() {
            Some(last) if start.is_some_and(|pattern| !pattern.is_match(line)) => last.end = at,
            _ => records.push(span),
        }
    }
    records
}

/// Returns what ends something belongs to the last thing of its kind that is still open.
fn pairs<'a>(
    changeable: &[usize],
    text: impl Fn(usize) -> &'a [u8],
    patterns: &[(Regex, Regex)],
) -> Vec<(usize, usize)> {
    let mut open: HashMap<(usize, Vec<u8>), Vec<usize>> = HashMap::new();
    let mut pairs = Vec::new();
    for &i in changeable {
        let record = text(i);
        let (begins, ends) = if patterns.is_empty() {
            (by_words(record, |&(begin, _)| begin), by_words(record, |&(_, end)| end))
        } else {
            let by = |side: fn(&(Regex, Regex)) -> &Regex| by_patterns(record, patterns, side);
            (by(|pair| &pair.0), by(|pair| &pair.1))
        };
        let begun = ends.iter().find_map(|key| open.get_mut(key).and_then(Vec::pop));
        if let Some(begun) = begun {
            pairs.push((begun, i));
            // It may be open under several names.
            open.values_mut().for_each(|all| all.retain(|&other| other != begun));
            continue;
        }
        begins.into_iter().for_each(|key| open.entry(key).or_default().push(i));
    }
    pairs
}

/// Returns the pairs of known words of which one side stands in the record, and what else is in it
/// apart from digits and case.
fn by_words(
    record: &[u8],
    side: impl Fn(&(&'static str, &'static str)) -> &'static str,
) -> Vec<(usize, Vec<u8>)> {
    let lower = record.to_ascii_lowercase();
    let found = BEGIN_AND_END.iter().enumerate().filter_map(|(number, words)| {
        let word = side(words).as_bytes();
        let at = lower.windows(word.len()).position(|w| w == word)?;
        let inside = |i: usize| lower.get(i).is_some_and(u8::is_ascii_alphabetic);
        let inside_a_word = at > 0 && inside(at - 1) || inside(at + word.len());
        let rest = lower[..at].iter().chain(&lower[at + word.len()..]);
        let rest = rest.copied().filter(|b| !b.is_ascii_digit()).collect();
        (!inside_a_word).then_some((number, rest))
    });
    found.collect()
}

fn by_patterns(
    record: &[u8],
    patterns: &[(Regex, Regex)],
    side: fn(&(Regex, Regex)) -> &Regex,
) -> Vec<(usize, Vec<u8>)> {
    let found = patterns.iter().enumerate().filter_map(|(number, pair)| {
        let captures = side(pair).captures(record)?;
        let texts = captures.iter().skip(1).flatten().map(|m| [m.as_bytes(), b"\0"].concat());
        Some((number, texts.collect::<Vec<_>>().concat()))
    });
    found.collect()
}

/// Which records of a log are there: pairs as one at first, then each by itself.
#[derive(Clone)]
pub struct Records {
    log: Arc<Log>,
    /// Records that can go but are there in any case.
    always: Vec<usize>,
    choices: Vec<Vec<usize>>,
    coupled: bool,
}

impl Records {
    /// Returns a choice among all records that can go, apart from `without`.
    pub fn new(log: Arc<Log>, without: &[usize]) -> Self {
        let mut partner: HashMap<usize, usize> = log.pairs.iter().copied().collect();
        let seconds: Vec<usize> = log.pairs.iter().map(|&(_, second)| second).collect();
        let is_left = |i: &usize| !without.contains(i);
        let firsts = log.changeable.iter().filter(|&i| !seconds.contains(i));
        let choices = firsts
            .map(|&i| std::iter::once(i).chain(partner.remove(&i)).filter(is_left).collect())
            .filter(|choice: &Vec<usize>| !choice.is_empty())
            .collect();
        Self { log, always: Vec::new(), choices, coupled: true }
    }

    /// Returns a choice among the records that are in `failing` and not in the log `passing`, each
    /// by itself; `None` if that log is not made of some of these records.
    pub fn between(log: Arc<Log>, passing: &[u8], failing: &[usize]) -> Option<Self> {
        let always = log.chosen(passing, failing)?;
        let open = failing.iter().filter(|record| always.binary_search(record).is_err());
        let choices = open.map(|&record| vec![record]).collect();
        Some(Self { log, always, choices, coupled: false })
    }

    /// Returns all records that can be chosen.
    pub fn all(&self) -> Vec<usize> {
        self.members(&Configuration::all(self.choices.len()))
    }
}

impl Circumstances for Records {
    fn name(&self) -> &'static str {
        if self.coupled && !self.log.pairs.is_empty() { "records and pairs" } else { "records" }
    }

    fn weights(&self) -> Vec<u32> {
        self.choices.iter().map(|choice| u32::try_from(choice.len()).unwrap_or(1)).collect()
    }

    fn candidate(&self, there: &Configuration) -> Option<Vec<u8>> {
        Some(self.log.with(&self.members(there)))
    }

    fn members(&self, there: &Configuration) -> Vec<usize> {
        let mut kept = self.always.clone();
        there.iter().for_each(|i| kept.extend(&self.choices[i]));
        kept.sort_unstable();
        kept
    }

    fn finer(
        &self,
        passing: &Configuration,
        failing: &Configuration,
    ) -> Option<Arc<dyn Circumstances>> {
        let always = self.members(passing);
        let choices: Vec<Vec<usize>> = self
            .members(failing)
            .into_iter()
            .filter(|record| always.binary_search(record).is_err())
            .map(|record| vec![record])
            .collect();
        let split = failing.minus(passing).iter().any(|i| self.choices[i].len() > 1);
        (self.coupled && split)
            .then(|| Arc::new(Self { always, choices, coupled: false, ..self.clone() }) as Arc<_>)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn log(text: &str, reading: &Reading) -> Log {
        Log::new(text.as_bytes().into(), reading)
    }

    #[test]
    fn known_words_pair_what_is_pressed_with_what_is_released() {
        let text = "KeyPress A 1\nButtonPress 1 2\nexpose\nKeyRelease A 3\nButtonRelease 1 4\n";
        assert_eq!(log(text, &Reading::default()).pairs, [(0, 3), (1, 4)]);
        let json = "{\"e\":\"mousedown\",\"t\":1}\n{\"e\":\"mouseup\",\"t\":2}\n";
        assert_eq!(log(json, &Reading::default()).pairs, [(0, 1)]);
        assert_eq!(log("lock a\nlock b\nunlock a\n", &Reading::default()).pairs, [(0, 2)]);
    }

    #[test]
    fn a_shorter_log_is_known_to_be_made_of_some_records() {
        let keep = vec![Regex::new("b").unwrap()];
        let log = log("a\na\nb\na\n", &Reading { keep, ..Reading::default() });
        let chosen = |text: &str| log.chosen(text.as_bytes(), &[0, 1, 3]);
        assert_eq!(chosen("b\na\n"), Some(vec![3]));
        assert_eq!(chosen("a\nb\n"), Some(vec![0]));
        assert_eq!(chosen("b\n"), Some(vec![]));
        assert_eq!(chosen("a\na\n"), None);
        assert_eq!(log.chosen(b"b\na\n", &[0]), None);
    }

    #[test]
    fn patterns_say_what_can_go_and_what_belongs_together() {
        let pattern = |text| Regex::new(text).unwrap();
        let reading = Reading {
            start: Some(pattern("^[a-z]")),
            only: vec![pattern("^(in|out)")],
            keep: vec![pattern("must")],
            pairs: vec![(pattern("^in (\\w)"), pattern("^out (\\w)"))],
        };
        let log = log("head\nin x\n  more\nin y\nout y\nin must\nout x\n", &reading);
        assert_eq!((log.counts(), &log.pairs[..]), ((6, 4), &[(2, 3), (1, 5)][..]));
        assert_eq!(log.with(&[1]), b"head\nin x\n  more\nin must\n");
    }
}
