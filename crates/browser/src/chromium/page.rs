//! A page in a tab of Chromium: loads it, evaluates expressions in it, takes its picture.

use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use super::tabs::{EMPTY, Tab};
use crate::connection::{Connection, Problem};
use crate::page::{Page, Seen, View, address};
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
}

/// What a page from a file can leave behind in the browser. Not everything that there is (`all`): emptying
/// caches of the network and the like takes 30 ms.
const STORED: &str = "cache_storage,file_systems,indexeddb,local_storage";

/// What a tab keeps from page to page. Frames have names of their own and share the storage; a page that
/// loads itself again still finds what it left there.
pub(crate) const FORGET: &str = "\
if (self === top && performance.getEntriesByType('navigation')[0]?.type !== 'reload') {
    try { sessionStorage.clear() } catch { }
    window.name = '';
}";

impl ChromiumPage {
    /// Takes an empty tab for a file.
    pub(crate) fn open(
        mut connection: Connection,
        tab: Tab,
        file: &Path,
        view: &View,
    ) -> Result<Self> {
        let (width, height) = view.size;
        let attach = json!({ "targetId": tab.target, "flatten": true });
        let attached = connection.call(None, "Target.attachToTarget", attach)?;
        let session = attached["sessionId"].as_str().context("a tab without a session")?.to_owned();
        let address = address(file);
        let mut page =
            Self { connection, tab, crashed: false, session, address, console: Vec::new() };
        let domains = ["Inspector", "Page", "Runtime", "Log", "Network"];
        let enable = domains.map(|domain| (format!("{domain}.enable"), json!({})));
        let stored = json!({ "origin": "file://", "storageTypes": STORED });
        let network = json!({
            "offline": !view.online, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1,
        });
        let window = json!({ "width": width, "height": height, "deviceScaleFactor": view.scale, "mobile": false });
        let scheme = json!({ "name": "prefers-color-scheme", "value": view.scheme() });
        let media = json!({ "media": view.media(), "features": [scheme] });
        let settings = [
            ("Log.clear".to_owned(), json!({})),
            ("Page.resetNavigationHistory".to_owned(), json!({})),
            ("Page.addScriptToEvaluateOnNewDocument".to_owned(), json!({ "source": FORGET })),
            ("Storage.clearDataForOrigin".to_owned(), stored),
            ("Network.emulateNetworkConditions".to_owned(), network),
            ("Emulation.setDeviceMetricsOverride".to_owned(), window),
            ("Emulation.setEmulatedMedia".to_owned(), media),
        ];
        let fixed = view.script().map(|source| {
            ("Page.addScriptToEvaluateOnNewDocument".to_owned(), json!({ "source": source }))
        });
        let all: Vec<_> = enable.into_iter().chain(settings).chain(fixed).collect();
        page.connection.call_all(&page.session, &all)?;
        Ok(page)
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
            Some("Log.entryAdded") => self.console.push(text(&parameters["entry"]["text"])),
            _ => {}
        }
    }
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
            "expression": format!("({expression}\n)"), "awaitPromise": true, "returnByValue": false,
            "silent": true,
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
        Ok(if thrown.is_null() && is_true(&answer["result"]) { Seen::Yes } else { Seen::No })
    }

    fn text(&mut self, expression: &str) -> Result<Option<String>> {
        let question = json!({ "expression": expression, "awaitPromise": true, "silent": true });
        let answer = self.call("Runtime.evaluate", question)?;
        Ok(answer["result"]["value"].as_str().map(str::to_owned))
    }

    fn console(&mut self) -> Vec<String> {
        let events: Vec<Value> = self.connection.seen_events().collect();
        events.iter().for_each(|event| self.hear(event));
        std::mem::take(&mut self.console)
    }

    fn screenshot(&mut self) -> Result<Vec<u8>> {
        let shot = self.call("Page.captureScreenshot", json!({ "format": "png" }))?;
        picture::from_base64(shot["data"].as_str().unwrap_or_default())
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

/// Returns whether JavaScript takes a value for true.
fn is_true(value: &Value) -> bool {
    match (&value["type"], &value["value"]) {
        (kind, _) if kind == "undefined" => false,
        (kind, _) if kind == "object" => value["subtype"] != "null",
        (_, Value::Bool(yes)) => *yes,
        (_, Value::String(text)) => !text.is_empty(),
        (_, Value::Number(number)) => number.as_f64() != Some(0.0),
        // Functions and symbols; numbers that JSON does not have: NaN is not true, infinity is.
        _ => !matches!(value["unserializableValue"].as_str(), Some("NaN" | "-0" | "0n")),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::is_true;

    #[test]
    fn values_are_true_as_in_javascript() {
        for (value, wanted) in [
            (json!({ "type": "boolean", "value": true }), true),
            (json!({ "type": "boolean", "value": false }), false),
            (json!({ "type": "number", "value": 0 }), false),
            (json!({ "type": "number", "value": 3.5 }), true),
            (json!({ "type": "number", "unserializableValue": "NaN" }), false),
            (json!({ "type": "string", "value": "" }), false),
            (json!({ "type": "undefined" }), false),
            (json!({ "type": "object", "subtype": "null", "value": null }), false),
            (json!({ "type": "object", "className": "HTMLElement" }), true),
        ] {
            assert_eq!(is_true(&value), wanted, "{value}");
        }
    }
}
