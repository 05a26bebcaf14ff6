//! Bar charts as SVG.

use std::error::Error;

use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use crate::library::on_one_line;

/// Width of every chart in pixels.
const WIDTH: u32 = 720;
/// Height of a chart of columns.
const HEIGHT: u32 = 240;
/// Height of a row.
const ROW: u32 = 22;
/// Place of the bars in a chart of rows, and their greatest length.
const BARS: i32 = 260;
const LONGEST: f64 = 380.0;
/// Characters of a row's label that are shown.
const LABEL: usize = 36;
const COLOR: RGBColor = RGBColor(0x3b, 0x6e, 0xa5);
const FONT: (&str, u32) = ("sans-serif", 13);

/// A chart with a column for each number from `first` on, in steps of `step`.
pub(super) fn columns(columns: &[(i64, u64)], step: i64) -> String {
    drawn(HEIGHT, |area| {
        let (Some((first, _)), Some((last, _))) = (columns.first(), columns.last()) else {
            return Ok(());
        };
        let most = columns.iter().map(|&(_, count)| count).max().unwrap_or(1);
        let mut chart = ChartBuilder::on(area)
            .margin(8)
            .margin_right(24)
            .x_label_area_size(26)
            .y_label_area_size(64)
            .build_cartesian_2d(*first as f64..(last + step) as f64, 0f64..most as f64)?;
        chart
            .configure_mesh()
            .disable_x_mesh()
            .x_labels(12)
            .y_labels(5)
            .x_label_formatter(&|x| format!("{x:.0}"))
            .y_label_formatter(&|y| format!("{y:.0}"))
            .label_style(FONT)
            .axis_style(BLACK.mix(0.4))
            .bold_line_style(BLACK.mix(0.15))
            .light_line_style(TRANSPARENT)
            .draw()?;
        let gap = step as f64 * 0.08;
        chart.draw_series(columns.iter().map(|&(start, count)| {
            let left = start as f64 + gap;
            let right = (start + step) as f64 - gap;
            Rectangle::new([(left, 0.0), (right, count as f64)], COLOR.filled())
        }))?;
        Ok(())
    })
}

/// A chart with a labelled row for each text.
pub(super) fn rows(rows: &[(&str, u64)]) -> String {
    let most = rows.iter().map(|&(_, count)| count).max().unwrap_or(1).max(1);
    drawn(ROW * rows.len() as u32 + 4, |area| {
        for (&(text, count), n) in rows.iter().zip(0..) {
            let top = n * ROW as i32 + 4;
            let middle = top + ROW as i32 / 2 - 2;
            let style = |pos| FONT.into_text_style(area).pos(pos);
            let (left, right) = (
                Pos::new(HPos::Left, VPos::Center),
                Pos::new(HPos::Right, VPos::Center),
            );
            area.draw(&Text::new(label(text), (BARS - 8, middle), style(right)))?;
            let end = BARS + (count as f64 / most as f64 * LONGEST).ceil() as i32;
            let bar = [(BARS, top), (end, top + ROW as i32 - 4)];
            area.draw(&Rectangle::new(bar, COLOR.filled()))?;
            area.draw(&Text::new(count.to_string(), (end + 6, middle), style(left)))?;
        }
        Ok(())
    })
}

/// The beginning of a text that fits in front of a bar, on one line.
fn label(text: &str) -> String {
    let text = &*on_one_line(text);
    match text.char_indices().nth(LABEL) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or(text)),
        None => text.to_owned(),
    }
}

type Area<'a> = DrawingArea<SVGBackend<'a>, plotters::coord::Shift>;

/// An SVG element for a page of HTML, which needs no name space.
fn drawn(height: u32, draw: impl FnOnce(&Area<'_>) -> Result<(), Box<dyn Error>>) -> String {
    let mut svg = String::new();
    let area = SVGBackend::with_string(&mut svg, (WIDTH, height)).into_drawing_area();
    let done = draw(&area).and_then(|()| Ok(area.present()?));
    drop(area);
    if let Err(error) = done {
        // Writing to memory cannot fail.
        log::error!("a chart cannot be drawn: {error}");
    }
    svg.replace(" xmlns=\"http://www.w3.org/2000/svg\"", "")
}
