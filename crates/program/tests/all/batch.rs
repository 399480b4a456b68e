//! Batches: many inputs become the bugs that they show, whatever happens in between.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use minirepro_program::batch::{Batch, BatchError, BatchEvent, BatchOutcome};
use minirepro_program::{
    CancelToken, Invocation, LanguageChoice, Languages, RetryPolicy, TestLimits, TestSpec, Workers,
};

/// Has four bugs: two lines of one function; a helper that two others call wrongly; a
/// quoted name that is its own. Whoever calls the first function does not matter.
const PROGRAM: &str = r#"
trace() {
    echo 'Traceback (most recent call last):'
    for frame in "$@"; do echo "  File \"/app/app.py\", line ${frame#*:}, in ${frame%:*}"; done
}
said=$(cat "$1")
fail() { trace "$@" >&2; echo "$message" >&2; exit 1; }
case $said in *deep*) caller=nested ;; *) caller=visit ;; esac
case $said in
*alpha*) message='IndexError: list index out of range'; fail "$caller:7" parse:11 ;;
*beta*) message='IndexError: list index out of range'; fail "$caller:7" parse:22 ;;
*gamma*) message='KeyError: wrong key'; fail left:30 helper:5 ;;
*delta*) message='KeyError: wrong key'; fail right:31 helper:5 ;;
*sigma*) message="AttributeError: 'NoneType' object has no attribute 'one'"; fail visit:40 ;;
*tau*) message="AttributeError: 'NoneType' object has no attribute 'two'"; fail visit:40 ;;
*killed*) kill -SEGV $$ ;;
*stuck*) kill -SEGV $$ ;;
esac
"#;

/// A batch in a directory of its own.
struct Place(tempfile::TempDir);

impl Place {
    fn new(inputs: &[(&str, &str)]) -> Self {
        let place = Self(tempfile::tempdir().unwrap());
        fs::create_dir(place.inputs()).unwrap();
        for (name, text) in inputs {
            let lines: Vec<String> = text.split(' ').map(|word| format!("{word}\n")).collect();
            fs::write(place.inputs().join(name), lines.concat()).unwrap();
        }
        place
    }

    fn inputs(&self) -> PathBuf {
        self.0.path().join("crashes")
    }

    fn run(
        &self,
        output: &str,
        with: impl FnOnce(&mut Batch<'_>),
    ) -> Result<BatchOutcome, BatchError> {
        self.run_observed(output, &|_| {}, with)
    }

    fn run_observed(
        &self,
        output: &str,
        observer: &(dyn Fn(&BatchEvent<'_>) + Sync),
        with: impl FnOnce(&mut Batch<'_>),
    ) -> Result<BatchOutcome, BatchError> {
        let test = TestSpec::command(["sh", "-c", PROGRAM, "app", "@@"]);
        let mut batch = Batch {
            inputs: vec![self.inputs()],
            test: &test,
            output: self.0.path().join(output),
            language: LanguageChoice::Named("lines".to_owned()),
            new_since: None,
            jobs: 1,
            workers: Workers::default(),
            limits: TestLimits::default(),
            retry: RetryPolicy::Repeat(1),
            companions: Vec::new(),
            languages: Languages::default(),
            max_time: None,
            stop: CancelToken::new().unwrap(),
            began_as: Invocation::default(),
            alone: &|_| Invocation::default(),
            observer,
        };
        with(&mut batch);
        batch.run()
    }

    /// Returns the reproducers, each with the names of its inputs.
    fn bugs(&self, output: &str, outcome: &BatchOutcome) -> BTreeMap<String, Vec<String>> {
        let name = |path: &Path| path.file_name().unwrap().to_string_lossy().into_owned();
        let bugs = outcome.bugs.bugs.iter().map(|bug| {
            let text = fs::read_to_string(self.0.path().join(output).join(&bug.reproducer));
            let mut inputs: Vec<String> = bug
                .inputs
                .iter()
                .filter(|input| !input.is_found)
                .map(|input| name(&input.path))
                .collect();
            inputs.sort();
            (text.unwrap().split_whitespace().collect::<Vec<_>>().join(" "), inputs)
        });
        bugs.collect()
    }
}

const INPUTS: &[(&str, &str)] = &[
    ("a1", "x alpha y z"),
    ("a2", "deep alpha y y"),
    ("a3", "x y z alpha z z"),
    ("b1", "x beta y"),
    ("b2", "x x beta y"),
    ("g", "gamma w"),
    ("d", "delta w w"),
    ("s1", "v sigma"),
    ("s2", "v v sigma"),
    ("t", "v v tau v"),
    ("k1", "u killed"),
    ("k2", "u u killed u u u u u u u u u u u u u u u"),
    ("l", "u stuck u"),
    ("fine", "nothing here"),
];

/// The bugs of these inputs.
fn expected() -> BTreeMap<String, Vec<String>> {
    let bugs: [(&str, &[&str]); 8] = [
        ("alpha", &["a1", "a2", "a3"]),
        ("beta", &["b1", "b2"]),
        ("gamma", &["g"]),
        ("delta", &["d"]),
        ("sigma", &["s1", "s2"]),
        ("tau", &["t"]),
        ("killed", &["k1", "k2"]),
        ("stuck", &["l"]),
    ];
    let owned = |names: &[&str]| names.iter().map(ToString::to_string).collect();
    bugs.into_iter().map(|(text, inputs)| (text.to_owned(), owned(inputs))).collect()
}

#[test]
fn inputs_are_sorted_by_bugs_for_any_number_of_jobs() {
    let place = Place::new(INPUTS);
    let mut names = Vec::new();
    for jobs in [1, 4] {
        let output = format!("bugs{jobs}");
        let outcome = place.run(&output, |batch| batch.jobs = jobs).unwrap();
        assert_eq!(place.bugs(&output, &outcome), expected());
        assert_eq!(outcome.passing, [place.inputs().join("fine")]);
        assert_eq!(outcome.stopped, None);
        let of_one_line = outcome.bugs.bugs.iter().filter(|bug| bug.same_line_as.is_some());
        let of_one_line: Vec<&str> = of_one_line.map(|bug| &*bug.failure).collect();
        assert!(matches!(of_one_line[..], [one] if one.contains("helper")), "{of_one_line:?}");
        names.push(outcome.bugs.bugs.into_iter().map(|bug| bug.name).collect::<Vec<_>>());
    }
    assert_eq!(names[0], names[1]);
    let parse: Vec<&String> = names[0].iter().filter(|name| name.ends_with("-2")).collect();
    assert_eq!(parse.len(), 2, "only lines and shapes tell two pairs of bugs apart: {names:?}");
}

#[test]
fn a_batch_that_ends_at_any_moment_goes_on() {
    let place = Place::new(&INPUTS[..7]);
    let undisturbed = place.run("undisturbed", |_| {}).unwrap();
    let mut ended = 0;
    for patience in 1.. {
        let events = AtomicUsize::new(0);
        let stop = CancelToken::new().unwrap();
        let token = stop.clone();
        let observer = move |_: &BatchEvent<'_>| {
            if events.fetch_add(1, Ordering::Relaxed) >= 3 {
                token.set();
            }
        };
        let outcome = place.run_observed("bugs", &observer, |batch| batch.stop = stop).unwrap();
        if outcome.stopped.is_none() {
            ended = patience;
            assert_eq!(place.bugs("bugs", &outcome), place.bugs("undisturbed", &undisturbed));
            break;
        }
        assert!(patience < 100, "it comes to no end");
    }
    assert!(ended > 5, "it was interrupted {ended} times");
    let list = |output: &str| {
        let list = fs::read_to_string(place.0.path().join(output).join("bugs.json")).unwrap();
        let is_steady = |line: &&str| !line.contains("seconds");
        list.lines().filter(is_steady).map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(list("bugs"), list("undisturbed"));
    assert_eq!(undisturbed.bugs.bugs.len(), 4);
}

#[test]
fn an_input_that_fails_in_one_of_two_runs_is_flaky() {
    let place = Place::new(&[("f", "flaky alpha"), ("a", "x alpha y")]);
    let marks = place.0.path().join("marks");
    let program = format!(
        "if grep -q flaky \"$1\"; then echo >> {0}; [ $(($(wc -l < {0}) % 2)) = 0 ] && exit 0; fi\n{PROGRAM}",
        marks.display()
    );
    let outcome = place.run("bugs", |batch| {
        batch.test = Box::leak(Box::new(TestSpec::command(["sh", "-c", &program, "app", "@@"])));
    });
    let outcome = outcome.unwrap();
    assert_eq!(outcome.flaky, [place.inputs().join("f")]);
    let bugs = &outcome.bugs.bugs;
    assert_eq!(bugs.len(), 1);
    assert!(!bugs[0].is_flaky(), "one of its inputs is reliable, and that one was reduced");
    assert_eq!(bugs[0].inputs.iter().filter(|input| input.is_flaky).count(), 1);
}
