//! The kernel's side of a connection, as defined in `linux/fuse.h`.

use std::collections::BTreeMap;
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use chessdb_library::library::{Library, LibraryEntry};
use fuser::{Session, SessionACL};
use pgnfs::fuse::{Fuse, Presentation};
use pgnfs_server::Requests;
use pgnfs_server::inside::{ChessFs, CurrentState, ServeOptions};
use rustix::net::sockopt::{Timeout, set_socket_timeout};
use rustix::net::{AddressFamily, SocketFlags, SocketType};

pub const LOOKUP: u32 = 1;
pub const GETATTR: u32 = 3;
pub const READLINK: u32 = 5;
pub const OPEN: u32 = 14;
pub const READ: u32 = 15;
pub const GETXATTR: u32 = 22;
pub const LISTXATTR: u32 = 23;
const INIT: u32 = 26;
pub const OPENDIR: u32 = 27;
pub const READDIRPLUS: u32 = 44;

/// Names of request types.
const KINDS: [(u32, &str); 7] = [
    (LOOKUP, "LOOKUP"),
    (GETATTR, "GETATTR"),
    (OPEN, "OPEN"),
    (READ, "READ"),
    (INIT, "INIT"),
    (OPENDIR, "OPENDIR"),
    (READDIRPLUS, "READDIRPLUS"),
];

const NOTIFY_STORE: u32 = 4;

const EIO: i32 = 5;

/// Maximum time for a reply.
const PATIENCE: Duration = Duration::from_secs(20);

/// Flags of kernels that do not need OPEN and OPENDIR.
pub const NO_OPEN: u32 = (1 << 17) | (1 << 24);

/// The root's inode.
pub const ROOT: u64 = 1;

/// A mounted library as seen by the kernel. Panics if a request gets two replies or none.
pub struct Kernel {
    socket: OwnedFd,
    last: u64,
    requests: BTreeMap<u64, Request>,
    /// Inodes and bytes that were stored in the page cache without a request.
    pub stored: Vec<(u64, Vec<u8>)>,
    /// Replies that came while another one was awaited, by request number.
    pub others: Vec<(u64, Answer)>,
    session: Option<JoinHandle<std::io::Result<()>>>,
    /// Ends the work of the mount, as when it is unmounted while files are open.
    pub end_work: Box<dyn Fn() + Send>,
    /// What is served.
    pub live: Option<Arc<CurrentState>>,
}

/// A request that was sent.
struct Request {
    operation: u32,
    state: State,
}

#[derive(PartialEq, Eq)]
enum State {
    Waiting,
    Answered,
    /// The reply was written without fuser, which will reply again with an error.
    AnsweredPastFuser,
}

/// A reply: the error number, 0 for none, and what follows the header.
#[derive(Debug)]
pub struct Answer {
    pub error: i32,
    pub bytes: Vec<u8>,
}

impl Kernel {
    /// Mounts databases with a kernel that has the capabilities in `flags`.
    pub fn mount(entries: Vec<LibraryEntry>, flags: u32) -> Kernel {
        Kernel::mount_with(entries, flags, ServeOptions::default())
    }

    pub fn mount_with(entries: Vec<LibraryEntry>, flags: u32, options: ServeOptions) -> Kernel {
        let presentation = Presentation {
            uid: 7,
            gid: 8,
            umask: 0o22,
            xattr: true,
        };
        let fs = ChessFs::new(Library::from_databases(entries), options);
        let live = Arc::new(CurrentState::new(fs));
        let requests = Requests::new(Arc::clone(&live));
        let served = requests.clone();
        let mut kernel = Kernel::connect(PATIENCE, move |socket| {
            let again = socket.try_clone().unwrap();
            let fuse = Fuse::new(served, presentation, again);
            Session::from_fd(fuse, socket, SessionACL::All, fuser::Config::default())?.run()
        });
        kernel.live = Some(live);
        let init: Vec<u8> = [7, 45, 1 << 17, flags, 0]
            .into_iter()
            .chain([0; 11])
            .flat_map(u32::to_ne_bytes)
            .collect();
        assert_eq!(kernel.ask(INIT, 0, &init).error, 0);
        kernel.end_work = Box::new(move || requests.end_work());
        kernel
    }

    /// A kernel that has not sent anything, and the session.
    fn connect(
        patience: Duration,
        serve: impl FnOnce(OwnedFd) -> std::io::Result<()> + Send + 'static,
    ) -> Kernel {
        let flags = SocketFlags::CLOEXEC;
        let (ours, theirs) =
            rustix::net::socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, flags, None).unwrap();
        set_socket_timeout(&ours, Timeout::Recv, Some(patience)).unwrap();
        Kernel {
            socket: ours,
            last: 0,
            requests: BTreeMap::new(),
            stored: Vec::new(),
            others: Vec::new(),
            session: Some(thread::spawn(move || serve(theirs))),
            end_work: Box::new(|| ()),
            live: None,
        }
    }

    /// Sends a request and waits for its reply. Records what is stored meanwhile.
    pub fn ask(&mut self, operation: u32, node: u64, argument: &[u8]) -> Answer {
        let request = self.send(operation, node, argument);
        loop {
            if let Some(answer) = self.receive(request) {
                return answer;
            }
        }
    }

    /// Sends a request and returns its number.
    pub fn send(&mut self, operation: u32, node: u64, argument: &[u8]) -> u64 {
        self.last += 2;
        let len = 40 + argument.len() as u32;
        let mut bytes = [len, operation].map(u32::to_ne_bytes).concat();
        bytes.extend([self.last, node].map(u64::to_ne_bytes).concat());
        // User, group, process, padding.
        bytes.extend([0; 16]);
        bytes.extend(argument);
        let state = State::Waiting;
        self.requests.insert(self.last, Request { operation, state });
        rustix::io::write(&self.socket, &bytes).unwrap();
        self.last
    }

    /// Receives the next message: a reply, or something to store.
    pub fn receive(&mut self, request: u64) -> Option<Answer> {
        let mut answer = vec![0; 1 << 17];
        let Ok(len) = rustix::io::read(&self.socket, &mut answer) else {
            panic!("no reply to {}", self.waiting().join(", "));
        };
        answer.truncate(len);
        assert_eq!(u32_at(&answer, 0) as usize, len);
        if u64_at(&answer, 8) == 0 {
            assert_eq!(u32_at(&answer, 4), NOTIFY_STORE);
            assert_eq!((u64_at(&answer, 24), u32_at(&answer, 32) as usize), (0, len - 40));
            let node = u64_at(&answer, 16);
            self.stored.push((node, answer.split_off(40)));
            return None;
        }
        let its = u64_at(&answer, 8);
        let answer = Answer {
            error: -u32_at(&answer, 4).cast_signed(),
            bytes: answer.split_off(16),
        };
        if !self.is_first(its, &answer) {
            return None;
        }
        if its == request {
            return Some(answer);
        }
        self.others.push((its, answer));
        None
    }

    /// True for the first reply to a request; false for the second one that fuser has to send.
    fn is_first(&mut self, number: u64, answer: &Answer) -> bool {
        let Some(request) = self.requests.get_mut(&number) else {
            panic!("a reply to {number}, which is no request");
        };
        match request.state {
            State::Waiting => {
                let is_past_fuser = request.operation == READDIRPLUS && answer.error == 0;
                request.state = if is_past_fuser {
                    State::AnsweredPastFuser
                } else {
                    State::Answered
                };
                true
            }
            State::AnsweredPastFuser if answer.error == EIO && answer.bytes.is_empty() => {
                request.state = State::Answered;
                false
            }
            _ => panic!("a second reply to {}: {answer:?}", named(number, request)),
        }
    }

    /// The requests without a reply.
    fn waiting(&self) -> Vec<String> {
        let waiting = self.requests.iter();
        waiting
            .filter(|(_, request)| request.state == State::Waiting)
            .map(|(&number, request)| named(number, request))
            .collect()
    }

    /// Looks up a path and returns the reply for its last component.
    pub fn look_up(&mut self, path: &str) -> Answer {
        let mut node = ROOT;
        let (parents, name) = path.rsplit_once('/').unwrap_or(("", path));
        for parent in parents.split('/').filter(|part| !part.is_empty()) {
            let answer = self.ask(LOOKUP, node, &terminated(parent));
            assert_eq!(answer.error, 0);
            node = u64_at(&answer.bytes, 0);
        }
        self.ask(LOOKUP, node, &terminated(name))
    }

    /// Reads a part of a file or directory.
    pub fn read(&mut self, operation: u32, node: u64, offset: u64, size: u32) -> Answer {
        self.ask(operation, node, &reading(offset, size))
    }
}

impl Drop for Kernel {
    fn drop(&mut self) {
        if !thread::panicking() {
            while !self.waiting().is_empty() {
                self.receive(0);
            }
            // Second replies to other requests arrive before the reply to this one.
            self.ask(GETATTR, ROOT, &[0; 16]);
        }
        // The session reads an end of file, which the real kernel never sends.
        let _ = rustix::net::shutdown(&self.socket, rustix::net::Shutdown::Both);
        if let Some(session) = self.session.take() {
            let _ = session.join();
        }
    }
}

fn named(number: u64, request: &Request) -> String {
    let kind = KINDS.iter().find(|(kind, _)| *kind == request.operation);
    format!("request {number} ({})", kind.map_or("unknown", |(_, name)| *name))
}

/// The argument of a READ request.
pub fn reading(offset: u64, size: u32) -> Vec<u8> {
    let mut argument = [0, offset].map(u64::to_ne_bytes).concat();
    argument.extend([size, 0].map(u32::to_ne_bytes).concat());
    argument.extend([0; 16]);
    argument
}

pub fn terminated(name: &str) -> Vec<u8> {
    [name.as_bytes(), b"\0"].concat()
}

pub fn u32_at(bytes: &[u8], offset: usize) -> u32 {
    u32::from_ne_bytes(bytes[offset..offset + 4].try_into().unwrap())
}

pub fn u64_at(bytes: &[u8], offset: usize) -> u64 {
    u64::from_ne_bytes(bytes[offset..offset + 8].try_into().unwrap())
}

/// An entry of READDIRPLUS: node, inode, type, name.
#[derive(Debug, PartialEq, Eq)]
pub struct Plus {
    pub node: u64,
    pub inode: u64,
    pub next: u64,
    pub is_file: bool,
    pub name: String,
    /// The bytes of the attributes.
    pub attributes: Vec<u8>,
}

/// The entries in a reply to READDIRPLUS.
pub fn entries(answer: &Answer) -> Vec<Plus> {
    assert_eq!(answer.error, 0);
    let mut rest = &answer.bytes[..];
    let mut entries = Vec::new();
    while !rest.is_empty() {
        let len = u32_at(rest, 128 + 16) as usize;
        entries.push(Plus {
            node: u64_at(rest, 0),
            inode: u64_at(rest, 128),
            next: u64_at(rest, 128 + 8),
            is_file: u32_at(rest, 128 + 20) == 8,
            name: String::from_utf8(rest[152..152 + len].to_vec()).unwrap(),
            attributes: rest[40..128].to_vec(),
        });
        rest = &rest[(152 + len).next_multiple_of(8)..];
    }
    entries
}

/// Answers each request this number of times.
fn answer_times(times: usize) -> impl FnOnce(OwnedFd) -> std::io::Result<()> {
    move |socket| {
        let mut request = [0; 1 << 10];
        while rustix::io::read(&socket, &mut request)? > 0 {
            let header = [16_u32, 0].map(u32::to_ne_bytes).concat();
            for _ in 0..times {
                rustix::io::write(&socket, &[&header, &request[8..16]].concat())?;
            }
        }
        Ok(())
    }
}

#[test]
#[should_panic(expected = "a second reply to request 2 (GETATTR)")]
fn a_second_reply_is_noticed() {
    let mut kernel = Kernel::connect(PATIENCE, answer_times(2));
    kernel.ask(GETATTR, ROOT, &[0; 16]);
}

#[test]
#[should_panic(expected = "no reply to request 2 (READ), request 4 (LOOKUP)")]
fn a_missing_reply_is_noticed() {
    let mut kernel = Kernel::connect(Duration::from_millis(50), answer_times(0));
    kernel.send(READ, ROOT, &reading(0, 1));
    kernel.send(LOOKUP, ROOT, &terminated("name"));
}
