//! Draws the progress of a reduction as a bar of its own.
//!
//! Run it with `cargo run -p minirepro --example progress`.

use minirepro_program::{Error, Event, Reduction, RunEvent, Settings};

/// Characters of the whole bar.
const WIDTH: u64 = 40;

/// Draws a bar for each reduction of the input.
#[derive(Default)]
struct Bar {
    tokens: u64,
    tests: u64,
}

impl Bar {
    fn take(&mut self, event: &RunEvent<'_>) {
        match event {
            RunEvent::BaselineDone(facts) => {
                println!("it fails; language {}", facts.language.as_deref().unwrap_or("unknown"));
            }
            RunEvent::ReductionBegins { tokens, .. } => self.tokens = *tokens,
            RunEvent::Step { event: Event::Answered { .. }, .. } => self.tests += 1,
            RunEvent::Step { event: Event::Reduced { tokens, .. }, .. } => {
                let filled = (tokens * WIDTH).div_ceil(self.tokens.max(1)) as usize;
                println!("{:<40} {tokens} tokens, {} answers", "#".repeat(filled), self.tests);
            }
            RunEvent::Reduced(result) => {
                println!("{} tests in all", result.figures.session.tests);
            }
            _ => {}
        }
    }
}

fn main() -> Result<(), Error> {
    let input: String = (1..=60).map(|number| format!("line {number}\n")).collect();
    let mut bar = Bar::default();
    let show = |event: &RunEvent<'_>| bar.take(event);
    let settings = Settings { observer: Some(Box::new(show)), ..Settings::default() };
    let reduction = Reduction { settings, ..Reduction::new(&input) };
    let outcome = reduction.language("lines").run(&|candidate: &[u8]| {
        let text = String::from_utf8_lossy(candidate);
        text.contains("line 7\n") && text.contains("line 42\n")
    })?;
    print!("{}", String::from_utf8_lossy(outcome.text()));
    Ok(())
}
