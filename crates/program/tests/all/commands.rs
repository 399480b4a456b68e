//! Commands as tests: the failure that is learnt must be the one that the user has.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::fs;
use std::path::Path;

use minirepro_program::{CommandError, Error, Reduction, RunEvent, Settings, TestSpec};

/// Complains like a compiler if a file that `$1` includes is not there, and fails with a message of
/// its own on the word `boom`.
const COMPILER: &str = r#"
for header in $(sed -n 's/^#include "\(.*\)"$/\1/p' "$1"); do
    [ -e "$(dirname "$1")/$header" ] || { echo "$1:1:10: fatal error: $header: No such file or directory" >&2; exit 1; }
done
if grep -q boom "$1"; then echo "$1:2: internal compiler error: in boom, at boom.c:7" >&2; exit 4; fi
"#;

fn compiler() -> TestSpec {
    TestSpec::command(["sh", "-c", COMPILER, "compiler", "@@"])
}

fn file(directory: &Path, name: &str, text: &str) {
    let path = directory.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn reduce(path: &Path, test: TestSpec, seen: &mut Vec<String>) -> Result<Vec<u8>, Error> {
    let text = fs::read(path).unwrap();
    let provided = |event: &RunEvent<'_>| {
        if let RunEvent::CompanionsProvided { companions, .. } = event {
            seen.extend(companions.iter().map(|c| c.path.display().to_string()));
        }
    };
    let settings = Settings { observer: Some(Box::new(provided)), ..Settings::default() };
    let request = Reduction { file: path.to_owned(), settings, ..Reduction::new(&text) };
    let outcome = request.language("c").run(&test)?;
    Ok(outcome.text().to_vec())
}

#[test]
fn a_header_beside_the_file_is_no_failure() {
    let place = tempfile::tempdir().unwrap();
    file(place.path(), "a.c", "#include \"inc/a.h\"\nint x;\n");
    file(place.path(), "inc/a.h", "int a;\n");
    let failed = reduce(&place.path().join("a.c"), compiler(), &mut Vec::new());
    let Err(Error::Command { error: CommandError::Succeeds { .. }, .. }) = failed else {
        panic!("it compiles: {failed:?}");
    };
}

#[test]
fn headers_beside_the_file_stand_beside_every_candidate() {
    let place = tempfile::tempdir().unwrap();
    file(place.path(), "a.c", "#include \"inc/a.h\"\nint boom;\nint other;\n");
    file(place.path(), "inc/a.h", "#include \"b.h\"\n");
    file(place.path(), "inc/b.h", "int b;\n");
    let mut provided = Vec::new();
    let result = reduce(&place.path().join("a.c"), compiler(), &mut provided).unwrap();
    assert_eq!(provided, ["inc/a.h", "inc/b.h"]);
    let result = String::from_utf8(result).unwrap();
    assert!(result.contains("boom") && !result.contains("include"), "{result}");
}

#[test]
fn that_a_file_is_missing_is_not_learnt() {
    let place = tempfile::tempdir().unwrap();
    file(place.path(), "project/a.c", "#include \"../up.h\"\nint x;\n");
    file(place.path(), "up.h", "");
    let failed = reduce(&place.path().join("project/a.c"), compiler(), &mut Vec::new());
    let Err(Error::Command { error: CommandError::FileMissing(failure), .. }) = failed else {
        panic!("{failed:?}");
    };
    assert!(failure.message.contains("up.h"), "{failure}");
}

#[test]
fn added_files_stand_beside_every_candidate() {
    let place = tempfile::tempdir().unwrap();
    file(place.path(), "a.c", "int boom;\nint other;\n");
    file(place.path(), "config", "");
    let script =
        "[ -e config ] || [ -e \"$(dirname \"$0\")/config\" ] || exit 0; ! grep boom \"$0\"";
    let text = fs::read(place.path().join("a.c")).unwrap();
    let companions = vec![place.path().join("config")];
    let settings = Settings { companions, ..Settings::default() };
    let request = Reduction { file: place.path().join("a.c"), settings, ..Reduction::new(&text) };
    let outcome = request.run(&TestSpec::command(["sh", "-c", script, "@@"])).unwrap();
    assert!(String::from_utf8_lossy(outcome.text()).contains("boom"));
}
