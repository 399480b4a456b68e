//! Modules of WebAssembly, binary or as text: folded instructions, and names in place of numbers,
//! so that nothing has to be renumbered when a function, type or local goes.

use std::fmt::{self, Write};
use std::ops::Range;

use regex::{Captures, Regex};
use wasmparser::{Parser, Payload, Validator, WasmFeatures};
use wasmprinter::{Config, PrintFmtWrite};

use crate::coded::{Codec, LARGEST};

/// The instructions of a larger function are not folded, which takes quadratic time in their depth.
const LARGEST_FOLDED: usize = 1 << 18;

/// Binary modules.
pub(crate) const WASM: Module = Module { is_binary: true };
/// Modules as text.
pub(crate) const WAT: Module = Module { is_binary: false };

/// Says in the text of a binary module that the names in it are those of its name section. Without
/// it, no such section is written.
const NAMED: &str = "(@names)";

/// A form of modules.
pub(crate) struct Module {
    is_binary: bool,
}

impl Codec for Module {
    fn is_binary(&self) -> bool {
        self.is_binary
    }

    fn decode(&self, file: &[u8]) -> Option<Vec<u8>> {
        if file.starts_with(b"\0asm") != self.is_binary || file.len() > LARGEST {
            return None;
        }
        let binary = wat::parse_bytes(file).ok()?;
        let mut text = Limited(String::new());
        Config::new()
            .name_unnamed(true)
            .fold_instructions(has_small_functions(&binary))
            .indent_text("")
            .print(&binary, &mut PrintFmtWrite(&mut text))
            .ok()?;
        let mut text = without_comments(&text.0);
        if self.is_binary && names(&binary).is_some() {
            let at = text.find('\n').map_or(text.len(), |end| end + 1);
            text.insert_str(at, &format!("{NAMED}\n"));
        }
        Some(text.into_bytes())
    }

    fn encode(&self, text: &[u8]) -> Option<Vec<u8>> {
        let text = std::str::from_utf8(text).ok()?;
        let mut binary = wat::parse_str(text).ok()?;
        if !text.contains(NAMED)
            && let Some(names) = names(&binary)
        {
            binary.drain(names);
        }
        Some(binary)
    }

    fn faults(&self, text: &[u8]) -> u32 {
        let binary = std::str::from_utf8(text).ok().and_then(|text| wat::parse_str(text).ok());
        let mut validator = Validator::new_with_features(WasmFeatures::all());
        u32::from(binary.is_none_or(|binary| validator.validate_all(&binary).is_err()))
    }
}

/// A text that may not become too large: two bytes of a module can stand for 50,000 locals.
struct Limited(String);

impl Write for Limited {
    fn write_str(&mut self, part: &str) -> fmt::Result {
        if self.0.len() + part.len() > LARGEST {
            return Err(fmt::Error);
        }
        self.0.write_str(part)
    }
}

/// Returns whether the instructions of all functions of a module can be folded in acceptable time.
fn has_small_functions(binary: &[u8]) -> bool {
    !Parser::new(0).parse_all(binary).any(|payload| {
        matches!(payload, Ok(Payload::CodeSectionEntry(body)) if body.as_bytes().len() > LARGEST_FOLDED)
    })
}

/// Returns where the name section of a module stands, with its header.
fn names(binary: &[u8]) -> Option<Range<usize>> {
    let mut start = 8;
    for payload in Parser::new(0).parse_all(binary) {
        let payload = payload.ok()?;
        if let Payload::CustomSection(section) = &payload
            && section.name() == "name"
        {
            return Some(start..usize::try_from(section.range().end).ok()?);
        }
        if let Some((_, section)) = payload.as_section() {
            start = usize::try_from(section.end).ok()?;
        }
    }
    None
}

/// Returns the text without its comments, which number the parts of the module.
fn without_comments(text: &str) -> String {
    let tokens = Regex::new(r#""(?:[^"\\]|\\.)*"|\(;[^;]*;\)|;;.*"#).expect("it is tested");
    let kept = |found: &Captures<'_>| match &found[0] {
        string if string.starts_with('"') => string.to_owned(),
        _ => String::new(),
    };
    tokens.replace_all(text, kept).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    const MODULE: &str = "(module (func $f (export \"f\") (param i32) (result i32) \
                          local.get 0 i32.const 1 i32.add))";

    #[test]
    fn numbers_become_names_and_instructions_are_folded() {
        let text = WAT.decode(MODULE.as_bytes()).unwrap();
        let text = String::from_utf8(text).unwrap();
        assert!(text.contains("(local.get $#local0)"), "{text}");
        assert!(!text.contains("(;"), "{text}");
        assert_eq!(WAT.faults(text.as_bytes()), 0);
        let broken = text.replace("local0", "local1").replacen('1', "0", 1);
        assert_eq!(WAT.faults(broken.as_bytes()), 1);
        assert_eq!(WAT.decode(b"(module"), None);
        assert_eq!(WASM.decode(MODULE.as_bytes()), None);
    }

    #[test]
    fn a_binary_module_has_a_name_section_only_if_it_had_one() {
        let named = wat::parse_str(MODULE).unwrap();
        let text = WASM.decode(&named).unwrap();
        assert!(names(&WASM.encode(&text).unwrap()).is_some());
        let plain = String::from_utf8(text).unwrap().replace(NAMED, "");
        let plain = WASM.encode(plain.as_bytes()).unwrap();
        assert!(names(&plain).is_none() && plain.len() < named.len());
        // A module without names comes back as it was.
        let again = WASM.decode(&plain).unwrap();
        assert_eq!(WASM.encode(&again).as_deref(), Some(&plain[..]));
        assert_eq!(WASM.encode(b"(module (func $f (call $g)))"), None);
    }

    fn number(mut value: usize) -> Vec<u8> {
        let mut bytes = Vec::new();
        while value > 127 {
            bytes.push(u8::try_from(value % 128 + 128).unwrap());
            value /= 128;
        }
        bytes.push(u8::try_from(value).unwrap());
        bytes
    }

    fn sized(bytes: &[u8]) -> Vec<u8> {
        [number(bytes.len()), bytes.to_vec()].concat()
    }

    fn section(kind: u8, count: usize, items: &[u8]) -> Vec<u8> {
        [vec![kind], sized(&[number(count), items.to_vec()].concat())].concat()
    }

    #[test]
    fn a_hostile_module_is_read_in_bounded_time_and_memory() {
        let module = |count: usize, body: &[u8]| {
            let function = sized(body);
            let types = section(1, 1, b"\x60\0\0");
            let functions = section(3, count, &vec![0; count]);
            let code = section(10, count, &function.repeat(count));
            [b"\0asm\x01\0\0\0".to_vec(), types, functions, code].concat()
        };
        // 49,999 locals in each function.
        let locals = b"\x01\xcf\x86\x03\x7f\x0b";
        assert!(WASM.decode(&module(1, locals)).is_some());
        assert_eq!(WASM.decode(&module(200_000, locals)), None);
        // Blocks in blocks.
        let depth = 100_000;
        let blocks = [&b"\0"[..], &b"\x02\x40".repeat(depth), &b"\x0b".repeat(depth + 1)].concat();
        let text = WASM.decode(&module(1, &blocks)).unwrap();
        assert_eq!(
            text.split(|&b| b == b'\n').filter(|line| line.starts_with(b"block")).count(),
            depth
        );
        assert_eq!(WASM.decode(&vec![0; LARGEST + 1]), None);
    }
}
