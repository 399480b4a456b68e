//! Calls and events over a web socket: Chromium's DevTools protocol and WebDriver BiDi, which
//! Firefox speaks, have the same form. Must not depend on the meaning of any call.

use std::collections::VecDeque;
use std::io::ErrorKind;
use std::net::TcpStream;
use std::sync::mpsc::RecvTimeoutError;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, bail};
use minirepro_program::CancelToken;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use serde_json::{Value, json};
use tungstenite::{Error, Message, WebSocket};

use crate::firefox::hub::Client;

/// What can stand between a page and an answer about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Problem {
    /// The time is up.
    Late,
    /// The tab has crashed.
    Crash,
    /// The browser has ended, or does not answer at all.
    Gone,
    /// Nobody wants the answer any more.
    Stopped,
}

impl std::fmt::Display for Problem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Late => "the page takes too long (--timeout)",
            Self::Crash => "the tab has crashed",
            Self::Gone => "the browser is gone",
            Self::Stopped => "interrupted",
        })
    }
}

impl std::error::Error for Problem {}

/// Says which calls an event asks for at once, because the page waits for them.
pub(crate) type Replies = Box<dyn Fn(&Value) -> Option<(&'static str, Value)> + Send>;

/// How long a page that nobody wants any more may still take: where it is done by then, its tab can
/// be used again.
const GRACE: Duration = Duration::from_millis(200);

/// How often a connection that it shares with others looks whether anybody still waits.
const LOOK: Duration = Duration::from_millis(20);

/// The way to a browser.
enum Link {
    /// A web socket of its own.
    Own(Box<WebSocket<TcpStream>>),
    /// A share in the only one that there is.
    Shared(Client),
}

/// A connection to a browser, with a time at which everything must be done.
pub(crate) struct Connection {
    link: Link,
    calls: u64,
    events: VecDeque<Value>,
    replies: Option<Replies>,
    end: Instant,
    stop: Option<CancelToken>,
    is_stopped: bool,
}

impl Connection {
    /// Connects to `ws://…`.
    pub(crate) fn connect(address: &str, patience: Duration) -> Result<Self> {
        let host = address.strip_prefix("ws://").and_then(|rest| rest.split('/').next());
        let host = host.context("not an address that begins with ws://")?;
        let stream = TcpStream::connect(host).context(Problem::Gone)?;
        stream.set_nodelay(true)?;
        let (socket, _) = tungstenite::client(address, stream)
            .map_err(|error| anyhow!("{error}").context(Problem::Gone))?;
        Ok(Self::over(Link::Own(Box::new(socket)), 0, patience))
    }

    /// Shares the connection of others.
    pub(crate) fn share(client: Client, patience: Duration) -> Self {
        let first = client.first_call();
        Self::over(Link::Shared(client), first, patience)
    }

    fn over(link: Link, calls: u64, patience: Duration) -> Self {
        let end = Instant::now() + patience;
        let (events, replies, stop) = (VecDeque::new(), None, None);
        Self { link, calls, events, replies, end, stop, is_stopped: false }
    }

    /// Answers events from now on.
    pub(crate) fn reply(&mut self, replies: Replies) {
        self.replies = Some(replies);
    }

    /// Ends all that follows soon after this is set.
    pub(crate) fn stop_with(&mut self, stop: Option<CancelToken>) {
        self.stop = stop;
    }

    /// Returns the web socket alone, which then waits for messages without an end.
    pub(crate) fn into_socket(self) -> Result<WebSocket<TcpStream>> {
        match self.link {
            Link::Own(socket) => Ok(*socket),
            Link::Shared(_) => bail!("a connection that others share"),
        }
    }

    /// Calls a method of the browser, or of a session with a tab, and waits for what it gives.
    pub(crate) fn call(
        &mut self,
        session: Option<&str>,
        method: &str,
        parameters: Value,
    ) -> Result<Value> {
        let id = self.send(session, method, parameters)?;
        self.answer(&mut vec![(id, method)])
    }

    /// Calls methods of a session all at once and waits until all have answered, in any order.
    pub(crate) fn call_all(&mut self, session: &str, calls: &[(String, Value)]) -> Result<()> {
        let mut open = Vec::new();
        for (method, parameters) in calls {
            open.push((self.send(Some(session), method, parameters.clone())?, &method[..]));
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

    /// Events that are here already.
    pub(crate) fn seen_events(&mut self) -> impl Iterator<Item = Value> + '_ {
        self.events.drain(..)
    }

    /// Gives all calls from now on so much time together.
    pub(crate) fn limit(&mut self, patience: Duration) {
        self.end = Instant::now() + patience;
        self.is_stopped = false;
    }

    fn send(&mut self, session: Option<&str>, method: &str, parameters: Value) -> Result<u64> {
        self.calls += 1;
        let mut message = json!({ "id": self.calls, "method": method, "params": parameters });
        if let Some(session) = session {
            message["sessionId"] = session.into();
        }
        match &mut self.link {
            Link::Own(socket) => {
                let sent = socket.send(Message::text(message.to_string()));
                sent.map_err(|error| anyhow!("{error}").context(Problem::Gone))?;
            }
            Link::Shared(client) => client.send(&message)?,
        }
        Ok(self.calls)
    }

    fn take_event(&mut self, message: Value) -> Result<()> {
        match message["method"].as_str() {
            Some("Inspector.targetCrashed") => bail!(Problem::Crash),
            // A page that waits for its reader would never be done.
            Some("Page.javascriptDialogOpening") => {
                let session = message["sessionId"].as_str().map(str::to_owned);
                let accept = json!({ "accept": true });
                self.send(session.as_deref(), "Page.handleJavaScriptDialog", accept)?;
            }
            Some(_) => {
                let reply = self.replies.as_ref().and_then(|replies| replies(&message));
                if let Some((method, parameters)) = reply {
                    let session = message["sessionId"].as_str().map(str::to_owned);
                    self.send(session.as_deref(), method, parameters)?;
                } else {
                    self.events.push_back(message);
                }
            }
            // The answer to a call that nobody waits for.
            None => {}
        }
        Ok(())
    }

    fn read(&mut self) -> Result<Value> {
        loop {
            if self.stop.as_ref().is_some_and(CancelToken::is_set) {
                (self.stop, self.is_stopped) = (None, true);
                self.end = self.end.min(Instant::now() + GRACE);
            }
            let left = self.end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                bail!(if self.is_stopped { Problem::Stopped } else { Problem::Late });
            }
            if let Some(text) = self.heard(left)? {
                return Ok(serde_json::from_str(&text)?);
            }
        }
    }

    /// Returns the next message, if it is there within this time and before anybody wants the end.
    fn heard(&mut self, left: Duration) -> Result<Option<String>> {
        let socket = match &mut self.link {
            Link::Own(socket) => socket,
            Link::Shared(client) => {
                return match client.receive(left.min(LOOK)) {
                    Ok(text) => Ok(Some(text)),
                    Err(RecvTimeoutError::Timeout) => Ok(None),
                    Err(RecvTimeoutError::Disconnected) => bail!(Problem::Gone),
                };
            }
        };
        // What was read with an earlier message would not wake a poll.
        socket.get_ref().set_nonblocking(true)?;
        let read = socket.read();
        socket.get_ref().set_nonblocking(false)?;
        match read {
            Ok(Message::Text(text)) => return Ok(Some(text.to_string())),
            Ok(_) => {}
            Err(Error::Io(error)) if error.kind() == ErrorKind::WouldBlock => {
                let left = Timespec::try_from(left).unwrap_or_default();
                let mut fds = vec![PollFd::new(socket.get_ref(), PollFlags::IN)];
                fds.extend(self.stop.as_ref().map(|stop| PollFd::new(stop, PollFlags::IN)));
                // Whatever happens, the loop looks again.
                let _ = poll(&mut fds, Some(&left));
            }
            Err(error) => return Err(anyhow!("{error}").context(Problem::Gone)),
        }
        Ok(None)
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
        let address = format!("ws://{}/", listener.local_addr().unwrap());
        let browser = thread::spawn(move || {
            let mut socket = tungstenite::accept(listener.accept().unwrap().0).unwrap();
            let asked = socket.read().unwrap();
            answers.iter().for_each(|answer| socket.send(Message::text(*answer)).unwrap());
            asked.to_string()
        });
        let mut connection = Connection::connect(&address, Duration::from_secs(60)).unwrap();
        let result = connection.call(Some("s"), "Page.enable", json!({}));
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
}
