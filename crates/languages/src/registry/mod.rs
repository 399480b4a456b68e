//! The languages that this build knows: `table` lists them, `card` says what users see of them,
//! `guess` finds the one of a file, `load` makes it ready to parse.

mod card;
mod error;
mod guess;
mod load;
mod table;

pub use card::{Info, absent, all, elsewhere, is_file_name};
pub use error::LanguageError;
pub use guess::{guess, guess_by_text, is_known, without_form};
pub(crate) use load::describe;
pub use load::{add_rules, archive, by_name, by_name_in, derived, members, rule_file};
pub(crate) use table::{Entry, Grammar};

#[cfg(test)]
mod tests;
