//! Bar charts as SVG.

use std::error::Error;

use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::page::{Bar, escaped};
use chessdb_library::library::on_one_line;

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

/// A chart with a column for each number from the first on, in steps of `step`. `link` says where a column leads to.
pub(super) fn columns(columns: &[(i64, u64)], step: i64, link: impl Fn(i64) -> Option<String>) -> String {
    drawn(HEIGHT, |area| {
        let (Some((first, _)), Some((last, _))) = (columns.first(), columns.last()) else {
            return Ok(Vec::new());
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
            .x_labels(labels_of((last + step - first) / step, 12))
            .y_labels(labels_of(most as i64, 5))
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
        let links = columns.iter().filter_map(|&(start, count)| {
            Some(Link {
                from: chart.backend_coord(&(start as f64, most as f64)),
                to: chart.backend_coord(&((start + step) as f64, 0.0)),
                target: link(start)?,
                title: format!("{start}: {count}"),
            })
        });
        Ok(links.collect())
    })
}

/// Number of labels of an axis with so many whole steps, at most `most`: more would be the same numbers again.
fn labels_of(steps: i64, most: usize) -> usize {
    usize::try_from(steps.saturating_add(1)).map_or(most, |labels| labels.clamp(2, most))
}

/// A chart with a labelled row for each text.
pub(super) fn rows(rows: &[Bar]) -> String {
    let most = rows.iter().map(|row| row.count).max().unwrap_or(1).max(1);
    drawn(ROW * rows.len() as u32 + 4, |area| {
        let mut links = Vec::new();
        for (Bar { text, count, link }, n) in rows.iter().zip(0..) {
            let top = n * ROW as i32 + 4;
            let middle = top + ROW as i32 / 2 - 2;
            let style = |pos| FONT.into_text_style(area).pos(pos);
            let (left, right) = (
                Pos::new(HPos::Left, VPos::Center),
                Pos::new(HPos::Right, VPos::Center),
            );
            area.draw(&Text::new(label(text), (BARS - 8, middle), style(right)))?;
            let end = BARS + (*count as f64 / most as f64 * LONGEST).ceil() as i32;
            let bar = [(BARS, top), (end, top + ROW as i32 - 4)];
            area.draw(&Rectangle::new(bar, COLOR.filled()))?;
            area.draw(&Text::new(count.to_string(), (end + 6, middle), style(left)))?;
            if let Some(target) = link {
                links.push(Link {
                    from: (0, top - 2),
                    to: (WIDTH as i32, top + ROW as i32 - 2),
                    target: target.clone(),
                    title: format!("{text}: {count}"),
                });
            }
        }
        Ok(links)
    })
}

/// A part of a chart that leads somewhere.
struct Link {
    /// Its upper left and its lower right corner.
    from: (i32, i32),
    to: (i32, i32),
    target: String,
    title: String,
}

impl Link {
    /// A rectangle in front of the chart that cannot be seen.
    fn drawn(&self) -> String {
        let ((left, top), (right, bottom)) = (self.from, self.to);
        let (width, height) = (right - left, bottom - top);
        format!(
            "<a href=\"{}\"><title>{}</title><rect x=\"{left}\" y=\"{top}\" width=\"{width}\" height=\"{height}\" \
             fill-opacity=\"0\"/></a>\n",
            self.target,
            escaped(&self.title)
        )
    }
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
fn drawn(height: u32, draw: impl FnOnce(&Area<'_>) -> Result<Vec<Link>, Box<dyn Error>>) -> String {
    let mut svg = String::new();
    let area = SVGBackend::with_string(&mut svg, (WIDTH, height)).into_drawing_area();
    let done = draw(&area).and_then(|links| {
        area.present()?;
        Ok(links)
    });
    drop(area);
    let links = done.unwrap_or_else(|error| {
        // Writing to memory cannot fail.
        log::error!("a chart cannot be drawn: {error}");
        Vec::new()
    });
    let links: String = links.iter().map(Link::drawn).collect();
    let svg = svg.replace(" xmlns=\"http://www.w3.org/2000/svg\"", "");
    svg.replacen("</svg>", &format!("{links}</svg>"), 1)
}
