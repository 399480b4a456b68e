//! Tests of whole reductions without processes, of the map and of the corpus.
//! One program, because each program with all parsers inside takes 100 MB and seconds of linking.

mod binary;
mod blanks;
mod broken;
mod changes;
mod corpus;
mod declaration_graph;
mod demanded;
mod directories;
mod edits;
mod events;
mod fuzzed;
mod growth;
mod interface;
mod interruption;
mod isolation;
mod map;
mod markup;
mod named_files;
mod numbers;
mod options;
mod passes;
mod proposers;
mod random_oracles;
mod reach;
mod rules;
mod scale;
mod scope;
mod split_leaves;
mod words;
