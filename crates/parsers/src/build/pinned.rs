//! Finds the sources of the packages whose grammars are extended. What a build script knows of its
//! dependencies does not say where they are, and its own manifest need not resolve where it is part
//! of a package. A manifest that names nothing but the pinned package does: cargo resolves it as
//! the crate itself was, by mirrors and by vendored sources, and without a network.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use serde_json::Value;

/// The packages and their versions, those of the workspace's manifest.
const PINNED: [(&str, &str); 2] = [("tree-sitter-c", "0.24.2"), ("tree-sitter-cpp", "0.23.4")];

/// Returns the directory of a package.
///
/// # Panics
/// If it is not found.
pub(super) fn directory(package: &str) -> PathBuf {
    let variable = format!("MINIREPRO_{}", package.to_uppercase().replace('-', "_"));
    println!("cargo:rerun-if-env-changed={variable}");
    match env::var_os(&variable) {
        Some(directory) => directory.into(),
        None => found(package).unwrap_or_else(|why| {
            panic!(
                "the sources of {package} are not found: {why}\n\
                 Say with {variable} which directory holds its `src/grammar.json`."
            )
        }),
    }
}

fn found(package: &str) -> Result<PathBuf, String> {
    let (_, version) =
        PINNED.iter().find(|(name, _)| *name == package).ok_or("it is not pinned")?;
    let variable = |name: &str| env::var_os(name).ok_or(format!("{name} is not set"));
    let place = PathBuf::from(variable("OUT_DIR")?).join(package);
    let manifest = place.join("Cargo.toml");
    let text = format!(
        "[package]\nname = \"pinned\"\nversion = \"0.0.0\"\nedition = \"2021\"\n\
         [lib]\npath = \"Cargo.toml\"\n[workspace]\n\
         [dependencies]\n{package} = \"={version}\"\n"
    );
    fs::create_dir_all(&place)
        .and_then(|()| fs::write(&manifest, text))
        .map_err(|error| format!("{}: {error}", manifest.display()))?;
    // Cargo reads its configuration from the working directory up.
    let output = Command::new(variable("CARGO")?)
        .args(["metadata", "--offline", "--format-version", "1", "--manifest-path"])
        .arg(&manifest)
        .current_dir(variable("CARGO_MANIFEST_DIR")?)
        .output()
        .map_err(|error| format!("cargo metadata: {error}"))?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    let metadata: Value = serde_json::from_slice(&output.stdout).map_err(|e| e.to_string())?;
    let mut packages = metadata["packages"].as_array().into_iter().flatten();
    let found = packages.find(|known| known["name"] == package);
    let manifest = found.and_then(|found| found["manifest_path"].as_str());
    Ok(Path::new(manifest.ok_or("cargo metadata does not list it")?).with_file_name(""))
}
