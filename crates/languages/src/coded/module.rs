//! Modules of WebAssembly, binary or as text: folded instructions, and names in place of numbers,
//! so that nothing has to be renumbered when a function, type or local goes.

use std::ops::Range;

use regex::{Captures, Regex};
use wasmparser::{Parser, Payload, Validator, WasmFeatures};
use wasmprinter::{Config, PrintFmtWrite};

use crate::coded::Codec;

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
        if file.starts_with(b"\0asm") != self.is_binary {
            return None;
        }
        let binary = wat::parse_bytes(file).ok()?;
        let mut text = String::new();
        Config::new()
            .name_unnamed(true)
            .fold_instructions(true)
            .indent_text("")
            .print(&binary, &mut PrintFmtWrite(&mut text))
            .ok()?;
        let mut text = without_comments(&text);
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

    fn is_valid(&self, text: &[u8]) -> bool {
        let binary = std::str::from_utf8(text).ok().and_then(|text| wat::parse_str(text).ok());
        let mut validator = Validator::new_with_features(WasmFeatures::all());
        binary.is_some_and(|binary| validator.validate_all(&binary).is_ok())
    }
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
        assert!(WAT.is_valid(text.as_bytes()));
        assert!(!WAT.is_valid(text.replace("local0", "local1").replacen('1', "0", 1).as_bytes()));
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
}
