//! Binary files of records against readers that check lengths and checksums.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::io::Cursor;
use std::sync::Arc;

use minirepro_engine::Outcome;
use minirepro_testkit::{Told, plan, reduce};

fn reduced(language: &str, input: &[u8], oracle: &dyn Fn(&[u8]) -> Outcome) -> Told {
    let language = minirepro_languages::by_name(language).unwrap();
    let told = reduce(plan(Arc::new(language), input), oracle);
    assert_eq!(oracle(&told.result), Outcome::Fail);
    told
}

/// Returns a picture of noise with a long comment.
fn picture() -> Vec<u8> {
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, 40, 30);
    encoder.set_color(png::ColorType::Rgb);
    encoder.add_text_chunk("Title".into(), "Noise".into()).unwrap();
    encoder.add_text_chunk("Comment".into(), "round and round ".repeat(20)).unwrap();
    encoder.add_text_chunk("Author".into(), "nobody".into()).unwrap();
    let mut writer = encoder.write_header().unwrap();
    let noise = |i: u32| u8::try_from(i.wrapping_mul(2_654_435_761) >> 24).unwrap();
    writer.write_image_data(&(0..40 * 30 * 3).map(noise).collect::<Vec<_>>()).unwrap();
    writer.finish().unwrap();
    file
}

/// Stands for a program that uses the `png` crate and cannot take a long comment. What the crate
/// does not read is unresolved.
fn long_comment(file: &[u8]) -> Outcome {
    let mut decoder = png::Decoder::new(Cursor::new(file));
    decoder.set_ignore_text_chunk(false);
    let Ok(reader) = decoder.read_info() else { return Outcome::Unresolved };
    let texts = &reader.info().uncompressed_latin1_text;
    let long = texts.iter().any(|t| t.keyword == "Comment" && t.text.len() > 60);
    if long { Outcome::Fail } else { Outcome::Pass }
}

#[test]
fn a_png_is_reduced_chunk_by_chunk_with_its_lengths_and_checksums() {
    let input = picture();
    assert_eq!(long_comment(&input), Outcome::Fail);
    let found = minirepro_languages::guess_records(&input);
    assert_eq!(found.as_deref(), Some("records:png"));
    let told = reduced("records:png", &input, &long_comment);
    // The signature, IHDR, 61 characters of comment after its keyword, and the head of an empty
    // IDAT.
    let least = 8 + (12 + 13) + (12 + 8 + 61) + 12;
    assert!(told.result.len() <= least, "{} {}", told.result.len(), told.summary.tests);
    assert!(told.summary.tests < 450, "{}", told.summary.tests);
    // Without knowing the records, much stays.
    let bytes = reduced("bytes", &input[..], &long_comment);
    assert!(bytes.result.len() > 2 * least, "{}", bytes.result.len());
}

/// Returns a container of containers of values: type, length in two bytes, value.
fn container() -> Vec<u8> {
    let record = |kind: u8, data: &[u8]| -> Vec<u8> {
        [&[kind][..], &u16::try_from(data.len()).unwrap().to_be_bytes(), data].concat()
    };
    let leaf = |n: u8| record(1, &[n; 20]);
    let group = |first: u8| record(2, &(first..first + 10).flat_map(leaf).collect::<Vec<_>>());
    (0..5).flat_map(|n| group(10 * n)).collect()
}

/// Returns all values, read strictly; `None` when a length is wrong.
fn values(mut rest: &[u8]) -> Option<Vec<Vec<u8>>> {
    let mut found = Vec::new();
    while let [kind, high, low, tail @ ..] = rest {
        let (data, tail) = tail.split_at_checked(usize::from(u16::from_be_bytes([*high, *low])))?;
        match kind {
            1 => found.push(data.to_vec()),
            _ => found.extend(values(data)?),
        }
        rest = tail;
    }
    rest.is_empty().then_some(found)
}

#[test]
fn lengths_around_a_record_follow_when_it_goes() {
    let oracle = |file: &[u8]| match values(file) {
        None => Outcome::Unresolved,
        Some(all) => {
            let holds = |n: u8| all.iter().any(|value| value.contains(&n));
            if holds(13) && holds(37) { Outcome::Fail } else { Outcome::Pass }
        }
    };
    let told = reduced("records:bytes:1 length:u16be data:record", &container(), &oracle);
    assert_eq!(told.result, [1, 0, 1, 13, 1, 0, 1, 37], "{}", told.summary.tests);
    assert!(told.summary.tests < 70, "{}", told.summary.tests);
}

#[test]
fn the_data_of_records_that_must_stay_goes_at_once() {
    let noise = |n: u8| (0..20).map(move |i: u8| n.wrapping_mul(37).wrapping_add(11 * i + 1));
    let record = |n: u8| [n, 0, 20].into_iter().chain(noise(n));
    let input: Vec<u8> = (1..=60).flat_map(record).collect();
    // A reader that wants all sixty, and something in one of them.
    let oracle = |file: &[u8]| match values_by_kind(file) {
        Some(all) if all.len() == 60 && !all[22].is_empty() => Outcome::Fail,
        _ => Outcome::Pass,
    };
    let told = reduced("records:tlv-1-2be", &input, &oracle);
    assert_eq!(told.result.len(), 60 * 3 + 1);
    assert!(told.summary.tests < 150, "{}", told.summary.tests);
}

/// Returns the data of all records, whatever their kinds are, read strictly.
fn values_by_kind(mut rest: &[u8]) -> Option<Vec<Vec<u8>>> {
    let mut found = Vec::new();
    while let [_, high, low, tail @ ..] = rest {
        let (data, tail) = tail.split_at_checked(usize::from(u16::from_be_bytes([*high, *low])))?;
        found.push(data.to_vec());
        rest = tail;
    }
    rest.is_empty().then_some(found)
}
