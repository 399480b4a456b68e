//! Runs the examples, which hold their results against what they must be.

#[path = "../../examples/bolero.rs"]
mod bolero;
#[path = "../../examples/bytes.rs"]
mod bytes;
#[path = "../../examples/cargo_fuzz.rs"]
mod cargo_fuzz;
#[path = "../../examples/closure.rs"]
mod closure;
#[path = "../../examples/proptest.rs"]
mod proptest;

#[test]
fn bolero_finds_a_value() {
    bolero::main().unwrap();
}

#[test]
fn bytes_need_no_grammar() {
    bytes::main().unwrap();
}

#[test]
fn cargo_fuzz_finds_bytes_of_a_value() {
    cargo_fuzz::main().unwrap();
}

#[test]
fn a_closure_is_a_test() {
    closure::main().unwrap();
}

#[test]
fn proptest_finds_a_value() {
    proptest::main().unwrap();
}
