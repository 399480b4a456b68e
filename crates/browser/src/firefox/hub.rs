//! Lets any number of connections share the one WebDriver session that Firefox grants, and only one
//! connection to it. Answers go to the connection that asked, events of a tab to the one that spoke
//! of it last: one that waits for its next page reads nothing, and must not stop the others.

use std::collections::HashMap;
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result, anyhow};
use serde_json::{Value, json};
use tungstenite::handshake::server::{ErrorResponse, Request, Response};
use tungstenite::protocol::Role;
use tungstenite::{Message, WebSocket};

use crate::connection::Connection;

/// The end of a web socket that only writes.
type Writer = WebSocket<TcpStream>;

/// How long Firefox may take to begin a session.
const PATIENCE: Duration = Duration::from_secs(60);

/// Who is connected, and who waits for what.
struct Hub {
    firefox: Writer,
    calls: u64,
    /// By the number of a call to Firefox: the connection that made it, and its own number.
    pending: HashMap<u64, (u64, Value)>,
    clients: HashMap<u64, Writer>,
    /// The connections of tabs, and of what stops requests.
    owners: HashMap<String, u64>,
}

/// Begins a session with the Firefox at this port. Returns the address at which others share it.
///
/// # Errors
/// If Firefox refuses the session, or no port is free.
pub(super) fn start(port: u16) -> Result<String> {
    let mut connection = Connection::connect(&format!("ws://127.0.0.1:{port}/session"), PATIENCE)?;
    let prompts = json!({ "unhandledPromptBehavior": { "default": "accept" } });
    let wanted = json!({ "capabilities": { "alwaysMatch": prompts } });
    connection.call(None, "session.new", wanted)?;
    connection.call(None, "session.subscribe", json!({ "events": ["log.entryAdded"] }))?;
    let reader = connection.into_socket()?;
    let firefox = writer(reader.get_ref(), Role::Client)?;
    let hub = Hub {
        firefox,
        calls: FIRST,
        pending: HashMap::new(),
        clients: HashMap::new(),
        owners: HashMap::new(),
    };
    let hub = Arc::new(Mutex::new(hub));
    let listener = TcpListener::bind("127.0.0.1:0")?;
    // Only who was told the address may connect, which no page was.
    let now = SystemTime::now().duration_since(UNIX_EPOCH).context("a clock before 1970")?;
    let path = format!("/firefox/{:x}-{:x}", now.as_nanos(), std::process::id());
    let address = format!("ws://{}{path}", listener.local_addr()?);
    let answers = Arc::clone(&hub);
    std::thread::spawn(move || deliver(reader, &answers));
    std::thread::spawn(move || {
        for (number, stream) in (0..).zip(listener.incoming()) {
            let (Ok(stream), hub, path) = (stream, Arc::clone(&hub), path.clone()) else {
                continue;
            };
            // A connection that fails is told so by its end.
            std::thread::spawn(move || serve(stream, number, &path, &hub));
        }
    });
    Ok(address)
}

/// Numbers below it were those of the hub's own calls.
const FIRST: u64 = 1_000;

fn writer(stream: &TcpStream, role: Role) -> Result<Writer> {
    Ok(WebSocket::from_raw_socket(stream.try_clone()?, role, None))
}

/// Gives what Firefox says to whom it concerns, until Firefox is gone: then all connections end.
fn deliver(mut reader: WebSocket<TcpStream>, hub: &Mutex<Hub>) {
    while let Ok(message) = reader.read() {
        let Message::Text(text) = message else { continue };
        let Ok(mut value) = serde_json::from_str::<Value>(text.as_str()) else { continue };
        let mut hub = hub.lock().unwrap_or_else(PoisonError::into_inner);
        match value["id"].as_u64().and_then(|id| hub.pending.remove(&id)) {
            Some((client, own)) => {
                if let Some(stops) = value["result"]["intercept"].as_str() {
                    hub.owners.insert(stops.to_owned(), client);
                }
                value["id"] = own;
                if let Some(client) = hub.clients.get_mut(&client) {
                    // It may have gone without waiting for the answer.
                    let _gone = client.send(Message::text(value.to_string()));
                }
            }
            None => {
                let owner = names_of_event(&value).find_map(|name| hub.owners.get(name)).copied();
                // Whoever is alone is told of frames as well.
                let is_alone = hub.clients.len() == 1;
                let owner = owner.or(hub.clients.keys().next().copied().filter(|_| is_alone));
                if let Some(client) = owner.and_then(|owner| hub.clients.get_mut(&owner)) {
                    let _gone = client.send(Message::Text(text));
                }
            }
        }
    }
    let mut hub = hub.lock().unwrap_or_else(PoisonError::into_inner);
    for (_, client) in hub.clients.drain() {
        let _gone = client.get_ref().shutdown(Shutdown::Both);
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

/// Passes on what one connection asks.
fn serve(stream: TcpStream, number: u64, path: &str, hub: &Mutex<Hub>) -> Result<()> {
    stream.set_nodelay(true)?;
    #[expect(clippy::result_large_err, reason = "the type is that of the library")]
    let check = |request: &Request, response: Response| -> Result<Response, ErrorResponse> {
        // Pages have an origin, tests have none.
        let is_page = request.headers().contains_key("origin");
        match request.uri().path() == path && !is_page {
            true => Ok(response),
            false => Err(ErrorResponse::new(None)),
        }
    };
    let mut reader = tungstenite::accept_hdr(stream, check).map_err(|error| anyhow!("{error}"))?;
    let own = writer(reader.get_ref(), Role::Server)?;
    hub.lock().unwrap_or_else(PoisonError::into_inner).clients.insert(number, own);
    while let Ok(message) = reader.read() {
        let Message::Text(text) = message else { continue };
        let mut value: Value = serde_json::from_str(text.as_str())?;
        let mut hub = hub.lock().unwrap_or_else(PoisonError::into_inner);
        hub.calls += 1;
        let id = hub.calls;
        hub.pending.insert(id, (number, value["id"].take()));
        if let Some(tab) = tab_of_call(&value) {
            hub.owners.insert(tab.to_owned(), number);
        }
        value["id"] = id.into();
        hub.firefox.send(Message::text(value.to_string()))?;
    }
    let mut hub = hub.lock().unwrap_or_else(PoisonError::into_inner);
    hub.clients.remove(&number);
    hub.owners.retain(|_, owner| *owner != number);
    Ok(())
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
