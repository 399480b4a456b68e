//! Pages as tests: looks at candidates in Chromium or Firefox, without a window, and plays on them
//! what people do.

mod actions;
mod args;
mod boxes;
mod browsers;
mod chromium;
mod connection;
mod firefox;
mod har;
mod judge;
mod layout;
mod lengths;
mod page;
mod picture;
mod place;
mod play;
mod prepare;
mod save;
mod saved;
mod settle;
mod sight;
mod test;
mod whole;
mod wpt;

pub use args::PageArgs;
pub use prepare::{Prepared, prepare, suspects};
pub use save::save;
pub use sight::Suspect;
pub use test::{Answer, PageTest, look};
