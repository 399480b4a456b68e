//! What can be asked of a page, whichever browser shows it.

use std::path::Path;
use std::time::Duration;

use anyhow::{Result, bail};
use minirepro_program::CancelToken;
use serde_json::{Value, json};

use crate::actions::Action;
use crate::connection::{Connection, Problem};
use crate::har::Served;
use crate::settle;

/// Where an empty tab is.
pub(crate) const EMPTY: &str = "about:blank";

/// What a person does with a mouse and a keyboard.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Input {
    Move([f64; 2]),
    /// Presses a button: 0 the left, 2 the right one; how often in a row.
    Press {
        button: u8,
        count: u32,
    },
    Release {
        button: u8,
        count: u32,
    },
    /// Turns the wheel by these numbers of pixels at a place.
    Wheel {
        at: [f64; 2],
        by: [f64; 2],
    },
    Down(String),
    Up(String),
}

/// What there was to see.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Seen {
    Yes,
    No,
    Crash,
}

/// A page in a tab that is ours alone, with nothing stored from earlier pages.
pub(crate) trait Page: Send {
    /// Returns whether a crash of the tab is told from other failures.
    fn sees_crashes(&self) -> bool {
        false
    }

    /// Returns the number of the process that draws for the browser, if it tells: another one comes
    /// when that has crashed.
    fn drawing(&mut self) -> Result<Option<u64>> {
        Ok(None)
    }

    /// Returns the connection, to limit its time.
    fn limited(&mut self) -> &mut Connection;

    /// Takes another page, shown in the same way, into a tab that is prepared.
    fn turn_to(&mut self, opening: &Opening);

    /// Loads the page and waits until it has loaded.
    fn open(&mut self) -> Result<()>;

    /// Opens another page in the tab and waits until it is loaded.
    fn visit(&mut self, address: &str) -> Result<()>;

    /// Prepares the tab for another look, with as much time as at first. What it shows goes now, or
    /// when the next page comes: see [`Opening`].
    fn again(&mut self, patience: Duration) -> Result<()>;

    /// Returns whether a new tab would be faster.
    fn is_worn(&self) -> bool {
        false
    }

    /// Returns what an expression gives, or what it throws.
    fn evaluate(&mut self, expression: &str) -> Result<Result<Value, String>>;

    /// Returns what is to be done on the page once it is loaded.
    fn actions(&self) -> &[Action];

    /// Does what a person does with a mouse and a keyboard.
    fn input(&mut self, inputs: &[Input]) -> Result<()>;

    /// Gives the window another size.
    fn resize(&mut self, size: (u32, u32)) -> Result<()>;

    /// Returns the answers of servers that the page got, if its view keeps them.
    fn kept(&mut self) -> Result<Vec<Kept>> {
        Ok(Vec::new())
    }

    /// Returns what was written to the console so far, and what scripts failed with.
    fn console(&mut self) -> Vec<String>;

    /// Returns the addresses of requests that have no answer yet, if the browser tells.
    fn open_requests(&mut self) -> Vec<String> {
        Vec::new()
    }

    /// Returns what the window shows, as PNG.
    fn screenshot(&mut self) -> Result<Vec<u8>>;

    /// Closes the tab.
    fn close(self: Box<Self>);

    /// Loads the page and waits until it has loaded.
    fn load(&mut self) -> Result<Seen> {
        or_crash(self.open().map(|()| Seen::Yes))
    }

    /// Returns whether an expression is true in the page; an exception means that it is not.
    fn holds(&mut self, expression: &str) -> Result<Seen> {
        match self.evaluate(&as_truth(expression)) {
            Ok(Err(thrown)) if thrown.starts_with("SyntaxError") => {
                bail!("--holds {expression}: {thrown}")
            }
            Ok(Ok(Value::Bool(true))) => Ok(Seen::Yes),
            given => or_crash(given.map(|_| Seen::No)),
        }
    }

    /// Returns the text that an expression gives; `None` if it throws an exception or gives
    /// something else.
    fn text(&mut self, expression: &str) -> Result<Option<String>> {
        let value = self.evaluate(expression)?.unwrap_or_default();
        Ok(value.as_str().map(str::to_owned))
    }

    /// Opens a page that is said as seen from this one.
    fn go(&mut self, address: &str) -> Result<()> {
        let whole = self.text(&format!("new URL({}, location.href).href", json!(address)))?;
        self.visit(whole.as_deref().unwrap_or(address))
    }
}

/// Takes the crash of a tab for something that one sees.
fn or_crash(seen: Result<Seen>) -> Result<Seen> {
    match seen {
        Err(error) if error.downcast_ref() == Some(&Problem::Crash) => Ok(Seen::Crash),
        seen => seen,
    }
}

/// An answer that a page got.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Kept {
    pub(crate) address: String,
    pub(crate) method: String,
    pub(crate) status: u64,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) mime: String,
    pub(crate) body: String,
    pub(crate) is_base64: bool,
    /// Why it could not be kept.
    pub(crate) lost: Option<String>,
}

/// How long a page that has taken too long may take to say what it waits for.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// Says what a page still waits for.
pub(crate) fn pending(page: &mut dyn Page) -> String {
    page.limited().limit(LAST_WORDS);
    let said = page.text(settle::PENDING).ok().flatten();
    let requests = page.open_requests();
    settle::in_words(said.as_deref(), &requests)
}

/// Returns the expression whose value is whether another one is true, as JavaScript sees it. That
/// one is evaluated where the scripts of the page are, and a promise is waited for.
pub(crate) fn as_truth(expression: &str) -> String {
    format!("(async value => !!await value)((\n{expression}\n))")
}

/// Returns the expression that says in words what another one gives: its value, or what it throws.
pub(crate) fn as_words(expression: &str) -> String {
    format!(
        "(async value => {{ try {{
        const v = await value();
        const shown = v instanceof Node ? `a ${{v.nodeName}}`
            : typeof v === 'function' || typeof v === 'symbol' ? String(v) : JSON.stringify(v) ?? String(v);
        return `is ${{shown.length > 300 ? shown.slice(0, 300) + '…' : shown}}`;
        }} catch (thrown) {{ return `throws ${{thrown}}`; }} }})(() => (\n{expression}\n))"
    )
}

/// Which page is opened, and how.
#[derive(Clone, Debug)]
pub(crate) struct Opening {
    /// Where the page is: `file://…`, or where it was once.
    pub(crate) address: String,
    pub(crate) view: View,
    /// Answers to requests of the page; without them the network is off, unless the view keeps what
    /// comes from there.
    pub(crate) served: Option<Served>,
    /// What is done on the page once it is loaded.
    pub(crate) actions: Vec<Action>,
    /// Whether the page must be gone before the next one comes. An empty page in between takes as
    /// long as a small page.
    pub(crate) emptied: bool,
    /// Set when nobody wants the answer any more.
    pub(crate) stop: Option<CancelToken>,
}

/// The window in which a page is shown.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Window {
    /// Width and height in CSS pixels.
    pub(crate) size: (u32, u32),
    /// Pixels of the screen for one of CSS.
    pub(crate) scale: f64,
}

/// How a page is shown.
#[derive(Clone, Debug)]
pub(crate) struct View {
    pub(crate) window: Window,
    /// As on paper.
    pub(crate) print: bool,
    /// Fixes time and random numbers.
    pub(crate) seed: Option<u32>,
    /// Lets the page use the network, and keeps the answers that it gets.
    pub(crate) keeps: bool,
}

impl View {
    /// Returns what runs before any script of the page: it watches timers and frames, and fixes
    /// time and random numbers if that is wanted.
    pub(crate) fn script(&self) -> String {
        let fixed = self.seed.map(|seed| FIXED.replace("SEED", &seed.to_string()));
        settle::watch() + &fixed.unwrap_or_default()
    }
}

/// Random numbers come from a generator with a seed (mulberry32, Tommy Ettinger 2017). Each look at
/// a clock lets one millisecond pass, so that a page that waits for a time gets there.
const FIXED: &str = include_str!("scripts/fixed.js");

/// Returns `file://…` with everything escaped that could have a meaning in an address.
pub(crate) fn address(file: &Path) -> String {
    let mut address = "file://".to_owned();
    for &byte in file.as_os_str().as_encoded_bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'/' | b'.' | b'-' | b'_') {
            address.push(char::from(byte));
        } else {
            address.push_str(&format!("%{byte:02X}"));
        }
    }
    address
}

#[cfg(test)]
mod tests {
    use super::{address, as_truth};

    #[test]
    fn names_of_files_are_escaped() {
        assert_eq!(address("/a b/#1?.html".as_ref()), "file:///a%20b/%231%3F.html");
    }

    #[test]
    fn a_comment_at_the_end_does_not_hide_what_follows() {
        assert_eq!(as_truth("a // b"), "(async value => !!await value)((\na // b\n))");
    }
}
