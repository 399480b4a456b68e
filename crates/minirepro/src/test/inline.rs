//! Tests in the caller's thread, one after the other.

use std::sync::Arc;

use minirepro_engine::JobId;

use crate::test::Tests;
use crate::test::panics::Panics;
use crate::{Error, Outcome};

pub(crate) struct Inline<'p, F> {
    pub test: F,
    pub panics: &'p Panics,
}

impl<F: FnMut(&[u8]) -> A, A: Into<Outcome>> Tests for Inline<'_, F> {
    fn start(&mut self, _id: JobId, candidate: Arc<[u8]>) -> Result<Option<Outcome>, Error> {
        self.panics.judge(|| (self.test)(&candidate)).map(Some)
    }

    fn wait(&mut self) -> Result<(JobId, Outcome), Error> {
        unreachable!("each test has its outcome at once")
    }
}
