//! The eight readings of the ambiguous description. Trial decides which of them fits a database (section 8).

use super::steps::Files;

/// The meaning of kinds 1 and 2 of a promoting pawn's step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kinds {
    AsListed,
    Swapped,
}

/// The place of a variation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    /// Before the move that it replaces.
    Before,
    /// After it.
    After,
}

/// A reading of the codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct CodeReading {
    pub(super) files: Files,
    pub(super) kinds: Kinds,
    pub(super) variations: Side,
}

impl CodeReading {
    /// The reading that is tried first, and used if no other fits better.
    pub(super) const DEFAULT: CodeReading = CodeReading {
        files: Files::Right,
        kinds: Kinds::AsListed,
        variations: Side::Before,
    };

    /// All readings, the default first.
    pub(super) fn all() -> impl Iterator<Item = CodeReading> {
        let files = [Files::Right, Files::Left].into_iter();
        files.flat_map(|files| {
            let kinds = [Kinds::AsListed, Kinds::Swapped].into_iter();
            kinds.flat_map(move |kinds| {
                [Side::Before, Side::After].map(|variations| CodeReading {
                    files,
                    kinds,
                    variations,
                })
            })
        })
    }

    /// The name, such as `right/as-listed/before`.
    pub(super) fn name(self) -> String {
        let files = match self.files {
            Files::Right => "right",
            Files::Left => "left",
        };
        let kinds = match self.kinds {
            Kinds::AsListed => "as-listed",
            Kinds::Swapped => "swapped",
        };
        let variations = match self.variations {
            Side::Before => "before",
            Side::After => "after",
        };
        format!("{files}/{kinds}/{variations}")
    }

    pub(super) fn named(name: &str) -> Option<CodeReading> {
        CodeReading::all().find(|reading| reading.name() == name)
    }

    /// The kind of a promoting pawn's step, as in pawn codes.
    #[inline]
    pub(super) fn pawn_kind(self, stored: u8) -> u8 {
        match (self.kinds, stored) {
            (Kinds::Swapped, 1) => 2,
            (Kinds::Swapped, 2) => 1,
            _ => stored,
        }
    }
}

/// The reading in which most games of the sample are clean, as counted by `clean`. In a tie the default wins,
/// otherwise the earlier reading.
pub(super) fn choose(sample: usize, clean: impl Fn(CodeReading) -> usize) -> CodeReading {
    let mut best = (clean(CodeReading::DEFAULT), CodeReading::DEFAULT);
    if best.0 == sample {
        return best.1;
    }
    for reading in CodeReading::all().skip(1) {
        let count = clean(reading);
        if count > best.0 {
            best = (count, reading);
        }
    }
    best.1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn readings_have_names() {
        let names: Vec<String> = CodeReading::all().map(CodeReading::name).collect();
        assert_eq!(names.len(), 8);
        assert_eq!(names[0], "right/as-listed/before");
        assert_eq!(names[3], "right/swapped/after");
        assert_eq!(names[7], "left/swapped/after");
        assert_eq!(
            CodeReading::named("left/as-listed/before").map(CodeReading::name),
            Some(names[4].clone())
        );
        assert_eq!(CodeReading::named("left"), None);
    }

    #[test]
    fn most_clean_games_win() {
        let counts = |reading: CodeReading| match reading.name().as_str() {
            "right/swapped/before" | "left/swapped/after" => 7,
            _ => 3,
        };
        assert_eq!(choose(8, counts).name(), "right/swapped/before");
        assert_eq!(choose(8, |_| 3), CodeReading::DEFAULT);
        assert_eq!(choose(3, counts), CodeReading::DEFAULT);
    }
}
