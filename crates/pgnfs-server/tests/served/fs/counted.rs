//! Links in `search/` and ranks in `positions/`, whose inode numbers are counted.

use std::collections::HashSet;
use std::ffi::OsStr;

use chessdb_library::library::Library;
use pgnfs_server::inside::{ChessFs, CurrentState, FsError, Inode, ServeOptions};

use testkit::fake::{Fake, game};

/// More than are remembered without a front end.
const MANY: usize = 5000;

/// The start of a rook ending.
const ENDING: &str = "4k3/8/8/8/8/8/8/R3K3 w - - 0 1";

fn live() -> CurrentState {
    let games = [game("Tal", "Keres").fen(ENDING).line("Ra2")];
    let library = Library::from_databases(vec![Fake::of(games).at("")]);
    CurrentState::new(ChessFs::new(library, ServeOptions::default()))
}

/// Looks up a path like a kernel that is asked for each name, and keeps the last one.
fn look_up(live: &CurrentState, path: &str) -> Result<Inode, FsError> {
    let found = path.split('/').try_fold(Inode::ROOT, |inode, name| {
        let found = live.child(&live.resolve(inode)?.open()?, OsStr::new(name))?;
        Ok::<_, FsError>(found.inode())
    })?;
    assert!(live.hold(&[found]).is_empty(), "{path}");
    Ok(found)
}

fn target(live: &CurrentState, link: Inode) -> Result<String, FsError> {
    Ok(live.resolve(link)?.open()?.target()?.to_owned())
}

fn entries(live: &CurrentState, directory: Inode) -> Result<usize, FsError> {
    live.resolve(directory)?.open()?.entries()
}

/// Different ranks.
fn ranks() -> impl Iterator<Item = String> {
    let pieces = b"KQRBNPkqrbnp";
    (0..).map(move |number: usize| {
        let piece = |n: u32| char::from(pieces[number / pieces.len().pow(n) % pieces.len()]);
        (0..8).map(piece).collect()
    })
}

#[test]
fn a_link_leads_where_it_led_while_the_kernel_has_it() {
    let live = live();
    let link = look_up(&live, "search/player:TAL").unwrap();
    let mut seen = HashSet::from([link]);
    for n in 0..MANY {
        let other = look_up(&live, &format!("search/player:TAL{n}")).unwrap();
        assert!(seen.insert(other), "the inode of an earlier link");
        if n % 2 == 0 {
            live.release(other, 1);
        }
    }
    assert_eq!(target(&live, link).as_deref(), Ok("player:tal"));
    assert_eq!(look_up(&live, "search/player:TAL"), Ok(link));
    live.release(link, 1);
    assert_eq!(
        target(&live, link).as_deref(),
        Ok("player:tal"),
        "it was looked up twice"
    );
    live.release(link, 1);
    for n in MANY..2 * MANY {
        let other = look_up(&live, &format!("search/player:TAL{n}")).unwrap();
        live.release(other, 1);
    }
    assert_eq!(target(&live, link), Err(FsError::Stale));
    // In a mount that continues, no number is assigned twice.
    assert!(seen.insert(look_up(&live, "search/player:TAL").unwrap()));
}

#[test]
fn ranks_stay_the_same_while_the_kernel_has_them() {
    let live = live();
    let (directory, link) = ENDING.rsplit_once('/').unwrap();
    let directory = look_up(&live, &format!("positions/{directory}")).unwrap();
    let mut seen = HashSet::from([directory]);
    for rank in ranks().take(MANY) {
        let other = look_up(&live, &format!("positions/{rank}")).unwrap();
        assert!(seen.insert(other), "the inode of an earlier directory");
        live.release(other, 1);
    }
    assert_eq!(entries(&live, directory), Ok(0));
    let found = live.resolve(directory).unwrap();
    let found = live.child(&found.open().unwrap(), OsStr::new(link)).unwrap();
    let target = target(&live, found.inode()).unwrap();
    assert!(target.ends_with("/4k3-8-8-8-8-8-8-R3K3_w_-_-"), "{target}");
    live.release(directory, 1);
    for rank in ranks().skip(MANY).take(MANY) {
        let other = look_up(&live, &format!("positions/{rank}")).unwrap();
        live.release(other, 1);
    }
    assert_eq!(entries(&live, directory), Err(FsError::Stale));
}

#[test]
fn what_was_forgotten_meanwhile_is_not_given_to_the_kernel() {
    let live = live();
    let search = live.resolve(look_up(&live, "search").unwrap()).unwrap();
    let search = search.open().unwrap();
    let link = live.child(&search, OsStr::new("player:TAL")).unwrap().inode();
    for n in 0..MANY {
        live.child(&search, OsStr::new(&format!("player:TAL{n}")))
            .unwrap();
    }
    assert_eq!(live.hold(&[Inode::ROOT, link]), [link]);
}
