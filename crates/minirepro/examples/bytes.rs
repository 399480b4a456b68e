//! Shrinks bytes, for which no grammar is needed: a fuzzer's input, for example.
//!
//! Run it with `cargo run -p minirepro --no-default-features --features text --example bytes`.

use minirepro::{Error, Reduction};

/// Shrinks a failure and shows the result.
pub fn main() -> Result<(), Error> {
    let input: Vec<u8> = (0..=255).cycle().take(2_000).collect();
    let crashes = |candidate: &[u8]| {
        let header = candidate.iter().position(|&byte| byte == 7);
        header.is_some_and(|at| candidate[at..].contains(&200))
    };
    let reduced = Reduction::new(&input).language("bytes").run(crashes)?;
    assert_eq!(reduced.bytes, [7, 200]);
    println!("{} bytes became {}", input.len(), reduced.as_rust());
    Ok(())
}
