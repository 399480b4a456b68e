//! Values that are shrunk by the bytes that they are made of.

use minirepro::{Error, Reduction};
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
enum Shape {
    Circle { radius: f64 },
    Polygon(Vec<(i32, i32)>),
    Named { name: String, shape: Box<Shape> },
}

fn shapes() -> Vec<Shape> {
    (0..30)
        .map(|number| match number % 3 {
            0 => Shape::Circle { radius: f64::from(number) },
            1 => Shape::Polygon((0..number).map(|at| (at, -at)).collect()),
            _ => Shape::Named {
                name: format!("shape {number}"),
                shape: Box::new(Shape::Circle { radius: 1.5 }),
            },
        })
        .collect()
}

#[test]
fn a_value_of_a_type_of_serde_is_shrunk_to_a_value_of_the_type() {
    let has_triangle =
        |shapes: &Vec<Shape>| shapes.iter().any(|s| matches!(s, Shape::Polygon(p) if p.len() > 2));
    let reduced = Reduction::of(&shapes()).unwrap().run(has_triangle).unwrap();
    assert_eq!(reduced.value, [Shape::Polygon(vec![(0, 0); 3])]);
    let source = reduced.as_rust();
    let text = source.split_once("r#\"").and_then(|(_, rest)| rest.split_once("\"#")).unwrap().0;
    assert_eq!(serde_json::from_str::<Vec<Shape>>(text).unwrap(), reduced.value);
    assert!(source.starts_with("serde_json::from_str::<alloc::vec::Vec<"), "{source}");
}

#[test]
fn what_cannot_be_written_as_json_is_an_error() {
    let map = std::collections::BTreeMap::from([((1, 2), 3)]);
    assert!(matches!(Reduction::of(&map), Err(Error::Json(_))));
    let error = Reduction::of(&f64::NAN).err().expect("no number");
    assert!(error.to_string().contains("written and read back"), "{error}");
}

#[derive(Debug, PartialEq, arbitrary::Arbitrary)]
enum Call {
    Push(u8),
    Pop,
    Clear,
}

/// A number below 7.
#[derive(Debug)]
struct Small;

impl arbitrary::Arbitrary<'_> for Small {
    fn arbitrary(bytes: &mut arbitrary::Unstructured<'_>) -> arbitrary::Result<Self> {
        let is_small = u8::arbitrary(bytes)? < 7;
        is_small.then_some(Self).ok_or(arbitrary::Error::IncorrectFormat)
    }
}

#[test]
fn a_value_that_is_made_of_bytes_is_shrunk_with_them() {
    // Odd bytes, as the list goes on after each of them.
    let random = |at: u32| (at.wrapping_mul(2_654_435_761) >> 13) as u8;
    let bytes: Vec<u8> = (0..400).map(|at| random(at) | 1).collect();
    let pops_twice = |calls: &Vec<Call>| {
        let pops = calls.iter().filter(|call| **call == Call::Pop).count();
        assert!(pops < 2 || !calls.contains(&Call::Clear), "popped twice, then cleared");
    };
    let reduced =
        Reduction::of_arbitrary::<Vec<Call>>(&bytes).unwrap().panics().run(pops_twice).unwrap();
    assert!(reduced.value.len() <= 4, "{:?}", reduced.value);
    assert!(reduced.as_rust().contains("arbitrary::Unstructured::new(b"));
    assert!(matches!(Reduction::of_arbitrary::<Small>(&[9]), Err(Error::Arbitrary(_))));
}
