//! A node of the tree as one request finds it: resolved once, and asked for everything after that.

use std::ffi::OsStr;
use std::ops::{ControlFlow, Deref};
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::ChessFs;
use super::files::{File, Wait};
use super::folder::{Folder, RootInfo};
use super::object::{DatabaseNode, Object};
use super::types::{Attributes, Chunk, Entry, FsError, Inode, Kind, Where};
use crate::tree::{self, Node};

/// Most games that are decoded for one part of a listing. Who lists a directory mostly wants its games next, and to be
/// asked for each of them takes longer than to decode them now.
const DECODED_WHILE_LISTING: usize = 256;

/// Time after which no further game is decoded for one part of a listing: others wait for the thread.
const DECODING_WHILE_LISTING: Duration = Duration::from_millis(5);

/// A node of a [`ChessFs`]. That it exists shows when it is asked for something: to resolve an inode touches no
/// source and builds no view.
#[derive(Clone)]
pub struct Handle<F> {
    fs: F,
    inode: Inode,
    place: Place,
}

/// A handle that keeps the epoch of its inode.
pub type Resolved = Handle<Arc<ChessFs>>;

/// What the number of an inode says.
#[derive(Clone, Copy)]
enum Place {
    /// A folder of the source, or a database's directory.
    Folder(usize),
    /// `info.txt` at the root.
    RootInfo,
    /// A node below the directory of a database.
    Node(usize, Node),
}

impl ChessFs {
    fn place(&self, inode: Inode) -> Option<Place> {
        match inode.node().filter(|&(_, node)| node != Node::DATABASE) {
            _ if inode == RootInfo(self).inode() => Some(Place::RootInfo),
            Some((prefix, node)) => Some(Place::Node(self.folders.by_prefix(prefix)?, node)),
            None => self.folders.number_of(inode).map(Place::Folder),
        }
    }
}

impl<F: Deref<Target = ChessFs> + Clone> Handle<F> {
    /// The node of an inode of a file system; none where it is another one's.
    pub(super) fn new(fs: &F, inode: Inode) -> Option<Handle<F>> {
        let place = fs.place(inode)?;
        Some(Handle {
            fs: fs.clone(),
            inode,
            place,
        })
    }

    /// Its inode.
    pub fn inode(&self) -> Inode {
        self.inode
    }

    /// The file system that it belongs to.
    pub(super) fn fs(&self) -> &F {
        &self.fs
    }

    /// The folder of the source that it is.
    pub(super) fn folder(&self) -> Option<Folder<'_>> {
        match self.place {
            Place::Folder(folder) => Some(Folder::new(&self.fs, self.fs.folders.get(folder)?)),
            Place::RootInfo | Place::Node(..) => None,
        }
    }

    fn open(&self) -> Result<Object<'_>, FsError> {
        let object = match self.place {
            Place::Folder(_) => self.folder().map(Object::Folder),
            Place::RootInfo => Some(Object::RootInfo(RootInfo(&self.fs))),
            Place::Node(database, node) => self.open_node(database, node),
        };
        object.ok_or(FsError::Stale)
    }

    fn open_node(&self, database: usize, node: Node) -> Option<Object<'_>> {
        let database = self.fs.databases.get(database)?;
        let section = database.tree.section(node)?;
        let at = DatabaseNode {
            database,
            section,
            node,
        };
        Some(match section.open(node)? {
            tree::Object::Directory => Object::Directory(at),
            tree::Object::File(content) => Object::File(at, content),
            tree::Object::Link(target) => Object::Link(at, target),
        })
    }

    /// What it is, as far as its number says.
    pub fn kind(&self) -> Kind {
        match self.place {
            Place::Folder(_) => Kind::Directory,
            Place::RootInfo => Kind::File,
            Place::Node(database, node) => {
                let database = self.fs.databases.get(database);
                database.map_or(Kind::File, |database| database.tree.kind(node))
            }
        }
    }

    /// True where attributes or bytes of a file may need many games to be decoded first, or a directory a view to be
    /// built: better not answered by a thread that others wait for.
    pub fn may_wait(&self) -> bool {
        match self.place {
            Place::Folder(_) | Place::RootInfo => false,
            Place::Node(database, node) => {
                let database = self.fs.databases.get(database);
                database.is_some_and(|database| database.wait(node) != Wait::None)
            }
        }
    }

    /// Where requests for it are to be answered; a look-up is a request for its directory.
    pub fn where_to_answer(&self) -> Where {
        match self.place {
            // What they show is in memory.
            Place::Folder(_) | Place::RootInfo => Where::Here,
            Place::Node(database, node) => {
                let database = self.fs.databases.get(database);
                database.map_or(Where::Here, |database| database.where_to_answer(node))
            }
        }
    }

    /// The entry `name` of a directory. `.` and `..` are entries of files, too, as NFS servers want it.
    ///
    /// # Errors
    /// [`FsError::NotFound`], [`FsError::NotADirectory`]; [`FsError::Stale`] where it does not exist.
    pub fn child(&self, name: &OsStr) -> Result<Handle<F>, FsError> {
        match name.as_encoded_bytes() {
            b"." => return Ok(self.clone()),
            b".." => return self.parent(),
            _ => {}
        }
        let object = self.open()?;
        let child = object.directory()?.child(name.to_str().ok_or(FsError::NotFound)?);
        Handle::new(&self.fs, self.fs.reported(child)?).ok_or(FsError::Stale)
    }

    /// The directory that holds it (the root holds itself); for a game the one in `games/`.
    ///
    /// # Errors
    /// [`FsError::Stale`] where it does not exist.
    pub fn parent(&self) -> Result<Handle<F>, FsError> {
        let parent = self.parent_of(&self.open()?)?;
        Handle::new(&self.fs, parent).ok_or(FsError::Stale)
    }

    fn parent_of(&self, object: &Object<'_>) -> Result<Inode, FsError> {
        let Some(DatabaseNode {
            database,
            section,
            node,
        }) = object.of_database()
        else {
            let folder = self.folder();
            return folder.map_or(Ok(Inode::ROOT), |folder| folder.parent().ok_or(FsError::Stale));
        };
        Ok(match section.parent(*node) {
            Node::DATABASE => self.fs.folders.directory_of(database.prefix()),
            parent => database.inode(parent),
        })
    }

    /// Its attributes; decodes what they need.
    ///
    /// # Errors
    /// [`FsError::Stale`] where it does not exist; [`FsError::Io`] where a game cannot be read again.
    pub fn attributes(&self) -> Result<Attributes, FsError> {
        let object = self.open()?;
        Ok(object.attributes(self.fs.reported(object.size())?))
    }

    /// Its attributes, or none where a game would have to be decoded for them.
    ///
    /// # Errors
    /// [`FsError::Stale`] where it does not exist.
    pub fn attributes_if_known(&self) -> Result<Option<Attributes>, FsError> {
        let object = self.open()?;
        Ok(object.size_if_known().map(|size| object.attributes(size)))
    }

    /// Gives the entries of a directory from `offset` (0, or an entry's `next`) until `each` breaks. The first
    /// two are `.` and `..`. Attributes are filled in on demand: those that need no decoding, and those of some games.
    ///
    /// # Errors
    /// [`FsError::NotADirectory`]; [`FsError::Stale`] where it does not exist.
    pub fn read_dir(
        &self,
        offset: u64,
        with_attributes: bool,
        each: &mut dyn FnMut(Entry<'_>) -> ControlFlow<()>,
    ) -> Result<(), FsError> {
        let object = self.open()?;
        let directory = object.directory()?;
        let fs: &ChessFs = &self.fs;
        // Folders list what is in them by place, which is another one in another epoch.
        let epoch = self.folder().map_or(0, |_| fs.epoch << 32);
        let begin = Instant::now();
        let mut decoded = 0;
        let mut at = offset & !epoch;
        loop {
            let (name, inode, kind) = match at {
                0 => (".".into(), self.inode, Kind::Directory),
                1 => ("..".into(), self.parent_of(&object)?, Kind::Directory),
                _ => match usize::try_from(at - 2).ok().and_then(|n| directory.entry_at(n)) {
                    Some(entry) => entry,
                    None => break,
                },
            };
            let mut attributes = None;
            if with_attributes {
                let child = Handle::new(&fs, inode).ok_or(FsError::Stale)?;
                attributes = child.attributes_if_known()?;
                if attributes.is_none()
                    && inode.is_game()
                    && decoded < DECODED_WHILE_LISTING
                    && begin.elapsed() < DECODING_WHILE_LISTING
                {
                    decoded += 1;
                    attributes = child.attributes().ok();
                }
            }
            at += 1;
            let entry = Entry {
                inode,
                kind,
                name: &name,
                next: epoch | at,
                attributes,
            };
            if each(entry).is_break() {
                break;
            }
        }
        fs.reported(directory.check())
    }

    /// The number of entries of a directory.
    ///
    /// # Errors
    /// [`FsError::NotADirectory`]; [`FsError::Stale`] where it does not exist.
    pub fn entries(&self) -> Result<usize, FsError> {
        Ok(self.open()?.directory()?.len())
    }

    /// The games that a directory lists after `game`, or its first ones: at most so many. None where it does not
    /// hold `game`, or is no directory of games.
    pub fn next_games(&self, game: Option<Inode>, most: usize) -> Option<Vec<Inode>> {
        let object = self.open().ok()?;
        let directory = object.of_database()?;
        let game = match game {
            None => None,
            Some(game) => Some(self.number_of(game)?),
        };
        let games = directory.games_after(game)?.take(most);
        let inode = |game| directory.database.inode(Node::game(game));
        Some(games.map(inode).collect())
    }

    /// The number of a game of the same database.
    fn number_of(&self, game: Inode) -> Option<u32> {
        let ((own, _), (its, node)) = (self.inode.node()?, game.node()?);
        node.as_game().filter(|_| own == its)
    }

    /// Bytes of a file: `size` of them from `offset`, fewer only at its end.
    ///
    /// # Errors
    /// [`FsError::IsADirectory`]; [`FsError::WrongKind`] for a link; [`FsError::Io`] where the source does not give
    /// what it promised; [`FsError::Stale`] where it does not exist.
    pub fn read(&self, offset: u64, size: u32) -> Result<Chunk, FsError> {
        let read = |file: &dyn File| file.read(offset, size);
        self.fs.reported(self.open()?.with_file(read)?)
    }

    /// The path that a symbolic link leads to, relative to its directory.
    ///
    /// # Errors
    /// [`FsError::WrongKind`] for all else; [`FsError::Stale`] where it does not exist.
    pub fn target(&self) -> Result<String, FsError> {
        match self.open()? {
            Object::Link(_, target) => Ok(target.into_owned()),
            _ => Err(FsError::WrongKind),
        }
    }

    /// Gives the whole texts of some games of the same database: cheaper than one by one, for who will not ask again.
    /// Those are left out that are known to be longer than `longest` bytes.
    ///
    /// # Errors
    /// [`FsError::Io`] where the source does not give what it promised; [`FsError::Stale`] for an inode that is no
    /// game of the database.
    pub fn read_games(
        &self,
        games: &[Inode],
        longest: u32,
        each: &mut dyn FnMut(Inode, &[u8]),
    ) -> Result<(), FsError> {
        let object = self.open()?;
        let database = object.of_database().ok_or(FsError::Stale)?.database;
        let exists = |&game: &u32| game < database.sizes().games();
        let numbers = games.iter().map(|&game| self.number_of(game).filter(exists));
        let mut numbers: Vec<u32> = numbers.collect::<Option<_>>().ok_or(FsError::Stale)?;
        numbers.retain(|&game| database.sizes().get(game).is_none_or(|size| size <= longest));
        self.fs.reported(database.each_text(&numbers, &mut |game, text| {
            each(database.inode(Node::game(game)), text);
        }))
    }

    /// The database and the number of a game.
    pub(super) fn game(&self) -> Result<Option<(DatabaseNode<'_>, u32)>, FsError> {
        Ok(match self.open()? {
            Object::File(at, tree::Content::Game(game)) => Some((at, game)),
            _ => None,
        })
    }
}
