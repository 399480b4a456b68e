//! The sizes on the way down, as a picture: tokens over tests, on a logarithmic scale.

use std::fmt::Write;

use crate::report::numbers::count;

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 220.0;
const LEFT: f64 = 84.0;
const BOTTOM: f64 = 28.0;
const MARGIN: f64 = 12.0;

/// Draws the curve as SVG; colours come from the page's style sheet. Nothing is drawn for fewer
/// than two sizes.
pub fn svg(curve: &[(u64, u64)]) -> String {
    let (Some(&(_, first)), Some(&(tests, last))) = (curve.first(), curve.last()) else {
        return String::new();
    };
    if curve.len() < 2 || tests == 0 {
        return String::new();
    }
    let top = log(first.max(2));
    let floor = (log(last.max(1)) - 0.1).max(0.0);
    let x = |at: u64| LEFT + (WIDTH - LEFT - MARGIN) * at as f64 / tests as f64;
    let y = |tokens: u64| {
        let part = (log(tokens.max(1)) - floor) / (top - floor).max(1e-9);
        MARGIN + (HEIGHT - BOTTOM - MARGIN) * (1.0 - part)
    };
    let mut path = format!("M{:.1} {:.1}", x(0), y(first));
    for &(at, tokens) in &curve[1..] {
        write!(path, "H{:.1}V{:.1}", x(at), y(tokens)).expect("strings take anything");
    }
    let mut svg = format!(
        "<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"tokens over tests: from {} to \
         {} in {} tests\">",
        count(first),
        count(last),
        count(tests)
    );
    for tokens in ticks(last.max(1), first) {
        let at = y(tokens);
        write!(
            svg,
            "<line class=\"grid\" x1=\"{LEFT}\" x2=\"{:.1}\" y1=\"{at:.1}\" y2=\"{at:.1}\"/><text \
             x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
            WIDTH - MARGIN,
            LEFT - 8.0,
            at + 4.0,
            count(tokens)
        )
        .expect("strings take anything");
    }
    for (at, anchor, unit) in [(0, "start", ""), (tests, "end", " tests")] {
        let (x, y, at) = (x(at), HEIGHT - 8.0, count(at));
        write!(svg, "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{at}{unit}</text>")
            .expect("strings take anything");
    }
    let floor_line = HEIGHT - BOTTOM;
    write!(
        svg,
        "<path class=\"area\" d=\"{path}H{:.1}V{floor_line:.1}H{LEFT}Z\"/><path class=\"line\" \
         d=\"{path}H{:.1}\"/><circle class=\"end\" cx=\"{:.1}\" cy=\"{:.1}\" r=\"3.5\"/></svg>",
        x(tests),
        x(tests),
        x(tests),
        y(last)
    )
    .expect("strings take anything");
    svg
}

fn log(number: u64) -> f64 {
    (number as f64).log10()
}

/// Returns round numbers between two sizes, at most six.
fn ticks(least: u64, most: u64) -> Vec<u64> {
    let powers = (0..19).map(|power| 10_u64.pow(power));
    let all: Vec<u64> = powers
        .flat_map(|power| [1, 2, 5].map(|digit| digit * power))
        .filter(|&tick| least <= tick && tick <= most)
        .collect();
    match all.len() {
        0..=6 => all,
        _ => {
            let tens: Vec<u64> =
                all.iter().copied().filter(|tick| tick.to_string().starts_with('1')).collect();
            let every = tens.len().div_ceil(6).max(1);
            tens.into_iter().step_by(every).collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_curve_goes_down_step_by_step() {
        let svg = svg(&[(0, 1000), (10, 100), (40, 10)]);
        assert!(svg.contains("M84.0 12.0H240.0V"), "{svg}");
        assert!(svg.contains(">1,000</text>") && svg.contains("40 tests</text>"));
        assert_eq!(super::svg(&[(0, 5)]), "");
    }

    #[test]
    fn ticks_are_round_and_few() {
        assert_eq!(ticks(3, 60), [5, 10, 20, 50]);
        assert_eq!(ticks(1, 100_000), [1, 10, 100, 1000, 10_000, 100_000]);
        assert!(ticks(1, 10_u64.pow(12)).len() <= 7);
    }
}
