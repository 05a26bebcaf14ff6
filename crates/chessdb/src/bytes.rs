//! Bounds-checked reading of integers from bytes. No function panics, and every name states the byte order.

macro_rules! integers {
    ($($(#[$doc:meta])* $name:ident: $type:ty, $size:literal, $from:ident;)*) => {$(
        $(#[$doc])*
        #[inline]
        pub fn $name(data: &[u8], offset: usize) -> Option<$type> {
            let bytes = data.get(offset..)?.first_chunk::<$size>()?;
            Some(<$type>::$from(*bytes))
        }
    )*};
}

integers! {
    /// Big-endian 16-bit integer at `offset`; `None` if it does not fit into `data`.
    be_u16: u16, 2, from_be_bytes;
    /// Big-endian 32-bit integer at `offset`; `None` if it does not fit into `data`.
    be_u32: u32, 4, from_be_bytes;
    /// Big-endian 64-bit integer at `offset`; `None` if it does not fit into `data`.
    be_u64: u64, 8, from_be_bytes;
    /// Little-endian 16-bit integer at `offset`; `None` if it does not fit into `data`.
    le_u16: u16, 2, from_le_bytes;
    /// Little-endian 32-bit integer at `offset`; `None` if it does not fit into `data`.
    le_u32: u32, 4, from_le_bytes;
    /// Little-endian 64-bit integer at `offset`; `None` if it does not fit into `data`.
    le_u64: u64, 8, from_le_bytes;
}

/// `len` bytes from `offset`; `None` if they do not fit into `data`.
#[inline]
pub fn slice(data: &[u8], offset: usize, len: usize) -> Option<&[u8]> {
    data.get(offset..)?.get(..len)
}

/// Converts an offset to an index. An offset that this machine cannot address becomes one beyond the end of
/// any file.
#[inline]
pub fn index(offset: u64) -> usize {
    usize::try_from(offset).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_have_the_order_of_their_name() {
        let data = [1, 2, 3, 4, 5, 6, 7, 8];
        assert_eq!(be_u16(&data, 1), Some(0x0203));
        assert_eq!(le_u16(&data, 1), Some(0x0302));
        assert_eq!(be_u32(&data, 4), Some(0x0506_0708));
        assert_eq!(le_u32(&data, 0), Some(0x0403_0201));
        assert_eq!(be_u64(&data, 0), Some(0x0102_0304_0506_0708));
        assert_eq!(le_u64(&data, 0), Some(0x0807_0605_0403_0201));
    }

    #[test]
    fn integers_beyond_the_end_are_none() {
        let data = [0; 8];
        assert_eq!(be_u16(&data, 7), None);
        assert_eq!(be_u64(&data, 1), None);
        assert_eq!(le_u32(&data, usize::MAX), None);
        assert_eq!(slice(&data, 4, 5), None);
        assert_eq!(slice(&data, 9, 0), None);
        assert_eq!(slice(&data, 8, 0), Some(&[][..]));
        assert_eq!(slice(&data, 1, usize::MAX), None);
    }
}
