//! Tests of the chores.
//! One program, because each program with all parsers inside takes 100 MB and seconds of linking.

mod grammars;
mod tokens;
