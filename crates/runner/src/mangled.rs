//! The names of functions as linkers know them.

use cpp_demangle::{DemangleOptions, Symbol};

/// Returns the qualified name that a mangled one of C++ or Rust stands for, with the arguments of
/// templates, without parameters; `None` for other names. Linear in the result, which may be
/// much longer.
pub(crate) fn demangled(name: &str) -> Option<String> {
    if let Ok(name) = rustc_demangle::try_demangle(name) {
        return Some(format!("{name:#}"));
    }
    if !name.trim_start_matches('_').starts_with('Z') {
        return None;
    }
    let options = DemangleOptions::new().no_params().no_return_type();
    Symbol::new(name).ok()?.demangle_with_options(&options).ok()
}

/// Returns a qualified name without the arguments of templates.
pub(crate) fn without_arguments(name: &str) -> String {
    let mut kept = String::new();
    let mut depth = 0;
    for character in name.chars() {
        // The sign of an operator is a part of its name.
        let is_sign = depth == 0 && kept.ends_with("operator")
            || kept.ends_with("operator<")
            || kept.ends_with("operator-");
        match character {
            '<' if !is_sign => depth += 1,
            '>' if !is_sign && depth > 0 => depth -= 1,
            _ if depth == 0 => kept.push(character),
            _ => {}
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mangled_names_are_read() {
        for (mangled, whole, bare) in [
            ("_ZN3foo6detail3barEv", "foo::detail::bar", "foo::detail::bar"),
            ("_ZN1a7json_v21bIiE1cEi", "a::json_v2::b<int>::c", "a::json_v2::b::c"),
            ("_ZNK1aIiEltEi", "a<int>::operator<", "a::operator<"),
            ("_ZNK1aptEv", "a::operator->", "a::operator->"),
            ("_ZlsIiEvRSoT_", "operator<< <int>", "operator<< "),
            ("_Z1fB5cxx11v", "f[abi:cxx11]", "f[abi:cxx11]"),
            ("_ZN4core3fmt5write17h0123456789abcdefE", "core::fmt::write", "core::fmt::write"),
            ("_RNvC6_123foo3bar", "123foo::bar", "123foo::bar"),
        ] {
            let found = demangled(mangled).unwrap_or_default();
            assert_eq!((&*found, &*without_arguments(&found)), (whole, bare));
        }
        for other in ["main", "_start", "Z1f", "_Zebra!", ""] {
            assert_eq!(demangled(other), None);
        }
    }
}
