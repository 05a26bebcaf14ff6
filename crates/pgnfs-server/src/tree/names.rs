//! Names of games and blocks in `games/`, and of directories named after a text of the database.

use std::borrow::Cow;
use std::fmt::Write;

use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};

use super::template::{Field, TemplateError, TemplateGame, TemplatePart, date_characters, parse, result};
use chessdb::{Database, Keys, TextId};
use chessdb_library::library::{LONGEST_NAME, cut, safe_name};
use chessdb_library::spelling::Names;

/// Normalizes a text to Unicode NFC, so that the same text always has the same bytes. An empty text becomes `?`.
pub fn canonical(text: Cow<'_, str>) -> Cow<'_, str> {
    if text.is_empty() {
        return Cow::Borrowed("?");
    }
    if text.is_ascii() || is_nfc_quick(text.chars()) == IsNormalized::Yes {
        return text;
    }
    Cow::Owned(text.nfc().collect())
}

/// The normalized text of an id.
pub fn canonical_text(database: &dyn Database, id: TextId) -> String {
    canonical(database.text(id).into()).into_owned()
}

/// Name of the directory for a normalized text.
pub fn directory_name(text: &str) -> Cow<'_, str> {
    match safe_name(text) {
        Cow::Borrowed(name) => Cow::Borrowed(cut(name, LONGEST_NAME)),
        Cow::Owned(name) => Cow::Owned(cut(&name, LONGEST_NAME).to_owned()),
    }
}

/// `Linares 1993`; without the year if it is unknown or already part of the event's text.
pub fn event_and_year(event: String, year: u16) -> String {
    if year == 0 {
        return event;
    }
    let year = format!("{year:04}");
    match event.as_str() {
        "?" => format!("unknown {year}"),
        text if text.contains(&year) => event,
        text => canonical(format!("{text} {year}").into()).into_owned(),
    }
}

/// The text that a directory shows for a stored text: the joined name of a player, if spellings are joined.
pub(super) fn shown(names: Option<&Names>, text: String) -> String {
    match names {
        Some(names) => names.shown(text),
        None => text,
    }
}

/// Maximum length in bytes of a player, an event or a tag in a name.
const LONGEST_WORD: usize = 60;

/// Maximum length in bytes of the part before the number, which may have ten digits and is followed by
/// `.pgn`.
const LONGEST_BEFORE_NUMBER: usize = 255 - 10 - ".pgn".len();

/// The template for names of games: `1985.11.09_Karpov-Kasparov_0-1_000042.pgn` by default.
///
/// A name ends with the number of the game, so that the game can be found from its name. It needs no quotes in any
/// shell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameName {
    /// The parts before the number.
    parts: Vec<TemplatePart>,
}

impl Default for GameName {
    /// `%{date}_%{white}-%{black}_%{result}_%{number}`
    fn default() -> GameName {
        let text = |text: &str| TemplatePart::Text(text.to_owned());
        let value = |field| TemplatePart::Value(field, None);
        GameName {
            parts: vec![
                value(Field::Date),
                text("_"),
                value(Field::White),
                text("-"),
                value(Field::Black),
                text("_"),
                value(Field::Result),
                text("_"),
            ],
        }
    }
}

impl GameName {
    /// Parses a template.
    ///
    /// # Errors
    /// If the template is invalid, does not end with `%{number}`, or allows names that are too long or need
    /// quotes.
    pub fn parse(template: &str) -> Result<GameName, TemplateError> {
        let error = |byte, what: &str| Err(TemplateError::new(template, byte, what));
        let mut parts = parse(template, 0..template.len())?;
        if !matches!(parts.pop(), Some((_, TemplatePart::Value(Field::Number, None)))) {
            return error(
                template.len(),
                "a name must end with %{number}, which identifies the game",
            );
        }
        let mut len = 0;
        for (at, part) in &parts {
            match part {
                TemplatePart::Value(Field::Player | Field::Opponent, _) => {
                    return error(
                        *at,
                        "a game has the same name in all views: use %{white} and %{black}",
                    );
                }
                TemplatePart::Initials(..) => {
                    return error(*at, "initials such as 1U are only for views: use 1 instead");
                }
                TemplatePart::Text(text) if text.contains(|c| !needs_no_quotes(c)) => {
                    return error(
                        *at,
                        "use only letters, digits and . _ - + , @, which need no quotes in a shell",
                    );
                }
                TemplatePart::Text(text) if *at == 0 && text.starts_with(['.', '-']) => {
                    return error(
                        *at,
                        "names that start with a dot are hidden, and with a dash they look like options",
                    );
                }
                _ => {}
            }
            len += longest(part);
            if len > LONGEST_BEFORE_NUMBER {
                return error(
                    *at,
                    "names could be longer than 255 bytes: leave something out, or use %{event:9}",
                );
            }
        }
        let parts = parts.into_iter().map(|(_, part)| part).collect();
        Ok(GameName { parts })
    }

    /// The name of a game.
    pub fn name_of(&self, database: &dyn Database, keys: &Keys, game: u32, digits: usize) -> String {
        let facts = TemplateGame::new(database, game, *keys, digits);
        let mut name = String::with_capacity(64);
        for part in &self.parts {
            push(&mut name, &facts, part);
        }
        // Writing to a string cannot fail.
        let _ = write!(name, "{:0digits$}.pgn", u64::from(game) + 1);
        name
    }
}

/// The game that the number at the end of a name refers to. The rest of the name is not compared.
pub fn game_of_name(name: &str, digits: usize) -> Option<u32> {
    let stem = name.strip_suffix(".pgn")?;
    let number = stem.get(stem.len().checked_sub(digits)?..)?;
    if !number.bytes().all(|c| c.is_ascii_digit()) {
        return None;
    }
    number.parse::<u32>().ok()?.checked_sub(1)
}

fn push(name: &mut String, facts: &TemplateGame<'_>, part: &TemplatePart) {
    match part {
        TemplatePart::Text(text) => name.push_str(text),
        TemplatePart::Value(Field::Date, None) => name.extend(date_characters(facts.keys.date)),
        TemplatePart::Value(Field::Result, None) => name.push_str(result(facts.keys.outcome)),
        TemplatePart::Value(field, first) => match (field, facts.value(field)) {
            (_, None) => name.push_str(field.unknown(*first)),
            (Field::White | Field::Black, Some(player)) => push_word(name, surname(&player), *first),
            (Field::Event | Field::Tournament | Field::Tag(_), Some(text)) => push_word(name, &text, *first),
            (_, Some(_)) => name.push_str(&facts.part(part).unwrap_or_default()),
        },
        // `GameName::parse` refuses these.
        TemplatePart::Initials(..) => {}
    }
}

/// Maximum length of a part in bytes.
fn longest(part: &TemplatePart) -> usize {
    match part {
        TemplatePart::Text(text) => text.len(),
        TemplatePart::Value(
            Field::White | Field::Black | Field::Event | Field::Tournament | Field::Tag(_),
            first,
        ) => {
            let unknown = "unknown".len();
            first.map_or(LONGEST_WORD, |first| LONGEST_WORD.min(4 * first).max(unknown))
        }
        TemplatePart::Value(..) | TemplatePart::Initials(..) => "xxxx.xx.xx".len(),
    }
}

/// True for a character that needs no quotes in any shell.
fn needs_no_quotes(c: char) -> bool {
    c.is_alphanumeric() || "._-+,@".contains(c)
}

/// The text before the first comma.
fn surname(player: &str) -> &str {
    player.split(',').next().unwrap_or_default()
}

/// Appends the letters and digits of a text, with `-` for each run of other characters in between; `unknown` if the
/// text has none. `first` is the maximum number of characters.
fn push_word(name: &mut String, text: &str, first: Option<usize>) {
    let start = name.len();
    let mut is_gap = false;
    let mut left = first.unwrap_or(usize::MAX);
    for c in canonical(Cow::Borrowed(text)).chars() {
        if !c.is_alphanumeric() {
            is_gap = true;
            continue;
        }
        let gap = usize::from(is_gap && name.len() > start);
        if name.len() - start + gap + c.len_utf8() > LONGEST_WORD || left < gap + 1 {
            break;
        }
        if gap > 0 {
            name.push('-');
        }
        name.push(c);
        left -= gap + 1;
        is_gap = false;
    }
    if name.len() == start {
        name.push_str("unknown");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn an_event_has_its_year_once() {
        let name = |event: &str, year| event_and_year(event.to_owned(), year);
        assert_eq!(name("Linares", 1993), "Linares 1993");
        assert_eq!(name("Linares 1993", 1993), "Linares 1993");
        assert_eq!(name("Linares 1993", 1994), "Linares 1993 1994");
        assert_eq!(name("Linares", 0), "Linares");
        assert_eq!(name("?", 1993), "unknown 1993");
        assert_eq!(name("?", 0), "?");
    }

    #[test]
    fn directories_have_safe_names() {
        assert_eq!(directory_name("Kasparov, Garry"), "Kasparov, Garry");
        assert_eq!(directory_name("a/b\0c\u{7f}"), "a_b_c_");
        assert_eq!(directory_name(&canonical(Cow::Borrowed(""))), "unknown");
        assert_eq!(directory_name(&"é".repeat(200)), "é".repeat(120));
        assert_eq!(canonical(Cow::Borrowed("Re\u{301}ti")), "Réti");
    }

    proptest! {
        #[test]
        fn directory_names_are_always_good(text in any::<String>()) {
            let name = directory_name(&canonical(Cow::Borrowed(&text))).into_owned();
            prop_assert!(!name.is_empty() && name.len() <= LONGEST_NAME);
            prop_assert!(!name.contains(['/', '\0']) && !matches!(name.as_str(), "." | ".." | "?"));
        }
    }

    fn word(text: &str) -> String {
        let mut name = "_".to_owned();
        push_word(&mut name, text, None);
        name.split_off(1)
    }

    #[test]
    fn the_number_is_found_at_the_end_of_a_name() {
        let game = "1985.11.09_Karpov-Kasparov_0-1_000042.pgn";
        assert_eq!(game_of_name(game, 6), Some(41));
        assert_eq!(game_of_name("000042.pgn", 6), Some(41));
        assert_eq!(game_of_name("1985000042.pgn", 6), Some(41));
        assert_eq!(game_of_name("a_000000.pgn", 6), None);
        assert_eq!(game_of_name("a_+00042.pgn", 6), None);
        assert_eq!(game_of_name("a_9999999999.pgn", 10), None);
        assert_eq!(game_of_name("_.pgn", 6), None);
        assert_eq!(game_of_name("é2345.pgn", 6), None);
        assert_eq!(game_of_name("000042", 6), None);
    }

    #[test]
    fn surnames_need_no_quotes() {
        assert_eq!(word(surname("Kasparov, Garry")), "Kasparov");
        assert_eq!(word(surname("O'Kelly de Galway, Alberic")), "O-Kelly-de-Galway");
        assert_eq!(word(" (Deep  Blue) "), "Deep-Blue");
        assert_eq!(word("Re\u{301}ti"), "Réti");
        for nothing in ["", "?", ", Garry", "/../"] {
            assert_eq!(word(surname(nothing)), "unknown");
        }
        assert_eq!(word(&"é".repeat(40)), "é".repeat(30));
        assert_eq!(word(&format!("{} b", "a".repeat(59))), "a".repeat(59));
    }

    #[test]
    fn first_characters_end_with_no_dash() {
        let first = |number| {
            let mut name = String::new();
            push_word(&mut name, "Wijk aan Zee", Some(number));
            name
        };
        assert_eq!([3, 4, 5, 6].map(first), ["Wij", "Wijk", "Wijk", "Wijk-a"]);
    }

    #[test]
    fn the_default_is_a_template() {
        let template = "%{date}_%{white}-%{black}_%{result}_%{number}";
        assert_eq!(GameName::parse(template), Ok(GameName::default()));
    }

    #[test]
    fn unsuitable_templates_are_refused() {
        let long = "%{white}%{black}%{event}%{tag:Site}";
        for (template, at, word) in [
            ("", 1, "must end with %{number}"),
            ("%{number}x", 11, "must end with %{number}"),
            ("%{number:3}", 12, "must end with %{number}"),
            ("%{player}_%{number}", 1, "use %{white} and %{black}"),
            ("%{year} %{number}", 8, "no quotes"),
            ("%{year}/%{number}", 8, "no quotes"),
            ("-%{number}", 1, "options"),
            (&format!("{long}_%{{number}}"), long.len() + 1, ""),
            (&format!("{long}__%{{number}}"), long.len() + 1, "255 bytes"),
        ] {
            match GameName::parse(template) {
                Ok(_) => assert_eq!(word, "", "{template}"),
                Err(error) => {
                    assert_eq!(error.at, at, "{template}: {error}");
                    assert!(
                        error.what.contains(word) && !word.is_empty(),
                        "{template}: {error}"
                    );
                }
            }
        }
    }

    /// All templates of up to six parts with their longest values, in characters of each length. None that is accepted has
    /// a name of more than 255 bytes, and one is refused only if it could have one.
    #[test]
    fn no_template_has_names_of_more_than_255_bytes() {
        // Each with the number of bytes that it has at most, of letters of one byte to four.
        let parts: [(&str, [usize; 4]); 9] = [
            ("%{white}", [60; 4]),
            ("%{black:60}", [60; 4]),
            ("%{event:9}", [9, 18, 27, 36]),
            ("%{tournament:15}", [15, 30, 45, 60]),
            ("%{tag:Site}", [60; 4]),
            ("%{white:1}", [7; 4]),
            ("%{date}", [10; 4]),
            ("%{eco}", [3; 4]),
            ("_", [1; 4]),
        ];
        let (mut accepted, mut refused, mut full) = (0, 0, 0);
        let mut places = vec![Vec::new()];
        for _ in 0..6 {
            let longer = places.iter().flat_map(|places: &Vec<usize>| {
                let first = places.last().copied().unwrap_or(0);
                (first..parts.len()).map(move |next| [&places[..], &[next]].concat())
            });
            places = longer.collect();
            for places in &places {
                let template: String = places.iter().map(|&place| parts[place].0).collect();
                let longest =
                    (0..4).map(|letter| places.iter().map(|&place| parts[place].1[letter]).sum::<usize>());
                // Ten digits and `.pgn` follow.
                let longest = longest.max().unwrap() + 14;
                // A code of an opening has three bytes and is counted with ten.
                let counted =
                    longest + 7 * places.iter().filter(|&&place| parts[place].0 == "%{eco}").count();
                match GameName::parse(&format!("{template}%{{number}}")) {
                    Ok(_) => {
                        assert!(longest <= 255, "{template}: {longest}");
                        accepted += 1;
                        full += usize::from(counted == 255);
                    }
                    Err(error) => {
                        assert!(counted > 255, "{template}: {error}");
                        refused += 1;
                    }
                }
            }
        }
        assert!(
            accepted > 1000 && refused > 1000 && full > 0,
            "{accepted} {refused} {full}"
        );
    }

    proptest! {
        #[test]
        fn words_are_letters_digits_and_single_dashes(text in any::<String>(), first in 1usize..99) {
            let mut name = String::new();
            push_word(&mut name, &text, Some(first));
            prop_assert!(!name.is_empty() && name.len() <= LONGEST_WORD);
            prop_assert!(name == "unknown" || name.chars().count() <= first);
            prop_assert!(name.chars().all(|c| c.is_alphanumeric() || c == '-'));
            prop_assert!(!name.starts_with('-') && !name.ends_with('-') && !name.contains("--"));
        }
    }
}
