//! An agent between two pipes, and workers whose agents are files of recorded answers.

use std::fs;
use std::io::{PipeReader, PipeWriter, Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::Mutex;
use std::thread;
use std::time::Duration;

use minirepro_engine::Outcome;
use minirepro_runner::{
    CancelToken, DescribedTest, Digest, Fingerprint, Limits, Observation, Oracle, OracleError,
    RetryPolicy, Script, TestEnd, Told,
};

use crate::audit::{comes_after_examination, is_sample};
use crate::frame::{Decoder, PREAMBLE};
use crate::message::{Answer, Candidate, End, FromAgent, Hello, PROTOCOL, ToAgent, frame};
use crate::worker::{Reply, Worker, test_frame};
use crate::{Examination, WorkerNews, WorkerPool, serve};

const VERSION: &str = "1.2.3";

/// Makes a test script and an input; returns the description of the test.
fn described(place: &Path, script: &str) -> DescribedTest {
    let (test, input) = (place.join("test.sh"), place.join("a.txt"));
    fs::write(&test, format!("#!/bin/sh\n{script}\n")).unwrap();
    fs::set_permissions(&test, fs::Permissions::from_mode(0o755)).unwrap();
    fs::write(&input, "").unwrap();
    let script = Script::new(&test, &input, None, Limits::new(Duration::from_secs(100))).unwrap();
    let described = script.describe().unwrap();
    // Nothing has to be where it was.
    fs::remove_file(test).unwrap();
    described
}

/// An agent on a thread of this process.
struct Served {
    to: PipeWriter,
    from: PipeReader,
    decoder: Decoder,
}

impl Served {
    fn say(&mut self, message: &ToAgent, body: &[u8]) {
        self.to.write_all(&frame(message, body).unwrap()).unwrap();
    }

    fn candidate(&mut self, id: u64, text: &[u8]) {
        let digest = Digest::of(text);
        self.say(&ToAgent::Candidate(Candidate { id, digest, explain: true }), text);
    }

    /// Returns the next message that is not a heartbeat; `None` at the end.
    fn hear(&mut self) -> Option<FromAgent> {
        let mut chunk = [0; 4096];
        loop {
            while let Some(frame) = self.decoder.next().unwrap() {
                let message = serde_json::from_slice(&frame.message).unwrap();
                if !matches!(message, FromAgent::Alive) {
                    return Some(message);
                }
            }
            match self.from.read(&mut chunk).unwrap() {
                0 => return None,
                length => self.decoder.push(&chunk[..length]),
            }
        }
    }

    fn answer(&mut self) -> (u64, Outcome, TestEnd, String) {
        match self.hear() {
            Some(FromAgent::Answer(answer)) => {
                let seen = answer.observation();
                (answer.id, seen.outcome, seen.ending, answer.output)
            }
            other => panic!("no answer but {other:?}"),
        }
    }
}

/// Runs an agent with this many jobs while `talk` does what a run does. Returns how the agent
/// ended.
fn with_agent(jobs: usize, talk: impl FnOnce(&mut Served)) -> String {
    let (input, to) = std::io::pipe().unwrap();
    let (from, output) = std::io::pipe().unwrap();
    let stop = CancelToken::new().unwrap();
    thread::scope(|scope| {
        let agent = scope.spawn(|| serve(input, output, jobs, VERSION, &stop));
        let mut served = Served { to, from, decoder: Decoder::default() };
        talk(&mut served);
        drop(served);
        agent.join().unwrap().map_or_else(|error| error.to_string(), |()| "in order".to_owned())
    })
}

fn greeted(served: &mut Served, test: &DescribedTest) {
    served.to.write_all(PREAMBLE).unwrap();
    assert!(matches!(served.hear(), Some(FromAgent::Hello(hello)) if hello.minirepro == VERSION));
    served.to.write_all(&test_frame(test).unwrap()).unwrap();
}

#[test]
fn an_agent_answers_as_the_run_itself_would() {
    let place = tempfile::tempdir().unwrap();
    let test = described(place.path(), "echo looked; grep -q two \"$1\" && test \"$1\" = a.txt");
    let ended = with_agent(1, |agent| {
        greeted(agent, &test);
        match agent.hear() {
            Some(FromAgent::Ready { tools }) => assert_eq!(tools, test.tools()),
            other => panic!("{other:?}"),
        }
        agent.candidate(1, b"one two");
        assert_eq!(agent.answer(), (1, Outcome::Fail, TestEnd::Exited(0), String::new()));
        agent.candidate(2, b"one");
        assert_eq!(agent.answer(), (2, Outcome::Pass, TestEnd::Exited(1), "looked\n".into()));
    });
    assert_eq!(ended, "in order");
}

#[test]
fn a_cancelled_test_is_ended_and_the_next_one_runs() {
    let place = tempfile::tempdir().unwrap();
    let test = described(place.path(), "read x; [ $x = hang ] && exec sleep 1000; exit 0");
    let ended = with_agent(1, |agent| {
        greeted(agent, &test);
        assert!(matches!(agent.hear(), Some(FromAgent::Ready { .. })));
        agent.candidate(1, b"hang\n");
        agent.candidate(2, b"go\n");
        agent.say(&ToAgent::Cancel { id: 1 }, b"");
        agent.say(&ToAgent::Cancel { id: 9 }, b"");
        let (id, outcome, end, _) = agent.answer();
        assert_eq!((id, outcome, end), (1, Outcome::Unresolved, TestEnd::Stopped));
        assert_eq!(agent.answer().1, Outcome::Fail);
        // The end of the input ends what runs.
        agent.candidate(3, b"hang\n");
    });
    assert_eq!(ended, "in order");
}

#[test]
fn an_agent_says_what_it_cannot_do() {
    let place = tempfile::tempdir().unwrap();
    let broken = described(place.path(), "exit 127");
    with_agent(2, |agent| {
        greeted(agent, &broken);
        assert!(matches!(agent.hear(), Some(FromAgent::Ready { .. })));
        agent.candidate(1, b"x");
        match agent.hear() {
            Some(FromAgent::Broken(broken)) => assert_eq!((broken.id, broken.code), (1, Some(127))),
            other => panic!("{other:?}"),
        }
    });
    let mut short = described(place.path(), "exit 0");
    short.body.pop();
    with_agent(1, |agent| {
        greeted(agent, &short);
        assert!(matches!(agent.hear(), Some(FromAgent::Unusable { .. })));
    });
}

#[test]
fn an_agent_leaves_whoever_does_not_speak_its_language() {
    let said = |bytes: &[u8]| {
        with_agent(1, |agent| {
            agent.to.write_all(bytes).unwrap();
            assert!(matches!(agent.hear(), Some(FromAgent::Hello(_))));
        })
    };
    assert_eq!(said(b""), "in order");
    assert!(said(b"hello").starts_with("standard input does not come from a run of minirepro"));
    assert_eq!(said(&[PREAMBLE, &[7; 100]].concat()), "what comes from the run is damaged");
    let odd = [PREAMBLE, &frame(&["no", "message"], b"").unwrap()].concat();
    assert_eq!(said(&odd), "in order", "a message of later versions");
    let wrong = Candidate { id: 1, digest: Digest::of(b"x"), explain: false };
    let place = tempfile::tempdir().unwrap();
    let test = described(place.path(), "exit 0");
    let ended = with_agent(1, |agent| {
        greeted(agent, &test);
        agent.hear();
        agent.say(&ToAgent::Candidate(wrong), b"y");
        assert!(agent.hear().is_none());
    });
    assert_eq!(ended, "what comes from the run is damaged");
}

/// What an agent says, recorded in files, which a shell reads out when it has heard enough.
#[derive(Clone)]
struct Recorded<'t> {
    place: &'t Path,
    test: &'t DescribedTest,
    command: String,
}

impl<'t> Recorded<'t> {
    fn new(place: &'t Path, test: &'t DescribedTest, version: &str) -> Self {
        Self::on("here", place, test, version)
    }

    fn on(host: &str, place: &'t Path, test: &'t DescribedTest, version: &str) -> Self {
        let hello = Hello {
            protocol: PROTOCOL,
            minirepro: version.to_owned(),
            jobs: 1,
            host: host.into(),
            system: "linux".into(),
        };
        let new = Self { place, test, command: String::new() };
        new.says_bytes(PREAMBLE).says(&FromAgent::Hello(hello))
    }

    fn says_bytes(mut self, bytes: &[u8]) -> Self {
        let name = format!("said-{}", Digest::of(bytes).as_str());
        let file = self.place.join(name);
        fs::write(&file, bytes).unwrap();
        self.command += &format!("cat {}; ", file.display());
        self
    }

    fn says(self, message: &FromAgent) -> Self {
        self.says_bytes(&frame(message, b"").unwrap())
    }

    fn hears(mut self, bytes: usize) -> Self {
        self.command += &format!("head -c {bytes} > /dev/null; ");
        self
    }

    fn hears_test(self) -> Self {
        let bytes = PREAMBLE.len() + test_frame(self.test).unwrap().len();
        self.hears(bytes)
    }

    fn gets_ready(self, tools: &Fingerprint) -> Self {
        self.hears_test().says(&FromAgent::Ready { tools: tools.clone() })
    }

    fn hears_candidate(self, id: u64, text: &[u8]) -> Self {
        // Only those before the search are to be explained.
        let candidate = Candidate { id, digest: Digest::of(text), explain: id < 3 };
        let bytes = frame(&ToAgent::Candidate(candidate), text).unwrap().len();
        self.hears(bytes)
    }

    fn answers(self, id: u64, text: &[u8], outcome: Outcome, end: End) -> Self {
        let outcome = Told::from(outcome);
        let (failure, output) = (None, "said so\n".to_owned());
        let answer = Answer { id, outcome, end, seconds: 0.5, failure, guards: 0, output };
        self.hears_candidate(id, text).says(&FromAgent::Answer(answer))
    }

    /// Passes the examination.
    fn passes(self) -> Self {
        let tools = self.test.tools();
        self.gets_ready(&tools).answers(1, b"input", Outcome::Fail, End::Exited(0)).answers(
            2,
            b"",
            Outcome::Pass,
            End::Exited(1),
        )
    }

    /// Returns a command that says all this, and then runs another one.
    fn then(&self, command: &str) -> String {
        format!("{}{command}", self.command)
    }
}

/// Reads everything until its input ends, and keeps its output open until then.
const LISTEN: &str = "cat > /dev/null; :";

/// A test that nobody should run here.
struct Never;

impl Oracle for Never {
    fn test(&self, _candidate: &[u8], _stop: &CancelToken) -> Result<Observation, OracleError> {
        panic!("a test for others");
    }
}

fn examination(test: &DescribedTest) -> Examination<'_> {
    Examination {
        test,
        failing: b"input",
        passing: b"",
        retry: RetryPolicy::Repeat(1),
        may_have_other_tools: false,
        patience: Duration::from_secs(100),
    }
}

/// Starts workers and examines them; returns who is refused and why.
fn pool(commands: &[String], test: &DescribedTest, silence: Duration) -> (WorkerPool, Vec<String>) {
    let stop = CancelToken::new().unwrap();
    let pool = WorkerPool::start(commands, 0, VERSION, silence).unwrap();
    let enlisted = pool.examine(&examination(test), &stop).unwrap();
    let refused = enlisted.into_iter().filter_map(|worker| worker.result.err()).collect();
    (pool, refused)
}

const LONG: Duration = Duration::from_secs(100);

#[test]
fn only_workers_that_answer_like_the_run_itself_are_accepted() {
    let place = tempfile::tempdir().unwrap();
    let test = described(place.path(), "exit 0");
    let tools = test.tools();
    let mut others = tools.clone();
    others.insert("cc".to_owned(), "1".to_owned());
    let recorded = |version| Recorded::new(place.path(), &test, version);
    let good = recorded(VERSION).passes();
    let other_tools = recorded(VERSION).gets_ready(&others);
    let ready = recorded(VERSION).gets_ready(&tools);
    let refuses = ready.clone().answers(1, b"input", Outcome::Pass, End::Exited(7));
    let accepts_all = ready.answers(1, b"input", Outcome::Fail, End::Exited(0)).answers(
        2,
        b"",
        Outcome::Fail,
        End::Exited(0),
    );
    let unusable = recorded(VERSION).says(&FromAgent::Unusable { why: "no disk".into() });
    for (command, expected) in [
        (good.then(LISTEN), ""),
        (format!("echo 'Welcome to node 7'; {}", good.then(LISTEN)), ""),
        (
            recorded("9.9.9").then(LISTEN),
            "its minirepro is version 9.9.9 with protocol 1, not 1.2.3 with 1",
        ),
        (other_tools.then(LISTEN), "its tools differ: cc is only there"),
        (
            refuses.then(LISTEN),
            "the unchanged input does not reproduce there: it ended with exit code 7, not with 0\n  \
             | said so",
        ),
        (accepts_all.then(LISTEN), "what should not reproduce does there"),
        (unusable.then(LISTEN), "no disk"),
        (recorded(VERSION).then("head -c 100 /dev/zero"), "what it sent is damaged"),
        ("yes".to_owned(), "it does not speak like an agent of minirepro"),
        (
            "echo 'no such host' >&2; exit 255".to_owned(),
            "it ended with exit code 255: no such host",
        ),
        ("echo 'shared home is full'".to_owned(), "it ended: shared home is full"),
    ] {
        let (pool, refused) = pool(std::slice::from_ref(&command), &test, LONG);
        let expected: &[&str] = if expected.is_empty() { &[] } else { &[expected] };
        assert_eq!(refused, expected, "{command}");
        assert_eq!(pool.jobs(), usize::from(expected.is_empty()));
    }
}

#[test]
fn a_silent_worker_is_lost() {
    let place = tempfile::tempdir().unwrap();
    let test = described(place.path(), "exit 0");
    let mute = Recorded::new(place.path(), &test, VERSION);
    let (_, refused) = pool(&[mute.then(LISTEN)], &test, Duration::from_millis(20));
    assert_eq!(refused, ["it gave no sign of life for 0.02 s"]);
}

#[test]
fn what_a_lost_worker_was_asked_is_asked_elsewhere_and_never_answered_by_the_loss() {
    let place = tempfile::tempdir().unwrap();
    let test = described(place.path(), "exit 0");
    let good = Recorded::new(place.path(), &test, VERSION).passes();
    let dies = good.clone().hears_candidate(3, b"x").then("exit");
    // Its agent was told to end, and says of its test that it was stopped.
    let ends = good.clone().answers(3, b"x", Outcome::Unresolved, End::Stopped).then(LISTEN);
    let answers = good.answers(3, b"x", Outcome::Pass, End::Exited(1)).then(LISTEN);
    let stop = CancelToken::new().unwrap();

    let (one_stays, refused) = pool(&[answers, ends.clone(), dies.clone()], &test, LONG);
    assert_eq!((refused, one_stays.jobs()), (Vec::new(), 3));
    let tested = one_stays.test(b"x", &Never, &stop).unwrap();
    assert_eq!((tested.seen.outcome, tested.seen.ending), (Outcome::Pass, TestEnd::Exited(1)));
    let lost: Vec<String> = losses(&one_stays.take_news());
    assert_eq!(lost, ["it ended", "its agent was told to end"]);

    // Whoever is started again is lost again.
    let (two, _) = pool(&[dies.clone(), ends.clone()], &test, LONG);
    let error = two.test(b"x", &Never, &stop).unwrap_err().to_string();
    assert!(error.starts_with("3 workers were lost one after the other"), "{error}");
    let (four, _) = pool(&[dies.clone(), dies.clone(), dies.clone(), ends], &test, LONG);
    let error = four.test(b"x", &Never, &stop).unwrap_err().to_string();
    assert!(error.starts_with("3 workers were lost one after the other"), "{error}");
    stop.set();
    let stopped = four.test(b"x", &Never, &stop).unwrap();
    assert_eq!(stopped.seen.ending, TestEnd::Stopped);
}

fn losses(news: &[WorkerNews]) -> Vec<String> {
    let lost = |news: &WorkerNews| match news {
        WorkerNews::Lost(lost) => Some(lost.why.clone()),
        WorkerNews::Returned(_) => None,
    };
    news.iter().filter_map(lost).collect()
}

#[test]
fn the_command_of_a_lost_worker_is_started_again_and_examined_again() {
    let place = tempfile::tempdir().unwrap();
    let test = described(place.path(), "exit 0");
    let good = Recorded::new(place.path(), &test, VERSION).passes();
    let dies = good.clone().hears_candidate(3, b"x").then("exit");
    let answers = good.answers(3, b"x", Outcome::Pass, End::Exited(1)).then(LISTEN);
    let stop = CancelToken::new().unwrap();
    let first = place.path().join("first");
    let second = |then: &str| {
        format!("if mkdir {} 2> /dev/null; then {dies}; else {then}; fi", first.display())
    };

    let (fleet_of_one, refused) = pool(&[second(&answers)], &test, LONG);
    assert!(refused.is_empty());
    let tested = fleet_of_one.test(b"x", &Never, &stop).unwrap();
    assert_eq!(tested.seen.outcome, Outcome::Pass);
    let news = fleet_of_one.take_news();
    assert_eq!(losses(&news), ["it ended"]);
    assert_eq!(news[1..], [WorkerNews::Returned(second(&answers))]);

    // One that does not pass is not asked.
    fs::remove_dir(&first).unwrap();
    let (fleet_of_one, _) = pool(&[second("echo no more; exit 3")], &test, LONG);
    let error = fleet_of_one.test(b"x", &Never, &stop).unwrap_err().to_string();
    assert!(error.starts_with("no worker is left"), "{error}");
}

/// The test as this machine runs it, with the candidates that it was asked about.
struct Here(Outcome, Mutex<u32>);

impl Here {
    fn says(outcome: Outcome) -> Self {
        Self(outcome, Mutex::default())
    }

    fn asked(&self) -> u32 {
        *self.1.lock().unwrap()
    }
}

impl Oracle for Here {
    fn test(&self, _candidate: &[u8], _stop: &CancelToken) -> Result<Observation, OracleError> {
        *self.1.lock().unwrap() += 1;
        let ending = TestEnd::Exited(if self.0 == Outcome::Fail { 0 } else { 1 });
        Ok(Observation { outcome: self.0, ending, time: Duration::ZERO })
    }
}

/// Returns a text for which this holds.
fn candidate(holds: impl Fn(&[u8]) -> bool) -> Vec<u8> {
    let mut texts = (0..).map(|number: u32| format!("candidate {number}").into_bytes());
    texts.find(|text| holds(text)).unwrap()
}

/// Returns a text that is neither a sample nor comes after an examination.
fn ordinary() -> Vec<u8> {
    candidate(|text| !is_sample(text) && !comes_after_examination(text))
}

/// The answer of a worker, or of this machine.
type Says = (Outcome, End);
const FAILS: Says = (Outcome::Fail, End::Exited(0));
const PASSES: Says = (Outcome::Pass, End::Exited(1));
const LATE: Says = (Outcome::Unresolved, End::TimedOut);

/// Asks workers on these machines about a candidate, each of which says this about it. Returns what
/// counts, how often this machine was asked, which says `here`, and who is lost.
fn audited(
    workers: &[(&str, Says)],
    text: &[u8],
    here: Outcome,
    doubts: bool,
) -> (Outcome, u32, Vec<String>) {
    let place = tempfile::tempdir().unwrap();
    let test = described(place.path(), "exit 0");
    let command = |(host, (outcome, end)): &(&str, Says)| {
        let worker = Recorded::on(host, place.path(), &test, VERSION).passes();
        worker.answers(3, text, *outcome, *end).then(LISTEN)
    };
    let commands: Vec<String> = workers.iter().map(command).collect();
    let (pool, refused) = pool(&commands, &test, LONG);
    assert_eq!(refused, Vec::<String>::new());
    pool.doubt_all(doubts);
    let here = Here::says(here);
    let stop = CancelToken::new().unwrap();
    let outcome = pool.test(text, &here, &stop).unwrap().seen.outcome;
    (outcome, here.asked(), losses(&pool.take_news()))
}

#[test]
fn what_matters_comes_from_two_places_and_this_machine_decides_between_them() {
    let text = ordinary();
    let nobody = Vec::<String>::new();
    let wrong = |reproduces: bool| {
        let why = match reproduces {
            true => "it says that a candidate reproduces which does not on this machine",
            false => "it says that a candidate does not reproduce which does on this machine",
        };
        vec![why.to_owned()]
    };
    // A refusal is believed until something rests on it.
    assert_eq!(
        audited(&[("a", PASSES)], &text, Outcome::Fail, false),
        (Outcome::Pass, 0, nobody.clone())
    );
    let doubted = audited(&[("a", PASSES)], &text, Outcome::Fail, true);
    assert_eq!(doubted, (Outcome::Fail, 2, wrong(false)));
    // Something smaller is believed if two places say so.
    let two = [("a", FAILS), ("b", FAILS)];
    assert_eq!(audited(&two, &text, Outcome::Fail, false), (Outcome::Fail, 0, nobody.clone()));
    let same_place = [("a", FAILS), ("a", FAILS)];
    assert_eq!(
        audited(&same_place, &text, Outcome::Fail, false),
        (Outcome::Fail, 1, nobody.clone())
    );
    assert_eq!(
        audited(&[("a", FAILS)], &text, Outcome::Pass, false),
        (Outcome::Pass, 2, wrong(true))
    );
    let differ = [("a", FAILS), ("b", PASSES)];
    assert_eq!(audited(&differ, &text, Outcome::Fail, true), (Outcome::Fail, 2, wrong(false)));
    assert_eq!(audited(&differ, &text, Outcome::Pass, true), (Outcome::Pass, 2, wrong(true)));
    // A slow machine is no liar.
    assert_eq!(audited(&[("a", LATE)], &text, Outcome::Fail, true), (Outcome::Fail, 1, nobody));
    let sample = candidate(|text| is_sample(text) && !comes_after_examination(text));
    let sampled = audited(&[("a", PASSES)], &sample, Outcome::Fail, false);
    assert_eq!(sampled, (Outcome::Fail, 2, wrong(false)));
}

#[test]
fn an_unconfirmed_refusal_is_asked_about_elsewhere() {
    let place = tempfile::tempdir().unwrap();
    let test = described(place.path(), "exit 0");
    let text = ordinary();
    let on = |host| {
        Recorded::on(host, place.path(), &test, VERSION).passes().answers(
            3,
            &text,
            Outcome::Pass,
            End::Exited(1),
        )
    };
    let stop = CancelToken::new().unwrap();
    for (other, asked) in [("b", 0), ("a", 1)] {
        let commands = ["a", other].map(|host| on(host).then(LISTEN));
        let (pool, _) = pool(&commands, &test, LONG);
        let here = Here::says(Outcome::Pass);
        for is_unconfirmed in [true, false] {
            pool.test(&text, &here, &stop).unwrap();
            assert_eq!(pool.is_unconfirmed(&text), is_unconfirmed);
        }
        assert_eq!(here.asked(), asked, "{other}");
    }
}

#[test]
fn a_worker_that_has_changed_is_found_by_the_unchanged_input_and_not_started_again() {
    let place = tempfile::tempdir().unwrap();
    let test = described(place.path(), "exit 0");
    let text = candidate(comes_after_examination);
    let worker = Recorded::new(place.path(), &test, VERSION).passes();
    let changed = worker.answers(3, b"input", Outcome::Pass, End::Exited(1)).then(LISTEN);
    let (pool, _) = pool(&[changed], &test, LONG);
    let stop = CancelToken::new().unwrap();
    let error = pool.test(&text, &Never, &stop).unwrap_err().to_string();
    let why = "the unchanged input does not reproduce there any more: it ended with exit code 1, \
               not with 0";
    assert_eq!(error, format!("no worker is left; the last one was lost because {why}"));
}

#[test]
fn every_question_has_an_end() {
    let place = tempfile::tempdir().unwrap();
    let test = described(place.path(), "exit 0");
    let text = ordinary();
    let good = Recorded::new(place.path(), &test, VERSION).passes();
    let answer = |id| {
        let (outcome, end) = (Told::from(Outcome::Pass), End::Exited(1));
        let (failure, output) = (None, String::new());
        FromAgent::Answer(Answer { id, outcome, end, seconds: 0.5, failure, guards: 0, output })
    };
    let stop = CancelToken::new().unwrap();
    for (worker, expected) in [
        (
            good.clone().hears_candidate(3, &text).says(&answer(9)),
            "it answered what it was not asked",
        ),
        (
            good.clone()
                .hears_candidate(3, &text)
                .says_bytes(&frame(&serde_json::json!({"answer": {"id": 3}}), b"").unwrap()),
            "what it sent makes no sense",
        ),
    ] {
        let (pool, _) = pool(&[worker.then(LISTEN)], &test, LONG);
        let error = pool.test(&text, &Never, &stop).unwrap_err().to_string();
        assert!(error.contains(expected), "{error} instead of {expected}");
    }
    // What is asked of it here is nothing that it ever answers.
    let worker = Worker::start(&good.then(LISTEN), VERSION, LONG).unwrap();
    assert!(worker.hello(&|| false).unwrap().is_some());
    let reply = worker.test(b"x", false, Duration::ZERO, &stop).unwrap();
    assert!(matches!(reply, Reply::Lost(why) if why == "it gave no answer within 0 s"));
}
