//! An agent between two pipes, and workers whose agents are files of recorded answers.

use std::fs;
use std::io::{BufReader, PipeReader, PipeWriter, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::thread;
use std::time::Duration;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use minirepro_engine::Outcome;
use minirepro_runner::{
    CancelToken, Digest, Limits, Observation, Oracle, OracleError, ProgramTest, RetryPolicy,
    SentTest, TestEnd, TestSpec,
};

use crate::line::{first, line, read};
use crate::message::{Answer, FromAgent, Hello, ToAgent};
use crate::worker::Worker;
use crate::{WorkerPool, serve};

const VERSION: &str = "1.2.3";

/// Makes a test script and an input; returns the description of the test.
fn described(place: &Path, script: &str) -> SentTest {
    let (test, input) = (place.join("test.sh"), place.join("a.txt"));
    fs::write(&test, format!("#!/bin/sh\n{script}\n")).unwrap();
    fs::set_permissions(&test, fs::Permissions::from_mode(0o755)).unwrap();
    fs::write(&input, "").unwrap();
    let limits = Limits::new(Duration::from_secs(100));
    let script = ProgramTest::new(TestSpec::script(&test), &input, limits).unwrap();
    let described = script.describe().unwrap().unwrap();
    // Nothing has to be where it was.
    fs::remove_file(test).unwrap();
    described
}

/// Returns a test as all workers get it.
fn test_line(test: &SentTest) -> Vec<u8> {
    line(&ToAgent::Test(Box::new(test.clone()))).unwrap()
}

fn candidate(id: u64, explain: bool, text: &[u8]) -> ToAgent {
    ToAgent::Candidate { id, explain, text: BASE64_STANDARD.encode(text) }
}

/// An agent on a thread of this process.
struct Served {
    to: PipeWriter,
    from: BufReader<PipeReader>,
}

impl Served {
    fn say(&mut self, message: &ToAgent) {
        self.to.write_all(&line(message).unwrap()).unwrap();
    }

    fn candidate(&mut self, id: u64, text: &[u8]) {
        self.say(&candidate(id, true, text));
    }

    /// Returns the next message; `None` at the end.
    fn hear(&mut self) -> Option<FromAgent> {
        read(&mut self.from).ok()
    }

    fn answer(&mut self) -> (u64, Outcome, TestEnd, String) {
        match self.hear() {
            Some(FromAgent::Answer(answer)) => {
                (answer.id, answer.outcome, answer.end, answer.output)
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
        let mut served = Served { to, from: BufReader::new(from) };
        let hello = first(&mut served.from, 1 << 10, &mut Vec::new()).unwrap();
        assert!(matches!(hello, FromAgent::Hello(hello) if hello.minirepro == VERSION));
        talk(&mut served);
        drop(served);
        agent.join().unwrap().map_or_else(|error| error.to_string(), |()| "in order".to_owned())
    })
}

fn greeted(served: &mut Served, test: &SentTest) {
    served.to.write_all(&test_line(test)).unwrap();
}

#[test]
fn an_agent_answers_as_the_run_itself_would() {
    let place = tempfile::tempdir().unwrap();
    let test = described(place.path(), "echo looked; grep -q two \"$1\" && test \"$1\" = a.txt");
    let ended = with_agent(1, |agent| {
        greeted(agent, &test);
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
        agent.candidate(1, b"hang\n");
        agent.candidate(2, b"go\n");
        agent.say(&ToAgent::Cancel { id: 1 });
        agent.say(&ToAgent::Cancel { id: 9 });
        let mut answers = [agent.answer(), agent.answer()];
        answers.sort_by_key(|answer| answer.0);
        assert_eq!((answers[0].1, answers[0].2), (Outcome::Unresolved, TestEnd::Stopped));
        assert_eq!(answers[1].1, Outcome::Fail);
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
        agent.candidate(1, b"x");
        match agent.hear() {
            Some(FromAgent::Broken(broken)) => assert_eq!((broken.id, broken.code), (1, Some(127))),
            other => panic!("{other:?}"),
        }
    });
    let mut short = serde_json::to_value(described(place.path(), "exit 0")).unwrap();
    short["words"] = serde_json::json!([]);
    let short = serde_json::from_value(short).unwrap();
    with_agent(1, |agent| {
        greeted(agent, &short);
        agent.candidate(1, b"x");
        match agent.hear() {
            Some(FromAgent::Broken(broken)) => assert_eq!((broken.id, broken.code), (1, None)),
            other => panic!("{other:?}"),
        }
    });
}

#[test]
fn an_agent_leaves_whoever_does_not_speak_its_language() {
    let said = |bytes: &[u8]| with_agent(1, |agent| agent.to.write_all(bytes).unwrap());
    assert_eq!(said(b""), "in order");
    assert!(said(b"hello").starts_with("standard input does not come from a run of minirepro"));
    let place = tempfile::tempdir().unwrap();
    let test = test_line(&described(place.path(), "exit 0"));
    let damaged = "cannot talk to the run: what it sent is damaged";
    assert_eq!(said(&[&test, &b"hello\n"[..]].concat()), damaged);
}

/// What an agent says, recorded in files, which a shell reads out when it has heard enough.
#[derive(Clone)]
struct Recorded<'t> {
    place: &'t Path,
    test: &'t SentTest,
    command: String,
}

impl<'t> Recorded<'t> {
    fn new(place: &'t Path, test: &'t SentTest, version: &str) -> Self {
        let hello = Hello { minirepro: version.to_owned(), jobs: 1, host: "here".into() };
        let new = Self { place, test, command: String::new() };
        new.says(&FromAgent::Hello(hello))
    }

    fn says_bytes(mut self, bytes: &[u8]) -> Self {
        let name = format!("said-{}", Digest::of(bytes).as_str());
        let file = self.place.join(name);
        fs::write(&file, bytes).unwrap();
        self.command += &format!("cat {}; ", file.display());
        self
    }

    fn says(self, message: &FromAgent) -> Self {
        self.says_bytes(&line(message).unwrap())
    }

    fn hears(mut self, bytes: usize) -> Self {
        self.command += &format!("head -c {bytes} > /dev/null; ");
        self
    }

    fn hears_test(self) -> Self {
        let bytes = test_line(self.test).len();
        self.hears(bytes)
    }

    fn hears_candidate(self, id: u64, text: &[u8]) -> Self {
        // Only those before the search are to be explained.
        let bytes = line(&candidate(id, id < 3, text)).unwrap().len();
        self.hears(bytes)
    }

    fn answers(self, id: u64, text: &[u8], outcome: Outcome, end: TestEnd) -> Self {
        self.hears_candidate(id, text).says(&answer(id, outcome, end))
    }

    /// Passes the examination.
    fn passes(self) -> Self {
        self.hears_test().answers(1, b"input", Outcome::Fail, TestEnd::Exited(0)).answers(
            2,
            b"",
            Outcome::Pass,
            TestEnd::Exited(1),
        )
    }

    /// Returns a command that says all this, and then runs another one.
    fn then(&self, command: &str) -> String {
        format!("{}{command}", self.command)
    }
}

fn answer(id: u64, outcome: Outcome, end: TestEnd) -> FromAgent {
    let (outcome, failure, output) = (outcome, None, "said so\n".to_owned());
    FromAgent::Answer(Answer { id, outcome, end, seconds: 0.5, failure, output })
}

/// Reads everything until its input ends, and keeps its output open until then.
const LISTEN: &str = "cat > /dev/null; :";

/// The test as this machine runs it; it says this, if it is asked at all.
struct Here(Option<Outcome>);

impl Oracle for Here {
    fn test(&self, _candidate: &[u8], _stop: &CancelToken) -> Result<Observation, OracleError> {
        let outcome = self.0.expect("a test for others");
        Ok(Observation { outcome, ending: TestEnd::Exited(7), time: Duration::ZERO })
    }
}

/// Starts workers and examines them; returns who is refused and why.
fn pool(commands: &[String], test: &SentTest) -> (WorkerPool, Vec<String>) {
    let (stop, once) = (CancelToken::new().unwrap(), RetryPolicy::Repeat(1));
    let ends: [&[u8]; 2] = [b"input", b""];
    let (pool, examined) =
        WorkerPool::start(commands, 0, VERSION, test, ends, once, &stop).unwrap();
    (pool, examined.into_iter().filter_map(|worker| worker.result.err()).collect())
}

/// Tests a candidate by workers and, where they do not do, here.
fn tested(pool: &WorkerPool, here: Option<Outcome>) -> Result<Observation, String> {
    let stop = CancelToken::new().unwrap();
    let tested = pool.oracle(&Here(here), &|_, _| {}).test(b"x", &stop);
    tested.map_err(|error| error.to_string())
}

#[test]
fn only_workers_that_answer_like_the_run_itself_are_accepted() {
    let place = tempfile::tempdir().unwrap();
    let test = described(place.path(), "exit 0");
    let recorded = |version| Recorded::new(place.path(), &test, version);
    let good = recorded(VERSION).passes();
    let ready = recorded(VERSION).hears_test();
    let refuses = ready.clone().answers(1, b"input", Outcome::Pass, TestEnd::Exited(7));
    let accepts_all = ready.answers(1, b"input", Outcome::Fail, TestEnd::Exited(0)).answers(
        2,
        b"",
        Outcome::Fail,
        TestEnd::Exited(0),
    );
    for (command, expected) in [
        (good.then(LISTEN), ""),
        (format!("echo 'Welcome to node 7'; {}", good.then(LISTEN)), ""),
        (recorded("9.9.9").then(LISTEN), "its minirepro is version 9.9.9, not 1.2.3"),
        (
            refuses.then(LISTEN),
            "the unchanged input does not reproduce there: it ended with exit code 7, not with 0\n  \
             | said so",
        ),
        (accepts_all.then(LISTEN), "what should not reproduce does there"),
        (recorded(VERSION).then("echo Welcome"), "what it sent is damaged"),
        ("yes".to_owned(), "it does not speak like an agent of minirepro"),
        (
            "echo 'no such host' >&2; exit 255".to_owned(),
            "it ended with exit status: 255; no such host",
        ),
        ("echo 'shared home is full'".to_owned(), "it ended; shared home is full"),
    ] {
        let (pool, refused) = pool(std::slice::from_ref(&command), &test);
        let expected: &[&str] = if expected.is_empty() { &[] } else { &[expected] };
        assert_eq!(refused, expected, "{command}");
        assert_eq!(pool.jobs(), usize::from(expected.is_empty()));
    }
}

#[test]
fn what_a_lost_worker_was_asked_is_asked_elsewhere_and_never_answered_by_the_loss() {
    let place = tempfile::tempdir().unwrap();
    let test = described(place.path(), "exit 0");
    let good = Recorded::new(place.path(), &test, VERSION).passes();
    let dies = good.clone().hears_candidate(3, b"x").then("exit");
    // Its agent was told to end, and says of its test that it was stopped.
    let ends = good.clone().answers(3, b"x", Outcome::Unresolved, TestEnd::Stopped).then(LISTEN);
    let answers = good.answers(3, b"x", Outcome::Pass, TestEnd::Exited(1)).then(LISTEN);

    let (one_stays, refused) = pool(&[dies.clone(), ends.clone(), answers], &test);
    assert_eq!((refused, one_stays.jobs()), (Vec::new(), 3));
    assert_eq!(tested(&one_stays, None).unwrap().ending, TestEnd::Exited(1));
    let lost: Vec<String> = one_stays.newly_lost().into_iter().map(|(_, why)| why).collect();
    assert_eq!(lost, ["it ended", "its agent was told to end"]);
    assert_eq!(one_stays.newly_lost(), []);

    let (two, _) = pool(&[dies.clone(), ends], &test);
    let error = tested(&two, None).unwrap_err();
    assert!(error.starts_with("no worker is left"), "{error}");
    let (four, _) = pool(&vec![dies; 4], &test);
    let error = tested(&four, None).unwrap_err();
    assert!(error.starts_with("3 workers were lost one after the other"), "{error}");
}

#[test]
fn this_machine_decides_about_all_that_reproduces_elsewhere() {
    let place = tempfile::tempdir().unwrap();
    let test = described(place.path(), "exit 0");
    let good = Recorded::new(place.path(), &test, VERSION).passes();
    let liar = good.answers(3, b"x", Outcome::Fail, TestEnd::Exited(0)).then(LISTEN);
    for outcome in [Outcome::Fail, Outcome::Pass] {
        let (pool, _) = pool(std::slice::from_ref(&liar), &test);
        assert_eq!(tested(&pool, Some(outcome)).unwrap().outcome, outcome);
    }
}

#[test]
fn every_question_has_an_end() {
    let place = tempfile::tempdir().unwrap();
    let test = described(place.path(), "exit 0");
    let good = Recorded::new(place.path(), &test, VERSION).passes();
    let asked = good.clone().hears_candidate(3, b"x");
    for (worker, expected) in [
        (
            asked.clone().says(&answer(9, Outcome::Pass, TestEnd::Exited(1))),
            "it answered what it was not asked",
        ),
        (
            asked.says_bytes(&line(&serde_json::json!({"answer": {"id": 3}})).unwrap()),
            "what it sent makes no sense",
        ),
    ] {
        let (pool, _) = pool(&[worker.then(LISTEN)], &test);
        let error = tested(&pool, None).unwrap_err();
        assert!(error.contains(expected), "{error} instead of {expected}");
    }
    let stop = CancelToken::new().unwrap();
    let mut worker = Worker::start(&good.then(LISTEN), VERSION, Duration::ZERO).unwrap();
    assert!(worker.greet(b"", || None, &stop).unwrap().is_some());
    stop.set();
    assert!(worker.test(b"x", false, &stop).unwrap().is_none());
    worker.close();
}
