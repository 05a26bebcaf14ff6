//! Cut and changed files, and those made to do harm.

use std::sync::Arc;

use chessdb::packed::{Packed, PackedError};

use super::ways::{MIB, bgzf, bzip2, deflate, gzip, long_text, seekable, small, stored_zip, zip};
use super::{assert_same, open, read};

#[test]
fn a_cut_file_is_shown_as_far_as_it_goes() {
    for (way, bytes, plain) in small() {
        let mut longest = 0;
        for len in 0..bytes.len() {
            let what = format!("{way}, {len} of {} bytes", bytes.len());
            let Ok(packed) = open(&bytes[..len]) else { continue };
            let found = read(&packed);
            assert!(found.len() <= plain.len(), "{what}: {}", found.len());
            assert_same(&found, &plain[..found.len()], &what);
            assert!(found.len() >= longest, "{what}");
            longest = found.len();
            for warning in packed.warnings() {
                assert!(
                    warning.starts_with("byte ") || warning.starts_with("it is one frame"),
                    "{what}: {warning}"
                );
            }
        }
        assert!(longest > 1_000, "{way}: {longest}");
    }
}

#[test]
fn what_is_behind_damage_is_shown_where_parts_decode_alone() {
    let plain = long_text(4 * MIB, 7);
    for (way, mut bytes) in [
        ("seekable", seekable(&plain, MIB as u32)),
        ("bgzf", bgzf(&plain)),
        ("bzip2", bzip2(&plain, 9)),
    ] {
        let middle = bytes.len() / 2;
        bytes[middle..middle + 20].fill(0x55);
        let packed = open(&bytes).unwrap();
        let found = read(&packed);
        assert_same(&found[..MIB], &plain[..MIB], way);
        assert_same(&found[found.len() - MIB..], &plain[plain.len() - MIB..], way);
        let warnings = packed.warnings();
        let place = |line: &String| {
            line.strip_prefix("byte ")?
                .split(':')
                .next()?
                .parse::<usize>()
                .ok()
        };
        let near = |line: &String| place(line).is_some_and(|at| middle.abs_diff(at) < MIB);
        assert!(
            !warnings.is_empty() && warnings.iter().all(near),
            "{way}, {middle}: {warnings:?}"
        );
        // The next time they are known from the beginning.
        let index = Arc::new(packed.index());
        let again = Packed::open(Arc::new(bytes), Some(index)).unwrap();
        assert_eq!((again.unpacked(), again.warnings()), (0, warnings), "{way}");
        assert_same(&read(&again), &found, way);
    }
}

/// As in a file that was not copied completely, for which all blocks were reserved.
#[test]
fn zeros_in_the_place_of_members_are_damage() {
    let plain = long_text(4 * MIB, 7);
    let whole = bgzf(&plain);
    let middle = whole.len() / 2;
    for (what, zeros) in [
        ("the second half", middle..whole.len()),
        ("300 kB", middle..middle + 300_000),
        ("the end of a member", middle..middle + 40_000),
    ] {
        let mut bytes = whole.clone();
        bytes[zeros.clone()].fill(0);
        let packed = open(&bytes).unwrap();
        let found = read(&packed);
        assert_same(&found[..MIB], &plain[..MIB], what);
        let warnings = packed.warnings();
        let at = warnings
            .first()
            .and_then(|line| line.strip_prefix("byte ")?.split(':').next()?.parse().ok());
        assert!(
            at.is_some_and(|at: usize| at + MIB >= zeros.start),
            "{what}: {warnings:?}"
        );
    }
}

#[test]
fn a_mebibyte_of_zeros_at_the_end_is_padding() {
    let plain = long_text(MIB / 4, 7);
    for (way, sound) in [("bgzf", bgzf(&plain)), ("gzip", gzip(&plain, 6))] {
        for (zeros, is_sound) in [(0, true), (1, true), (512, true), (MIB, true), (MIB + 1, false)] {
            let packed = open(&[sound.clone(), vec![0; zeros]].concat()).unwrap();
            assert_same(&read(&packed), &plain, way);
            assert_eq!(packed.warnings().is_empty(), is_sound, "{way}, {zeros} zeros");
        }
        // A member after them is not lost silently.
        let packed = open(&[sound.clone(), vec![0; 300_000], sound].concat()).unwrap();
        read(&packed);
        assert!(!packed.warnings().is_empty(), "{way}");
    }
}

#[test]
fn changed_bytes_cost_what_they_change() {
    for (way, bytes, plain) in small() {
        let (mut same, mut told) = (0, 0);
        for at in 0..bytes.len() {
            for flip in [1, 0x80, 0xff] {
                let mut changed = bytes.clone();
                changed[at] ^= flip;
                let Ok(packed) = open(&changed) else { continue };
                let found = read(&packed);
                assert!(found.len() <= 64 * MIB, "{way}, byte {at}");
                let is_told = !packed.warnings().is_empty();
                assert!(
                    found == plain || is_told,
                    "{way}, byte {at} of {}, {} and {}",
                    bytes.len(),
                    found.len(),
                    plain.len()
                );
                same += usize::from(found == plain);
                told += usize::from(is_told);
            }
        }
        assert!(same > 10 && told > bytes.len(), "{way}: {same} {told}");
    }
}

#[test]
fn a_kept_index_of_another_file_or_a_damaged_one_is_not_used() {
    let plain = long_text(9 * MIB, 8);
    let bytes = Arc::new(gzip(&plain, 6));
    let index = Packed::open(bytes.clone(), None).unwrap().index();
    let changed = (0..index.len()).step_by(index.len() / 50).chain(0..60).map(|at| {
        let mut changed = index.clone();
        changed[at] ^= 0x10;
        changed
    });
    let cut = [0, 8, 50, 100].map(|len| index[..len].to_vec());
    for damaged in changed.chain(cut) {
        let packed = Packed::open(bytes.clone(), Some(Arc::new(damaged))).unwrap();
        let mut game = vec![0; 100];
        packed.read_at(5_000_000, &mut game);
        assert_same(&game, &plain[5_000_000..5_000_100], "damaged index");
    }
    let other = Arc::new(gzip(&long_text(9 * MIB, 9), 6));
    let packed = Packed::open(other, Some(Arc::new(index))).unwrap();
    assert!(packed.unpacked() > 0);
}

#[test]
fn what_differs_from_a_checksum_or_a_length_is_reported_and_shown() {
    let plain = b"[Event \"A\"]\n[White \"Karpov\"]\n\n1. e4 e5 1-0\n\n";
    let mut stored = stored_zip(&[("a.pgn", plain)]);
    let at = stored.windows(6).position(|bytes| bytes == b"Karpov").unwrap();
    stored[at + 2] = b's';
    let packed = open(&stored).unwrap();
    assert_eq!(
        packed.warnings(),
        ["byte 35: the checksum of this member differs"]
    );
    assert_eq!(read(&packed)[..28], *b"[Event \"A\"]\n[White \"Kaspov\"]");
    let mut length = [gzip(plain, 6), gzip(plain, 6)].concat();
    let (middle, end) = (length.len() / 2, length.len());
    length[end - 4] ^= 1;
    let packed = open(&length).unwrap();
    let what = "this member has another length than its trailer says";
    assert_eq!(packed.warnings(), [format!("byte {middle}: {what}")]);
    assert_same(&read(&packed), &[&plain[..], plain].concat(), "length");
}

#[test]
fn what_follows_a_wrong_checksum_behind_bgzf_is_shown() {
    let plain = b"[Event \"A\"]\n\n1. e4 e5 1-0\n\n";
    let (blocks, member) = (bgzf(plain), gzip(plain, 6));
    let mut bytes = [&blocks[..], &member, &member].concat();
    bytes[blocks.len() + member.len() - 8] ^= 1;
    let packed = open(&bytes).unwrap();
    assert_same(&read(&packed), &plain.repeat(3), "behind bgzf");
    let what = format!("byte {}: the checksum of this member differs", blocks.len());
    assert_eq!(packed.warnings(), [what]);
}

#[test]
fn a_frame_to_skip_that_is_cut_is_damage() {
    let frame = seekable(b"[Event \"A\"]\n\n1. e4 e5 1-0\n\n", 100);
    let skipped = |len: u32| [&b"\x50\x2a\x4d\x18"[..], &len.to_le_bytes()].concat();
    let too_long = [skipped(frame.len() as u32 + 1), frame.clone()].concat();
    let pzstd = [skipped(4), (frame.len() as u32).to_le_bytes().to_vec()].concat();
    for cut in [&too_long[..], &pzstd[..10], &pzstd[..7], &pzstd[..4]] {
        assert!(matches!(open(cut), Err(PackedError::Damaged(_))), "{cut:?}");
        // Everything in front of it is shown.
        let packed = open(&[&frame, cut].concat()).unwrap();
        let [damage] = &packed.damage()[..] else {
            panic!("{:?}", packed.damage());
        };
        assert_eq!(damage.offset, frame.len() as u64);
        assert!(read(&packed).ends_with(b"1-0\n\n"));
    }
}

#[test]
fn what_unpacks_to_far_more_than_its_size_is_refused() {
    let zeros = vec![0; 70 * MIB];
    let mut bombs = vec![
        ("gzip", gzip(&zeros, 6)),
        ("bzip2", bzip2(&zeros, 9)),
        ("seekable", seekable(&zeros, 8 << 20)),
        ("zip", zip(&[("a.pgn", &zeros)])),
    ];
    // The same, as far as its table goes; its frames are as they were.
    let (_, mut table) = bombs[2].clone();
    let at = table.len() - 9 - 12 * 9;
    table[at + 4..at + 8].copy_from_slice(&[0xff; 4]);
    bombs.push(("table", table));
    for (way, bytes) in bombs {
        assert_eq!(open(&bytes).err(), Some(PackedError::TooLarge), "{way}");
    }
}

#[test]
fn other_files_are_not_taken_for_compressed_ones() {
    for bytes in [
        &b""[..],
        b"P",
        b"[Event \"x\"]\n",
        b"\x28\xb5\x2f",
        b"BZh0",
        b"\x1f\x8b\x07",
    ] {
        assert_eq!(open(bytes).err(), Some(PackedError::Unknown), "{bytes:?}");
    }
    for bytes in [
        &b"\x28\xb5\x2f\xfd"[..],
        b"BZh9 ",
        b"\x1f\x8b\x08\0",
        b"BZh9 and text",
    ] {
        assert!(matches!(open(bytes), Err(PackedError::Damaged(_))), "{bytes:?}");
    }
}

/// A file with this many copies of a member, all with a wrong checksum.
fn members(number: usize, member: &[u8], checksum_at: usize) -> Vec<u8> {
    let mut member = member.to_vec();
    member[checksum_at] ^= 1;
    member.repeat(number)
}

#[test]
fn a_hundred_places_of_damage_are_named() {
    for number in [99, 100, 101] {
        // Found when the file is opened.
        let member = gzip(b"x", 1);
        let packed = open(&members(number, &member, member.len() - 8)).unwrap();
        assert_eq!(packed.warnings().len(), number.min(100));
        // Found when it is read, since BGZF has the lengths of its blocks.
        let block = bgzf(b"x");
        let block = &block[..block.len() - bgzf(b"").len()];
        let packed = open(&members(number, block, block.len() - 8)).unwrap();
        assert_eq!(packed.warnings(), [""; 0]);
        assert_eq!(read(&packed), b"x".repeat(number));
        assert_eq!(packed.warnings().len(), number.min(100));
    }
}

/// Otherwise it is no BGZF, and only a pass over the whole file finds its length.
#[test]
fn a_block_of_bgzf_has_at_most_64_kibibytes() {
    for (unpacked, is_bgzf) in [(65_535, true), (65_536, true), (65_537, false)] {
        let plain = vec![b'x'; unpacked];
        let packed = deflate(&plain);
        let mut file = vec![0x1f, 0x8b, 8, 4, 0, 0, 0, 0, 0, 255, 6, 0, b'B', b'C', 2, 0];
        file.extend((packed.len() as u16 + 25).to_le_bytes());
        file.extend(packed);
        let mut sum = flate2::Crc::new();
        sum.update(&plain);
        file.extend(sum.sum().to_le_bytes());
        file.extend((unpacked as u32).to_le_bytes());
        let packed = open(&file).unwrap();
        assert_eq!(packed.unpacked() == 0, is_bgzf, "{unpacked}");
        assert_same(&read(&packed), &plain, "one block");
    }
}
