//! The workers of a run: started when its input is known to fail, and examined before they may
//! answer.

use minirepro_runner::{CancelToken, OracleError, ProgramTest, WorkersError};
use minirepro_workers::WorkerPool;

use crate::error::{BadRequest, Error};
use crate::observer::RunEvent;
use crate::request::Settings;
use crate::run::context::Tell;
use crate::run::endpoints::Endpoints;
use crate::tester::subject::Tester;

/// Starts the workers that are wanted, and examines them; `None` if none is wanted.
///
/// # Errors
/// If none can be used and this process runs no test itself, the test cannot be sent, or `stop` is
/// set before.
pub fn start(
    settings: &Settings<'_>,
    tester: &Tester<'_>,
    endpoints: &Endpoints<'_>,
    stop: &CancelToken,
    tell: Tell<'_>,
) -> Result<Option<WorkerPool>, Error> {
    let workers = &settings.workers;
    if workers.commands.is_empty() {
        return Ok(None);
    }
    let described = tester.program().map(ProgramTest::describe).transpose()?.flatten();
    let described = described.ok_or(BadRequest::TestForThisProcess)?;
    tell(&RunEvent::StartingWorkers { commands: &workers.commands });
    let ends = [endpoints.failing, endpoints.passing];
    let (pool, enlisted) = WorkerPool::start(
        &workers.commands,
        workers.own_jobs,
        env!("CARGO_PKG_VERSION"),
        &described,
        ends,
        settings.retry,
        stop,
    )?;
    if stop.is_set() {
        return Err(Error::Interrupted);
    }
    tell(&RunEvent::WorkersReady { workers: &enlisted, jobs: pool.jobs() });
    if pool.jobs() == 0 {
        let mut refused = enlisted.iter().filter_map(|worker| worker.result.as_ref().err());
        let last = refused.next_back().and_then(|why| why.lines().next()).unwrap_or_default();
        let last = last.trim_end_matches(':').to_owned();
        let error = OracleError::Workers(WorkersError::NoneUsable { last });
        return Err(Error::TestBroken { error, reproduce: None });
    }
    Ok(Some(pool))
}
