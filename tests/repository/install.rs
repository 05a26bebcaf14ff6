//! `scripts/install` and `scripts/package.parts/deb`, with empty roots.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;
use testkit::samples::files_below;
use testkit::{missing, needs};

use crate::run;

const PROGRAM: &str = env!("CARGO_BIN_EXE_pgnfs");

fn script(name: &str) -> Command {
    Command::new(Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts").join(name))
}

fn install(arguments: &[&str], root: &Path) -> String {
    run(script("install").args(arguments).arg("--destdir").arg(root))
}

/// Files and links below a root, as absolute paths.
fn contents(root: &Path) -> Vec<String> {
    let in_root = |path: PathBuf| format!("/{}", path.strip_prefix(root).unwrap().display());
    files_below(root).into_iter().map(in_root).collect()
}

#[test]
fn install_and_uninstall() {
    let root = TempDir::new().unwrap();
    let places = |prefix: &str, sbin: &str| {
        let below = [
            "bin/pgnfs",
            "bin/pgnfs-open",
            "share/applications/pgnfs.desktop",
            "share/bash-completion/completions/pgnfs",
            "share/fish/vendor_completions.d/pgnfs.fish",
            "share/man/man1/pgnfs-open.1",
            "share/man/man1/pgnfs.1",
            "share/man/man8/mount.pgnfs.8",
            "share/mime/packages/pgnfs.xml",
            "share/zsh/site-functions/_pgnfs",
        ];
        let mut places: Vec<_> = below.iter().map(|path| format!("{prefix}/{path}")).collect();
        places.push(format!("{sbin}/mount.pgnfs"));
        let units = if prefix.starts_with("/usr") {
            "lib"
        } else {
            "share"
        };
        places.push(format!("{prefix}/{units}/systemd/user/pgnfs@.service"));
        places.sort();
        places
    };
    for (prefix, sbin) in [
        ("/usr/local", "/sbin"),
        ("/usr", "/usr/sbin"),
        ("/opt/a b", "/opt/a b/sbin"),
    ] {
        let with_prefix = ["--binary", PROGRAM, "--prefix", prefix];
        install(&with_prefix, root.path());
        assert_eq!(contents(root.path()), places(prefix, sbin));
        let below = |path: &str| root.path().join(path.trim_start_matches('/'));
        let program = format!("{prefix}/bin/pgnfs");
        let said = run(Command::new(below(&program)).arg("--version"));
        assert_eq!(said, concat!("pgnfs ", env!("PGNFS_VERSION"), "\n"));
        let desktop = fs::read_to_string(below(&format!("{prefix}/share/applications/pgnfs.desktop")));
        let exec = format!("\nExec=\"{prefix}/bin/pgnfs-open\" %f\n");
        assert!(desktop.unwrap().contains(&exec), "{exec}");
        let helper = fs::read_link(below(sbin).join("mount.pgnfs")).unwrap();
        assert_eq!(helper.to_str(), Some(program.as_str()));
        // Installs again over the existing files.
        install(&with_prefix, root.path());
        assert_eq!(contents(root.path()), places(prefix, sbin));
        install(&["--uninstall", "--prefix", prefix], root.path());
        assert_eq!(contents(root.path()), [] as [&str; 0]);
    }
}

#[test]
fn man_pages() {
    needs!(program "mandoc", in "mandoc");
    let root = TempDir::new().unwrap();
    install(&["--binary", PROGRAM, "--prefix", "/usr"], root.path());
    for (page, words) in [
        (
            "man1/pgnfs.1",
            &[
                "pgnfs status",
                "--cache-size",
                "-V, --version",
                "mount.pgnfs(8)",
                "pgnfs find [OPTIONS] --novelty SOURCE\n",
                "(games, positions)\n",
                "OPTIONS OF MOUNT, SERVE, EXPORT, FIND, CHECK AND INFO",
                "MOUNTPOINT\n",
            ][..],
        ),
        (
            "man1/pgnfs-open.1",
            &[
                "pgnfs-open [--unmount] FILE",
                "XDG_RUNTIME_DIR",
                "file manager",
                "EXIT STATUS",
            ],
        ),
        (
            "man8/mount.pgnfs.8",
            &["mount -t pgnfs", "cache-size=BYTES", "EXIT STATUS", "pgnfs(1)"],
        ),
    ] {
        let path = root.path().join("usr/share/man").join(page);
        // Warnings concern the missing date and long lines.
        run(Command::new("mandoc")
            .args(["-T", "lint", "-W", "error"])
            .arg(&path));
        let text = run(Command::new("mandoc")
            .args(["-T", "utf8", "-O", "width=100"])
            .arg(&path));
        // Bold and underlined letters are printed twice.
        let mut plain = String::new();
        for c in text.chars() {
            match c {
                '\u{8}' => drop(plain.pop()),
                c => plain.push(c),
            }
        }
        for word in words {
            assert!(plain.contains(word), "{page}: {word}: {plain}");
        }
    }
}

/// Where the completions of a shell are, below a folder with what was installed.
struct Completions {
    root: TempDir,
    path: String,
}

impl Completions {
    fn install() -> Completions {
        let root = TempDir::new().unwrap();
        install(&["--binary", PROGRAM, "--prefix", "/usr"], root.path());
        let bin = root.path().join("usr/bin");
        let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
        Completions { root, path }
    }

    fn shell(&self, name: &str, arguments: &[&str], file: &str) -> Command {
        let mut command = Command::new(name);
        command.args(arguments).env("PATH", &self.path);
        command.arg(self.root.path().join("usr/share").join(file));
        command
    }

    /// What bash suggests for the last word.
    fn bash(&self, words: &[&str]) -> String {
        let script = r#"
            . "$0" && COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
            _pgnfs pgnfs "${!#}" "${@:$#-1:1}"
            echo "${COMPREPLY[@]}"
        "#;
        let mut bash = self.shell("bash", &["-c", script], "bash-completion/completions/pgnfs");
        run(bash.arg("pgnfs").args(words))
    }
}

#[test]
fn completions() {
    let installed = Completions::install();
    let complete = |words: &[&str]| installed.bash(words);
    assert_eq!(complete(&["unm"]), "unmount\n");
    assert_eq!(complete(&["mount", "--cache-s"]), "--cache-space --cache-size\n");
    assert_eq!(complete(&["info", "--cache-s"]), "--cache-space\n");
    // With no suggestion, bash completes files.
    for words in [&["mount", ""][..], &["info", ""], &["info", "--json", ""]] {
        assert_eq!(complete(words), "\n");
    }
    for (option, words) in [
        ("--pgn", "cleaned export verbatim\n"),
        ("--watch", "auto inotify poll off\n"),
    ] {
        assert_eq!(complete(&["mount", option, ""]), words);
    }
    assert_eq!(complete(&["export", "--to", "nd"]), "ndjson\n");
    // Bash makes three words of an option with its value.
    assert_eq!(complete(&["export", "--to", "=", "nd"]), "ndjson\n");
    assert_eq!(complete(&["mount", "--watch", "=", "pol"]), "poll\n");
    assert_eq!(complete(&["export", "--to", "=", "csv", "--js"]), "\n");
    assert_eq!(complete(&["info", "--js"]), "--json\n");
    // Other shells are checked only if they are installed.
    let is_there = |shell| Command::new(shell).arg("--version").output().is_ok();
    if is_there("zsh") {
        let script = r#"
            compadd() { print -rl -- "${(@P)3}" "${(@P)5}" }
            _files() { print files }
            fpath=("${0:h}" $fpath)
            autoload -U _pgnfs
            words=(pgnfs "$@") CURRENT=$#words
            _pgnfs
        "#;
        let complete = |words: &[&str]| {
            let mut zsh = installed.shell("zsh", &["-f", "-c", script], "zsh/site-functions/_pgnfs");
            run(zsh.args(words))
        };
        assert_eq!(complete(&["unm"]), "unmount  -- Unmounts\nunmount\n");
        assert_eq!(complete(&["info", "it's "]), "files\n");
    }
    if is_there("fish") {
        let complete = |line: &str| {
            let script = format!("source $argv[1]; complete -C '{line}'");
            let file = "fish/vendor_completions.d/pgnfs.fish";
            run(&mut installed.shell("fish", &["--no-config", "-c", &script], file))
        };
        assert_eq!(complete("pgnfs unm"), "unmount\tUnmounts\n");
        assert_eq!(complete("pgnfs info /us"), "/usr/\n");
    }
}

#[test]
fn mounts_are_completed() {
    needs!(mount);
    let installed = Completions::install();
    let point = TempDir::with_prefix("pgnfs $(false) ").unwrap();
    let point = point.path().to_str().unwrap();
    let games = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/games");
    run(Command::new(PROGRAM).args(["mount", games, point]));
    let (start, _) = point.split_once(' ').unwrap();
    let found = ["unmount", "umount", "status"].map(|command| installed.bash(&[command, start]));
    run(Command::new(PROGRAM).args(["unmount", point]));
    for found in found {
        assert!(format!(" {found}").contains(&format!(" {point}")), "{found}");
    }
}

#[test]
fn a_double_click_mounts_and_opens() {
    needs!(program "mountpoint", in "util-linux");
    let root = TempDir::new().unwrap();
    let bin = root.path().join("bin");
    fs::create_dir(&bin).unwrap();
    let program = |name: &str, text: &str| {
        let file = bin.join(name);
        fs::write(&file, format!("#!/bin/sh\n{text}\n")).unwrap();
        fs::set_permissions(&file, Permissions::from_mode(0o755)).unwrap();
    };
    fs::copy("packaging/pgnfs-open", bin.join("pgnfs-open")).unwrap();
    program("pgnfs", r#"printf '%s\n' "$@""#);
    program("xdg-open", r#"printf 'opens %s\n' "$@""#);
    let source = root.path().join("old games.cbh");
    fs::write(&source, "").unwrap();
    let open = || {
        let mut command = Command::new(bin.join("pgnfs-open"));
        command
            .arg(&source)
            .env("XDG_RUNTIME_DIR", root.path().join("run"));
        command
    };
    let opened = open().output().unwrap();
    let out = String::from_utf8(opened.stdout).unwrap();
    let point = out.strip_prefix("opens ").unwrap().trim_end();
    // How to end it is said, and works.
    let unmount = format!("pgnfs-open --unmount '{}'", source.display());
    assert!(String::from_utf8_lossy(&opened.stderr).contains(&unmount));
    let mut command = Command::new(bin.join("pgnfs-open"));
    let unmounted = command.arg("--unmount").arg(&source);
    run(unmounted.env("XDG_RUNTIME_DIR", root.path().join("run")));
    assert!(!Path::new(point).exists());
    run(&mut open());
    assert!(
        point.ends_with("/old games.cbh") && Path::new(point).is_dir(),
        "{point}"
    );
    // Without a runtime folder, a link that another user put into /tmp is not followed.
    let (tmp, target) = (root.path().join("tmp"), root.path().join("target"));
    fs::create_dir(&tmp).unwrap();
    fs::create_dir(&target).unwrap();
    let name = format!("pgnfs-{}", rustix::process::getuid().as_raw());
    symlink(&target, tmp.join(name)).unwrap();
    let refused = open()
        .env_remove("XDG_RUNTIME_DIR")
        .env("TMPDIR", &tmp)
        .output()
        .unwrap();
    assert_eq!(
        (refused.status.code(), refused.stdout.as_slice()),
        (Some(1), &b""[..])
    );
    assert_eq!(fs::read_dir(&target).unwrap().count(), 0);
    // The database cannot be mounted: nothing is opened, and the reason is shown.
    program("pgnfs", "echo 'pgnfs: no database' >&2; exit 2");
    let failed = open().output().unwrap();
    assert_eq!(
        (failed.status.code(), failed.stdout.as_slice()),
        (Some(1), &b""[..])
    );
    assert!(String::from_utf8_lossy(&failed.stderr).contains("no database"));
    assert!(!Path::new(point).exists());
}

#[test]
fn files_for_the_desktop_are_sound() {
    if Command::new("desktop-file-validate")
        .arg("--version")
        .output()
        .is_ok()
    {
        run(Command::new("desktop-file-validate").arg("packaging/pgnfs.desktop"));
    }
    let types = fs::read_to_string("packaging/pgnfs.xml").unwrap();
    let desktop = fs::read_to_string("packaging/pgnfs.desktop").unwrap();
    let values = |attribute: &str| -> Vec<&str> {
        let rests = types.split(attribute).skip(1);
        rests.filter_map(|rest| rest.split('"').next()).collect()
    };
    let names = values("type=\"");
    assert!(names.len() > 5, "{names:?}");
    for name in names {
        assert!(desktop.contains(&format!("{name};")), "{name}");
    }
    // Every type is one of a database that is read.
    let extensions = values("pattern=\"*.");
    assert!(extensions.len() > 5, "{extensions:?}");
    let page = fs::read_to_string("docs/tree.md").unwrap();
    for extension in extensions {
        let wanted = format!(".{extension}");
        let mut words = page.split([' ', ',', ';', '\n']);
        assert!(words.any(|word| word == wanted), "{extension}");
    }
}

#[test]
fn the_service() {
    needs!(program "systemd-analyze", in "systemd");
    let home = TempDir::new().unwrap();
    let systemd = |arguments: &[&str]| {
        let mut command = Command::new("systemd-analyze");
        command
            .arg("--user")
            .args(arguments)
            .env("HOME", home.path())
            .env("XDG_RUNTIME_DIR", home.path())
            .env_remove("XDG_DATA_HOME");
        run(&mut command)
    };
    for prefix in [".local", "o pt"] {
        let prefix = home.path().join(prefix);
        let prefix = prefix.to_str().unwrap();
        run(script("install").args(["--binary", PROGRAM, "--prefix", prefix]));
        let units = format!("{prefix}/share/systemd/user");
        let is_found = systemd(&["unit-paths"]).lines().any(|path| path == units);
        assert_eq!(is_found, prefix.ends_with("/.local"), "{prefix}");
        // %I would turn old-games into old/games.
        let unit = format!("{units}/pgnfs@.service");
        let text = fs::read_to_string(&unit).unwrap();
        assert!(!text.contains("%I"), "{text}");
        // An instance of the unit, as it would be started.
        let instance = unit.replace('@', "@club");
        fs::rename(&unit, &instance).unwrap();
        systemd(&["--man=no", "verify", &instance]);
    }
}

#[test]
fn the_package() {
    needs!(program "dpkg-deb", in "dpkg");
    let profile = match Path::new(PROGRAM).parent().unwrap().file_name().unwrap() {
        folder if folder == "debug" => "dev",
        folder => folder.to_str().unwrap(),
    };
    let tools = Path::new(PROGRAM).ancestors().nth(2).unwrap().join("tools/bin");
    let path = format!("{}:{}", tools.display(), std::env::var("PATH").unwrap());
    let cargo_deb = Command::new("cargo")
        .args(["deb", "--version"])
        .env("PATH", path)
        .output();
    if !cargo_deb.is_ok_and(|output| output.status.success()) {
        return missing("cargo-deb (cargo install cargo-deb)");
    }
    let root = TempDir::new().unwrap();
    let package = root.path().join("pgnfs.deb");
    run(script("package.parts/deb")
        .args(["--no-build", "--profile", profile])
        .arg(&package)
        .env("DEBEMAIL", "somebody@localhost")
        .env("CARGO_TARGET_DIR", Path::new(PROGRAM).ancestors().nth(2).unwrap()));
    let depends = run(Command::new("dpkg-deb").arg("-f").arg(&package).arg("Depends"));
    assert!(
        depends.split(", ").any(|package| package.trim() == "fuse3"),
        "{depends}"
    );

    let maintainer = run(Command::new("dpkg-deb").arg("-f").arg(&package).arg("Maintainer"));
    assert!(maintainer.contains("<somebody@localhost>"), "{maintainer}");

    let unpacked = root.path().join("root");
    run(Command::new("dpkg-deb").arg("-x").arg(&package).arg(&unpacked));
    for (program, name) in [
        ("usr/bin/pgnfs", "pgnfs"),
        ("usr/sbin/mount.pgnfs", "mount.pgnfs"),
    ] {
        let said = run(Command::new(unpacked.join(program)).arg("--version"));
        assert_eq!(said, format!("{name} {}\n", env!("PGNFS_VERSION")));
    }
    let contents = contents(&unpacked);
    for path in [
        "/usr/bin/pgnfs-open",
        "/usr/lib/systemd/user/pgnfs@.service",
        "/usr/share/applications/pgnfs.desktop",
        "/usr/share/bash-completion/completions/pgnfs",
        "/usr/share/doc/pgnfs/copyright",
        "/usr/share/doc/pgnfs/docs/commands.md",
        "/usr/share/fish/vendor_completions.d/pgnfs.fish",
        "/usr/share/man/man1/pgnfs-open.1.gz",
        "/usr/share/man/man1/pgnfs.1.gz",
        "/usr/share/man/man8/mount.pgnfs.8.gz",
        "/usr/share/mime/packages/pgnfs.xml",
        "/usr/share/zsh/vendor-completions/_pgnfs",
    ] {
        assert!(contents.iter().any(|other| other == path), "{path}: {contents:?}");
    }
    let documents = unpacked.join("usr/share/doc/pgnfs");
    let readme = fs::read_to_string(documents.join("README.md")).unwrap();
    let links = readme
        .split("](")
        .skip(1)
        .filter_map(|rest| rest.split([')', '#']).next());
    for link in links.filter(|link| !link.starts_with("http")) {
        assert!(documents.join(link).exists(), "{link}");
    }
    if Command::new("lintian").arg("--version").output().is_ok() {
        // The address belongs to the person who makes the package. The repository has no address.
        let address = "bogus-mail-host,bogus-mail-host-in-debian-changelog";
        run(Command::new("lintian")
            .args(["--fail-on", "error", "--suppress-tags", address])
            .arg(&package));
    }
}
