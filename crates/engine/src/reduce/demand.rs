//! Searches for what a text cannot do without by asking an informant, a tool that reads candidates
//! and says what it misses.
//!
//! A question begins with few items, and those come back whose names the messages about it mention,
//! until no message adds one. What a message about one item demands counts as needed by that item
//! from then on. So the graph of needs, which binary reduction (Kalhauge & Palsberg, ESEC/FSE 2019)
//! takes for known, is learnt from who knows it.
//!
//! Where a compiler tells what nothing in the text refers to (a survey), the search begins with all
//! else, and what is added or complains is little.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use minirepro_passes::{Item, Proposal, Supplied};
use minirepro_search::{Configuration, Outcome};
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

/// Names in the messages about the whole text that more items supply say nothing.
const MOST_BLAMED: usize = 8;

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
    is_survey: bool,
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
    needs: Vec<Vec<u32>>,
    supplied: Supplied,
    spans: Vec<Range<usize>>,
}

/// What a message says is missing.
struct Missing {
    /// Whether it says where.
    has_place: bool,
    /// The item in which that is.
    holder: Option<u32>,
    /// What is not in the question and could be meant.
    items: Vec<u32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// The analyser is asked what in the whole text nothing refers to.
    Survey,
    /// The informant is asked about the whole text: what the failure's own report names comes
    /// first.
    Blame,
    /// It is asked what the question misses.
    Listen {
        left: u32,
    },
    /// The oracle is asked.
    Test,
    Over,
}

impl DemandSearch {
    /// Begins with hardly anything; a survey with all but what nothing refers to.
    pub(crate) fn new(proposal: &Proposal, tree: &Tree, is_survey: bool) -> Self {
        let span = |item: &Item| {
            let nodes = item.edits.iter().map(|(id, _)| tree.span(id));
            nodes.max_by_key(Range::len).unwrap_or(0..0)
        };
        let known = Known {
            weights: proposal.items.iter().map(|item| item.weight).collect(),
            needs: proposal.needs.clone(),
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
            order: Arc::default(),
            low: None,
            high: count,
            kept: Configuration::all(count),
            is_survey,
            known_places: BTreeSet::new(),
            complainers: Configuration::none(count),
            middle: 0,
            asked: Configuration::all(count),
            stage: if is_survey { Stage::Survey } else { Stage::Blame },
            is_heard: false,
            in_vain: 0,
            vain_tests: 0,
            weight_then: u64::MAX,
            rounds_left: ROUNDS_IN_VAIN,
            known: Arc::new(known),
        }
    }

    /// Returns whether it began with a survey.
    pub(crate) fn is_survey(&self) -> bool {
        self.is_survey
    }

    /// Returns who is asked next; `None` for the oracle.
    pub(crate) fn listens_to(&self) -> Option<Whom> {
        match self.stage {
            Stage::Survey => Some(Whom::Analyser),
            Stage::Blame | Stage::Listen { .. } => Some(Whom::Informant),
            Stage::Test | Stage::Over => None,
        }
    }

    /// Returns whether that question is about the text as it is.
    pub(crate) fn is_about_whole_text(&self) -> bool {
        matches!(self.stage, Stage::Survey | Stage::Blame)
    }

    /// Returns the items of the next question; `None` when the search is over.
    pub(crate) fn ask(&self) -> Option<Configuration> {
        (self.stage != Stage::Over).then(|| self.asked.clone())
    }

    pub(crate) fn kept(&self) -> &Configuration {
        &self.kept
    }

    /// Takes what was said about the candidate. Returns `false`, and the search is over, if that is
    /// no answer.
    pub(crate) fn hear(&mut self, said: &Said, candidate: &Rendered) -> bool {
        let text = &candidate.text;
        match (self.stage, said) {
            (Stage::Survey, Said::Unreferenced(found)) => self.hear_unreferenced(found, text),
            (Stage::Blame, Said::Messages(messages)) if self.is_survey => {
                let lines = Lines::of(text);
                let places = messages.iter().filter_map(|message| lines.offset(message.place?));
                self.known_places = places.collect();
                self.begin(0);
            }
            (Stage::Blame, Said::Messages(messages)) => self.begin_with(messages, text),
            (Stage::Listen { left }, Said::Messages(messages)) => {
                self.listen(left, messages, candidate);
            }
            _ => {
                self.stage = Stage::Over;
                return false;
            }
        }
        true
    }

    fn listen(&mut self, left: u32, messages: &[Message], candidate: &Rendered) {
        self.in_vain += 1;
        if self.in_vain > MOST_IN_VAIN {
            self.stage = Stage::Over;
            return;
        }
        let was_tested = std::mem::replace(&mut self.is_heard, true);
        if self.add_missing(messages, &candidate.text, &candidate.copied) {
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
    fn hear_unreferenced(&mut self, unreferenced: &[Unreferenced], text: &[u8]) {
        let least = self.weight(&self.kept) / LITTLE;
        let lines = Lines::of(text);
        let declarations: Vec<Unreferenced> =
            unreferenced.iter().copied().filter(|found| !found.is_body).collect();
        let of_all = [declarations, unreferenced.to_vec()].into_iter().find_map(|found| {
            let items = self.unreferenced_items(&found, &lines);
            let inside = self.content(&items).into_iter().map(|(item, _)| item as usize);
            let inside = Configuration::of(self.known.weights.len(), inside);
            (self.weight(&items.plus(&inside)) > least).then_some(items)
        });
        let Some(items) = of_all else {
            self.stage = Stage::Over;
            return;
        };
        let gone = self.with_content(&items);
        self.required = self.kept.minus(&gone);
        self.order = Arc::new(gone.iter().filter_map(|item| u32::try_from(item).ok()).collect());
        self.high = self.order.len();
        self.stage = Stage::Blame;
    }

    /// Returns the items that are declarations, or bodies of functions, that nothing refers to.
    fn unreferenced_items(
        &self,
        unreferenced: &[Unreferenced],
        lines: &Lines<'_>,
    ) -> Configuration {
        let mut items = Configuration::none(self.known.weights.len());
        for &Unreferenced { place, is_body } in unreferenced {
            let Some(at) = lines.offset(place) else { continue };
            let Some(declaration) = self.holder(at, &self.kept) else { continue };
            if !is_body {
                items.insert(declaration as usize);
                continue;
            }
            let [_, bodies, ..] = self.suppliers(token(lines.text, at));
            let is_own = |body: u32| self.around(body).any(|outer| outer == declaration);
            bodies.iter().filter(|&&body| is_own(body)).for_each(|&b| items.insert(b as usize));
        }
        items
    }

    /// Returns items with all that stands in them, and learns that this comes back with them.
    fn with_content(&mut self, items: &Configuration) -> Configuration {
        let mut all = items.clone();
        for (item, outer) in self.content(items) {
            Arc::make_mut(&mut self.learnt)[outer as usize].insert(item);
            all.insert(item as usize);
        }
        all
    }

    /// Returns what else stands in items, each with the one around it.
    fn content(&self, items: &Configuration) -> Vec<(u32, u32)> {
        let count = u32::try_from(self.known.weights.len()).unwrap_or(u32::MAX);
        let others = (0..count).filter(|&item| !items.contains(item as usize));
        let outer = |item| self.around(item).find(|&outer| items.contains(outer as usize));
        others.filter_map(|item| Some((item, outer(item)?))).collect()
    }

    pub(crate) fn tell(&mut self, outcome: Outcome) {
        if outcome == Outcome::Fail {
            self.in_vain = 0;
            self.kept = self.asked.clone();
            self.high = self.middle;
            self.next();
        } else if self.is_heard {
            self.vain_tests += 1;
            if self.is_survey && self.vain_tests == SURVEY_IN_VAIN {
                self.stage = Stage::Over;
                return;
            }
            self.refuse();
        } else {
            // Something may be missing of which nothing was heard before.
            self.is_heard = true;
            self.stage = Stage::Listen { left: MOST_CONSULTATIONS };
        }
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
            let Some(last) = self.high.checked_sub(1) else {
                self.stage = Stage::Over;
                return;
            };
            let weight = self.weight(&self.kept);
            let is_little = weight + self.weight_then / LITTLE > self.weight_then;
            self.rounds_left = if is_little { self.rounds_left - 1 } else { ROUNDS_IN_VAIN };
            self.weight_then = weight;
            if self.rounds_left == 0 {
                self.stage = Stage::Over;
                return;
            }
            let mut required = std::mem::replace(&mut self.required, Configuration::none(0));
            let newest = self.order[last];
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

    /// Orders the items by what the failure's own report says, and begins with what it names.
    fn begin_with(&mut self, messages: &[Message], text: &[u8]) {
        let mut blamed = BTreeSet::new();
        let lines = Lines::of(text);
        for message in messages {
            let holder = message.place.and_then(|place| lines.offset(place));
            blamed.extend(holder.and_then(|at| self.holder(at, &self.kept)));
            for word in message.quoted.iter().chain(&message.others) {
                let [declaring, bodies, ..] = self.suppliers(word.as_bytes());
                let all = declaring.iter().chain(bodies).copied();
                let all = all.filter(|&item| !self.known.supplied.is_local[item as usize]);
                let all: Vec<u32> = all.collect();
                if all.len() <= MOST_BLAMED {
                    blamed.extend(all);
                }
            }
        }
        // After it comes what stands in it, then all other items, last first.
        let rank = |&item: &u32| match blamed.contains(&item) {
            true => 0,
            false if self.around(item).any(|outer| blamed.contains(&outer)) => 1,
            false => 2,
        };
        let count = u32::try_from(self.known.weights.len()).unwrap_or(u32::MAX);
        let mut order: Vec<u32> = (0..count).collect();
        order.sort_by_key(rank);
        self.order = Arc::new(order);
        self.low = blamed.len().checked_sub(1);
        self.begin(blamed.len());
    }

    /// Returns the items around one, innermost first.
    fn around(&self, item: u32) -> impl Iterator<Item = u32> + '_ {
        let outer = |&item: &u32| self.known.supplied.outer[item as usize];
        std::iter::successors(outer(&item), outer)
    }

    /// Adds the items that supply what messages say is missing; in a survey, takes away those about
    /// which there is a message that nothing can be added for. Returns whether anything changed.
    fn add_missing(&mut self, messages: &[Message], text: &[u8], copied: &[Copied]) -> bool {
        let before = self.asked.clone();
        let lines = Lines::of(text);
        let found = messages.iter().filter_map(|message| self.missed(message, &lines, copied));
        let found: Vec<Missing> = found.collect();
        let mut complainers = Vec::new();
        for Missing { has_place, holder, items } in found {
            if let Some(holder) = holder.filter(|_| items.is_empty() && self.is_survey) {
                complainers.push(holder);
            }
            for item in items {
                match holder {
                    Some(holder) => {
                        Arc::make_mut(&mut self.learnt)[holder as usize].insert(item);
                    }
                    // Text that is no item needs it.
                    None if has_place => self.required.insert(item as usize),
                    None => {}
                }
                self.asked.insert(item as usize);
            }
        }
        // Who complains again after it came back cannot go.
        complainers.retain(|&item| !self.complainers.contains(item as usize));
        complainers.iter().for_each(|&item| self.complainers.insert(item as usize));
        let mut asked = std::mem::replace(&mut self.asked, Configuration::none(0));
        self.close(&mut asked);
        if !complainers.is_empty() {
            let complainers = complainers.iter().map(|&item| item as usize);
            let gone = Configuration::of(self.known.weights.len(), complainers);
            let gone = self.with_content(&gone);
            self.required = self.required.minus(&gone);
            asked = asked.minus(&gone);
            self.close(&mut asked);
        }
        self.asked = asked;
        self.asked != before
    }

    /// Returns what a message says is missing; `None` if the whole text has one there as well.
    fn missed(&self, message: &Message, lines: &Lines<'_>, copied: &[Copied]) -> Option<Missing> {
        let at = message.place.and_then(|place| lines.offset(place));
        let place = at.and_then(|at| original(copied, at));
        if place.is_some_and(|place| self.known_places.contains(&place)) {
            return None;
        }
        let holder = place.and_then(|at| self.holder(at, &self.asked));
        // What is quoted says it best, then the place, then all other words.
        let words = |words: &[String]| -> Vec<Vec<u8>> {
            words.iter().map(|word| word.as_bytes().to_vec()).collect()
        };
        let (quoted, others) = (words(&message.quoted), words(&message.others));
        let here: Vec<Vec<u8>> = at.map(|at| token(lines.text, at).to_vec()).into_iter().collect();
        let ways = [
            (&quoted, NAMED),
            (&here, NAMED),
            (&quoted, NAMELESS),
            (&others, NAMED),
            (&others, NAMELESS),
        ];
        let missing = ways.into_iter().find_map(|(words, degrees)| {
            let of_word = |word: &Vec<u8>| self.missing(word, degrees.clone(), holder);
            let missing: Vec<u32> = words.iter().flat_map(of_word).collect();
            (!missing.is_empty()).then_some(missing)
        });
        Some(Missing { has_place: at.is_some(), holder, items: missing.unwrap_or_default() })
    }

    /// Returns the items that say what a word means at a place and are not in the question: those
    /// that declare it, else those with the bodies, else those that mention it first.
    fn missing(&self, word: &[u8], degrees: Range<usize>, place: Option<u32>) -> Vec<u32> {
        for items in &self.suppliers(word)[degrees] {
            let new = || items.iter().copied().filter(|&item| !self.asked.contains(item as usize));
            let outer = |item: u32| self.known.supplied.outer[item as usize];
            let is_around = |outer: u32| {
                place.is_some_and(|place| {
                    place == outer || self.around(place).any(|around| around == outer)
                })
            };
            let visible: Vec<u32> = new().filter(|&i| outer(i).is_none_or(is_around)).collect();
            let is_there = |outer: u32| self.asked.contains(outer as usize);
            let members = || new().filter(|&i| !self.known.supplied.is_local[i as usize]);
            let of_known = members().filter(|&i| outer(i).is_some_and(is_there));
            let all = [visible, of_known.collect(), members().collect()];
            if let Some(found) = all.into_iter().find(|found: &Vec<u32>| !found.is_empty()) {
                return found;
            }
        }
        Vec::new()
    }

    fn suppliers(&self, word: &[u8]) -> &[Vec<u32>; 4] {
        const NONE: &[Vec<u32>; 4] = &[const { Vec::new() }; 4];
        self.known.supplied.by_name.get(word).unwrap_or(NONE)
    }

    /// Returns the innermost item of these in which a byte of the text stands.
    fn holder(&self, at: usize, among: &Configuration) -> Option<u32> {
        let spans = self.known.spans.iter().enumerate();
        let around = spans.filter(|(item, span)| span.contains(&at) && among.contains(*item));
        let innermost = around.min_by_key(|(_, span)| span.len())?;
        u32::try_from(innermost.0).ok()
    }

    /// Adds what the items need, as far as it is known.
    fn close(&self, items: &mut Configuration) {
        let mut open: Vec<usize> = items.iter().collect();
        while let Some(item) = open.pop() {
            let known = self.known.needs.get(item).into_iter().flatten();
            for &need in known.chain(&self.learnt[item]) {
                if !items.contains(need as usize) {
                    items.insert(need as usize);
                    open.push(need as usize);
                }
            }
        }
    }

    fn weight(&self, items: &Configuration) -> u64 {
        items.iter().map(|item| u64::from(self.known.weights[item])).sum()
    }
}

/// A text with the places where its lines begin.
struct Lines<'t> {
    text: &'t [u8],
    begins: Vec<usize>,
}

impl<'t> Lines<'t> {
    /// Linear in the text.
    fn of(text: &'t [u8]) -> Self {
        let ends = text.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
        let begins = std::iter::once(0).chain(ends.map(|(at, _)| at + 1)).collect();
        Self { text, begins }
    }

    /// Returns where a line and a column begin, both counted from 1; a column of 0 is the line's
    /// first word.
    fn offset(&self, (line, column): (u32, u32)) -> Option<usize> {
        let number = (line as usize).checked_sub(1)?;
        let begin = *self.begins.get(number)?;
        let end = self.begins.get(number + 1).copied().unwrap_or(self.text.len());
        let line = &self.text[begin..end];
        let column = match column {
            0 => line.iter().position(|byte| !byte.is_ascii_whitespace()).unwrap_or(0),
            column => column as usize - 1,
        };
        (column < line.len()).then_some(begin + column)
    }
}

/// Returns where a byte of a candidate stood in the text that the candidate was made of.
fn original(copied: &[Copied], at: usize) -> Option<usize> {
    let next = copied.partition_point(|part| part.to <= at);
    let part = &copied[next.checked_sub(1)?];
    let there = part.from.start + (at - part.to);
    (there < part.from.end).then_some(there)
}

/// Returns the word or sign that begins at a byte.
fn token(text: &[u8], at: usize) -> &[u8] {
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_' || *byte >= 0x80;
    let is_sign = |byte: &u8| byte.is_ascii_punctuation() && !b"()[]{};,_".contains(byte);
    let rest = &text[at..];
    let word = rest.iter().take_while(|byte| is_word(byte)).count();
    let sign = rest.iter().take_while(|byte| is_sign(byte)).count();
    &rest[..word.max(sign)]
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
        let known = Known {
            weights: vec![9; 4],
            needs: vec![Vec::new(); 4],
            supplied,
            spans: spans.collect(),
        };
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
        assert_eq!(search.listens_to(), Some(Whom::Analyser));
        let found = [(1, 5), (3, 5)].map(|place| Unreferenced { place, is_body: false });
        assert!(search.hear(&Said::Unreferenced(found.to_vec()), &whole()));
        assert_eq!(search.listens_to(), Some(Whom::Informant));
        let mut hear = |messages: &[(u32, &[&str])]| {
            let message = |&(line, names): &(u32, &[&str])| Message {
                place: Some((line, 0)),
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
