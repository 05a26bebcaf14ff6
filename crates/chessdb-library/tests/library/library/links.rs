use std::os::unix::fs::symlink;

use super::source::{Source, left};

#[test]
fn links_are_followed_inside_the_source() {
    let source = Source::new();
    source.database("2024/x");
    symlink("2024", source.path("0_latest")).unwrap();
    symlink("2024/x.dci", source.path("y.dci")).unwrap();
    symlink(source.path("2024/x.dcg"), source.path("y.dcg")).unwrap();
    assert_eq!(
        source.found(),
        (
            vec!["0_latest/x.dci".into(), "2024/x.dci".into(), "y.dci".into()],
            vec![]
        )
    );
    assert_eq!(source.open().unwrap().databases()[2].files.len(), 2);
}

#[test]
fn links_that_lead_out_are_not() {
    let elsewhere = Source::new();
    elsewhere.database("x");
    let source = Source::new();
    source.database("good");
    source.database("half");
    std::fs::remove_file(source.path("half.dcg")).unwrap();
    symlink(elsewhere.path(""), source.path("folder")).unwrap();
    symlink(elsewhere.path("x.dci"), source.path("x.dci")).unwrap();
    symlink(elsewhere.path("x.dcg"), source.path("half.dcg")).unwrap();
    symlink(elsewhere.path("x.dci"), source.path("x.txt")).unwrap();
    symlink("nowhere", source.path("z.dci")).unwrap();
    symlink("nowhere", source.path("z.txt")).unwrap();
    symlink("/dev/zero", source.path("zero.dci")).unwrap();
    let out = "a symbolic link that leads out of the source";
    assert_eq!(
        source.found(),
        (
            vec!["good.dci".into(), "half.dci".into()],
            vec![
                left("folder", out),
                left("x.dci", out),
                left("z.dci", "a symbolic link that leads nowhere"),
                left("zero.dci", out),
            ]
        )
    );
    assert_eq!(source.open().unwrap().databases()[1].files.len(), 1);
}

#[test]
fn loops_end() {
    let source = Source::new();
    source.database("a/x");
    source.database("b/y");
    symlink("..", source.path("a/up")).unwrap();
    symlink(".", source.path("a/self")).unwrap();
    symlink("../b", source.path("a/over")).unwrap();
    symlink("../a", source.path("b/over")).unwrap();
    symlink("loop", source.path("loop")).unwrap();
    let (found, left_out) = source.found();
    assert_eq!(found, ["a/over/y.dci", "a/x.dci", "b/over/x.dci", "b/y.dci"]);
    let above = "a symbolic link to a folder that it is in";
    let inside = "a symbolic link inside a linked folder";
    assert_eq!(
        left_out,
        [
            left("a/over/over", inside),
            left("a/self", above),
            left("a/up", above),
            left("b/over/over", inside),
            left("b/over/self", above),
            left("b/over/up", above),
        ]
    );
}

#[test]
fn crossing_links_do_not_multiply() {
    let source = Source::new();
    source.database("0/x");
    for n in 0..30 {
        source.folder(&format!("{}", n + 1));
        symlink(format!("../{n}"), source.path(&format!("{}/a", n + 1))).unwrap();
        symlink(format!("../{n}"), source.path(&format!("{}/b", n + 1))).unwrap();
    }
    assert_eq!(source.found().0, ["0/x.dci", "1/a/x.dci", "1/b/x.dci"]);
}
