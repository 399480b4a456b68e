//! Every pass by examples: `passes/<pass>.txt` says what a single edit gives, and what it never
//! may.

use std::path::Path;

use minirepro_passes::{EXAMPLES, own};
use minirepro_testkit::{Example, check};

fn check_all(pass: &str) {
    let (_, text) = EXAMPLES.iter().find(|(name, _)| *name == pass).expect("it has examples");
    for example in Example::read_all(text) {
        check(pass, &example.language(), &example);
    }
}

/// Returns the pass of a test: `-` is not a part of a Rust name.
fn hyphened(name: &str) -> String {
    name.replace('_', "-")
}

macro_rules! passes {
    ($($name:ident)*) => {
        const CHECKED: &[&str] = &[$(stringify!($name)),*];
        $(#[test] fn $name() { check_all(&hyphened(stringify!($name))); })*
    };
}

passes! {
    name_numbers remove_files inline_files drop_result remove_assertions keep_demanded remove_specifiers flat kinds unwrap unwrap_chain overwrite overwrite_late overwrite_bytes largest_lists hollow lists remove_symbol remove_linked delete_and_hoist normalize replace_typedef replace_member_type join_declaration_and_definition expand_macro inline_struct reduce_numbers remove_import remove_member aggregate_to_scalar remove_parameter remove_column remove_counted keep_width fill_room remove_unused replace_derived_class simplify_nested_class remove_namespace instantiate_template_param return_void return_void_early reduce_pointer_level cast_to_declaration inline combine_declarations tag_soup remove_tokens reorder_end_tags imply_end_tags lambda_to_function split_leaves join_sizes merge_names rewrite local_to_global global_to_param copy_propagation name_to_constant rewrite_early inline_style instantiate_class inline_pump rewrite_pump remove_value invoke_to_call merge_blocks value_to_parameter return_value remove_unmentioned end_lines self_close
}

#[test]
fn every_pass_has_examples_and_no_example_is_left_over() {
    let mut names: Vec<&str> = own().map(|pass| pass.name).collect();
    names.extend(minirepro_languages::rule_passes().iter().map(|pass| pass.name));
    names.sort_unstable();
    let mut checked: Vec<String> = CHECKED.iter().map(|name| hyphened(name)).collect();
    checked.sort_unstable();
    assert_eq!(checked, names);
    let mut files: Vec<String> =
        std::fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/passes"))
            .unwrap()
            .map(|entry| entry.unwrap().path().file_stem().unwrap().to_str().unwrap().to_owned())
            .collect();
    files.sort_unstable();
    assert_eq!(files, names);
    let shown: Vec<&str> = EXAMPLES.iter().map(|(name, _)| *name).collect();
    assert_eq!(shown, names);
}
