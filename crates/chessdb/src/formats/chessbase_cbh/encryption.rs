//! The encryption of `.cbz` archives (section 12.4): DES, with each block of eight bytes encrypted separately.
//!
//! The key is a password of eight bytes in Windows-1252. A shorter password is repeated. In a longer one, each further
//! byte is combined by XOR with twice the key byte at its place modulo 8.

use std::sync::Arc;

use des::Des;
use des::cipher::{BlockCipherDecrypt, KeyInit};

use crate::database::{NotADatabase, Passwords};
use crate::files::SourceFile;
use crate::problem::Remedy;

/// Bytes of a block, and of a key.
const BLOCK: usize = 8;

/// After this many blocks, decryption checks whether the file is lost.
const BLOCKS_AT_ONCE: usize = 1 << 16;

/// The contents of an encrypted archive, decrypted with the first password that gives a valid head.
pub(super) fn decrypted(
    archive: &SourceFile,
    passwords: &Passwords,
    is_head: impl Fn(&[u8]) -> bool,
) -> Result<SourceFile, NotADatabase> {
    let (blocks, _) = archive.bytes.as_chunks::<{ BLOCK }>();
    let head = blocks
        .first()
        .ok_or_else(|| NotADatabase::new("the file is empty"))?;
    let mut keys = passwords.iter().filter_map(key_of);
    let key = keys.find(|key| is_head(&decrypt(key, *head)));
    let key = key.ok_or_else(|| {
        let reason = if passwords.is_empty() {
            "no password is known"
        } else {
            "no password that is known opens it"
        };
        NotADatabase::new(format!("the archive is encrypted, and {reason}")).with_remedy(Remedy::Password)
    })?;
    let mut plain = Vec::with_capacity(archive.data_len());
    for (number, block) in blocks.iter().enumerate() {
        if number % BLOCKS_AT_ONCE == 0 && archive.bytes.is_lost() {
            break;
        }
        plain.extend(decrypt(&key, *block));
    }
    Ok(SourceFile {
        name: archive.name.clone(),
        bytes: Arc::new(plain),
    })
}

/// The key for a password; `None` for an empty one.
fn key_of(password: &[u8]) -> Option<Des> {
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
fn decrypt(key: &Des, block: [u8; BLOCK]) -> [u8; BLOCK] {
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
        assert!(key_of(b"").is_none());
    }
}
