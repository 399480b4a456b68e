#![no_main]

libfuzzer_sys::fuzz_target!(|text: &[u8]| minirepro_fuzz::parse_render_edit_in_any(text));
