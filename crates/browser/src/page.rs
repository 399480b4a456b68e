//! What can be asked of a page, whichever browser shows it.

use std::path::Path;
use std::time::Duration;

use anyhow::Result;
use minirepro_program::CancelToken;
use serde_json::{Value, json};

use crate::actions::Action;
use crate::connection::More;
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
    fn sees_crashes(&self) -> bool;

    /// Returns the number of the process that draws for the browser, if it tells: another one comes
    /// when that has crashed.
    fn drawing(&mut self) -> Result<Option<u64>>;

    /// Gives all that follows so much time.
    fn limit(&mut self, patience: Duration);

    /// Asks from now on, whenever that time is up, whether there is more.
    fn prolong(&mut self, more: More);

    /// Takes another page, shown in the same way, into a tab that is prepared.
    fn turn_to(&mut self, opening: &Opening);

    /// Loads the file and waits until it has loaded, and `longer`.
    fn load(&mut self, longer: Duration) -> Result<Seen>;

    /// Prepares the tab for another look, with as much time as at first. What it shows goes now, or
    /// when the next page comes: see [`Opening`].
    fn again(&mut self, patience: Duration) -> Result<()>;

    /// Returns whether a new tab would be faster.
    fn is_worn(&self) -> bool {
        false
    }

    /// Returns whether an expression is true in the page; an exception means that it is not.
    fn holds(&mut self, expression: &str) -> Result<Seen>;

    /// Returns the text that an expression gives; `None` if it throws an exception or gives
    /// something else.
    fn text(&mut self, expression: &str) -> Result<Option<String>>;

    /// Returns what is to be done on the page once it is loaded.
    fn actions(&self) -> &[Action];

    /// Returns the browser's counters of the page by their names; before that, garbage is collected
    /// if that is wanted.
    fn counters(&mut self, collected: bool) -> Result<Vec<(String, f64)>>;

    /// Returns what readers of screens know of the page.
    fn accessible(&mut self) -> Result<Vec<Accessible>>;

    /// Returns how many elements readers of screens know by a role and a name, or by the role alone
    /// if the name is empty.
    fn accessible_like(&mut self, role: &str, name: &str) -> Result<usize>;

    /// Does what a person does with a mouse and a keyboard.
    fn input(&mut self, inputs: &[Input]) -> Result<()>;

    /// Gives the window another size.
    fn resize(&mut self, size: (u32, u32)) -> Result<()>;

    /// Opens another page in the tab and waits until it is loaded.
    fn go(&mut self, address: &str) -> Result<()>;

    /// Returns the answers of servers that the page got, if its view keeps them.
    fn kept(&mut self) -> Result<Vec<Kept>>;

    /// Returns what was written to the console so far, and what scripts failed with.
    fn console(&mut self) -> Vec<String>;

    /// Returns the addresses of requests that have no answer yet.
    fn open_requests(&mut self) -> Vec<String>;

    /// Returns what the window shows, as PNG.
    fn screenshot(&mut self) -> Result<Vec<u8>>;

    /// Closes the tab.
    fn close(self: Box<Self>);
}

/// A part of the page for readers of screens.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Accessible {
    pub(crate) role: String,
    pub(crate) name: String,
    pub(crate) value: String,
    pub(crate) description: String,
    /// How many parts it is in.
    pub(crate) depth: usize,
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

impl Accessible {
    /// Returns it for an expression.
    pub(crate) fn value(&self) -> Value {
        json!({
            "role": self.role, "name": self.name, "value": self.value,
            "description": self.description, "depth": self.depth,
        })
    }
}

/// How long a page that has taken too long may take to say what it waits for.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// Says what a page still waits for.
pub(crate) fn pending(page: &mut dyn Page) -> String {
    page.limit(LAST_WORDS);
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

/// Returns both sides of an expression that compares: what is left and right of its only operator
/// outside of strings and brackets.
pub(crate) fn sides(expression: &str) -> Option<[&str; 2]> {
    let (mut depth, mut quote, mut found) = (0, None, None);
    let bytes = expression.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let byte = bytes[at];
        match (quote, byte) {
            (Some(_), b'\\') => at += 1,
            (Some(end), _) if byte == end => quote = None,
            (Some(_), _) => {}
            (None, b'"' | b'\'' | b'`') => quote = Some(byte),
            (None, b'(' | b'[' | b'{') => depth += 1,
            (None, b')' | b']' | b'}') => depth -= 1,
            // It holds more than one comparison, or a function.
            (None, b'&' | b'|' | b'?' | b'/' | b';') if depth == 0 => return None,
            (None, b'=' | b'!' | b'<' | b'>') if depth == 0 => {
                let rest = &expression[at..];
                let all = ["===", "!==", "==", "!=", "<=", ">=", "<", ">"];
                let operator = all.into_iter().find(|sign| rest.starts_with(sign))?;
                if found.is_some() || rest.starts_with("=>") || rest.starts_with("<<") {
                    return None;
                }
                found = Some([&expression[..at], &rest[operator.len()..]]);
                at += operator.len() - 1;
            }
            _ => {}
        }
        at += 1;
    }
    let sides = found?.map(str::trim);
    sides.iter().all(|side| !side.is_empty()).then_some(sides)
}

/// Which page is opened, and how.
#[derive(Clone, Debug)]
pub(crate) struct Opening {
    /// Where the page is: `file://…`, or where it was once.
    pub(crate) address: String,
    pub(crate) view: View,
    /// Answers to requests of the page; without them the network is off unless the view says
    /// otherwise.
    pub(crate) served: Option<Served>,
    /// What is done on the page once it is loaded.
    pub(crate) actions: Vec<Action>,
    /// Whether the page must be gone before the next one comes. An empty page in between takes as
    /// long as a small page.
    pub(crate) emptied: bool,
    /// Set when nobody wants the answer any more.
    pub(crate) stop: Option<CancelToken>,
}

/// How a page is shown.
#[derive(Clone, Debug)]
pub(crate) struct View {
    /// Width and height of the window in CSS pixels.
    pub(crate) size: (u32, u32),
    /// Pixels of the screen for one of CSS.
    pub(crate) scale: f64,
    pub(crate) dark: bool,
    /// As on paper.
    pub(crate) print: bool,
    pub(crate) online: bool,
    /// Whether the page's own rules about where things may come from are ignored.
    pub(crate) ignores_csp: bool,
    /// Fixes time and random numbers.
    pub(crate) seed: Option<u32>,
    /// Keeps the answers that the page gets.
    pub(crate) keeps: bool,
}

impl View {
    /// Returns which colours the page should prefer, as style sheets spell it.
    pub(crate) fn scheme(&self) -> &'static str {
        if self.dark { "dark" } else { "light" }
    }

    /// Returns the medium, as style sheets spell it.
    pub(crate) fn media(&self) -> &'static str {
        if self.print { "print" } else { "screen" }
    }

    /// Returns what runs before any script of the page: it watches timers and frames, and fixes
    /// time and random numbers if that is wanted.
    pub(crate) fn script(&self) -> String {
        let fixed = self.seed.map(|seed| FIXED.replace("SEED", &seed.to_string()));
        settle::watch() + &fixed.unwrap_or_default()
    }
}

/// Random numbers come from a generator with a seed (mulberry32, Tommy Ettinger 2017). Each look at
/// a clock lets one millisecond pass, so that a page that waits for a time gets there.
const FIXED: &str = "\
{
    let state = SEED | 0, passed = 0;
    Math.random = () => {
        state = (state + 0x6D2B79F5) | 0;
        let t = Math.imul(state ^ (state >>> 15), 1 | state);
        t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
        return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
    };
    const start = Date.UTC(2020, 0, 1), Real = Date;
    const now = () => start + passed++;
    performance.now = () => passed++;
    Date = new Proxy(Real, {
        construct: (target, given, self) => Reflect.construct(target, given.length ? given : [now()], self),
        apply: () => new Real(now()).toString(),
        get: (target, name) => name === 'now' ? now : target[name],
    });
    Real.prototype.constructor = Date;
}";

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
    use super::{address, as_truth, sides};

    #[test]
    fn a_comparison_has_two_sides() {
        for (expression, expected) in [
            ("a.b('=').c == 7", Some(["a.b('=').c", "7"])),
            ("x <= y[0]", Some(["x", "y[0]"])),
            ("a === '<'", Some(["a", "'<'"])),
            ("a < b && c", None),
            ("() => a", None),
            ("f(a == b)", None),
            ("!a", None),
            ("a == b == c", None),
        ] {
            assert_eq!(sides(expression), expected, "{expression}");
        }
    }

    #[test]
    fn names_of_files_are_escaped() {
        assert_eq!(address("/a b/#1?.html".as_ref()), "file:///a%20b/%231%3F.html");
    }

    #[test]
    fn a_comment_at_the_end_does_not_hide_what_follows() {
        assert_eq!(as_truth("a // b"), "(async value => !!await value)((\na // b\n))");
    }
}
