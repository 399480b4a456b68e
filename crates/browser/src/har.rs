//! Answers to requests of a page that were recorded in a HAR file (HTTP Archive 1.2), as browsers
//! save them.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// An answer that a page got.
#[derive(Clone, Debug, Default, Deserialize)]
pub(crate) struct Answer {
    pub(crate) request: Request,
    pub(crate) response: Response,
    /// Why it could not be kept.
    #[serde(skip)]
    pub(crate) lost: Option<String>,
}

#[derive(Clone, Debug, Default, Deserialize)]
pub(crate) struct Request {
    pub(crate) url: String,
    #[serde(default)]
    pub(crate) method: String,
}

/// An answer of a server.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Response {
    pub(crate) status: u16,
    pub(crate) headers: Vec<Header>,
    pub(crate) content: Content,
}

#[derive(Clone, Debug, Deserialize, Serialize)]
pub(crate) struct Header {
    pub(crate) name: String,
    pub(crate) value: String,
}

#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct Content {
    pub(crate) mime_type: String,
    pub(crate) text: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) encoding: Option<String>,
}

impl Response {
    /// Returns the body in base64, as browsers take it.
    pub(crate) fn body(&self) -> String {
        match self.content.encoding.as_deref() {
            Some("base64") => self.content.text.clone(),
            _ => BASE64_STANDARD.encode(&self.content.text),
        }
    }

    fn bytes(&self) -> Option<Vec<u8>> {
        BASE64_STANDARD.decode(self.body()).ok()
    }
}

/// The answers by address.
#[derive(Clone, Debug)]
pub(crate) struct Served {
    responses: Arc<BTreeMap<String, Response>>,
    /// The address of the first document.
    pub(crate) document: String,
    /// What is answered for it instead.
    page: Option<Response>,
}

/// Headers about how bodies were sent, which are decoded in the file.
const OF_TRANSFER: [&str; 4] =
    ["content-encoding", "content-length", "transfer-encoding", "connection"];

impl Served {
    /// Reads a file.
    ///
    /// # Errors
    /// If it cannot be read, is not of this form, or has no page.
    pub(crate) fn read(path: &Path) -> Result<Self> {
        let read = || Self::parse(&std::fs::read(path)?);
        read().with_context(|| path.display().to_string())
    }

    fn parse(text: &[u8]) -> Result<Self> {
        let (mut responses, mut document) = (BTreeMap::new(), None);
        for Answer { request, mut response, .. } in entries(text).context("not a HAR file")? {
            // What failed was recorded with the status 0.
            if response.status < 100 {
                continue;
            }
            let address = without_fragment(&request.url).to_owned();
            let is_page = response.content.mime_type.starts_with("text/html");
            if document.is_none() && response.status == 200 && is_page {
                document = Some(address.clone());
            }
            response.headers.iter_mut().for_each(|header| header.name.make_ascii_lowercase());
            // Names that begin with a colon are those of HTTP/2.
            let is_of_transfer = |name: &str| OF_TRANSFER.contains(&name) || name.starts_with(':');
            response.headers.retain(|header| !is_of_transfer(&header.name));
            // The first answer is the one that the page began with.
            responses.entry(address).or_insert(response);
        }
        let document = document.context("no page in it")?;
        Ok(Self { responses: Arc::new(responses), document, page: None })
    }

    /// Returns the text of the page that was recorded.
    pub(crate) fn page(&self) -> Option<Vec<u8>> {
        self.responses.get(&self.document)?.bytes()
    }

    /// Answers requests for the page with this text instead; the headers stay, with the rules that
    /// are in them.
    #[must_use]
    pub(crate) fn with_page(&self, text: &[u8]) -> Self {
        let mut page = self.responses.get(&self.document).cloned().unwrap_or_default();
        page.content.text = BASE64_STANDARD.encode(text);
        page.content.encoding = Some("base64".to_owned());
        Self { page: Some(page), ..self.clone() }
    }

    /// Returns what was answered for an address; if nothing was, then for one with a query as
    /// well.
    pub(crate) fn bytes(&self, address: &str) -> Option<Vec<u8>> {
        let is_it = |(own, _): &(&String, _)| own.split('?').next() == Some(address);
        let asked = || Some(self.responses.iter().find(is_it)?.1);
        let found = self.response(address).or_else(asked);
        found.filter(|response| (200..300).contains(&response.status))?.bytes()
    }

    /// Returns the answer for an address.
    pub(crate) fn response(&self, address: &str) -> Option<&Response> {
        let address = without_fragment(address);
        let own = self.page.as_ref().filter(|_| self.document == address);
        own.or_else(|| self.responses.get(address))
    }
}

fn entries(text: &[u8]) -> serde_json::Result<Vec<Answer>> {
    let mut file: Value = serde_json::from_slice(text)?;
    serde_json::from_value(file["log"]["entries"].take())
}

fn without_fragment(address: &str) -> &str {
    address.split('#').next().unwrap_or_default()
}

/// Returns the file for answers.
pub(crate) fn file(answers: &[Answer]) -> Value {
    let entries = answers.iter().map(|Answer { request, response, .. }| {
        let mut content = json!(response.content);
        content["size"] = (-1).into();
        json!({
            "startedDateTime": "1970-01-01T00:00:00Z", "time": 0, "cache": {},
            "timings": { "send": 0, "wait": 0, "receive": 0 },
            "request": {
                "method": request.method, "url": request.url, "httpVersion": "", "cookies": [],
                "headers": [], "queryString": [], "headersSize": -1, "bodySize": -1,
            },
            "response": {
                "status": response.status, "statusText": "", "httpVersion": "", "cookies": [],
                "headers": response.headers, "content": content, "redirectURL": "",
                "headersSize": -1, "bodySize": -1,
            },
        })
    });
    json!({ "log": {
        "version": "1.2", "entries": entries.collect::<Vec<_>>(),
        "creator": { "name": "minirepro", "version": env!("CARGO_PKG_VERSION") },
    } })
}

#[cfg(test)]
mod tests {
    use super::{Served, entries, file};

    const RECORDED: &str = r#"{"log": {"entries": [
        {"request": {"url": "https://a.test/old"}, "response": {"status": 301, "headers": [], "content": {}}},
        {"request": {"url": "https://a.test/p#top"}, "response": {"status": 200, "headers": [
            {"name": ":status", "value": "200"}, {"name": "Content-Encoding", "value": "gzip"},
            {"name": "Content-Security-Policy", "value": "img-src 'self'"}],
            "content": {"mimeType": "text/html; charset=utf-8", "text": "<p>a"}}},
        {"request": {"url": "https://a.test/x.png"}, "response": {"status": 200, "headers": [],
            "content": {"mimeType": "image/png", "text": "AAEC", "encoding": "base64"}}},
        {"request": {"url": "https://a.test/late"}, "response": {"status": 0, "content": {}}}
    ]}}"#;

    #[test]
    fn answers_are_found_by_address_and_come_back() {
        let answers = entries(RECORDED.as_bytes()).unwrap();
        for text in [RECORDED, &file(&answers).to_string()] {
            let served = Served::parse(text.as_bytes()).unwrap();
            assert_eq!(served.document, "https://a.test/p");
            assert_eq!(served.page().unwrap(), b"<p>a");
            assert_eq!(served.response("https://a.test/x.png").unwrap().body(), "AAEC");
            assert_eq!(served.response("https://a.test/old#x").unwrap().status, 301);
            assert!(served.response("https://a.test/late").is_none());
            let served = served.with_page(b"M");
            let page = served.response("https://a.test/p").unwrap();
            let headers: Vec<_> =
                page.headers.iter().map(|h| (&h.name[..], &h.value[..])).collect();
            let rules = ("content-security-policy", "img-src 'self'");
            assert_eq!((&page.body()[..], &headers[..]), ("TQ==", &[rules][..]));
        }
        assert!(Served::parse(b"{}").is_err());
    }
}
