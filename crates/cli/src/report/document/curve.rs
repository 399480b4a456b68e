//! The sizes on the way down, as a picture: tokens over tests, on a logarithmic scale.

use maud::{Markup, html};

use crate::report::numbers::count;

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 220.0;
const LEFT: f64 = 84.0;
const BOTTOM: f64 = 28.0;
const MARGIN: f64 = 12.0;

/// Draws the curve as SVG; colours come from the page's style sheet. Nothing is drawn for fewer
/// than two sizes.
pub fn svg(curve: &[(u64, u64)]) -> Option<Markup> {
    let (&(_, first), &(tests, last)) = (curve.first()?, curve.last()?);
    if curve.len() < 2 || tests == 0 {
        return None;
    }
    let log = |number: u64| (number.max(1) as f64).log10();
    let (top, floor) = (log(first.max(2)), (log(last) - 0.1).max(0.0));
    let x = |at: u64| LEFT + (WIDTH - LEFT - MARGIN) * at as f64 / tests as f64;
    let y = |tokens: u64| {
        let part = (log(tokens) - floor) / (top - floor).max(1e-9);
        MARGIN + (HEIGHT - BOTTOM - MARGIN) * (1.0 - part)
    };
    let steps = curve[1..].iter().map(|&(at, size)| format!("H{:.1}V{:.1}", x(at), y(size)));
    let line = format!("M{LEFT:.1} {:.1}{}", y(first), steps.collect::<String>());
    let area = format!("{line}V{:.1}H{LEFT}Z", HEIGHT - BOTTOM);
    let label = [first, last, tests].map(count);
    let label =
        format!("tokens over tests: from {} to {} in {} tests", label[0], label[1], label[2]);
    let short = |place: f64| format!("{place:.1}");
    Some(html! {
        svg viewBox=(format!("0 0 {WIDTH} {HEIGHT}")) role="img" aria-label=(label) {
            @for tokens in ticks(last.max(1), first) {
                line.grid x1=(LEFT) x2=(WIDTH - MARGIN) y1=(short(y(tokens))) y2=(short(y(tokens))) {}
                text x=(LEFT - 8.0) y=(short(y(tokens) + 4.0)) text-anchor="end" { (count(tokens)) }
            }
            text x=(LEFT) y=(HEIGHT - 8.0) text-anchor="start" { "0" }
            text x=(x(tests)) y=(HEIGHT - 8.0) text-anchor="end" { (count(tests)) " tests" }
            path.area d=(area) {}
            path.line d=(line) {}
            circle.end cx=(x(tests)) cy=(short(y(last))) r="3.5" {}
        }
    })
}

/// Returns round numbers between two sizes, at most six.
fn ticks(least: u64, most: u64) -> Vec<u64> {
    let fits = |tick: &u64| (least..=most).contains(tick);
    let tens: Vec<u64> = (0..19).map(|power| 10_u64.pow(power)).collect();
    let all: Vec<u64> =
        tens.iter().flat_map(|ten| [1, 2, 5].map(|digit| digit * ten)).filter(fits).collect();
    if all.len() <= 6 {
        return all;
    }
    let tens: Vec<u64> = tens.into_iter().filter(fits).collect();
    let every = tens.len().div_ceil(6).max(1);
    tens.into_iter().step_by(every).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_curve_goes_down_step_by_step() {
        let svg = svg(&[(0, 1000), (10, 100), (40, 10)]).unwrap().into_string();
        assert!(svg.contains("M84.0 12.0H240.0V"), "{svg}");
        assert!(svg.contains(">1,000</text>") && svg.contains("40 tests</text>"));
        assert!(super::svg(&[(0, 5)]).is_none());
    }

    #[test]
    fn ticks_are_round_and_few() {
        assert_eq!(ticks(3, 60), [5, 10, 20, 50]);
        assert_eq!(ticks(1, 100_000), [1, 10, 100, 1000, 10_000, 100_000]);
        assert!(ticks(1, 10_u64.pow(12)).len() <= 7);
    }
}
