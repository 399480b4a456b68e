//! Decides a reduction: rounds of passes, pumps, the sweep, the certificate.

mod advisers;
mod config;
pub(crate) mod current;
mod demand;
mod pace;
mod pass_run;
pub(crate) mod reducer;
mod rounds;
mod sizes;
mod stall;
