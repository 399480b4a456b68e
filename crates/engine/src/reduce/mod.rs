//! Decides a reduction: rounds of passes, pumps, the sweep, the certificate.

mod advisers;
mod config;
mod current;
mod demand;
mod estimate;
mod pace;
mod pass_run;
pub(crate) mod reducer;
mod rounds;
mod sizes;
mod stall;
mod sweep;
mod trial;
