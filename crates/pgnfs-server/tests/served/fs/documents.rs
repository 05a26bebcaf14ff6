use super::mounted::mount;
use testkit::fake::{Fake, game};

#[test]
fn documents_stand_beside_all_pgn() {
    let mut fake = Fake::of([game("a", "b")]);
    fake.documents = vec!["book.pgn", "index.pgn"];
    let tree = mount(fake);
    let top = tree.ls("");
    assert!(
        top.contains(&"book.pgn".to_owned()) && top.contains(&"index.pgn".to_owned()),
        "{top:?}"
    );
    // The size is the length of the text, before and after the first read.
    let text = tree.cat("book.pgn");
    assert!(text.ends_with("{book.pgn} *\n\n"), "{text}");
    assert_eq!(tree.stat("book.pgn").size, text.len() as u64);
    assert_eq!(tree.stat("index.pgn").size, text.len() as u64 + 1);
    assert_eq!(tree.stat("book.pgn").links, 1);
    assert_ne!(tree.inode("book.pgn"), tree.inode("index.pgn"));
    assert!(!tree.exists("other.pgn"));
    tree.walk();
}

#[test]
fn a_database_without_documents_has_no_book() {
    assert!(!mount(Fake::of([game("a", "b")])).exists("book.pgn"));
}
