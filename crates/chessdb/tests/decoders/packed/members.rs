//! Members of zip archives as a whole.

use std::sync::Arc;

use chessdb::files::Bytes;
use chessdb::packed::{Allowance, PackedError, Whole, ZipMembers, zip_entries};

use super::ways::MIB;
use super::zip_writer::{Form, zip};

/// Two members; the second one is large enough for several blocks.
fn members() -> Vec<(String, Vec<u8>)> {
    let long = (0..400_000u32).map(|number| (number.wrapping_mul(2_654_435_761) >> 27) as u8);
    vec![
        ("a.txt".to_owned(), b"short".to_vec()),
        ("sub/b.bin".to_owned(), long.collect()),
    ]
}

fn archive(bytes: Vec<u8>) -> (Arc<dyn Bytes>, ZipMembers) {
    let archive: Arc<dyn Bytes> = Arc::new(bytes);
    let found = zip_entries(&archive);
    (archive, found)
}

fn whole(archive: &Arc<dyn Bytes>, found: &ZipMembers, number: usize) -> Whole {
    let len = archive.len() as u64;
    let (allowance, in_place) = (Allowance::in_memory(len), Allowance::in_place(len));
    found.members[number]
        .whole(archive, &allowance, &in_place)
        .unwrap()
}

/// The place of a member's entry in the directory.
fn entry(bytes: &[u8], number: usize) -> usize {
    let mut entries = (0..bytes.len()).filter(|&at| bytes[at..].starts_with(b"PK\x01\x02"));
    entries.nth(number).unwrap()
}

#[test]
fn sizes_are_read_from_the_directory_with_and_without_zip64() {
    for is_stored in [false, true] {
        for is_zip64 in [false, true] {
            let form = Form { is_stored, is_zip64 };
            let (archive, found) = archive(zip(&members(), form).unwrap());
            assert!(found.has_directory, "{form:?}");
            assert_eq!(found.members.len(), 2, "{form:?}");
            for (number, (name, bytes)) in members().iter().enumerate() {
                let whole = whole(&archive, &found, number);
                assert_eq!(found.members[number].name, *name);
                assert_eq!(whole.damage, [], "{form:?}");
                assert!(**whole.bytes == bytes[..], "{name} as {form:?}");
            }
        }
    }
}

#[test]
fn stored_members_stay_in_their_archive() {
    let form = Form {
        is_stored: true,
        is_zip64: false,
    };
    let (archive, found) = archive(zip(&members(), form).unwrap());
    let allowance = Allowance::in_memory(0);
    let left = allowance.left();
    let in_place = Allowance::in_place(archive.len() as u64);
    let whole = found.members[1].whole(&archive, &allowance, &in_place).unwrap();
    assert!(archive.as_ptr_range().contains(&whole.bytes.as_ptr()));
    assert_eq!(allowance.left(), left);
    // Another member with the same bytes would make all of them more than the archive has.
    let refused = found.members[1].whole(&archive, &allowance, &in_place);
    assert_eq!(refused.err(), Some(PackedError::TooLarge));
}

#[test]
fn damage_is_named_and_what_came_is_kept() {
    for is_stored in [false, true] {
        let form = Form {
            is_stored,
            is_zip64: false,
        };
        let sound = zip(&members(), form).unwrap();
        let directory = entry(&sound, 0);
        for (field, what) in [(16, "checksum"), (24, "bytes are packed here")] {
            let mut changed = sound.clone();
            changed[entry(&sound, 1) + field] ^= 1;
            let (archive, found) = archive(changed);
            let whole = whole(&archive, &found, 1);
            assert!(**whole.bytes == members()[1].1[..]);
            assert_eq!(whole.damage.len(), 1);
            assert!(whole.damage[0].what.contains(what), "{:?}", whole.damage);
        }
        let (archive, found) = archive(sound[..directory - 1000].to_vec());
        assert!(!found.has_directory);
        let whole = whole(&archive, &found, 1);
        assert!(members()[1].1.starts_with(&whole.bytes));
        assert!(whole.bytes.len() > 300_000);
        assert_eq!(whole.damage.len(), 1, "{form:?}");
    }
}

#[test]
fn without_a_directory_members_are_found_by_their_headers() {
    for is_stored in [false, true] {
        for is_zip64 in [false, true] {
            let form = Form { is_stored, is_zip64 };
            let sound = zip(&members(), form).unwrap();
            let (archive, found) = archive(sound[..entry(&sound, 0)].to_vec());
            assert!(!found.has_directory);
            assert_eq!(found.members.len(), 2, "{form:?}");
            for (number, (name, bytes)) in members().iter().enumerate() {
                let whole = whole(&archive, &found, number);
                assert_eq!(found.members[number].name, *name);
                assert_eq!(whole.damage, [], "{form:?}");
                assert!(**whole.bytes == bytes[..], "{name} as {form:?}");
            }
        }
    }
}

/// The archive with its first member as a program writes it that does not know the sizes before: they come after the
/// packed bytes, and the header has zeros.
fn streamed(mut bytes: Vec<u8>) -> Vec<u8> {
    let second = (4..bytes.len())
        .find(|&at| bytes[at..].starts_with(b"PK\x03\x04"))
        .unwrap();
    let descriptor = [&b"PK\x07\x08"[..], &bytes[14..26]].concat();
    bytes[6] |= 8;
    bytes[14..26].fill(0);
    bytes.splice(second..second, descriptor);
    bytes
}

#[test]
fn a_streamed_member_is_whole_without_a_directory() {
    for name in ["a.txt", "sub/b.bin"] {
        let mut members = members();
        members.sort_by_key(|(own, _)| own != name);
        let sound = zip(&members, Form::default()).unwrap();
        let bytes = streamed(sound[..entry(&sound, 0)].to_vec());
        let (archive, found) = archive(bytes);
        assert!(!found.has_directory);
        // Where it ends is not known before it is unpacked, so no member after it is found.
        assert_eq!(found.members.len(), 1, "{name}");
        let whole = whole(&archive, &found, 0);
        assert_eq!(found.members[0].name, name);
        assert!(**whole.bytes == members[0].1[..], "{name}");
        assert_eq!(whole.damage, [], "{name}");
    }
}

#[test]
fn members_share_what_they_may_unpack_to() {
    let (archive, found) = archive(zip(&members(), Form::default()).unwrap());
    let allowance = Allowance::in_memory(0);
    let in_place = Allowance::in_place(0);
    assert_eq!(allowance.take(allowance.left() - 500_000), Ok(()));
    assert!(found.members[1].whole(&archive, &allowance, &in_place).is_ok());
    let refused = found.members[1].whole(&archive, &allowance, &in_place);
    assert_eq!(refused.err(), Some(PackedError::TooLarge));
}

#[test]
fn the_beginning_of_a_member_costs_no_more_than_it() {
    let (archive, found) = archive(zip(&members(), Form::default()).unwrap());
    let allowance = Allowance::in_memory(0);
    let left = allowance.left();
    let beginning = found.members[1].beginning(&archive, &allowance, 1000).unwrap();
    assert_eq!(beginning, members()[1].1[..1000]);
    assert!(left - allowance.left() < 50_000);
}

/// Comparing the checksum of a longer one would take longer than opening may.
#[test]
fn the_checksum_of_a_stored_member_is_compared_up_to_64_mebibytes() {
    const MOST: usize = 64 * MIB;
    let form = Form {
        is_stored: true,
        is_zip64: false,
    };
    for (len, is_compared) in [(MOST - 1, true), (MOST, true), (MOST + 1, false)] {
        let mut bytes = zip(&[("a.bin".to_owned(), vec![0; len])], form).unwrap();
        bytes[MIB] = 1;
        let (archive, found) = archive(bytes);
        let whole = whole(&archive, &found, 0);
        assert_eq!(whole.bytes.len(), len);
        assert_eq!(!whole.damage.is_empty(), is_compared, "{len}");
    }
}
