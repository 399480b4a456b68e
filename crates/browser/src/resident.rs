//! Answers the tests of a session in the session's own process, where tabs stay open between them.
//! A test is a small process then that passes on its arguments: see `ask`.

use std::io::{Read, Write};
use std::net::Shutdown;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::Parser;
use serde_json::{Value, json};

use crate::args::Test;
use crate::evidence;
use crate::judge::{CONFIRMS, EXPLAINS, Place, failed};
use crate::session::Session;

/// Tells tests where the session answers them.
pub(crate) const SOCKET: &str = "MINIREPRO_BROWSER_SOCKET";

/// Lets the session do a test in which this program was called, and returns the exit code. `None`
/// if this is no such test, or one that this process has to do: it explains itself, collects files,
/// or confirms a result in a browser of its own.
pub(crate) fn ask() -> Option<ExitCode> {
    let own = |name: &&str| std::env::var_os(name).is_some();
    let socket = std::env::var_os(SOCKET)?;
    let words: Option<Vec<String>> =
        std::env::args_os().skip(1).map(|word| word.into_string().ok()).collect();
    let words = words.filter(|words| words.first().is_some_and(|word| word == "test"))?;
    if [EXPLAINS, CONFIRMS, evidence::EVIDENCE].iter().any(own) {
        return None;
    }
    let directory = std::env::current_dir().ok()?.into_os_string().into_string().ok()?;
    let mut stream = UnixStream::connect(socket).ok()?;
    stream.write_all(json!([directory, words]).to_string().as_bytes()).ok()?;
    stream.shutdown(Shutdown::Write).ok()?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).ok()?;
    let answer: Value = serde_json::from_str(&answer).ok()?;
    let code = answer[0].as_u64().and_then(|code| u8::try_from(code).ok())?;
    eprint!("{}", answer[1].as_str().unwrap_or_default());
    Some(ExitCode::from(code))
}

/// Answers tests from now on, at a socket in this directory.
///
/// # Errors
/// If there can be no such socket.
pub(crate) fn listen(directory: &Path, session: &Session) -> Result<PathBuf> {
    let socket = directory.join("tests");
    let listener = UnixListener::bind(&socket).context("no socket for tests")?;
    let session = session.clone();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let (Ok(stream), session) = (stream, session.clone()) else { continue };
            // Whose test cannot be read does it itself.
            std::thread::spawn(move || serve(stream, session));
        }
    });
    Ok(socket)
}

/// Answers one test, and empties its tabs only then.
fn serve(mut stream: UnixStream, session: Session) -> Result<()> {
    let mut asked = String::new();
    stream.read_to_string(&mut asked)?;
    let (directory, words): (String, Vec<String>) = serde_json::from_str(&asked)?;
    let Some(Test { file, conditions, how, .. }) = read(Path::new(&directory), words) else {
        return Ok(());
    };
    let looks = how.looks;
    let mut place = None;
    let seen = Place::new(Some(session), &conditions, &how)
        .and_then(|new| place.insert(new).test(&file, &conditions, &how, looks));
    let (code, said) = match seen {
        Ok(seen) => (u8::from(!seen.is_yes), seen.said),
        Err(error) => failed(&error),
    };
    if let Some(place) = &place {
        place.end();
    }
    // Nobody waits any more for the answer of a test that was stopped.
    let _gone = stream.write_all(json!([code, said]).to_string().as_bytes());
    drop(stream);
    drop(place);
    Ok(())
}

/// The arguments of a test.
#[derive(Parser)]
struct Called {
    #[command(flatten)]
    test: Test,
}

/// Reads the arguments of a test that was called in a directory.
fn read(directory: &Path, words: Vec<String>) -> Option<Test> {
    let Called { mut test } = Called::try_parse_from(words).ok()?;
    let absolute = |path: &mut PathBuf| *path = directory.join(&*path);
    let (conditions, how) = (&mut test.conditions, &mut test.how);
    let files = [&mut conditions.looks_like, &mut conditions.differs_from, &mut how.har];
    files.into_iter().flatten().for_each(absolute);
    absolute(&mut test.file);
    test.conditions.is_any().then_some(test)
}
