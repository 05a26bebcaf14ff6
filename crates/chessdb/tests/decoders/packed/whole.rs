//! Sound files, read from the beginning and at any place.

use std::sync::Arc;
use std::thread;

use chessdb::Remedy;
use chessdb::packed::{Allowance, Packed, PackedError, Slices, zip_members};
use proptest::prelude::*;

use super::meter::measure;
use super::ways::{MIB, bgzf, bzip2, gzip, long_text, run, seekable, text, ways, zip};
use super::{assert_same, open, read};
use testkit::{cases, needs};

#[test]
fn every_way_is_read_from_its_beginning() {
    for len in [0, 1, 5_000, 3 * MIB + 7] {
        let plain = long_text(len, 1);
        for (way, _, pack) in ways() {
            let packed = open(&pack(&plain)).unwrap_or_else(|error| panic!("{way}, {len} bytes: {error}"));
            assert_same(&read(&packed), &plain, &format!("{way}, {len} bytes"));
            assert_eq!(packed.warnings(), [""; 0], "{way}, {len} bytes");
        }
    }
}

#[test]
fn every_way_is_read_at_any_place_also_with_a_kept_index() {
    let plain = long_text(5 * MIB + 12_345, 2);
    for (way, _, pack) in ways() {
        let bytes = Arc::new(pack(&plain));
        let learnt = Packed::open(bytes.clone(), None).unwrap();
        let kept = Packed::open(bytes, Some(Arc::new(learnt.index()))).unwrap();
        assert_eq!(kept.unpacked(), 0, "{way}");
        assert_eq!(kept.warnings(), learnt.warnings(), "{way}");
        for packed in [learnt, kept] {
            // So little room that most reads unpack.
            let packed = packed.with_slices(&Arc::new(Slices::new(MIB)));
            let places = (0..plain.len() + 10, 0..2 * MIB);
            let config = ProptestConfig::with_cases(cases(2, 8));
            proptest!(config, |((at, len) in places)| {
                let mut buffer = vec![b'x'; len];
                let read = packed.read_at(at as u64, &mut buffer);
                let wanted = &plain[at.min(plain.len())..(at + len).min(plain.len())];
                assert_same(&buffer[..read], wanted, way);
            });
        }
    }
}

#[test]
fn files_that_are_read_in_turn_keep_their_own_bytes() {
    // All have the same length, and share the memory for unpacked bytes and waiting streams.
    let len = 3 * MIB + 7;
    let files: Vec<_> = (0..)
        .zip(ways())
        .map(|(seed, (way, _, pack))| {
            let plain = long_text(len, 10 + seed);
            (way, Arc::new(pack(&plain)), plain)
        })
        .collect();
    let places = [0, MIB, 2 * MIB, 2 * MIB - 50_000, len - 100_000, 5, MIB - 1];
    let back: Vec<usize> = places.into_iter().rev().collect();
    // Room for a third of what is read, and for one slice.
    for (order, room) in [(&places[..], 20 * MIB), (&back, MIB)] {
        let slices = Arc::new(Slices::new(room));
        let opened = files.iter().map(|(way, bytes, plain)| {
            let packed = Packed::open(bytes.clone(), None).unwrap();
            (way, packed.with_slices(&slices), plain)
        });
        let opened: Vec<_> = opened.collect();
        for &at in order {
            for (way, packed, plain) in &opened {
                let mut buffer = vec![b'x'; 100_000];
                let read = packed.read_at(at as u64, &mut buffer);
                let what = format!("{way} at {at}, {room} bytes of slices");
                assert_same(&buffer[..read], &plain[at..(at + 100_000).min(len)], &what);
            }
        }
    }
}

#[test]
fn reading_in_the_middle_costs_one_frame() {
    needs!(program "pzstd", in "zstd");
    let plain = long_text(14 * MIB, 3);
    // Level 1 has frames of 2 MiB, and what zeekstd and bgzip make is smaller.
    for (way, bytes, most) in [
        (
            "pzstd",
            run("pzstd", &["-q", "-c", "-1", "-p", "2"], &plain),
            2 * MIB,
        ),
        ("seekable", seekable(&plain, MIB as u32), MIB),
        ("bgzf", bgzf(&plain), 2 * MIB),
        ("gzip", gzip(&plain, 6), 5 * MIB),
        ("bzip2", bzip2(&plain, 9), 2 * MIB),
    ] {
        let bytes = Arc::new(bytes);
        let index = Packed::open(bytes.clone(), None).unwrap().index();
        let packed = Packed::open(bytes, Some(Arc::new(index))).unwrap();
        let place = plain.len() * 9 / 10;
        let mut game = vec![0; 1000];
        assert_eq!(packed.read_at(place as u64, &mut game), game.len());
        assert_same(&game, &plain[place..place + 1000], way);
        assert!(packed.unpacked() <= most as u64, "{way}: {}", packed.unpacked());
    }
}

#[test]
fn reading_on_unpacks_every_byte_once() {
    let plain = long_text(5 * MIB, 4);
    for (way, _, pack) in ways().filter(|(way, ..)| *way != "zip -0") {
        let bytes = Arc::new(pack(&plain));
        let index = Packed::open(bytes.clone(), None).unwrap().index();
        let packed = Packed::open(bytes, Some(Arc::new(index))).unwrap();
        let packed = packed.with_slices(&Arc::new(Slices::new(2 * MIB)));
        assert_same(&read(&packed), &plain, way);
        assert_eq!(packed.unpacked(), plain.len() as u64, "{way}");
    }
}

#[test]
fn several_threads_read_the_same_file() {
    let plain = long_text(5 * MIB, 5);
    for (way, _, pack) in ways() {
        let packed = open(&pack(&plain))
            .unwrap()
            .with_slices(&Arc::new(Slices::new(3 * MIB)));
        thread::scope(|scope| {
            for thread in 0..4 {
                let (packed, plain) = (&packed, &plain);
                scope.spawn(move || {
                    for step in 0..8 {
                        let at = (step * 5 + thread * 3) % 9 * MIB / 2;
                        let mut buffer = vec![0; 10_000];
                        let len = packed.read_at(at as u64, &mut buffer);
                        assert_same(&buffer[..len], &plain[at..at + 10_000], way);
                    }
                });
            }
        });
    }
}

#[test]
fn memory_does_not_grow_with_the_file() {
    let plain = long_text(24 * MIB, 10);
    for (way, bytes) in [
        ("gzip", gzip(&plain, 1)),
        ("bgzf", bgzf(&plain)),
        ("bzip2", bzip2(&plain, 1)),
    ] {
        let bytes = Arc::new(bytes);
        let (packed, opening) = measure(|| Packed::open(bytes, None).unwrap());
        let packed = packed.with_slices(&Arc::new(Slices::new(4 * MIB)));
        let (len, reading) = measure(|| {
            let mut buffer = vec![0; 100_000];
            (0..)
                .map(|n| packed.read_at(n * 100_000, &mut buffer))
                .take_while(|&len| len > 0)
                .sum::<usize>()
        });
        assert_eq!(len, plain.len(), "{way}");
        assert!(opening.memory < 6 * MIB, "{way}: {} to open", opening.memory);
        // A slice more while it is unpacked, its copy, and the streams at rest.
        assert!(
            reading.memory < (4 + 2 + 6) * MIB,
            "{way}: {} to read",
            reading.memory
        );
    }
}

#[test]
fn members_of_a_zip_archive() {
    let plain = text(3_000, 11);
    let other = text(2_000, 12);
    let bytes = zip(&[("readme.txt", b"x"), ("a/one.PGN", &plain), ("two.pgn", &other)]);
    let packed: Arc<dyn chessdb::files::Bytes> = Arc::new(bytes.clone());
    let members = zip_members(&packed).members;
    let allowance = Allowance::of(bytes.len() as u64);
    let names: Vec<&str> = members.iter().map(|member| member.name.as_str()).collect();
    assert_eq!(names, ["a/one.PGN", "two.pgn"]);
    for (member, plain) in members.iter().zip([&plain, &other]) {
        let packed = Packed::open_member(packed.clone(), member, None, &allowance).unwrap();
        assert_same(&read(&packed), plain, &member.name);
    }
    // Without its directory.
    let cut: Arc<dyn chessdb::files::Bytes> = Arc::new(bytes[..bytes.len() - 200].to_vec());
    assert_eq!(zip_members(&cut).members.len(), 2);
    assert_eq!(
        open(&zip(&[("readme.txt", b"x")])).err(),
        Some(PackedError::Empty)
    );
    let mut encrypted = zip(&[("a.pgn", &plain)]);
    let flags = encrypted
        .windows(4)
        .position(|bytes| bytes == b"PK\x01\x02")
        .unwrap()
        + 8;
    encrypted[flags] |= 1;
    let refused = open(&encrypted).unwrap_err();
    assert_eq!(refused.to_string(), "its encryption is not supported");
    assert_eq!(refused.remedy(), Some(Remedy::Unpack));
}

#[test]
fn one_frame_of_more_than_8_mebibytes_is_slow() {
    for (len, is_slow) in [(8 * MIB - 1, false), (8 * MIB, false), (8 * MIB + 1, true)] {
        let file = seekable(&vec![b'x'; len], u32::MAX);
        assert_eq!(
            open(&file).unwrap().slowness().count(),
            usize::from(is_slow),
            "{len}"
        );
    }
}
