//! The sections about the player of a search.

use std::fmt::Write;

use super::page::{Subject, escaped, paragraph, plural, reference, section, thousands};
use chessdb::board::Color;
use chessdb_library::openings::opening;
use chessdb_library::player::{PlayerFigures, PlayerTally, RATINGS};

/// Rows of a table of openings, and the latest games.
const MOST_ROWS: usize = 20;

/// The player of a search.
pub struct PlayerSubject {
    /// Results.
    pub figures: PlayerFigures,
    /// The latest games, the last one first; further ones are not shown.
    pub latest: Vec<LatestGame>,
}

/// A game in a list.
pub struct LatestGame {
    /// Date, White, Black, result and opening code.
    pub fields: [String; 5],
    /// Its location, as a relative path.
    pub path: String,
}

impl PlayerSubject {
    /// Number of games that are listed.
    pub const LATEST: usize = MOST_ROWS;
}

/// Appends the sections.
pub(super) fn player(page: &mut String, player: &PlayerSubject, subject: &Subject<'_>) {
    let figures = &player.figures;
    let colors = [Color::White, Color::Black].map(|color| (color, figures.all.only(color)));
    section(page, "scores", "Scores");
    let rows = colors
        .iter()
        .map(|(color, own)| (side(*color).to_owned(), None, own));
    let all = ("both colours".to_owned(), None, &figures.all);
    scores(page, "colour", rows.chain([all]));
    for (color, all) in &colors {
        let name = side(*color);
        section(
            page,
            &format!("openings-{}", name.to_lowercase()),
            &format!("Openings as {name}"),
        );
        let own = figures.openings_of(*color);
        let coded: u32 = own.iter().map(|(_, own)| own.games()).sum();
        if own.len() > MOST_ROWS {
            paragraph(page, &format!("The {MOST_ROWS} most frequent of {}.", own.len()));
        }
        let rows = own.iter().take(MOST_ROWS).map(|(eco, own)| {
            let eco = eco.as_str();
            let name = opening(eco).unwrap_or_default();
            let link = subject.link("eco", &[eco.get(..1).unwrap_or_default(), eco]);
            (format!("{eco} {name}"), link, own)
        });
        scores(page, "opening", rows);
        if !own.is_empty() {
            paragraph(
                page,
                if subject.has_eco_by_moves {
                    "The links lead to all games of the search with this opening, with either colour."
                } else {
                    "The links lead to all games of the search with this code in the tag ECO, with either colour."
                },
            );
        }
        without(page, all.games() - coded, "an opening code");
    }
    section(page, "scores-years", "Scores by year");
    let rows = figures.years.iter().rev().map(|(year, own)| {
        let year = format!("{year:04}");
        let link = subject.link("years", &[&year]);
        (year, link, own)
    });
    scores(page, "year", rows);
    let dated: u32 = figures.years.values().map(PlayerTally::games).sum();
    without(page, figures.all.games() - dated, "a year");
    section(page, "scores-ratings", "Scores by the opponent's rating");
    let rows = figures.opponents.iter().rev();
    let rows = rows.map(|(first, own)| (format!("{first}-{}", first + RATINGS - 1), None, own));
    scores(page, "rating", rows);
    let rated: u32 = figures.opponents.values().map(PlayerTally::games).sum();
    without(page, figures.all.games() - rated, "a rating of the opponent");
    section(page, "latest", "Latest games");
    latest(page, &player.latest);
}

fn side(color: Color) -> &'static str {
    color.fold_wb("White", "Black")
}

/// A table of results, with the text of each row and where it leads to.
fn scores<'a>(
    page: &mut String,
    what: &str,
    rows: impl Iterator<Item = (String, Option<String>, &'a PlayerTally)>,
) {
    let mut rows = rows.peekable();
    if rows.peek().is_none() {
        return;
    }
    let _ = writeln!(
        page,
        "<table>\n<tr><th>{what}<th>games<th>won<th>drawn<th>lost<th>score<th>performance"
    );
    for (text, link, own) in rows {
        let cell = linked(&text, link);
        let counts = [own.games(), own.wins(), own.draws(), own.losses()];
        let counts = counts
            .map(|count| format!("<td>{}", thousands(count.into())))
            .concat();
        let score = own
            .score()
            .map(|score| format!("{score:.1} %"))
            .unwrap_or_default();
        let performance = own
            .performance()
            .map(|rating| rating.to_string())
            .unwrap_or_default();
        let _ = writeln!(page, "<tr><td>{cell}{counts}<td>{score}<td>{performance}");
    }
    page.push_str("</table>\n");
}

fn latest(page: &mut String, games: &[LatestGame]) {
    page.push_str("<table class=\"games\">\n<tr><th>date<th>White<th>Black<th>result<th>opening\n");
    for game in games {
        let [date, others @ ..] = &game.fields;
        let date = if date.is_empty() { "?" } else { date };
        let date = linked(date, Some(reference(&game.path)));
        let others: String = others
            .iter()
            .map(|text| format!("<td>{}", escaped(text)))
            .collect();
        let _ = writeln!(page, "<tr><td>{date}{others}");
    }
    page.push_str("</table>\n");
}

fn linked(text: &str, link: Option<String>) -> String {
    let text = escaped(text);
    match link {
        Some(link) => format!("<a href=\"{link}\">{text}</a>"),
        None => text,
    }
}

/// Says how many games a table leaves out, if any.
fn without(page: &mut String, games: u32, what: &str) {
    if games > 0 {
        paragraph(page, &format!("{} without {what}.", plural(games.into(), "game")));
    }
}
