//! Requests to the explorer, with the parameters of Lichess.

use std::collections::{BTreeMap, BTreeSet};

use chessdb::board::Color;
use chessdb_library::explorer::{ExplorerFilter, ExplorerLimits, Speed, group};

use crate::serve::line::PlayedLine;

/// One of the explorer's three addresses. All cover the same games; the form of their answers differs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum ExplorerKind {
    Masters,
    Lichess,
    Player,
}

/// A question.
#[derive(Clone, Debug)]
pub(super) struct ExplorerQuestion {
    pub(super) kind: ExplorerKind,
    pub(super) line: PlayedLine,
    pub(super) filter: ExplorerFilter,
    pub(super) limits: ExplorerLimits,
    /// The player, and the player's colour.
    pub(super) player: Option<(String, Color)>,
}

/// Default number of moves that are listed.
const MOVES: usize = 12;

/// No position has more moves.
const MOST_MOVES: usize = 256;

/// Maximum numbers of games that are listed, and the default for the latest games.
const TOP_OF_MASTERS: usize = 15;
const TOP: usize = 4;
const RECENT: usize = 8;
const RECENT_USUALLY: usize = 4;

/// The values of `since` and `until` that clients send for no bound.
const NO_SINCE: u16 = 1;
const NO_UNTIL: u16 = 3000;

/// Maximum length of a player's name in bytes.
const LONGEST_NAME: usize = 255;

/// The parameters of a request by name. If a name is repeated, the last value counts.
pub(super) struct Parameters(BTreeMap<String, String>);

impl Parameters {
    pub(super) fn of(query: &str) -> Parameters {
        let pairs = form_urlencoded::parse(query.as_bytes());
        Parameters(
            pairs
                .map(|(name, value)| (name.into_owned(), value.into_owned()))
                .collect(),
        )
    }

    pub(super) fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }

    fn number(&self, name: &str, usually: usize, most: usize) -> Result<usize, String> {
        let Some(text) = self.get(name) else {
            return Ok(usually.min(most));
        };
        let number = text
            .parse::<usize>()
            .map_err(|_| format!("{name}: '{text}' is not a number"))?;
        Ok(number.min(most))
    }

    /// The different values of a list, sorted; `None` for all values, also for an empty list.
    fn list<T: Ord>(
        &self,
        name: &str,
        possible: &str,
        read: impl Fn(&str) -> Option<T>,
    ) -> Result<Option<Vec<T>>, String> {
        let Some(text) = self.get(name).filter(|text| !text.is_empty()) else {
            return Ok(None);
        };
        let values = text.split(',').map(|value| {
            let wrong = || format!("{name}: '{value}' is not one of: {possible}");
            read(value.trim()).ok_or_else(wrong)
        });
        let values: BTreeSet<T> = values.collect::<Result<_, _>>()?;
        Ok(Some(values.into_iter().collect()))
    }

    /// A year or, if `may_be_month`, a year and a month; month 0 is the whole year.
    fn month(&self, name: &str, may_be_month: bool) -> Result<Option<(u16, u8)>, String> {
        let Some(text) = self.get(name).filter(|text| !text.is_empty()) else {
            return Ok(None);
        };
        let wrong = || {
            format!(
                "{name}: '{text}' is not a {}",
                if may_be_month { "month YYYY-MM" } else { "year" }
            )
        };
        let (year, month) = match text.split_once('-') {
            Some((year, month)) if may_be_month => {
                let month = month.parse().ok().filter(|month| (1..=12).contains(month));
                (year, month.ok_or_else(wrong)?)
            }
            _ => (text, 0),
        };
        let year: u64 = year.parse().map_err(|_| wrong())?;
        Ok(Some((year.try_into().unwrap_or(u16::MAX), month)))
    }
}

impl ExplorerQuestion {
    /// Reads the parameters of a request.
    ///
    /// # Errors
    /// The reason, as a message for the client.
    pub(super) fn read(kind: ExplorerKind, parameters: &Parameters) -> Result<ExplorerQuestion, String> {
        let variant = parameters.get("variant").unwrap_or_default();
        if !["", "standard", "chess", "chess960", "fromPosition"].contains(&variant) {
            let possible = "standard, chess960, fromPosition (all are about the same games)";
            return Err(format!("variant: '{variant}' is not one of: {possible}"));
        }
        let line = PlayedLine::read(parameters.get("fen"), parameters.get("play"));
        let line = line.map_err(|(name, what)| format!("{name}: {what}"))?;
        let has_months = kind != ExplorerKind::Masters;
        let since = parameters
            .month("since", has_months)?
            .filter(|(year, _)| *year > NO_SINCE);
        let until = parameters
            .month("until", has_months)?
            .filter(|(year, _)| *year < NO_UNTIL);
        let is_masters = kind == ExplorerKind::Masters;
        let rated = |mode: &str| match mode {
            "rated" => Some(true),
            "casual" => Some(false),
            _ => None,
        };
        let modes = parameters
            .list("modes", "rated, casual", rated)?
            .filter(|_| kind == ExplorerKind::Player);
        let filter = ExplorerFilter {
            since,
            until,
            speeds: parameters
                .list(
                    "speeds",
                    &Speed::NAMES.map(|(_, name)| name).join(", "),
                    Speed::named,
                )?
                .filter(|_| !is_masters),
            ratings: parameters
                .list("ratings", "the numbers from 0 on", |text| {
                    text.parse().ok().map(group)
                })?
                .filter(|_| kind == ExplorerKind::Lichess),
            rated: modes
                .filter(|modes| !modes.contains(&!modes[0]))
                .map(|modes| modes[0]),
        };
        let top = match kind {
            ExplorerKind::Masters => parameters.number("topGames", TOP_OF_MASTERS, TOP_OF_MASTERS)?,
            ExplorerKind::Lichess => parameters.number("topGames", TOP, TOP)?,
            ExplorerKind::Player => 0,
        };
        let recent = match kind {
            ExplorerKind::Masters => 0,
            ExplorerKind::Lichess => parameters.number("recentGames", RECENT_USUALLY, RECENT)?,
            ExplorerKind::Player => parameters.number("recentGames", RECENT, RECENT)?,
        };
        let moves = if kind == ExplorerKind::Player {
            MOST_MOVES
        } else {
            MOVES
        };
        let player = (kind == ExplorerKind::Player)
            .then(|| player(parameters))
            .transpose()?;
        Ok(ExplorerQuestion {
            kind,
            line,
            filter,
            limits: ExplorerLimits {
                moves: parameters.number("moves", moves, MOST_MOVES)?,
                strongest: top,
                latest: recent,
                months: has_months
                    && parameters
                        .get("history")
                        .is_some_and(|history| matches!(history, "true" | "1")),
                side: player.as_ref().map(|(_, color)| *color),
            },
            player,
        })
    }
}

fn player(parameters: &Parameters) -> Result<(String, Color), String> {
    let name = parameters
        .get("player")
        .map(str::trim)
        .filter(|name| !name.is_empty());
    let name = name.ok_or("player: a name is needed")?;
    if name.len() > LONGEST_NAME {
        return Err(format!("player: a name has at most {LONGEST_NAME} bytes"));
    }
    match parameters.get("color") {
        Some("white") => Ok((name.to_owned(), Color::White)),
        Some("black") => Ok((name.to_owned(), Color::Black)),
        _ => Err("color: white or black is needed".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each choice of modes, which only questions about a player have.
    #[test]
    fn both_modes_together_are_all_games() {
        for (modes, rated) in [
            ("", None),
            ("rated", Some(true)),
            ("casual", Some(false)),
            ("rated,casual", None),
            ("casual,rated", None),
            ("casual,casual", Some(false)),
        ] {
            let query = format!("player=Tal&color=white&modes={modes}");
            let of = |kind| {
                ExplorerQuestion::read(kind, &Parameters::of(&query))
                    .unwrap()
                    .filter
                    .rated
            };
            assert_eq!(of(ExplorerKind::Player), rated, "{modes}");
            assert_eq!(of(ExplorerKind::Lichess), None, "{modes}");
            assert_eq!(of(ExplorerKind::Masters), None, "{modes}");
        }
        let wrong = Parameters::of("player=Tal&color=white&modes=rated,blitz");
        assert!(ExplorerQuestion::read(ExplorerKind::Player, &wrong).is_err());
    }
}
