//! Who gets the events of a run: a list of sinks that know nothing of each other.

use minirepro_program::{Observer, RunEvent};

use crate::error::CliError;

/// Makes something of the events of a run: text, a screen, JSON, a file.
pub trait Sink {
    /// Takes an event.
    fn event(&mut self, event: &RunEvent<'_>);

    /// Writes what is left to write when the run is over; it has a result if `has_result`.
    ///
    /// # Errors
    /// If it cannot be written.
    fn finish(self: Box<Self>, _has_result: bool) -> Result<(), CliError> {
        Ok(())
    }
}

/// All sinks of a run, in the order in which they get each event.
#[derive(Default)]
pub struct Sinks(Vec<Box<dyn Sink>>);

impl Observer for &mut Sinks {
    fn event(&mut self, event: &RunEvent<'_>) {
        self.0.iter_mut().for_each(|sink| sink.event(event));
    }
}

impl Sinks {
    /// Adds one.
    pub fn add(&mut self, sink: impl Sink + 'static) {
        self.0.push(Box::new(sink));
    }

    /// Ends all of them.
    ///
    /// # Errors
    /// If one cannot write what it should; the others have done so.
    pub fn finish(self, has_result: bool) -> Result<(), CliError> {
        let ended = self.0.into_iter().map(|sink| sink.finish(has_result));
        ended.fold(Ok(()), Result::and)
    }
}
