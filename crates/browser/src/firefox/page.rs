//! A page in a tab of Firefox: loads it, evaluates expressions in it, takes its picture.

use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use crate::chromium::page::FORGET;
use crate::chromium::tabs::{EMPTY, Tab};
use crate::connection::Connection;
use crate::page::{Page, Seen, View, address};
use crate::picture;

/// A tab that is ours alone, with nothing stored from earlier pages.
pub(crate) struct FirefoxPage {
    connection: Connection,
    tab: Tab,
    /// What runs before the scripts of the page.
    preloaded: String,
    address: String,
    console: Vec<String>,
}

impl FirefoxPage {
    /// Takes an empty tab for a file.
    pub(crate) fn open(
        mut connection: Connection,
        claims: Option<&Path>,
        file: &Path,
        view: &View,
    ) -> Result<Self> {
        if view.dark || view.print {
            bail!("--dark and --print are for Chromium only");
        }
        let tab = claim(&mut connection, claims)?;
        let context = &tab.target;
        let (width, height) = view.size;
        let window = json!({
            "context": context, "viewport": { "width": width, "height": height },
            "devicePixelRatio": view.scale,
        });
        connection.call(None, "browsingContext.setViewport", window)?;
        let network = match view.online {
            true => Value::Null,
            false => json!({ "type": "offline" }),
        };
        let network = json!({ "contexts": [context], "networkConditions": network });
        connection.call(None, "emulation.setNetworkConditions", network)?;
        let fixed = view.script().unwrap_or_default();
        let first =
            format!("() => {{ {FORGET} try {{ localStorage.clear() }} catch {{ }} {fixed} }}");
        let first = json!({ "functionDeclaration": first, "contexts": [context] });
        let added = connection.call(None, "script.addPreloadScript", first)?;
        let preloaded = added["script"].as_str().context("a script without a name")?.to_owned();
        Ok(Self { connection, tab, preloaded, address: address(file), console: Vec::new() })
    }

    /// Returns what an expression gives, or what it throws as an error.
    fn evaluate(&mut self, expression: &str) -> Result<Result<Value, String>> {
        let question = json!({
            "expression": expression, "target": { "context": self.tab.target }, "awaitPromise": true,
            "resultOwnership": "none", "serializationOptions": { "maxObjectDepth": 0, "maxDomDepth": 0 },
        });
        let mut answer = self.connection.call(None, "script.evaluate", question)?;
        if answer["type"] == "exception" {
            let text = answer["exceptionDetails"]["text"].as_str().unwrap_or("an exception");
            return Ok(Err(text.to_owned()));
        }
        Ok(Ok(answer["result"].take()))
    }

    fn hear(&mut self, event: &Value) {
        let parameters = &event["params"];
        let is_own = parameters["source"]["context"] == self.tab.target.as_str();
        if event["method"] == "log.entryAdded" && is_own {
            self.console.push(parameters["text"].as_str().unwrap_or_default().to_owned());
        }
    }
}

impl Page for FirefoxPage {
    fn sees_crashes(&self) -> bool {
        false
    }

    fn limit(&mut self, patience: Duration) {
        self.connection.limit(patience);
    }

    fn load(&mut self, longer: Duration) -> Result<Seen> {
        let target = json!({ "context": self.tab.target, "url": self.address, "wait": "complete" });
        self.connection.call(None, "browsingContext.navigate", target)?;
        if !longer.is_zero() {
            let milliseconds = longer.min(self.connection.left()).as_millis();
            let wait = format!("new Promise(done => setTimeout(done, {milliseconds}))");
            // A page that goes elsewhere meanwhile has been waited for as well.
            let _ended = self.evaluate(&wait)?;
        }
        Ok(Seen::Yes)
    }

    fn holds(&mut self, expression: &str) -> Result<Seen> {
        Ok(match self.evaluate(&format!("({expression}\n)"))? {
            Err(thrown) if thrown.starts_with("SyntaxError") => {
                bail!("--holds {expression}: {thrown}")
            }
            Err(_) => Seen::No,
            Ok(value) if is_true(&value) => Seen::Yes,
            Ok(_) => Seen::No,
        })
    }

    fn text(&mut self, expression: &str) -> Result<Option<String>> {
        let value = self.evaluate(expression)?.unwrap_or_default();
        Ok(value["value"].as_str().map(str::to_owned))
    }

    fn console(&mut self) -> Vec<String> {
        let events: Vec<Value> = self.connection.seen_events().collect();
        for event in &events {
            self.hear(event);
        }
        std::mem::take(&mut self.console)
    }

    fn screenshot(&mut self) -> Result<Vec<u8>> {
        let which = json!({ "context": self.tab.target });
        let shot = self.connection.call(None, "browsingContext.captureScreenshot", which)?;
        picture::from_base64(shot["data"].as_str().unwrap_or_default())
    }

    fn close(mut self: Box<Self>, bad: bool) {
        let script = json!({ "script": self.preloaded });
        let empty = json!({ "context": self.tab.target, "url": EMPTY, "wait": "complete" });
        let mut calls =
            [("script.removePreloadScript", script), ("browsingContext.navigate", empty)]
                .into_iter();
        if !bad && calls.all(|(method, of)| self.connection.call(None, method, of).is_ok()) {
            return;
        }
        // A browser that is gone has closed it as well.
        let which = json!({ "context": self.tab.target });
        let _closed = self.connection.call(None, "browsingContext.close", which);
    }
}

/// Returns an empty tab: with a directory for claims an old one if there is one, else a new one, which stores
/// what it stores apart from other tabs.
fn claim(connection: &mut Connection, claims: Option<&Path>) -> Result<Tab> {
    if let Some(claims) = claims {
        let all = connection.call(None, "browsingContext.getTree", json!({ "maxDepth": 0 }))?;
        let tabs = all["contexts"].as_array().into_iter().flatten();
        let own = tabs.filter(|tab| tab["url"] == EMPTY && tab["userContext"] != "default");
        let mut ids = own.filter_map(|tab| tab["context"].as_str());
        if let Some(tab) = ids.find_map(|id| Tab::locked(claims, id)) {
            return Ok(tab);
        }
    }
    loop {
        let apart = connection.call(None, "browser.createUserContext", json!({}))?;
        let how = json!({ "type": "tab", "userContext": apart["userContext"] });
        let new = connection.call(None, "browsingContext.create", how)?;
        let target = new["context"].as_str().context("a tab without a name")?;
        match claims {
            None => return Ok(Tab::alone(target)),
            // Another test may have been faster.
            Some(claims) => match Tab::locked(claims, target) {
                Some(tab) => return Ok(tab),
                None => continue,
            },
        }
    }
}

/// Returns whether JavaScript takes a value for true.
fn is_true(value: &Value) -> bool {
    match (value["type"].as_str(), &value["value"]) {
        (Some("undefined" | "null"), _) => false,
        (Some("boolean"), yes) => *yes == Value::Bool(true),
        (Some("string"), text) => *text != "",
        // Numbers that JSON does not have are strings.
        (Some("number"), Value::String(text)) => text != "NaN" && text != "-0",
        (Some("number"), number) => number.as_f64() != Some(0.0),
        (Some("bigint"), digits) => *digits != "0",
        _ => true,
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
            (json!({ "type": "number", "value": "NaN" }), false),
            (json!({ "type": "number", "value": "Infinity" }), true),
            (json!({ "type": "bigint", "value": "0" }), false),
            (json!({ "type": "string", "value": "" }), false),
            (json!({ "type": "undefined" }), false),
            (json!({ "type": "null" }), false),
            (json!({ "type": "node" }), true),
        ] {
            assert_eq!(is_true(&value), wanted, "{value}");
        }
    }
}
