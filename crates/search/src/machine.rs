//! The common form of the minimizers of this crate: a value that asks, is told, and is cloned to be
//! forked.

use crate::{Configuration, Minimizer, Outcome, Search};

/// A minimizer as a plain value. Whatever implements it is a [`Search`] and a [`Minimizer`] that
/// forks by cloning, so a clone must be cheap.
pub(crate) trait Machine: Clone + Send + Sync + 'static {
    /// See [`Search::ask`].
    fn question(&self) -> Option<Configuration>;
    /// See [`Search::tell`].
    fn answer(&mut self, outcome: Outcome);
    /// See [`Minimizer::kept`].
    fn best(&self) -> &Configuration;
    /// See [`Search::fork`].
    fn forked(&self) -> Box<dyn Search<Configuration>> {
        Box::new(self.clone())
    }
    /// See [`Minimizer::fork_minimizer`].
    fn forked_minimizer(&self) -> Box<dyn Minimizer> {
        Box::new(self.clone())
    }
}

impl<M: Machine> Search<Configuration> for M {
    fn ask(&self) -> Option<Configuration> {
        self.question()
    }

    fn tell(&mut self, outcome: Outcome) {
        self.answer(outcome);
    }

    fn fork(&self) -> Box<dyn Search<Configuration>> {
        self.forked()
    }
}

impl<M: Machine> Minimizer for M {
    fn kept(&self) -> &Configuration {
        self.best()
    }

    fn fork_minimizer(&self) -> Box<dyn Minimizer> {
        self.forked_minimizer()
    }
}

impl Clone for Box<dyn Minimizer> {
    fn clone(&self) -> Self {
        (**self).fork_minimizer()
    }
}

/// A boxed minimizer is a machine too, so that the wrappers take any. Forks are not boxed twice:
/// forks of forks would get slower and slower.
impl Machine for Box<dyn Minimizer> {
    fn question(&self) -> Option<Configuration> {
        (**self).ask()
    }

    fn answer(&mut self, outcome: Outcome) {
        (**self).tell(outcome);
    }

    fn best(&self) -> &Configuration {
        (**self).kept()
    }

    fn forked(&self) -> Box<dyn Search<Configuration>> {
        (**self).fork()
    }

    fn forked_minimizer(&self) -> Box<dyn Minimizer> {
        (**self).fork_minimizer()
    }
}
