//! What a question costs in allocations where the test is a closure.

use std::sync::Mutex;

use minirepro::Reduction;

#[global_allocator]
static ALLOCATOR: dhat::Alloc = dhat::Alloc;

/// A candidate consists of its configuration, its edits, its text, where the parts of the text come
/// from, and the pointer by which all of them are shared; one more block is needed to make it.
const CANDIDATE: u64 = 6;

#[test]
fn most_questions_about_text_allocate_nothing_beside_the_candidate() {
    let _profiler = dhat::Profiler::builder().testing().build();
    let input: String = (0..100).map(|i| format!("line {i} has word{i} and more {i}\n")).collect();
    let needed = ["word7 ", "word19", "word33", "word50", "word61", "word66", "word70"];
    let blocks = Mutex::new(Vec::with_capacity(1 << 12));
    Reduction::new(input.as_str())
        .language("text")
        .run(|candidate: &[u8]| {
            let fails = std::str::from_utf8(candidate)
                .is_ok_and(|text| needed.iter().all(|word| text.contains(word)));
            blocks.lock().unwrap().push(dhat::HeapStats::get().total_blocks);
            fails
        })
        .unwrap();
    let blocks = blocks.into_inner().unwrap();
    let mut between: Vec<u64> = blocks.windows(2).map(|pair| pair[1] - pair[0]).collect();
    between.sort_unstable();
    // What is accepted is read anew, and the tables of answers grow now and then.
    assert_eq!(between[between.len() / 3], CANDIDATE, "{between:?}");
}
