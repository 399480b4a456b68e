//! A page in a tab of Chromium: loads it, evaluates expressions in it, takes its picture.

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use crate::actions::{Kind, keys};
use crate::args::Window;
use crate::connection::{Call, Connection, Problem, Replies};
use crate::har::{Answer, Header, Served};
use crate::page::{EMPTY, FORGET, Input, Opening, Page, Tab, is_local};

/// A page in a tab of Chromium.
pub(crate) struct ChromiumPage {
    tab: Tab,
    /// Whether nothing is shown.
    is_empty: bool,
    /// How many looks there were.
    looks: u32,
    hand: Hand,
    /// Events about what comes over the network, if it is kept.
    kept: Vec<Value>,
}

/// Where the mouse is, and what is pressed.
#[derive(Default)]
struct Hand {
    at: [f64; 2],
    /// The button that is pressed.
    held: Option<u8>,
    /// Bits of keys that change what others mean.
    modifiers: u32,
}

/// What a page from a file can leave behind in the browser. Not everything that there is (`all`):
/// emptying caches of the network and the like takes 30 ms.
const STORED: &str = "cache_storage,file_systems,indexeddb,local_storage";

/// After how many looks a tab gives way to a new one: the processor time of a look grows with their
/// number, by half in 1,000, until nothing happens for some seconds.
const WORN: u32 = 300;

impl ChromiumPage {
    /// Makes an empty tab for a page.
    pub(crate) fn open(mut connection: Connection, opening: Opening) -> Result<Self> {
        // What it stores is not that of tabs at the same time, and not on disk.
        let mut apart = connection.call("Target.createBrowserContext", json!({}))?;
        let apart = apart["browserContextId"].take();
        let how = json!({ "url": EMPTY, "browserContextId": apart });
        let new = connection.call("Target.createTarget", how)?;
        let attach = json!({ "targetId": new["targetId"], "flatten": true });
        let attached = connection.call("Target.attachToTarget", attach)?;
        let session = attached["sessionId"].as_str().context("a tab without a session")?;
        connection.session = Some(session.to_owned());
        connection.call_all(preparations(&opening))?;
        let closing = ("Target.disposeBrowserContext", json!({ "browserContextId": apart }));
        Ok(Self {
            tab: Tab { connection, opening, console: Vec::new(), closing },
            is_empty: true,
            looks: 0,
            hand: Hand::default(),
            kept: Vec::new(),
        })
    }

    fn opened(&mut self, address: &str) -> Result<()> {
        let went = self.tab.connection.call("Page.navigate", json!({ "url": address }))?;
        if let Some(error) = went["errorText"].as_str() {
            bail!("{address}: {error}");
        }
        // Another part of the page that is there.
        if went["loaderId"].is_null() {
            return Ok(());
        }
        let mut is_there = false;
        loop {
            let event = self.tab.connection.event()?;
            let method = event["method"].as_str().unwrap_or_default();
            if method == "Page.frameNavigated" {
                is_there |= event["params"]["frame"]["loaderId"] == went["loaderId"];
            }
            // What came before it is about the page that was there.
            if is_there || method.starts_with("Network.") {
                self.hear(&event);
            }
            if is_there && method == "Page.loadEventFired" {
                return Ok(());
            }
        }
    }
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

/// Returns an answer, with what is said about it but for its body.
fn answer(request: &Value, response: &Value) -> Answer {
    let mut answer = Answer::default();
    (answer.request.url, answer.request.method) =
        (text(&response["url"]), text(&request["method"]));
    let status = response["status"].as_u64().and_then(|status| status.try_into().ok());
    answer.response.status = status.unwrap_or_default();
    answer.response.content.mime_type = text(&response["mimeType"]);
    let headers = response["headers"].as_object().into_iter().flatten();
    let headers = headers.map(|(name, value)| Header { name: name.clone(), value: text(value) });
    answer.response.headers = headers.collect();
    answer
}

impl Hand {
    /// Returns the call for an input, which has been done then.
    fn event(&mut self, input: &Input) -> Call {
        let (kind, button, count, by) = match input {
            Input::Move(_) => ("mouseMoved", self.held, 0, [0.0; 2]),
            Input::Press(button, count) => ("mousePressed", Some(*button), *count, [0.0; 2]),
            Input::Release(button, count) => ("mouseReleased", Some(*button), *count, [0.0; 2]),
            Input::Wheel(_, by) => ("mouseWheel", None, 0, *by),
            Input::Down(key) => {
                self.modifiers |= keys::modifier(key);
                return self.key(key, true);
            }
            Input::Up(key) => {
                self.modifiers &= !keys::modifier(key);
                return self.key(key, false);
            }
        };
        match input {
            Input::Move(at) | Input::Wheel(at, _) => self.at = *at,
            Input::Press(button, _) => self.held = Some(*button),
            _ => self.held = None,
        }
        let named = |button| if button == 2 { ("right", 2) } else { ("left", 1) };
        let event = json!({
            "type": kind, "x": self.at[0], "y": self.at[1], "deltaX": by[0], "deltaY": by[1],
            "button": button.map_or("none", |button| named(button).0),
            "buttons": self.held.map_or(0, |button| named(button).1),
            "clickCount": count, "modifiers": self.modifiers,
        });
        ("Input.dispatchMouseEvent", event)
    }

    fn key(&self, key: &str, is_down: bool) -> Call {
        let (code, number) = keys::code(key);
        // With Control and the like a key writes nothing.
        let text = keys::text(key).filter(|_| is_down && self.modifiers & !SHIFT == 0);
        let kind = match (is_down, &text) {
            (false, _) => "keyUp",
            (true, None) => "rawKeyDown",
            (true, Some(_)) => "keyDown",
        };
        let mut event = json!({
            "type": kind, "key": key, "code": code, "windowsVirtualKeyCode": number,
            "modifiers": self.modifiers,
        });
        if let Some(text) = text {
            event["text"] = text.into();
        }
        ("Input.dispatchKeyEvent", event)
    }
}

/// The bit of the key for capital letters.
const SHIFT: u32 = 8;

fn window(Window { size: [width, height], scale }: Window) -> Call {
    let size = json!({
        "width": width, "height": height, "deviceScaleFactor": scale, "mobile": false,
    });
    ("Emulation.setDeviceMetricsOverride", size)
}

/// Returns the calls that prepare a tab, which is attached, for a page.
fn preparations(opening: &Opening) -> Vec<Call> {
    let is_served = opening.served.is_some();
    let network = json!({
        "offline": !opening.keeps && !is_served, "latency": 0, "downloadThroughput": -1,
        "uploadThroughput": -1,
    });
    let media = json!({ "media": if opening.how.print { "print" } else { "screen" } });
    let mut calls = vec![
        ("Inspector.enable", json!({})),
        ("Page.enable", json!({})),
        ("Runtime.enable", json!({})),
        ("Log.enable", json!({})),
        ("Network.enable", json!({})),
        ("Log.clear", json!({})),
        ("Page.addScriptToEvaluateOnNewDocument", json!({ "source": FORGET })),
        ("Page.addScriptToEvaluateOnNewDocument", json!({ "source": opening.script() })),
        ("Network.emulateNetworkConditions", network),
        window(opening.how.size),
        ("Emulation.setEmulatedMedia", media),
        // What a service worker has stored is not there the next time.
        ("Network.setBypassServiceWorker", json!({ "bypass": opening.keeps })),
        ("Network.setCacheDisabled", json!({ "cacheDisabled": opening.keeps || is_served })),
    ];
    if is_served {
        calls.push(("Fetch.enable", json!({ "patterns": [{ "urlPattern": "*" }] })));
    }
    calls.extend(emptied(opening));
    calls
}

/// Returns the calls that forget where the tab was, and what was stored.
fn emptied(opening: &Opening) -> Vec<Call> {
    let mut calls = vec![("Page.resetNavigationHistory", json!({}))];
    let served = opening.served.as_ref().map(|_| &opening.address[..]);
    for origin in ["file://"].into_iter().chain(served) {
        let stored = json!({ "origin": origin, "storageTypes": STORED });
        calls.push(("Storage.clearDataForOrigin", stored));
    }
    calls
}

/// Answers a request of the page from what was recorded; what was not fails.
fn reply(event: &Value, served: &Served) -> Option<Call> {
    if event["method"] != "Fetch.requestPaused" {
        return None;
    }
    let (id, url) = (&event["params"]["requestId"], event["params"]["request"]["url"].as_str()?);
    Some(match served.response(url) {
        Some(response) => {
            let answer = json!({
                "requestId": id, "responseCode": response.status, "body": response.body(),
                "responseHeaders": response.headers,
            });
            ("Fetch.fulfillRequest", answer)
        }
        None if is_local(url) => ("Fetch.continueRequest", json!({ "requestId": id })),
        None => {
            let failure = json!({ "requestId": id, "errorReason": "InternetDisconnected" });
            ("Fetch.failRequest", failure)
        }
    })
}

impl Page for ChromiumPage {
    fn tab(&mut self) -> &mut Tab {
        &mut self.tab
    }

    fn drawing(&mut self) -> Result<Option<u64>> {
        let all = self.tab.connection.call_browser("SystemInfo.getProcessInfo", json!({}))?;
        let mut all = all["processInfo"].as_array().into_iter().flatten();
        Ok(all.find(|one| one["type"] == "GPU").and_then(|one| one["id"].as_u64()))
    }

    /// Opens the page, which may have to wait for one that goes elsewhere by itself.
    fn visit(&mut self, address: &str) -> Result<()> {
        let mut opened = self.opened(address);
        if let Err(error) = &opened
            && !self.is_empty
            && error.downcast_ref::<Problem>().is_none()
        {
            self.opened(EMPTY)?;
            opened = self.opened(address);
        }
        self.is_empty = address == EMPTY;
        opened
    }

    fn prepare(&mut self) -> Result<()> {
        let opening = &self.tab.opening;
        let mut calls = emptied(opening);
        if opening.actions.iter().any(|action| action.kind == Kind::Resize) {
            calls.push(window(opening.how.size));
        }
        self.looks += 1;
        self.hand = Hand::default();
        self.tab.connection.call_all(calls)
    }

    fn is_worn(&self) -> bool {
        self.looks >= WORN
    }

    fn replies(&self, served: Served) -> Replies {
        Box::new(move |event| reply(event, &served))
    }

    fn evaluate(&mut self, expression: &str) -> Result<Result<Value, String>> {
        let question = json!({ "expression": expression, "awaitPromise": true, "silent": true });
        let mut answer = self.tab.connection.call("Runtime.evaluate", question)?;
        let thrown = &answer["exceptionDetails"]["exception"];
        Ok(match thrown.is_null() {
            true => Ok(answer["result"]["value"].take()),
            false => Err(text(&thrown["description"])),
        })
    }

    fn kept(&mut self) -> Result<Vec<Answer>> {
        (self as &mut dyn Page).hear_all();
        let events = std::mem::take(&mut self.kept);
        let mut all = Vec::new();
        for about in events.iter().map(|event| &event["params"]) {
            let (request, response) = (&about["request"], &about["response"]);
            let redirect = &about["redirectResponse"];
            if redirect.is_object() {
                all.push(answer(request, redirect));
            }
            if response.is_null() {
                let lost = Some("no answer".to_owned());
                all.push(Answer { lost, ..answer(request, request) });
                continue;
            }
            let id = &about["requestId"];
            let mut own = events.iter().map(|event| &event["params"]);
            let own = own.rfind(|own| own["requestId"] == *id && own["request"].is_object());
            let mut answer = answer(own.map_or(&Value::Null, |own| &own["request"]), response);
            let which = json!({ "requestId": id });
            let body = self.tab.connection.call("Network.getResponseBody", which);
            answer.lost = body.as_ref().err().map(ToString::to_string);
            let (body, content) = (body.unwrap_or_default(), &mut answer.response.content);
            content.text = text(&body["body"]);
            content.encoding = (body["base64Encoded"] == true).then(|| "base64".to_owned());
            all.push(answer);
        }
        Ok(all)
    }

    fn input(&mut self, inputs: &[Input]) -> Result<()> {
        let calls = inputs.iter().map(|input| self.hand.event(input)).collect();
        self.tab.connection.call_all(calls)
    }

    fn window(&self, size: Window) -> Call {
        window(size)
    }

    fn hear(&mut self, event: &Value) {
        let about = &event["params"];
        match event["method"].as_str() {
            Some("Runtime.consoleAPICalled") => {
                let said = |word: &Value| match (&word["value"], &word["description"]) {
                    (Value::String(text), _) | (Value::Null, Value::String(text)) => text.clone(),
                    (value, _) => value.to_string(),
                };
                let words = about["args"].as_array().into_iter().flatten().map(said);
                self.tab.console.push(words.collect::<Vec<_>>().join(" "));
            }
            Some("Runtime.exceptionThrown") => {
                let details = &about["exceptionDetails"];
                let description = text(&details["exception"]["description"]);
                self.tab.console.push(format!("{} {description}", text(&details["text"])));
            }
            Some("Log.entryAdded") => self.tab.console.push(text(&about["entry"]["text"])),
            Some("Network.requestWillBeSent" | "Network.responseReceived")
                if self.tab.opening.keeps =>
            {
                self.kept.push(event.clone());
            }
            _ => {}
        }
    }

    fn shot(&mut self) -> Result<Value> {
        self.tab.connection.call("Page.captureScreenshot", json!({ "format": "png" }))
    }
}
