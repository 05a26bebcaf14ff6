//! Resources and access rights of a mount.

use std::fs::{self, File};
use std::io;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, SystemTime};

use super::scratch::{CACHE, Scratch, pgnfs, run, signal, wait_for};
use super::simplecdb::{self, OPERA};
use testkit::needs;

/// Mounts under a limit of the shell. Returns `info.txt`, or the error if mounting or reading fails or the
/// daemon ends. In that case no dead mount remains.
fn limited(scratch: &Scratch, limit: &str) -> Result<String, String> {
    let script = format!(r#"ulimit {limit} && exec "$@""#);
    // Mounts with a long quiet time, because searching the source again may exceed the limit.
    let mount = scratch.mount_command(&["-o", "quiet=10000"]);
    let mut command = Command::new("sh");
    command.args(["-c", &script, "sh"]).arg(mount.get_program());
    command.args(mount.get_args());
    command.envs(mount.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let ended = run(&mut command);
    match ended.code {
        Some(0) => {
            let info = fs::read_to_string(scratch.mount.join("info.txt"));
            match (info, games_of_any(&scratch.mount)) {
                (Ok(info), Ok(games)) => {
                    assert!(games.contains("[White \""), "{limit}: {games}");
                    // The mount may have ended and been unmounted already.
                    run(pgnfs().arg("unmount").arg(&scratch.mount));
                    wait_for("no mount", || !scratch.is_mounted());
                    Ok(info)
                }
                (Err(error), _) | (_, Err(error)) => {
                    // The mount cannot answer, or has ended and been unmounted already.
                    run(pgnfs().arg("unmount").arg(&scratch.mount));
                    wait_for("no mount", || !scratch.is_mounted());
                    Err(error.to_string())
                }
            }
        }
        code => {
            assert_eq!(code, Some(2), "{limit}: {}", ended.err);
            assert!(ended.err.contains("pgnfs: "), "{limit}: {}", ended.err);
            // If there was a mount, the guardian unmounts it.
            wait_for("no mount", || !scratch.is_mounted());
            Err(ended.err)
        }
    }
}

/// All games of a database that is served. Which ones are under a limit depends on the order in which they are opened.
fn games_of_any(mount: &Path) -> io::Result<String> {
    let paths = fs::read_dir(mount)?.map(|entry| entry.map(|entry| entry.path()));
    let paths = paths.collect::<io::Result<Vec<_>>>()?;
    let served = paths
        .iter()
        .find(|path| path.extension().is_some_and(|extension| extension == "dci"));
    fs::read_to_string(served.ok_or(io::ErrorKind::NotFound)?.join("all.pgn"))
}

#[test]
fn few_open_files() {
    needs!(mount);
    let scratch = Scratch::new();
    for n in 0..20 {
        simplecdb::write(&scratch.source.join(format!("b{n:02}")), &[OPERA]);
    }
    for limit in ["-n 33", "-n 20"] {
        let error = limited(&scratch, limit).unwrap_err();
        assert!(
            error.contains("cannot be opened: too many files are open"),
            "{error}"
        );
        assert!(
            error.contains("raise vm.max_map_count and the limit of open files"),
            "{error}"
        );
        assert!(!error.contains("no chess database"), "{error}");
    }
    // Five files for each database, in addition to the files of the mount itself.
    let info = limited(&scratch, "-n 64").unwrap();
    // Which databases are served, and whether one more fits, depends on the order in which they are opened.
    let is_so = |count: u32| info.contains(&format!("Databases: {count}\n"));
    assert!((4..=6).any(is_so), "{info}");
    assert!(
        info.contains(".dci: cannot be opened: too many files are open"),
        "{info}"
    );
    let info = limited(&scratch, "-S -n 64").unwrap();
    assert!(info.contains("Databases: 22\n"), "a soft limit is raised: {info}");
}

#[test]
fn few_watches() {
    needs!(mount);
    let scratch = Scratch::new();
    // A separate namespace has its own limit.
    let script = r#"
        echo 1 > /proc/sys/user/max_inotify_watches && cd "$1" || exit 9
        "$2" mount -o open-wait=20 source mount || exit 8
        mkdir source/new && for file in source/a.*; do cp "$file" source/new/; done
        for n in $(seq 200); do [ -e mount/new/a.dci ] && break; sleep 0.1; done
        ls mount/new; "$2" unmount mount
    "#;
    let Some(ended) = scratch.run_in_namespace(script) else {
        return;
    };
    assert_eq!(
        (ended.code, ended.out.as_str()),
        (Some(0), "a.dci\n"),
        "{ended:?}"
    );
    assert!(
        ended.err.contains("checking all files every few seconds instead"),
        "{ended:?}"
    );
}

#[test]
fn little_memory() {
    needs!(mount);
    let scratch = Scratch::new();
    // In kilobytes: just enough to start, for some things, for everything, and plenty.
    let least = least_memory();
    let results = [least, least + 20_000, least + 80_000, 4_000_000]
        .map(|kilobytes| limited(&scratch, &format!("-v {kilobytes}")));
    assert!(results[0].is_err() && results[3].is_ok(), "{results:?}");
}

/// The least address space in which the program can be loaded and prints its version, in kilobytes.
fn least_memory() -> u32 {
    let starts = |kilobytes: &u32| {
        let mut command = Command::new("sh");
        command.args(["-c", &format!(r#"ulimit -v {kilobytes} && exec "$@""#), "sh"]);
        command.arg(pgnfs().get_program()).arg("--version");
        run(&mut command).code == Some(0)
    };
    (10_000..1_000_000).step_by(2_000).find(starts).unwrap()
}

#[test]
fn a_limit_of_file_sizes() {
    needs!(mount);
    let scratch = Scratch::new();
    // Sizes of files that were just written are not kept.
    for extension in ["dci", "dcg", "dcn", "dcs", "dce"] {
        let file = File::open(scratch.source.join("a").with_extension(extension)).unwrap();
        file.set_modified(SystemTime::now() - Duration::from_secs(1000))
            .unwrap();
    }
    let mount = scratch.mount_command(&["-f"]);
    let mut child = Command::new("sh")
        .args(["-c", r#"ulimit -f 0 && exec "$@""#, "sh"])
        .arg(mount.get_program())
        .args(mount.get_args())
        .env(CACHE, scratch.path("cache"))
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    wait_for("the mount", || scratch.is_mounted() && scratch.games().len() == 2);
    signal(child.id(), "TERM");
    // Sizes are written at the end at the latest.
    assert_eq!(child.wait().unwrap().code(), Some(0));
    let kept = fs::read_dir(scratch.path("cache/pgnfs")).unwrap();
    assert_eq!(kept.count(), 0);
}

/// Whether a thread has no more privileges than CAP_DAC_READ_SEARCH and CAP_SYS_ADMIN, and cannot get any.
/// A thread that has ended has none.
fn has_few_privileges(process: u32, thread: &str) -> bool {
    let Ok(status) = fs::read_to_string(format!("/proc/{process}/task/{thread}/status")) else {
        return true;
    };
    let value = |name: &str| {
        let mut lines = status.lines();
        lines
            .find_map(|line| line.strip_prefix(name)?.strip_prefix(":\t"))
            .unwrap()
    };
    let is_little = |sets| u64::from_str_radix(value(sets), 16).unwrap() & !0x20_0004 == 0;
    is_little("CapEff") && is_little("CapPrm") && value("NoNewPrivs") == "1"
}

#[test]
fn root_gives_up_what_is_not_needed() {
    needs!(mount);
    needs!(root);
    let scratch = Scratch::new();
    scratch.mount(&[]);
    for process in scratch.daemon_and_guardian() {
        // The guardian may not have done this yet. Threads that open databases come and go.
        wait_for("fewer privileges", || {
            let threads = fs::read_dir(format!("/proc/{process}/task")).unwrap();
            let mut threads = threads.map(|thread| thread.unwrap().file_name().into_string().unwrap());
            threads.all(|thread| has_few_privileges(process, &thread))
        });
    }
    assert_eq!(scratch.games().len(), 2);
    scratch.unmount();
}

/// The output of a shell command that runs as nobody.
fn as_nobody(scratch: &Scratch, command: &str) -> String {
    let ended = run(Command::new("setpriv")
        .args([
            "--reuid",
            "65534",
            "--regid",
            "65534",
            "--clear-groups",
            "sh",
            "-c",
            command,
        ])
        .current_dir(scratch.path(""))
        .env("LC_ALL", "C"));
    ended.out + &ended.err
}

#[test]
fn which_users_have_access() {
    needs!(mount);
    needs!(root);
    needs!(program "setpriv", in "util-linux");
    let look = "cat mount/a.dci/all.pgn | head -n 1; ls mount";
    let rows: [(&[&str], bool); 7] = [
        // Only the user who mounts has access, which excludes root if that is another user.
        (&[], false),
        (&["-o", "uid=65534"], false),
        (&["-o", "default_permissions"], false),
        (&["-o", "allow_other"], true),
        (&["-o", "allow_other,umask=077"], false),
        (&["-o", "allow_other,umask=077,uid=65534"], true),
        (&["-o", "allow_other,umask=007,gid=65534"], true),
    ];
    for (options, may) in rows {
        let scratch = Scratch::new();
        scratch.mount(options);
        let said = as_nobody(&scratch, look);
        if may {
            assert!(
                said.starts_with("[Event \"Paris opera\"]\na.dci\n"),
                "{options:?}: {said}"
            );
        } else {
            assert_eq!(
                said.matches("Permission denied").count(),
                2,
                "{options:?}: {said}"
            );
        }
        assert!(!scratch.games().is_empty(), "{options:?}: who mounts may look");
    }
}

#[test]
fn a_mount_is_always_harmless() {
    needs!(mount);
    for options in ["rw,dev,suid,exec", "ro,nodev", "allow_other"] {
        // Other users must ask the administrator.
        if options == "allow_other" && !testkit::is_root() {
            continue;
        }
        let scratch = Scratch::new();
        scratch.mount(&["-o", options]);
        let mounts = scratch.mounts();
        let flags: Vec<&str> = mounts[0].split(' ').nth(5).unwrap().split(',').collect();
        for flag in ["ro", "nosuid", "nodev"] {
            assert!(flags.contains(&flag), "{options}: {flags:?}");
        }
        assert!(Path::new(&scratch.mount).exists());
    }
}
