//! Tests of the library as a program that embeds it would use it.
//! One program, because each program with all parsers inside takes 100 MB and seconds of linking.

mod all_kinds;
mod batch;
mod coded;
mod commands;
mod directory;
mod faults;
mod rules;
