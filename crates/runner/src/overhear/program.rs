//! The other end: this program, called by the name of another one, runs that with the same
//! arguments, passes on all that it writes, and ends as it does.

use std::convert::Infallible;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio, exit};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rustix::event::{PollFd, PollFlags};
use rustix::fs::fstat;
use rustix::process::{Pid, Signal, kill_process};
use signal_hook::consts::{SIGALRM, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2};
use signal_hook::iterator::backend::SignalDelivery;
use signal_hook::iterator::exfiltrator::SignalOnly;

use crate::TestEnd;
use crate::overhear::names::is_program;
use crate::overhear::passed::Passed;
use crate::overhear::{Called, EXECUTABLE, HEARD, Header, LINKS, WISH, Wished};
use crate::process::exit_watch::ExitWatch;
use crate::scratch::scratch::PREFIX;

/// Holds the paths of the programs around this one that are overheard: what looks for itself in
/// `PATH`, as ccache does, must find the next one.
const AROUND: &str = "MINIREPRO_AROUND";

/// Signals that are passed on.
const PASSED: [i32; 7] = [SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGALRM];

/// Of more programs in a test nothing is kept.
const MOST_PROGRAMS: usize = 300;

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
        Ok(Self { place, words, around })
    }

    fn command(&self) -> Command {
        let mut command = Command::new(&self.words[0]);
        command.arg0(&self.words[0]).args(&self.words[1..]).env(AROUND, &self.around);
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
        let mut signals = signals()?;
        match self.pass_on(began, &mut signals).map(TestEnd::from) {
            Ok(TestEnd::Exited(code)) => exit(code),
            Ok(TestEnd::Signaled(signal)) => {
                let _ = signal_hook::low_level::emulate_default_handler(signal);
                exit(128 + signal)
            }
            _ => Err(self.command().exec()),
        }
    }

    /// Runs it, and writes down what it has written.
    ///
    /// # Errors
    /// If it could not be started.
    fn pass_on(&self, began: u128, signals: &mut Signals) -> io::Result<ExitStatus> {
        let (out, err) = (rustix::stdio::stdout(), rustix::stdio::stderr());
        let (from_err, to_err) = io::pipe()?;
        let mut outputs = vec![Passed::new(from_err, err)?];
        let mut command = self.command();
        let identity = |fd| fstat(fd).map(|stat| (stat.st_dev, stat.st_ino)).ok();
        if identity(out) == identity(err) {
            // Whatever order the outputs have stays.
            command.stdout(to_err.try_clone()?);
        } else {
            let (from_out, to_out) = io::pipe()?;
            outputs.push(Passed::new(from_out, out)?);
            command.stdout(to_out);
        }
        let mut child = command.stderr(to_err).spawn()?;
        // The ends in which it writes are its own now.
        drop(command);
        let status = wait(&mut child, &mut outputs, signals);
        outputs.iter_mut().for_each(Passed::pass);
        let mut kept = outputs.into_iter().map(|output| output.kept.into_text());
        let stderr = kept.next().unwrap_or_default();
        let stdout = kept.next().unwrap_or_default();
        let name = format!("{began:030}-{}.run", std::process::id());
        let header = header(&self.words, status, stdout.len());
        // Less is heard then.
        let _ = fs::write(self.place.join(name), [&header[..], b"\n", &stdout, &stderr].concat());
        Ok(status)
    }

    /// Runs the command that grants the wish that there may be, if nobody else does.
    fn grant(&self, grants: &dyn Fn(&Called<'_>) -> Option<Vec<OsString>>) -> Option<()> {
        let Wished { wish, candidate } =
            serde_json::from_slice(&fs::read(self.place.join(WISH)).ok()?).ok()?;
        let (words, candidate, place) = (&*self.words, &*candidate, &*self.place);
        let words = grants(&Called { wish, words, candidate, place })?;
        let path = self.place.join("granted.text");
        let text = File::create_new(&path).ok()?;
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]).stdin(Stdio::null()).stdout(text).stderr(Stdio::null());
        let status = command.status().ok()?;
        let bytes = fs::metadata(path).ok()?.len().try_into().ok()?;
        fs::write(self.place.join("granted"), header(&words, status, bytes)).ok()
    }
}

fn header(words: &[OsString], status: ExitStatus, stdout: usize) -> Vec<u8> {
    let header = Header { words: words.to_vec(), ending: status.into(), stdout };
    serde_json::to_vec(&header).unwrap_or_default()
}

/// Waits for the end of a program; meanwhile passes on what it writes, and signals to it.
fn wait(child: &mut Child, outputs: &mut [Passed<'_>], signals: &mut Signals) -> ExitStatus {
    let pid = Pid::from_child(child);
    loop {
        let mut others = vec![PollFd::new(signals.get_read(), PollFlags::IN)];
        let open = outputs.iter().filter_map(|output| output.from.as_ref());
        others.extend(open.map(|from| PollFd::new(from, PollFlags::IN)));
        let has_ended = ExitWatch::new(child).wait(others, Duration::MAX).unwrap_or(true);
        outputs.iter_mut().for_each(Passed::pass);
        if has_ended {
            break;
        }
        for signal in signals.pending().filter_map(Signal::from_named_raw) {
            let _ = kill_process(pid, signal);
        }
    }
    loop {
        if let Ok(status) = child.wait() {
            return status;
        }
    }
}

/// The signals that have come.
type Signals = SignalDelivery<UnixStream, SignalOnly>;

/// Takes the signals that are passed on from now on; those that are ignored stay so.
fn signals() -> io::Result<Signals> {
    let (told, tell) = UnixStream::pair()?;
    let ignored = ignored();
    let taken = PASSED.into_iter().filter(|signal| ignored >> (signal - 1) & 1 == 0);
    SignalDelivery::with_pipe(told, tell, SignalOnly, taken)
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
    let is_link = |directory: &Path| {
        let of_run = |part: &OsStr| part.as_bytes().starts_with(PREFIX.as_bytes());
        directory.file_name() == Some(OsStr::new(LINKS)) && directory.iter().any(of_run)
    };
    let directories = std::env::split_paths(&path).filter(|directory| !is_link(directory));
    let mut found =
        directories.map(|directory| directory.join(name)).filter(|path| is_program(path));
    let is_around = |path: &Path| std::env::split_paths(around).any(|other| other == path);
    let file = |path: &Path| fs::metadata(path).ok().map(|data| (data.dev(), data.ino()));
    let first = found.next()?;
    if !is_around(&first) {
        return Some(first);
    }
    let next = found.find(|path| !is_around(path) && file(path) != file(&first));
    next.or(Some(first))
}
