//! What a run is asked to do: plain structs with builder methods. The folders for the kinds of
//! runs implement `run` for them.

pub mod isolation;
pub mod options;
pub mod reduction;
pub mod settings;
