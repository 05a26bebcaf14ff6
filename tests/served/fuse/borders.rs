//! Sizes that a program asks with: one less than what there is, just that, and one more.

use super::kernel::{GETXATTR, Kernel, LISTXATTR, NO_OPEN, READ, READLINK, terminated, u32_at, u64_at};
use testkit::fake::{Fake, game};

const ERANGE: i32 = 34;
const ENODATA: i32 = 61;

const GAME: &str = "games/000001-001000/000001.pgn";

/// A request with the size of a buffer, and a name.
fn sized(size: usize, name: &[u8]) -> Vec<u8> {
    let head = [size as u32, 0].map(u32::to_ne_bytes).concat();
    [&head, name].concat()
}

fn kernel() -> (Kernel, u64) {
    let names = ["Réti, Richard", "B", "", "a \"quoted\" name"];
    let fake = Fake::of(names.map(|name| game(name, "b").date(1924, 3, 22)));
    let mut kernel = Kernel::mount(vec![fake.at("")], NO_OPEN);
    let file = u64_at(&kernel.look_up(GAME).bytes, 0);
    (kernel, file)
}

/// Asks with buffers around a length, and returns the bytes.
fn around(kernel: &mut Kernel, operation: u32, node: u64, name: &[u8], what: &str) -> Vec<u8> {
    let asked = kernel.ask(operation, node, &sized(0, name));
    assert_eq!((asked.error, asked.bytes.len()), (0, 8), "{what}");
    let len = u32_at(&asked.bytes, 0) as usize;
    let whole = kernel.ask(operation, node, &sized(65_536, name));
    assert_eq!((whole.error, whole.bytes.len()), (0, len), "{what}");
    for size in 1..len + 3 {
        let answer = kernel.ask(operation, node, &sized(size, name));
        if size < len {
            assert_eq!(
                (answer.error, answer.bytes.len()),
                (ERANGE, 0),
                "{what}: {size} of {len}"
            );
        } else {
            assert_eq!(
                (answer.error, &answer.bytes),
                (0, &whole.bytes),
                "{what}: {size} of {len}"
            );
        }
    }
    whole.bytes
}

#[test]
fn attributes_are_given_into_buffers_of_their_size_and_no_smaller_ones() {
    let (mut kernel, file) = kernel();
    let list = around(&mut kernel, LISTXATTR, file, b"", "the list");
    let names: Vec<&[u8]> = list.split_inclusive(|&byte| byte == 0).collect();
    assert!(names.len() >= 7, "{names:?}");
    for name in &names {
        let what = String::from_utf8_lossy(name);
        let value = around(&mut kernel, GETXATTR, file, name, &what);
        if what == "user.pgn.White\0" {
            assert_eq!(value, "Réti, Richard".as_bytes());
        }
    }
    // No name is a part of another name.
    for name in names {
        let name = String::from_utf8(name[..name.len() - 1].to_vec()).unwrap();
        for other in [format!("{name}x"), name[..name.len() - 1].to_owned()] {
            let missing = kernel.ask(GETXATTR, file, &sized(0, &terminated(&other)));
            assert_eq!(missing.error, ENODATA, "{other}");
        }
    }
    // A directory has none.
    let folder = u64_at(&kernel.look_up("games").bytes, 0);
    for size in [0, 1] {
        let none = kernel.ask(LISTXATTR, folder, &sized(size, b""));
        let wanted = if size == 0 { 8 } else { 0 };
        assert_eq!((none.error, none.bytes.len()), (0, wanted));
    }
}

#[test]
fn reads_end_with_the_file() {
    let (mut kernel, file) = kernel();
    let whole = kernel.read(READ, file, 0, 65_536).bytes;
    let len = whole.len() as u64;
    for offset in [
        0,
        1,
        len - 1,
        len,
        len + 1,
        len + 4096,
        u64::from(u32::MAX) + len,
        i64::MAX as u64,
    ] {
        for size in [1, len as u32 - 1, len as u32, len as u32 + 1, 65_536] {
            let answer = kernel.read(READ, file, offset, size);
            let start = offset.min(len) as usize;
            let end = (start + size as usize).min(whole.len());
            assert_eq!(
                (answer.error, &answer.bytes[..]),
                (0, &whole[start..end]),
                "{offset} {size}"
            );
        }
    }
}

#[test]
fn targets_of_links_are_whole() {
    let (mut kernel, _) = kernel();
    let long = "x".repeat(200);
    for (path, target) in [
        ("search/white:RÉTI".to_owned(), "white:reti".to_owned()),
        ("search/black:B".to_owned(), "black:b".to_owned()),
        (format!("search/white:X{long}"), format!("white:x{long}")),
    ] {
        let link = kernel.look_up(&path);
        assert_eq!(link.error, 0, "{path}");
        let answer = kernel.ask(READLINK, u64_at(&link.bytes, 0), &[]);
        assert_eq!((answer.error, answer.bytes), (0, target.into_bytes()), "{path}");
    }
}
