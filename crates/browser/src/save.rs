//! Saves what a page loads from its servers: every answer as it came, in a HAR file, from which
//! the page is shown again without a network.

use std::path::Path;

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use crate::actions::forms;
use crate::args::PageArgs;
use crate::browsers::Running;
use crate::judge::has_settled;
use crate::page::{Kept, Opening, View};
use crate::play::play;

/// Saves the page at an address, with what it loads when actions are played. Returns what to say.
///
/// # Errors
/// If the page cannot be opened or the file not written.
pub fn save(
    address: &str,
    file: &Path,
    args: &PageArgs,
    actions: Option<&Path>,
) -> Result<Vec<String>> {
    if !address.contains("://") {
        bail!("{address} is no address: a page in a file is saved already");
    }
    let how = &args.options.how;
    let running = Running::start(&how.browser.first().cloned().unwrap_or_default())?;
    let opening = Opening {
        address: address.to_owned(),
        view: View { keeps: true, ..how.view() },
        served: None,
        actions: Vec::new(),
        emptied: true,
        stop: None,
    };
    let mut page = running.open("", &opening, how.timeout)?;
    page.load()?;
    has_settled(&mut *page, 2)?;
    if let Some(file) = actions {
        play(&mut *page, &forms::open(file)?.actions)?;
    }
    let mut kept = page.kept()?;
    kept.retain(|one| one.address.contains("://"));
    let mut said = Vec::new();
    for one in &kept {
        // Of what was asked for twice, one answer will do.
        let is_there = kept.iter().any(|k| k.lost.is_none() && k.address == one.address);
        if let Some(reason) = one.lost.as_ref().filter(|_| !is_there) {
            said.push(format!("not kept: {} ({reason})", one.address));
        }
    }
    let text = format!("{:#}\n", har(&kept));
    std::fs::write(file, text).with_context(|| file.display().to_string())?;
    let number = kept.iter().filter(|k| k.lost.is_none()).count();
    said.push(format!("{}: {number} answers", file.display()));
    Ok(said)
}

/// Returns the file (HTTP Archive 1.2).
fn har(kept: &[Kept]) -> Value {
    let entries = kept.iter().filter(|one| one.lost.is_none()).map(|one| {
        let pairs = one.headers.iter();
        let headers = pairs.map(|(name, value)| json!({ "name": name, "value": value }));
        let mut content = json!({ "size": -1, "mimeType": one.mime, "text": one.body });
        if one.is_base64 {
            content["encoding"] = "base64".into();
        }
        json!({
            "startedDateTime": "1970-01-01T00:00:00Z", "time": 0, "cache": {},
            "timings": { "send": 0, "wait": 0, "receive": 0 },
            "request": {
                "method": one.method, "url": one.address, "httpVersion": "", "cookies": [], "headers": [],
                "queryString": [], "headersSize": -1, "bodySize": -1,
            },
            "response": {
                "status": one.status, "statusText": "", "httpVersion": "", "cookies": [],
                "headers": headers.collect::<Vec<_>>(), "content": content, "redirectURL": "",
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
    use super::har;
    use crate::har::Served;
    use crate::page::Kept;

    #[test]
    fn what_is_saved_is_served() {
        let page = Kept {
            address: "http://127.0.0.1/p".to_owned(),
            method: "GET".to_owned(),
            status: 200,
            headers: vec![("content-security-policy".to_owned(), "img-src 'self'".to_owned())],
            mime: "text/html".to_owned(),
            body: "<p>a".to_owned(),
            ..Kept::default()
        };
        let lost = Kept { lost: Some("no answer".to_owned()), ..page.clone() };
        let picture = Kept {
            address: "http://127.0.0.1/x.png".to_owned(),
            mime: "image/png".to_owned(),
            body: "AAEC".to_owned(),
            is_base64: true,
            ..page.clone()
        };
        let served = Served::parse(har(&[lost, page, picture]).to_string().as_bytes()).unwrap();
        assert_eq!(served.document(), Some("http://127.0.0.1/p"));
        assert_eq!(served.page().unwrap(), b"<p>a");
        assert_eq!(served.response("http://127.0.0.1/x.png").unwrap().body, "AAEC");
    }
}
