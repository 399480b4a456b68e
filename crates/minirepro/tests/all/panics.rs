//! What a panic of a test means.

use minirepro::{Error, Reduction};

fn property(text: &[u8]) {
    assert!(!text.is_empty(), "empty");
    assert!(!text.contains(&b'7'), "seven");
}

#[test]
fn a_panic_is_the_failure_where_that_is_said() {
    let reduced = Reduction::new("1 2 7 9").panics_with("seven").run(property).unwrap();
    assert_eq!(reduced.text(), "7");
    let reduced = Reduction::new("1 2 7 9").panics().run(property).unwrap();
    assert_eq!(reduced.text(), "", "any panic");
    let reduced = Reduction::new("1 2 7 9").panics_with("seven").run_parallel(3, property).unwrap();
    assert_eq!(reduced.text(), "7");
}

#[test]
fn else_a_panic_is_an_error_with_its_message() {
    let test = |text: &[u8]| {
        assert!(!text.is_empty(), "of {} bytes", text.len());
        true
    };
    let of_one = Reduction::new("1 2").run(test).unwrap_err();
    let of_several = Reduction::new("1 2").run_parallel(4, test).unwrap_err();
    for error in [of_one, of_several] {
        assert!(matches!(&error, Error::Panicked(message) if message == "of 0 bytes"), "{error}");
    }
    let error = Reduction::new("7").run(property).unwrap_err();
    assert_eq!(error.to_string(), "the test panicked: seven");
}
