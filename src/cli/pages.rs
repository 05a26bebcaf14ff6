//! The text of the man pages except commands and options.

/// A heading and its contents.
pub type PageSection = (&'static str, &'static [PageItem]);

/// A part of a section.
pub enum PageItem {
    /// A paragraph.
    Text(&'static str),
    /// A name and its meaning.
    Term(&'static str, &'static str),
    /// Lines to type.
    Code(&'static [&'static str]),
}

use PageItem::{Code, Term, Text};

/// The description after the name of pgnfs(1).
pub const ABOUT: &str = "show chess databases as a read-only file system of PGN files";

/// The sections of pgnfs(1). Commands and options follow the first.
pub const PARTS: &[PageSection] = &[
    (
        "DESCRIPTION",
        &[
            Text(
                "pgnfs mounts a folder of chess databases as a file system in which every game is a PGN file. \
                 The directory of a database shows its games by number, player, event, year and opening; all.pgn \
                 contains all of them. The files do not exist on disk: pgnfs decodes a game when a program reads it. \
                 It never writes to the databases.",
            ),
            Text("SOURCE is a single database, or a folder, which is searched with all its subfolders."),
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
            Text("List games; pgnfs find --help describes the language of queries:"),
            Code(&["pgnfs find 'player:tal year:..1960 played:Nxf7' ~/databases"]),
            Text("Mount at every login with a systemd service; ~/.config/pgnfs/club.conf names the folders:"),
            Code(&["systemctl --user enable --now pgnfs@club"]),
        ],
    ),
    (
        "ENVIRONMENT",
        &[
            Term(
                "RUST_LOG",
                "Level of the log: error, warn (the default), info, debug or trace; with pgnfs=trace it has every \
                 request with its result and its time. \
                 The log goes to standard error, and once pgnfs is in the background to the log of the system \
                 (syslog or the journal).",
            ),
            Term(
                "NOTIFY_SOCKET",
                "With -f, pgnfs notifies systemd there when the mount is available.",
            ),
            Term(
                "XDG_CACHE_HOME",
                "Its folder pgnfs/ holds what is kept between runs, unless --cache-dir names another folder.",
            ),
            Term("XDG_RUNTIME_DIR", "Folder of the socket that pgnfs status uses."),
        ],
    ),
    (
        "FILES",
        &[
            Term(
                "info.txt",
                "At the root of a mount: the databases, and what was left out and why. \
                 In a database: its format, its files, and how pgnfs reads them.",
            ),
            Term("tables/problems.txt", "In a database: one line for each problem."),
            Term(
                "tables/overview.html",
                "In a database: charts of its games, for a browser.",
            ),
            Term(
                "/etc/fuse.conf",
                "user_allow_other lets ordinary users use the option allow_other.",
            ),
            Term(
                "$XDG_RUNTIME_DIR/pgnfs/",
                "The sockets of mounts; or else /run/user/UID/pgnfs/ (for root /run/pgnfs/), or else /tmp/pgnfs-UID/.",
            ),
            Term(
                "~/.cache/pgnfs/",
                "Sizes of games, views and indexes, if XDG_CACHE_HOME is not set; for root without a home directory \
                 /var/cache/pgnfs/. \
                 They can be deleted at any time.",
            ),
            Term(
                "~/.config/pgnfs/NAME.conf",
                "Settings of the service pgnfs@NAME: lines SOURCE=, MOUNTPOINT= and OPTIONS=.",
            ),
        ],
    ),
    (
        "EXIT STATUS",
        &[
            Term("0", "Success; for mount: the files are available."),
            Term("1", "check found problems, or find found no game."),
            Term("2", "Failure; the message gives the reason."),
        ],
    ),
    (
        "SEE ALSO",
        &[Text(
            "pgnfs-open(1), mount.pgnfs(8), fusermount3(1), findmnt(8), systemctl(1)",
        )],
    ),
];

/// The description after the name of pgnfs-open(1).
pub const OPENER_ABOUT: &str = "mount a chess database and open it in the file manager";

/// The sections of pgnfs-open(1).
pub const OPENER_PARTS: &[PageSection] = &[
    (
        "DESCRIPTION",
        &[
            Text(
                "pgnfs-open mounts FILE, a chess database or a folder with databases, with pgnfs, and opens the mount in \
                 the file manager. It is what a double click on a database runs. If FILE is mounted by it already, the \
                 mount is opened again.",
            ),
            Text(
                "The mount is in a folder of its own below $XDG_RUNTIME_DIR/pgnfs-open/, and lasts until it is unmounted \
                 or the user logs out.",
            ),
        ],
    ),
    ("OPTIONS", &[Term("--unmount", "Unmounts FILE instead.")]),
    (
        "EXIT STATUS",
        &[
            Term("0", "Success."),
            Term(
                "1",
                "Failure. The reason is on standard error, and a notification of the desktop if there is notify-send.",
            ),
            Term("2", "Incorrect usage."),
        ],
    ),
    ("SEE ALSO", &[Text("pgnfs(1), xdg-open(1), notify-send(1)")]),
];

/// The description after the name of mount.pgnfs(8).
pub const HELPER_ABOUT: &str = "mount chess databases as a file system of PGN files";

/// The sections of mount.pgnfs(8). Options follow the first.
pub const HELPER_PARTS: &[PageSection] = &[
    (
        "DESCRIPTION",
        &[
            Text(
                "mount(8) calls mount.pgnfs for the type pgnfs, so that mount -t pgnfs and lines in /etc/fstab work. \
                 It does the same as pgnfs mount and returns when the files are available. \
                 The mount then has the type fuse.pgnfs and is read-only. Use umount to unmount it.",
            ),
            Text(
                "-s ignores unknown options, -f does not mount, -n and -v have no effect. \
                 -h shows help, -V the version.",
            ),
        ],
    ),
    (
        "GENERIC OPTIONS",
        &[Text(
            "The generic options of mount(8), such as ro, nodev, noexec, user, noauto, nofail, _netdev and \
             everything that starts with x-, are accepted and ignored. Any other name is an error.",
        )],
    ),
    (
        "EXAMPLES",
        &[
            Code(&["mount -t pgnfs /srv/chess /mnt/chess -o allow_other,uid=1000"]),
            Text("A line in /etc/fstab; systemd mounts it on first access:"),
            Code(&["/srv/chess  /mnt/chess  pgnfs  allow_other,nofail,x-systemd.automount  0  0"]),
            Text("A line for a mount that users can mount with mount /home/joe/games:"),
            Code(&["/home/joe/databases  /home/joe/games  pgnfs  noauto,user  0  0"]),
        ],
    ),
    (
        "EXIT STATUS",
        &[
            Term("0", "Success."),
            Term("1", "Incorrect usage."),
            Term("32", "The mount failed; the message gives the reason."),
        ],
    ),
    (
        "SEE ALSO",
        &[Text(
            "pgnfs(1), mount(8), fstab(5), systemd.mount(5), systemd.automount(5)",
        )],
    ),
];
