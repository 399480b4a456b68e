//! Tests of pages in real browsers, without which they fail: `.ci/run` asks for them by name. Those
//! in Firefox are a feature, which the script of the night sets.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::Mutex;

use clap::{Args, FromArgMatches};
use minirepro_browser::{Answer, PageArgs, PageTest, look, prepare, save, suspects};
use minirepro_program::batch::Batch;
use minirepro_program::{
    CancelToken, Exhibit, Invocation, LanguageChoice, Languages, Outcome, Reduction, RetryPolicy,
    Test, TestLimits, Workers,
};

/// The browsers in which whatever both can do is tested.
const BROWSERS: &[&str] =
    if cfg!(feature = "firefox") { &["chromium", "firefox"] } else { &["chromium"] };

/// Splits a line into words; what stands in quotes is one.
fn words(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    for (nth, part) in line.split('\'').enumerate() {
        if nth % 2 == 1 {
            words.last_mut().unwrap().push_str(part);
            continue;
        }
        let mut parts = part.split(' ');
        words.last_mut().unwrap().push_str(parts.next().unwrap());
        words.extend(parts.map(str::to_owned));
    }
    words.retain(|word| !word.is_empty());
    words
}

/// Reads options.
fn options(words: &[String]) -> PageArgs {
    let command = PageArgs::augment_args(clap::Command::new("page"));
    let words = ["page".to_owned()].into_iter().chain(words.iter().cloned());
    let args = PageArgs::from_arg_matches(&command.try_get_matches_from(words).unwrap()).unwrap();
    // On a machine with much else to do, a browser that has just begun takes long for its first
    // page.
    args.timed(Some(std::time::Duration::from_secs(100)), false)
}

/// Looks at a page of a directory, with the options in a line behind its name.
fn answer(place: &Path, line: &str) -> Answer {
    let words = words(line);
    look(&place.join(&words[0]), &options(&words[1..]), None)
}

/// Returns how the tests in these lines end, a few of which run at the same time, and what they
/// say.
fn codes(place: &Path, lines: &[&str]) -> (Vec<u8>, String) {
    let open = Mutex::new(lines.iter().enumerate());
    let answers = Mutex::new(vec![None; lines.len()]);
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                while let Some((at, line)) = { open.lock().unwrap().next() } {
                    let answer = answer(place, line);
                    answers.lock().unwrap()[at] = Some(answer);
                }
            });
        }
    });
    let answers: Vec<Answer> =
        answers.into_inner().unwrap().into_iter().map(Option::unwrap).collect();
    let said = answers.iter().map(|answer| &answer.said[..]).collect();
    (answers.iter().map(|answer| answer.code).collect(), said)
}

/// Writes pages.
fn pages(all: &[(&str, &str)]) -> tempfile::TempDir {
    let place = tempfile::tempdir().unwrap();
    for (name, text) in all {
        fs::write(place.path().join(name), text).unwrap();
    }
    place
}

#[test]
fn pages_are_looked_at_for_whatever_is_asked() {
    let place = pages(&[
        ("tall.html", "<!DOCTYPE html><p style='height:77px;background:red'>a</p><script>alert(1)</script>"),
        ("plain.html", "<!DOCTYPE html><p>a</p>"),
        ("loud.html", "<script>console.log('width', 3); undefined_name()</script>"),
        // In a layout from scratch an animation that is over begins anew.
        ("settles.html", "<!DOCTYPE html><style>p { height: 10px; animation: a 1ms forwards }
        @keyframes a { to { height: 30px } }</style><p>a"),
        ("stuck.html", "<script>while (true) {}</script>"),
        ("later.html", "<script>setTimeout(() => { while (true) {} }, 20)</script>"),
        ("busy.html", "<script>setInterval(() => 0, 20)</script>"),
        ("late.html", "<p>a<script>setTimeout(() => document.title = 1, 40)</script>"),
        ("fails.html", "<script>Promise.reject(new Error('lost'))</script>"),
        ("p.html", "<!DOCTYPE html><link rel=stylesheet href=x.css><p>a<script>document.title = 1</script>"),
        ("a.har", RECORDED),
        // An animation that is over waits in a layout from scratch for its time, which never comes.
        ("repaints.html", "<!DOCTYPE html><style>p { height: 10px; background: red; animation: a 1ms 9999s forwards }
        @keyframes a { to { background: green } }</style><p>a<script>document.getAnimations()[0].finish()</script>"),
        // Selectors that are too long since elements around them have gone.
        ("gone.html", "<!DOCTYPE html><p onclick='document.title += 1'>a</p><ul><li onclick='document.title += 2'>b</ul>\
        <script type=text/actions>click('main>p:nth-child(3)'); click('li:nth-child(2)');click('#c p');click('i')</script>"),
    ]);
    fs::create_dir(place.path().join("site")).unwrap();
    fs::create_dir(place.path().join("empty")).unwrap();
    fs::write(
        place.path().join("site/p.html"),
        "<!DOCTYPE html><link rel=stylesheet href=x.css><p>a",
    )
    .unwrap();
    fs::write(place.path().join("site/x.css"), "p { height: 77px }").unwrap();
    let picture = place.path().join("plain.png");
    let shot = look(&place.path().join("plain.html"), &options(&[]), Some(&picture));
    assert_eq!(shot.code, 0, "{}", shot.said);
    let picture = picture.to_str().unwrap();
    let is_77 = r#"--holds 'document.querySelector("p").offsetHeight == 77'"#;
    let lines = [
        (0, format!("tall.html {is_77}")),
        (1, format!("plain.html {is_77}")),
        (0, r#"plain.html --holds 'document.compatMode == "CSS1Compat"' --holds 'innerWidth == 800'"#.into()),
        (126, "plain.html --holds '1 +'".into()),
        (0, "loud.html --console 'width 3' --console 'ReferenceError: undefined_name'".into()),
        (1, "plain.html --console .".into()),
        (0, format!("plain.html --looks-like {picture}")),
        (1, format!("tall.html --looks-like {picture} --by 3")),
        (126, "missing.html --crash".into()),
        (1, "plain.html --crash".into()),
        (1, "plain.html --relayout-differs".into()),
        (0, "settles.html --relayout-differs p".into()),
        (1, "settles.html --relayout-differs p --by 50".into()),
        (0, "plain.html --seed 1 --holds 'Math.random() == 0.6270739405881613 && Date.now() == 1577836800000'".into()),
        (0, r#"plain.html --print --size 800x600@2 --holds 'matchMedia("print").matches && devicePixelRatio == 2'"#.into()),
        (0, format!("site {is_77}")),
        (1, "empty --holds true".into()),
        (0, format!("p.html --har {} --holds 'document.querySelector(\"p\").offsetHeight == 77 && !document.title'", place.path().join("a.har").display())),
        (1, format!("p.html {is_77}")),
        (0, "late.html --holds 'document.title == 1'".into()),
        (0, "fails.html --console 'Error: lost'".into()),
        (1, "p.html --crash=x".into()),
        (1, "p.html --browsers-differ --browser chromium --browser chromium".into()),
        (0, "repaints.html --relayout-differs pixels".into()),
        (1, "plain.html --relayout-differs pixels".into()),
        (0, "gone.html --holds 'document.title == \"121\"'".into()),
    ];
    let (expected, lines): (Vec<u8>, Vec<&str>) =
        lines.iter().map(|(code, line)| (*code, &line[..])).unzip();
    let (found, said) = codes(place.path(), &lines);
    let wrong: Vec<_> = (0..lines.len())
        .filter(|&at| found[at] != expected[at])
        .map(|at| (found[at], lines[at]))
        .collect();
    assert!(wrong.is_empty(), "{wrong:?}\n{said}");
    assert!(said.contains("SyntaxError") && said.contains("missing.html"), "{said}");
    let limited = |page: &str, options: PageArgs, time: u64, hangs| {
        let time = Some(std::time::Duration::from_millis(time));
        look(&place.path().join(page), &options.timed(time, hangs), None)
    };
    for (page, time, code) in
        [("stuck.html", 300, 0), ("later.html", 300, 0), ("busy.html", 60_000, 1)]
    {
        let answer = limited(page, options(&[]), time, true);
        assert_eq!(answer.code, code, "{page}: {}", answer.said);
    }
    let stuck = limited("stuck.html", options(&words("--holds 1")), 500, false);
    assert_eq!(stuck.code, 125);
    assert!(stuck.said.contains("a script runs without an end"), "{}", stuck.said);
}

/// Returns the outcomes of candidates in the browser of one test.
fn outcomes(line: &str, input: &str, candidates: &[&str]) -> Vec<Outcome> {
    let test = PageTest::new(&options(&words(line)), false).unwrap();
    let stop = CancelToken::new().unwrap();
    let request = Reduction { file: "a.html".into(), ..Reduction::new(input) };
    let tester = request.tester(&test, &stop).unwrap();
    let outcome = |page: &&str| tester.oracle().test(page.as_bytes(), &stop).unwrap().outcome;
    candidates.iter().map(outcome).collect()
}

#[test]
fn one_browser_answers_many_tests_and_pages_keep_nothing() {
    use Outcome::{Fail, Pass, Unresolved};
    for browser in BROWSERS {
        let stores = "<p><script>localStorage.setItem('a', 1)</script>";
        let keeps = "<script>sessionStorage.setItem('a', 1); window.name = 'x'</script>";
        let nothing = "localStorage.length == 0 && sessionStorage.length == 0 && name == \"\"";
        let line = format!("--browser {browser} --holds '{nothing}'");
        let all = [stores, "<p>", keeps, "<p>", "<script>alert(1)</script>", stores, "<p>"];
        let expected = [Pass, Fail, Pass, Fail, Fail, Pass, Fail];
        assert_eq!(outcomes(&line, "<p>", &all), expected, "{browser}");
    }
    let test = PageTest::new(&options(&words("--holds 1")), false).unwrap();
    let stop = CancelToken::new().unwrap();
    let request = Reduction { file: "a.html".into(), ..Reduction::new("<p>a") };
    let tester = request.tester(&test, &stop).unwrap();
    let never = "<script>while (true) {}</script>";
    stop.set();
    assert_eq!(tester.oracle().test(never.as_bytes(), &stop).unwrap().outcome, Unresolved);
}

/// A page with a style sheet and a rule against scripts, as a browser records it.
const RECORDED: &str = r#"{"log": {"entries": [
    {"request": {"url": "https://a.test/d/p"}, "response": {"status": 200,
        "headers": [{"name": "Content-Security-Policy", "value": "script-src 'none'"}],
        "content": {"mimeType": "text/html", "text": "<p>"}}},
    {"request": {"url": "https://a.test/d/x.css"}, "response": {"status": 200,
        "headers": [{"name": "Content-Type", "value": "text/css"}],
        "content": {"mimeType": "text/css", "text": "p { height: 77px }"}}}
]}}"#;

/// Writes a program that starts Chromium with one more option, and returns its path.
fn with_option(place: &Path, name: &str, option: &str) -> String {
    let path = place.join(name);
    let names =
        "chromium-headless-shell chrome-headless-shell chromium chromium-browser google-chrome";
    let text = format!(
        "#!/bin/sh\nfor p in {names}; do p=$(command -v $p) && exec $p {option} \"$@\"; done\n"
    );
    fs::write(&path, text).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    path.to_str().unwrap().to_owned()
}

#[test]
fn what_a_browser_says_when_a_tab_crashes_is_matched() {
    let place = pages(&[("a.html", "<p>a<script>%AbortJS('lost it')</script>")]);
    let program = with_option(place.path(), "crashes", "--js-flags=--allow-natives-syntax");
    for (stack, code) in [("lost", 0), ("found", 1)] {
        let line = format!("a.html --browser {program} '--crash=abort: {stack} it'");
        let answer = answer(place.path(), &line);
        assert_eq!(answer.code, code, "{}", answer.said);
    }
}

#[test]
fn two_versions_of_a_browser_are_compared() {
    let page = "<!DOCTYPE html><body style='width:100px'><p style='color:red'>a<b style='font-size:9px'>b</b>";
    let place = pages(&[("a.html", page)]);
    let other = with_option(place.path(), "other", "--blink-settings=defaultFontSize=40");
    let lines = [(0, "p"), (1, "p --by 300"), (0, "pixels"), (1, "pixels --by 480000")];
    for (code, line) in lines {
        let line = format!("a.html --browser chromium --browser {other} --browsers-differ {line}");
        let answer = answer(place.path(), &line);
        assert_eq!(answer.code, code, "{line}: {}", answer.said);
    }
}

#[test]
fn what_could_be_the_failure_is_listed_with_its_option() {
    let place = pages(&[("a.html", "<p>a<script>console.log('b (c)')</script>")]);
    let all = suspects(&place.path().join("a.html"), &options(&[])).unwrap();
    assert_eq!(all[0].text, "on the console: b (c)");
    assert_eq!(all[0].test.words()[0], r"--console=b \(c\)");
}

#[test]
fn without_a_browser_the_test_cannot_be_run() {
    let place = pages(&[("a.html", "a"), ("broken", "#!/bin/sh\nexit 3\n")]);
    let broken = place.path().join("broken");
    fs::set_permissions(&broken, fs::Permissions::from_mode(0o755)).unwrap();
    let answer = answer(place.path(), &format!("a.html --crash --browser {}", broken.display()));
    assert_eq!(answer.code, 126);
    assert!(answer.said.contains("broken ended at once"), "{}", answer.said);
}

#[test]
fn a_report_gets_the_failure_and_pictures_with_boxes() {
    let page = "<!DOCTYPE html><style>p { height: 10px; animation: a 1ms forwards }
        @keyframes a { to { height: 30px } }</style><p>a";
    let test = PageTest::new(&options(&words("--relayout-differs=p")), false).unwrap();
    let (stop, languages) = (CancelToken::new().unwrap(), Languages::default());
    let limits = TestLimits::default().of_first_tests();
    let exhibit = Exhibit {
        file: Path::new("a.html"),
        text: page.as_bytes(),
        companions: &[],
        languages: &languages,
        limits,
        stop: &stop,
    };
    let files = test.evidence(&exhibit).unwrap().files;
    let file = |name: &str| &files.iter().find(|(own, _)| own == name).unwrap().1[..];
    let text = |name: &str| String::from_utf8_lossy(file(name)).into_owned();
    assert!(
        text("failure.txt").contains("p is 30 high, 10 after a fresh layout"),
        "{}",
        text("failure.txt")
    );
    assert!(text("browsers.txt").contains("Chrom"), "{}", text("browsers.txt"));
    for name in ["layout-as-it-is.png", "layout-from-scratch.png"] {
        assert!(file(name).starts_with(b"\x89PNG"), "{name}");
    }
}

#[test]
fn a_condition_that_does_not_hold_is_explained() {
    let place = pages(&[("a.html", "<!DOCTYPE html><p>a")]);
    for (holds, expected) in [
        ("document.querySelector(\"nope\").x", "throws TypeError"),
        (
            "document.querySelectorAll(\"p\").length == 2",
            "document.querySelectorAll(\"p\").length == 2: is false",
        ),
    ] {
        let answer = answer(place.path(), &format!("a.html --holds '{holds}'"));
        assert_eq!(answer.code, 1);
        assert!(answer.said.contains(expected), "{}", answer.said);
    }
}

/// A page that notes what is done on it, with actions.
const PLAYED: &str = "<!DOCTYPE html><body style='height:3000px'><label for=a>Name</label><input id=a><button id=b>B</button>
<select id=c><option>x<option>y</select><ul><li>1<li>2</ul>
<script>
const seen = [];
for (const kind of ['click', 'dblclick', 'contextmenu', 'mouseover', 'mousedown', 'keydown', 'input', 'change', 'scroll', 'wheel', 'resize'])
    addEventListener(kind, e => seen.push(`${kind} ${(e.target.id || e.target.textContent || '').trim()}`), true);
</script>
<script type=text/actions>
fill(\"aria/Name\", \"ab\"); type(\"hi\"); press(\"Control+a\"); press(\"x\"); click(\"at/12,12\"); wheel(\"#b\", 0, 9); hover(\"#b\");
fill(\"#c\", \"y\"); doubleclick(\"ul>li:nth-child(2)\"); rightclick(\"li\"); click(\"#gone\");
resize(500, 400); scroll(0, 500); document.title = 'done'; wait(10)
</script>";

/// What is true on it after that.
const AFTER: &str = "document.querySelector('#a').value == 'x' && document.querySelector('#c').value == 'y' \
    && document.title == 'done' && innerWidth == 500 && scrollY == 500 && ['click Name', 'keydown a', 'mouseover b', 'change c', \
    'dblclick 2', 'contextmenu 1', 'wheel b'].every(one => seen.includes(one))";

#[test]
fn what_people_do_is_played_and_goes_on_in_the_page_that_comes() {
    let place = pages(&[
        ("played.html", PLAYED),
        ("dragged.html", DRAGGED),
        (
            "a.html",
            "<!DOCTYPE html><form action=b.html><input name=q></form><script type=text/actions>\
             click(\"input\"); type(\"x\"); press(\"Enter\"); click(\"button\"); go(\"#there\")</script>",
        ),
        ("b.html", "<!DOCTYPE html><button onclick='document.title = 1'>B</button>"),
    ]);
    let dragged = "b.textContent == 'heredragmoved' && seen + '' == 'dragstart,drop,dragend'";
    let went = "document.title + location.search + location.hash == '1?q=x#there'";
    for browser in BROWSERS {
        for (page, holds) in [("played.html", AFTER), ("dragged.html", dragged), ("a.html", went)] {
            // Firefox ends no drag without a screen.
            if page == "dragged.html" && *browser == "firefox" {
                continue;
            }
            let args =
                options(&["--browser".into(), (*browser).into(), "--holds".into(), holds.into()]);
            let answer = look(&place.path().join(page), &args, None);
            assert_eq!(answer.code, 0, "{page} in {browser}: {}", answer.said);
        }
    }
}

/// A page in which what is dragged can be dropped.
const DRAGGED: &str = "<!DOCTYPE html><p draggable=true id=a>drag</p><div id=b style='height: 90px'>here</div><script>
    const seen = [], note = e => seen.push(e.type);
    for (const type of ['dragstart', 'dragend', 'drop', 'mouseup']) addEventListener(type, note);
    a.ondragstart = e => e.dataTransfer.setData('text', 'moved');
    b.ondragover = e => e.preventDefault();
    b.ondrop = e => { e.preventDefault(); b.append(document.getElementById('a'), e.dataTransfer.getData('text')) };
    </script><script type=text/actions>hold('#a'); hover('#b'); release('#b')</script>";

#[test]
fn actions_are_put_into_a_page_and_only_those_that_are_needed() {
    let page = "<!DOCTYPE html><button id=long-name>a</button><i>x</i><script>\
        document.querySelector('#long-name').onclick = () => lost()</script>";
    let place =
        pages(&[("a.html", page), ("do.js", "click('i'); click('text/a'); press('Enter')")]);
    let actions = place.path().join("do.js");
    let args = options(&words(&format!("--console lost --actions {}", actions.display())));
    let mut said = Vec::new();
    let mut say = |line: &str| said.push(line.to_owned());
    let prepared = prepare(&place.path().join("a.html"), &args, false, &mut say).unwrap();
    let text = String::from_utf8(prepared.input.clone()).unwrap();
    // A call in the page does as well as a person.
    assert!(
        text.ends_with("<script>\ndocument.querySelector(\"button\").click();\n</script>\n"),
        "{text}"
    );
    assert!(said.iter().any(|line| line.starts_with("1 of 3 actions")), "{said:?}");
    assert!(!prepared.is_directory);
    assert_eq!(fs::read_dir(place.path()).unwrap().count(), 2, "nothing is left");
}

#[test]
fn many_pages_are_few_bugs() {
    let place = pages(&[
        ("a.html", "<!DOCTYPE html><link rel=stylesheet href=x.css><p>a</p><i>b</i>"),
        ("b.html", "<!DOCTYPE html><style>p { height: 77px }</style><b>c</b><p>d</p><p>e</p>"),
        ("c.html", "<!DOCTYPE html><p>fine</p>"),
        ("x.css", "p { height: 77px }"),
    ]);
    let options = options(&words("--holds 'document.querySelector(\"p\").offsetHeight == 77'"));
    let batch = Batch {
        inputs: vec![place.path().to_owned()],
        test: &PageTest::new(&options, false).unwrap(),
        output: place.path().with_extension("bugs"),
        language: LanguageChoice::Guess,
        new_since: None,
        jobs: 2,
        workers: Workers::default(),
        limits: TestLimits::default(),
        retry: RetryPolicy::default(),
        companions: Vec::new(),
        languages: Languages::default(),
        max_time: None,
        stop: CancelToken::new().unwrap(),
        began_as: Invocation::default(),
        alone: &|_| Invocation::default(),
        observer: &|_| {},
    };
    let outcome = batch.run().unwrap();
    fs::remove_dir_all(&batch.output).unwrap();
    assert_eq!(outcome.passing, [place.path().join("c.html")]);
    assert_eq!(outcome.inputs, 3, "a style sheet is no page");
    let bugs = &outcome.bugs.bugs;
    assert_eq!(bugs.iter().map(|bug| bug.inputs.len()).sum::<usize>(), 2);
    assert!(bugs.iter().all(|bug| bug.is_certified), "{bugs:?}");
    assert!(bugs[0].failure.starts_with("--holds=document."), "{}", bugs[0].failure);
}

#[test]
fn what_a_page_loads_is_put_into_it() {
    let place = pages(&[("a.html", "<!DOCTYPE html><link rel=stylesheet href=a_files/x.css><p>a")]);
    fs::create_dir(place.path().join("a_files")).unwrap();
    fs::write(place.path().join("a_files/x.css"), "p { height: 77px }").unwrap();
    let args = options(&words("--holds 'document.querySelector(\"p\").offsetHeight == 77'"));
    let page = place.path().join("a.html");
    let prepared = prepare(&page, &args, false, &mut |_| ()).unwrap();
    assert_eq!((&prepared.name, prepared.is_directory), (&page, false));
    let text = String::from_utf8(prepared.input).unwrap();
    assert!(text.contains("<style>p { height: 77px }</style>"), "{text}");
}

/// Answers requests for three files at a port until the test ends, and returns the port.
fn site() -> u16 {
    let server = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = server.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for stream in server.incoming() {
            let mut stream = stream.unwrap();
            let mut line = String::new();
            BufReader::new(&stream).read_line(&mut line).unwrap();
            let (kind, body) = match line.split(' ').nth(1) {
                Some("/a") => ("html", "<link rel=stylesheet href=c><p>a<iframe src=b></iframe>"),
                Some("/b") => ("html", "<p id=b>frame"),
                Some("/c") => ("css", "p { height: 77px }"),
                _ => ("plain", ""),
            };
            let length = body.len();
            // A browser may ask for what it then does not want.
            let _gone = write!(
                stream,
                "HTTP/1.1 200 OK\r\nContent-Type: text/{kind}\r\nContent-Length: {length}\r\n\
                 Connection: close\r\n\r\n{body}"
            );
        }
    });
    port
}

#[test]
fn a_page_of_a_site_is_saved_and_shown_from_its_file() {
    let place = pages(&[]);
    let address = format!("http://127.0.0.1:{}/a", site());
    let said = save(&address, &place.path().join("a.har"), &options(&[])).unwrap();
    assert_eq!(said.len(), 1, "{said:?}");
    for browser in BROWSERS {
        let holds = "document.querySelector(\"p\").offsetHeight == 77 && frames[0].b.textContent == \"frame\"";
        let answer = answer(place.path(), &format!("a.har --browser {browser} --holds '{holds}'"));
        assert_eq!(answer.code, 0, "{browser}: {}", answer.said);
    }
}

#[cfg(feature = "firefox")]
#[test]
fn firefox_answers_as_well() {
    let place = pages(&[
        (
            "a.html",
            "<!DOCTYPE html><p style='height:77px'>a</p><script>alert(1); console.log('width', 3); f()</script>",
        ),
        ("framed.html", "<!DOCTYPE html><iframe src=x.css></iframe>"),
        ("a.har", RECORDED),
    ]);
    let har = place.path().join("a.har");
    let framed = format!(
        "framed.html --har {} --browser firefox --holds 'frames[0].document.body.textContent.includes(\"77px\")'",
        har.display()
    );
    let lines = [
        (0, &framed[..]),
        (
            0,
            "a.html --browser firefox --holds 'document.querySelector(\"p\").offsetHeight == 77' --holds 'innerWidth == 800'",
        ),
        (0, "a.html --browser firefox --console 'width 3' --console 'ReferenceError: f'"),
        (126, "a.html --browser firefox --holds '1 +'"),
        (1, "a.html --browser firefox --holds 'undefined.x'"),
        (1, "a.html --browser firefox --relayout-differs"),
        (126, "a.html --browser firefox --crash"),
    ];
    let (expected, lines): (Vec<u8>, Vec<&str>) = lines.into_iter().unzip();
    let (found, said) = codes(place.path(), &lines);
    assert_eq!(found, expected, "{said}");
}
