//! The browsers that there are, how they are named, and how a page is opened in one.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, bail};

use crate::chromium::Chromium;
use crate::chromium::page::ChromiumPage;
use crate::chromium::tabs::Tab;
use crate::connection::Connection;
use crate::firefox::Firefox;
use crate::firefox::page::FirefoxPage;
use crate::page::{Opening, Page};

/// Which protocol a browser speaks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Kind {
    #[default]
    Chromium,
    Firefox,
}

impl Kind {
    /// Returns how it is called.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Chromium => "chromium",
            Self::Firefox => "firefox",
        }
    }

    /// Returns which kind answers at an address.
    pub(crate) fn at(address: &str) -> Self {
        if address.contains("/devtools/") { Self::Chromium } else { Self::Firefox }
    }
}

/// A browser as users name it: `chromium`, `firefox`, or a program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Choice {
    pub(crate) kind: Kind,
    /// The program; by default the first of the usual ones.
    pub(crate) program: Option<PathBuf>,
    /// Whether it is compared with one of another kind, so that both must have the same fonts.
    pub(crate) is_compared: bool,
}

impl Choice {
    /// Reads what was typed after `--browser`.
    pub(crate) fn read(text: &str) -> Self {
        let named = |kind| Self { kind, ..Self::default() };
        let name = Path::new(text).file_name().map(|name| name.to_string_lossy().to_lowercase());
        match (text, name) {
            ("chromium", _) => named(Kind::Chromium),
            ("firefox", _) => named(Kind::Firefox),
            (_, Some(name)) if name.contains("firefox") => {
                Self { program: Some(text.into()), ..named(Kind::Firefox) }
            }
            _ => Self { program: Some(text.into()), ..named(Kind::Chromium) },
        }
    }

    /// Starts it, without a window.
    pub(crate) fn start(&self) -> Result<Running> {
        let program = self.program.as_deref();
        Ok(match self.kind {
            Kind::Chromium => Running::Chromium(Chromium::start(program)?),
            Kind::Firefox => Running::Firefox(Firefox::start(program, self.is_compared)?),
        })
    }
}

/// Returns browsers that run together: those of different kinds will be compared.
pub(crate) fn together(mut all: Vec<Choice>) -> Vec<Choice> {
    let are_compared = all.iter().any(|choice| choice.kind != all[0].kind);
    all.iter_mut().for_each(|choice| choice.is_compared |= are_compared);
    all
}

/// A browser that runs; ended when dropped.
pub(crate) enum Running {
    Chromium(Chromium),
    Firefox(Firefox),
}

impl Running {
    /// Returns where it can be spoken to: `ws://…`.
    pub(crate) fn address(&self) -> &str {
        match self {
            Self::Chromium(chromium) => chromium.address(),
            Self::Firefox(firefox) => firefox.address(),
        }
    }

    /// Returns the process above all of its processes.
    pub(crate) fn process(&self) -> u32 {
        match self {
            Self::Chromium(chromium) => chromium.process(),
            Self::Firefox(firefox) => firefox.process(),
        }
    }

    /// Returns a directory that is deleted when the browser has ended, even if we are killed.
    pub(crate) fn directory(&self) -> &Path {
        match self {
            Self::Chromium(chromium) => chromium.directory(),
            Self::Firefox(firefox) => firefox.directory(),
        }
    }

    /// Returns the file that holds what the browser says about crashes, if it says anything.
    pub(crate) fn log(&self) -> Option<&Path> {
        match self {
            Self::Chromium(chromium) => Some(chromium.log()),
            Self::Firefox(_) => None,
        }
    }
}

/// Opens a page in the browser at an address. With a directory for claims it shares tabs with other
/// tests.
pub(crate) fn open(
    address: &str,
    claims: Option<&Path>,
    opening: &Opening<'_>,
    patience: Duration,
) -> Result<Box<dyn Page>> {
    let mut connection = Connection::connect(address, patience)
        .with_context(|| format!("no browser answers at {address}"))?;
    Ok(match Kind::at(address) {
        Kind::Chromium => {
            let tab = Tab::claim(&mut connection, claims)?;
            Box::new(ChromiumPage::open(connection, tab, opening)?)
        }
        Kind::Firefox => Box::new(FirefoxPage::open(connection, claims, opening)?),
    })
}

/// Returns the session's browser of a kind, or its first one.
///
/// # Errors
/// If it has none of that kind.
pub(crate) fn of_session(addresses: &str, kind: Option<Kind>) -> Result<&str> {
    let mut all = addresses.split_whitespace();
    let found = all.find(|address| kind.is_none_or(|kind| Kind::at(address) == kind));
    let Some(address) = found else {
        let name = kind.unwrap_or(Kind::Chromium).name();
        bail!("the session has no such browser: begin it with `session --browser {name}`");
    };
    Ok(address)
}

/// Returns the session's last browser of a kind, which must not be the one at another address.
///
/// # Errors
/// If it has no second one.
pub(crate) fn second_of_session<'a>(
    addresses: &'a str,
    kind: Kind,
    first: &str,
) -> Result<&'a str> {
    let mut all = addresses.split_whitespace().rev();
    let found = all.find(|address| Kind::at(address) == kind && *address != first);
    found.context(
        "the session has no second browser: begin it with both, `session --browser … --browser …`",
    )
}

#[cfg(test)]
mod tests {
    use super::{Choice, Kind, of_session, second_of_session, together};

    #[test]
    fn browsers_are_chosen_by_name_or_program() {
        for (text, kind, program) in [
            ("chromium", Kind::Chromium, None),
            ("firefox", Kind::Firefox, None),
            ("/usr/bin/firefox-esr", Kind::Firefox, Some("/usr/bin/firefox-esr")),
            ("/opt/Firefox/firefox", Kind::Firefox, Some("/opt/Firefox/firefox")),
            ("/opt/chrome", Kind::Chromium, Some("/opt/chrome")),
        ] {
            let expected = Choice { kind, program: program.map(Into::into), is_compared: false };
            assert_eq!(Choice::read(text), expected);
        }
    }

    #[test]
    fn only_different_browsers_are_compared() {
        for (names, expected) in [
            (&["firefox"][..], [false].as_slice()),
            (&["firefox", "/opt/firefox"], &[false, false]),
            (&["chromium", "firefox"], &[true, true]),
        ] {
            let all = together(names.iter().map(|name| Choice::read(name)).collect());
            assert!(all.iter().map(|choice| choice.is_compared).eq(expected.iter().copied()));
        }
    }

    #[test]
    fn a_session_may_have_several() {
        let all = "ws://127.0.0.1:1/devtools/browser/a ws://127.0.0.1:2/firefox/b";
        assert!(of_session(all, None).unwrap().ends_with("/a"));
        assert!(of_session(all, Some(Kind::Firefox)).unwrap().ends_with("/b"));
        assert!(of_session("ws://127.0.0.1:2/firefox/b", Some(Kind::Chromium)).is_err());
        let two = "ws://127.0.0.1:1/devtools/browser/a ws://127.0.0.1:2/devtools/browser/b";
        let first = of_session(two, None).unwrap();
        assert!(second_of_session(two, Kind::Chromium, first).unwrap().ends_with("/b"));
        assert!(second_of_session(two, Kind::Firefox, first).is_err());
        assert!(second_of_session(first, Kind::Chromium, first).is_err());
    }
}
