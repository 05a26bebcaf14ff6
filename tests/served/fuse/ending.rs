//! Reads of open files when the mount has been unmounted.

use super::kernel::{Kernel, NO_OPEN, READ, READLINK, reading, u64_at};
use pgnfs_server::inside::ServeOptions;
use testkit::fake::{Fake, game};
use testkit::stuck::behind_gate;

const EIO: i32 = 5;

const LINE: &str = "e4 e5 Nf3 Nc6 Bb5 a6 Ba4 Nf6 O-O Be7 Re1 b5 Bb3 d6 c3 O-O h3 Nb8 d4 Nbd7";

#[test]
fn what_is_known_is_read_to_its_end_and_long_work_ends() {
    let games = (0..100).map(|n| game(&format!("White{n}"), "Black").line(LINE));
    let (mut near, gate) = behind_gate(Fake::of(games), "");
    near.is_local = true;
    let options = ServeOptions {
        cache_size: 0,
        ..ServeOptions::default()
    };
    let mut kernel = Kernel::mount_with(vec![near], NO_OPEN, options);
    let node = |kernel: &mut Kernel, path: &str| {
        let found = kernel.look_up(path);
        assert_eq!(found.error, 0, "{path}");
        u64_at(&found.bytes, 0)
    };
    let known =
        ["games/000001-001000/000007.pgn", "all.pgn", "tables/games.csv"].map(|path| node(&mut kernel, path));
    let contents = known.map(|file| kernel.read(READ, file, 0, 1 << 16).bytes);
    // More tables of positions than are kept. Each has a size, which the kernel knows.
    let mut line = "moves".to_owned();
    let tables = LINE.split(' ').map(|san| {
        line += &format!("/{san}");
        let link = node(&mut kernel, &format!("{line}/position"));
        let target = String::from_utf8(kernel.ask(READLINK, link, &[]).bytes).unwrap();
        let position = target.rsplit('/').next().unwrap();
        node(&mut kernel, &format!("positions/{position}/games.csv"))
    });
    let tables: Vec<u64> = tables.collect();
    assert_eq!(tables.len(), 20);

    gate.close();
    let made_again = kernel.send(READ, tables[0], &reading(0, 4096));
    while gate.waiting() == 0 {
        std::thread::yield_now();
    }
    (kernel.end_work)();
    gate.open();
    let refused = loop {
        if let Some(answer) = kernel.receive(made_again) {
            break answer;
        }
    };
    assert_eq!(refused.error, EIO);
    for (file, contents) in known.into_iter().zip(contents) {
        assert!(!contents.is_empty());
        assert_eq!(kernel.read(READ, file, 0, 1 << 16).bytes, contents);
    }
}
