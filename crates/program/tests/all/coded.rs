//! Files that hold a text in another form, and texts that can be read in several ways.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::cell::RefCell;
use std::io::{Read, Write};

use flate2::{Compression, read::GzDecoder, write::GzEncoder};
use minirepro_program::archive::{Kind, entries, pack};
use minirepro_program::{Outcome, Reduction, RunEvent, Settings};

fn zipped(text: &str) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(text.as_bytes()).unwrap();
    encoder.finish().unwrap()
}

fn unzipped(file: &[u8]) -> Option<String> {
    let mut text = String::new();
    GzDecoder::new(file).read_to_string(&mut text).ok()?;
    Some(text)
}

fn named(name: &str, input: &[u8]) -> Reduction<'static> {
    Reduction { file: name.into(), ..Reduction::new(input) }
}

const TEXT: &str =
    "int a(void) { return 1; }\nint b(void) { return 2; }\nint c(void) { return 3; }\n";

#[test]
fn a_compressed_text_is_reduced_by_its_own_language() {
    let outcome = named("a.c.gz", &zipped(TEXT))
        .run(&|file: &[u8]| unzipped(file).is_some_and(|text| text.contains("return 2")))
        .unwrap();
    let result = &outcome.result;
    assert_eq!(result.language, "gzip:c");
    assert_eq!(unzipped(&result.text).unwrap().trim(), "return 2;");
    assert_eq!(result.figures.session.bytes.1, result.text.len() as u64);
}

#[test]
fn so_is_one_in_a_directory() {
    let file = zipped(TEXT);
    let archive = pack([(Kind::Plain, &b"x/a.c.gz"[..], &file[..])]).unwrap();
    let outcome = Reduction { files: Some(Vec::new()), ..Reduction::new(archive) }
        .run(&|archive: &[u8]| {
            let texts = entries(archive).into_iter().filter_map(|entry| unzipped(entry.text));
            match texts.into_iter().any(|text| text.contains("return 2")) {
                true => Outcome::Fail,
                false => Outcome::Pass,
            }
        })
        .unwrap();
    let left = entries(&outcome.result.text);
    assert_eq!(unzipped(left[0].text).unwrap().trim(), "return 2;");
}

fn module() -> Vec<u8> {
    let text = "(module (import \"a\" \"b\" (func $b (param i32))) (memory 1) (data (i32.const 0) \"text\") \
                (func $f (param i32) (result i32) (call $b (i32.const 7)) \
                (i32.rem_u (i32.add (local.get 0) (i32.const 3)) (i32.const 4))) \
                (func $g (export \"g\") (result i32) (call $f (i32.const 5))))";
    wat::parse_str(text).unwrap()
}

#[test]
fn a_module_is_reduced_as_text_and_stays_valid() {
    let fails = |file: &[u8]| {
        let is_valid = wasmparser::validate(file).is_ok();
        is_valid && wasmprinter::print_bytes(file).is_ok_and(|text| text.contains("i32.rem_u"))
    };
    let input = module();
    let outcome = named("a.wasm", &input).run(&fails).unwrap();
    let result = &outcome.result;
    assert_eq!(result.language, "wasm");
    assert!(fails(&result.text));
    // A function of four instructions: no names, imports, types of others or data.
    assert!(result.text.len() <= 38, "{}", wasmprinter::print_bytes(&result.text).unwrap());
    assert!(result.figures.session.certificate.is_some());
}

#[test]
fn a_module_whose_failure_is_in_its_bytes_is_no_text() {
    let mut input = module();
    // The first section says its length with a byte too many, as no writer does.
    let length = input[9];
    input.splice(9..10, [length | 0x80, 0]);
    let long = move |file: &[u8]| file.get(9..11) == Some(&[length | 0x80, 0]);
    let outcome = named("a.wasm", &input).run(&long).unwrap();
    let result = &outcome.result;
    assert_eq!(result.language, "records:wasm");
    assert!(long(&result.text) && result.text.len() < input.len());
}

#[test]
fn what_goes_nowhere_is_read_in_another_way() {
    let input = "int a17;\n".repeat(400).into_bytes();
    let ways = RefCell::new(Vec::new());
    let read = |event: &RunEvent<'_>| {
        if let RunEvent::ReadAs { in_vain, now } = event {
            ways.borrow_mut().push(format!("{} {now}", in_vain.unwrap_or_default()));
        }
    };
    let settings = Settings { observer: Some(Box::new(read)), ..Settings::default() };
    let request = Reduction { settings, ..named("a.c", &input) };
    let outcome = request.run(&|text: &[u8]| text == input).unwrap();
    assert_eq!(ways.into_inner(), ["c text", "text bytes", "bytes c"]);
    assert_eq!(outcome.result.language, "c");
    assert_eq!(outcome.result.text.to_vec(), input);
}

#[test]
fn what_its_language_cannot_look_into_is_read_in_another_way() {
    // One part of a template for JavaScript.
    let part = b"\xff\x80\x91\xc3\x01".repeat(80);
    let input = [b"f(`", &part[..], b"NEEDLE${\n", &b"let y = 1;\n".repeat(100)].concat();
    let fails = |text: &[u8]| text.windows(6).any(|window| window == b"NEEDLE");
    let outcome = named("a.js", &input).run(&fails).unwrap();
    assert!(outcome.result.text.len() <= 10);
    assert!(outcome.result.figures.session.certificate.is_some());
}

#[test]
fn a_text_whose_length_matters_is_overwritten() {
    let numbers: Vec<String> = (0..900).map(|number| number.to_string()).collect();
    let input = format!("[{}]", numbers.join(", ")).into_bytes();
    let fails =
        |text: &[u8]| text.len() == input.len() && text.windows(5).any(|window| window == b" 777,");
    let outcome = named("a.json", &input).run(&fails).unwrap();
    let result = &outcome.result;
    assert_eq!(result.language, "bytes");
    assert_eq!(result.text.iter().filter(|byte| **byte != 0).count(), 5);
}
