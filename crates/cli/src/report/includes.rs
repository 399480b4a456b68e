//! What a text in C or C++ includes: nothing of that is reduced with it.

use minirepro_program::compilers::includes;

use super::shell::quote_all;

/// Says that what a result includes was not reduced, if it includes anything; `compiler` could
/// print it.
pub fn not_reduced(result: &[u8], compiler: Option<&str>) -> String {
    let Some(includes) = includes(result) else { return String::new() };
    let mut told = String::new();
    if includes.trim_ascii().len() == result.trim_ascii().len() {
        told.push_str("  nothing but #include is left: the failure lies in what that brings\n");
    }
    let compiler = compiler.unwrap_or("cc");
    let command = quote_all(&[&*format!("{compiler} -E -P @@")]);
    told.push_str(&format!(
        "  what it includes was not reduced: --preprocess {command} would reduce that, too\n"
    ));
    told.push_str("    (with the options that the test gives it; -E follows -cc1)\n");
    told
}
