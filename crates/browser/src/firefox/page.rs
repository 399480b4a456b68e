//! A page in a tab of Firefox: loads it, evaluates expressions in it, takes its picture.

use std::time::Duration;

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use crate::actions::{Action, keys};
use crate::chromium::page::FORGET;
use crate::connection::{Connection, More, Problem};
use crate::firefox::drag::Held;
use crate::har::Served;
use crate::page::{Accessible, EMPTY, Input, Kept, Opening, Page, Seen, as_truth};
use crate::picture;

/// A tab that is ours alone, with nothing stored from earlier pages.
pub(crate) struct FirefoxPage {
    connection: Connection,
    tab: String,
    /// Where it stores what it stores, which goes with the tab.
    apart: Value,
    online: bool,
    /// What stops requests, to answer them.
    intercept: Option<String>,
    address: String,
    console: Vec<String>,
    actions: Vec<Action>,
    /// Whether the page must be gone before the next one comes.
    emptied: bool,
    /// The call for the size of the window.
    window: Value,
    held: Held,
    /// What the tab loads, if it is kept.
    kept: Option<Vec<(Value, Kept)>>,
}

impl FirefoxPage {
    /// Makes an empty tab for a page.
    pub(crate) fn open(mut connection: Connection, opening: &Opening) -> Result<Self> {
        let view = &opening.view;
        if view.dark || view.print || view.ignores_csp {
            bail!("--dark, --print and --ignore-csp are for Chromium only");
        }
        let (tab, apart) = new(&mut connection)?;
        let context = &tab;
        let (width, height) = view.size;
        let window = json!({
            "context": context, "viewport": { "width": width, "height": height },
            "devicePixelRatio": view.scale,
        });
        connection.call(None, "browsingContext.setViewport", window.clone())?;
        let network = match view.online || opening.served.is_some() {
            true => Value::Null,
            false => json!({ "type": "offline" }),
        };
        let network = json!({ "contexts": [context], "networkConditions": network });
        connection.call(None, "emulation.setNetworkConditions", network)?;
        let script = view.script();
        let first =
            format!("() => {{ {FORGET} try {{ localStorage.clear() }} catch {{ }} {script} }}");
        let first = json!({ "functionDeclaration": first, "contexts": [context] });
        connection.call(None, "script.addPreloadScript", first)?;
        let intercept = match opening.served {
            Some(_) => Some(intercept(&mut connection, context)?),
            None => None,
        };
        if view.keeps {
            keep(&mut connection, context)?;
        }
        let mut page = Self {
            connection,
            tab,
            apart,
            online: view.online,
            intercept,
            address: String::new(),
            console: Vec::new(),
            actions: Vec::new(),
            emptied: true,
            window,
            held: Held::default(),
            kept: view.keeps.then(Vec::new),
        };
        page.turn_to(opening);
        Ok(page)
    }

    /// Returns what an expression gives, or what it throws as an error.
    fn evaluate(&mut self, expression: &str) -> Result<Result<Value, String>> {
        let question = json!({
            "expression": expression, "target": { "context": self.tab }, "awaitPromise": true,
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
        let is_own = parameters["source"]["context"] == self.tab.as_str();
        if event["method"] == "log.entryAdded" && is_own {
            let mut text = parameters["text"].as_str().unwrap_or_default().to_owned();
            // As Chromium has it: the functions of an error's stack, the innermost first.
            if parameters["type"] == "javascript" {
                let frames = parameters["stackTrace"]["callFrames"].as_array();
                for frame in frames.into_iter().flatten() {
                    let name = frame["functionName"].as_str().unwrap_or_default();
                    text.push_str(&format!("\n    at {name}"));
                }
            }
            self.console.push(text);
        }
        if let Some(kept) = &mut self.kept {
            hear_answer(parameters, event["method"].as_str().unwrap_or_default(), kept);
        }
    }
}

/// Lets Firefox hold what servers answer to a tab, until it is asked for.
fn keep(connection: &mut Connection, context: &str) -> Result<()> {
    let contexts = json!([context]);
    let cache = json!({ "cacheBehavior": "bypass", "contexts": contexts });
    connection.call(None, "network.setCacheBehavior", cache)?;
    let data = json!({
        "dataTypes": ["response"], "maxEncodedDataSize": LARGEST_ANSWER, "contexts": contexts,
    });
    connection.call(None, "network.addDataCollector", data)?;
    let events = json!({ "events": ANSWERS, "contexts": contexts });
    connection.call(None, "session.subscribe", events).map(|_| ())
}

/// The most bytes of an answer that Firefox holds.
const LARGEST_ANSWER: u64 = 100 << 20;

/// The events that say what is asked and answered.
const ANSWERS: [&str; 3] =
    ["network.beforeRequestSent", "network.responseCompleted", "network.fetchError"];

/// Takes what an event says about a request into what is kept.
fn hear_answer(parameters: &Value, method: &str, kept: &mut Vec<(Value, Kept)>) {
    let request = &parameters["request"];
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let id = json!([request["request"], parameters["redirectCount"]]);
    if method == ANSWERS[0] {
        let (address, method) = (text(&request["url"]), text(&request["method"]));
        let lost = Some("no answer".to_owned());
        kept.push((id, Kept { address, method, lost, ..Kept::default() }));
        return;
    }
    let Some((_, kept)) = kept.iter_mut().rfind(|(own, _)| *own == id) else { return };
    if method == ANSWERS[2] {
        kept.lost = Some(text(&parameters["errorText"]));
    } else if method == ANSWERS[1] {
        let response = &parameters["response"];
        kept.status = response["status"].as_u64().unwrap_or_default();
        kept.mime = text(&response["mimeType"]);
        let headers = response["headers"].as_array().into_iter().flatten();
        let header = |one: &Value| (text(&one["name"]), text(&one["value"]["value"]));
        kept.headers = headers.map(header).collect();
        kept.lost = None;
    }
}

impl Page for FirefoxPage {
    fn sees_crashes(&self) -> bool {
        false
    }

    fn drawing(&mut self) -> Result<Option<u64>> {
        Ok(None)
    }

    fn limit(&mut self, patience: Duration) {
        self.connection.limit(patience);
    }

    fn prolong(&mut self, more: More) {
        self.connection.prolong(more);
    }

    fn turn_to(&mut self, opening: &Opening) {
        self.address.clone_from(&opening.address);
        self.actions.clone_from(&opening.actions);
        self.emptied = opening.emptied;
        self.connection.stop_with(opening.stop.clone());
        if let (Some(served), Some(own)) = (opening.served.clone(), self.intercept.clone()) {
            let online = self.online;
            self.connection.reply(Box::new(move |event| reply(event, &own, &served, online)));
        }
    }

    fn load(&mut self, longer: Duration) -> Result<Seen> {
        let target = json!({ "context": self.tab, "url": self.address, "wait": "complete" });
        self.connection.call(None, "browsingContext.navigate", target)?;
        if !longer.is_zero() {
            let milliseconds = longer.min(self.connection.left()).as_millis();
            let wait = format!("new Promise(done => setTimeout(done, {milliseconds}))");
            // A page that goes elsewhere meanwhile has been waited for as well.
            let _ended = self.evaluate(&wait)?;
        }
        Ok(Seen::Yes)
    }

    fn again(&mut self, patience: Duration) -> Result<()> {
        self.limit(patience);
        self.connection.stop_with(None);
        if self.emptied {
            let empty = json!({ "context": self.tab, "url": EMPTY, "wait": "complete" });
            self.connection.call(None, "browsingContext.navigate", empty)?;
        }
        if !self.actions.is_empty() {
            let which = json!({ "context": self.tab });
            self.connection.call(None, "input.releaseActions", which)?;
            self.held = Held::default();
            self.connection.call(None, "browsingContext.setViewport", self.window.clone())?;
        }
        let _seen = self.connection.seen_events().count();
        self.console.clear();
        Ok(())
    }

    fn holds(&mut self, expression: &str) -> Result<Seen> {
        Ok(match self.evaluate(&as_truth(expression))? {
            Err(thrown) if thrown.starts_with("SyntaxError") => {
                bail!("--holds {expression}: {thrown}")
            }
            Err(_) => Seen::No,
            Ok(value) if value["value"] == true => Seen::Yes,
            Ok(_) => Seen::No,
        })
    }

    fn text(&mut self, expression: &str) -> Result<Option<String>> {
        let value = self.evaluate(expression)?.unwrap_or_default();
        Ok(value["value"].as_str().map(str::to_owned))
    }

    fn actions(&self) -> &[Action] {
        &self.actions
    }

    fn kept(&mut self) -> Result<Vec<Kept>> {
        let events: Vec<Value> = self.connection.seen_events().collect();
        for event in &events {
            self.hear(event);
        }
        let mut all = self.kept.take().unwrap_or_default();
        for (id, kept) in &mut all {
            // A redirection has no body, and what has no answer none either.
            if kept.lost.is_some() || kept.status < 200 || (300..400).contains(&kept.status) {
                continue;
            }
            let which = json!({ "dataType": "response", "request": id[0] });
            match self.connection.call(None, "network.getData", which) {
                Ok(data) => {
                    let body = &data["bytes"];
                    kept.body = body["value"].as_str().unwrap_or_default().to_owned();
                    kept.is_base64 = body["type"] == "base64";
                }
                Err(error) => kept.lost = Some(error.to_string()),
            }
        }
        Ok(all.into_iter().map(|(_, kept)| kept).collect())
    }

    fn counters(&mut self, _collected: bool) -> Result<Vec<(String, f64)>> {
        bail!("--counts and --grows are for Chromium only")
    }

    fn accessible(&mut self) -> Result<Vec<Accessible>> {
        bail!("a list of what is `accessible` is for Chromium only")
    }

    fn accessible_like(&mut self, role: &str, name: &str) -> Result<usize> {
        // Two words of ARIA mean the same.
        let roles = if role == "image" { &["image", "img"][..] } else { &[role] };
        let mut count = 0;
        for role in roles {
            let value = match name {
                "" => json!({ "role": role }),
                name => json!({ "role": role, "name": name }),
            };
            let locator = json!({ "type": "accessibility", "value": value });
            let question = json!({ "context": self.tab, "locator": locator });
            let found = self.connection.call(None, "browsingContext.locateNodes", question)?;
            count += found["nodes"].as_array().map_or(0, Vec::len);
        }
        Ok(count)
    }

    fn input(&mut self, inputs: &[Input]) -> Result<()> {
        // What is done with one device is one list; lists are done one after the other.
        let device = |input: &Input| match input {
            Input::Down(_) | Input::Up(_) => ("key", "keyboard"),
            Input::Wheel { .. } => ("wheel", "wheel"),
            Input::Move(_) | Input::Press { .. } | Input::Release { .. } => ("pointer", "mouse"),
        };
        for run in inputs.chunk_by(|a, b| device(a) == device(b)) {
            let (kind, id) = device(&run[0]);
            let mut device = json!({ "type": kind, "id": id });
            device["actions"] = run.iter().map(event).collect();
            let all = json!({ "context": self.tab, "actions": [device] });
            self.connection.call(None, "input.performActions", all)?;
        }
        if let Some(script) = self.held.script(inputs) {
            // A page that goes elsewhere meanwhile has dropped it.
            let _thrown = self.evaluate(&script)?;
        }
        Ok(())
    }

    fn resize(&mut self, (width, height): (u32, u32)) -> Result<()> {
        let window = json!({
            "context": self.tab, "viewport": { "width": width, "height": height },
        });
        self.connection.call(None, "browsingContext.setViewport", window).map(|_| ())
    }

    fn go(&mut self, address: &str) -> Result<()> {
        let whole = format!("new URL({}, location.href).href", json!(address));
        let whole = self.text(&whole)?.unwrap_or_else(|| address.to_owned());
        let target = json!({ "context": self.tab, "url": whole, "wait": "complete" });
        self.connection.call(None, "browsingContext.navigate", target).map(|_| ())
    }

    fn console(&mut self) -> Vec<String> {
        let events: Vec<Value> = self.connection.seen_events().collect();
        for event in &events {
            self.hear(event);
        }
        std::mem::take(&mut self.console)
    }

    fn open_requests(&mut self) -> Vec<String> {
        // Its events would go to all tests of the session; what the page says of itself must do.
        Vec::new()
    }

    fn screenshot(&mut self) -> Result<Vec<u8>> {
        let which = json!({ "context": self.tab });
        let shot = self.connection.call(None, "browsingContext.captureScreenshot", which)?;
        picture::from_base64(shot["data"].as_str().unwrap_or_default())
    }

    fn close(mut self: Box<Self>) {
        self.connection.stop_with(None);
        // A browser that is gone has closed it as well.
        if let Some(intercept) = &self.intercept {
            let which = json!({ "intercept": intercept });
            let _removed = self.connection.call(None, "network.removeIntercept", which);
        }
        let which = json!({ "context": self.tab });
        let _closed = self.connection.call(None, "browsingContext.close", which);
        let apart = json!({ "userContext": self.apart });
        let _closed = self.connection.call(None, "browser.removeUserContext", apart);
    }
}

/// Returns an input as WebDriver has it.
fn event(input: &Input) -> Value {
    match input {
        Input::Move([x, y]) => {
            json!({ "type": "pointerMove", "x": x.round(), "y": y.round() })
        }
        Input::Press { button, .. } => json!({ "type": "pointerDown", "button": button }),
        Input::Release { button, .. } => json!({ "type": "pointerUp", "button": button }),
        Input::Wheel { at: [x, y], by } => {
            let [right, down] = by.map(f64::round);
            json!({ "type": "scroll", "x": x.round(), "y": y.round(), "deltaX": right, "deltaY": down })
        }
        Input::Down(key) => json!({ "type": "keyDown", "value": keys::driver(key) }),
        Input::Up(key) => json!({ "type": "keyUp", "value": keys::driver(key) }),
    }
}

/// How many tabs may be lost before that is an error.
const MOST_LOST: usize = 3;

/// Lets requests of a tab be stopped. Returns the name by which this ends.
fn intercept(connection: &mut Connection, context: &str) -> Result<String> {
    let events = json!({ "events": ["network.beforeRequestSent"], "contexts": [context] });
    connection.call(None, "session.subscribe", events)?;
    let phases = json!({ "phases": ["beforeRequestSent"], "contexts": [context] });
    let added = connection.call(None, "network.addIntercept", phases)?;
    Ok(added["intercept"].as_str().context("an interception without a name")?.to_owned())
}

/// Answers a request that was stopped for the tab or a frame in it; what was not recorded
/// fails, unless there is a network.
fn reply(
    event: &Value,
    intercept: &str,
    served: &Served,
    online: bool,
) -> Option<(&'static str, Value)> {
    let parameters = &event["params"];
    let mut stopped_by = parameters["intercepts"].as_array().into_iter().flatten();
    let is_stopped = event["method"] == "network.beforeRequestSent"
        && parameters["isBlocked"] == true
        && stopped_by.any(|own| own == intercept);
    if !is_stopped {
        return None;
    }
    let (id, url) = (&parameters["request"]["request"], parameters["request"]["url"].as_str()?);
    if let Some(response) = served.response(url) {
        let text = |text: &str| json!({ "type": "string", "value": text });
        let pairs = response.headers.iter();
        let headers: Vec<Value> =
            pairs.map(|(name, value)| json!({ "name": name, "value": text(value) })).collect();
        let answer = json!({
            "request": id, "statusCode": response.status, "reasonPhrase": "", "headers": headers,
            "body": { "type": "base64", "value": response.body },
        });
        return Some(("network.provideResponse", answer));
    }
    let is_local = ["file:", "about:", "data:", "blob:"].iter().any(|kind| url.starts_with(kind));
    let method = if online || is_local { "network.continueRequest" } else { "network.failRequest" };
    Some((method, json!({ "request": id })))
}

/// Makes an empty tab, which stores what it stores apart from other tabs.
fn new(connection: &mut Connection) -> Result<(String, Value)> {
    let mut lost = 0;
    loop {
        let mut apart = connection.call(None, "browser.createUserContext", json!({}))?;
        let apart = apart["userContext"].take();
        let how = json!({ "type": "tab", "userContext": apart });
        match connection.call(None, "browsingContext.create", how) {
            // On a busy machine Firefox sometimes loses a tab that it is just making.
            Err(error) if error.downcast_ref::<Problem>().is_none() && lost < MOST_LOST => {
                lost += 1;
            }
            new => {
                let name = new?["context"].as_str().context("a tab without a name")?.to_owned();
                return Ok((name, apart));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{ANSWERS, hear_answer};

    #[test]
    fn each_request_of_a_redirection_has_its_answer() {
        let mut kept = Vec::new();
        let about = |count: u64, url: &str, status: u64| {
            json!({
                "request": { "request": "7", "url": url, "method": "GET" }, "redirectCount": count,
                "response": {
                    "status": status, "mimeType": "text/html",
                    "headers": [{ "name": "a", "value": { "type": "string", "value": "b" } }],
                },
                "errorText": "refused",
            })
        };
        for (method, about) in [
            (ANSWERS[0], about(0, "http://127.0.0.1/", 0)),
            (ANSWERS[1], about(0, "http://127.0.0.1/", 302)),
            (ANSWERS[0], about(1, "http://127.0.0.1/a", 0)),
            (ANSWERS[1], about(1, "http://127.0.0.1/a", 200)),
            (ANSWERS[0], about(2, "http://127.0.0.1/b", 0)),
            (ANSWERS[2], about(2, "http://127.0.0.1/b", 0)),
        ] {
            hear_answer(&about, method, &mut kept);
        }
        let said = |(_, one): &(_, super::Kept)| {
            (one.address.clone(), one.status, one.headers.len(), one.lost.clone())
        };
        let expected = [
            ("http://127.0.0.1/".to_owned(), 302, 1, None),
            ("http://127.0.0.1/a".to_owned(), 200, 1, None),
            ("http://127.0.0.1/b".to_owned(), 0, 0, Some("refused".to_owned())),
        ];
        assert!(kept.iter().map(said).eq(expected));
    }
}
