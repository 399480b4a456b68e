//! Searches for what a text cannot do without by asking an informant, a tool that reads candidates
//! and says what it misses.
//!
//! The search begins with nothing, or where a compiler tells what nothing in the text refers to (a
//! survey) with all else. Items come back whose names the messages about a question mention, until
//! no message adds one. What a message about one item demands counts as needed by that item from
//! then on. So the graph of needs, which binary reduction (Kalhauge & Palsberg, ESEC/FSE 2019)
//! takes for known, is learnt from who knows it.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use minirepro_passes::{Item, Proposal, Supplied};
use minirepro_search::{Configuration, Outcome, Search};
use minirepro_syntax::{Copied, Rendered, Tree};

use crate::{Message, Said, Unreferenced, Whom};

/// The consultations about one question. Most questions need a handful.
const MOST_CONSULTATIONS: u32 = 64;

/// The search ends after this many consultations without a failing question: it took 582 of them
/// and 60 tests for nothing in clang16-amdgcn-json, and 38 for most of pocketfft.
const MOST_IN_VAIN: u32 = 96;

/// The degrees in which items supply a name: as one that has it.
const NAMED: Range<usize> = 0..3;

/// As a nameless member of what has it.
const NAMELESS: Range<usize> = 3..4;

/// The search ends when what as many required items had to win was little.
const ROUNDS_IN_VAIN: u32 = 3;

/// A survey ends after this many tests in vain: enough to find one thing that the failure needs
/// although nothing refers to it.
const SURVEY_IN_VAIN: u32 = 12;

/// A smaller share of the weight is little.
const LITTLE: u64 = 16;

/// A search under way.
#[derive(Clone)]
pub(crate) struct DemandSearch {
    known: Arc<Known>,
    /// What each item needs, as far as messages have shown.
    learnt: Arc<Vec<BTreeSet<u32>>>,
    /// Items that are required, with all that they are known to need.
    required: Configuration,
    /// Items of which no message says that they need more than is known.
    settled: Configuration,
    /// The items in the order in which they are added to questions.
    order: Arc<Vec<u32>>,
    /// The length of the longest beginning of the order that did not do.
    low: Option<usize>,
    /// The length of the shortest that did.
    high: usize,
    kept: Configuration,
    /// Whether the search began with nearly everything, so that what is valid stays so with more.
    pub is_survey: bool,
    /// Where the whole text has messages, which say nothing of what is missing in a part of it.
    known_places: BTreeSet<usize>,
    /// Items that went since they complained, and nothing that they miss could come back.
    complainers: Configuration,
    /// The beginning that is asked about, and all that it is known to need.
    middle: usize,
    asked: Configuration,
    stage: Stage,
    /// Whether the informant has nothing to add to the question.
    is_heard: bool,
    /// The consultations since a question failed.
    in_vain: u32,
    /// The tests that did not fail.
    vain_tests: u32,
    /// The weight of what was kept when the last required item was found.
    weight_then: u64,
    rounds_left: u32,
}

/// What is known before the search.
struct Known {
    weights: Vec<u32>,
    supplied: Supplied,
    spans: Vec<Range<usize>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// The analyser is asked what in the whole text nothing refers to.
    Survey,
    /// The informant is asked about the whole text.
    Whole,
    /// It is asked what the question misses.
    Listen {
        left: u32,
    },
    /// The oracle is asked.
    Test,
    Over,
}

impl DemandSearch {
    /// Begins with nothing; a survey with all but what nothing refers to.
    pub(crate) fn new(proposal: &Proposal, tree: &Tree, is_survey: bool) -> Self {
        let span = |item: &Item| {
            let nodes = item.edits.iter().map(|(id, _)| tree.span(id));
            nodes.max_by_key(Range::len).unwrap_or(0..0)
        };
        let known = Known {
            weights: proposal.items.iter().map(|item| item.weight).collect(),
            supplied: proposal.supplied.clone(),
            spans: proposal.items.iter().map(span).collect(),
        };
        Self::of(known, is_survey)
    }

    fn of(known: Known, is_survey: bool) -> Self {
        let count = known.weights.len();
        Self {
            learnt: Arc::new(vec![BTreeSet::new(); count]),
            required: Configuration::none(count),
            settled: Configuration::none(count),
            order: Arc::new((0..number(count)).collect()),
            low: None,
            high: count,
            kept: Configuration::all(count),
            is_survey,
            known_places: BTreeSet::new(),
            complainers: Configuration::none(count),
            middle: 0,
            asked: Configuration::all(count),
            stage: if is_survey { Stage::Survey } else { Stage::Whole },
            is_heard: false,
            in_vain: 0,
            vain_tests: 0,
            weight_then: u64::MAX,
            rounds_left: ROUNDS_IN_VAIN,
            known: Arc::new(known),
        }
    }

    /// Returns who is asked next, and whether that is about the text as it is; `None` for the
    /// oracle.
    pub(crate) fn listens_to(&self) -> Option<(Whom, bool)> {
        match self.stage {
            Stage::Survey => Some((Whom::Analyser, true)),
            Stage::Whole => Some((Whom::Informant, true)),
            Stage::Listen { .. } => Some((Whom::Informant, false)),
            Stage::Test | Stage::Over => None,
        }
    }

    /// Takes what was said about the candidate. Returns `false`, and the search is over, if that is
    /// no answer.
    pub(crate) fn hear(&mut self, said: &Said, candidate: &Rendered) -> bool {
        match (self.stage, said) {
            (Stage::Survey, Said::Unreferenced(found)) => self.hear_unreferenced(found),
            (Stage::Whole, Said::Messages(messages)) => {
                self.known_places = messages.iter().filter_map(|message| message.at).collect();
                self.begin(0);
            }
            (Stage::Listen { left }, Said::Messages(messages)) => {
                self.listen(left, messages, &candidate.copied);
            }
            _ => {
                self.stage = Stage::Over;
                return false;
            }
        }
        true
    }

    fn listen(&mut self, left: u32, said: &[Message], copied: &[Copied]) {
        self.in_vain += 1;
        if self.in_vain > MOST_IN_VAIN {
            self.stage = Stage::Over;
            return;
        }
        let was_tested = std::mem::replace(&mut self.is_heard, true);
        if self.add_missing(said, copied) {
            match self.is_worth_it() {
                true if left > 1 => self.stage = Stage::Listen { left: left - 1 },
                true => self.stage = Stage::Test,
                false => self.refuse(),
            }
            return;
        }
        self.settled = self.settled.plus(&self.asked);
        if self.is_survey {
            self.required = self.asked.clone();
        }
        match was_tested && left == MOST_CONSULTATIONS {
            true => self.refuse(),
            false => self.stage = Stage::Test,
        }
    }

    /// Takes what nothing in the whole text refers to, without which the search begins if it is
    /// much. Where declarations are little, bodies go as well: a mention may need more of them than
    /// a compiler says.
    fn hear_unreferenced(&mut self, unreferenced: &[Unreferenced]) {
        self.stage = Stage::Over;
        let least = self.weight(&self.kept) / LITTLE;
        for bodies in [false, true] {
            let mut gone = Configuration::none(self.known.weights.len());
            for found in unreferenced.iter().filter(|found| bodies || !found.is_body) {
                let Some(declaration) = self.holder(found.at, &self.kept) else { continue };
                if !found.is_body {
                    gone.insert(declaration as usize);
                    continue;
                }
                let is_own = |body: &&u32| self.around(**body).any(|outer| outer == declaration);
                let own = self.suppliers(&found.name)[1].iter().filter(is_own);
                own.for_each(|&body| gone.insert(body as usize));
            }
            let learnt = Arc::clone(&self.learnt);
            let gone = self.with_content(&gone);
            if self.weight(&gone) > least {
                self.required = self.kept.minus(&gone);
                self.order = Arc::new(gone.iter().map(number).collect());
                self.high = self.order.len();
                self.stage = Stage::Whole;
                return;
            }
            self.learnt = learnt;
        }
    }

    /// Returns items with all that stands in them, and learns that this comes back with them.
    fn with_content(&mut self, items: &Configuration) -> Configuration {
        let mut all = items.clone();
        for item in (0..self.known.weights.len()).filter(|&item| !items.contains(item)) {
            let outer = self.around(number(item)).find(|&outer| items.contains(outer as usize));
            if let Some(outer) = outer {
                Arc::make_mut(&mut self.learnt)[outer as usize].insert(number(item));
                all.insert(item);
            }
        }
        all
    }

    fn refuse(&mut self) {
        self.low = Some(self.middle);
        self.next();
    }

    /// Returns whether the question would take away enough.
    fn is_worth_it(&self) -> bool {
        let kept = self.weight(&self.kept);
        self.weight(&self.asked) + kept / LITTLE / 4 < kept
    }

    /// Goes on with another beginning of the order.
    fn next(&mut self) {
        loop {
            let low = self.low.map_or(0, |low| low + 1);
            if low < self.high {
                // What is needed stands near the beginning, as far as the order knows.
                let middle = low.midpoint(self.high);
                self.begin(if self.is_survey { middle } else { middle.min(low * 4) });
                if self.is_worth_it() {
                    return;
                }
                self.low = Some(self.middle);
                continue;
            }
            let weight = self.weight(&self.kept);
            let is_little = weight + self.weight_then / LITTLE > self.weight_then;
            self.rounds_left = if is_little { self.rounds_left - 1 } else { ROUNDS_IN_VAIN };
            self.weight_then = weight;
            let last = self.high.checked_sub(1).filter(|_| self.rounds_left > 0);
            let Some(newest) = last.map(|last| self.order[last]) else {
                self.stage = Stage::Over;
                return;
            };
            let mut required = std::mem::replace(&mut self.required, Configuration::none(0));
            required.insert(newest as usize);
            self.close(&mut required);
            self.required = required;
            let left = self.order.iter().copied().filter(|&item| {
                self.kept.contains(item as usize) && !self.required.contains(item as usize)
            });
            let mut left: Vec<u32> = left.collect();
            // What is required stands together.
            left.sort_by_key(|&item| item.abs_diff(newest));
            (self.low, self.high) = (None, left.len());
            self.order = Arc::new(left);
        }
    }

    /// Begins to ask about a beginning of the order.
    fn begin(&mut self, middle: usize) {
        self.middle = middle;
        let first = self.order[..self.middle].iter().map(|&item| item as usize);
        let mut asked = Configuration::of(self.known.weights.len(), first).plus(&self.required);
        self.close(&mut asked);
        self.is_heard = false;
        self.stage = match asked.is_subset(&self.settled) {
            true => Stage::Test,
            false => Stage::Listen { left: MOST_CONSULTATIONS },
        };
        self.asked = asked;
    }

    /// Returns the items around one, innermost first.
    fn around(&self, item: u32) -> impl Iterator<Item = u32> + '_ {
        let outer = |&item: &u32| self.known.supplied.outer[item as usize];
        std::iter::successors(outer(&item), outer)
    }

    /// Adds the items that supply what messages say is missing; in a survey, takes away those about
    /// which there is a message that nothing can be added for. Returns whether anything changed.
    fn add_missing(&mut self, said: &[Message], copied: &[Copied]) -> bool {
        let before = self.asked.clone();
        let mut asked = self.asked.clone();
        let mut complainers = Configuration::none(asked.universe());
        for message in said {
            let place = message.at.and_then(|at| original(copied, at));
            if place.is_some_and(|place| self.known_places.contains(&place)) {
                continue;
            }
            let holder = place.and_then(|at| self.holder(at, &before));
            let items = self.missed(message, holder);
            if let Some(holder) = holder.filter(|_| items.is_empty() && self.is_survey) {
                complainers.insert(holder as usize);
            }
            for item in items {
                match holder {
                    Some(holder) => {
                        Arc::make_mut(&mut self.learnt)[holder as usize].insert(item);
                    }
                    // Text that is no item needs it.
                    None if message.at.is_some() => self.required.insert(item as usize),
                    None => {}
                }
                asked.insert(item as usize);
            }
        }
        self.close(&mut asked);
        // Who complains again after it came back cannot go.
        complainers = complainers.minus(&self.complainers);
        if !complainers.is_empty() {
            self.complainers = self.complainers.plus(&complainers);
            let gone = self.with_content(&complainers);
            self.required = self.required.minus(&gone);
            asked = asked.minus(&gone);
            self.close(&mut asked);
        }
        self.asked = asked;
        self.asked != before
    }

    /// Returns the items that supply what a message about `holder` says is missing: what is quoted
    /// says it best, then what stands where it points, then all other words.
    fn missed(&self, message: &Message, holder: Option<u32>) -> Vec<u32> {
        let Message { quoted, here, others, .. } = message;
        let ways = [
            (quoted, NAMED),
            (here, NAMED),
            (quoted, NAMELESS),
            (others, NAMED),
            (others, NAMELESS),
        ];
        let missing = ways.into_iter().map(|(words, degrees)| {
            let of_word = |word: &String| self.missing(word, degrees.clone(), holder);
            words.iter().flat_map(of_word).collect()
        });
        missing.into_iter().find(|all: &Vec<u32>| !all.is_empty()).unwrap_or_default()
    }

    /// Returns the items that say what a word means at a place and are not in the question: those
    /// that declare it, else those with the bodies, else those that mention it first.
    fn missing(&self, word: &str, degrees: Range<usize>, place: Option<u32>) -> Vec<u32> {
        let Supplied { outer, is_local, .. } = &self.known.supplied;
        for items in &self.suppliers(word)[degrees] {
            let new = || items.iter().copied().filter(|&item| !self.asked.contains(item as usize));
            let outer = |item: u32| outer[item as usize];
            let is_around = |outer: u32| {
                place.is_some_and(|place| {
                    place == outer || self.around(place).any(|around| around == outer)
                })
            };
            let is_there = |outer: u32| self.asked.contains(outer as usize);
            let members = || new().filter(|&item| !is_local[item as usize]);
            let all: [Vec<u32>; 3] = [
                new().filter(|&item| outer(item).is_none_or(is_around)).collect(),
                members().filter(|&item| outer(item).is_some_and(is_there)).collect(),
                members().collect(),
            ];
            if let Some(found) = all.into_iter().find(|found| !found.is_empty()) {
                return found;
            }
        }
        Vec::new()
    }

    fn suppliers(&self, word: &str) -> &[Vec<u32>; 4] {
        const NONE: &[Vec<u32>; 4] = &[const { Vec::new() }; 4];
        self.known.supplied.by_name.get(word.as_bytes()).unwrap_or(NONE)
    }

    /// Returns the innermost item of these in which a byte of the text stands.
    fn holder(&self, at: usize, among: &Configuration) -> Option<u32> {
        let spans = self.known.spans.iter().enumerate();
        let around = spans.filter(|(item, span)| span.contains(&at) && among.contains(*item));
        around.min_by_key(|(_, span)| span.len()).map(|(item, _)| number(item))
    }

    /// Adds what the items stand in, and what else they need, as far as it is known.
    fn close(&self, items: &mut Configuration) {
        let outer = &self.known.supplied.outer;
        items.close(|item| outer[item].iter().chain(&self.learnt[item]).map(|&need| need as usize));
    }

    fn weight(&self, items: &Configuration) -> u64 {
        items.iter().map(|item| u64::from(self.known.weights[item])).sum()
    }
}

impl Search for DemandSearch {
    fn ask(&self) -> Option<Configuration> {
        (self.stage != Stage::Over).then(|| self.asked.clone())
    }

    fn tell(&mut self, outcome: Outcome) {
        if outcome == Outcome::Fail {
            self.in_vain = 0;
            self.kept = self.asked.clone();
            self.high = self.middle;
            self.next();
        } else if self.is_heard {
            self.vain_tests += 1;
            match self.is_survey && self.vain_tests == SURVEY_IN_VAIN {
                true => self.stage = Stage::Over,
                false => self.refuse(),
            }
        } else {
            // Something may be missing of which nothing was heard before.
            self.is_heard = true;
            self.stage = Stage::Listen { left: MOST_CONSULTATIONS };
        }
    }

    fn kept(&self) -> &Configuration {
        &self.kept
    }
}

fn number(item: usize) -> u32 {
    u32::try_from(item).expect("trees have fewer nodes")
}

/// Returns where a byte of a candidate stood in the text that the candidate was made of.
fn original(copied: &[Copied], at: usize) -> Option<usize> {
    let next = copied.partition_point(|part| part.to <= at);
    let part = &copied[next.checked_sub(1)?];
    let there = part.from.start + (at - part.to);
    (there < part.from.end).then_some(there)
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use minirepro_syntax::TokenHash;

    use super::*;

    const TEXT: &str = "int a() { return 1; }\nint b() { return a(); }\nint c() { return 2; }\n\
                        int d = sizeof c();\n";

    /// Each line is an item, and supplies the name in it.
    fn survey() -> DemandSearch {
        let mut begin = 0;
        let spans = TEXT.split_inclusive('\n').map(|line| {
            begin += line.len();
            begin - line.len()..begin - 1
        });
        let mut by_name: HashMap<Arc<[u8]>, [Vec<u32>; 4]> = HashMap::new();
        for (item, name) in (0..).zip(["a", "b", "c", "d"]) {
            by_name.entry(name.as_bytes().into()).or_default()[0].push(item);
        }
        let supplied = Supplied { by_name, outer: vec![None; 4], is_local: vec![false; 4] };
        let known = Known { weights: vec![9; 4], supplied, spans: spans.collect() };
        DemandSearch::of(known, true)
    }

    /// Candidates keep their lines here.
    fn whole() -> Rendered {
        let copied = vec![Copied { from: 0..TEXT.len(), to: 0 }];
        Rendered { text: TEXT.as_bytes().into(), tokens: 0, hash: TokenHash::EMPTY, copied }
    }

    fn asked(search: &DemandSearch) -> Vec<usize> {
        search.ask().map(|items| items.iter().collect()).unwrap_or_default()
    }

    #[test]
    fn a_survey_adds_what_is_missed_and_takes_away_what_complains() {
        let mut search = survey();
        assert_eq!(search.listens_to(), Some((Whom::Analyser, true)));
        let names = ["a()", "c()"].map(|name| (TEXT.find(name).unwrap(), name[..1].into()));
        let found = names.map(|(at, name)| Unreferenced { at, name, is_body: false });
        assert!(search.hear(&Said::Unreferenced(found.to_vec()), &whole()));
        assert_eq!(search.listens_to(), Some((Whom::Informant, true)));
        let mut hear = |messages: &[(usize, &[&str])]| {
            let message = |&(line, names): &(usize, &[&str])| Message {
                at: TEXT.split_inclusive('\n').take(line - 1).map(str::len).sum::<usize>().into(),
                quoted: names.iter().map(|&name| name.into()).collect(),
                ..Message::default()
            };
            let messages: Vec<Message> = messages.iter().map(message).collect();
            assert!(search.hear(&Said::Messages(messages), &whole()));
            (search.listens_to().is_some(), asked(&search))
        };
        // What is said of the whole text says nothing of its parts.
        assert_eq!(hear(&[]), (true, vec![1, 3]));
        assert_eq!(hear(&[(2, &["a"]), (4, &[])]), (true, vec![0, 1]));
        assert_eq!(hear(&[]), (false, vec![0, 1]));
        search.tell(Outcome::Fail);
        assert_eq!(search.kept().iter().collect::<Vec<_>>(), [0, 1]);
        let mut nothing = survey();
        assert!(nothing.hear(&Said::Unreferenced(Vec::new()), &whole()));
        assert_eq!((nothing.listens_to(), nothing.ask()), (None, None));
    }
}
