//! Draws tokens over tests of every case.

use std::path::Path;

use anyhow::{Result, anyhow};
use plotters::prelude::*;

use super::record::Record;
use super::tables::Kind;

/// Writes `c.svg`, `html.svg` and `cpp.svg`.
pub(crate) fn draw(records: &[Record], directory: &Path) -> Result<()> {
    for (file, kind) in [("c.svg", Kind::C), ("html.svg", Kind::Html), ("cpp.svg", Kind::Cpp)] {
        let runs: Vec<&Record> = records
            .iter()
            .filter(|r| r.algorithm.as_deref() == Some("default") && Kind::of(&r.case) == kind)
            .collect();
        if !runs.is_empty() {
            picture(&runs, &directory.join(file)).map_err(|error| anyhow!("{file}: {error}"))?;
        }
    }
    Ok(())
}

/// Free space on the right, for the names, as a factor.
const ROOM: f64 = 12.0;

/// Draws the curves. Both axes are logarithmic; every reduction is a step down.
fn picture(runs: &[&Record], path: &Path) -> Result<(), Box<dyn std::error::Error>> {
    let tests = runs.iter().map(|r| r.tests).max().unwrap_or(1).max(10) as f64;
    let tokens = runs.iter().map(|r| r.in_tokens).max().unwrap_or(1).max(10) as f64;
    let area = SVGBackend::new(path, (960, 560)).into_drawing_area();
    area.fill(&WHITE)?;
    let mut chart = ChartBuilder::on(&area)
        .margin(12)
        .x_label_area_size(44)
        .y_label_area_size(64)
        .build_cartesian_2d((1.0..tests * ROOM).log_scale(), (1.0..tokens).log_scale())?;
    let number = |x: &f64| format!("{x:.0}");
    chart
        .configure_mesh()
        .x_desc("tests")
        .y_desc("tokens left")
        .light_line_style(WHITE)
        .x_label_formatter(&number)
        .y_label_formatter(&number)
        .draw()?;
    for (number, run) in runs.iter().enumerate() {
        let color = Palette99::pick(number).mix(1.0);
        let line = chart.draw_series(LineSeries::new(steps(run), color.stroke_width(2)))?;
        line.label(&run.case)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 16, y)], color.stroke_width(2)));
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::UpperRight)
        .background_style(WHITE)
        .border_style(BLACK.mix(0.2))
        .draw()?;
    area.present()?;
    Ok(())
}

fn steps(run: &Record) -> Vec<(f64, f64)> {
    let mut tokens = run.in_tokens as f64;
    let mut points = vec![(1.0, tokens)];
    for &[tests, left] in &run.curve {
        points.push((tests.max(1) as f64, tokens));
        tokens = left.max(1) as f64;
        points.push((tests.max(1) as f64, tokens));
    }
    points.push((run.tests.max(1) as f64, tokens));
    points
}
