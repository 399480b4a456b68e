//! The properties that are fuzzed every night hold for the seeds, and are compiled with all else.

use std::fs;
use std::path::Path;

#[path = "../../fuzz/src/lib.rs"]
mod properties;

use properties::{
    arguments, journal, manifest, parse_render_edit, parse_render_edit_in_any, signature,
};

#[test]
fn seeds_break_no_property() {
    let hold_for = |target: &str, property: fn(&[u8])| {
        let seeds = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/seeds").join(target);
        for seed in fs::read_dir(seeds).expect("the seeds are there") {
            property(&fs::read(seed.expect("it is listed").path()).expect("it is a file"));
        }
    };
    hold_for("arguments", arguments);
    hold_for("journal", journal);
    hold_for("signature", signature);
    manifest(b"[roles]\nname = [\"symbol\"]\n");
    parse_render_edit("json", b"[1, {\"a\": 2}");
    parse_render_edit_in_any(b"Iwhile x:\n  f(1)\n");
}
