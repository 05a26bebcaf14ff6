//! Libraries of chess databases: finds the databases of a folder, opens them through memory maps, searches them for
//! positions, lists their games in tables, compares them and makes opening books of them.
//!
//! ```
//! # let folder = std::env::temp_dir().join(format!("library-{}", std::process::id()));
//! # std::fs::create_dir_all(&folder)?;
//! # std::fs::write(folder.join("mate.brn"), b"\0WLegall\0\0BSaint Brie\0,,\x1b\x23\xdb\xa7\x12&\x1b\x9d\xd9\x0e\x12\x02")?;
//! use chessdb_library::library::LibraryOptions;
//! use chessdb_library::positions::{Pattern, scan_moves};
//! use chessdb_library::query::{Query, SearchedGames};
//!
//! let library = LibraryOptions::default().open(&folder)?;
//! let query = Query::parse("white:legall played:Nd5#")?;
//! let pattern = Pattern::of_moves("e4 e5")?;
//! for entry in library.databases() {
//!     let database = &*entry.database;
//!     let searched = SearchedGames {
//!         path: &entry.path,
//!         ..SearchedGames::all(database)
//!     };
//!     for found in query.answer(&searched, 1, &|_| ())? {
//!         println!("{}, game {}: move {}", entry.path, found.game + 1, found.ply / 2 + 1);
//! #       assert_eq!(found.ply, 12);
//!     }
//!     for row in scan_moves(database, None, &pattern, None, 1, &|_| ()).rows {
//!         println!("{} in {} games", row.san, row.tally.games);
//! #       assert_eq!(row.tally.games, 1);
//!     }
//! }
//! # assert_eq!(library.databases().len(), 1);
//! # std::fs::remove_dir_all(&folder)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! - [`library`] finds and opens databases, and lists what was left out and why. [`kept`] keeps results that take long
//!   to compute between runs.
//! - [`query`] is the language of searches, [`positions`] has positions of all games and their moves, by a scan or an
//!   index, and [`lines`] names the moves of a game.
//! - [`player`] has the results of a player and the changes in the player's repertoire, [`table`] lists games as CSV,
//!   JSON and Parquet, [`duplicates`] finds games that several databases have, [`polyglot`] makes opening books,
//!   [`spelling`] joins names that are one player.
//! - [`task`], [`workers`] and the other modules are for programs that serve databases from file systems that may
//!   hang.
//!
//! # What it does to a process
//!
//! - Files are mapped, so opening the first database installs a **handler of SIGBUS**, which stays. It puts zeros in
//!   place of bytes that a file has lost, and passes any other signal on to the previous handler.
//! - Databases are opened in **threads** that nothing joins, because a call of a file system may never return;
//!   [`LibraryOptions::prepare`](library::LibraryOptions::prepare) is called on each. They end with their database;
//!   [`Library::give_up_openings`](library::Library::give_up_openings) makes them end once the file system answers.
//!   Each file system that may hang has another thread, which ends after some seconds without work. Other threads end
//!   before the function that started them returns.
//! - [`Library::endings`](library::Library::endings) and [`workers::hung::on_answer`] let a program wait for databases
//!   that open late, and for file systems that answer again: [`Endings::stop`](library::Endings::stop) ends the waiting,
//!   and dropping the [`Listener`](workers::hung::Listener) the calls.
//! - Long work ends by [`Cancel::cancel`](task::Cancel::cancel), if it was started by
//!   [`Cancel::run`](task::Cancel::run). It then unwinds, so a program that aborts on panic cannot cancel.
//! - Nothing is written but files of [`kept`], where a program names a folder, and temporary files of large indexes.

pub mod annotations;
pub mod csv;
pub mod duplicates;
pub mod explorer;
pub mod kept;
pub mod library;
pub mod lines;
pub mod links;
pub mod made;
pub mod making;
pub mod mapped;
pub mod mounts;
pub mod once_lru;
pub mod openings;
pub mod parallel;
pub mod player;
pub mod polyglot;
pub mod positions;
pub mod query;
pub mod repertoire;
pub mod similar;
pub mod spelling;
mod spill;
pub mod table;
pub mod task;
pub mod time_control;
pub mod turns;
pub mod workers;
