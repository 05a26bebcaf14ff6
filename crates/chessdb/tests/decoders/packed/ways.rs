//! The ways to pack, and text to be packed.

use std::io::Write;
use std::process::{Command, Stdio};

use flate2::Compression;
use flate2::write::{DeflateEncoder, GzEncoder};

pub const MIB: usize = 1 << 20;

/// Movetext and tags at random: it compresses about as well as games do.
pub fn text(len: usize, seed: u64) -> Vec<u8> {
    let mut state = seed.wrapping_mul(2).wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut text = Vec::with_capacity(len + 64);
    let mut ply = 0;
    while text.len() < len {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        ply += 1;
        match ply % 90 {
            0 => write!(text, "1-0\n\n[Event \"Open {}\"]\n\n", state % 1000),
            n if n % 12 == 0 => text.write(b"\n").map(drop),
            n => write!(
                text,
                "{}. {}{}{} ",
                n,
                b"KQRBN"[(state % 5) as usize] as char,
                (b'a' + (state >> 8) as u8 % 8) as char,
                1 + (state >> 16) % 8
            ),
        }
        .unwrap();
    }
    text.truncate(len);
    text
}

/// Long text: pieces of a mebibyte that are the same but for their letters.
pub fn long_text(len: usize, seed: u64) -> Vec<u8> {
    let piece = text(len.min(MIB), seed);
    let letter = |number: usize, byte: u8| match byte {
        b'a'..=b'h' => b'a' + (byte - b'a' + number as u8) % 8,
        byte => byte,
    };
    let pieces =
        (0..len.div_ceil(MIB)).flat_map(|number| piece.iter().map(move |&byte| letter(number, byte)));
    pieces.take(len).collect()
}

/// What a program makes from a file.
pub fn run(program: &str, arguments: &[&str], plain: &[u8]) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("games.pgn");
    std::fs::write(&path, plain).unwrap();
    let output = Command::new(program)
        .args(arguments)
        .arg(&path)
        .stderr(Stdio::inherit())
        .output()
        .unwrap();
    assert!(output.status.success(), "{program}");
    output.stdout
}

pub fn gzip(plain: &[u8], level: u32) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::new(level));
    encoder.write_all(plain).unwrap();
    encoder.finish().unwrap()
}

/// Gzip with all fields that a header can have, as RFC 1952 lists them, the checksum of the header among them.
pub fn gzip_with_all_fields(plain: &[u8]) -> Vec<u8> {
    let sum = |bytes: &[u8]| {
        let mut sum = flate2::Crc::new();
        sum.update(bytes);
        sum.sum()
    };
    let mut file = vec![0x1f, 0x8b, 8, 0b1_1110, 0, 0, 0, 0, 0, 255];
    file.extend(b"\x06\0xx\x02\0ab");
    file.extend(b"games.pgn\0a comment\0");
    let of_header = sum(&file) as u16;
    file.extend(of_header.to_le_bytes());
    file.extend(deflate(plain));
    file.extend(sum(plain).to_le_bytes());
    file.extend((plain.len() as u32).to_le_bytes());
    file
}

pub fn deflate(plain: &[u8]) -> Vec<u8> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::new(6));
    encoder.write_all(plain).unwrap();
    encoder.finish().unwrap()
}

/// As section 4.1 of the specification of SAM has it.
pub fn bgzf(plain: &[u8]) -> Vec<u8> {
    let mut file = Vec::new();
    for block in plain.chunks(65_280).chain([&[][..]]) {
        let packed = deflate(block);
        file.extend([0x1f, 0x8b, 8, 4, 0, 0, 0, 0, 0, 255, 6, 0, b'B', b'C', 2, 0]);
        file.extend((packed.len() as u16 + 25).to_le_bytes());
        file.extend(packed);
        let mut sum = flate2::Crc::new();
        sum.update(block);
        file.extend(sum.sum().to_le_bytes());
        file.extend((block.len() as u32).to_le_bytes());
    }
    file
}

pub fn bzip2(plain: &[u8], level: u32) -> Vec<u8> {
    let mut encoder = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::new(level));
    encoder.write_all(plain).unwrap();
    encoder.finish().unwrap()
}

pub fn seekable(plain: &[u8], frame: u32) -> Vec<u8> {
    let options = zeekstd::EncodeOptions::new().checksum_flag(true);
    let policy = zeekstd::FrameSizePolicy::Uncompressed(frame);
    let mut file = Vec::new();
    let mut encoder = options.frame_size_policy(policy).into_encoder(&mut file).unwrap();
    encoder.write_all(plain).unwrap();
    encoder.finish().unwrap();
    file
}

/// A way to pack: its name, its program with its package, and what it does.
pub type Way = (
    &'static str,
    Option<(&'static str, &'static str)>,
    fn(&[u8]) -> Vec<u8>,
);

pub const WAYS: &[Way] = &[
    ("pzstd", Some(("pzstd", "zstd")), |plain| {
        run("pzstd", &["-q", "-c", "-1", "-p", "2"], plain)
    }),
    ("zstd", Some(("zstd", "zstd")), |plain| {
        run("zstd", &["-q", "-c"], plain)
    }),
    ("zstd without a size", Some(("zstd", "zstd")), |plain| {
        run("sh", &["-c", "cat \"$0\" | zstd -q -c --no-check -9"], plain)
    }),
    ("two files of zstd", Some(("zstd", "zstd")), |plain| {
        let (first, second) = plain.split_at(plain.len() / 3);
        [
            run("zstd", &["-q", "-c"], first),
            run("zstd", &["-q", "-c"], second),
        ]
        .concat()
    }),
    ("seekable zstd", None, |plain| seekable(plain, 300_000)),
    ("gzip", Some(("gzip", "gzip")), |plain| {
        run("gzip", &["-c"], plain)
    }),
    ("gzip -1", Some(("gzip", "gzip")), |plain| {
        run("gzip", &["-c", "-1"], plain)
    }),
    ("gzip, stored", None, |plain| gzip(plain, 0)),
    ("two files of gzip", None, |plain| {
        let (first, second) = plain.split_at(plain.len() / 3);
        [gzip(first, 9), gzip(second, 1), vec![0; 100]].concat()
    }),
    ("gzip with all fields", None, gzip_with_all_fields),
    ("bgzf", None, bgzf),
    ("bgzip", Some(("bgzip", "tabix")), |plain| {
        run("bgzip", &["-c"], plain)
    }),
    ("bzip2", Some(("bzip2", "bzip2")), |plain| {
        run("bzip2", &["-c"], plain)
    }),
    ("bzip2 -1", Some(("bzip2", "bzip2")), |plain| {
        run("bzip2", &["-c", "-1"], plain)
    }),
    ("two files of bzip2", None, |plain| {
        let (first, second) = plain.split_at(plain.len() / 3);
        [bzip2(first, 1), bzip2(second, 9)].concat()
    }),
    ("zip", Some(("zip", "zip")), |plain| {
        run("zip", &["-q", "-j", "-"], plain)
    }),
    ("zip -0", Some(("zip", "zip")), |plain| {
        run("zip", &["-q", "-j", "-0", "-"], plain)
    }),
];

/// The ways for which there is a program.
pub fn ways() -> impl Iterator<Item = &'static Way> {
    let is_there =
        |program: &Option<(&str, &str)>| program.is_none_or(|(name, package)| testkit::has(name, package));
    WAYS.iter().filter(move |(_, program, _)| is_there(program))
}

/// A small file of each kind that has several parts.
pub fn small() -> Vec<(&'static str, Vec<u8>, Vec<u8>)> {
    let plain = text(3_000, 6);
    let (first, second) = plain.split_at(1_700);
    let frame = |plain: &[u8]| seekable(plain, 1 << 20);
    let frames = frame(first);
    // Without its table, after a frame that has one: only the walk over the frames finds all.
    let zstd = [frames, frame(second)].concat();
    vec![
        ("seekable", seekable(&plain, 700), plain.clone()),
        ("zstd", zstd, plain.clone()),
        ("gzip", [gzip(first, 6), gzip(second, 6)].concat(), plain.clone()),
        ("bgzf", [bgzf(first), bgzf(second)].concat(), plain.clone()),
        (
            "bzip2",
            [bzip2(first, 1), bzip2(second, 1)].concat(),
            plain.clone(),
        ),
        ("zip", zip(&[("a.pgn", &plain)]), plain),
    ]
}

/// A zip archive as most programs write it: sizes before each member.
pub fn zip(members: &[(&str, &[u8])]) -> Vec<u8> {
    archive(members, 8, deflate)
}

/// A zip archive whose members are not compressed.
pub fn stored_zip(members: &[(&str, &[u8])]) -> Vec<u8> {
    archive(members, 0, <[u8]>::to_vec)
}

fn archive(members: &[(&str, &[u8])], method: u8, pack: fn(&[u8]) -> Vec<u8>) -> Vec<u8> {
    let (mut file, mut directory) = (Vec::new(), Vec::new());
    for (name, plain) in members {
        let packed = pack(plain);
        let mut sum = flate2::Crc::new();
        sum.update(plain);
        let mut fields = vec![20, 0, 0, 0, method, 0, 0, 0, 33, 0];
        for field in [sum.sum(), packed.len() as u32, plain.len() as u32] {
            fields.extend(field.to_le_bytes());
        }
        fields.extend((name.len() as u32).to_le_bytes());
        directory.extend(b"PK\x01\x02\x14\0");
        directory.extend(&fields);
        directory.extend([0; 10]);
        directory.extend((file.len() as u32).to_le_bytes());
        directory.extend(name.as_bytes());
        file.extend(b"PK\x03\x04");
        file.extend(fields);
        file.extend(name.as_bytes());
        file.extend(packed);
    }
    let (at, number) = (file.len() as u32, (members.len() as u16).to_le_bytes());
    file.extend(&directory);
    file.extend(b"PK\x05\x06\0\0\0\0");
    file.extend([number, number].concat());
    file.extend((directory.len() as u32).to_le_bytes());
    file.extend(at.to_le_bytes());
    file.extend([0, 0]);
    file
}
