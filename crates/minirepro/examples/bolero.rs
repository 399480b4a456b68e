//! Shrinks a value that bolero has generated, to the smallest one of its type.
//!
//! Run it with `cargo run -p minirepro --features serde --example bolero`.

use std::sync::Mutex;

use bolero::TypeGenerator;
use minirepro::{Error, Reduction};
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, TypeGenerator, Serialize, Deserialize)]
enum Call {
    Push(u8),
    Clear,
    Swap,
}

/// Runs calls on a stack; the mistake is that `Swap` needs two elements.
fn run(calls: &[Call]) {
    let mut stack = Vec::new();
    for call in calls {
        match call {
            Call::Push(value) => stack.push(*value),
            Call::Clear => stack.clear(),
            Call::Swap if stack.is_empty() => {}
            Call::Swap => {
                let last = stack.len() - 1;
                stack.swap(last, last - 1);
            }
        }
    }
}

static FOUND: Mutex<Option<Vec<Call>>> = Mutex::new(None);

/// Looks for calls that fail. In a test of yours the property panics, and the value stands in the
/// report; here it is taken for what follows.
fn find() {
    bolero::check!().with_type::<Vec<Call>>().with_iterations(2_000).for_each(|calls| {
        let fails = std::panic::catch_unwind(|| run(calls)).is_err();
        if fails && let Ok(mut found) = FOUND.lock() {
            found.get_or_insert_with(|| calls.clone());
        }
    });
}

/// Shrinks a failure and shows the result.
pub fn main() -> Result<(), Error> {
    find();
    let found = FOUND.lock().ok().and_then(|mut found| found.take());
    let calls = found.expect("among thousands of lists one begins so");

    let reduced = Reduction::of(&calls)?.panics().run(|calls| run(calls))?;
    assert_eq!(reduced.value, [Call::Push(0), Call::Swap]);
    println!("{} calls became two:\n{}", calls.len(), reduced.as_rust());
    Ok(())
}
