//! What can be asked of a page, whichever browser shows it.

use std::path::Path;
use std::time::Duration;

use anyhow::{Result, bail};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use minirepro_program::CancelToken;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::actions::Action;
use crate::args::{How, Window};
use crate::connection::{Call, Connection, Problem, Replies};
use crate::har::{Answer, Served};
use crate::settle;

/// Where an empty tab is.
pub(crate) const EMPTY: &str = "about:blank";

/// What a tab keeps from page to page. Frames have names of their own and share the storage; a page
/// that loads itself again still finds what it left there.
pub(crate) const FORGET: &str = include_str!("scripts/forget.js");

/// What a person does with a mouse and a keyboard.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Input {
    Move([f64; 2]),
    /// Presses a button: 0 the left, 2 the right one; how often in a row.
    Press(u8, u32),
    Release(u8, u32),
    /// Turns the wheel at a place by these numbers of pixels.
    Wheel([f64; 2], [f64; 2]),
    Down(String),
    Up(String),
}

/// Which page is opened, and how.
#[derive(Clone)]
pub(crate) struct Opening {
    /// Where the page is: `file://…`, or where it was once.
    pub(crate) address: String,
    pub(crate) how: How,
    /// How long the page may take.
    pub(crate) patience: Duration,
    /// Whether the page may use the network, and the answers that it gets are kept.
    pub(crate) keeps: bool,
    /// Answers to requests of the page; without them the network is off, unless what comes from
    /// there is kept.
    pub(crate) served: Option<Served>,
    /// What is done on the page once it is loaded.
    pub(crate) actions: Vec<Action>,
    /// Whether the page must be gone before the next one comes. An empty page in between takes as
    /// long as a small page.
    pub(crate) emptied: bool,
    /// Set when nobody wants the answer any more.
    pub(crate) stop: Option<CancelToken>,
}

impl Opening {
    /// Returns what runs before any script of the page: it watches timers and frames, and fixes
    /// time and random numbers if that is wanted. These come from a generator with a seed
    /// (mulberry32, Tommy Ettinger 2017). Each look at a clock lets one millisecond pass, so that a
    /// page that waits for a time gets there.
    pub(crate) fn script(&self) -> String {
        let fixed = include_str!("scripts/fixed.js");
        let fixed = self.how.seed.map(|seed| fixed.replace("SEED", &seed.to_string()));
        settle::WATCH.to_owned() + &fixed.unwrap_or_default()
    }
}

/// A tab that is ours alone, with nothing stored from earlier pages.
pub(crate) struct Tab {
    pub(crate) connection: Connection,
    pub(crate) opening: Opening,
    /// What was written to the console so far, and what scripts failed with.
    pub(crate) console: Vec<String>,
    /// What closes it, with all that it has stored.
    pub(crate) closing: Call,
}

/// A page in a tab.
pub(crate) trait Page: Send {
    fn tab(&mut self) -> &mut Tab;

    /// Returns the number of the process that draws for the browser: another one comes when that
    /// has crashed.
    fn drawing(&mut self) -> Result<Option<u64>> {
        bail!("--crash is for Chromium only")
    }

    /// Loads the page and waits until it has loaded.
    fn load(&mut self) -> Result<()> {
        let address = self.tab().opening.address.clone();
        self.visit(&address)
    }

    /// Opens another page in the tab and waits until it is loaded.
    fn visit(&mut self, address: &str) -> Result<()>;

    /// Prepares the tab, whose page is gone if that must be, for another look.
    fn prepare(&mut self) -> Result<()>;

    /// Returns whether a new tab would be faster.
    fn is_worn(&self) -> bool {
        false
    }

    /// Returns what an expression gives, or what it throws.
    fn evaluate(&mut self, expression: &str) -> Result<Result<Value, String>>;

    /// Does what a person does with a mouse and a keyboard.
    fn input(&mut self, inputs: &[Input]) -> Result<()>;

    /// Returns the call that gives the window another size.
    fn window(&self, size: Window) -> Call;

    /// Returns the answers of servers that the page got, if they are kept.
    fn kept(&mut self) -> Result<Vec<Answer>> {
        Ok(Vec::new())
    }

    /// Takes note of an event.
    fn hear(&mut self, event: &Value);

    /// Answers requests of the page.
    fn replies(&self, served: Served) -> Replies;

    /// Returns what the browser says with a picture of the window.
    fn shot(&mut self) -> Result<Value>;
}

impl dyn Page + '_ {
    /// Takes a page, shown in the same way, into a tab that is prepared.
    pub(crate) fn turn_to(&mut self, opening: Opening) {
        let replies = opening.served.clone().map(|served| self.replies(served));
        let tab = self.tab();
        tab.connection.limit(opening.patience);
        tab.connection.stop.clone_from(&opening.stop);
        tab.connection.replies = replies;
        tab.opening = opening;
    }

    /// Prepares the tab for another page.
    pub(crate) fn again(&mut self) -> Result<()> {
        let tab = self.tab();
        tab.connection.limit(PATIENCE);
        tab.connection.stop = None;
        if tab.opening.emptied {
            self.visit(EMPTY)?;
        }
        self.prepare()?;
        let tab = self.tab();
        tab.connection.seen_events();
        tab.console.clear();
        Ok(())
    }

    /// Returns whether an expression is true in the page; an exception means that it is not.
    pub(crate) fn holds(&mut self, expression: &str) -> Result<bool> {
        match self.evaluate(&as_truth(expression))? {
            Err(thrown) if thrown.starts_with("SyntaxError") => {
                bail!("--holds {expression}: {thrown}")
            }
            given => Ok(given == Ok(Value::Bool(true))),
        }
    }

    /// Returns the text that an expression gives; `None` if it throws an exception or gives
    /// something else.
    pub(crate) fn text(&mut self, expression: &str) -> Result<Option<String>> {
        let value = self.evaluate(expression)?.unwrap_or_default();
        Ok(value.as_str().map(str::to_owned))
    }

    /// Returns the value of an expression, for which a promise is waited; `None` if it throws an
    /// exception or gives something else.
    pub(crate) fn ask<T: DeserializeOwned>(&mut self, expression: &str) -> Result<Option<T>> {
        let question = format!("(async () => JSON.stringify(await (\n{expression}\n)))()");
        match self.evaluate(&question)? {
            Err(thrown) if thrown.starts_with("SyntaxError") => bail!(thrown),
            given => {
                let given = given.unwrap_or_default();
                Ok(given.as_str().and_then(|json| serde_json::from_str(json).ok()))
            }
        }
    }

    /// Closes the tab. A browser that is gone has closed it as well.
    pub(crate) fn close(&mut self) {
        let Tab { connection, closing: (method, parameters), .. } = self.tab();
        connection.stop = None;
        let _closed = connection.call_browser(method, parameters.take());
    }

    /// Gives the window another size.
    pub(crate) fn resize(&mut self, size: [u32; 2]) -> Result<()> {
        let scale = self.tab().opening.how.size.scale;
        let (method, size) = self.window(Window { size, scale });
        self.tab().connection.call(method, size).map(|_| ())
    }

    /// Opens a page that is said as seen from this one.
    pub(crate) fn go(&mut self, address: &str) -> Result<()> {
        let whole = self.text(&format!("new URL({}, location.href).href", json!(address)))?;
        self.visit(whole.as_deref().unwrap_or(address))
    }

    pub(crate) fn hear_all(&mut self) {
        let events = self.tab().connection.seen_events();
        events.iter().for_each(|event| self.hear(event));
    }

    /// Returns what was written to the console so far, and what scripts failed with.
    pub(crate) fn console(&mut self) -> Vec<String> {
        self.hear_all();
        std::mem::take(&mut self.tab().console)
    }

    /// Returns what the window shows, as PNG.
    pub(crate) fn screenshot(&mut self) -> Result<Vec<u8>> {
        let shot = self.shot()?;
        Ok(BASE64_STANDARD.decode(shot["data"].as_str().unwrap_or_default())?)
    }

    /// Says what the page still waits for.
    pub(crate) fn pending(&mut self) -> String {
        self.tab().connection.limit(LAST_WORDS);
        let said = self.text(include_str!("scripts/pending.js")).ok().flatten();
        said.unwrap_or_else(|| "a script runs without an end".to_owned())
    }

    /// Loads the page, does there what is to be done, and waits until it has settled: at least this
    /// many frames are drawn.
    pub(crate) fn show(&mut self, frames: u32) -> Result<()> {
        self.load()?;
        self.act(frames)
    }

    /// Does on a page that is loaded what is to be done there, and waits until it has settled.
    pub(crate) fn act(&mut self, frames: u32) -> Result<()> {
        let actions = self.tab().opening.actions.clone();
        if !actions.is_empty() {
            self.settle(frames)?;
            crate::play::play(self, &actions, None)?;
        }
        self.settle(frames)
    }

    /// Waits until a page that is loaded has settled.
    pub(crate) fn settle(&mut self, frames: u32) -> Result<()> {
        let settled = self.holds(&settle::settled(settle::LONGEST, frames));
        // A page that goes elsewhere meanwhile has been waited for as well.
        unless_gone(settled).map(|_| ())
    }
}

/// Returns what a page has given; `None` if it went elsewhere meanwhile.
pub(crate) fn unless_gone<T>(given: Result<T>) -> Result<Option<T>> {
    match given {
        Err(error) if error.downcast_ref::<Problem>().is_none() => Ok(None),
        given => given.map(Some),
    }
}

/// How long a tab may take to be prepared.
const PATIENCE: Duration = Duration::from_secs(5);

/// How long a page that has taken too long may take to say what it waits for.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// Returns the expression whose value is whether another one is true, as JavaScript sees it. That
/// one is evaluated where the scripts of the page are, and a promise is waited for.
fn as_truth(expression: &str) -> String {
    format!("(async value => !!await value)((\n{expression}\n))")
}

/// Returns the expression that says in words what another one gives: its value, or what it throws.
pub(crate) fn as_words(expression: &str) -> String {
    include_str!("scripts/words.js").replace("EXPRESSION", expression)
}

/// Returns `file://…` with everything escaped that could have a meaning in an address.
pub(crate) fn address(file: &Path) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/.-_".contains(&byte);
    let escaped = file.as_os_str().as_encoded_bytes().iter().map(|&byte| match is_plain(byte) {
        true => char::from(byte).to_string(),
        false => format!("%{byte:02X}"),
    });
    format!("file://{}", escaped.collect::<String>())
}

/// Returns whether an address needs no server.
pub(crate) fn is_local(address: &str) -> bool {
    ["file:", "about:", "data:", "blob:"].iter().any(|kind| address.starts_with(kind))
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
