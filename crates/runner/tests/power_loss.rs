//! The power goes at any moment: of what was not synced, any part has reached the disk. The result
//! is an old or a new one, complete, and the journal tells nothing but what was answered.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod common;

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use common::{Files, INPUT, MINIMAL, reduce};
use minirepro_runner::system::{Interceptor, Operation, intercepted};
use minirepro_runner::{Journal, JournalError, PreviousRun};

/// A file, by its number.
type Number = u64;

/// What was done to the disk.
#[derive(Clone, Debug)]
enum Change {
    Write { file: Number, offset: u64, bytes: Vec<u8> },
    Truncate { file: Number, length: u64 },
    Sync(Number),
    Name { path: PathBuf, file: Number },
    MakeDirectory(PathBuf),
    Rename { from: PathBuf, to: PathBuf },
    Remove(PathBuf),
    SyncNames(PathBuf),
}

/// Writes down all changes below a directory.
struct Recorder {
    top: PathBuf,
    changes: Mutex<Vec<Change>>,
    /// The system uses the numbers of removed files again.
    numbers: Mutex<BTreeMap<u64, Number>>,
}

impl Recorder {
    fn new(top: PathBuf) -> Arc<Self> {
        Arc::new(Self { top, changes: Mutex::default(), numbers: Mutex::default() })
    }

    fn number(&self, file: &File) -> Number {
        let known = self.numbers.lock().unwrap();
        known.get(&file.metadata().unwrap().ino()).copied().unwrap_or_default()
    }

    fn record(&self, change: Change) {
        self.changes.lock().unwrap().push(change);
    }
}

impl Interceptor for Recorder {
    fn before(&self, operation: &Operation<'_>) -> io::Result<()> {
        let ours = |path: &Path| path.starts_with(&self.top);
        match operation {
            Operation::Write { file, offset, bytes } => self.record(Change::Write {
                file: self.number(file),
                offset: *offset,
                bytes: bytes.to_vec(),
            }),
            Operation::Truncate { file, length } => {
                self.record(Change::Truncate { file: self.number(file), length: *length });
            }
            Operation::Sync(file) => self.record(Change::Sync(self.number(file))),
            Operation::CreateDirectory(path) if ours(path) => {
                self.record(Change::MakeDirectory(path.to_path_buf()));
            }
            Operation::Rename { from, to } if ours(from) => {
                let (from, to) = (from.to_path_buf(), to.to_path_buf());
                self.record(Change::Rename { from, to });
            }
            Operation::Remove(path) if ours(path) => {
                self.record(Change::Remove(path.to_path_buf()));
            }
            Operation::SyncDirectory(path) if ours(path) => {
                self.record(Change::SyncNames(path.to_path_buf()));
            }
            _ => {}
        }
        Ok(())
    }

    fn opened(&self, path: &Path, file: &File) {
        if !path.starts_with(&self.top) {
            return;
        }
        let data = file.metadata().unwrap();
        if data.len() == 0 {
            let mut numbers = self.numbers.lock().unwrap();
            let fresh = 1 + numbers.values().max().copied().unwrap_or_default();
            numbers.insert(data.ino(), fresh);
        }
        self.record(Change::Name { path: path.to_path_buf(), file: self.number(file) });
    }
}

/// Numbers that look random, the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }
}

/// What a disk holds.
#[derive(Clone, Default)]
struct Disk {
    texts: BTreeMap<Number, Vec<u8>>,
    /// Directories have no number.
    names: BTreeMap<PathBuf, Option<Number>>,
}

impl Disk {
    fn apply(&mut self, change: &Change) {
        match change {
            Change::Write { file, offset, bytes } => {
                let text = self.texts.entry(*file).or_default();
                let (start, end) = (*offset as usize, *offset as usize + bytes.len());
                text.resize(text.len().max(end), 0);
                text[start..end].copy_from_slice(bytes);
            }
            Change::Truncate { file, length } => {
                self.texts.entry(*file).or_default().resize(*length as usize, 0);
            }
            Change::Name { path, file } => {
                self.names.insert(path.clone(), Some(*file));
            }
            Change::MakeDirectory(path) => {
                self.names.entry(path.clone()).or_insert(None);
            }
            Change::Rename { from, to } => {
                if let Some(file) = self.names.remove(from) {
                    self.names.insert(to.clone(), file);
                }
            }
            Change::Remove(path) => {
                if self.names.get(path).is_some_and(|file| file.is_some())
                    || !self.names.keys().any(|name| name.parent() == Some(path))
                {
                    self.names.remove(path);
                }
            }
            Change::Sync(_) | Change::SyncNames(_) => {}
        }
    }

    /// Makes real files of it, in another place.
    fn write(&self, from: &Path, to: &Path) {
        for (path, file) in &self.names {
            let path = to.join(path.strip_prefix(from).unwrap());
            let Some(file) = file else {
                fs::create_dir(path).unwrap();
                continue;
            };
            if path.parent().unwrap().is_dir() {
                fs::write(path, self.texts.get(file).map_or(&[][..], Vec::as_slice)).unwrap();
            }
        }
    }
}

/// Returns the directory whose names a change concerns.
fn directory(change: &Change) -> Option<&Path> {
    match change {
        Change::Name { path, .. } | Change::MakeDirectory(path) | Change::Remove(path) => {
            path.parent()
        }
        Change::Rename { to, .. } => to.parent(),
        Change::SyncNames(path) => Some(path),
        Change::Write { .. } | Change::Truncate { .. } | Change::Sync(_) => None,
    }
}

/// Returns what may be on the disk when the power goes after these changes: all that was synced; of
/// writes since then any, whole or in part; of the names in a directory, those up to some moment
/// since then.
fn after_power_loss(changes: &[Change], random: &mut Random) -> Disk {
    let mut lasting: BTreeMap<&Path, usize> = BTreeMap::new();
    for (at, change) in changes.iter().enumerate() {
        if let (Change::SyncNames(path), end) = (change, at + 1) {
            lasting.insert(path, end);
        }
    }
    for directory in changes.iter().filter_map(directory) {
        let synced = lasting.get(directory).copied().unwrap_or(0);
        let lost = random.below((changes.len() - synced) as u64 + 1) as usize;
        lasting.insert(directory, changes.len() - lost);
    }
    let mut disk = Disk::default();
    for (at, change) in changes.iter().enumerate() {
        if let Some(directory) = directory(change) {
            if at < lasting[directory] {
                disk.apply(change);
            }
            continue;
        }
        let (Change::Write { file, .. } | Change::Truncate { file, .. }) = change else { continue };
        let is_synced = changes[at..].iter().any(|c| matches!(c, Change::Sync(f) if f == file));
        match (is_synced, random.below(3), change) {
            (true, _, _) | (false, 0, _) => disk.apply(change),
            (false, 1, Change::Write { file, offset, bytes }) => {
                let length = random.below(bytes.len() as u64 + 1) as usize;
                let bytes = bytes[..length].to_vec();
                disk.apply(&Change::Write { file: *file, offset: *offset, bytes });
            }
            _ => {}
        }
    }
    disk
}

#[test]
fn after_a_power_loss_the_result_is_complete_and_the_journal_goes_on() {
    let files = Files::new();
    fs::create_dir(files.results()).unwrap();
    let recorder = Recorder::new(files.results());
    let interceptor: Arc<dyn Interceptor> = Arc::<Recorder>::clone(&recorder);
    intercepted(interceptor, || reduce(&files)).unwrap();
    let changes = recorder.changes.lock().unwrap().clone();
    assert!(changes.len() > 20, "{changes:?}");
    let mut random = Random(7);
    let mut journals = 0;
    for end in 0..=changes.len() {
        for _ in 0..20 {
            let disk = after_power_loss(&changes[..end], &mut random);
            let other = Files::new();
            fs::create_dir(other.results()).unwrap();
            disk.write(&files.results(), &other.results());
            if let Ok(result) = fs::read(other.result()) {
                let mut lines = INPUT.split_inclusive(|&b| b == b'\n');
                let mut parts = result.split_inclusive(|&b| b == b'\n');
                let is_part = parts.all(|line| lines.any(|other| line == other));
                assert!(is_part && result.windows(3).any(|w| w == b"two"), "{result:?}");
            }
            match Journal::open(&other.journal()) {
                Ok((_, Some(past))) => {
                    journals += usize::from(past.answers() > 0);
                    let input = PreviousRun::input(&other.journal()).unwrap();
                    assert_eq!(input, INPUT, "after {:?}", &changes[..end]);
                }
                Ok((_, None)) => {}
                Err(JournalError::Read { .. } | JournalError::Write { .. }) => {}
                Err(error) => panic!("{error} after {:?}", &changes[..end]),
            }
        }
    }
    assert!(journals > 10, "{journals}");
    // The next run makes an end of whatever is there.
    for end in (0..=changes.len()).step_by(5) {
        let disk = after_power_loss(&changes[..end], &mut random);
        let other = Files::new();
        fs::create_dir(other.results()).unwrap();
        disk.write(&files.results(), &other.results());
        assert_eq!(reduce(&other), Ok(()));
        assert_eq!(fs::read(other.result()).unwrap(), MINIMAL);
        let left = fs::read_dir(other.results()).unwrap().count();
        assert_eq!(left, 1, "after {:?}", &changes[..end]);
    }
}
