//! One of everything.
#![allow(dead_code)]
use std::{collections::HashMap, fmt::{self, Display}};
pub mod inner { pub(crate) const ONE: u8 = 1; pub static NAME: &str = "n"; }
#[derive(Clone, Debug)]
pub struct Pair<'a, T: Display + 'a, const N: usize> where T: Clone { first: &'a T, rest: [u8; N] }
struct Unit;
struct Tuple(pub u8, i64);
enum Choice { None, Some(u8), Named { value: f64 } }
union Bits { word: u32, real: f32 }
type Map = HashMap<String, Vec<u8>>;
trait Shape: Send { const SIDES: u32; type Item; fn area(&self) -> f64; fn name(&self) -> String { String::from("shape") } }
impl<'a, T: Display + Clone, const N: usize> fmt::Display for Pair<'a, T, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result { write!(f, "{}", self.first) }
}
macro_rules! twice { ($e:expr) => { $e + $e }; }
extern "C" { fn abs(x: i32) -> i32; }
unsafe fn raw(p: *const u8) -> u8 { *p }
async fn wait<F>(future: F) -> u8 where F: std::future::Future<Output = u8> { future.await }
fn all(mut n: u32, list: &[u8]) -> Option<u32> {
    let Choice::Some(x) = Choice::Some(1) else { return None };
    let (a, ref b) = (n as i64, 'c');
    let closure = |y: u32| -> u32 { y + 1 };
    if let Some(first) = list.first() && n > 2 { n += u32::from(*first); } else if n == 0 { n -= 1 } else { }
    'outer: loop { while n < 10 { n <<= 1; if n == 4 { continue 'outer; } break 'outer; } }
    for i in 0..=n { let _ = &list[i as usize..]; }
    let text = match n { 0 | 1 => "small", 2..=9 if a > 0 => "some", _ => r#"raw "x""#, };
    let made = Pair { first: &text, rest: [0; 3] };
    let _ = made.clone().rest.iter().map(|v| v * 2).collect::<Vec<_>>();
    let value: Option<u8> = Some(1.5e3 as u8); let _ = value?;
    twice!(n); unsafe { raw(std::ptr::null()); }
    Some(closure(-(n as i32) as u32) ^ !0 & 0xff_u32)
}
