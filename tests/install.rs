//! `scripts/install` and `scripts/package-deb`, into empty roots.

#[path = "common/mod.rs"]
mod common;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use common::samples::files_below;
use common::{missing, needs};
use tempfile::TempDir;

const PROGRAM: &str = env!("CARGO_BIN_EXE_pgnfs");

/// Runs a command that must succeed, and gives what it writes.
fn run(command: &mut Command) -> String {
    let ended = command.stdin(Stdio::null()).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    let (out, err) = (text(ended.stdout), text(ended.stderr));
    assert!(ended.status.success(), "{command:?}: {out}{err}");
    out
}

fn script(name: &str) -> Command {
    Command::new(Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts").join(name))
}

fn install(arguments: &[&str], root: &Path) -> String {
    run(script("install").args(arguments).arg("--destdir").arg(root))
}

/// The files and links below a root, as absolute paths in it.
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
            "share/bash-completion/completions/pgnfs",
            "share/fish/vendor_completions.d/pgnfs.fish",
            "share/man/man1/pgnfs.1",
            "share/man/man8/mount.pgnfs.8",
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
        assert_eq!(said, concat!("pgnfs ", env!("CARGO_PKG_VERSION"), "\n"));
        let helper = fs::read_link(below(sbin).join("mount.pgnfs")).unwrap();
        assert_eq!(helper.to_str(), Some(program.as_str()));
        // A second time, over what is there.
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
            ["pgnfs status", "--cache-size", "-V, --version", "mount.pgnfs(8)"],
        ),
        (
            "man8/mount.pgnfs.8",
            ["mount -t pgnfs", "cache-size=BYTES", "EXIT STATUS", "pgnfs(1)"],
        ),
    ] {
        let path = root.path().join("usr/share/man").join(page);
        // Warnings are about the date, which pages do not have, and about long lines.
        run(Command::new("mandoc")
            .args(["-T", "lint", "-W", "error"])
            .arg(&path));
        let text = run(Command::new("mandoc")
            .args(["-T", "utf8", "-O", "width=100"])
            .arg(&path));
        // Bold and underlined letters are written twice.
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

#[test]
fn completions() {
    let root = TempDir::new().unwrap();
    install(&["--binary", PROGRAM, "--prefix", "/usr"], root.path());
    let share = root.path().join("usr/share");
    let script = r#"
        . "$0" && COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) && _pgnfs pgnfs "${!#}" pgnfs && echo "${COMPREPLY[@]}"
    "#;
    let complete = |words: &[&str]| {
        let mut command = Command::new("bash");
        command.arg("-c").arg(script);
        let completions = share.join("bash-completion/completions/pgnfs");
        run(command.arg(completions).args(words))
    };
    assert_eq!(complete(&["pgnfs", "unm"]), "unmount\n");
    assert_eq!(complete(&["pgnfs", "mount", "--cache-s"]), "--cache-size\n");
    assert_eq!(complete(&["pgnfs", "info", "--cache-s"]), "\n");
    // Nothing: bash then goes on with files.
    for command in ["mount", "unmount", "info"] {
        assert_eq!(complete(&["pgnfs", command, ""]), "\n");
    }
    assert_eq!(complete(&["pgnfs", "info", "--js"]), "--json\n");
    for (shell, path) in [
        ("zsh", "zsh/site-functions/_pgnfs"),
        ("fish", "fish/vendor_completions.d/pgnfs.fish"),
    ] {
        // These two are for those who have them.
        if Command::new(shell).arg("--version").output().is_ok() {
            run(Command::new(shell).arg("-n").arg(share.join(path)));
        }
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
        // %I would make old/games of old-games.
        let unit = format!("{units}/pgnfs@.service");
        let text = fs::read_to_string(&unit).unwrap();
        assert!(!text.contains("%I"), "{text}");
        // An instance of it, as it would be started.
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
    if !cargo_deb.unwrap().status.success() {
        return missing("cargo-deb (cargo install cargo-deb)");
    }
    let root = TempDir::new().unwrap();
    let package = root.path().join("pgnfs.deb");
    run(script("package-deb")
        .args(["--no-build", "--profile", profile])
        .arg(&package)
        .env("CARGO_TARGET_DIR", Path::new(PROGRAM).ancestors().nth(2).unwrap()));
    let depends = run(Command::new("dpkg-deb").arg("-f").arg(&package).arg("Depends"));
    assert!(
        depends.split(", ").any(|package| package.trim() == "fuse3"),
        "{depends}"
    );

    let unpacked = root.path().join("root");
    run(Command::new("dpkg-deb").arg("-x").arg(&package).arg(&unpacked));
    for (program, name) in [
        ("usr/bin/pgnfs", "pgnfs"),
        ("usr/sbin/mount.pgnfs", "mount.pgnfs"),
    ] {
        let said = run(Command::new(unpacked.join(program)).arg("--version"));
        assert_eq!(said, format!("{name} {}\n", env!("CARGO_PKG_VERSION")));
    }
    let contents = contents(&unpacked);
    for path in [
        "/usr/lib/systemd/user/pgnfs@.service",
        "/usr/share/bash-completion/completions/pgnfs",
        "/usr/share/doc/pgnfs/copyright",
        "/usr/share/doc/pgnfs/docs/commands.md",
        "/usr/share/fish/vendor_completions.d/pgnfs.fish",
        "/usr/share/man/man1/pgnfs.1.gz",
        "/usr/share/man/man8/mount.pgnfs.8.gz",
        "/usr/share/zsh/vendor-completions/_pgnfs",
    ] {
        assert!(contents.iter().any(|other| other == path), "{path}: {contents:?}");
    }
}
