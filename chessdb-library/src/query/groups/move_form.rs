//! A pattern of the forms of moves, in which `*` is any signs and `?` one.

/// The longest pattern, in bytes: the ten of the longest form, `Pe7xnf8=Q#`, with a star around each.
pub(super) const LONGEST_PATTERN: usize = 21;

/// The signs at the end of a form: none, check, and mate, which is a check, too.
pub(super) const SIGNS: usize = 3;

/// A pattern, which is compared with the signs of a form one after the other.
#[derive(Clone, Debug)]
pub(super) struct FormPattern {
    text: String,
    /// The places of stars, a bit for each.
    stars: u32,
    /// For each sign of ASCII, the places where it or a question mark is.
    places: [u32; 128],
}

#[cfg(test)]
thread_local! {
    /// How many signs this thread has compared.
    pub(super) static COMPARED: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

/// The places in a pattern to which the beginning of a form leads: a bit for each, and one for its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FormState(u32);

impl FormState {
    /// No form begins like this.
    pub(super) const NONE: FormState = FormState(0);
}

impl FormPattern {
    /// Reads a pattern; `None` if it is too long.
    pub(super) fn parse(text: &str) -> Option<FormPattern> {
        let mut pattern = text.to_owned();
        let mut last = None;
        // Stars that follow each other are one.
        pattern.retain(|sign| last.replace(sign) != Some('*') || sign != '*');
        if pattern.len() > LONGEST_PATTERN {
            return None;
        }
        let (mut stars, mut any, mut places) = (0, 0, [0; 128]);
        for (place, sign) in pattern.bytes().enumerate() {
            match sign {
                b'*' => stars |= 1 << place,
                b'?' => any |= 1 << place,
                sign => {
                    if let Some(places) = places.get_mut(usize::from(sign)) {
                        *places |= 1 << place;
                    }
                }
            }
        }
        Some(FormPattern {
            text: pattern,
            stars,
            places: places.map(|places: u32| places | any),
        })
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// True if a move with a sign of check may match and the same without one not, or the other way round.
    pub(super) fn says_of_check(&self) -> bool {
        self.text.ends_with(['*', '+', '#']) && self.text != "*"
    }

    /// Where a form begins.
    pub(super) fn start(&self) -> FormState {
        self.with_stars(1)
    }

    /// Where the next sign of a form leads.
    pub(super) fn step(&self, FormState(state): FormState, sign: u8) -> FormState {
        #[cfg(test)]
        COMPARED.with(|compared| compared.set(compared.get() + 1));
        let own = self.places.get(usize::from(sign)).copied().unwrap_or(0);
        self.with_stars((state & own) << 1 | state & self.stars)
    }

    /// Whether a form that ends here matches without a sign, with the sign of check, and with the sign of mate.
    pub(super) fn ends(&self, state: FormState) -> [bool; SIGNS] {
        let is_end = |FormState(state): FormState| state >> self.text.len() & 1 == 1;
        let [plain, check, mate] = [
            is_end(state),
            is_end(self.step(state, b'+')),
            is_end(self.step(state, b'#')),
        ];
        [plain, check, check || mate]
    }

    /// A star may be no sign at all. No other follows it.
    fn with_stars(&self, state: u32) -> FormState {
        FormState(state | (state & self.stars) << 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_stand_for_others() {
        for (pattern, text, is_it) in [
            ("*", "", true),
            ("*#", "Qh5xpf7#", true),
            ("*#", "Qh5xpf7+", false),
            ("*xq*", "Pe5xqd6", true),
            ("N*-?6*", "Ng4-f6+", true),
            ("N*-?6*", "Ng4xpf6", false),
            ("????-f3", "Ng1-f3", false),
            ("???-f3", "Ng1-f3", true),
            ("*a*b*a", "abba", true),
            ("*a*b*c", "abba", false),
            ("**a***b", "xaab", true),
            ("*a?*", "ba", false),
        ] {
            let pattern = FormPattern::parse(pattern).unwrap();
            let state = text
                .bytes()
                .fold(pattern.start(), |state, sign| pattern.step(state, sign));
            assert_eq!(pattern.ends(state)[0], is_it, "{pattern:?} {text}");
        }
    }

    #[test]
    fn a_pattern_has_at_most_21_signs() {
        let longest = "?".repeat(LONGEST_PATTERN);
        let pattern = FormPattern::parse(&longest).unwrap();
        let state = longest
            .bytes()
            .fold(pattern.start(), |state, sign| pattern.step(state, sign));
        assert!(pattern.ends(state)[0]);
        assert!(FormPattern::parse(&format!("{longest}?")).is_none());
    }
}
