//! The view of a run that fills the terminal: the text as it is now, with what just went struck
//! through, the curve of its size, what is tried, how long it may take, and keys.
//!
//! - [`model`] is all that is shown, as plain data: a fold over the events of a run.
//! - [`painting`] makes styled lines of a text and of what has gone from it.
//! - [`drawing`] places everything on a screen of any size.
//! - [`console`] takes the terminal and gives it back, however the program ends.
//! - [`screen`] is the thread that draws and listens.
//!
//! Must not decide anything: what a key asks for goes to the library by its controls.

pub mod console;
pub mod drawing;
pub mod model;
pub mod painting;
pub mod screen;
