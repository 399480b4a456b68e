//! Languages that minirepro knows, but this build does not have: so that nobody wonders why a file is read as text.

use crate::registry::{Info, info};

/// A language that is compiled only on demand.
struct Optional {
    is_there: bool,
    manifest: &'static str,
}

macro_rules! optional {
    ($directory:literal, $feature:literal) => {
        Optional {
            is_there: cfg!(feature = $feature),
            manifest: include_str!(concat!("../grammars/", $directory, "/language.toml")),
        }
    };
}

/// Those that are not among the `common` ones.
const OPTIONAL: &[Optional] = &[
    optional!("csharp", "c-sharp"),
    optional!("dart", "dart"),
    optional!("dockerfile", "containerfile"),
    optional!("elixir", "elixir"),
    optional!("erlang", "erlang"),
    optional!("fortran", "fortran"),
    optional!("graphql", "graphql"),
    optional!("julia", "julia"),
    optional!("kotlin", "kotlin-ng"),
    optional!("make", "make"),
    optional!("markdown", "md"),
    optional!("nix", "nix"),
    optional!("objc", "objc"),
    optional!("ocaml", "ocaml"),
    optional!("php", "php"),
    optional!("protobuf", "proto"),
    optional!("r", "r"),
    optional!("scala", "scala"),
    optional!("swift", "swift"),
    optional!("zig", "zig"),
];

/// Returns the language of a file of this name, if minirepro knows it and this build does not have it.
pub fn absent(file_name: &str) -> Option<String> {
    of_name(file_name, |optional| !optional.is_there)
}

fn of_name(file_name: &str, counts: impl Fn(&Optional) -> bool) -> Option<String> {
    let infos = OPTIONAL.iter().filter(|optional| counts(optional)).map(|o| info(o.manifest));
    let mut of_file = infos.filter(|info: &Info| info.is_of(file_name));
    of_file.next().map(|info| info.name)
}

#[cfg(test)]
mod tests {
    use super::{OPTIONAL, of_name};

    #[test]
    fn every_language_that_is_compiled_on_demand_is_listed() {
        let manifest: toml::Table =
            toml::from_str(include_str!("../Cargo.toml")).expect("a manifest");
        let all = manifest["features"]["all-languages"].as_array().expect("a list");
        assert_eq!(
            OPTIONAL.len(),
            all.iter().filter(|name| name.as_str() != Some("common")).count()
        );
    }

    #[test]
    fn the_name_of_a_file_tells_the_language_that_is_not_there() {
        let all = |name| of_name(name, |_| true);
        assert_eq!(all("a.ml").as_deref(), Some("ocaml"));
        assert_eq!(all("A.b.cs").as_deref(), Some("csharp"));
        assert_eq!(all("Dockerfile").as_deref(), Some("dockerfile"));
        assert_eq!(all("ml"), None);
        assert_eq!(all("a.rs"), None);
        assert_eq!(of_name("a.ml", |_| false), None);
    }
}
