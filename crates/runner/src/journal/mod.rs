//! The record of a run on disk, from which the run can go on after any death, and be decided again
//! without its test.
//!
//! # Files
//!
//! A *run* has a directory of its own:
//!
//! ```text
//! OUT.minirepro/
//!   input      the bytes that the run began with, unchanged
//!   journal    a log of records
//!   .made-by-minirepro
//! ```
//!
//! The last file says that the directory is ours even where a power cut has left nothing of the
//! others.
//!
//! The directory is locked (flock) while a process writes. Files get these names when they are
//! complete and on the disk; before that, their names begin with `.minirepro-`.
//!
//! # Logs
//!
//! A log ([`log`]) is text that only grows. Each line holds 16 hexadecimal digits of XXH3-64 over
//! the JSON, seeded with the checksum of the line before (0 for the first), a space, and the JSON
//! of one record. So a line whose checksum is right proves that all lines before it are right.
//!
//! *Torn ends.* Whatever a crash or a power cut has left after the last whole line is ignored by
//! readers, and cut off by the next writer. Being killed loses no whole line; a power cut loses the
//! lines of two seconds at most, since the file is synchronised that often.
//!
//! # Records
//!
//! A record is a JSON object with one key ([`format`]):
//!
//! | record | how often | contents |
//! |---|---|---|
//! | `run` | once, first | versions, command line, digest of the input, and those of test and plan |
//! | `start` | once a start | what the tests before the search have found |
//! | `answer` | once a test | digest of the candidate, outcome, seconds, whether its time was up |
//! | `said` | once an answer of a proposer | candidates in base64, or why it is not asked again |
//! | `noted` | in a batch: once a run of an input, once a reduction | what it has shown |
//! | `end` | once an end | why it stopped early, digest and size of the result, number of tests |
//!
//! *Versions.* The version is in the `run` record. Records and fields may be added without a new
//! version, so readers skip records that they do not know. A journal of another version cannot be
//! read and is never overwritten: a run that would write there refuses.
//!
//! # Parts
//!
//! - [`answer_store`] looks answers up and records new ones, in the journal: it stands in front
//!   of a test, and of proposers.
//! - [`journal`] is the files, [`format`] their records, [`log`] their lines.
//!
//! # Invariants
//!
//! - The journal alone reproduces the run.
//! - A candidate has one answer in a run, the first; one of a worker and one of this machine.
//! - The input is on the disk before the header that names it.
//! - Equal fingerprints and equal answers lead to equal results. A run only goes on if they are
//!   equal.

pub(crate) mod answer_store;
pub(crate) mod format;
pub(crate) mod journal;
pub(crate) mod log;
