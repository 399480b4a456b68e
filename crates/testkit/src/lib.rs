//! Simulated oracles, a virtual clock, and whole reductions without processes: for tests and chores
//! only.

mod check;
mod clock;
mod experiment;
mod oracles;
mod recipe;
mod recording;
mod remember;
mod session;

pub use check::{Example, check, pass};
pub use clock::{Answer, run_with_proposer};
pub use experiment::{Experimented, experiment};
pub use minirepro_engine::{Offer, is_askable, offers};
pub use oracles::{Oracle, StandIn};
pub use recipe::{Recipe, Source};
pub use recording::{mozilla, recording};
pub use remember::{remember_answers, remember_parses};
pub use session::{Told, plan, reduce, reduce_on_virtual_clock};
