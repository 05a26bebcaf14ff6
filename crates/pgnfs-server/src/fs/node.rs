//! Resolves an inode number to a [`ResolvedInode`], and opens that for reading as an [`OpenNode`].

use std::ffi::OsStr;
use std::ops::ControlFlow;
use std::sync::{Arc, LazyLock};
use std::time::{SystemTime, UNIX_EPOCH};

use self_cell::self_cell;
use xxhash_rust::xxh3::Xxh3;

use super::branch::{BranchFs, DetachedDirectory};
use super::branch_node::BranchNode;
use super::database::DatabaseFs;
use super::files::File;
use super::remote::{Remote, RunOn};
use super::searches::SearchesFs;
use super::state::{ChessFs, FolderFs, RootInfo};
use super::types::{Attributes, Chunk, Directory, Entry, FsError, Inode, Kind};
use crate::tree::{Existing, Node};
use chessdb::Decoded;
use chessdb::game::Tags;
use chessdb_library::kept::program_hash;
use chessdb_library::made::Wait;

/// An inode number as resolved in one state of the source; keeps that state alive. Resolving does not read the source
/// or check that the node exists, but it may create the directory of a search again.
#[derive(Clone)]
pub struct ResolvedInode {
    fs: Arc<ChessFs>,
    inode: Inode,
    meaning: Meaning,
}

/// The meaning of an inode number.
#[derive(Clone)]
enum Meaning {
    /// A folder of the source, or the directory of a branch.
    Folder(usize),
    /// The directory of a search, or an earlier state of the directory of a branch.
    Detached(Arc<DetachedDirectory>),
    /// `info.txt` at the root.
    RootInfo,
    /// A node below the directory of a branch: of the source, of a search, or retired.
    InBranch(Arc<BranchFs>, Node),
}

impl ResolvedInode {
    /// Its inode.
    pub fn inode(&self) -> Inode {
        self.inode
    }

    /// The state that it belongs to.
    pub(super) fn fs(&self) -> &Arc<ChessFs> {
        &self.fs
    }

    /// The kind of node, judged by its number alone.
    pub fn kind(&self) -> Kind {
        match &self.meaning {
            Meaning::Folder(_) | Meaning::Detached(_) => Kind::Directory,
            Meaning::RootInfo => Kind::File,
            Meaning::InBranch(branch, node) => branch.kind(*node),
        }
    }

    /// False if a request for this node may need a source that can hang, such as a network file system.
    pub fn is_local(&self) -> bool {
        match &self.meaning {
            Meaning::InBranch(branch, _) => branch.remote().is_none(),
            _ => true,
        }
    }

    /// Opens the node. May block while games are counted or sorted, or until the source answers.
    ///
    /// # Errors
    /// [`FsError::Stale`] if it does not exist.
    pub fn open(&self) -> Result<OpenNode, FsError> {
        self.clone().open_here(true)?.complete()
    }

    /// Opens the node as far as it can without blocking this thread. If [`OpenNode::run_on`] then names other threads,
    /// one of them must [complete](OpenNode::complete) it. `in_worker` is true in a worker thread, which may block on
    /// the source.
    ///
    /// # Errors
    /// [`FsError::Stale`] if it does not exist.
    pub fn open_here(self, in_worker: bool) -> Result<OpenNode, FsError> {
        let opened = OpenCell::try_new(self, |node| {
            let mut opened = Opened::find(node).ok_or(FsError::Stale)?;
            if let Opened::InBranch(node) = &mut opened
                && node.wait_to_open() == Wait::None
                && (in_worker || !node.touches_source_to_open())
            {
                node.open()?;
            }
            Ok(opened)
        });
        opened.map(OpenNode)
    }
}

impl ChessFs {
    /// Resolves an inode. The node may not exist; see [`ResolvedInode`].
    ///
    /// # Errors
    /// [`FsError::Stale`] if the inode belongs to no database and no folder.
    pub fn resolve(self: &Arc<ChessFs>, inode: Inode) -> Result<ResolvedInode, FsError> {
        let meaning = if inode == self.root_info() {
            Meaning::RootInfo
        } else if let Some((prefix, node)) = inode.node().filter(|&(_, node)| node != Node::DATABASE) {
            let branch = match self.present_branch(prefix) {
                Some(present) => Arc::clone(present),
                None => Arc::clone(&self.detached(prefix).ok_or(FsError::Stale)?.branch),
            };
            Meaning::InBranch(branch, node)
        } else if let Some(folder) = self.folders.number_of(inode) {
            Meaning::Folder(folder)
        } else {
            let detached = inode.node().and_then(|(prefix, _)| self.detached(prefix));
            let detached = detached.filter(|detached| detached.folder.inode == inode);
            Meaning::Detached(detached.ok_or(FsError::Stale)?)
        };
        Ok(ResolvedInode {
            fs: Arc::clone(self),
            inode,
            meaning,
        })
    }
}

self_cell!(
    struct OpenCell {
        owner: ResolvedInode,
        #[covariant]
        dependent: Opened,
    }
);

/// An open node, from which attributes, entries and bytes are read. It owns the state and the branch that it uses, so
/// the thread that opens it can hand it to the thread that answers.
pub struct OpenNode(OpenCell);

/// The borrowing half of an [`OpenNode`].
pub(super) enum Opened<'a> {
    /// A folder of the source, or the directory of a branch.
    Folder(FolderFs<'a>),
    /// `info.txt` at the root.
    RootInfo(RootInfo<'a>),
    /// A node below the directory of a branch.
    InBranch(BranchNode<'a>),
}

impl<'a> Opened<'a> {
    /// Finds the folder, file or section node of an inode, without opening it.
    fn find(resolved: &'a ResolvedInode) -> Option<Opened<'a>> {
        let fs = &resolved.fs;
        Some(match &resolved.meaning {
            Meaning::Folder(folder) => Opened::Folder(FolderFs::new(fs, fs.folders.get(*folder)?)),
            Meaning::Detached(detached) => Opened::Folder(FolderFs::detached(fs, detached)),
            Meaning::RootInfo => Opened::RootInfo(RootInfo(fs)),
            Meaning::InBranch(branch, node) => Opened::InBranch(BranchNode::find(branch, *node)?),
        })
    }

    /// Opens it, unless it is open already.
    fn open(&mut self) -> Result<(), FsError> {
        match self {
            Opened::InBranch(node) => node.open(),
            Opened::Folder(_) | Opened::RootInfo(_) => Ok(()),
        }
    }

    /// The work that must end before size and contents of an open file are known.
    fn wait_to_read(&self) -> Wait {
        self.file().map_or(Wait::None, |file| file.wait_to_read())
    }

    /// The threads that access its source, if the source can hang.
    fn remote(&self) -> Option<&'a Remote> {
        self.in_branch().and_then(|node| node.branch.remote())
    }

    /// The node, if it is below the directory of a branch.
    fn in_branch(&self) -> Option<&BranchNode<'a>> {
        match self {
            Opened::InBranch(node) => Some(node),
            Opened::Folder(_) | Opened::RootInfo(_) => None,
        }
    }

    /// Calls `then` with the directory, or returns an error if the node is not one.
    fn with_directory<R>(&self, fs: &ChessFs, then: impl FnOnce(&dyn Directory) -> R) -> Result<R, FsError> {
        match self {
            Opened::Folder(folder) => Ok(then(folder)),
            Opened::InBranch(node) => match node.existing {
                Some(Existing::Directory) => Ok(then(node)),
                Some(Existing::Searches) => Ok(then(&SearchesFs {
                    registry: fs.registry(),
                    node,
                })),
                _ => Err(FsError::NotADirectory),
            },
            Opened::RootInfo(_) => Err(FsError::NotADirectory),
        }
    }

    /// The file, or an error if the node is not one.
    fn file(&self) -> Result<&(dyn File + 'a), FsError> {
        match self {
            Opened::RootInfo(info) => Ok(info),
            Opened::InBranch(node) => match &node.existing {
                Some(Existing::File(file)) => Ok(&**file),
                Some(Existing::Link(_)) => Err(FsError::WrongKind),
                _ => Err(FsError::IsADirectory),
            },
            Opened::Folder(_) => Err(FsError::IsADirectory),
        }
    }

    /// The attributes, if nothing has to be decoded for them.
    fn attributes_if_known(&self) -> Option<Attributes> {
        let size = match self.target() {
            Some(target) => target.len() as u64,
            None => self.file().map_or(Some(0), |file| file.size_if_known())?,
        };
        Some(self.attributes_of_size(size))
    }

    /// The attributes. Decodes games if the size requires it.
    fn attributes(&self) -> Result<Attributes, FsError> {
        match self.attributes_if_known() {
            Some(attributes) => Ok(attributes),
            None => Ok(self.attributes_of_size(self.file()?.size()?)),
        }
    }

    fn attributes_of_size(&self, size: u64) -> Attributes {
        match self {
            Opened::Folder(folder) => folder.attributes(),
            Opened::RootInfo(info) => info.attributes(size),
            Opened::InBranch(node) => node.attributes(size),
        }
    }

    /// The target of a symbolic link.
    fn target(&self) -> Option<&str> {
        match self.in_branch()?.existing.as_ref()? {
            Existing::Link(target) => Some(target),
            _ => None,
        }
    }
}

/// Which threads answer a request.
impl OpenNode {
    /// The threads that must answer a request for this node, or `None` if the calling thread can. `in_worker` as for
    /// [`ResolvedInode::open_here`].
    pub fn run_on(&self, in_worker: bool) -> Option<RunOn> {
        let opened = self.opened();
        let remote = opened.remote();
        let (is_open, wait) = match opened.in_branch() {
            Some(node) if node.existing.is_none() => (false, node.wait_to_open()),
            _ => (true, opened.wait_to_read()),
        };
        // `info.txt` is answered from memory.
        let is_near = in_worker || remote.is_none() || self.is_info();
        let may_answer = is_open && wait == Wait::None && is_near;
        (!may_answer).then(|| RunOn::of(remote, wait))
    }

    /// Finishes opening the node. Call it only in one of the threads named by [`OpenNode::run_on`].
    ///
    /// # Errors
    /// [`FsError::Stale`] if the node does not exist.
    pub fn complete(mut self) -> Result<OpenNode, FsError> {
        self.0.with_dependent_mut(|_, opened| opened.open())?;
        Ok(self)
    }

    /// The threads that must decode this game, if decoding may take too long for the calling thread.
    pub fn for_decoding(&self) -> Option<RunOn> {
        let (database, game) = self.game()?;
        let remote = self.opened().remote();
        database.decodes_long(game).then(|| RunOn::of(remote, Wait::Own))
    }
}

impl OpenNode {
    fn opened(&self) -> &Opened<'_> {
        self.0.borrow_dependent()
    }

    /// The inode as it was resolved.
    pub fn resolved(&self) -> &ResolvedInode {
        self.0.borrow_owner()
    }

    pub(super) fn fs(&self) -> &Arc<ChessFs> {
        &self.resolved().fs
    }

    /// The branch that it belongs to.
    fn branch(&self) -> Option<&BranchFs> {
        self.opened().in_branch().map(|node| node.branch)
    }

    /// True for an `info.txt`.
    fn is_info(&self) -> bool {
        match self.opened() {
            Opened::RootInfo(_) => true,
            Opened::InBranch(node) => node.node == Node::INFO,
            Opened::Folder(_) => false,
        }
    }

    /// If the node is a game: its database and its number there.
    fn game(&self) -> Option<(&DatabaseFs, u32)> {
        let node = self.opened().in_branch()?;
        Some((node.branch.own_database()?, node.node.as_game()?))
    }

    /// Call after each request that may build something: reports an error of the source, and updates the memory use of
    /// a search's directory.
    fn done<T>(&self, result: Result<T, FsError>) -> Result<T, FsError> {
        self.branch()
            .inspect(|branch| self.fs().update_memory_use(branch));
        self.fs().reported(result)
    }

    /// The attributes. Decodes games if the size requires it.
    ///
    /// # Errors
    /// [`FsError::Io`] if a game cannot be read.
    pub fn attributes(&self) -> Result<Attributes, FsError> {
        self.done(self.opened().attributes())
    }

    /// The attributes, or `None` if a game would have to be decoded for them.
    pub fn attributes_if_known(&self) -> Option<Attributes> {
        self.opened().attributes_if_known()
    }

    /// Returns `size` bytes of a file from `offset`, fewer only at its end.
    ///
    /// # Errors
    /// [`FsError::IsADirectory`]; [`FsError::WrongKind`] for a link; [`FsError::Io`] if the source cannot be
    /// read or has changed.
    pub fn read(&self, offset: u64, size: u32) -> Result<Chunk, FsError> {
        self.done(self.opened().file()?.read(offset, size))
    }

    /// The target of a symbolic link, relative to its directory.
    ///
    /// # Errors
    /// [`FsError::WrongKind`] if the node is not a link.
    pub fn target(&self) -> Result<&str, FsError> {
        self.opened().target().ok_or(FsError::WrongKind)
    }
}

/// Directories.
impl OpenNode {
    /// Looks up `name` in a directory. `.` and `..` also work for files, as NFS servers need them.
    ///
    /// # Errors
    /// [`FsError::NotFound`], [`FsError::Refused`], [`FsError::NotADirectory`].
    pub fn child(&self, name: &OsStr) -> Result<ResolvedInode, FsError> {
        match name.as_encoded_bytes() {
            b"." => return Ok(self.resolved().clone()),
            b".." => return self.parent(),
            _ => {}
        }
        let fs = self.fs();
        let child = self.opened().with_directory(fs, |directory| {
            directory.child(name.to_str().ok_or(FsError::NotFound)?)
        });
        fs.resolve(self.done(child?)?)
    }

    /// The branch that is searched, if this directory is its `search/`.
    pub(super) fn searched_branch(&self) -> Option<&BranchFs> {
        let node = self.opened().in_branch()?;
        matches!(node.existing, Some(Existing::Searches)).then_some(node.branch)
    }

    /// The parent directory (the root is its own parent); for a game its directory in `games/`.
    ///
    /// # Errors
    /// [`FsError::Stale`] if it does not exist.
    pub fn parent(&self) -> Result<ResolvedInode, FsError> {
        self.fs().resolve(self.parent_inode())
    }

    fn parent_inode(&self) -> Inode {
        match self.opened() {
            Opened::Folder(folder) => folder.parent(),
            Opened::RootInfo(_) => Inode::ROOT,
            Opened::InBranch(node) => match node.section.parent(node.node) {
                Node::DATABASE => self.fs().directory_of(node.branch.prefix()),
                parent => node.branch.inode(parent),
            },
        }
    }

    /// The number of entries of a directory.
    ///
    /// # Errors
    /// [`FsError::NotADirectory`].
    pub fn entries(&self) -> Result<usize, FsError> {
        self.opened()
            .with_directory(self.fs(), |directory| directory.len())
    }

    /// Calls `each` with the entries of a directory, starting at `offset` (0, or [`Entry::next`] of an
    /// entry), until it breaks. The first two entries are `.` and `..`. They have no attributes.
    ///
    /// # Errors
    /// [`FsError::NotADirectory`]; [`FsError::Io`] if the source has changed, so that entries may be wrong.
    pub fn read_dir(
        &self,
        offset: u64,
        each: &mut dyn FnMut(Entry<'_>) -> ControlFlow<()>,
    ) -> Result<(), FsError> {
        let read = |directory: &dyn Directory| {
            let mut at = offset;
            let mut shown = Vec::new();
            let is_at_end = loop {
                let entry = match at {
                    0 => Entry::new(".", self.resolved().inode, Kind::Directory, 1),
                    1 => Entry::new("..", self.parent_inode(), Kind::Directory, 2),
                    _ => match directory.entry_after(at) {
                        Some(entry) => {
                            shown.push(entry.inode);
                            entry
                        }
                        None => break true,
                    },
                };
                at = entry.next;
                if each(entry).is_break() {
                    break false;
                }
            };
            directory.check((!is_at_end).then_some(&shown))
        };
        self.done(self.opened().with_directory(self.fs(), read)?)
    }

    /// The attributes of an entry of this directory, if nothing has to be decoded or counted for them. A game that
    /// decodes quickly is decoded if `may_decode` returns true.
    pub fn attributes_of(&self, entry: &Entry<'_>, may_decode: impl FnOnce() -> bool) -> Option<Attributes> {
        let fs = self.fs();
        if fs.must_make(entry.inode) {
            return None;
        }
        self.with_entry(entry.inode, |opened| {
            if let Some(known) = opened.attributes_if_known() {
                return Some(known);
            }
            let is_decoded = entry.inode.is_game() && opened.wait_to_read() == Wait::None && may_decode();
            is_decoded.then(|| fs.reported(opened.attributes()).ok())?
        })
    }

    /// Opens an entry of this directory and passes it to `then`, unless opening it would block. A listing calls this
    /// for each entry, so it takes no lock and increments no reference count for a branch of the present source.
    fn with_entry<T>(&self, entry: Inode, then: impl FnOnce(&Opened<'_>) -> Option<T>) -> Option<T> {
        let fs = self.fs();
        let in_branch = entry.node().and_then(|(prefix, node)| {
            // Two nodes of a branch must be resolved: its directory, which is a folder, and `info.txt`, which is also
            // the root's if the branch is at the root.
            let is_below = node != Node::DATABASE && node != Node::INFO;
            let own = self.branch().filter(|own| own.prefix() == prefix);
            let branch = own.or_else(|| fs.present_branch(prefix).map(Arc::as_ref));
            Some((branch.filter(|_| is_below)?, node))
        });
        let resolved;
        let mut opened = match in_branch {
            Some((branch, node)) => Opened::InBranch(BranchNode::find(branch, node)?),
            None => {
                resolved = fs.resolve(entry).ok()?;
                Opened::find(&resolved)?
            }
        };
        let wait = match &opened {
            Opened::InBranch(node) => node.branch.wait_for_count(),
            _ => opened.wait_to_read(),
        };
        if wait != Wait::None {
            return None;
        }
        opened.open().ok()?;
        then(&opened)
    }

    /// Up to `most` games that a directory lists after `game`, or its first games. `None` if the directory
    /// does not contain `game`, or is not a directory of games.
    pub fn next_games(&self, game: Option<Inode>, most: usize) -> Option<Vec<Inode>> {
        let games = self.opened().in_branch()?.games_after(game)?;
        Some(games.take(most).collect())
    }
}

/// Games.
impl OpenNode {
    /// Passes whole texts of games of this database to `each`. This is cheaper than reading them one by one;
    /// decoded texts are not cached. Games known to be longer than `longest` bytes are skipped.
    ///
    /// # Errors
    /// [`FsError::Io`] if the source cannot be read or has changed; [`FsError::Stale`] if an inode is not a
    /// game of this database.
    pub fn read_games(
        &self,
        games: &[Inode],
        longest: u32,
        each: &mut dyn FnMut(Inode, &[u8]),
    ) -> Result<(), FsError> {
        let branch = self.branch().ok_or(FsError::Stale)?;
        let database = branch.own_database().ok_or(FsError::Stale)?;
        let exists = |&game: &u32| game < database.sizes().games();
        let numbers = games.iter().map(|&game| branch.number_of(game).filter(exists));
        let mut numbers: Vec<u32> = numbers.collect::<Option<_>>().ok_or(FsError::Stale)?;
        numbers.retain(|&game| database.sizes().get(game).is_none_or(|size| size <= longest));
        self.fs()
            .reported(database.each_text(&numbers, &mut |game, text| {
                each(database.inode(Node::game(game)), text);
            }))
    }

    /// Decodes the game that this file shows.
    ///
    /// # Errors
    /// [`FsError::WrongKind`] if the node is not a game; [`FsError::Io`] if the source cannot be read or has changed.
    pub fn decoded(&self) -> Result<Decoded, FsError> {
        let (database, game) = self.game().ok_or(FsError::WrongKind)?;
        let decoded = database.served_entry().database.game(game);
        self.fs().reported(database.texts().check())?;
        Ok(decoded)
    }

    /// Names of the extended attributes: `user.pgn.<tag>` for a game, none for other nodes. Without those that the kernel
    /// would not pass on.
    ///
    /// # Errors
    /// [`FsError::Io`] if the source has changed.
    pub fn attribute_names(&self) -> Result<Vec<String>, FsError> {
        let Some((database, game)) = self.game() else {
            return Ok(Vec::new());
        };
        let tags = self.fs().reported(tags(database, game))?;
        let names = tags
            .iter()
            .filter(|(name, value)| attribute(name, value).is_some())
            .map(|(name, _)| format!("{TAG_PREFIX}{name}"));
        let mut left = LONGEST_LIST;
        let fits = |name: &String| {
            // In the list, a zero follows each name.
            let rest = left.checked_sub(name.len() + 1);
            left = rest.unwrap_or(0);
            rest.is_some()
        };
        Ok(names.take_while(fits).collect())
    }

    /// Value of an extended attribute. Decodes no moves.
    ///
    /// # Errors
    /// [`FsError::NoAttribute`]; [`FsError::Io`] if the source has changed.
    pub fn attribute_value(&self, name: &OsStr) -> Result<Vec<u8>, FsError> {
        let tag = name.to_str().and_then(|name| name.strip_prefix(TAG_PREFIX));
        let (Some((database, game)), Some(tag)) = (self.game(), tag) else {
            return Err(FsError::NoAttribute);
        };
        let tags = self.fs().reported(tags(database, game))?;
        let value = tags.get(tag).and_then(|value| attribute(tag, value));
        value.ok_or(FsError::NoAttribute)
    }
}

const TAG_PREFIX: &str = "user.pgn.";

/// Most bytes of an attribute's name, with its prefix, of its value, and of the list of all names. The kernel passes on no
/// more.
const LONGEST_NAME: usize = 255;
const LONGEST_VALUE: usize = 64 << 10;
const LONGEST_LIST: usize = 64 << 10;

/// The value of the attribute for a tag, without control characters, as exports have it; `None` if the kernel would not
/// pass it on.
fn attribute(tag: &str, value: &str) -> Option<Vec<u8>> {
    let value = value.replace(char::is_control, "");
    let is_short = TAG_PREFIX.len() + tag.len() <= LONGEST_NAME && value.len() <= LONGEST_VALUE;
    is_short.then(|| value.into_bytes())
}

fn tags(database: &DatabaseFs, game: u32) -> Result<Tags, FsError> {
    let tags = database.served_entry().database.tags(game);
    database.texts().check()?;
    Ok(tags)
}

/// A number unique to this process, assuming that the clock never runs backwards.
fn this_process() -> [u8; 16] {
    static BEGIN: LazyLock<u128> = LazyLock::new(|| {
        let since = SystemTime::now().duration_since(UNIX_EPOCH);
        since.map_or(0, |since| since.as_nanos())
    });
    (*BEGIN ^ u128::from(std::process::id()) << 96).to_le_bytes()
}

impl OpenNode {
    /// A hash of everything that determines the bytes of the file at `path`: its database, the program, and the options
    /// for reading and showing databases.
    ///
    /// # Errors
    /// The same errors as [`OpenNode::read`], for an `info.txt`.
    pub fn key(&self, path: &str) -> Result<u128, FsError> {
        let fs = self.fs();
        let mut key = Xxh3::new();
        let program = program_hash().map_or_else(this_process, u128::to_le_bytes);
        key.update(&program);
        let options = format!("{:?}\n{:?}", fs.library().options(), fs.common.options.layout);
        for text in [path, &options] {
            key.update(&(text.len() as u64).to_le_bytes());
            key.update(text.as_bytes());
        }
        match self.branch() {
            Some(branch) => {
                key.update(branch.shown_key().as_bytes());
                let databases = branch.databases().iter();
                databases
                    .for_each(|database| key.update(&database.served_entry().origin().hash().to_le_bytes()));
            }
            None => key.update(&this_process()),
        }
        if self.is_info() {
            // The text of an `info.txt` also depends on the files beside its databases, so these are part of the key.
            key.update(&self.read(0, u32::MAX)?);
        }
        Ok(key.digest128())
    }
}
