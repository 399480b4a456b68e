//! A test on its way to an agent, which runs it as the run itself would: nothing but programs has to
//! be on the agent's machine.

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use minirepro_engine::archive::{Kind, pack};
use serde::{Deserialize, Serialize};

use crate::Limits;
use crate::scratch::companions::Companions;
use crate::spec::launch::{Form, Launcher};
use crate::spec::program_test::ProgramTest;
use crate::spec::spec::{Failure, Program, TestSpec, check_script};
use crate::system::{LIMIT, files, read_limited};

/// A test as it is sent to agents. What it finds beside candidates is part of it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SentTest {
    /// With a failure that is known.
    spec: TestSpec,
    /// The words that are run.
    words: Vec<OsString>,
    /// The text of its script, if it is one.
    script: Option<InBase64>,
    /// The name of a candidate.
    name: OsString,
    form: Form,
    /// Whether candidates are executable.
    executable: bool,
    limits: Limits,
    /// What stands beside every candidate, as an archive.
    beside: InBase64,
    /// The variables that choose the language of messages, as they are where the run is.
    locale: Vec<(OsString, OsString)>,
}

impl ProgramTest {
    /// Describes the test for agents; `None` as long as the failure is not known.
    ///
    /// # Errors
    /// If something beside candidates cannot be read, or all together is too large.
    pub fn describe(&self) -> io::Result<Option<SentTest>> {
        if matches!(self.spec.failure, Failure::Learn | Failure::Written(_)) {
            return Ok(None);
        }
        let launcher = &self.launcher;
        let script = self.spec.file().map(|path| read_limited(path, LIMIT)).transpose()?;
        let mut beside = launcher.companions.as_ref().map_or(Ok(Vec::new()), Companions::all)?;
        if let Program::Line(template) = &self.spec.program {
            let (ground, elsewhere) = template.ground();
            let listed = ground.files.iter().map(|file| &file.path);
            beside.extend(listed.map(|path| (path.clone(), ground.root.join(path))));
            beside.extend(elsewhere.iter().map(|(from, to)| (to.clone(), from.clone())));
        }
        let mut files = Vec::new();
        for (path, source) in beside {
            let is_executable = source.metadata()?.permissions().mode() & 0o111 != 0;
            let kind = if is_executable { Kind::Executable } else { Kind::Plain };
            files.push((kind, path.into_os_string().into_vec(), read_limited(&source, LIMIT)?));
        }
        files.sort_by(|a, b| a.1.cmp(&b.1));
        let beside = pack(files.iter().map(|(kind, path, text)| (*kind, &path[..], &text[..])));
        let beside = beside.filter(|beside| beside.len() as u64 <= LIMIT / 2);
        let beside = beside.ok_or(io::ErrorKind::FileTooLarge)?;
        Ok(Some(SentTest {
            spec: self.spec.clone(),
            words: self.words.clone(),
            script: script.map(InBase64),
            name: launcher.name.clone(),
            form: launcher.form,
            executable: launcher.executable,
            limits: launcher.limits,
            beside: InBase64(beside),
            locale: locale().collect(),
        }))
    }
}

impl SentTest {
    /// Returns how long the test of one candidate may take, with all that is run for it and once
    /// more to explain it.
    pub fn longest(&self) -> Duration {
        let programs = u32::try_from(2 + self.spec.guards.len()).unwrap_or(u32::MAX);
        self.limits.time.saturating_mul(programs)
    }

    /// Gets ready to run it on this machine.
    ///
    /// # Errors
    /// If it cannot be run here, with the reason in words.
    pub fn ready(&self) -> Result<ProgramTest, String> {
        let Self { spec, words, .. } = self;
        if words.is_empty() {
            return Err("the test has no words".to_owned());
        }
        let launcher = Launcher::of_form(self.form, self.executable, &self.name, self.limits);
        let mut launcher = launcher.map_err(|error| error.to_string())?;
        launcher.environment = self.environment();
        launcher.provide_unpacked(&self.beside.0).map_err(|error| error.to_string())?;
        let mut test = ProgramTest::of(spec.clone(), words.clone(), launcher);
        test.is_sent = true;
        if let Failure::Signature(wanted) = &spec.failure {
            test.signatures.keep(&wanted.message);
        }
        if let Some(script) = &self.script {
            test.take_script(script).map_err(|error| error.to_string())?;
        }
        Ok(test)
    }

    /// Returns the changes of the environment that make messages those of the run's machine.
    pub fn environment(&self) -> Vec<(OsString, Option<OsString>)> {
        let own = locale().map(|(name, _)| (name, None));
        let wanted = self.locale.iter().map(|(name, value)| (name.clone(), Some(value.clone())));
        own.chain(wanted).collect()
    }
}

impl ProgramTest {
    /// Runs a script that has come from another machine. Where a file with its name and content is
    /// here as well, that is run, since a script may look for what lies beside it.
    fn take_script(&mut self, InBase64(text): &InBase64) -> io::Result<()> {
        let path = Path::new(&self.words[0]);
        let is_same = check_script(path).is_ok()
            && read_limited(path, LIMIT).is_ok_and(|there| there == *text);
        if path.is_absolute() && is_same {
            return Ok(());
        }
        let directory = self.launcher.scratch.path().join("script");
        files::create_private_directory(&directory)?;
        let place = directory.join(path.file_name().unwrap_or(OsStr::new("test")));
        files::write_at(&files::create_new(&place, 0o700)?, text, 0)?;
        self.words[0] = place.into();
        Ok(())
    }
}

/// Bytes in JSON.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
struct InBase64(Vec<u8>);

impl TryFrom<String> for InBase64 {
    type Error = base64::DecodeError;

    fn try_from(text: String) -> Result<Self, base64::DecodeError> {
        Ok(Self(STANDARD.decode(text)?))
    }
}

impl From<InBase64> for String {
    fn from(InBase64(bytes): InBase64) -> Self {
        STANDARD.encode(bytes)
    }
}

/// Returns the variables by which programs choose the language and the time zone of their messages.
fn locale() -> impl Iterator<Item = (OsString, OsString)> {
    let decides = |name: &OsStr| {
        let name = name.as_bytes();
        [&b"LANG"[..], b"LANGUAGE", b"TZ"].contains(&name) || name.starts_with(b"LC_")
    };
    std::env::vars_os().filter(move |(name, _)| decides(name))
}
