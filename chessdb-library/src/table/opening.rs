//! Names of openings by their ECO codes.

/// The name of an opening: that of the range of codes in which its code is. `None` if it is no ECO code.
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

/// The first code of each range, sorted, with the name of the opening. The codes are those of the Encyclopaedia of
/// Chess Openings, the names are those in general use.
const OPENINGS: &[(&str, &str)] = &[
    ("A00", "Irregular Opening"),
    ("A01", "Nimzowitsch-Larsen Attack"),
    ("A02", "Bird's Opening"),
    ("A04", "Réti Opening"),
    ("A07", "King's Indian Attack"),
    ("A09", "Réti Opening"),
    ("A10", "English Opening"),
    ("A20", "English Opening, King's English"),
    ("A30", "English Opening, Symmetrical"),
    ("A40", "Queen's Pawn Game"),
    ("A42", "Modern Defence, Averbakh System"),
    ("A43", "Old Benoni Defence"),
    ("A45", "Queen's Pawn Game, Indian Defence"),
    ("A47", "Queen's Pawn Game, Queen's Indian"),
    ("A48", "Queen's Pawn Game, East Indian"),
    ("A50", "Indian Defence"),
    ("A51", "Budapest Gambit"),
    ("A53", "Old Indian Defence"),
    ("A56", "Benoni Defence"),
    ("A57", "Benko Gambit"),
    ("A60", "Modern Benoni"),
    ("A80", "Dutch Defence"),
    ("A82", "Dutch Defence, Staunton Gambit"),
    ("A84", "Dutch Defence"),
    ("A87", "Dutch Defence, Leningrad"),
    ("A90", "Dutch Defence, Stonewall and Classical"),
    ("B00", "King's Pawn, Uncommon Defence"),
    ("B01", "Scandinavian Defence"),
    ("B02", "Alekhine's Defence"),
    ("B06", "Modern Defence"),
    ("B07", "Pirc Defence"),
    ("B10", "Caro-Kann Defence"),
    ("B12", "Caro-Kann Defence, Advance and Others"),
    ("B13", "Caro-Kann Defence, Exchange"),
    ("B14", "Caro-Kann Defence, Panov Attack"),
    ("B15", "Caro-Kann Defence"),
    ("B18", "Caro-Kann Defence, Classical"),
    ("B20", "Sicilian Defence"),
    ("B22", "Sicilian Defence, Alapin"),
    ("B23", "Sicilian Defence, Closed"),
    ("B27", "Sicilian Defence"),
    ("B30", "Sicilian Defence, Old Sicilian and Rossolimo"),
    ("B32", "Sicilian Defence"),
    ("B33", "Sicilian Defence, Sveshnikov"),
    ("B34", "Sicilian Defence, Accelerated Dragon"),
    ("B36", "Sicilian Defence, Maróczy Bind"),
    ("B40", "Sicilian Defence"),
    ("B41", "Sicilian Defence, Kan"),
    ("B44", "Sicilian Defence, Taimanov"),
    ("B50", "Sicilian Defence"),
    ("B51", "Sicilian Defence, Moscow"),
    ("B53", "Sicilian Defence"),
    ("B57", "Sicilian Defence, Classical"),
    ("B60", "Sicilian Defence, Richter-Rauzer"),
    ("B70", "Sicilian Defence, Dragon"),
    ("B80", "Sicilian Defence, Scheveningen"),
    ("B86", "Sicilian Defence, Sozin Attack"),
    ("B90", "Sicilian Defence, Najdorf"),
    ("C00", "French Defence"),
    ("C01", "French Defence, Exchange"),
    ("C02", "French Defence, Advance"),
    ("C03", "French Defence, Tarrasch"),
    ("C10", "French Defence"),
    ("C11", "French Defence, Classical"),
    ("C12", "French Defence, McCutcheon"),
    ("C13", "French Defence, Classical"),
    ("C15", "French Defence, Winawer"),
    ("C20", "King's Pawn Game"),
    ("C21", "Centre Game"),
    ("C23", "Bishop's Opening"),
    ("C25", "Vienna Game"),
    ("C30", "King's Gambit Declined"),
    ("C31", "King's Gambit Declined, Falkbeer"),
    ("C33", "King's Gambit Accepted"),
    ("C40", "King's Knight Opening"),
    ("C41", "Philidor Defence"),
    ("C42", "Petrov Defence"),
    ("C44", "King's Pawn Game, Ponziani and Scotch Gambit"),
    ("C45", "Scotch Game"),
    ("C46", "Three Knights Game"),
    ("C47", "Four Knights Game"),
    ("C50", "Italian Game"),
    ("C51", "Evans Gambit"),
    ("C53", "Italian Game"),
    ("C55", "Two Knights Defence"),
    ("C60", "Ruy Lopez"),
    ("C61", "Ruy Lopez, Bird"),
    ("C62", "Ruy Lopez, Old Steinitz"),
    ("C63", "Ruy Lopez, Schliemann"),
    ("C64", "Ruy Lopez, Classical"),
    ("C65", "Ruy Lopez, Berlin"),
    ("C68", "Ruy Lopez, Exchange"),
    ("C70", "Ruy Lopez"),
    ("C71", "Ruy Lopez, Modern Steinitz"),
    ("C77", "Ruy Lopez, Morphy Defence"),
    ("C80", "Ruy Lopez, Open"),
    ("C84", "Ruy Lopez, Closed"),
    ("C89", "Ruy Lopez, Marshall Attack"),
    ("C90", "Ruy Lopez, Closed"),
    ("D00", "Queen's Pawn Game"),
    ("D01", "Richter-Veresov Attack"),
    ("D02", "Queen's Pawn Game"),
    ("D03", "Torre Attack"),
    ("D04", "Colle System"),
    ("D06", "Queen's Gambit"),
    ("D07", "Queen's Gambit, Chigorin Defence"),
    ("D08", "Queen's Gambit, Albin Countergambit"),
    ("D10", "Slav Defence"),
    ("D20", "Queen's Gambit Accepted"),
    ("D30", "Queen's Gambit Declined"),
    ("D32", "Queen's Gambit Declined, Tarrasch"),
    ("D35", "Queen's Gambit Declined"),
    ("D38", "Queen's Gambit Declined, Ragozin"),
    ("D40", "Queen's Gambit Declined, Semi-Tarrasch"),
    ("D43", "Semi-Slav Defence"),
    ("D50", "Queen's Gambit Declined"),
    ("D52", "Queen's Gambit Declined, Cambridge Springs"),
    ("D53", "Queen's Gambit Declined"),
    ("D56", "Queen's Gambit Declined, Lasker"),
    ("D58", "Queen's Gambit Declined, Tartakower"),
    ("D60", "Queen's Gambit Declined, Orthodox"),
    ("D70", "Neo-Grünfeld Defence"),
    ("D80", "Grünfeld Defence"),
    ("D85", "Grünfeld Defence, Exchange"),
    ("D90", "Grünfeld Defence"),
    ("D96", "Grünfeld Defence, Russian"),
    ("E00", "Indian Defence, Catalan and Others"),
    ("E01", "Catalan Opening"),
    ("E10", "Indian Defence, Blumenfeld and Others"),
    ("E11", "Bogo-Indian Defence"),
    ("E12", "Queen's Indian Defence"),
    ("E20", "Nimzo-Indian Defence"),
    ("E21", "Nimzo-Indian Defence, Three Knights"),
    ("E22", "Nimzo-Indian Defence, Spielmann"),
    ("E24", "Nimzo-Indian Defence, Sämisch"),
    ("E30", "Nimzo-Indian Defence, Leningrad"),
    ("E32", "Nimzo-Indian Defence, Classical"),
    ("E40", "Nimzo-Indian Defence, Rubinstein"),
    ("E60", "King's Indian Defence"),
    ("E62", "King's Indian Defence, Fianchetto"),
    ("E70", "King's Indian Defence"),
    ("E73", "King's Indian Defence, Averbakh"),
    ("E76", "King's Indian Defence, Four Pawns"),
    ("E80", "King's Indian Defence, Sämisch"),
    ("E90", "King's Indian Defence"),
    ("E92", "King's Indian Defence, Petrosian and Classical"),
    ("E97", "King's Indian Defence, Mar del Plata"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_have_the_name_of_their_range() {
        for (code, name) in [
            ("A00", "Irregular Opening"),
            ("B96", "Sicilian Defence, Najdorf"),
            ("C67", "Ruy Lopez, Berlin"),
            ("C99", "Ruy Lopez, Closed"),
            ("D37", "Queen's Gambit Declined"),
            ("E99", "King's Indian Defence, Mar del Plata"),
            // A sub-code.
            ("B33/08", "Sicilian Defence, Sveshnikov"),
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
    fn ranges_are_sorted() {
        assert!(OPENINGS.is_sorted_by(|(a, _), (b, _)| a < b));
    }
}
