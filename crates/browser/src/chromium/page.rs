//! A page in a tab of Chromium: loads it, evaluates expressions in it, takes its picture.

use std::collections::BTreeMap;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use super::tabs::{EMPTY, Tab};
use crate::connection::{Connection, Problem};
use crate::har::Served;
use crate::page::{Opening, Page, Seen, as_truth};
use crate::picture;

/// A tab that is ours alone, with nothing stored from earlier pages.
pub(crate) struct ChromiumPage {
    connection: Connection,
    tab: Tab,
    /// Whether the tab has crashed.
    crashed: bool,
    session: String,
    address: String,
    console: Vec<String>,
    /// Addresses by the names of requests without an answer.
    requests: BTreeMap<String, String>,
}

/// What a page from a file can leave behind in the browser. Not everything that there is (`all`):
/// emptying caches of the network and the like takes 30 ms.
const STORED: &str = "cache_storage,file_systems,indexeddb,local_storage";

/// What a tab keeps from page to page. Frames have names of their own and share the storage; a page
/// that loads itself again still finds what it left there.
pub(crate) const FORGET: &str = "\
if (self === top && performance.getEntriesByType('navigation')[0]?.type !== 'reload') {
    try { sessionStorage.clear() } catch { }
    window.name = '';
}";

impl ChromiumPage {
    /// Takes an empty tab for a page.
    pub(crate) fn open(
        mut connection: Connection,
        tab: Tab,
        opening: &Opening<'_>,
    ) -> Result<Self> {
        let attach = json!({ "targetId": tab.target, "flatten": true });
        let attached = connection.call(None, "Target.attachToTarget", attach)?;
        let session = attached["sessionId"].as_str().context("a tab without a session")?.to_owned();
        if let Some(served) = opening.served {
            let (served, online) = (served.clone(), opening.view.online);
            connection.reply(Box::new(move |event| reply(event, &served, online)));
        }
        connection.call_all(&session, &preparations(opening))?;
        Ok(Self {
            connection,
            tab,
            crashed: false,
            session,
            address: opening.address.clone(),
            console: Vec::new(),
            requests: BTreeMap::new(),
        })
    }

    fn loaded(&mut self, longer: Duration) -> Result<()> {
        let went = self.call("Page.navigate", json!({ "url": self.address }))?;
        if let Some(error) = went["errorText"].as_str() {
            bail!("{}: {error}", self.address);
        }
        loop {
            let event = self.connection.event()?;
            self.hear(&event);
            if event["method"] == "Page.loadEventFired" {
                break;
            }
        }
        if !longer.is_zero() {
            let milliseconds = longer.min(self.connection.left()).as_millis();
            let wait = format!("new Promise(done => setTimeout(done, {milliseconds}))");
            self.call("Runtime.evaluate", json!({ "expression": wait, "awaitPromise": true }))?;
        }
        Ok(())
    }

    fn call(&mut self, method: &str, parameters: Value) -> Result<Value> {
        self.connection.call(Some(&self.session), method, parameters)
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
                self.requests.insert(id, text(url));
            }
            Some("Network.loadingFinished" | "Network.loadingFailed") => {
                self.requests.remove(&text(&parameters["requestId"]));
            }
            Some("Log.entryAdded") => self.console.push(text(&parameters["entry"]["text"])),
            _ => {}
        }
    }
}

/// Returns the calls that prepare a tab, which is attached, for a page.
fn preparations(opening: &Opening<'_>) -> Vec<(String, Value)> {
    let view = &opening.view;
    let (width, height) = view.size;
    let offline = !view.online && opening.served.is_none();
    let network = json!({
        "offline": offline, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1,
    });
    let window = json!({
        "width": width, "height": height, "deviceScaleFactor": view.scale, "mobile": false,
    });
    let scheme = json!({ "name": "prefers-color-scheme", "value": view.scheme() });
    let media = json!({ "media": view.media(), "features": [scheme] });
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
        ("Emulation.setDeviceMetricsOverride", window),
        ("Emulation.setEmulatedMedia", media),
    ];
    if view.ignores_csp {
        calls.push(("Page.setBypassCSP", json!({ "enabled": true })));
    }
    if opening.served.is_some() {
        let origin = json!({ "origin": opening.address, "storageTypes": STORED });
        calls.push(("Storage.clearDataForOrigin", origin));
        calls.push(("Network.setCacheDisabled", json!({ "cacheDisabled": true })));
        calls.push(("Fetch.enable", json!({ "patterns": [{ "urlPattern": "*" }] })));
    }
    calls.into_iter().map(|(method, parameters)| (method.to_owned(), parameters)).collect()
}

/// Answers a request of the page from what was recorded; what was not fails, unless there is a
/// network.
fn reply(event: &Value, served: &Served, online: bool) -> Option<(&'static str, Value)> {
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
    if online || url.starts_with("file:") {
        return Some(("Fetch.continueRequest", json!({ "requestId": id })));
    }
    let failure = json!({ "requestId": id, "errorReason": "InternetDisconnected" });
    Some(("Fetch.failRequest", failure))
}

impl Page for ChromiumPage {
    fn sees_crashes(&self) -> bool {
        true
    }

    fn limit(&mut self, patience: Duration) {
        self.connection.limit(patience);
    }

    fn load(&mut self, longer: Duration) -> Result<Seen> {
        match self.loaded(longer) {
            Err(error) if error.downcast_ref() == Some(&Problem::Crash) => {
                self.crashed = true;
                Ok(Seen::Crash)
            }
            other => other.map(|()| Seen::Yes),
        }
    }

    fn holds(&mut self, expression: &str) -> Result<Seen> {
        let question = json!({
            "expression": as_truth(expression), "awaitPromise": true, "silent": true,
        });
        let answer = match self.call("Runtime.evaluate", question) {
            Err(error) if error.downcast_ref() == Some(&Problem::Crash) => {
                self.crashed = true;
                return Ok(Seen::Crash);
            }
            other => other?,
        };
        let thrown = &answer["exceptionDetails"]["exception"];
        if thrown["className"] == "SyntaxError" {
            bail!(
                "--holds {expression}: {}",
                thrown["description"].as_str().unwrap_or("not an expression")
            );
        }
        let is_true = thrown.is_null() && answer["result"]["value"] == true;
        Ok(if is_true { Seen::Yes } else { Seen::No })
    }

    fn text(&mut self, expression: &str) -> Result<Option<String>> {
        let question = json!({ "expression": expression, "awaitPromise": true, "silent": true });
        let answer = self.call("Runtime.evaluate", question)?;
        Ok(answer["result"]["value"].as_str().map(str::to_owned))
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

    fn printed(&mut self) -> Result<Vec<u8>> {
        let how = json!({ "printBackground": true, "preferCSSPageSize": true });
        let printed = self.call("Page.printToPDF", how)?;
        picture::from_base64(printed["data"].as_str().unwrap_or_default())
    }

    fn close(mut self: Box<Self>, bad: bool) {
        let empty = json!({ "url": EMPTY });
        if !bad
            && !self.crashed
            && self.connection.call(Some(&self.session), "Page.navigate", empty).is_ok()
        {
            return;
        }
        let target = json!({ "targetId": self.tab.target });
        // A browser that is gone has closed it as well.
        let _closed = self.connection.call(None, "Target.closeTarget", target);
    }
}
