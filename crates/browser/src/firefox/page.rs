//! A page in a tab of Firefox: loads it, evaluates expressions in it, takes its picture.

use std::time::Duration;

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use crate::actions::{Action, keys};
use crate::chromium::page::FORGET;
use crate::connection::{Connection, Problem};
use crate::har::Served;
use crate::page::{EMPTY, Input, Opening, Page};
use crate::picture;

/// A tab that is ours alone, with nothing stored from earlier pages.
pub(crate) struct FirefoxPage {
    connection: Connection,
    tab: String,
    /// Where it stores what it stores, which goes with the tab.
    apart: Value,
    /// What stops requests, to answer them.
    intercept: Option<String>,
    address: String,
    console: Vec<String>,
    actions: Vec<Action>,
    /// Whether the page must be gone before the next one comes.
    emptied: bool,
    /// The call for the size of the window.
    window: Value,
}

impl FirefoxPage {
    /// Makes an empty tab for a page.
    pub(crate) fn open(mut connection: Connection, opening: &Opening) -> Result<Self> {
        let view = &opening.view;
        if view.print || view.keeps {
            bail!("--print and --save of an address are for Chromium only");
        }
        let (tab, apart) = new(&mut connection)?;
        let context = &tab;
        let (width, height) = view.window.size;
        let window = json!({
            "context": context, "viewport": { "width": width, "height": height },
            "devicePixelRatio": view.window.scale,
        });
        connection.call(None, "browsingContext.setViewport", window.clone())?;
        let network = match opening.served {
            Some(_) => Value::Null,
            None => json!({ "type": "offline" }),
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
        let mut page = Self {
            connection,
            tab,
            apart,
            intercept,
            address: String::new(),
            console: Vec::new(),
            actions: Vec::new(),
            emptied: true,
            window,
        };
        page.turn_to(opening);
        Ok(page)
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
    }
}

impl Page for FirefoxPage {
    fn limited(&mut self) -> &mut Connection {
        &mut self.connection
    }

    fn open(&mut self) -> Result<()> {
        let address = self.address.clone();
        self.visit(&address)
    }

    fn visit(&mut self, address: &str) -> Result<()> {
        let target = json!({ "context": self.tab, "url": address, "wait": "complete" });
        self.connection.call(None, "browsingContext.navigate", target).map(|_| ())
    }

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
        Ok(Ok(answer["result"]["value"].take()))
    }

    fn turn_to(&mut self, opening: &Opening) {
        self.address.clone_from(&opening.address);
        self.actions.clone_from(&opening.actions);
        self.emptied = opening.emptied;
        self.connection.stop_with(opening.stop.clone());
        if let (Some(served), Some(own)) = (opening.served.clone(), self.intercept.clone()) {
            self.connection.reply(Box::new(move |event| reply(event, &own, &served)));
        }
    }

    fn again(&mut self, patience: Duration) -> Result<()> {
        self.connection.limit(patience);
        self.connection.stop_with(None);
        if self.emptied {
            self.visit(EMPTY)?;
        }
        if !self.actions.is_empty() {
            let which = json!({ "context": self.tab });
            self.connection.call(None, "input.releaseActions", which)?;
            self.connection.call(None, "browsingContext.setViewport", self.window.clone())?;
        }
        let _seen = self.connection.seen_events().count();
        self.console.clear();
        Ok(())
    }

    fn actions(&self) -> &[Action] {
        &self.actions
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
        Ok(())
    }

    fn resize(&mut self, (width, height): (u32, u32)) -> Result<()> {
        let window = json!({
            "context": self.tab, "viewport": { "width": width, "height": height },
        });
        self.connection.call(None, "browsingContext.setViewport", window).map(|_| ())
    }

    fn console(&mut self) -> Vec<String> {
        let events: Vec<Value> = self.connection.seen_events().collect();
        for event in &events {
            self.hear(event);
        }
        std::mem::take(&mut self.console)
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

/// Answers a request that was stopped for the tab or a frame in it; what was not recorded fails.
fn reply(event: &Value, intercept: &str, served: &Served) -> Option<(&'static str, Value)> {
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
    let method = if is_local { "network.continueRequest" } else { "network.failRequest" };
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
