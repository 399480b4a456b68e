//! Shrinks what `cargo fuzz` has found: the file `fuzz/artifacts/TARGET/crash-…`, by the value that
//! the target makes of it. `cargo fuzz tmin` sees bytes only.
//!
//! Run it with `cargo run -p minirepro --features arbitrary --example cargo_fuzz -- FILE`.

use arbitrary::Arbitrary;
use minirepro::{Error, Reduction};

#[derive(Arbitrary, Clone, Debug, PartialEq)]
struct Frame {
    version: u8,
    fields: Vec<(u16, bool)>,
}

/// The body of `fuzz_target!(|frame: Frame| …)`, which a target and this program share.
fn target(frame: &Frame) {
    let flags = frame.fields.iter().filter(|(_, is_set)| *is_set).count();
    assert!(frame.version < 3 || flags < 2, "a flag too many");
}

/// Shrinks a failure and shows the result.
pub fn main() -> Result<(), Error> {
    let file = std::env::args().nth(1).filter(|file| file.contains("crash-"));
    let crash = match file {
        Some(file) => std::fs::read(file)?,
        // As a fuzzer would leave it.
        None => (0..300u32).map(|at| ((at + 40) * (at + 40) % 251) as u8 | 1).collect(),
    };
    // An abort or a stack overflow needs `in_child_processes` as well.
    let reduced = Reduction::of_arbitrary::<Frame>(&crash)?.panics().run(target)?;
    assert_eq!(reduced.value.fields.len(), 2);
    println!("{:?}\n{}", reduced.value, reduced.as_rust());
    Ok(())
}
