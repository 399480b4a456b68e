//! A page in a tab of Chromium: loads it, evaluates expressions in it, takes its picture.

use std::collections::BTreeMap;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use crate::actions::{Action, keys};
use crate::connection::{Connection, Problem};
use crate::har::Served;
use crate::page::{EMPTY, Input, Kept, Opening, Page, View};
use crate::picture;

/// A tab that is ours alone, with nothing stored from earlier pages.
pub(crate) struct ChromiumPage {
    connection: Connection,
    target: String,
    /// Where it stores what it stores, which goes with the tab.
    apart: Value,
    /// Whether the tab has crashed.
    crashed: bool,
    session: String,
    address: String,
    view: View,
    is_served: bool,
    /// Whether nothing is shown.
    is_empty: bool,
    console: Vec<String>,
    actions: Vec<Action>,
    /// Whether the page must be gone before the next one comes.
    emptied: bool,
    /// How many looks there were.
    looks: u32,
    hand: Hand,
    /// Answers by the names of requests, if they are kept, in the order of the requests.
    kept: Option<Vec<(String, Kept)>>,
    /// Addresses by the names of requests without an answer.
    requests: BTreeMap<String, String>,
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

/// What a tab keeps from page to page. Frames have names of their own and share the storage; a page
/// that loads itself again still finds what it left there.
pub(crate) const FORGET: &str = "\
if (self === top && performance.getEntriesByType('navigation')[0]?.type !== 'reload') {
    try { sessionStorage.clear() } catch { }
    window.name = '';
}";

impl ChromiumPage {
    /// Makes an empty tab for a page.
    pub(crate) fn open(mut connection: Connection, opening: &Opening) -> Result<Self> {
        // What it stores is not that of tabs at the same time, and not on disk.
        let mut apart = connection.call(None, "Target.createBrowserContext", json!({}))?;
        let apart = apart["browserContextId"].take();
        let how = json!({ "url": EMPTY, "browserContextId": apart });
        let new = connection.call(None, "Target.createTarget", how)?;
        let target = new["targetId"].as_str().context("a tab without a name")?.to_owned();
        let attach = json!({ "targetId": target, "flatten": true });
        let attached = connection.call(None, "Target.attachToTarget", attach)?;
        let session = attached["sessionId"].as_str().context("a tab without a session")?.to_owned();
        connection.call_all(&session, &preparations(opening))?;
        let mut page = Self {
            connection,
            target,
            apart,
            crashed: false,
            session,
            address: String::new(),
            view: opening.view.clone(),
            is_served: opening.served.is_some(),
            is_empty: true,
            console: Vec::new(),
            actions: Vec::new(),
            emptied: true,
            looks: 0,
            hand: Hand::default(),
            kept: opening.view.keeps.then(Vec::new),
            requests: BTreeMap::new(),
        };
        page.turn_to(opening);
        Ok(page)
    }

    fn opened(&mut self, address: &str) -> Result<()> {
        let went = self.call("Page.navigate", json!({ "url": address }))?;
        if let Some(error) = went["errorText"].as_str() {
            bail!("{address}: {error}");
        }
        // Another part of the page that is there.
        if went["loaderId"].is_null() {
            return Ok(());
        }
        let mut is_there = false;
        loop {
            let event = self.connection.event()?;
            if event["method"] == "Page.frameNavigated" {
                is_there |= event["params"]["frame"]["loaderId"] == went["loaderId"];
            }
            // What came before it is about the page that was there.
            if !is_there && !event["method"].as_str().is_some_and(|of| of.starts_with("Network.")) {
                continue;
            }
            self.hear(&event);
            if event["method"] == "Page.loadEventFired" {
                return Ok(());
            }
        }
    }

    /// Opens the page, which may have to wait for one that goes elsewhere by itself.
    fn opened_behind(&mut self) -> Result<()> {
        let address = self.address.clone();
        match self.opened(&address) {
            Err(error) if !self.is_empty && error.downcast_ref::<Problem>().is_none() => {
                self.opened(EMPTY)?;
                self.opened(&address)
            }
            other => other,
        }
    }

    /// Returns the calls that bring the tab, which is empty, back to the state in which it was
    /// prepared.
    fn anew(&self) -> Vec<(String, Value)> {
        let mut calls = vec![
            ("Page.resetNavigationHistory", json!({})),
            ("Storage.clearDataForOrigin", json!({ "origin": "file://", "storageTypes": STORED })),
        ];
        if self.is_served {
            let origin = json!({ "origin": self.address, "storageTypes": STORED });
            calls.push(("Storage.clearDataForOrigin", origin));
        }
        if self.actions.iter().any(|action| matches!(action, Action::Resize { .. })) {
            calls.push(("Emulation.setDeviceMetricsOverride", window(&self.view)));
        }
        calls.into_iter().map(|(method, parameters)| (method.to_owned(), parameters)).collect()
    }

    fn call(&mut self, method: &str, parameters: Value) -> Result<Value> {
        let answer = self.connection.call(Some(&self.session), method, parameters);
        self.noting(answer)
    }

    /// Notes whether the tab has crashed.
    fn noting<T>(&mut self, answer: Result<T>) -> Result<T> {
        let is_crash = |error: &anyhow::Error| error.downcast_ref() == Some(&Problem::Crash);
        self.crashed |= answer.as_ref().is_err_and(is_crash);
        answer
    }

    fn hear_all(&mut self) {
        let events: Vec<Value> = self.connection.seen_events().collect();
        events.iter().for_each(|event| self.hear(event));
    }

    fn hear(&mut self, event: &Value) {
        let parameters = &event["params"];
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        match event["method"].as_str() {
            Some("Runtime.consoleAPICalled") => {
                let words =
                    parameters["args"].as_array().into_iter().flatten().map(|word| {
                        match (&word["value"], &word["description"]) {
                            (Value::String(text), _) | (Value::Null, Value::String(text)) => {
                                text.clone()
                            }
                            (value, _) => value.to_string(),
                        }
                    });
                self.console.push(words.collect::<Vec<_>>().join(" "));
            }
            Some("Runtime.exceptionThrown") => {
                let details = &parameters["exceptionDetails"];
                let description = text(&details["exception"]["description"]);
                self.console.push(format!("{} {description}", text(&details["text"])));
            }
            Some("Network.requestWillBeSent") => {
                let (id, url) = (text(&parameters["requestId"]), &parameters["request"]["url"]);
                if let Some(kept) = &mut self.kept {
                    let redirect = &parameters["redirectResponse"];
                    let before = kept.iter_mut().rfind(|(own, _)| *own == id);
                    if let (Some((_, before)), true) = (before, redirect.is_object()) {
                        answer(before, redirect);
                        before.lost = None;
                    }
                    let method = text(&parameters["request"]["method"]);
                    let lost = Some("no answer".to_owned());
                    let new = Kept { address: text(url), method, lost, ..Kept::default() };
                    kept.push((id.clone(), new));
                }
                self.requests.insert(id, text(url));
            }
            Some("Network.responseReceived") => {
                let id = text(&parameters["requestId"]);
                let kept = self.kept.iter_mut().flatten().rfind(|(own, _)| *own == id);
                if let Some((_, kept)) = kept {
                    answer(kept, &parameters["response"]);
                }
            }
            Some("Network.webSocketCreated") => {
                let lost = Some("what comes over a web socket".to_owned());
                let new = Kept { address: text(&parameters["url"]), lost, ..Kept::default() };
                self.kept.iter_mut().for_each(|kept| kept.push((String::new(), new.clone())));
            }
            Some("Network.loadingFinished" | "Network.loadingFailed") => {
                self.requests.remove(&text(&parameters["requestId"]));
            }
            Some("Log.entryAdded") => self.console.push(text(&parameters["entry"]["text"])),
            _ => {}
        }
    }
}

/// Takes what an answer says into what is kept.
fn answer(kept: &mut Kept, response: &Value) {
    kept.status = response["status"].as_u64().unwrap_or_default();
    kept.mime = response["mimeType"].as_str().unwrap_or_default().to_owned();
    let headers = response["headers"].as_object().into_iter().flatten();
    let headers = headers.filter_map(|(name, value)| Some((name.clone(), value.as_str()?.into())));
    kept.headers = headers.collect();
}

impl Hand {
    /// Returns the call for an input, which has been done then.
    fn event(&mut self, input: &Input) -> (String, Value) {
        let button = |button: Option<u8>| match button {
            None => "none",
            Some(2) => "right",
            Some(_) => "left",
        };
        let mouse = |kind: &str, which: Option<u8>, count: u32, hand: &Self| {
            let [x, y] = hand.at;
            let held = match hand.held {
                None => 0,
                Some(2) => 2,
                Some(_) => 1,
            };
            let event = json!({
                "type": kind, "x": x, "y": y, "button": button(which), "buttons": held,
                "clickCount": count, "modifiers": hand.modifiers,
            });
            ("Input.dispatchMouseEvent".to_owned(), event)
        };
        match input {
            Input::Move(at) => {
                self.at = *at;
                mouse("mouseMoved", self.held, 0, self)
            }
            Input::Press { button, count } => {
                self.held = Some(*button);
                mouse("mousePressed", Some(*button), *count, self)
            }
            Input::Release { button, count } => {
                self.held = None;
                mouse("mouseReleased", Some(*button), *count, self)
            }
            Input::Wheel { at, by: [x, y] } => {
                self.at = *at;
                let (method, mut event) = mouse("mouseWheel", None, 0, self);
                (event["deltaX"], event["deltaY"]) = ((*x).into(), (*y).into());
                (method, event)
            }
            Input::Down(key) => {
                self.modifiers |= keys::modifier(key);
                self.key(key, true)
            }
            Input::Up(key) => {
                self.modifiers &= !keys::modifier(key);
                self.key(key, false)
            }
        }
    }

    fn key(&self, key: &str, is_down: bool) -> (String, Value) {
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
        ("Input.dispatchKeyEvent".to_owned(), event)
    }
}

/// The bit of the key for capital letters.
const SHIFT: u32 = 8;

fn window(view: &View) -> Value {
    let (width, height) = view.window.size;
    json!({
        "width": width, "height": height, "deviceScaleFactor": view.window.scale, "mobile": false,
    })
}

/// Returns the calls that prepare a tab, which is attached, for a page.
fn preparations(opening: &Opening) -> Vec<(String, Value)> {
    let view = &opening.view;
    let offline = !view.keeps && opening.served.is_none();
    let network = json!({
        "offline": offline, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1,
    });
    let media = json!({ "media": if view.print { "print" } else { "screen" } });
    let mut calls = vec![
        ("Inspector.enable", json!({})),
        ("Page.enable", json!({})),
        ("Runtime.enable", json!({})),
        ("Log.enable", json!({})),
        ("Network.enable", json!({})),
        ("Log.clear", json!({})),
        ("Page.resetNavigationHistory", json!({})),
        ("Page.addScriptToEvaluateOnNewDocument", json!({ "source": FORGET })),
        ("Page.addScriptToEvaluateOnNewDocument", json!({ "source": view.script() })),
        ("Storage.clearDataForOrigin", json!({ "origin": "file://", "storageTypes": STORED })),
        ("Network.emulateNetworkConditions", network),
        ("Emulation.setDeviceMetricsOverride", window(view)),
        ("Emulation.setEmulatedMedia", media),
    ];
    if view.keeps {
        // What a service worker has stored is not there the next time.
        calls.push(("Network.setBypassServiceWorker", json!({ "bypass": true })));
        calls.push(("Network.setCacheDisabled", json!({ "cacheDisabled": true })));
    }
    if opening.served.is_some() {
        let origin = json!({ "origin": opening.address, "storageTypes": STORED });
        calls.push(("Storage.clearDataForOrigin", origin));
        calls.push(("Network.setCacheDisabled", json!({ "cacheDisabled": true })));
        calls.push(("Fetch.enable", json!({ "patterns": [{ "urlPattern": "*" }] })));
    }
    calls.into_iter().map(|(method, parameters)| (method.to_owned(), parameters)).collect()
}

/// Answers a request of the page from what was recorded; what was not fails.
fn reply(event: &Value, served: &Served) -> Option<(&'static str, Value)> {
    if event["method"] != "Fetch.requestPaused" {
        return None;
    }
    let (id, url) = (&event["params"]["requestId"], event["params"]["request"]["url"].as_str()?);
    if let Some(response) = served.response(url) {
        let pairs = response.headers.iter();
        let headers: Vec<Value> =
            pairs.map(|(name, value)| json!({ "name": name, "value": value })).collect();
        let answer = json!({
            "requestId": id, "responseCode": response.status, "responseHeaders": headers,
            "body": response.body,
        });
        return Some(("Fetch.fulfillRequest", answer));
    }
    if url.starts_with("file:") {
        return Some(("Fetch.continueRequest", json!({ "requestId": id })));
    }
    let failure = json!({ "requestId": id, "errorReason": "InternetDisconnected" });
    Some(("Fetch.failRequest", failure))
}

impl Page for ChromiumPage {
    fn sees_crashes(&self) -> bool {
        true
    }

    fn drawing(&mut self) -> Result<Option<u64>> {
        let all = self.connection.call(None, "SystemInfo.getProcessInfo", json!({}))?;
        let mut all = all["processInfo"].as_array().into_iter().flatten();
        Ok(all.find(|one| one["type"] == "GPU").and_then(|one| one["id"].as_u64()))
    }

    fn limited(&mut self) -> &mut Connection {
        &mut self.connection
    }

    fn open(&mut self) -> Result<()> {
        let opened = self.opened_behind();
        self.is_empty = false;
        self.noting(opened)
    }

    fn visit(&mut self, address: &str) -> Result<()> {
        self.opened(address)
    }

    fn again(&mut self, patience: Duration) -> Result<()> {
        self.connection.limit(patience);
        self.connection.stop_with(None);
        if self.crashed {
            bail!(Problem::Crash);
        }
        if self.emptied {
            self.opened(EMPTY)?;
            self.is_empty = true;
        }
        self.looks += 1;
        let anew = self.anew();
        self.connection.call_all(&self.session, &anew)?;
        let _seen = self.connection.seen_events().count();
        self.console.clear();
        self.requests.clear();
        self.hand = Hand::default();
        Ok(())
    }

    fn is_worn(&self) -> bool {
        self.looks >= WORN
    }

    fn turn_to(&mut self, opening: &Opening) {
        self.address.clone_from(&opening.address);
        self.actions.clone_from(&opening.actions);
        self.emptied = opening.emptied;
        self.connection.stop_with(opening.stop.clone());
        if let Some(served) = opening.served.clone() {
            self.connection.reply(Box::new(move |event| reply(event, &served)));
        }
    }

    fn evaluate(&mut self, expression: &str) -> Result<Result<Value, String>> {
        let question = json!({ "expression": expression, "awaitPromise": true, "silent": true });
        let mut answer = self.call("Runtime.evaluate", question)?;
        let thrown = &answer["exceptionDetails"]["exception"];
        Ok(match thrown.is_null() {
            true => Ok(answer["result"]["value"].take()),
            false => Err(thrown["description"].as_str().unwrap_or_default().to_owned()),
        })
    }

    fn actions(&self) -> &[Action] {
        &self.actions
    }

    fn kept(&mut self) -> Result<Vec<Kept>> {
        self.hear_all();
        let mut all = self.kept.take().unwrap_or_default();
        for (id, kept) in &mut all {
            // A redirection has no body, and what has no answer none either.
            if kept.status < 200 || (300..400).contains(&kept.status) {
                continue;
            }
            match self.call("Network.getResponseBody", json!({ "requestId": id })) {
                Ok(body) => {
                    kept.lost = None;
                    kept.body = body["body"].as_str().unwrap_or_default().to_owned();
                    kept.is_base64 = body["base64Encoded"] == true;
                }
                Err(error) => kept.lost = Some(error.to_string()),
            }
        }
        Ok(all.into_iter().map(|(_, kept)| kept).collect())
    }

    fn input(&mut self, inputs: &[Input]) -> Result<()> {
        let calls: Vec<(String, Value)> =
            inputs.iter().map(|input| self.hand.event(input)).collect();
        let done = self.connection.call_all(&self.session, &calls);
        self.noting(done)
    }

    fn resize(&mut self, (width, height): (u32, u32)) -> Result<()> {
        let window = json!({
            "width": width, "height": height, "deviceScaleFactor": 0, "mobile": false,
        });
        self.call("Emulation.setDeviceMetricsOverride", window).map(|_| ())
    }

    fn console(&mut self) -> Vec<String> {
        self.hear_all();
        std::mem::take(&mut self.console)
    }

    fn open_requests(&mut self) -> Vec<String> {
        self.hear_all();
        self.requests.values().cloned().collect()
    }

    fn screenshot(&mut self) -> Result<Vec<u8>> {
        let shot = self.call("Page.captureScreenshot", json!({ "format": "png" }))?;
        picture::from_base64(shot["data"].as_str().unwrap_or_default())
    }

    fn close(mut self: Box<Self>) {
        self.connection.stop_with(None);
        let target = json!({ "targetId": self.target });
        // A browser that is gone has closed it as well.
        let _closed = self.connection.call(None, "Target.closeTarget", target);
        let apart = json!({ "browserContextId": self.apart });
        let _closed = self.connection.call(None, "Target.disposeBrowserContext", apart);
    }
}
