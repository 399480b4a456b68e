//! Reduces a text with a closure that says whether the failure is there.
//!
//! Run it with `cargo run -p minirepro --example closure`.

use minirepro::{Error, Reduction};

const INPUT: &str = "\
int unused(int a, int b) { return a + b; }

int main(void) {
    for (int i = 0; i < 10; i++)
        printf(\"%d\", unused(i, 1));
    crash(1, 2);
    return 0;
}
";

/// Shrinks a failure and shows the result.
pub fn main() -> Result<(), Error> {
    let crashes = |candidate: &[u8]| String::from_utf8_lossy(candidate).contains("crash(1");
    let reduced = Reduction::new(INPUT).language("c").run(crashes)?;
    assert_eq!(reduced.text().trim(), "crash(1);");
    println!("{}", reduced.text());
    if let Some(certificate) = reduced.certificate {
        println!("none of {} further edits still crashes", certificate.refused);
    }
    Ok(())
}
