use chessdb::Folder;

use super::contents;
use super::mounted::{Mounted, mount};
use testkit::fake::{Fake, game};

fn folder(parent: Option<usize>, name: &str, games: &[u32]) -> Folder {
    Folder {
        parent,
        name: name.to_owned(),
        games: games.to_vec(),
    }
}

fn mount_folders(folders: Vec<Folder>) -> Mounted {
    let mut fake = Fake::of([game("a", "b"), game("c", "d").deleted(), game("e", "f")]);
    fake.folders = folders;
    mount(fake)
}

#[test]
fn folders_are_below_collections() {
    let tree = mount_folders(vec![
        folder(None, "Openings", &[]),
        folder(Some(0), "Sicilian", &[2, 0, 2]),
        folder(None, "Best", &[1]),
        folder(Some(1), "Najdorf", &[2]),
    ]);
    assert_eq!(tree.ls("collections"), ["Best", "Openings"]);
    let (first, second, third) = (
        "xxxx.xx.xx_a-b_open_000001.pgn",
        "xxxx.xx.xx_c-d_open_000002.pgn",
        "xxxx.xx.xx_e-f_open_000003.pgn",
    );
    assert_eq!(
        tree.ls("collections/Openings/Sicilian"),
        ["Najdorf", third, first],
        "in the folder's own order"
    );
    let sicilian = tree.inode("collections/Openings/Sicilian");
    let game = |number: u32| tree.inode(&format!("games/000001-001000/{number:06}.pgn"));
    assert_eq!(
        tree.0
            .resolve(sicilian)
            .unwrap()
            .open()
            .unwrap()
            .next_games(Some(game(3)), 9),
        Some(vec![game(1)])
    );
    assert_eq!(
        tree.0
            .resolve(sicilian)
            .unwrap()
            .open()
            .unwrap()
            .next_games(Some(game(2)), 9),
        None
    );
    assert_eq!(tree.ls("collections/Openings/Sicilian/Najdorf"), [third]);
    // Deleted games stay in their folders.
    assert_eq!(tree.ls("collections/Best"), [second]);
    assert_eq!(
        tree.stat("games/000001-001000/000003.pgn").links,
        contents::directories_of_game() + 2
    );
    assert_eq!(tree.stat("games/000001-001000/000002.pgn").links, 1 + 1);
    assert_eq!(
        tree.inode("collections/Openings/Sicilian/.."),
        tree.inode("collections/Openings")
    );
    assert_eq!(tree.inode("collections/Openings/.."), tree.inode("collections"));
    tree.walk();
}

#[test]
fn folders_with_equal_names_stay_separate() {
    let tree = mount_folders(vec![
        folder(None, "A", &[0]),
        folder(None, "A", &[1]),
        folder(Some(1), "A", &[2]),
        folder(None, "..", &[]),
        folder(None, "xxxx.xx.xx_e-f_open_000003.pgn", &[]),
        folder(Some(0), "xxxx.xx.xx_a-b_open_000001.pgn", &[2]),
    ]);
    assert_eq!(
        tree.ls("collections"),
        ["A", "A (2)", "unknown", "xxxx.xx.xx_e-f_open_000003.pgn"]
    );
    assert_eq!(
        tree.ls("collections/A (2)"),
        ["A", "xxxx.xx.xx_c-d_open_000002.pgn"]
    );
    assert_eq!(
        tree.ls("collections/A"),
        [
            "xxxx.xx.xx_a-b_open_000001.pgn (2)",
            "xxxx.xx.xx_a-b_open_000001.pgn"
        ]
    );
    tree.walk();
}

#[test]
fn invalid_parents_make_no_loop() {
    let tree = mount_folders(vec![
        folder(Some(0), "self", &[99, 0]),
        folder(Some(2), "later", &[]),
        folder(Some(usize::MAX), "nowhere", &[u32::MAX]),
    ]);
    assert_eq!(tree.ls("collections"), ["later", "nowhere", "self"]);
    assert_eq!(tree.ls("collections/self").len(), 1);
    assert_eq!(tree.ls("collections/nowhere").len(), 0);
}

#[test]
fn members_are_shown_byte_for_byte() {
    let mut fake = Fake::of([game("a", "b")]);
    fake.members = vec![
        ("note.txt".to_owned(), b"a\r\nb".repeat(1000)),
        ("../x".to_owned(), b"second".to_vec()),
        (".._x".to_owned(), Vec::new()),
        ("note.txt".to_owned(), b"third".to_vec()),
    ];
    let tree = mount(fake);
    assert_eq!(tree.ls("emb"), [".._x", ".._x (2)", "note.txt", "note.txt (2)"]);
    assert_eq!(tree.cat("emb/note.txt"), "a\r\nb".repeat(1000));
    assert_eq!(tree.cat("emb/.._x"), "second");
    assert_eq!(tree.cat("emb/.._x (2)"), "");
    assert_eq!(tree.cat("emb/note.txt (2)"), "third");
    let inode = tree.inode("emb/note.txt");
    assert_eq!(&*tree.read(inode, 3998, 100).unwrap(), b"\nb");
    assert_eq!(&*tree.read(inode, u64::MAX, 100).unwrap(), b"");
    assert_eq!(tree.inode("emb/.."), tree.inode(""));
}
