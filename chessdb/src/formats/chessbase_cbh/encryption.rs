//! The encryption of `.cbz` archives (section 12.4): DES, each block of eight bytes for itself.
//!
//! The key is a password of eight bytes in Windows-1252. A shorter one is repeated; of a longer one each further byte
//! is combined by XOR with twice the key byte at its place modulo 8.

use des::Des;
use des::cipher::{BlockCipherDecrypt, KeyInit};

/// Bytes of a block, and of a key.
pub(super) const BLOCK: usize = 8;

/// The key that a password stands for. A long one is folded, a short one repeated.
///
/// None for an empty one.
pub(super) fn key(password: &[u8]) -> Option<Des> {
    folded(password).map(|key| Des::new(&key.into()))
}

fn folded(password: &[u8]) -> Option<[u8; BLOCK]> {
    let mut key = [0u8; BLOCK];
    if password.is_empty() {
        return None;
    }
    if password.len() > BLOCK {
        for (place, &byte) in (0..BLOCK).cycle().zip(password) {
            if let Some(sum) = key.get_mut(place) {
                *sum = sum.wrapping_mul(2) ^ byte;
            }
        }
    } else {
        for (to, &from) in key.iter_mut().zip(password.iter().cycle()) {
            *to = from;
        }
    }
    Some(key)
}

/// Decrypts a block.
pub(super) fn decrypt(key: &Des, block: [u8; BLOCK]) -> [u8; BLOCK] {
    let mut block = block.into();
    key.decrypt_block(&mut block);
    block.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_decrypted() {
        let key = Des::new(&0x1334_5779_9bbc_dff1u64.to_be_bytes().into());
        let block = 0x85e8_1354_0f0a_b405u64.to_be_bytes();
        assert_eq!(u64::from_be_bytes(decrypt(&key, block)), 0x0123_4567_89ab_cdef);
    }

    #[test]
    fn passwords_become_keys() {
        assert_eq!(folded(b"pass"), Some(*b"passpass"));
        let long = 0xaa93_33ab_a9b3_bc24u64.to_be_bytes();
        assert_eq!(folded(b"my long password"), Some(long));
        assert!(key(b"").is_none());
    }
}
