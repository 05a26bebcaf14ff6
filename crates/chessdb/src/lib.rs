//! Reads chess databases: bytes in, games out.
//!
//! ```
//! # let path = std::env::temp_dir().join(format!("legall-{}.brn", std::process::id()));
//! # std::fs::write(&path, b"\0WLegall\0\0BSaint Brie\0,,\x1b\x23\xdb\xa7\x12&\x1b\x9d\xd9\x0e\x12\x02").unwrap();
//! let database = chessdb::open(&path)?;
//! for decoded in database.games() {
//!     let game = decoded.game;
//!     let player = |side| game.tags.get(side).unwrap_or("?");
//!     println!("{} - {}", player("White"), player("Black"));
//!     for played in game.main_line() {
//!         println!("{} leads to {}", played.san, played.position.fen());
//!     }
//!     // The whole game as PGN.
//!     print!("{game}");
//! #   assert!(game.to_string().ends_with("6. Bxf7+ Ke7 7. Nd5# 1-0\n\n"), "{game}");
//! #   assert_eq!(game.main_line().count(), 13);
//! }
//! # std::fs::remove_file(&path).unwrap();
//! # Ok::<(), chessdb::OpenError>(())
//! ```
//!
//! - [`open()`] detects the format and opens one database; [`open_all`] opens all databases in a folder or an archive.
//! - A [`Database`] numbers its games from 0. It returns a game as a [`game::Game`], which [`pgn`] writes, or only its
//!   main line, which is several times faster: [`main_line`](Database::main_line).
//! - [`Database::keys`] has players, date, result and opening of a game as numbers, without decoding it.
//! - [`formats`] recognises databases among [`files`] that a program opens itself, and opens them from their bytes.
//!   [`packed`] reads compressed files at any place.
//! - [`board`] has positions, moves, SAN, FEN and keys of positions. Positions and moves can be converted to and from
//!   the types of [`shakmaty`].
//!
//! Reading a game never fails. Damaged parts are missing from it, and a [`Problem`] and a
//! [remark](game::Token::Remark) describe each.
//!
//! # Features
//!
//! - `fs`, enabled by default, provides [`open()`] and [`open_all`]. Without it the crate accesses no files.
//! - `bzip2` and `zstd`, enabled by default, read PGN files compressed in these ways, and `des` reads encrypted
//!   archives of ChessBase. Without these features, such files are refused with a [`Remedy`].
//! - `mmap` opens files as memory maps instead of reading them whole, so that a database may be larger than the memory.
//!   The files must not become shorter while they are open, because the process then ends with a bus error. This
//!   feature contains the only `unsafe` code of the crate.

#![cfg_attr(not(feature = "mmap"), forbid(unsafe_code))]

pub mod board;
#[doc(hidden)]
pub mod bytes;
mod database;
pub mod files;
pub mod formats;
pub mod game;
#[cfg(test)]
mod holed;
#[cfg(feature = "mmap")]
mod map;
#[cfg(feature = "fs")]
mod open;
pub mod packed;
pub mod pgn;
mod problem;
pub mod replay;
#[doc(hidden)]
pub mod text;

pub use database::{
    AsFiles, Database, Decoded, Folder, Info, Keys, Member, NotADatabase, Options, Passwords, PgnForm, TextId,
};
#[cfg(feature = "fs")]
pub use open::{Found, OpenError, OpenErrorKind, open, open_all, open_all_with, open_with};
pub use problem::{Problem, ProblemKind, Remedy};
/// The version of shakmaty whose types are used here.
pub use shakmaty;
