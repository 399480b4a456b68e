//! Reduces a text with a closure that says whether the failure is there.
//!
//! Run it with `cargo run -p minirepro --example closure`.

use minirepro_program::{Error, Reduction};

const INPUT: &str = "\
int unused(int a, int b) { return a + b; }

int main(void) {
    for (int i = 0; i < 10; i++)
        printf(\"%d\", unused(i, 1));
    crash(1, 2);
    return 0;
}
";

fn main() -> Result<(), Error> {
    let crashes = |candidate: &[u8]| String::from_utf8_lossy(candidate).contains("crash(1");
    let outcome = Reduction::new(INPUT).language("c").run(crashes)?;
    println!("{}", String::from_utf8_lossy(outcome.text()));
    if let Some(certificate) = outcome.certificate() {
        println!("none of {} further edits still crashes", certificate.refused);
    }
    Ok(())
}
