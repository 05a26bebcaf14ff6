//! The raw files inside a database, as files below `emb/`.

use super::names::{canonical, directory_name};
use crate::library::TakenNames;
use chessdb::formats::{Database, Member};

/// The members of a database and the directories that hold them.
pub struct Members {
    members: Vec<Member>,
    directories: Vec<MemberDirectory>,
}

struct MemberDirectory {
    name: &'static str,
    /// Name and number of each member, sorted by name.
    files: Vec<(String, u32)>,
}

impl Members {
    /// The members that a database has.
    pub fn new(database: &dyn Database) -> Members {
        let members = database.members();
        let mut names: Vec<&'static str> = members.iter().map(|member| member.directory).collect();
        names.sort_unstable();
        names.dedup();
        let directories = names.into_iter().map(|name| {
            let mut taken = TakenNames::default();
            let inside = (0..).zip(&members).filter(|(_, member)| member.directory == name);
            let mut files: Vec<(String, u32)> = inside
                .map(|(number, member)| {
                    let name = canonical(member.name.as_str().into());
                    (taken.take_name(&directory_name(&name)), number)
                })
                .collect();
            files.sort_unstable();
            MemberDirectory { name, files }
        });
        Members {
            directories: directories.collect(),
            members,
        }
    }

    /// A member by its number.
    pub fn get(&self, member: u32) -> Option<&Member> {
        self.members.get(member as usize)
    }

    /// Names of the directories.
    pub fn directories(&self) -> impl Iterator<Item = &'static str> {
        self.directories.iter().map(|directory| directory.name)
    }

    /// Names and numbers of the members in a directory, sorted by name.
    pub fn files(&self, directory: u32) -> &[(String, u32)] {
        self.directories
            .get(directory as usize)
            .map_or(&[], |directory| &directory.files)
    }

    /// The member of a name in a directory.
    pub fn child(&self, directory: u32, name: &str) -> Option<u32> {
        let files = self.files(directory);
        let found = files.binary_search_by(|(file, _)| file.as_str().cmp(name)).ok()?;
        files.get(found).map(|&(_, number)| number)
    }

    /// The directory that holds a member.
    pub fn directory_of(&self, member: u32) -> u32 {
        let name = self.get(member).map(|member| member.directory);
        let found = self
            .directories
            .iter()
            .position(|directory| Some(directory.name) == name);
        found.unwrap_or(0) as u32
    }
}
