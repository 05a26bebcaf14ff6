//! Why a mount fails, and what to do about it.

use std::error::Error;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use chessdb_library::library::{on_one_line, shown};
use chessdb_library::workers::hung::Hung;

/// Why something cannot be mounted or unmounted.
#[derive(Debug)]
pub enum MountError {
    /// The mount point does not exist.
    Missing(PathBuf),
    /// The mount point is not a folder.
    NotAFolder(PathBuf),
    /// The mount point contains files.
    NotEmpty(PathBuf),
    /// It is already mounted.
    AlreadyMounted {
        /// The mount point.
        path: PathBuf,
        /// The source that it shows.
        source: PathBuf,
    },
    /// The program that served a FUSE file system here died.
    Dead(PathBuf),
    /// The pgnfs that served this mount died.
    Died(PathBuf),
    /// One of source and mount point contains the other.
    Overlap {
        /// The source.
        source: PathBuf,
        /// The mount point.
        path: PathBuf,
    },
    /// The file system of the source does not answer.
    Hung(PathBuf, Hung),
    /// There is no mount of pgnfs here.
    NotMounted(PathBuf),
    /// Another user mounted it.
    OfAnotherUser {
        /// The mount point.
        path: PathBuf,
        /// The ID of that user.
        user: u32,
    },
    /// This user may not mount on this folder.
    ClosedFolder(PathBuf),
    /// The path of the mount point leads elsewhere now than when it was checked.
    Moved(PathBuf),
    /// Another file system was mounted over it.
    Covered(PathBuf),
    /// The kernel offers no FUSE.
    NoDevice,
    /// This user may not use FUSE.
    ClosedDevice,
    /// `fusermount3` is missing.
    NoHelper,
    /// The message of `fusermount3`.
    Helper(String),
    /// A system call for a path failed.
    At(PathBuf, io::Error),
    /// Another system call failed.
    System(&'static str, io::Error),
    /// The background process was killed by this signal.
    Killed(i32),
    /// The thread that serves requests panicked.
    Panicked,
}

impl MountError {
    /// Wraps the error of a system call for a path.
    pub(super) fn at(path: &Path) -> impl Fn(io::Error) -> MountError {
        move |error| MountError::At(path.to_owned(), error)
    }

    /// Wraps the error of a system call.
    pub(super) fn system<E: Into<io::Error>>(what: &'static str) -> impl Fn(E) -> MountError {
        move |error| MountError::System(what, error.into())
    }
}

impl fmt::Display for MountError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MountError::Missing(path) => {
                let word = in_shell(path);
                let path = shown(path);
                write!(
                    f,
                    "mount point {path} does not exist: create it with mkdir {word}"
                )
            }
            MountError::NotAFolder(path) => {
                write!(
                    f,
                    "mount point {} is not a folder: name an empty folder",
                    shown(path)
                )
            }
            MountError::NotEmpty(path) => write!(
                f,
                "mount point {} is not empty: name SOURCE first and then an empty folder, because a mount would hide its contents",
                shown(path)
            ),
            MountError::AlreadyMounted { path, source } => {
                let word = in_shell(path);
                let (path, source) = (shown(path), shown(source));
                write!(
                    f,
                    "{path} already shows {source}: name another folder, or first run pgnfs unmount {word}"
                )
            }
            MountError::Dead(path) => {
                let word = in_shell(path);
                let path = shown(path);
                write!(
                    f,
                    "mount point {path} belongs to a file system that died: run fusermount3 -u {word} first"
                )
            }
            MountError::Died(path) => {
                let word = in_shell(path);
                let path = shown(path);
                write!(f, "the pgnfs that served {path} died: run pgnfs unmount {word}")
            }
            MountError::Overlap { source, path } => write!(
                f,
                "source {} and mount point {} overlap: name a mount point elsewhere",
                shown(source),
                shown(path)
            ),
            MountError::Hung(source, Hung { point }) => {
                let word = in_shell(point);
                let (source, point) = (shown(source), shown(point));
                write!(
                    f,
                    "source {source}: the file system at {point} does not answer: try again when it does, or run \
                     umount -l {word} and mount that file system again"
                )
            }
            MountError::NotMounted(path) => {
                write!(
                    f,
                    "{} is not a mount point of pgnfs: see findmnt -t fuse.pgnfs",
                    shown(path)
                )
            }
            MountError::OfAnotherUser { path, user } => write!(
                f,
                "{} is mounted by user {user}: only that user and root may unmount it",
                shown(path)
            ),
            MountError::ClosedFolder(path) => write!(
                f,
                "this user may not mount on {}: name a folder of your own",
                shown(path)
            ),
            MountError::Moved(path) => write!(
                f,
                "mount point {} was moved or replaced while it was in use: try again, or name a folder below folders \
                 that only you can change",
                shown(path)
            ),
            MountError::Covered(path) => {
                let path = shown(path);
                write!(
                    f,
                    "another file system was mounted over {path}: unmount that one first"
                )
            }
            MountError::NoDevice => f.write_str(
                "there is no /dev/fuse: load the kernel module with modprobe fuse, or start the container \
                 with --device /dev/fuse --cap-add SYS_ADMIN",
            ),
            MountError::ClosedDevice => f.write_str(
                "this user may not open /dev/fuse: ask the administrator for a udev rule: KERNEL==\"fuse\", MODE=\"0666\" in \
                 /etc/udev/rules.d/99-fuse.rules (chmod 666 /dev/fuse lasts until the next reboot)",
            ),
            MountError::NoHelper => f.write_str(
                "fusermount3, which mounts for ordinary users, is missing: install the package fuse3 \
                 (apt install fuse3)",
            ),
            MountError::Helper(message) => f.write_str(&on_one_line(message)),
            MountError::At(path, error) => write!(f, "{}: {error}", shown(path)),
            MountError::System(what, error) => write!(f, "{what}: {error}"),
            // The standard library aborts if it can neither allocate nor start a thread.
            MountError::Killed(libc::SIGABRT) => f.write_str(
                "the background process ended itself, perhaps for lack of memory: raise ulimit -v or vm.max_map_count",
            ),
            MountError::Killed(signal) => write!(f, "the background process was killed by signal {signal}"),
            MountError::Panicked => {
                f.write_str("the file system failed: run pgnfs mount -f with RUST_LOG=debug to see why")
            }
        }
    }
}

impl Error for MountError {}

/// A path quoted for a shell.
pub fn in_shell(path: &Path) -> String {
    let text = shown(path);
    let is_plain = |c: char| c.is_alphanumeric() || "/._-+,:=@%".contains(c);
    if text.chars().all(is_plain) {
        text
    } else {
        format!("'{}'", text.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_error_has_its_words() {
        let path = || PathBuf::from("/mnt/chess");
        let odd = || io::Error::other("odd");
        let hung = Hung { point: "/far".into() };
        for error in [
            MountError::Missing(path()),
            MountError::NotAFolder(path()),
            MountError::NotEmpty(path()),
            MountError::AlreadyMounted {
                path: path(),
                source: "/games".into(),
            },
            MountError::Dead(path()),
            MountError::Died(path()),
            MountError::Overlap {
                source: "/games".into(),
                path: path(),
            },
            MountError::Hung("/games".into(), hung),
            MountError::NotMounted(path()),
            MountError::OfAnotherUser {
                path: path(),
                user: 7,
            },
            MountError::ClosedFolder(path()),
            MountError::Moved(path()),
            MountError::Covered(path()),
            MountError::NoDevice,
            MountError::ClosedDevice,
            MountError::NoHelper,
            MountError::Helper("it\nsays".to_owned()),
            MountError::At(path(), odd()),
            MountError::System("cannot ask", odd()),
            MountError::Killed(libc::SIGABRT),
            MountError::Killed(libc::SIGKILL),
            MountError::Panicked,
        ] {
            let words = match &error {
                MountError::Missing(_) => "/mnt/chess does not exist: create it with mkdir /mnt/chess",
                MountError::NotAFolder(_) => "/mnt/chess is not a folder: name an empty folder",
                MountError::NotEmpty(_) => {
                    "/mnt/chess is not empty: name SOURCE first and then an empty folder"
                }
                MountError::AlreadyMounted { .. } => "/mnt/chess already shows /games: name another folder",
                MountError::Dead(_) => {
                    "/mnt/chess belongs to a file system that died: run fusermount3 -u /mnt/chess first"
                }
                MountError::Died(_) => "the pgnfs that served /mnt/chess died: run pgnfs unmount /mnt/chess",
                MountError::Overlap { .. } => "source /games and mount point /mnt/chess overlap",
                MountError::Hung(..) => {
                    "the file system at /far does not answer: try again when it does, or run umount -l /far"
                }
                MountError::NotMounted(_) => "/mnt/chess is not a mount point of pgnfs",
                MountError::OfAnotherUser { .. } => {
                    "/mnt/chess is mounted by user 7: only that user and root may unmount it"
                }
                MountError::ClosedFolder(_) => {
                    "this user may not mount on /mnt/chess: name a folder of your own"
                }
                MountError::Moved(_) => "/mnt/chess was moved or replaced while it was in use",
                MountError::Covered(_) => {
                    "another file system was mounted over /mnt/chess: unmount that one first"
                }
                MountError::NoDevice => "there is no /dev/fuse: load the kernel module",
                MountError::ClosedDevice => "/etc/udev/rules.d/99-fuse.rules",
                MountError::NoHelper => "install the package fuse3",
                MountError::Helper(_) => "it says",
                MountError::At(..) => "/mnt/chess: odd",
                MountError::System(..) => "cannot ask: odd",
                MountError::Killed(libc::SIGABRT) => {
                    "ended itself, perhaps for lack of memory: raise ulimit -v"
                }
                MountError::Killed(_) => "the background process was killed by signal 9",
                MountError::Panicked => "run pgnfs mount -f with RUST_LOG=debug to see why",
            };
            assert!(error.to_string().contains(words), "{error}");
        }
    }

    #[test]
    fn commands_can_be_typed_as_they_are_named() {
        for (path, word) in [
            ("/mnt/chess", "/mnt/chess"),
            ("Schach-Größen/1.2", "Schach-Größen/1.2"),
            ("my games", "'my games'"),
            ("$x", "'$x'"),
            ("it's", r"'it'\''s'"),
        ] {
            let error = MountError::Missing(path.into()).to_string();
            assert!(error.ends_with(&format!("mkdir {word}")), "{error}");
        }
    }
}
