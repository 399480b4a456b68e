//! Tests of all languages.
//! One program, because each program with all parsers inside takes 100 MB and seconds of linking.

mod derive;
mod fields;
mod lossless;
mod rules;
