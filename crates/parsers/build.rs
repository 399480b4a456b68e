//! Makes the parsers of the features that are asked for.

#[cfg(feature = "generate")]
#[path = "src/build/mod.rs"]
mod build;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=src");
    #[cfg(feature = "generate")]
    build::parsers();
}
