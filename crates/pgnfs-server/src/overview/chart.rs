//! Bar charts as SVG.

use std::fmt::{self, Write};

use super::page::{Bar, escaped};
use chessdb_library::library::on_one_line;

/// Width of every chart in pixels.
const WIDTH: f64 = 720.0;
/// Height of a chart of columns.
const HEIGHT: f64 = 240.0;
/// Where the columns of a chart are: between its axis of numbers on the left and its years below.
const PLOT: Frame = Frame {
    left: 72.0,
    top: 8.0,
    right: WIDTH - 24.0,
    bottom: HEIGHT - 34.0,
};
/// Height of a row.
const ROW: f64 = 22.0;
/// Place of the bars in a chart of rows, and their greatest length.
const BARS: f64 = 300.0;
const LONGEST: f64 = 340.0;
/// Characters of a row's label that are shown.
const LABEL: usize = 36;
const COLOR: &str = "#3b6ea5";

/// A rectangle.
#[derive(Clone, Copy)]
struct Frame {
    left: f64,
    top: f64,
    right: f64,
    bottom: f64,
}

/// A chart with a column for each number from the first on, in steps of `step`. `link` says where a column leads to.
pub(super) fn columns(columns: &[(i64, u64)], step: i64, link: impl Fn(i64) -> Option<String>) -> String {
    let (Some(&(first, _)), Some(&(last, _))) = (columns.first(), columns.last()) else {
        return drawn(HEIGHT, &Drawing::default());
    };
    let (end, most) = (last + step, columns.iter().map(|&(_, count)| count).max());
    let most = i64::try_from(most.unwrap_or(1).max(1)).unwrap_or(i64::MAX);
    let across = |at: f64| PLOT.left + (at - first as f64) / (end - first) as f64 * (PLOT.right - PLOT.left);
    let up = |count: f64| PLOT.bottom - count / most as f64 * (PLOT.bottom - PLOT.top);
    let mut drawing = Drawing::default();
    for count in labels(0, most, 5) {
        let y = up(count as f64);
        drawing.line((PLOT.left, y), (PLOT.right, y), 0.15);
        drawing.text((PLOT.left - 8.0, y), "end", &count.to_string());
    }
    for at in labels(first, end, 12) {
        let x = across(at as f64);
        drawing.line((x, PLOT.bottom), (x, PLOT.bottom + 5.0), 0.4);
        drawing.text((x, PLOT.bottom + 16.0), "middle", &at.to_string());
    }
    for &(start, count) in columns {
        let gap = step as f64 * 0.08;
        let of = |left, right, top| Frame {
            left: across(left),
            right: across(right),
            top,
            bottom: PLOT.bottom,
        };
        let (from, to) = (start as f64, (start + step) as f64);
        drawing.bar(of(from + gap, to - gap, up(count as f64)));
        if let Some(target) = link(start) {
            drawing.link(of(from, to, PLOT.top), &target, &format!("{start}: {count}"));
        }
    }
    drawing.line((PLOT.left, PLOT.top), (PLOT.left, PLOT.bottom), 0.4);
    drawing.line((PLOT.left, PLOT.bottom), (PLOT.right, PLOT.bottom), 0.4);
    drawn(HEIGHT, &drawing)
}

/// The round numbers of a range, at most `most`: multiples of 1, 2 or 5 times a power of ten.
fn labels(first: i64, last: i64, most: i64) -> impl Iterator<Item = i64> {
    let sizes = (0..18).flat_map(|power| [1, 2, 5].map(|size| size * 10_i64.pow(power)));
    let number = |size: i64| last.div_euclid(size) - (first - 1).div_euclid(size);
    let size = sizes
        .into_iter()
        .find(|&size| number(size) <= most)
        .unwrap_or(i64::MAX);
    let begin = first + (-first).rem_euclid(size);
    (0..most)
        .map_while(move |n| begin.checked_add(n.checked_mul(size)?))
        .take_while(move |&at| at <= last)
}

/// A chart with a labelled row for each text.
pub(super) fn rows(rows: &[Bar]) -> String {
    let most = rows.iter().map(|row| row.count).max().unwrap_or(1).max(1);
    let mut drawing = Drawing::default();
    for (n, Bar { text, count, link }) in rows.iter().enumerate() {
        let top = n as f64 * ROW + 4.0;
        let middle = top + ROW / 2.0 - 2.0;
        drawing.text((BARS - 8.0, middle), "end", &label(text));
        let right = BARS + (*count as f64 / most as f64 * LONGEST).ceil();
        drawing.bar(Frame {
            left: BARS,
            top,
            right,
            bottom: top + ROW - 4.0,
        });
        drawing.text((right + 6.0, middle), "start", &count.to_string());
        if let Some(target) = link {
            let row = Frame {
                left: 0.0,
                top: top - 2.0,
                right: WIDTH,
                bottom: top + ROW - 2.0,
            };
            drawing.link(row, target, &format!("{text}: {count}"));
        }
    }
    drawn(ROW * rows.len() as f64 + 4.0, &drawing)
}

/// The start of a text, as much as fits on one line in front of a bar.
fn label(text: &str) -> String {
    let text = &*on_one_line(text);
    match text.char_indices().nth(LABEL) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or(text)),
        None => text.to_owned(),
    }
}

/// The elements of a chart, and in front of them its links, which cannot be seen.
#[derive(Default)]
struct Drawing {
    elements: String,
    links: String,
}

impl Drawing {
    fn line(&mut self, from: (f64, f64), to: (f64, f64), opacity: f64) {
        self.put(format_args!(
            "<line x1=\"{:.1}\" y1=\"{:.1}\" x2=\"{:.1}\" y2=\"{:.1}\" stroke=\"#000\" stroke-opacity=\"{opacity}\"/>\n",
            from.0, from.1, to.0, to.1
        ));
    }

    /// `anchor` is the side of the text where its point is.
    fn text(&mut self, at: (f64, f64), anchor: &str, text: &str) {
        self.put(format_args!(
            "<text x=\"{:.1}\" y=\"{:.1}\" dy=\"0.35em\" text-anchor=\"{anchor}\">{}</text>\n",
            at.0,
            at.1,
            escaped(text)
        ));
    }

    fn bar(&mut self, frame: Frame) {
        self.put(format_args!("<rect {frame} fill=\"{COLOR}\"/>\n"));
    }

    fn link(&mut self, frame: Frame, target: &str, title: &str) {
        // Writing to a string cannot fail.
        let _ = writeln!(
            self.links,
            "<a href=\"{target}\"><title>{}</title><rect {frame} fill-opacity=\"0\"/></a>",
            escaped(title)
        );
    }

    fn put(&mut self, element: fmt::Arguments<'_>) {
        let _ = self.elements.write_fmt(element);
    }
}

impl fmt::Display for Frame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (width, height) = (self.right - self.left, self.bottom - self.top);
        let Frame { left, top, .. } = self;
        write!(
            f,
            "x=\"{left:.1}\" y=\"{top:.1}\" width=\"{width:.1}\" height=\"{height:.1}\""
        )
    }
}

/// An SVG element for a page of HTML, which needs no name space.
fn drawn(height: f64, drawing: &Drawing) -> String {
    let Drawing { elements, links } = drawing;
    format!(
        "<svg width=\"{WIDTH}\" height=\"{height}\" viewBox=\"0 0 {WIDTH} {height}\" font-family=\"sans-serif\" \
         font-size=\"13\">\n{elements}{links}</svg>"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_round_numbers_and_not_too_many() {
        let all = |first, last, most| labels(first, last, most).collect::<Vec<_>>();
        assert_eq!(all(0, 1, 5), [0, 1]);
        assert_eq!(all(0, 4, 5), [0, 1, 2, 3, 4]);
        assert_eq!(all(0, 5, 5), [0, 2, 4]);
        assert_eq!(all(0, 1234, 5), [0, 500, 1000]);
        assert_eq!(all(1851, 1863, 12), [1852, 1854, 1856, 1858, 1860, 1862]);
        assert_eq!(all(1858, 1859, 12), [1858, 1859]);
        assert_eq!(all(-3, 3, 7), [-3, -2, -1, 0, 1, 2, 3]);
        for last in [7, 99, 1_000_000, i64::MAX / 4] {
            let numbers = all(0, last, 5);
            assert!((2..=5).contains(&numbers.len()), "{numbers:?}");
        }
    }

    #[test]
    fn rows_have_the_length_of_their_counts() {
        let bar = |text: &str, count| Bar {
            text: text.to_owned(),
            count,
            link: None,
        };
        let chart = rows(&[bar("a", 4), bar("b", 1), bar("c", 0)]);
        let bars: Vec<&str> = chart.lines().filter(|line| line.contains(COLOR)).collect();
        let number = |line: &str, name: &str| -> f64 {
            let (_, rest) = line.split_once(&format!(" {name}=\"")).unwrap();
            rest.split('"').next().unwrap().parse().unwrap()
        };
        assert!(bars.iter().all(|line| number(line, "x") == BARS), "{bars:?}");
        let widths: Vec<f64> = bars.iter().map(|line| number(line, "width")).collect();
        assert_eq!(widths, [LONGEST, (LONGEST / 4.0).ceil(), 0.0]);
    }

    #[test]
    fn the_highest_column_fills_the_chart() {
        let chart = columns(&[(1990, 1), (1991, 4)], 1, |year| Some(format!("{year}/")));
        let bars: Vec<&str> = chart.lines().filter(|line| line.contains(COLOR)).collect();
        assert_eq!(bars.len(), 2);
        assert!(bars[0].contains("height=\"49.5\"") && bars[1].contains("height=\"198.0\""));
        assert!(chart.contains("<a href=\"1991/\"><title>1991: 4</title>"));
        assert_eq!(chart.matches("</svg>").count(), 1);
    }
}
