//! A scripted decider under any number of jobs, any order of answers, budgets and interruptions.

use super::*;

/// Asks a fixed number of questions, each of which depends on all answers before it. Every third
/// question repeats the one before, every fifth is infeasible.
#[derive(Clone)]
struct Script {
    /// A hash of the answers so far.
    state: u64,
    asked: u64,
    questions: u64,
    pending: bool,
    /// The candidate of the last question.
    last: Arc<[u8]>,
}

impl Script {
    fn new(questions: u64) -> Self {
        Self { state: 1, asked: 0, questions, pending: false, last: Arc::from(&b""[..]) }
    }

    fn question(&self) -> Question {
        let key = Key::of_bytes(&self.last);
        Question { pass: "script", candidate: Arc::clone(&self.last), key }
    }
}

/// Mixes the bits by SplitMix64's finalizer.
fn mixed(mut x: u64) -> u64 {
    x = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

/// Lets a third of the candidates fail, and leaves some unresolved.
fn oracle(candidate: &[u8]) -> Outcome {
    let hash = candidate.iter().fold(7, |hash, &byte| mixed(hash ^ u64::from(byte)));
    match hash % 6 {
        0 | 1 => Outcome::Fail,
        2 => Outcome::Unresolved,
        _ => Outcome::Pass,
    }
}

impl Decider for Script {
    fn advance(&mut self, events: &mut Vec<DeciderEvent>) -> Advance {
        if self.pending {
            return Advance::Asks(self.question());
        }
        if self.asked == self.questions {
            return Advance::Done(None);
        }
        self.asked += 1;
        if self.asked.is_multiple_of(5) {
            let (outcome, how) = (Outcome::Unresolved, AnswerSource::Infeasible);
            events.push(DeciderEvent::Untested { pass: "script", outcome, how });
            return Advance::Moved;
        }
        self.pending = true;
        if !self.asked.is_multiple_of(3) {
            self.last = self.state.to_string().into_bytes().into();
        }
        Advance::Moved
    }

    fn tell(&mut self, outcome: Outcome, events: &mut Vec<DeciderEvent>) {
        assert!(self.pending, "a question was asked");
        self.pending = false;
        self.state = mixed(self.state ^ outcome as u64);
        if outcome == Outcome::Fail {
            events.push(DeciderEvent::Other(Event::Adopted { pass: "script" }));
        }
    }
}

fn session(questions: u64, jobs: usize, budget: Budget) -> Scheduler<Script> {
    Scheduler::with(Script::new(questions), Summary::default(), jobs, budget, Answers::default())
}

/// Which of the running tests is answered next.
type Order = fn(&[JobId], u64) -> usize;

const ORDERS: [Order; 3] = [
    |_, _| 0,
    |running, _| running.len() - 1,
    |running, turn| usize::try_from(mixed(turn)).unwrap_or(0) % running.len(),
];

/// What was decided: the answers in their order, and the figures.
#[derive(Debug)]
struct Decided {
    answers: Vec<(Outcome, AnswerSource)>,
    summary: Summary,
    /// How many tests ran at the same time at most.
    most: usize,
    cancelled: usize,
}

/// Runs a session to its end; one test is answered each second, in this order.
fn run(session: &mut Scheduler<Script>, order: Order) -> Decided {
    let mut running: Vec<(JobId, Arc<[u8]>)> = Vec::new();
    let mut decided =
        Decided { answers: Vec::new(), summary: Summary::default(), most: 0, cancelled: 0 };
    for turn in 0.. {
        loop {
            let step = session.poll(Duration::from_secs(turn));
            let cancelled = session.cancelled_jobs();
            decided.cancelled += cancelled.len();
            running.retain(|(id, _)| !cancelled.contains(id));
            match step {
                Step::Consult(_) => unreachable!("there are no proposers"),
                Step::Start { id, candidate } => running.push((id, candidate)),
                Step::Wait => break,
                Step::Done => {
                    assert!(running.is_empty(), "no test outlives its session");
                    let events: Vec<Event> = session.take_events().collect();
                    decided.answers = events.iter().filter_map(answer).collect();
                    decided.summary = session.summary();
                    return decided;
                }
            }
            decided.most = decided.most.max(running.len());
        }
        let ids: Vec<JobId> = running.iter().map(|(id, _)| *id).collect();
        let (id, candidate) = running.remove(order(&ids, turn));
        session.report(id, oracle(&candidate));
        // Any number of steps ahead must change nothing.
        for _ in 0..turn % 4 {
            session.precompute();
        }
    }
    unreachable!("the loop has no end")
}

fn answer(event: &Event) -> Option<(Outcome, AnswerSource)> {
    match event {
        Event::Answered { outcome, how, .. } => Some((*outcome, *how)),
        _ => None,
    }
}

#[test]
fn any_number_of_jobs_and_any_order_of_answers_decide_the_same() {
    let alone = run(&mut session(60, 1, Budget::default()), ORDERS[0]);
    assert_eq!(alone.answers.len(), 60);
    assert_eq!(alone.summary.tests + alone.summary.remembered + alone.summary.infeasible, 60);
    assert!(alone.summary.remembered > 0 && alone.summary.infeasible == 12);
    assert_eq!((alone.most, alone.cancelled), (1, 0));
    for jobs in [2, 3, 8] {
        for order in ORDERS {
            let decided = run(&mut session(60, jobs, Budget::default()), order);
            assert_eq!(decided.answers, alone.answers, "{jobs} jobs");
            assert_eq!(decided.summary.tests, alone.summary.tests, "{jobs} jobs");
            assert!(decided.summary.started >= alone.summary.started);
            assert_eq!(decided.most, jobs, "all workers are busy at times");
        }
    }
}

#[test]
fn only_tests_that_were_run_ahead_are_cancelled() {
    let cancelled = |jobs| run(&mut session(60, jobs, Budget::default()), ORDERS[0]).cancelled;
    assert_eq!(cancelled(1), 0);
    assert!(cancelled(8) > 0);
}

/// Returns whether a decider may come to ask about a candidate, by the answers that are known and
/// as many others.
fn may_ask(
    decider: &Script,
    candidate: &[u8],
    known: &HashMap<Arc<[u8]>, Outcome>,
    others: u32,
) -> bool {
    let mut decider = decider.clone();
    loop {
        match decider.advance(&mut Vec::new()) {
            Advance::Moved => {}
            Advance::Done(_) | Advance::Consults(_) => return false,
            Advance::Asks(question) if *question.candidate == *candidate => return true,
            Advance::Asks(question) => {
                let after = |outcome, others| {
                    let mut next = decider.clone();
                    next.tell(outcome, &mut Vec::new());
                    may_ask(&next, candidate, known, others)
                };
                return match known.get(&question.candidate) {
                    Some(&outcome) => after(outcome, others),
                    None if others == 0 => false,
                    None => [Outcome::Fail, Outcome::Pass]
                        .map(|it| after(it, others - 1))
                        .contains(&true),
                };
            }
        }
    }
}

#[test]
fn no_test_goes_on_whose_guess_is_known_to_be_wrong() {
    // With one kind of refusal it is known at any time which state follows.
    let fails = |candidate: &[u8]| match oracle(candidate) {
        Outcome::Fail => Outcome::Fail,
        _ => Outcome::Pass,
    };
    let jobs = 4;
    for order in ORDERS {
        let mut session = session(30, jobs, Budget::default());
        let mut running: Vec<(JobId, Arc<[u8]>)> = Vec::new();
        let mut known = HashMap::new();
        for turn in 0.. {
            let step = session.poll(Duration::from_secs(turn));
            let cancelled = session.cancelled_jobs();
            running.retain(|(id, _)| !cancelled.contains(id));
            match step {
                Step::Start { id, candidate } => running.push((id, candidate)),
                Step::Done => break,
                Step::Consult(_) => unreachable!("there are no proposers"),
                Step::Wait => {
                    // No guess goes over more questions than there are states to look at.
                    let others = 2 * u32::try_from(jobs).unwrap();
                    for (_, candidate) in &running {
                        assert!(may_ask(session.decider(), candidate, &known, others), "{turn}");
                    }
                    let ids: Vec<JobId> = running.iter().map(|(id, _)| *id).collect();
                    let (id, candidate) = running.remove(order(&ids, turn));
                    let outcome = fails(&candidate);
                    session.report(id, outcome);
                    known.insert(candidate, outcome);
                }
            }
        }
        assert!(known.len() > 15, "{}", known.len());
    }
}

#[test]
fn another_refusal_than_the_guessed_one_ends_no_more_tests() {
    let cancelled = |outcome: Outcome| {
        let mut session = session(60, 6, Budget::default());
        let mut started = Vec::new();
        while let Step::Start { id, .. } = session.poll(Duration::ZERO) {
            started.push(id);
            assert_eq!(session.cancelled_jobs(), []);
        }
        session.report(started[0], outcome);
        session.poll(Duration::ZERO);
        session.cancelled_jobs()
    };
    assert_eq!(cancelled(Outcome::Unresolved), cancelled(Outcome::Pass));
    assert_ne!(cancelled(Outcome::Pass), []);
}

#[test]
fn no_more_tests_run_than_there_are_jobs_where_nobody_ends_any() {
    let mut session = session(60, 5, Budget::default());
    let mut running: Vec<(JobId, Arc<[u8]>)> = Vec::new();
    for turn in 0.. {
        match session.poll(Duration::from_secs(turn)) {
            Step::Start { id, candidate } => running.push((id, candidate)),
            Step::Wait => {
                let (id, candidate) = running.remove(0);
                session.report(id, oracle(&candidate));
            }
            Step::Consult(_) => unreachable!("there are no proposers"),
            Step::Done => break,
        }
        assert!(running.len() <= 5);
    }
}

#[test]
fn a_budget_ends_a_session_at_the_same_test_for_any_number_of_jobs() {
    for jobs in 1..=8 {
        for most in [0, 1, 7, 20] {
            let budget = Budget { max_tests: Some(most), ..Budget::default() };
            let decided = run(&mut session(60, jobs, budget), ORDERS[2]);
            assert_eq!(decided.summary.tests, most, "{jobs} jobs");
            assert_eq!(decided.summary.stopped, Some(StopReason::TestBudget));
        }
    }
    let budget = Budget { max_time: Some(Duration::from_secs(5)), ..Budget::default() };
    let decided = run(&mut session(60, 1, budget), ORDERS[0]);
    assert_eq!(decided.summary.tests, 5);
    assert_eq!(decided.summary.stopped, Some(StopReason::TimeBudget));
}

#[test]
fn a_stop_cancels_all_tests_and_its_first_reason_counts() {
    let mut session = session(60, 4, Budget::default());
    let mut started = Vec::new();
    while let Step::Start { id, .. } = session.poll(Duration::ZERO) {
        started.push(id);
    }
    assert_eq!(started.len(), 4);
    session.stop(StopReason::Interrupted);
    session.stop(StopReason::OracleFailed);
    assert_eq!(session.cancelled_jobs(), started);
    assert!(matches!(session.poll(Duration::ZERO), Step::Done));
    assert_eq!(session.summary().stopped, Some(StopReason::Interrupted));
    let ends = session.take_events().filter(|event| matches!(event, Event::Done));
    assert_eq!(ends.count(), 1);
}

#[test]
fn an_interruption_ends_a_session_between_two_questions() {
    let mut session = session(60, 1, Budget::default());
    session.interrupt_when(|| Some(StopReason::Interrupted));
    assert!(!session.precompute());
    assert!(matches!(session.poll(Duration::ZERO), Step::Done));
    assert_eq!(session.summary().stopped, Some(StopReason::Interrupted));
}

#[test]
fn answers_that_are_known_at_the_start_need_no_test() {
    let first = Script::new(60);
    let mut answers = Answers::default();
    let candidate = first.state.to_string();
    answers.insert(candidate.as_bytes(), oracle(candidate.as_bytes()));
    let mut session = Scheduler::with(first, Summary::default(), 1, Budget::default(), answers);
    let decided = run(&mut session, ORDERS[0]);
    let alone = run(&mut self::session(60, 1, Budget::default()), ORDERS[0]);
    assert_eq!(decided.summary.tests, alone.summary.tests - 1);
    assert_eq!(decided.answers[0].1, AnswerSource::Cached);
}
