//! Tests on several threads.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{Builder, scope};

use minirepro_engine::JobId;

use crate::text::oracle::Tests;
use crate::text::oracle::panics::Panics;
use crate::{Error, Outcome};

struct Threads {
    starts: Sender<(JobId, Arc<[u8]>)>,
    answers: Receiver<(JobId, Result<Outcome, Error>)>,
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
    let (starts, queue) = channel::<(JobId, Arc<[u8]>)>();
    let queue = Mutex::new(queue);
    let (outbox, answers) = channel();
    scope(|scope| {
        for number in 0..jobs.max(1) {
            let (queue, outbox) = (&queue, outbox.clone());
            let next = move || queue.lock().unwrap_or_else(PoisonError::into_inner).recv();
            let work = move || {
                while let Ok((id, candidate)) = next()
                    && outbox.send((id, panics.judge(|| test(&candidate)))).is_ok()
                {
                }
            };
            match Builder::new().spawn_scoped(scope, work) {
                Ok(_) => {}
                Err(error) if number == 0 => return Err(error.into()),
                // With fewer threads tests only wait longer.
                Err(_) => break,
            }
        }
        // The threads end with their queue.
        run(&mut Threads { starts, answers })
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
