//! The examples of all passes, for tests and for users to read: what one edit gives, and what none
//! may. A test compares this list with the passes.

/// Declares the files in `examples/`.
macro_rules! examples {
    ($($name:literal)*) => {
        &[$(($name, include_str!(concat!("../examples/", $name, ".txt")))),*]
    };
}

/// The name of each pass, and its examples.
pub const EXAMPLES: &[(&str, &str)] = examples! {
    "aggregate-to-scalar" "cast-to-declaration" "combine-declarations" "copy-propagation"
    "delete-and-hoist" "drop-result" "end-lines" "expand-macro" "fill-room" "flat" "global-to-param" "hollow"
    "imply-end-tags" "inline" "inline-files" "inline-pump" "inline-struct" "inline-style"
    "instantiate-class" "instantiate-template-param" "invoke-to-call"
    "join-declaration-and-definition" "join-sizes" "keep-demanded" "keep-width" "kinds"
    "lambda-to-function" "largest-lists" "lists" "local-to-global" "merge-blocks"
    "merge-names" "name-numbers" "name-to-constant" "normalize" "overwrite" "overwrite-bytes"
    "overwrite-late" "reduce-numbers" "reduce-pointer-level" "remove-assertions" "remove-column"
    "remove-counted" "remove-files" "remove-import" "remove-linked" "remove-member"
    "remove-namespace" "remove-parameter" "remove-specifiers" "remove-symbol" "remove-tokens"
    "remove-unmentioned" "remove-unused" "remove-value" "reorder-end-tags"
    "replace-derived-class" "replace-member-type" "replace-typedef" "return-value" "return-void" "return-void-early"
    "rewrite" "rewrite-early" "rewrite-pump" "self-close" "simplify-nested-class" "split-leaves" "tag-soup"
    "unwrap" "unwrap-chain" "value-to-parameter"
};
