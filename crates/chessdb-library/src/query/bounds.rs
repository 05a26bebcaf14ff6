//! Ranges of numbers.

use std::fmt;
use std::str::FromStr;

/// A range of integers with both ends included. An end that is missing is open.
///
/// ```
/// use chessdb_library::query::Bounds;
///
/// let bounds: Bounds = "2500..".parse().unwrap();
/// assert!(bounds.contains(2500) && !bounds.contains(2499));
/// assert_eq!("-3..1".parse::<Bounds>().unwrap().to_string(), "-3..1");
/// assert!("2..1".parse::<Bounds>().is_err());
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Bounds {
    /// The smallest number.
    pub least: Option<i64>,
    /// The largest number.
    pub most: Option<i64>,
}

impl Bounds {
    /// A single number.
    pub fn exactly(number: i64) -> Bounds {
        Bounds {
            least: Some(number),
            most: Some(number),
        }
    }

    /// True if a number is in the range.
    #[inline]
    pub fn contains(self, number: i64) -> bool {
        self.least.is_none_or(|least| least <= number) && self.most.is_none_or(|most| number <= most)
    }

    /// The range of the same numbers with the opposite sign.
    pub(super) fn negated(self) -> Bounds {
        Bounds {
            least: self.most.map(i64::saturating_neg),
            most: self.least.map(i64::saturating_neg),
        }
    }
}

impl FromStr for Bounds {
    type Err = BoundsError;

    /// Reads `a`, `a..b`, `a..` or `..b`.
    fn from_str(text: &str) -> Result<Bounds, BoundsError> {
        let number = |text: &str| text.parse().map_err(|_| BoundsError::NotANumber);
        let end = |text: &str| match text {
            "" => Ok(None),
            _ => number(text).map(Some),
        };
        let Some((least, most)) = text.split_once("..") else {
            return Ok(Bounds::exactly(number(text)?));
        };
        let bounds = Bounds {
            least: end(least)?,
            most: end(most)?,
        };
        match (bounds.least, bounds.most) {
            (None, None) => Err(BoundsError::NotANumber),
            (Some(least), Some(most)) if least > most => Err(BoundsError::Reversed),
            _ => Ok(bounds),
        }
    }
}

impl fmt::Display for Bounds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let (Some(least), Some(most)) = (self.least, self.most)
            && least == most
        {
            return write!(f, "{least}");
        }
        if let Some(least) = self.least {
            write!(f, "{least}")?;
        }
        f.write_str("..")?;
        self.most.map_or(Ok(()), |most| write!(f, "{most}"))
    }
}

/// Reason why a text is not a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BoundsError {
    /// An end is not an integer, or both are missing.
    NotANumber,
    /// The first number is larger than the second.
    Reversed,
}

impl fmt::Display for BoundsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            BoundsError::NotANumber => "expected a number or a range such as 20..40, 20.. or ..40",
            BoundsError::Reversed => "the range is the wrong way round: the smaller number comes first",
        })
    }
}

impl std::error::Error for BoundsError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_include_their_ends() {
        for (text, has, has_not) in [
            ("7", vec![7], vec![6, 8]),
            ("2..4", vec![2, 3, 4], vec![1, 5]),
            ("-4..-2", vec![-4, -2], vec![-5, -1]),
            ("..0", vec![i64::MIN, 0], vec![1]),
            ("5..", vec![5, i64::MAX], vec![4]),
        ] {
            let bounds: Bounds = text.parse().unwrap();
            assert!(has.into_iter().all(|number| bounds.contains(number)), "{text}");
            assert!(
                !has_not.into_iter().any(|number| bounds.contains(number)),
                "{text}"
            );
            assert_eq!(bounds.to_string(), text);
            assert_eq!(bounds.negated().negated(), bounds);
        }
        assert_eq!("3..3".parse::<Bounds>().unwrap().to_string(), "3");
        assert!("1..2".parse::<Bounds>().unwrap().negated().contains(-2));
    }

    #[test]
    fn other_texts_are_no_ranges() {
        for text in ["", "..", "x", "1..x", "1...2", "1-2", "99999999999999999999"] {
            assert_eq!(text.parse::<Bounds>(), Err(BoundsError::NotANumber), "{text}");
        }
        assert_eq!("2..1".parse::<Bounds>(), Err(BoundsError::Reversed));
    }
}
