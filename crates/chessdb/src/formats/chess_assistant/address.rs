//! Tables that map ids to addresses: `.a02`, and the `.a01` files in the EMB (sections 3.6 and 5).

/// Maximum number of redirects that are followed.
const MOST_REDIRECTS: u32 = 256;

/// The address of an id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Found {
    /// The id after all redirects.
    pub(super) id: u32,
    pub(super) address: u32,
}

/// Why an id has no address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lost {
    /// The table has no entry with this number.
    Outside(u32),
    /// Redirects from the id do not end.
    Endless,
}

/// Resolves an id. Entries of 0 and above are addresses; a negative entry is the negated id of another entry.
#[inline]
pub(super) fn follow(mut id: u32, entry: impl Fn(u32) -> Option<i32>) -> Result<Found, Lost> {
    for _ in 0..=MOST_REDIRECTS {
        let value = entry(id).ok_or(Lost::Outside(id))?;
        match u32::try_from(value) {
            Ok(address) => return Ok(Found { id, address }),
            // The absolute value of -2147483648 is an id that no table contains.
            Err(_) => id = value.unsigned_abs(),
        }
    }
    Err(Lost::Endless)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn redirects_lead_to_an_address_or_fail() {
        let table = [5, -3, -2, -4, 0, i32::MIN];
        let entry = |id: u32| table.get(id as usize).copied();
        let found = |id, address| Ok(Found { id, address });
        assert_eq!(follow(0, entry), found(0, 5));
        assert_eq!(follow(4, entry), found(4, 0));
        assert_eq!(follow(1, entry), found(4, 0));
        assert_eq!(follow(2, entry), Err(Lost::Endless));
        assert_eq!(follow(5, entry), Err(Lost::Outside(1 << 31)));
        assert_eq!(follow(6, entry), Err(Lost::Outside(6)));
    }

    #[test]
    fn at_most_256_redirects_are_followed() {
        let end_of = |redirects: i32| {
            let entry = |id: u32| {
                let id = i32::try_from(id).unwrap();
                Some(if id < redirects { -(id + 1) } else { 7 })
            };
            follow(0, entry)
        };
        assert_eq!(end_of(255), Ok(Found { id: 255, address: 7 }));
        assert_eq!(end_of(256), Ok(Found { id: 256, address: 7 }));
        assert_eq!(end_of(257), Err(Lost::Endless));
    }
}
