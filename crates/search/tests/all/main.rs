//! Tests of the algorithms. One program, since each takes time to link.

mod common;
mod configuration;
mod plain_loops;
mod properties;
mod slices;
mod table;
mod worked_examples;
