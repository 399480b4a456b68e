//! Calls and events over a web socket, which all tabs of a browser share: Chromium's DevTools
//! protocol and WebDriver BiDi, which Firefox speaks, have the same form. Answers go to the tab
//! that asked, events to the one that spoke of their tab last. Must not depend on the meaning of
//! any call.

use std::collections::{HashMap, VecDeque};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, bail};
use minirepro_program::CancelToken;
use serde_json::{Value, json};
use tungstenite::protocol::Role;
use tungstenite::{Message, WebSocket};

/// What can stand between a page and an answer about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Problem {
    /// The time is up.
    #[error("the page takes too long (--timeout)")]
    Late,
    #[error("the tab has crashed")]
    Crash,
    /// The browser has ended, or does not answer at all.
    #[error("the browser is gone")]
    Gone,
    /// Nobody wants the answer any more.
    #[error("interrupted")]
    Stopped,
}

impl Problem {
    /// Returns whether this is the reason of an error.
    pub(crate) fn is(self, error: &anyhow::Error) -> bool {
        error.downcast_ref() == Some(&self)
    }
}

/// A method of a browser with its parameters.
pub(crate) type Call = (&'static str, Value);

/// Says which calls an event asks for at once, because the page waits for them.
pub(crate) type Replies = Box<dyn Fn(&Value) -> Option<Call> + Send>;

/// How long a page that nobody wants any more may still take: where it is done by then, its tab can
/// be used again.
const GRACE: Duration = Duration::from_millis(200);

/// How often a connection looks whether anybody still waits.
const LOOK: Duration = Duration::from_millis(20);

/// Who is connected, and who is told of what.
struct Shared {
    socket: WebSocket<TcpStream>,
    /// How many connections and calls there were.
    last: (u64, u64),
    connections: HashMap<u64, Sender<Value>>,
    /// The connections by their open calls,
    callers: HashMap<u64, u64>,
    /// and by the names of their tabs and sessions, and of what stops requests.
    owners: HashMap<String, u64>,
    is_gone: bool,
}

/// The web socket of a browser.
#[derive(Clone)]
pub(crate) struct Hub(Arc<Mutex<Shared>>);

impl Hub {
    /// Connects to a browser on this machine.
    ///
    /// # Errors
    /// If nobody is there.
    pub(crate) fn connect(port: u16, path: &str) -> Result<Self> {
        let stream = web_socket(port, path).context(Problem::Gone)?;
        let mut reader = WebSocket::from_raw_socket(stream.try_clone()?, Role::Client, None);
        let socket = WebSocket::from_raw_socket(stream, Role::Client, None);
        let (connections, callers, owners) = Default::default();
        let shared = Shared { socket, last: (0, 0), connections, callers, owners, is_gone: false };
        let hub = Self(Arc::new(Mutex::new(shared)));
        let all = hub.clone();
        std::thread::spawn(move || {
            while let Ok(message) = reader.read() {
                let Message::Text(text) = message else { continue };
                if let Ok(message) = serde_json::from_str(&text) {
                    all.lock().deliver(message);
                }
            }
            // Whoever waits is told by the end of its channel.
            let mut all = all.lock();
            all.is_gone = true;
            all.connections.clear();
        });
        Ok(hub)
    }

    /// Adds a connection, all of whose calls together may take this time.
    pub(crate) fn share(&self, patience: Duration) -> Connection {
        let (says, heard) = channel();
        let mut shared = self.lock();
        shared.last.0 += 1;
        let number = shared.last.0;
        if !shared.is_gone {
            shared.connections.insert(number, says);
        }
        Connection {
            hub: self.clone(),
            number,
            heard,
            session: None,
            events: VecDeque::new(),
            replies: None,
            end: Instant::now() + patience,
            stop: None,
            is_stopped: false,
            is_crashed: false,
        }
    }

    /// Returns whether the browser has ended, or does not answer.
    pub(crate) fn is_gone(&self) -> bool {
        self.lock().is_gone
    }

    /// Gives the browser up.
    pub(crate) fn lose(&self) {
        self.lock().is_gone = true;
    }

    fn lock(&self) -> MutexGuard<'_, Shared> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Opens a web socket at a path of this machine (RFC 6455, section 4). The key is always the same:
/// it guards against servers in between that keep answers, and here is none.
fn web_socket(port: u16, path: &str) -> Result<TcpStream> {
    let mut stream = TcpStream::connect(("127.0.0.1", port))?;
    stream.set_nodelay(true)?;
    let request = format!(
        "GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
         Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: bWluaXJlcHJvIGFza3MuLg==\r\n\r\n"
    );
    stream.write_all(request.as_bytes())?;
    let (mut answer, mut byte) = (Vec::new(), [0]);
    // Whatever comes after the empty line is for the socket.
    while !answer.ends_with(b"\r\n\r\n") {
        stream.read_exact(&mut byte)?;
        answer.extend(byte);
    }
    answer.starts_with(b"HTTP/1.1 101 ").then_some(stream).context("no web socket there")
}

impl Shared {
    /// Gives what the browser says to whom it concerns.
    fn deliver(&mut self, message: Value) {
        let caller = message["id"].as_u64().and_then(|id| self.callers.remove(&id));
        if let (Some(caller), Some(stops)) = (caller, message["result"]["intercept"].as_str()) {
            self.owners.insert(stops.to_owned(), caller);
        }
        let of_event = || names(&message).find_map(|name| self.owners.get(name)).copied();
        // Whoever is alone is told of frames as well.
        let alone =
            || self.connections.keys().next().copied().filter(|_| self.connections.len() == 1);
        let to = caller.or_else(of_event).or_else(alone);
        if let Some(connection) = to.and_then(|to| self.connections.get(&to)) {
            // It may have gone without waiting for the answer.
            let _gone = connection.send(message);
        }
    }
}

/// Returns the session or the tab that a message is about, or the frame in one, and what has
/// stopped the request that it is about.
fn names(message: &Value) -> impl Iterator<Item = &str> {
    let about = &message["params"];
    let names = [
        &message["sessionId"],
        &about["context"],
        &about["contexts"][0],
        &about["source"]["context"],
        &about["intercepts"][0],
    ];
    names.into_iter().filter_map(Value::as_str)
}

/// A share in the web socket of a browser, with a time at which everything must be done.
pub(crate) struct Connection {
    hub: Hub,
    number: u64,
    heard: Receiver<Value>,
    /// With which calls are about a tab, where there is such a thing.
    pub(crate) session: Option<String>,
    events: VecDeque<Value>,
    /// Answers events.
    pub(crate) replies: Option<Replies>,
    end: Instant,
    /// Ends all soon after it is set.
    pub(crate) stop: Option<CancelToken>,
    is_stopped: bool,
    is_crashed: bool,
}

impl Connection {
    /// Calls a method and waits for its result.
    pub(crate) fn call(&mut self, method: &'static str, parameters: Value) -> Result<Value> {
        let id = self.send(method, parameters)?;
        self.answer(&mut vec![(id, method)])
    }

    /// Calls a method of the browser, not of a session with a tab.
    pub(crate) fn call_browser(
        &mut self,
        method: &'static str,
        parameters: Value,
    ) -> Result<Value> {
        let session = self.session.take();
        let answer = self.call(method, parameters);
        self.session = session;
        answer
    }

    /// Calls methods all at once and waits until all have answered, in any order.
    pub(crate) fn call_all(&mut self, calls: Vec<Call>) -> Result<()> {
        let mut open = Vec::new();
        for (method, parameters) in calls {
            open.push((self.send(method, parameters)?, method));
        }
        while !open.is_empty() {
            self.answer(&mut open)?;
        }
        Ok(())
    }

    /// Returns the next answer to one of these calls, which is taken from them.
    fn answer(&mut self, open: &mut Vec<(u64, &str)>) -> Result<Value> {
        loop {
            let mut message = self.read()?;
            if let Some(at) = open.iter().position(|(id, _)| message["id"] == *id) {
                let (_, method) = open.remove(at);
                if let Some(error) = message.get("error") {
                    // DevTools has the message in the error, BiDi beside it.
                    let text = error["message"].as_str().or(message["message"].as_str());
                    bail!("{method}: {}", text.unwrap_or("failed"));
                }
                return Ok(message["result"].take());
            }
            self.take_event(message)?;
        }
    }

    /// Returns the next event that nobody has seen.
    pub(crate) fn event(&mut self) -> Result<Value> {
        loop {
            if let Some(event) = self.events.pop_front() {
                return Ok(event);
            }
            let message = self.read()?;
            self.take_event(message)?;
        }
    }

    /// Takes the events that are here already.
    pub(crate) fn seen_events(&mut self) -> VecDeque<Value> {
        std::mem::take(&mut self.events)
    }

    /// Gives all calls from now on so much time together.
    pub(crate) fn limit(&mut self, patience: Duration) {
        self.end = Instant::now() + patience;
        self.is_stopped = false;
    }

    fn send(&self, method: &str, parameters: Value) -> Result<u64> {
        let mut shared = self.hub.lock();
        shared.last.1 += 1;
        let id = shared.last.1;
        let mut message = json!({ "id": id, "method": method, "params": parameters });
        if let Some(session) = &self.session {
            message["sessionId"] = session.as_str().into();
        }
        shared.callers.insert(id, self.number);
        if let Some(tab) = names(&message).next() {
            shared.owners.insert(tab.to_owned(), self.number);
        }
        let sent = shared.socket.send(Message::text(message.to_string()));
        shared.is_gone |= sent.is_err();
        sent.map_err(|error| anyhow!("{error}").context(Problem::Gone))?;
        Ok(id)
    }

    fn take_event(&mut self, message: Value) -> Result<()> {
        match message["method"].as_str() {
            Some("Inspector.targetCrashed") => {
                self.is_crashed = true;
                bail!(Problem::Crash)
            }
            // A page that waits for its reader would never be done.
            Some("Page.javascriptDialogOpening") => {
                self.send("Page.handleJavaScriptDialog", json!({ "accept": true }))?;
            }
            Some(_) => match self.replies.as_ref().and_then(|replies| replies(&message)) {
                Some((method, parameters)) => _ = self.send(method, parameters)?,
                None => self.events.push_back(message),
            },
            // The answer to a call that nobody waits for.
            None => {}
        }
        Ok(())
    }

    fn read(&mut self) -> Result<Value> {
        loop {
            if self.is_crashed && self.session.is_some() {
                bail!(Problem::Crash);
            }
            if self.stop.as_ref().is_some_and(CancelToken::is_set) {
                (self.stop, self.is_stopped) = (None, true);
                self.end = self.end.min(Instant::now() + GRACE);
            }
            let left = self.end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                bail!(if self.is_stopped { Problem::Stopped } else { Problem::Late });
            }
            match self.heard.recv_timeout(left.min(LOOK)) {
                Ok(message) => return Ok(message),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => bail!(Problem::Gone),
            }
        }
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        let mut shared = self.hub.lock();
        shared.connections.remove(&self.number);
        shared.owners.retain(|_, owner| *owner != self.number);
        shared.callers.retain(|_, caller| *caller != self.number);
    }
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;
    use std::thread;

    use super::*;

    /// Returns what a call gives when the browser answers with these messages and then closes.
    fn call(answers: &[&'static str]) -> String {
        let answers: Vec<&'static str> = answers.to_vec();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let browser = thread::spawn(move || {
            let mut socket = tungstenite::accept(listener.accept().unwrap().0).unwrap();
            let asked = socket.read().unwrap();
            answers.iter().for_each(|answer| socket.send(Message::text(*answer)).unwrap());
            asked.to_string()
        });
        let mut connection = Hub::connect(port, "/").unwrap().share(Duration::from_secs(60));
        connection.session = Some("s".to_owned());
        let result = connection.call("Page.enable", json!({}));
        let asked: Value = serde_json::from_str(&browser.join().unwrap()).unwrap();
        assert_eq!((&asked["method"], &asked["sessionId"]), (&json!("Page.enable"), &json!("s")));
        result.map_or_else(|e| e.to_string(), |value| value.to_string())
    }

    #[test]
    fn calls_end_with_an_answer_a_crash_or_the_end_of_the_browser() {
        let event = r#"{"method":"Page.loadEventFired","params":{}}"#;
        assert_eq!(call(&[event, r#"{"id":1,"result":{"a":2}}"#]), r#"{"a":2}"#);
        let refused = r#"{"id":1,"error":{"message":"no such page"}}"#;
        assert_eq!(call(&[refused]), "Page.enable: no such page");
        let crash = r#"{"method":"Inspector.targetCrashed","params":{}}"#;
        assert_eq!(call(&[event, crash]), Problem::Crash.to_string());
        assert_eq!(call(&[event]), "the browser is gone");
    }

    #[test]
    fn messages_are_about_tabs() {
        for (message, expected) in [
            (json!({ "method": "x", "params": { "contexts": ["b"] } }), Some("b")),
            (json!({ "method": "x", "params": { "source": { "context": "a" } } }), Some("a")),
            (json!({ "method": "x", "params": {}, "sessionId": "s" }), Some("s")),
            (json!({ "method": "session.new", "params": {} }), None),
        ] {
            assert_eq!(names(&message).next(), expected);
        }
    }
}
