//! Shares the one WebDriver session that Firefox grants, and the only connection to it, among tabs.
//! Answers go to the tab that asked, events to the one that spoke of their tab last: one that waits
//! for its next page reads nothing, and must not stop the others.

use std::collections::HashMap;
use std::net::TcpStream;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use anyhow::{Result, anyhow};
use serde_json::{Value, json};
use tungstenite::protocol::Role;
use tungstenite::{Message, WebSocket};

use crate::connection::{Connection, Problem};

/// How long Firefox may take to begin a session.
const PATIENCE: Duration = Duration::from_secs(60);

/// This many bits of the number of a call belong to the client that makes it.
const CALLS: u32 = 32;

/// Who is connected, and who is told of what.
struct Shared {
    firefox: WebSocket<TcpStream>,
    /// How many clients there were.
    last: u64,
    clients: HashMap<u64, Sender<String>>,
    /// The clients by the names of their tabs, and of what stops requests.
    owners: HashMap<String, u64>,
}

/// The connection to a Firefox.
#[derive(Clone)]
pub(crate) struct Hub(Arc<Mutex<Shared>>);

/// A share in it.
pub(crate) struct Client {
    hub: Hub,
    number: u64,
    heard: Receiver<String>,
}

impl Hub {
    /// Begins a session with the Firefox at this port.
    ///
    /// # Errors
    /// If Firefox refuses the session.
    pub(crate) fn start(port: u16) -> Result<Self> {
        let address = format!("ws://127.0.0.1:{port}/session");
        let mut connection = Connection::connect(&address, PATIENCE)?;
        let prompts = json!({ "unhandledPromptBehavior": { "default": "accept" } });
        let wanted = json!({ "capabilities": { "alwaysMatch": prompts } });
        connection.call(None, "session.new", wanted)?;
        connection.call(None, "session.subscribe", json!({ "events": ["log.entryAdded"] }))?;
        let mut reader = connection.into_socket()?;
        let stream = reader.get_ref().try_clone()?;
        let firefox = WebSocket::from_raw_socket(stream, Role::Client, None);
        let (clients, owners) = (HashMap::new(), HashMap::new());
        let hub = Self(Arc::new(Mutex::new(Shared { firefox, last: 0, clients, owners })));
        let all = hub.clone();
        std::thread::spawn(move || {
            while let Ok(message) = reader.read() {
                if let Message::Text(text) = message {
                    all.lock().deliver(text.as_str());
                }
            }
            // Whoever waits is told by the end of its channel.
            all.lock().clients.clear();
        });
        Ok(hub)
    }

    /// Adds a client.
    pub(crate) fn client(&self) -> Client {
        let (says, heard) = channel();
        let mut shared = self.lock();
        shared.last += 1;
        let number = shared.last;
        shared.clients.insert(number, says);
        Client { hub: self.clone(), number, heard }
    }

    fn lock(&self) -> MutexGuard<'_, Shared> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Shared {
    /// Gives what Firefox says to whom it concerns.
    fn deliver(&mut self, text: &str) {
        let Ok(value) = serde_json::from_str::<Value>(text) else { return };
        let of_call = value["id"].as_u64().map(|id| id >> CALLS);
        if let (Some(client), Some(stops)) = (of_call, value["result"]["intercept"].as_str()) {
            self.owners.insert(stops.to_owned(), client);
        }
        let of_event = || names_of_event(&value).find_map(|name| self.owners.get(name)).copied();
        // Whoever is alone is told of frames as well.
        let alone = || self.clients.keys().next().copied().filter(|_| self.clients.len() == 1);
        let to = of_call.or_else(of_event).or_else(alone);
        if let Some(client) = to.and_then(|client| self.clients.get(&client)) {
            // It may have gone without waiting for the answer.
            let _gone = client.send(text.to_owned());
        }
    }
}

impl Client {
    /// Returns the number before that of its first call.
    pub(crate) fn first_call(&self) -> u64 {
        self.number << CALLS
    }

    /// Passes on a call.
    ///
    /// # Errors
    /// If Firefox is gone.
    pub(crate) fn send(&self, call: &Value) -> Result<()> {
        let mut shared = self.hub.lock();
        if let Some(tab) = tab_of_call(call) {
            shared.owners.insert(tab.to_owned(), self.number);
        }
        let sent = shared.firefox.send(Message::text(call.to_string()));
        sent.map_err(|error| anyhow!("{error}").context(Problem::Gone))
    }

    /// Returns the next message, if there is one within this time.
    ///
    /// # Errors
    /// If there is none, or Firefox is gone.
    pub(crate) fn receive(&self, within: Duration) -> Result<String, RecvTimeoutError> {
        self.heard.recv_timeout(within)
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        let mut shared = self.hub.lock();
        shared.clients.remove(&self.number);
        shared.owners.retain(|_, owner| *owner != self.number);
    }
}

/// Returns the tab that a call is about.
fn tab_of_call(call: &Value) -> Option<&str> {
    let about = &call["params"];
    about["context"].as_str().or_else(|| about["contexts"][0].as_str())
}

/// Returns the tab, or the frame in one, that an event is about, and what has stopped the request
/// that it is about.
fn names_of_event(event: &Value) -> impl Iterator<Item = &str> {
    let about = &event["params"];
    let names = [&about["context"], &about["source"]["context"], &about["intercepts"][0]];
    names.into_iter().filter_map(Value::as_str)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{names_of_event, tab_of_call};

    #[test]
    fn calls_and_events_are_about_tabs() {
        for (call, tab) in [
            (json!({ "method": "input.releaseActions", "params": { "context": "a" } }), Some("a")),
            (
                json!({ "method": "script.addPreloadScript", "params": { "contexts": ["b"] } }),
                Some("b"),
            ),
            (json!({ "method": "session.new", "params": {} }), None),
        ] {
            assert_eq!(tab_of_call(&call), tab);
        }
        let said =
            json!({ "method": "log.entryAdded", "params": { "source": { "context": "a" } } });
        assert!(names_of_event(&said).eq(["a"]));
        let stopped = json!({ "params": { "context": "frame", "intercepts": ["i"] } });
        assert!(names_of_event(&stopped).eq(["frame", "i"]));
    }
}
