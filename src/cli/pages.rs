//! What man pages say beside commands and options.

/// A headline and what is below it.
pub type Section = (&'static str, &'static [Part]);

/// A piece of a section.
pub enum Part {
    /// A paragraph.
    Text(&'static str),
    /// A name and what it means.
    Term(&'static str, &'static str),
    /// Lines as they are typed.
    Code(&'static [&'static str]),
}

use Part::{Code, Term, Text};

/// What stands behind the name of pgnfs(1).
pub const ABOUT: &str = "show chess databases as a read-only file system of PGN files";

/// The sections of pgnfs(1). Commands and options come behind the first.
pub const PARTS: &[Section] = &[
    (
        "DESCRIPTION",
        &[
            Text(
                "pgnfs mounts a folder of old chess databases as a file system in which every game is a PGN file. \
                 Below each database games are found by number, player, event, year and opening; all.pgn holds \
                 all of them. The files do not exist on disk: a game is decoded when somebody looks. \
                 The databases are only ever read.",
            ),
            Text(
                "SOURCE is a folder, which is searched with everything below it, or one database. \
                 MOUNTPOINT is an empty folder outside of it.",
            ),
        ],
    ),
    (
        "EXAMPLES",
        &[
            Text("Mount, look around, and unmount:"),
            Code(&[
                "mkdir ~/games",
                "pgnfs mount ~/databases ~/games",
                "less ~/games/info.txt",
                "pgnfs unmount ~/games",
            ]),
            Text("Convert everything:"),
            Code(&["pgnfs export --output games.pgn ~/databases"]),
            Text(
                "Mount when you log in, as a service of systemd; ~/.config/pgnfs/club.conf says what and where:",
            ),
            Code(&["systemctl --user enable --now pgnfs@club"]),
        ],
    ),
    (
        "ENVIRONMENT",
        &[
            Term(
                "RUST_LOG",
                "How much goes to the log: error, warn (the default), info, debug or trace; pgnfs=trace has every \
                 request with its result and its time. \
                 The log is on standard error, and in the log of the system (syslog, or the journal) once \
                 pgnfs is in the background.",
            ),
            Term(
                "NOTIFY_SOCKET",
                "With -f, systemd is told there that the mount answers.",
            ),
            Term(
                "XDG_CACHE_HOME",
                "In its folder pgnfs sizes of games are kept for the next mount, unless --cache-dir says otherwise.",
            ),
            Term(
                "XDG_RUNTIME_DIR",
                "Where the socket is through which pgnfs status asks.",
            ),
        ],
    ),
    (
        "FILES",
        &[
            Term(
                "info.txt",
                "At the root of a mount: which databases there are, and what was left out and why. \
                 In a database: its format, its files, and how they are read.",
            ),
            Term(
                "problems.txt",
                "In a database: one line for each damaged or doubtful game.",
            ),
            Term(
                "/etc/fuse.conf",
                "user_allow_other lets ordinary users give the option allow_other.",
            ),
            Term(
                "$XDG_RUNTIME_DIR/pgnfs/",
                "The sockets of mounts; else /run/user/UID/pgnfs/, for root /run/pgnfs/, and else /tmp/pgnfs-UID/.",
            ),
            Term(
                "~/.cache/pgnfs/",
                "Sizes of games, where XDG_CACHE_HOME is not set; for root without a home /var/cache/pgnfs/. \
                 They may be removed at any time.",
            ),
            Term(
                "~/.config/pgnfs/NAME.conf",
                "What the service pgnfs@NAME mounts: lines SOURCE=, MOUNTPOINT= and OPTIONS=.",
            ),
        ],
    ),
    (
        "EXIT STATUS",
        &[
            Term("0", "All is well; for mount: the files are there."),
            Term("1", "check found problems."),
            Term("2", "It cannot be done, and the message says why."),
        ],
    ),
    (
        "SEE ALSO",
        &[Text("mount.pgnfs(8), fusermount3(1), findmnt(8), systemctl(1)")],
    ),
];

/// What stands behind the name of mount.pgnfs(8).
pub const HELPER_ABOUT: &str = "mount chess databases as a file system of PGN files";

/// The sections of mount.pgnfs(8). Options come behind the first.
pub const HELPER_PARTS: &[Section] = &[
    (
        "DESCRIPTION",
        &[
            Text(
                "mount(8) calls mount.pgnfs for the type pgnfs, so that mount -t pgnfs and lines in /etc/fstab work. \
                 It does what pgnfs mount does and returns when the files are there. \
                 The mount then has the type fuse.pgnfs, is read-only, and is ended with umount.",
            ),
            Text(
                "-s passes over unknown options, -f does not mount, -n and -v are ignored. \
                 -h shows help, -V the version.",
            ),
        ],
    ),
    (
        "GENERIC OPTIONS",
        &[Text(
            "What every kind of mount knows is accepted and changes nothing, such as ro, nodev, noexec, user, noauto, \
             nofail, _netdev, and all that begins with x-. Any other name is an error.",
        )],
    ),
    (
        "EXAMPLES",
        &[
            Code(&["mount -t pgnfs /srv/chess /mnt/chess -o allow_other,uid=1000"]),
            Text("A line in /etc/fstab, mounted by systemd when somebody first looks:"),
            Code(&["/srv/chess  /mnt/chess  pgnfs  allow_other,nofail,x-systemd.automount  0  0"]),
            Text("One that a user may mount, with mount /home/joe/games:"),
            Code(&["/home/joe/databases  /home/joe/games  pgnfs  noauto,user  0  0"]),
        ],
    ),
    (
        "EXIT STATUS",
        &[
            Term("0", "It is mounted."),
            Term("1", "It was called in a wrong way."),
            Term("32", "It cannot be mounted, and the message says why."),
        ],
    ),
    (
        "SEE ALSO",
        &[Text(
            "pgnfs(1), mount(8), fstab(5), systemd.mount(5), systemd.automount(5)",
        )],
    ),
];
