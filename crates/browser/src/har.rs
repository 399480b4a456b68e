//! Answers to requests of a page that were recorded in a HAR file (HTTP Archive 1.2), as browsers
//! save them.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde_json::Value;

/// An answer of a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Response {
    pub(crate) status: u16,
    /// Names and values.
    pub(crate) headers: Vec<(String, String)>,
    /// In base64, as browsers take it.
    pub(crate) body: String,
}

/// The answers by address.
#[derive(Clone, Debug, Default)]
pub(crate) struct Served {
    responses: Arc<HashMap<String, Response>>,
    /// The address of the first document.
    document: Option<String>,
    /// What is answered for it instead.
    page: Option<Response>,
}

/// Headers about how bodies were sent, which are decoded in the file.
const OF_TRANSFER: [&str; 4] =
    ["content-encoding", "content-length", "transfer-encoding", "connection"];

impl Served {
    /// Reads the file.
    ///
    /// # Errors
    /// If it cannot be read, or is not of this form.
    pub(crate) fn read(path: &Path) -> Result<Self> {
        let text = std::fs::read(path).with_context(|| path.display().to_string())?;
        Self::parse(&text).with_context(|| path.display().to_string())
    }

    /// Understands the text of a file.
    pub(crate) fn parse(text: &[u8]) -> Result<Self> {
        let all: Value = serde_json::from_slice(text).context("not a HAR file")?;
        let entries = all["log"]["entries"].as_array().context("a HAR file without entries")?;
        let (mut responses, mut document) = (HashMap::new(), None);
        for entry in entries {
            let Some(address) = entry["request"]["url"].as_str().map(without_fragment) else {
                continue;
            };
            let Some(response) = response(&entry["response"]) else { continue };
            let mime = entry["response"]["content"]["mimeType"].as_str().unwrap_or_default();
            if document.is_none() && response.status == 200 && mime.starts_with("text/html") {
                document = Some(address.to_owned());
            }
            // The first answer is the one that the page began with.
            responses.entry(address.to_owned()).or_insert(response);
        }
        Ok(Self { responses: Arc::new(responses), document, page: None })
    }

    /// Returns the address of the page that was recorded.
    pub(crate) fn document(&self) -> Option<&str> {
        self.document.as_deref()
    }

    /// Returns the text of the page that was recorded.
    pub(crate) fn page(&self) -> Option<Vec<u8>> {
        BASE64_STANDARD.decode(&self.responses.get(self.document()?)?.body).ok()
    }

    /// Answers requests for the page with this text instead; the headers stay, with the rules that
    /// are in them.
    #[must_use]
    pub(crate) fn with_page(&self, text: &[u8]) -> Self {
        let recorded = self.document().and_then(|address| self.responses.get(address));
        let body = BASE64_STANDARD.encode(text);
        let page = recorded.map(|recorded| Response { body, ..recorded.clone() });
        Self { page, ..self.clone() }
    }

    /// Returns what was answered for an address; if nothing was, then for one with a query as
    /// well.
    pub(crate) fn bytes(&self, address: &str) -> Option<Vec<u8>> {
        let asked = || {
            let mut all: Vec<_> = self.responses.iter().collect();
            all.sort_by_key(|(address, _)| *address);
            all.into_iter().find(|(own, _)| own.split('?').next() == Some(address))
        };
        let found = self.response(address).or_else(|| asked().map(|(_, response)| response));
        let found = found.filter(|response| (200..300).contains(&response.status))?;
        BASE64_STANDARD.decode(&found.body).ok()
    }

    /// Returns the answer for an address.
    pub(crate) fn response(&self, address: &str) -> Option<&Response> {
        let address = without_fragment(address);
        let own = self.page.as_ref().filter(|_| self.document.as_deref() == Some(address));
        own.or_else(|| self.responses.get(address))
    }
}

fn without_fragment(address: &str) -> &str {
    address.split_once('#').map_or(address, |(page, _)| page)
}

fn response(recorded: &Value) -> Option<Response> {
    // What failed was recorded with the status 0.
    let status = recorded["status"].as_u64().and_then(|s| u16::try_from(s).ok());
    let status = status.filter(|&status| status >= 100)?;
    let content = &recorded["content"];
    let text = content["text"].as_str().unwrap_or_default();
    let body = match content["encoding"].as_str() {
        Some("base64") => text.to_owned(),
        _ => BASE64_STANDARD.encode(text),
    };
    let headers = recorded["headers"].as_array().into_iter().flatten().filter_map(|header| {
        let name = header["name"].as_str()?.to_ascii_lowercase();
        let value = header["value"].as_str()?.to_owned();
        // Names that begin with a colon are those of HTTP/2.
        let is_of_transfer = OF_TRANSFER.contains(&&name[..]) || name.starts_with(':');
        (!is_of_transfer).then_some((name, value))
    });
    Some(Response { status, headers: headers.collect(), body })
}

#[cfg(test)]
mod tests {
    use super::Served;

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
    fn answers_are_found_by_address() {
        let served = Served::parse(RECORDED.as_bytes()).unwrap();
        assert_eq!(served.document(), Some("https://a.test/p"));
        assert_eq!(served.page().unwrap(), b"<p>a");
        assert_eq!(served.response("https://a.test/x.png").unwrap().body, "AAEC");
        assert_eq!(served.response("https://a.test/old#x").unwrap().status, 301);
        assert!(served.response("https://a.test/late").is_none());
        let served = served.with_page(b"M");
        let page = served.response("https://a.test/p").unwrap();
        let rules = ("content-security-policy".to_owned(), "img-src 'self'".to_owned());
        assert_eq!((&page.body[..], &page.headers[..]), ("TQ==", &[rules][..]));
        assert!(Served::parse(b"{}").is_err());
    }
}
