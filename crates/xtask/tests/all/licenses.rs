//! What `minirepro licenses` prints against the packages that the program contains.

use std::process::Command;

#[test]
fn the_list_of_licenses_is_current() {
    let check =
        Command::new(env!("CARGO_BIN_EXE_minirepro-xtask")).args(["licenses", "--check"]).output();
    let check = check.unwrap();
    assert!(check.status.success(), "{}", String::from_utf8_lossy(&check.stderr));
}
