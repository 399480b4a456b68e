//! Tests on several threads.

use std::panic::resume_unwind;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{Builder, scope};

use minirepro_engine::JobId;

use crate::test::Tests;
use crate::test::panics::Panics;
use crate::{Error, Outcome};

type Start = (JobId, Arc<[u8]>);
type Answer = (JobId, Result<Outcome, Error>);

struct Threads {
    starts: Sender<Start>,
    answers: Receiver<Answer>,
}

/// Lends tests on this many threads to `run`.
///
/// # Errors
/// If there is no thread.
pub(crate) fn with_threads<F, A, T>(
    jobs: usize,
    test: &F,
    panics: &Panics,
    run: impl FnOnce(&mut dyn Tests) -> Result<T, Error>,
) -> Result<T, Error>
where
    F: Fn(&[u8]) -> A + Sync,
    A: Into<Outcome>,
{
    let (starts, queue) = channel::<Start>();
    let (outbox, answers) = channel::<Answer>();
    let queue = Mutex::new(queue);
    scope(|scope| {
        let mut threads = Vec::new();
        for _ in 0..jobs.max(1) {
            let (queue, outbox) = (&queue, outbox.clone());
            let work = move || {
                loop {
                    let next = queue.lock().unwrap_or_else(PoisonError::into_inner).recv();
                    let Ok((id, candidate)) = next else { return };
                    let answer = panics.judge(|| test(&candidate));
                    if outbox.send((id, answer)).is_err() {
                        return;
                    }
                }
            };
            match Builder::new().spawn_scoped(scope, work) {
                Ok(thread) => threads.push(thread),
                // With fewer threads tests only wait longer.
                Err(error) if threads.is_empty() => return Err(error.into()),
                Err(_) => break,
            }
        }
        let mut tests = Threads { starts, answers };
        let done = run(&mut tests);
        // The threads end with their queue.
        drop(tests);
        for thread in threads {
            thread.join().unwrap_or_else(|payload| resume_unwind(payload));
        }
        done
    })
}

impl Tests for Threads {
    fn start(&mut self, id: JobId, candidate: Arc<[u8]>) -> Result<Option<Outcome>, Error> {
        self.starts.send((id, candidate)).expect("the threads wait for their queue to end");
        Ok(None)
    }

    fn wait(&mut self) -> Result<(JobId, Outcome), Error> {
        let (id, answer) = self.answers.recv().expect("each test that was started is answered");
        Ok((id, answer?))
    }
}
