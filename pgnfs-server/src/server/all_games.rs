//! The directory of all games.

use super::requests::Requests;

impl Requests {
    /// The path in the tree of the directory that has all games: `all`, or the only database. `None` without databases.
    pub fn path_of_all(&self) -> Option<String> {
        self.live().current().path_of_all()
    }
}
