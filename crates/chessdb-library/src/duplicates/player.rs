//! Names of players, compared by surname and initial.

use crate::spelling::folded;

/// Names that mean an unknown player, as one word in small letters.
const UNKNOWN: [&str; 3] = ["nn", "unknown", "anonymous"];

/// A player's name, with all readings as surname and initial.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Player {
    readings: Vec<SurnameAndInitial>,
    /// The digits in the name and the signs between them, as in the versions of programs.
    version: String,
}

/// A surname, and the first letter of the first given name if there is one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SurnameAndInitial {
    /// The words of the surname in small letters without accents, with spaces between them.
    pub(super) surname: String,
    initial: Option<char>,
}

impl Player {
    /// Reads a name. `None` for an unknown player.
    ///
    /// The surname is in front of a comma. Without a comma, the surname can be the first or the last word, or all
    /// words.
    pub(super) fn read(name: &str) -> Option<Player> {
        let (surname, given) = name.split_once(',').unwrap_or((name, ""));
        let (surname, given) = (words(surname), words(given));
        if surname.is_empty() || UNKNOWN.contains(&surname.concat().as_str()) {
            return None;
        }
        let reading = |surname: &[String], given: &[String]| SurnameAndInitial {
            surname: surname.join(" "),
            initial: given.first().and_then(|word| word.chars().next()),
        };
        let mut readings = vec![reading(&surname, &given)];
        if !name.contains(',') && surname.len() > 1 {
            let (first, last) = (surname.split_first(), surname.split_last());
            let is_initial = |word: &String| word.chars().count() == 1;
            // After a surname of several words, words of one letter are initials.
            let before = surname.iter().take_while(|word| !is_initial(word)).count();
            if (1..surname.len()).contains(&before) {
                readings.push(reading(&surname[..before], &surname[before..]));
            }
            readings.extend(first.map(|(first, rest)| reading(std::slice::from_ref(first), rest)));
            readings.extend(last.map(|(last, rest)| reading(std::slice::from_ref(last), rest)));
        }
        Some(Player {
            readings,
            version: version(name).to_owned(),
        })
    }

    /// The readings of the name as surname and initial.
    pub(super) fn readings(&self) -> &[SurnameAndInitial] {
        &self.readings
    }

    /// True if the name has an initial in its first reading.
    pub(super) fn has_initial(&self) -> bool {
        self.readings
            .first()
            .is_some_and(|reading| reading.initial.is_some())
    }

    /// True for a name with a digit, as programs have.
    pub(super) fn is_program(&self) -> bool {
        !self.version.is_empty()
    }

    /// True if both names can belong to one player: the same surname, and no other initial or version.
    pub(super) fn agrees(&self, other: &Player) -> bool {
        let agree = |a: &SurnameAndInitial, b: &SurnameAndInitial| {
            let may_be_equal = a.initial.is_none() || b.initial.is_none() || a.initial == b.initial;
            a.surname == b.surname && may_be_equal
        };
        let mut readings = self.readings.iter();
        let is_version = !self.is_program() || !other.is_program() || self.version == other.version;
        is_version && readings.any(|a| other.readings.iter().any(|b| agree(a, b)))
    }

    /// True if both names can belong to one player, where two long games have the same moves. A person's name may be
    /// spelled in any way (`Tschigorin`, `Chigorin`), or have changed, because people do not repeat a long game. Programs
    /// do, so their names never match. If neither name is known to be a person's, the surnames must be similar.
    pub(super) fn is_alike(&self, other: &Player) -> bool {
        if self.is_program() || other.is_program() || self.is_other_version(other) {
            return false;
        }
        if self.is_person() || other.is_person() {
            return true;
        }
        let are_alike = |a: &str, b: &str| {
            let most = a.chars().count().max(b.chars().count()) / 3;
            a == b || a.chars().next() == b.chars().next() && strsim::levenshtein(a, b) <= most
        };
        let mut readings = self.readings.iter();
        readings.any(|a| other.readings.iter().any(|b| are_alike(&a.surname, &b.surname)))
    }

    /// True for a name with a comma and a given name.
    fn is_person(&self) -> bool {
        self.readings.len() == 1 && self.has_initial()
    }

    /// True if two names of several words, without commas, start with the same word and continue differently, as
    /// versions of a program do: `Mephisto Lyon` and `Mephisto Vancouver`.
    fn is_other_version(&self, other: &Player) -> bool {
        fn words(player: &Player) -> Option<(&str, &str)> {
            let whole = player.readings.first().filter(|_| player.readings.len() > 1)?;
            whole.surname.split_once(' ')
        }
        let both = words(self).zip(words(other));
        both.is_some_and(|((first, rest), (same, other))| first == same && rest != other)
    }
}

/// The version of a program: the part of a name from its first digit to its last one.
fn version(name: &str) -> &str {
    let is_digit = |c: char| c.is_ascii_digit();
    let range = name.find(is_digit).zip(name.rfind(is_digit));
    range
        .and_then(|(first, last)| name.get(first..=last))
        .unwrap_or_default()
}

/// The words of a name, in small letters and without accents. An apostrophe is part of a word.
pub(super) fn words(text: &str) -> Vec<String> {
    let folded = folded(&text.replace(['\'', '’'], ""));
    crate::spelling::words(&folded).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn agree(a: &str, b: &str) -> bool {
        let player = |name| Player::read(name).unwrap();
        let (a, b) = (player(a), player(b));
        assert_eq!(a.agrees(&b), b.agrees(&a));
        a.agrees(&b)
    }

    #[test]
    fn surname_and_initial_decide() {
        for (a, b) in [
            ("Kasparov, Garry", "Kasparov,G"),
            ("Kasparov, Garry", "Kasparov"),
            ("Kasparov, Garry", "KASPAROV, Gary K."),
            ("Kasparov, Garry", "Garry Kasparov"),
            ("Kasparov, Garry", "Kasparov G"),
            ("Kasparov, Garry", "G. Kasparov"),
            ("Engine X 1.0", "Engine X"),
            ("Müller, Karsten", "Muller, K"),
            ("O'Kelly de Galway, Alberic", "OKelly de Galway A"),
            ("Van der Wiel, John", "van der Wiel J"),
            ("Hübner, R", "Hu\u{308}bner, Robert"),
        ] {
            assert!(agree(a, b), "{a} {b}");
        }
        for (a, b) in [
            ("Kasparov, Garry", "Kasparov, Sergey"),
            ("Kasparov, Garry", "Karpov, G"),
            ("Polgar, Judit", "Polgar, Zsuzsa"),
            ("Deep Blue", "Deep Thought"),
            ("Adams, Michael", "Michael, Adams J"),
            ("Engine X 1.0", "Engine X 1.1"),
        ] {
            assert!(!agree(a, b), "{a} {b}");
        }
    }

    #[test]
    fn spellings_of_surnames_are_alike() {
        let alike = |a: &str, b: &str| {
            let [a, b] = [a, b].map(|name| Player::read(name).unwrap());
            assert_eq!(a.is_alike(&b), b.is_alike(&a));
            a.is_alike(&b)
        };
        for (a, b) in [
            ("Fischer, Robert James", "Fischer, Bobby"),
            ("Kortschnoj, Viktor", "Korchnoi, V"),
            ("Robert Fischer", "Fischer Bobby"),
            ("Tschigorin, Mikhail", "Chigorin, Mikhail I"),
            ("Aljechin, A", "Alekhine"),
            ("Polgar, Zsuzsa", "Susan Truong"),
        ] {
            assert!(alike(a, b), "{a} {b}");
        }
        for (a, b) in [
            ("Engine X 1.0", "Engine X 1.1"),
            ("Engine X 1.0", "Other"),
            ("Stockfish 16", "Stockfish"),
            ("Polgar, Zsuzsa", "Stockfish 16"),
            ("Tal", "Kan"),
            ("Karpov", "Kasparov"),
            ("Engine-dev", "Engine-base"),
            ("Mephisto Lyon", "Mephisto Vancouver"),
            ("Rybka a", "Rybka b"),
        ] {
            assert!(!alike(a, b), "{a} {b}");
        }
    }

    #[test]
    fn some_names_are_unknown() {
        for name in ["", "?", "NN", "N.N.", "N N", ",", " , Garry", "Unknown"] {
            assert_eq!(Player::read(name), None, "{name}");
        }
        assert!(Player::read("?, Garry").is_none());
        assert!(Player::read("Nn, Garry").is_none());
    }
}
