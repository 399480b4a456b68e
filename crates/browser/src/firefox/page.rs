//! A page in a tab of Firefox: loads it, evaluates expressions in it, takes its picture.

use anyhow::{Context, Result};
use serde_json::{Value, json};

use crate::actions::keys;
use crate::args::Window;
use crate::connection::{Call, Connection, Replies};
use crate::har::Served;
use crate::page::{FORGET, Input, Opening, Page, Tab, is_local};

/// A page in a tab of Firefox.
pub(crate) struct FirefoxPage {
    tab: Tab,
    name: String,
}

impl FirefoxPage {
    /// Makes an empty tab for a page.
    pub(crate) fn open(mut connection: Connection, opening: Opening) -> Result<Self> {
        let mut apart = connection.call("browser.createUserContext", json!({}))?;
        let apart = apart["userContext"].take();
        let how = json!({ "type": "tab", "userContext": apart });
        let new = connection.call("browsingContext.create", how)?;
        let name = new["context"].as_str().context("a tab without a name")?.to_owned();
        let closing = ("browser.removeUserContext", json!({ "userContext": apart }));
        let tab = Tab { connection, opening, console: Vec::new(), closing };
        let mut page = Self { tab, name };
        let size = page.tab.opening.how.size.size;
        (&mut page as &mut dyn Page).resize(size)?;
        let contexts = json!([page.name]);
        let is_served = page.tab.opening.served.is_some();
        let offline = if is_served { Value::Null } else { json!({ "type": "offline" }) };
        let network = json!({ "contexts": contexts, "networkConditions": offline });
        let connection = &mut page.tab.connection;
        connection.call("emulation.setNetworkConditions", network)?;
        let script = page.tab.opening.script();
        let first =
            format!("() => {{ {FORGET} try {{ localStorage.clear() }} catch {{ }} {script} }}");
        let first = json!({ "functionDeclaration": first, "contexts": contexts });
        connection.call("script.addPreloadScript", first)?;
        if is_served {
            let events = json!({ "events": ["network.beforeRequestSent"], "contexts": contexts });
            connection.call("session.subscribe", events)?;
            let phases = json!({ "phases": ["beforeRequestSent"], "contexts": contexts });
            connection.call("network.addIntercept", phases)?;
        }
        Ok(page)
    }

    /// Calls a method about the tab.
    fn call(&mut self, method: &'static str, mut parameters: Value) -> Result<Value> {
        parameters["context"] = self.name.as_str().into();
        self.tab.connection.call(method, parameters)
    }
}

impl Page for FirefoxPage {
    fn tab(&mut self) -> &mut Tab {
        &mut self.tab
    }

    fn visit(&mut self, address: &str) -> Result<()> {
        let target = json!({ "url": address, "wait": "complete" });
        self.call("browsingContext.navigate", target).map(|_| ())
    }

    fn evaluate(&mut self, expression: &str) -> Result<Result<Value, String>> {
        let question = json!({
            "expression": expression, "target": { "context": self.name }, "awaitPromise": true,
            "resultOwnership": "none", "serializationOptions": { "maxObjectDepth": 0, "maxDomDepth": 0 },
        });
        let mut answer = self.tab.connection.call("script.evaluate", question)?;
        if answer["type"] == "exception" {
            let text = answer["exceptionDetails"]["text"].as_str().unwrap_or("an exception");
            return Ok(Err(text.to_owned()));
        }
        Ok(Ok(answer["result"]["value"].take()))
    }

    fn prepare(&mut self) -> Result<()> {
        if !self.tab.opening.actions.is_empty() {
            self.call("input.releaseActions", json!({}))?;
            let size = self.tab.opening.how.size.size;
            (self as &mut dyn Page).resize(size)?;
        }
        Ok(())
    }

    fn replies(&self, served: Served) -> Replies {
        Box::new(move |event| reply(event, &served))
    }

    fn input(&mut self, inputs: &[Input]) -> Result<()> {
        // What is done with one device is one list; lists are done one after the other.
        let device = |input: &Input| match input {
            Input::Down(_) | Input::Up(_) => ("key", "keyboard"),
            Input::Wheel(..) => ("wheel", "wheel"),
            Input::Move(_) | Input::Press(..) | Input::Release(..) => ("pointer", "mouse"),
        };
        for run in inputs.chunk_by(|a, b| device(a) == device(b)) {
            let (kind, id) = device(&run[0]);
            let actions: Vec<Value> = run.iter().map(event).collect();
            let device = json!({ "type": kind, "id": id, "actions": actions });
            self.call("input.performActions", json!({ "actions": [device] }))?;
        }
        Ok(())
    }

    fn window(&self, Window { size: [width, height], scale }: Window) -> Call {
        let size = json!({
            "context": self.name, "viewport": { "width": width, "height": height },
            "devicePixelRatio": scale,
        });
        ("browsingContext.setViewport", size)
    }

    fn hear(&mut self, event: &Value) {
        let about = &event["params"];
        if event["method"] == "log.entryAdded" && about["source"]["context"] == self.name.as_str() {
            let mut text = about["text"].as_str().unwrap_or_default().to_owned();
            // As Chromium has it: the functions of an error's stack, the innermost first.
            if about["type"] == "javascript" {
                let frames = about["stackTrace"]["callFrames"].as_array();
                for frame in frames.into_iter().flatten() {
                    let name = frame["functionName"].as_str().unwrap_or_default();
                    text.push_str(&format!("\n    at {name}"));
                }
            }
            self.tab.console.push(text);
        }
    }

    fn shot(&mut self) -> Result<Value> {
        self.call("browsingContext.captureScreenshot", json!({}))
    }
}

/// Returns an input as WebDriver has it.
fn event(input: &Input) -> Value {
    match input {
        Input::Move([x, y]) => {
            json!({ "type": "pointerMove", "x": x.round(), "y": y.round() })
        }
        Input::Press(button, _) => json!({ "type": "pointerDown", "button": button }),
        Input::Release(button, _) => json!({ "type": "pointerUp", "button": button }),
        Input::Wheel([x, y], by) => {
            let [right, down] = by.map(f64::round);
            json!({ "type": "scroll", "x": x.round(), "y": y.round(), "deltaX": right, "deltaY": down })
        }
        Input::Down(key) => json!({ "type": "keyDown", "value": keys::driver(key) }),
        Input::Up(key) => json!({ "type": "keyUp", "value": keys::driver(key) }),
    }
}

/// Answers a request that was stopped for the tab or a frame in it; what was not recorded fails.
fn reply(event: &Value, served: &Served) -> Option<Call> {
    let about = &event["params"];
    if event["method"] != "network.beforeRequestSent" || about["isBlocked"] != true {
        return None;
    }
    let (id, url) = (&about["request"]["request"], about["request"]["url"].as_str()?);
    Some(match served.response(url) {
        Some(response) => {
            let text = |text: &str| json!({ "type": "string", "value": text });
            let pairs = response.headers.iter();
            let headers = pairs.map(|one| json!({ "name": one.name, "value": text(&one.value) }));
            let answer = json!({
                "request": id, "statusCode": response.status, "reasonPhrase": "",
                "headers": headers.collect::<Vec<_>>(),
                "body": { "type": "base64", "value": response.body() },
            });
            ("network.provideResponse", answer)
        }
        None if is_local(url) => ("network.continueRequest", json!({ "request": id })),
        None => ("network.failRequest", json!({ "request": id })),
    })
}
