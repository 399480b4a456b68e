//! The other end: this program, called by the name of another one, runs that with the same
//! arguments, passes on all that it writes, and ends as it does.

use std::convert::Infallible;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{self, PipeReader};
use std::os::fd::AsFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio, exit};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rustix::event::{PollFd, PollFlags};
use rustix::fs::fstat;
use rustix::process::{Pid, Signal, kill_process};
use signal_hook::consts::{SIGALRM, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2};

use crate::overhear::names::is_program;
use crate::overhear::{Called, EXECUTABLE, HEARD, Header, LINKS, WISH, Wished};
use crate::process::platform::ExitWatch;
use crate::process::process::Pipe;
use crate::scratch::scratch::PREFIX;

/// Holds the paths of the programs around this one that are overheard: what looks for itself in
/// `PATH`, as ccache does, must find the next one.
const AROUND: &str = "MINIREPRO_AROUND";

/// Signals that are passed on.
const PASSED: [i32; 7] = [SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGALRM];

/// How much of an output is kept, in bytes: half from its start, half from its end.
const KEEP: usize = 1 << 18;

/// Of more programs in a test nothing is kept.
const MOST_PROGRAMS: usize = 300;

/// The signals do not end the wait where the system does not tell of exits.
const LONG: Duration = Duration::from_secs(3600);

/// To be called first in a program: if it was called by the name of another one, as a program of a
/// test that is overheard, runs that one and does not return. Otherwise tests of this process can
/// be overheard from now on.
///
/// `grants` returns the command that grants a wish.
pub fn overhear(grants: &dyn Fn(&Called<'_>) -> Option<Vec<OsString>>) {
    if let Some((name, place)) = called() {
        let Err(error) = Run::new(&name, place).and_then(|run| run.run(grants));
        // As a shell says it.
        let _ = rustix::io::write(
            rustix::stdio::stderr(),
            format!("{}: {error}\n", name.display()).as_bytes(),
        );
        exit(127);
    }
    if let Ok(path) = std::env::current_exe() {
        let _ = EXECUTABLE.set(path);
    }
}

/// Returns the name of the program as which this one was called, and the directory of its test.
fn called() -> Option<(OsString, PathBuf)> {
    let path = executed()?;
    let links = path.parent().filter(|links| links.file_name() == Some(OsStr::new(LINKS)))?;
    let place = links.parent()?;
    let run = place.parent()?.file_name()?;
    let is_ours = run.as_bytes().starts_with(PREFIX.as_bytes());
    is_ours.then(|| Some((path.file_name()?.to_owned(), place.to_owned()))).flatten()
}

/// Returns the path by which this program was executed.
#[cfg(target_os = "linux")]
fn executed() -> Option<PathBuf> {
    Some(PathBuf::from(OsStr::from_bytes(rustix::param::linux_execfn().to_bytes())))
}

/// Returns the path by which this program was executed, as a shell would find it.
#[cfg(not(target_os = "linux"))]
fn executed() -> Option<PathBuf> {
    let name = std::env::args_os().next()?;
    crate::overhear::names::program(&name, &crate::overhear::names::directories_of_programs())
}

/// A program that is run in place of this one.
struct Run {
    place: PathBuf,
    real: PathBuf,
    words: Vec<OsString>,
    around: OsString,
}

impl Run {
    fn new(name: &OsStr, place: PathBuf) -> io::Result<Self> {
        let around = std::env::var_os(AROUND).unwrap_or_default();
        let place = place.join(HEARD);
        let typed = fs::read_link(place.join(name)).ok();
        let typed = typed.filter(|path| !std::env::split_paths(&around).any(|one| one == *path));
        let real = typed.or_else(|| real(name, &around)).ok_or(io::Error::other("not found"))?;
        let words: Vec<OsString> = std::iter::once(real.clone().into_os_string())
            .chain(std::env::args_os().skip(1))
            .collect();
        let before = std::env::split_paths(&around).filter(|path| path != Path::new(""));
        let around = std::env::join_paths(before.chain([real.clone()])).unwrap_or_default();
        Ok(Self { place, real, words, around })
    }

    fn command(&self) -> Command {
        let mut command = Command::new(&self.real);
        command.arg0(&self.real).args(&self.words[1..]).env(AROUND, &self.around);
        command
    }

    /// Runs it and ends as it does. Where it cannot be overheard, becomes it.
    fn run(self, grants: &dyn Fn(&Called<'_>) -> Option<Vec<OsString>>) -> io::Result<Infallible> {
        // It may be missing for a test that is not overheard any more.
        if fs::read_dir(&self.place).map_or(MOST_PROGRAMS, Iterator::count) >= MOST_PROGRAMS {
            return Err(self.command().exec());
        }
        self.grant(grants);
        let began = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
        let signals = Signals::new()?;
        let Ok(status) = self.pass_on(began, &signals) else {
            return Err(self.command().exec());
        };
        match (status.code(), status.signal()) {
            (None, Some(signal)) => {
                let _ = signal_hook::low_level::emulate_default_handler(signal);
                exit(128 + signal)
            }
            (code, _) => exit(code.unwrap_or(1)),
        }
    }

    /// Runs it, and writes down what it has written.
    ///
    /// # Errors
    /// If it could not be started.
    fn pass_on(&self, began: u128, signals: &Signals) -> io::Result<ExitStatus> {
        let (out, err) = (rustix::stdio::stdout(), rustix::stdio::stderr());
        let (from_err, to_err) = io::pipe()?;
        let pipe = |from: PipeReader, to| Pipe::new(Some(from.into()), KEEP, Some(to));
        let mut outputs = vec![pipe(from_err, err)];
        let mut command = self.command();
        let identity = |fd| fstat(fd).map(|stat| (stat.st_dev, stat.st_ino)).ok();
        if identity(out) == identity(err) {
            // Whatever order the outputs have stays.
            command.stdout(to_err.try_clone()?);
        } else {
            let (from_out, to_out) = io::pipe()?;
            outputs.push(pipe(from_out, out));
            command.stdout(to_out);
        }
        let mut child = command.stderr(to_err).spawn()?;
        // The ends in which it writes are its own now.
        drop(command);
        let status = wait(&mut child, &mut outputs, signals);
        outputs.iter_mut().for_each(pass);
        let mut kept = outputs.into_iter().map(Pipe::into_text);
        let stderr = kept.next().unwrap_or_default();
        let stdout = kept.next().unwrap_or_default();
        let name = format!("{began:030}-{}.run", std::process::id());
        let header = self.header(&self.words, status, stdout.len());
        let text = [&header[..], b"\n", &stdout, &stderr].concat();
        // Less is heard then.
        let _ = fs::write(self.place.join(name), text);
        Ok(status)
    }

    fn header(&self, words: &[OsString], status: ExitStatus, stdout: usize) -> Vec<u8> {
        let words = words.to_vec();
        let header = Header { words, exit: status.code(), signal: status.signal(), stdout };
        serde_json::to_vec(&header).unwrap_or_default()
    }

    /// Runs the command that grants the wish that there may be, if nobody else does.
    fn grant(&self, grants: &dyn Fn(&Called<'_>) -> Option<Vec<OsString>>) -> Option<()> {
        let wished: Wished = serde_json::from_slice(&fs::read(self.place.join(WISH)).ok()?).ok()?;
        let Wished { wish, candidate } = &wished;
        let (words, place) = (&self.words, &*self.place);
        let words = grants(&Called { wish: *wish, words, candidate, place })?;
        let text = File::create_new(self.place.join("granted.text")).ok()?;
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]).stdin(Stdio::null()).stdout(text).stderr(Stdio::null());
        let status = command.status().ok()?;
        fs::write(self.place.join("granted"), self.header(&words, status, 0)).ok()
    }
}

/// Passes on what there is of an output.
fn pass(output: &mut Pipe<'_>) {
    while output.read_some() {}
}

/// Waits for the end of a program; meanwhile passes on what it writes, and signals to it.
fn wait(child: &mut Child, outputs: &mut [Pipe<'_>], signals: &Signals) -> ExitStatus {
    let pid = Pid::from_child(child);
    let watch = ExitWatch::new(child);
    loop {
        let mut others = vec![PollFd::new(&signals.told, PollFlags::IN)];
        others.extend(
            outputs
                .iter()
                .filter_map(|output| output.source.as_ref())
                .map(|source| PollFd::new(source, PollFlags::IN)),
        );
        let has_ended = watch.wait(&mut others, LONG).unwrap_or(true);
        drop(others);
        outputs.iter_mut().for_each(pass);
        if has_ended {
            break;
        }
        for signal in signals.taken() {
            let _ = kill_process(pid, signal);
        }
    }
    drop(watch);
    loop {
        if let Ok(status) = child.wait() {
            return status;
        }
    }
}

/// The signals that have come.
struct Signals {
    told: std::os::unix::net::UnixStream,
    come: Vec<(i32, Arc<AtomicBool>)>,
}

impl Signals {
    /// Signals that are ignored stay so.
    fn new() -> io::Result<Self> {
        let (told, tell) = std::os::unix::net::UnixStream::pair()?;
        told.set_nonblocking(true)?;
        let mut come = Vec::new();
        let ignored = ignored();
        for signal in PASSED.into_iter().filter(|signal| ignored >> (signal - 1) & 1 == 0) {
            let has_come = Arc::new(AtomicBool::new(false));
            signal_hook::flag::register(signal, Arc::clone(&has_come))?;
            signal_hook::low_level::pipe::register(signal, tell.try_clone()?)?;
            come.push((signal, has_come));
        }
        Ok(Self { told, come })
    }

    fn taken(&self) -> Vec<Signal> {
        let mut buffer = [0; 64];
        while rustix::io::read(self.told.as_fd(), &mut buffer).is_ok_and(|length| length > 0) {}
        let come = self.come.iter().filter(|(_, has_come)| has_come.swap(false, Ordering::Relaxed));
        come.filter_map(|(signal, _)| Signal::from_named_raw(*signal)).collect()
    }
}

/// Returns the set of signals that this process ignores, as far as the system tells.
fn ignored() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    line.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
}

/// Returns the program that would have been run without the links.
fn real(name: &OsStr, around: &OsStr) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or("/bin:/usr/bin".into());
    let is_link = |directory: &PathBuf| {
        directory.file_name() == Some(OsStr::new(LINKS))
            && directory
                .components()
                .any(|part| part.as_os_str().as_bytes().starts_with(PREFIX.as_bytes()))
    };
    let directories = std::env::split_paths(&path).filter(|directory| !is_link(directory));
    let found: Vec<PathBuf> =
        directories.map(|directory| directory.join(name)).filter(|path| is_program(path)).collect();
    let is_around = |path: &&PathBuf| std::env::split_paths(around).any(|other| other == **path);
    let first = found.first()?;
    if !is_around(&first) {
        return Some(first.clone());
    }
    let file = |path: &Path| fs::metadata(path).ok().map(|data| (data.dev(), data.ino()));
    let next = found.iter().find(|path| !is_around(path) && file(path) != file(first));
    Some(next.unwrap_or(first).clone())
}
