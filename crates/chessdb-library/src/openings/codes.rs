//! Names of openings by their ECO codes.

/// The name of an opening by its code, from the range of codes that contains it. `None` if it is not an ECO code.
pub fn opening(code: &str) -> Option<&'static str> {
    let code = code.get(..3)?;
    let bytes = code.as_bytes();
    let is_code = matches!(bytes, [b'A'..=b'E', digits @ ..] if digits.iter().all(u8::is_ascii_digit));
    if !is_code {
        return None;
    }
    let after = OPENINGS.partition_point(|(first, _)| *first <= code);
    let (_, name) = OPENINGS.get(after.checked_sub(1)?)?;
    Some(name)
}

/// The names of all ranges.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    OPENINGS.iter().map(|(_, name)| *name)
}

/// The first code of each range, sorted, with the name of the opening. The codes are from the Encyclopaedia of
/// Chess Openings, and the names begin like the names of positions.
const OPENINGS: &[(&str, &str)] = &[
    ("A00", "Irregular Opening"),
    ("A01", "Nimzo-Larsen Attack"),
    ("A02", "Bird Opening"),
    ("A04", "Réti Opening"),
    ("A07", "King's Indian Attack"),
    ("A09", "Réti Opening"),
    ("A10", "English Opening"),
    ("A20", "English Opening: King's English"),
    ("A30", "English Opening: Symmetrical"),
    ("A40", "Queen's Pawn Game"),
    ("A42", "Modern Defense: Averbakh System"),
    ("A43", "Benoni Defense: Old Benoni"),
    ("A45", "Queen's Pawn Game: Indian Defense"),
    ("A47", "Queen's Pawn Game: Queen's Indian"),
    ("A48", "Queen's Pawn Game: East Indian"),
    ("A50", "Indian Defense"),
    ("A51", "Indian Defense: Budapest Defense"),
    ("A53", "Old Indian Defense"),
    ("A56", "Benoni Defense"),
    ("A57", "Benko Gambit"),
    ("A60", "Benoni Defense: Modern Variation"),
    ("A80", "Dutch Defense"),
    ("A82", "Dutch Defense: Staunton Gambit"),
    ("A84", "Dutch Defense"),
    ("A87", "Dutch Defense: Leningrad"),
    ("A90", "Dutch Defense: Stonewall and Classical"),
    ("B00", "King's Pawn Game: Uncommon Defense"),
    ("B01", "Scandinavian Defense"),
    ("B02", "Alekhine Defense"),
    ("B06", "Modern Defense"),
    ("B07", "Pirc Defense"),
    ("B10", "Caro-Kann Defense"),
    ("B12", "Caro-Kann Defense: Advance and Others"),
    ("B13", "Caro-Kann Defense: Exchange"),
    ("B14", "Caro-Kann Defense: Panov Attack"),
    ("B15", "Caro-Kann Defense"),
    ("B18", "Caro-Kann Defense: Classical"),
    ("B20", "Sicilian Defense"),
    ("B22", "Sicilian Defense: Alapin"),
    ("B23", "Sicilian Defense: Closed"),
    ("B27", "Sicilian Defense"),
    ("B30", "Sicilian Defense: Old Sicilian and Rossolimo"),
    ("B32", "Sicilian Defense"),
    ("B33", "Sicilian Defense: Sveshnikov"),
    ("B34", "Sicilian Defense: Accelerated Dragon"),
    ("B36", "Sicilian Defense: Maróczy Bind"),
    ("B40", "Sicilian Defense"),
    ("B41", "Sicilian Defense: Kan"),
    ("B44", "Sicilian Defense: Taimanov"),
    ("B50", "Sicilian Defense"),
    ("B51", "Sicilian Defense: Moscow"),
    ("B53", "Sicilian Defense"),
    ("B57", "Sicilian Defense: Classical"),
    ("B60", "Sicilian Defense: Richter-Rauzer"),
    ("B70", "Sicilian Defense: Dragon"),
    ("B80", "Sicilian Defense: Scheveningen"),
    ("B86", "Sicilian Defense: Sozin Attack"),
    ("B90", "Sicilian Defense: Najdorf"),
    ("C00", "French Defense"),
    ("C01", "French Defense: Exchange"),
    ("C02", "French Defense: Advance"),
    ("C03", "French Defense: Tarrasch"),
    ("C10", "French Defense"),
    ("C11", "French Defense: Classical"),
    ("C12", "French Defense: McCutcheon"),
    ("C13", "French Defense: Classical"),
    ("C15", "French Defense: Winawer"),
    ("C20", "King's Pawn Game"),
    ("C21", "Center Game"),
    ("C23", "Bishop's Opening"),
    ("C25", "Vienna Game"),
    ("C30", "King's Gambit Declined"),
    ("C31", "King's Gambit Declined: Falkbeer"),
    ("C33", "King's Gambit Accepted"),
    ("C40", "King's Knight Opening"),
    ("C41", "Philidor Defense"),
    ("C42", "Petrov's Defense"),
    ("C44", "King's Pawn Game: Ponziani and Scotch Gambit"),
    ("C45", "Scotch Game"),
    ("C46", "Three Knights Opening"),
    ("C47", "Four Knights Game"),
    ("C50", "Italian Game"),
    ("C51", "Italian Game: Evans Gambit"),
    ("C53", "Italian Game"),
    ("C55", "Italian Game: Two Knights Defense"),
    ("C60", "Ruy Lopez"),
    ("C61", "Ruy Lopez: Bird"),
    ("C62", "Ruy Lopez: Old Steinitz"),
    ("C63", "Ruy Lopez: Schliemann"),
    ("C64", "Ruy Lopez: Classical"),
    ("C65", "Ruy Lopez: Berlin"),
    ("C68", "Ruy Lopez: Exchange"),
    ("C70", "Ruy Lopez"),
    ("C71", "Ruy Lopez: Modern Steinitz"),
    ("C77", "Ruy Lopez: Morphy Defense"),
    ("C80", "Ruy Lopez: Open"),
    ("C84", "Ruy Lopez: Closed"),
    ("C89", "Ruy Lopez: Marshall Attack"),
    ("C90", "Ruy Lopez: Closed"),
    ("D00", "Queen's Pawn Game"),
    ("D01", "Richter-Veresov Attack"),
    ("D02", "Queen's Pawn Game"),
    ("D03", "Torre Attack"),
    ("D04", "Colle System"),
    ("D06", "Queen's Gambit"),
    ("D07", "Queen's Gambit: Chigorin Defense"),
    ("D08", "Queen's Gambit: Albin Countergambit"),
    ("D10", "Slav Defense"),
    ("D20", "Queen's Gambit Accepted"),
    ("D30", "Queen's Gambit Declined"),
    ("D32", "Queen's Gambit Declined: Tarrasch"),
    ("D35", "Queen's Gambit Declined"),
    ("D38", "Queen's Gambit Declined: Ragozin"),
    ("D40", "Queen's Gambit Declined: Semi-Tarrasch"),
    ("D43", "Semi-Slav Defense"),
    ("D50", "Queen's Gambit Declined"),
    ("D52", "Queen's Gambit Declined: Cambridge Springs"),
    ("D53", "Queen's Gambit Declined"),
    ("D56", "Queen's Gambit Declined: Lasker"),
    ("D58", "Queen's Gambit Declined: Tartakower"),
    ("D60", "Queen's Gambit Declined: Orthodox"),
    ("D70", "Neo-Grünfeld Defense"),
    ("D80", "Grünfeld Defense"),
    ("D85", "Grünfeld Defense: Exchange"),
    ("D90", "Grünfeld Defense"),
    ("D96", "Grünfeld Defense: Russian"),
    ("E00", "Indian Defense: Catalan and Others"),
    ("E01", "Catalan Opening"),
    ("E10", "Indian Defense: Blumenfeld and Others"),
    ("E11", "Bogo-Indian Defense"),
    ("E12", "Queen's Indian Defense"),
    ("E20", "Nimzo-Indian Defense"),
    ("E21", "Nimzo-Indian Defense: Three Knights"),
    ("E22", "Nimzo-Indian Defense: Spielmann"),
    ("E24", "Nimzo-Indian Defense: Sämisch"),
    ("E30", "Nimzo-Indian Defense: Leningrad"),
    ("E32", "Nimzo-Indian Defense: Classical"),
    ("E40", "Nimzo-Indian Defense: Rubinstein"),
    ("E60", "King's Indian Defense"),
    ("E62", "King's Indian Defense: Fianchetto"),
    ("E70", "King's Indian Defense"),
    ("E73", "King's Indian Defense: Averbakh"),
    ("E76", "King's Indian Defense: Four Pawns"),
    ("E80", "King's Indian Defense: Sämisch"),
    ("E90", "King's Indian Defense"),
    ("E92", "King's Indian Defense: Petrosian and Classical"),
    ("E97", "King's Indian Defense: Mar del Plata"),
];

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn codes_have_the_name_of_their_range() {
        for (code, name) in [
            ("A00", "Irregular Opening"),
            ("B96", "Sicilian Defense: Najdorf"),
            ("C67", "Ruy Lopez: Berlin"),
            ("C99", "Ruy Lopez: Closed"),
            ("D37", "Queen's Gambit Declined"),
            ("E99", "King's Indian Defense: Mar del Plata"),
            // A sub-code.
            ("B33/08", "Sicilian Defense: Sveshnikov"),
        ] {
            assert_eq!(opening(code), Some(name), "{code}");
        }
    }

    #[test]
    fn what_is_no_code_has_no_name() {
        for code in ["", "?", "B9", "F00", "b33", "C6x", "Aé", "Aéé"] {
            assert_eq!(opening(code), None, "{code}");
        }
    }

    #[test]
    fn names_begin_as_those_of_positions_do() {
        let family = |name: &'static str| name.split_once(": ").map_or(name, |(family, _)| family);
        let families = |line: &'static str| family(line.split('\t').nth(1).unwrap());
        let known: HashSet<&str> = super::super::NAMES.lines().map(families).collect();
        for (code, name) in OPENINGS {
            let is_collective = *name == "Irregular Opening";
            assert!(is_collective || known.contains(family(name)), "{code} {name}");
        }
    }

    #[test]
    fn ranges_are_sorted() {
        assert!(OPENINGS.is_sorted_by(|(a, _), (b, _)| a < b));
    }
}
