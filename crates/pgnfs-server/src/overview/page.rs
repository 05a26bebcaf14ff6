//! The page: sections with a chart and its numbers.

use std::fmt::Write;

use super::chart;
use super::figures::{Counts, Figures, RATINGS};
use super::player::{PlayerSubject, player};
use chessdb_library::library::on_one_line;
use chessdb_library::openings::opening;

/// Number of rows of a chart.
const MOST_ROWS: usize = 25;
/// Maximum number of columns of a chart. With more years, each column has several.
const MOST_COLUMNS: i64 = 120;
/// Number of years that a column can have.
const STEPS: [i64; 7] = [1, 2, 5, 10, 20, 50, 100];

/// The policy forbids all loading and all scripts, whatever texts a database has.
const HEAD: &str = r#"<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width">
"#;
const STYLE: &str = "<style>
body { font: 16px sans-serif; max-width: 760px; margin: 2em auto; padding: 0 1em; color: #222; background: #fff }
h2 { margin: 2em 0 0.4em }
svg { max-width: 100%; height: auto; display: block }
summary, td a { cursor: pointer; color: #3b6ea5 }
svg a:hover rect { fill: #3b6ea5; fill-opacity: 0.15 }
td { padding: 0.1em 1em 0.1em 0 }
td + td { text-align: right }
th { padding: 0.1em 1em 0.1em 0; text-align: left; font-weight: normal; color: #555 }
th + th { text-align: right }
.games td, .games th { text-align: left }
p { color: #555; margin: 0.3em 0 }
</style>
";

/// The directory of a view that is reached by these texts from the view's own directory, as a path from the page;
/// `None` if the view has no such directory.
pub type Directories<'a> = &'a dyn Fn(&str, &[&str]) -> Option<String>;

/// The subject of a page.
pub struct Subject<'a> {
    /// Name of the database or of all databases; for a search, the query.
    pub name: &'a str,
    /// The format, or how many databases there are; of a search, also the name of the only database.
    pub what: String,
    /// What [`Subject::problems`] are counted by: `file` or `database`.
    pub place: &'static str,
    /// Number of problems by file or by database, if they are shown.
    pub problems: Option<Counts>,
    /// The player of a search for one.
    pub player: Option<PlayerSubject>,
    /// True if `eco/` has games without the tag ECO, too.
    pub has_eco_by_moves: bool,
    /// The directories that charts and numbers link to.
    pub directories: Directories<'a>,
}

/// A row of a chart or of its numbers.
pub(super) struct Bar {
    pub(super) text: String,
    pub(super) count: u64,
    /// The target of a click, as a relative reference.
    pub(super) link: Option<String>,
}

/// The page.
pub fn page(subject: &Subject<'_>, figures: &Figures) -> String {
    let name = escaped(subject.name);
    let mut page =
        format!("{HEAD}<title>{name}: overview</title>\n{STYLE}</head>\n<body>\n<h1>{name}</h1>\n");
    let (what, games) = (escaped(&subject.what), figures.games);
    paragraph(&mut page, &format!("{what}, {}", plural(games, "game")));
    if let Some(of_search) = &subject.player {
        player(&mut page, of_search, subject);
    }
    years(&mut page, figures, subject);
    results(&mut page, figures);
    most(
        &mut page,
        ("openings", "Openings", "opening", "an opening code"),
        &figures.openings,
        |code| {
            let name = opening(code).unwrap_or_default();
            let letter = code.get(..1).unwrap_or_default();
            let link = subject.link("eco", &[letter, code]);
            (format!("{code} {name}").trim_end().to_owned(), link)
        },
    );
    coded_by_moves(&mut page, figures.coded_by_moves, subject);
    most(
        &mut page,
        (
            "opening-names",
            "Openings by the moves",
            "opening",
            "moves of a known opening",
        ),
        &figures.opening_names,
        |name| (name.to_owned(), None),
    );
    ratings(&mut page, &figures.ratings);
    most(
        &mut page,
        (
            "players",
            "Players with the most games",
            "player",
            "a known player",
        ),
        &figures.players,
        |player| (player.to_owned(), subject.link("players", &[player])),
    );
    problems(&mut page, subject);
    page.push_str("</body>\n</html>\n");
    page
}

impl Subject<'_> {
    /// A reference to a directory of a view.
    pub(super) fn link(&self, view: &str, texts: &[&str]) -> Option<String> {
        (self.directories)(view, texts).map(|path| reference(&path))
    }
}

/// A path as a relative reference (RFC 3986, section 2). All bytes with another meaning there are encoded.
pub(super) fn reference(path: &str) -> String {
    let mut reference = String::with_capacity(path.len());
    for byte in path.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                reference.push(byte.into());
            }
            _ => {
                let _ = write!(reference, "%{byte:02X}");
            }
        }
    }
    reference
}

fn years(page: &mut String, figures: &Figures, subject: &Subject<'_>) {
    let bar = |year: i64, count: u64| Bar {
        text: year.to_string(),
        count,
        link: subject.link("years", &[&format!("{year:04}")]),
    };
    let years = figures.years.by_number();
    section(page, "years", "Games per year");
    let shown = without_outliers(&years);
    if let (Some((first, _)), Some((last, _))) = (shown.first(), shown.last()) {
        let step = STEPS
            .into_iter()
            .find(|step| (last - first) / step < MOST_COLUMNS);
        let step = step.unwrap_or(100);
        if step > 1 {
            paragraph(page, &format!("Each column covers {step} years."));
        }
        let groups = grouped(shown, step);
        // A column of several years has no directory.
        let link = |year| bar(year, 0).link.filter(|_| step == 1);
        page.push_str(&chart::columns(&groups, step, link));
    }
    let sum = |years: &[(i64, u64)]| years.iter().map(|&(_, games)| games).sum::<u64>();
    games_apart(page, sum(&years) - sum(shown), "with a year outside the chart");
    games_apart(page, figures.games - sum(&years), "without a year");
    let rows = years.iter().map(|&(year, games)| bar(year, games));
    numbers(page, ["year", "games"], rows);
}

/// The years of a chart. If there are too many for a column each, up to one game in 200 is left out at either end,
/// since a single wrong date would make all columns narrow.
fn without_outliers(years: &[(i64, u64)]) -> &[(i64, u64)] {
    let rare: u64 = years.iter().map(|&(_, games)| games).sum::<u64>() / 200;
    let is_short = |years: &[(i64, u64)]| match years {
        [(first, _), .., (last, _)] => last - first < MOST_COLUMNS,
        _ => true,
    };
    let (mut years, mut before, mut after) = (years, 0, 0);
    while let [(_, games), rest @ ..] = years
        && !is_short(years)
        && before + games <= rare
    {
        before += games;
        years = rest;
    }
    while let [rest @ .., (_, games)] = years
        && !is_short(years)
        && after + games <= rare
    {
        after += games;
        years = rest;
    }
    years
}

/// Counts of several years together, by the first year of each group.
fn grouped(years: &[(i64, u64)], step: i64) -> Vec<(i64, u64)> {
    let mut groups: Vec<(i64, u64)> = Vec::new();
    for &(year, games) in years {
        let start = year / step * step;
        match groups.last_mut() {
            Some((last, sum)) if *last == start => *sum += games,
            _ => groups.push((start, games)),
        }
    }
    groups
}

fn results(page: &mut String, figures: &Figures) {
    section(page, "results", "Results");
    let results = figures.results.most(MOST_ROWS);
    let rows = || plain(&results);
    page.push_str(&chart::rows(&rows()));
    let percent = |games| 100.0 * games as f64 / figures.games.max(1) as f64;
    let shares = results
        .iter()
        .map(|&(result, games)| format!("{result} {:.1} %", percent(games)));
    paragraph(page, &escaped(&shares.collect::<Vec<_>>().join(", ")));
    numbers(page, ["result", "games"], rows().into_iter());
}

/// Says how many games have their opening code from the moves, and where they are.
fn coded_by_moves(page: &mut String, games: u64, subject: &Subject<'_>) {
    if games == 0 {
        return;
    }
    let verb = if games == 1 { "has its" } else { "have their" };
    let mut text = format!(
        "{} without the tag ECO {verb} code from the moves.",
        plural(games, "game")
    );
    if !subject.has_eco_by_moves {
        text.push_str(" The links lead to the others alone: eco/ has all with the option --eco=moves.");
    }
    paragraph(page, &text);
}

fn ratings(page: &mut String, ratings: &Counts<i64>) {
    let groups = ratings.by_number();
    section(page, "ratings", "Ratings");
    if groups.is_empty() {
        return paragraph(page, "No game has a rating.");
    }
    paragraph(
        page,
        "Ratings of White and Black in all games; each column covers 100 points.",
    );
    page.push_str(&chart::columns(&groups, RATINGS, |_| None));
    let range = |start: i64| format!("{start}-{}", start + RATINGS - 1);
    let rows = groups.iter().map(|&(start, count)| Bar {
        text: range(start),
        count,
        link: None,
    });
    numbers(page, ["rating", "players"], rows);
}

/// Rows without links.
fn plain(counts: &[(&str, u64)]) -> Vec<Bar> {
    let bar = |&(text, count): &(&str, u64)| Bar {
        text: text.to_owned(),
        count,
        link: None,
    };
    counts.iter().map(bar).collect()
}

/// A section with the most frequent texts. `shown` gives the text of a row and where it leads to.
fn most(
    page: &mut String,
    (id, headline, column, what): (&str, &str, &str, &str),
    counts: &Counts,
    shown: impl Fn(&str) -> (String, Option<String>),
) {
    section(page, id, headline);
    let rows = counts.most(MOST_ROWS);
    if rows.is_empty() {
        return paragraph(page, &format!("No game has {what}."));
    }
    if counts.len() > rows.len() {
        let all = thousands(counts.len() as u64);
        paragraph(page, &format!("The {MOST_ROWS} most frequent of {all}."));
    }
    let rows = rows.iter().map(|&(text, count)| {
        let (text, link) = shown(text);
        Bar { text, count, link }
    });
    let rows: Vec<Bar> = rows.collect();
    page.push_str(&chart::rows(&rows));
    numbers(page, [column, "games"], rows.into_iter());
}

fn problems(page: &mut String, subject: &Subject<'_>) {
    let Some(problems) = &subject.problems else {
        return;
    };
    section(page, "problems", &format!("Problems by {}", subject.place));
    let rows = problems.most(MOST_ROWS);
    if rows.is_empty() {
        return paragraph(page, "None.");
    }
    let rows = plain(&rows);
    page.push_str(&chart::rows(&rows));
    numbers(page, [subject.place, "problems"], rows.into_iter());
}

pub(super) fn section(page: &mut String, id: &str, headline: &str) {
    let _ = writeln!(page, "<h2 id=\"{id}\">{headline}</h2>");
}

pub(super) fn paragraph(page: &mut String, html: &str) {
    let _ = writeln!(page, "<p>{html}</p>");
}

/// Says how many games the chart does not show, if any.
fn games_apart(page: &mut String, games: u64, what: &str) {
    if games > 0 {
        paragraph(page, &format!("{} {what}.", plural(games, "game")));
    }
}

/// The numbers of a chart as a table, which is opened by a click.
fn numbers(page: &mut String, head: [&str; 2], rows: impl Iterator<Item = Bar>) {
    let [what, number] = head;
    let _ = writeln!(
        page,
        "\n<details><summary>Numbers</summary>\n<table>\n<tr><th>{what}<th>{number}"
    );
    for Bar { text, count, link } in rows {
        let text = escaped(&text);
        let cell = match link {
            Some(link) => format!("<a href=\"{link}\">{text}</a>"),
            None => text,
        };
        let _ = writeln!(page, "<tr><td>{cell}<td>{count}");
    }
    page.push_str("</table></details>\n");
}

pub(super) fn plural(number: u64, what: &str) -> String {
    match number {
        1 => format!("1 {what}"),
        _ => format!("{} {what}s", thousands(number)),
    }
}

/// A number with commas, such as `1,935`, so that it does not look like a year.
pub(super) fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() * 4 / 3);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A text as HTML, on one line.
pub(super) fn escaped(text: &str) -> String {
    let mut html = String::with_capacity(text.len());
    for c in on_one_line(text).chars() {
        match c {
            '&' => html.push_str("&amp;"),
            '<' => html.push_str("&lt;"),
            '>' => html.push_str("&gt;"),
            '"' => html.push_str("&quot;"),
            '\'' => html.push_str("&#39;"),
            _ => html.push(c),
        }
    }
    html
}
