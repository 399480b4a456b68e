//! Tests of pages in a real Chromium. Where none is installed, that is said and nothing is tested:
//! nothing else stands in for it.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output};

const PROGRAM: &str = env!("CARGO_BIN_EXE_minirepro-browser");

fn is_installed() -> bool {
    is_one_installed(&[
        "chromium-headless-shell",
        "chrome-headless-shell",
        "chromium",
        "chromium-browser",
        "google-chrome",
        "google-chrome-stable",
    ])
}

fn is_one_installed(names: &[&str]) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path).any(|d| names.iter().any(|n| d.join(n).is_file()));
    if !found {
        // Not `eprintln!`: the test runner shows that of tests that fail only.
        let message = format!("not tested: there is none of {}\n", names.join(", "));
        std::io::stderr().write_all(message.as_bytes()).unwrap();
    }
    found
}

fn run(directory: &Path, arguments: &[&str]) -> (Option<i32>, String) {
    let Output { status, stderr, .. } =
        Command::new(PROGRAM).current_dir(directory).args(arguments).output().unwrap();
    (status.code(), String::from_utf8_lossy(&stderr).into_owned())
}

#[test]
fn one_browser_answers_many_tests() {
    if !is_installed() {
        return;
    }
    let place = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(place.path().join(name), text).unwrap();
    write(
        "tall.html",
        "<!DOCTYPE html><p style='height:77px;background:red'>a</p><script>alert(1)</script>",
    );
    write("plain.html", "<!DOCTYPE html><p>a</p>");
    write("loud.html", "<script>console.log('width', 3); undefined_name()</script>");
    write("stores.html", "<script>localStorage.setItem('a', 1)</script>");
    write("keeps.html", "<script>sessionStorage.setItem('a', 1); window.name = 'x'</script>");
    write(
        "frames.html",
        "<script>sessionStorage.setItem('a', 1)</script><iframe name=q srcdoc='<p>'></iframe>",
    );
    // In a layout from scratch an animation that is over begins anew.
    write(
        "settles.html",
        "<!DOCTYPE html><style>p { height: 10px; animation: a 1ms forwards }
        @keyframes a { to { height: 30px } }</style><p>a",
    );
    write("stuck.html", "<script>while (true) {}</script>");
    write("later.html", "<script>setTimeout(() => { while (true) {} }, 20)</script>");
    write("busy.html", "<script>setInterval(() => 0, 20)</script>");
    // Each line is a test; all run in one session and append what they answer.
    let lines = [
        "test tall.html --holds 'document.querySelector(\"p\").offsetHeight == 77'",
        "test plain.html --holds 'document.querySelector(\"p\").offsetHeight == 77'",
        "test plain.html --holds 'document.querySelector(\"q\").offsetHeight == 77'",
        "test plain.html --holds 'document.compatMode == \"CSS1Compat\"' --holds 'innerWidth == 800'",
        "test plain.html --holds '1 +'",
        "test loud.html --console 'width 3' --console 'ReferenceError: undefined_name'",
        "test plain.html --console .",
        "test stuck.html --holds true --timeout 0.5",
        "screenshot plain.html plain.png",
        "test plain.html --looks-like plain.png",
        "test plain.html --differs-from plain.png",
        "test tall.html --differs-from plain.png --pixels 3",
        "test stores.html --holds 'localStorage.length == 1'",
        "test plain.html --holds 'localStorage.length == 0'",
        "test keeps.html --holds 'sessionStorage.length == 1 && name == \"x\"'",
        "test plain.html --holds 'sessionStorage.length == 0 && name == \"\"'",
        "test frames.html --holds 'sessionStorage.length == 1 && frames[0].name == \"q\"'",
        "test missing.html --crash",
        "test plain.html --crash",
        "test stuck.html --hangs 0.3",
        "test later.html --hangs 0.3",
        "test busy.html --hangs 0.3",
        "test plain.html --relayout-differs",
        "test settles.html --relayout-differs p",
        "test settles.html --relayout-differs p --by 50",
        "test plain.html --seed 1 --holds 'Math.random() == 0.6270739405881613 && Date.now() == 1577836800000'",
        "test plain.html --dark --print --scale 2 --holds 'matchMedia(\"print and (prefers-color-scheme: dark)\").matches && devicePixelRatio == 2'",
        "test plain.html --holds 1 --browser firefox",
    ];
    let script: String =
        lines.iter().map(|line| format!("\"$1\" {line}; printf '%s ' $? >> codes\n")).collect();
    write("all.sh", &script);
    let (code, errors) = run(place.path(), &["session", "--", "sh", "all.sh", PROGRAM]);
    let codes = fs::read_to_string(place.path().join("codes")).unwrap();
    assert_eq!(
        codes, "0 1 1 0 126 0 1 125 0 0 1 0 0 0 0 0 0 126 1 0 0 1 1 0 1 0 0 126 ",
        "{errors}"
    );
    assert_eq!(code, Some(0));
    assert!(errors.contains("SyntaxError") && errors.contains("missing.html"), "{errors}");
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

#[test]
fn pages_come_with_their_files_and_say_what_they_wait_for() {
    if !is_installed() {
        return;
    }
    let place = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(place.path().join(name), text).unwrap();
    fs::create_dir_all(place.path().join("site")).unwrap();
    fs::create_dir_all(place.path().join("empty")).unwrap();
    write("site/p.html", "<!DOCTYPE html><link rel=stylesheet href=x.css><p>a");
    write("site/x.css", "p { height: 77px }");
    write("a.har", RECORDED);
    write(
        "p.html",
        "<!DOCTYPE html><link rel=stylesheet href=x.css><p>a<script>document.title = 1</script>",
    );
    write("late.html", "<p>a<script>setTimeout(() => document.title = 1, 40)</script>");
    write("fails.html", "<script>Promise.reject(new Error('lost'))</script>");
    write("stuck.html", "<script>while (true) {}</script>");
    let lines = [
        "test site --page p.html --holds 'document.querySelector(\"p\").offsetHeight == 77'",
        "test empty --page p.html --holds true",
        "test p.html --har a.har --holds 'document.querySelector(\"p\").offsetHeight == 77 && !document.title'",
        "test p.html --har a.har --holds 'location.href == \"https://a.test/d/p\" && !!document.title' --ignore-csp",
        "test p.html --holds 'document.querySelector(\"p\").offsetHeight == 77'",
        "test late.html --holds 'document.title == 1'",
        "test fails.html --console 'Error: lost'",
        "test p.html --crash --stack x",
        "test p.html --browsers-differ --against chromium",
        // The second look is another one.
        "test late.html --holds 'Math.random() < 2' --looks 5",
        "test stuck.html --holds 1 --timeout 0.5",
    ];
    let script: String =
        lines.iter().map(|line| format!("\"$1\" {line}; printf '%s ' $? >> codes\n")).collect();
    write("all.sh", &script);
    let (code, errors) = run(place.path(), &["session", "--", "sh", "all.sh", PROGRAM]);
    let codes = fs::read_to_string(place.path().join("codes")).unwrap();
    assert_eq!(codes, "0 1 0 0 1 0 0 1 126 0 125 ", "{errors}");
    assert_eq!(code, Some(0));
    assert!(errors.contains("a script runs without an end"), "{errors}");
}

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
    if !is_installed() {
        return;
    }
    let place = tempfile::tempdir().unwrap();
    fs::write(place.path().join("a.html"), "<p>a<script>%AbortJS('lost it')</script>").unwrap();
    let program = with_option(place.path(), "crashes", "--js-flags=--allow-natives-syntax");
    let test = |stack: &str| {
        run(place.path(), &["test", "a.html", "--browser", &program, "--crash", "--stack", stack])
    };
    let (code, errors) = test("abort: lost it");
    assert_eq!(code, Some(0), "{errors}");
    let (code, errors) = test("abort: found it");
    assert_eq!(code, Some(1), "{errors}");
}

#[test]
fn two_versions_of_a_browser_are_compared() {
    if !is_installed() {
        return;
    }
    let place = tempfile::tempdir().unwrap();
    let page = "<!DOCTYPE html><body style='width:100px'><p style='color:red'>a<b style='font-size:9px'>b</b>";
    fs::write(place.path().join("a.html"), page).unwrap();
    let other = with_option(place.path(), "other", "--blink-settings=defaultFontSize=40");
    let lines = [
        "p",
        "p --by 300",
        "p --compare styles",
        "p --compare styles --property color --property font-size",
        "p --compare styles --property color",
        "b --compare styles --property font-size",
        "p --compare pixels",
        "p --compare pixels --pixels 480000",
    ];
    let script: String = lines
        .iter()
        .map(|line| {
            format!("\"$1\" test a.html --against '{other}' --browsers-differ {line}; printf '%s ' $? >> codes\n")
        })
        .collect();
    fs::write(place.path().join("all.sh"), script).unwrap();
    let (code, errors) = run(
        place.path(),
        &["session", "--browser", "chromium", "--browser", &other, "--", "sh", "all.sh", PROGRAM],
    );
    let codes = fs::read_to_string(place.path().join("codes")).unwrap();
    assert_eq!(codes, "0 1 0 0 1 1 0 1 ", "{errors}");
    assert_eq!(code, Some(0));
}

#[test]
fn what_could_be_the_failure_is_listed_with_its_option() {
    if !is_installed() {
        return;
    }
    let place = tempfile::tempdir().unwrap();
    fs::write(place.path().join("a.html"), "<p>a<script>console.log('b (c)')</script>").unwrap();
    let listed = Command::new(PROGRAM)
        .current_dir(place.path())
        .args(["reduce", "a.html", "--record"])
        .stdin(std::process::Stdio::null())
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&listed.stdout);
    assert!(
        text.starts_with("1. on the console: b (c)\n   '--console=b \\(c\\)'\n"),
        "{text}{}",
        String::from_utf8_lossy(&listed.stderr)
    );
}

#[test]
fn tests_at_the_same_time_store_things_apart() {
    if !is_installed() {
        return;
    }
    let place = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(place.path().join(name), text).unwrap();
    write("stores.html", "<script>localStorage.setItem('a', 1)</script>");
    write("plain.html", "<p>a</p>");
    let script = "\"$1\" test stores.html --wait 0.5 --holds 'localStorage.length == 1' || echo lost > lost &
        for n in 1 2 3; do \"$1\" test plain.html --holds 'localStorage.length == 0' || echo kept > kept; done
        wait";
    write("all.sh", script);
    let (code, errors) = run(place.path(), &["session", "--", "sh", "all.sh", PROGRAM]);
    assert_eq!(code, Some(0), "{errors}");
    let wrong = ["lost", "kept"].map(|name| place.path().join(name).exists());
    assert_eq!(wrong, [false, false], "{errors}");
}

#[test]
fn firefox_answers_many_tests_as_well() {
    if !is_one_installed(&["firefox", "firefox-esr"]) {
        return;
    }
    let place = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(place.path().join(name), text).unwrap();
    write(
        "a.html",
        "<!DOCTYPE html><p style='height:77px'>a</p><script>alert(1); console.log('width', 3); f()</script>",
    );
    write("stores.html", "<script>localStorage.setItem('a', 1)</script>");
    write("a.har", RECORDED);
    write("framed.html", "<!DOCTYPE html><iframe src=x.css></iframe>");
    let lines = [
        "test framed.html --har a.har --holds 'frames[0].document.body.textContent.includes(\"77px\")'",
        "test a.html --holds 'document.querySelector(\"p\").offsetHeight == 77' --holds 'innerWidth == 800'",
        "test a.html --console 'width 3' --console 'ReferenceError: f'",
        "test a.html --holds '1 +'",
        "test a.html --holds 'undefined.x'",
        "test stores.html --holds 'localStorage.length == 1'",
        "test stores.html --holds 'localStorage.length == 2'",
        "screenshot a.html a.png",
        "test a.html --looks-like a.png",
        "test a.html --relayout-differs",
        "test a.html --holds 1 --browser chromium",
        "test a.html --crash",
    ];
    // On a machine with much else to do, a Firefox that has just begun takes long for its first
    // page.
    let with_time =
        |line: &&str| format!("\"$1\" {line} --timeout 100; printf '%s ' $? >> codes\n");
    let script: String = lines.iter().map(with_time).collect();
    write("all.sh", &script);
    let (code, errors) =
        run(place.path(), &["session", "--browser", "firefox", "--", "sh", "all.sh", PROGRAM]);
    let codes = fs::read_to_string(place.path().join("codes")).unwrap();
    assert_eq!(codes, "0 0 0 126 1 0 1 0 0 1 126 126 ", "{errors}");
    assert_eq!(code, Some(0));
}

#[test]
fn a_test_without_a_session_has_a_browser_of_its_own() {
    if !is_installed() {
        return;
    }
    let place = tempfile::tempdir().unwrap();
    fs::write(place.path().join("a.html"), "<p>a").unwrap();
    let (code, errors) = run(place.path(), &["test", "a.html", "--holds", "1 + 1 == 2"]);
    assert_eq!(code, Some(0), "{errors}");
}

#[test]
fn without_a_browser_the_test_cannot_be_run() {
    let place = tempfile::tempdir().unwrap();
    fs::write(place.path().join("a.html"), "a").unwrap();
    let broken = place.path().join("broken");
    fs::write(&broken, "#!/bin/sh\nexit 3\n").unwrap();
    fs::set_permissions(&broken, fs::Permissions::from_mode(0o755)).unwrap();
    let program = broken.to_str().unwrap();
    let (code, errors) = run(place.path(), &["test", "a.html", "--crash", "--browser", program]);
    assert_eq!(code, Some(126));
    assert!(errors.contains("Chromium ended at once"), "{errors}");
}

#[test]
fn a_report_gets_boxes_as_numbers_and_in_pictures() {
    if !is_installed() {
        return;
    }
    let place = tempfile::tempdir().unwrap();
    let page = "<!DOCTYPE html><style>p { height: 10px; animation: a 1ms forwards }
        @keyframes a { to { height: 30px } }</style><p>a";
    fs::write(place.path().join("a.html"), page).unwrap();
    let evidence = place.path().join("evidence");
    fs::create_dir(&evidence).unwrap();
    let status = Command::new(PROGRAM)
        .current_dir(place.path())
        .env("MINIREPRO_EVIDENCE", &evidence)
        .args(["test", "a.html", "--relayout-differs", "p"])
        .status()
        .unwrap();
    assert!(status.success());
    let text = |name: &str| fs::read_to_string(evidence.join(name)).unwrap();
    assert!(
        text("failure.txt").starts_with("p is not where a layout from scratch puts it: height")
    );
    assert!(text("boxes.txt").contains("\np  "), "{}", text("boxes.txt"));
    assert!(text("browsers.txt").contains("Chrom"), "{}", text("browsers.txt"));
    for name in ["layout-as-it-is.png", "layout-from-scratch.png"] {
        assert!(fs::read(evidence.join(name)).unwrap().starts_with(b"\x89PNG"), "{name}");
    }
}

#[test]
fn a_condition_that_does_not_hold_is_explained_and_a_failed_start_leaves_nothing() {
    if !is_installed() {
        return;
    }
    let place = tempfile::tempdir().unwrap();
    fs::write(place.path().join("a.html"), "<!DOCTYPE html><p>a").unwrap();
    for (holds, expected) in [
        ("document.querySelector('nope').x", "throws TypeError"),
        (
            "document.querySelectorAll('p').length == 2",
            "document.querySelectorAll('p').length: is 1",
        ),
    ] {
        let (code, errors) = run(place.path(), &["test", "a.html", "--holds", holds]);
        assert_eq!(code, Some(1));
        assert!(errors.contains(expected), "{errors}");
    }
    // Stands in for a run that does not begin.
    let programs = tempfile::tempdir().unwrap();
    let own = programs.path().join("minirepro-browser");
    fs::copy(PROGRAM, &own).unwrap();
    let refuses = programs.path().join("minirepro");
    fs::write(&refuses, "#!/bin/sh\nexit 2\n").unwrap();
    fs::set_permissions(&refuses, fs::Permissions::from_mode(0o755)).unwrap();
    let status = Command::new(&own)
        .current_dir(place.path())
        .args(["reduce", "a.html", "--holds", "false"])
        .status()
        .unwrap();
    assert_eq!(status.code(), Some(2));
    assert!(!place.path().join("a.min.html.test.sh").exists());
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
fn actions_are_played_as_by_a_person() {
    for (name, names) in [
        ("chromium", &["chromium-headless-shell", "chromium"][..]),
        ("firefox", &["firefox", "firefox-esr"]),
    ] {
        if !is_one_installed(names) {
            continue;
        }
        let place = tempfile::tempdir().unwrap();
        fs::write(place.path().join("a.html"), PLAYED).unwrap();
        let test = ["test", "a.html", "--browser", name, "--timeout", "100", "--holds", AFTER];
        let (code, errors) = run(place.path(), &test);
        assert_eq!(code, Some(0), "{name}: {errors}");
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
fn what_can_be_dragged_is_dropped() {
    for (name, names) in [
        ("chromium", &["chromium-headless-shell", "chromium"][..]),
        ("firefox", &["firefox", "firefox-esr"]),
    ] {
        if !is_one_installed(names) {
            continue;
        }
        let place = tempfile::tempdir().unwrap();
        fs::write(place.path().join("a.html"), DRAGGED).unwrap();
        let holds = "b.textContent == 'heredragmoved' && seen + '' == 'dragstart,drop,dragend'";
        let test = ["test", "a.html", "--browser", name, "--timeout", "100", "--holds", holds];
        let (code, errors) = run(place.path(), &test);
        assert_eq!(code, Some(0), "{name}: {errors}");
    }
}

#[test]
fn an_element_is_found_where_others_around_it_have_gone() {
    if !is_installed() {
        return;
    }
    let place = tempfile::tempdir().unwrap();
    let page = "<!DOCTYPE html><p onclick='document.title += 1'>a</p><ul><li onclick='document.title += 2'>b</ul>\
        <script type=text/actions>click('main>p:nth-child(3)'); click('li:nth-child(2)');click('#c p');click('i')</script>";
    fs::write(place.path().join("a.html"), page).unwrap();
    let test = ["test", "a.html", "--timeout", "100", "--holds", "document.title == '121'"];
    let (code, errors) = run(place.path(), &test);
    assert_eq!(code, Some(0), "{errors}");
}

/// Returns the process below `parent` that has this word among its arguments.
fn below(parent: u32, word: &str) -> Option<u32> {
    let is_child = |process: &u32| {
        let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
        status.lines().any(|line| line == format!("PPid:\t{parent}"))
    };
    let all = fs::read_dir("/proc").unwrap().map(|entry| entry.unwrap().file_name());
    let all = all.filter_map(|name| name.to_str()?.parse().ok());
    all.filter(is_child).find_map(|child| {
        let command = fs::read(format!("/proc/{child}/cmdline")).unwrap_or_default();
        // Chromium writes blanks between the arguments of processes that it has forked.
        let is_it = command.windows(word.len()).any(|part| part == word.as_bytes());
        if is_it { Some(child) } else { below(child, word) }
    })
}

#[test]
fn a_crash_of_the_process_that_draws_is_seen() {
    if !is_installed() {
        return;
    }
    let place = tempfile::tempdir().unwrap();
    let server = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let page = format!("<!DOCTYPE html><img src=http://{}/>", server.local_addr().unwrap());
    fs::write(place.path().join("a.html"), page).unwrap();
    fs::write(place.path().join("b.html"), "<!DOCTYPE html><p>a").unwrap();
    let test = |name: &str| {
        let mut command = Command::new(PROGRAM);
        command.current_dir(place.path()).args(["test", name, "--crash", "--online"]);
        command.args(["--looks", "1", "--timeout", "100"]).spawn().unwrap()
    };
    let mut crashing = test("a.html");
    // The page waits for its picture, and gets it when the process is gone.
    let (mut asking, _) = server.accept().unwrap();
    let drawing = || below(crashing.id(), "--type=gpu-process");
    let first = drawing().unwrap();
    let kill = ["-SEGV", &first.to_string()];
    assert!(Command::new("kill").args(kill).status().unwrap().success());
    while drawing().is_none_or(|now| now == first) {}
    asking.write_all(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n").unwrap();
    drop(asking);
    assert_eq!(crashing.wait().unwrap().code(), Some(0));
    assert_eq!(test("b.html").wait().unwrap().code(), Some(1));
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
    for (name, names) in [
        ("chromium", &["chromium-headless-shell", "chromium"][..]),
        ("firefox", &["firefox", "firefox-esr"]),
    ] {
        if !is_one_installed(names) {
            continue;
        }
        let place = tempfile::tempdir().unwrap();
        let address = format!("http://127.0.0.1:{}/a", site());
        let save = ["save", &address, "--browser", name, "--timeout", "100", "-o", "a.har"];
        let (code, errors) = run(place.path(), &save);
        assert_eq!((code, &errors[..]), (Some(0), ""), "{name}");
        let holds =
            "document.querySelector('p').offsetHeight == 77 && frames[0].b.textContent == 'frame'";
        let test = ["test", "a.har", "--browser", name, "--timeout", "100", "--holds", holds];
        let (code, errors) = run(place.path(), &test);
        assert_eq!(code, Some(0), "{name}: {errors}");
    }
}

#[test]
fn what_is_done_goes_on_in_the_page_that_comes() {
    for (name, names) in [
        ("chromium", &["chromium-headless-shell", "chromium"][..]),
        ("firefox", &["firefox", "firefox-esr"]),
    ] {
        if !is_one_installed(names) {
            continue;
        }
        let place = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| fs::write(place.path().join(name), text).unwrap();
        write(
            "a.html",
            "<!DOCTYPE html><form action=b.html><input name=q></form><script type=text/actions>\
             click(\"input\"); type(\"x\"); press(\"Enter\"); click(\"button\"); go(\"#there\")</script>",
        );
        write("b.html", "<!DOCTYPE html><button onclick='document.title = 1'>B</button>");
        let holds = "document.title + location.search + location.hash == '1?q=x#there'";
        let test = ["test", "a.html", "--browser", name, "--timeout", "100", "--holds", holds];
        let (code, errors) = run(place.path(), &test);
        assert_eq!(code, Some(0), "{name}: {errors}");
    }
}

#[test]
fn counters_and_readers_of_screens_are_asked() {
    if !is_installed() {
        return;
    }
    let place = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(place.path().join(name), text).unwrap();
    write(
        "busy.html",
        "<p>a<script>for (let n = 0; n < 90; n++) { document.querySelector('p').style.width = n + 'px'; document.body.offsetWidth }</script>",
    );
    write(
        "grows.html",
        "<p>a<script>const kept = []</script><script type=text/actions>kept.push(document.createElement('b'));</script>",
    );
    write("named.html", "<!DOCTYPE html><button aria-label='Go'>x</button><button></button>");
    // In a layout from scratch an animation that is over waits for its time, which never comes:
    // with a short one, a machine that is slow sees its end there as well.
    write(
        "repaints.html",
        "<!DOCTYPE html><style>p { height: 10px; background: red; animation: a 1ms 9999s forwards }
        @keyframes a { to { background: green } }</style><p>a<script>document.getAnimations()[0].finish()</script>",
    );
    let lines = [
        "busy.html --counts LayoutCount=90",
        "busy.html --counts LayoutCount=900",
        "busy.html --counts Nothing=1",
        "grows.html --grows Nodes=1",
        "grows.html --grows Nodes=2",
        "named.html --holds 'accessible.some(e => e.role == \"button\" && e.name == \"Go\")'",
        "named.html --holds 'accessible.filter(e => e.role == \"button\" && !e.name).length == 2'",
        "repaints.html --relayout-differs --compare pixels",
        "named.html --relayout-differs --compare pixels",
    ];
    let script: String = lines
        .iter()
        .map(|line| format!("\"$1\" test {line}; printf '%s ' $? >> codes\n"))
        .collect();
    write("all.sh", &script);
    let (code, errors) = run(place.path(), &["session", "--", "sh", "all.sh", PROGRAM]);
    let codes = fs::read_to_string(place.path().join("codes")).unwrap();
    assert_eq!(codes, "0 1 126 0 1 0 1 0 1 ", "{errors}");
    assert_eq!(code, Some(0));
}

#[test]
fn what_readers_of_screens_get_is_compared() {
    if !is_installed() || !is_one_installed(&["firefox", "firefox-esr"]) {
        return;
    }
    let place = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(place.path().join(name), text).unwrap();
    write(
        "same.html",
        "<!DOCTYPE html><button aria-label=Go>x</button><a href=x>y</a><ul><li>z</ul>",
    );
    // A picture that is not there is a picture in Chromium and a text in Firefox.
    write("differs.html", "<!DOCTYPE html><button>x</button><img alt=A>");
    let script = "for page in same differs; do \"$1\" test $page.html --timeout 100 \\
        --browsers-differ --compare accessibility; printf '%s ' $? >> codes; done";
    write("all.sh", script);
    let both = ["session", "--browser", "chromium", "--browser", "firefox", "--", "sh", "all.sh"];
    let (_, errors) = run(place.path(), &[&both[..], &[PROGRAM]].concat());
    let codes = fs::read_to_string(place.path().join("codes")).unwrap();
    assert_eq!(codes, "1 0 ", "{errors}");
}
