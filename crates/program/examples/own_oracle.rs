//! Isolates the difference between two texts with a test of one's own that does not always know an
//! answer: a program that cannot be read says nothing about the failure.
//!
//! Run it with `cargo run -p minirepro --example own_oracle`.

use std::cell::RefCell;

use minirepro_program::{Error, Isolation, Outcome, RunEvent, Settings};

/// A tiny calculator that is wrong about numbers above nine.
struct Calculator;

impl Calculator {
    /// Adds up numbers; `None` if the text is not a sum.
    fn sum(&self, text: &str) -> Option<u32> {
        let digit = |word: &str| word.parse::<u32>().ok();
        // The mistake: only the first digit of a number counts.
        let wrong = |word: &str| digit(word).and_then(|_| digit(word.get(..1)?));
        text.split('+').map(|word| wrong(word.trim())).sum()
    }

    fn judge(&self, candidate: &[u8]) -> Outcome {
        let text = String::from_utf8_lossy(candidate);
        let right: Option<u32> = text.split('+').map(|word| word.trim().parse::<u32>().ok()).sum();
        match (right, self.sum(&text)) {
            (Some(right), Some(found)) if right == found => Outcome::Pass,
            (Some(_), Some(_)) => Outcome::Fail,
            _ => Outcome::Unresolved,
        }
    }
}

fn main() -> Result<(), Error> {
    let calculator = Calculator;
    let unresolved = RefCell::new(0);
    let count = |event: &RunEvent<'_>| {
        if let RunEvent::Narrowed(figures) = event {
            *unresolved.borrow_mut() +=
                figures.session.levels.iter().map(|level| level.unresolved).sum::<u64>();
        }
    };
    let settings = Settings { observer: Some(Box::new(count)), ..Settings::default() };
    let isolation = Isolation { settings, ..Isolation::new("7", "12 + 30 + 4") };
    let outcome = isolation.run(&|candidate: &[u8]| calculator.judge(candidate))?;
    let difference = &outcome.difference;
    println!("passes: {}", String::from_utf8_lossy(&difference.passing));
    println!("fails:  {}", String::from_utf8_lossy(&difference.failing));
    println!("{} tests without an answer", unresolved.borrow());
    Ok(())
}
