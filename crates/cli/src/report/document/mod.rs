//! The report of a run: one page or one text that can be attached to a bug. [`recorder`] collects
//! what happens, [`document`] is what a report says, [`html`] and [`markdown`] write it down.
//! Nothing here runs a test, so a report can be made from a journal as well.

pub mod document;
pub mod evidence;
pub mod html;
pub mod machine_paths;
pub mod markdown;
pub mod place;
pub mod recorder;
pub mod steps;
pub mod surroundings;
