//! What a mount reports to systemd, to the system log, and through its socket.

use std::fs;
use std::io::{Read, Write};
use std::net::Shutdown;
use std::os::unix::fs::{FileTypeExt, PermissionsExt, symlink};
use std::os::unix::net::{UnixDatagram, UnixStream};
use std::path::PathBuf;
use std::time::Duration;

use serde_json::Value;

use super::scratch::{Ended, PATIENCE, Scratch, pgnfs, run, signal, stop, wait_for};
use testkit::needs;

/// A socket for messages. A message that does not arrive in time is a failure.
fn listener(scratch: &Scratch, name: &str) -> UnixDatagram {
    let path = scratch.path(name);
    let socket = UnixDatagram::bind(&path).unwrap();
    fs::set_permissions(path, PermissionsExt::from_mode(0o666)).unwrap();
    socket.set_read_timeout(Some(PATIENCE)).unwrap();
    socket
}

fn received(socket: &UnixDatagram) -> String {
    let mut buffer = [0; 4096];
    let len = socket.recv(&mut buffer).unwrap();
    String::from_utf8(buffer[..len].to_vec()).unwrap()
}

#[test]
fn systemd_is_notified_when_the_mount_answers() {
    needs!(mount);
    let scratch = Scratch::new();
    let systemd = listener(&scratch, "notify");
    let mut command = scratch.mount_command(&["-f"]);
    let mut child = command
        .env("NOTIFY_SOCKET", scratch.path("notify"))
        .spawn()
        .unwrap();
    assert_eq!(received(&systemd), "READY=1\n");
    assert_eq!(scratch.games().len(), 2);
    signal(child.id(), "TERM");
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
fn the_log_of_the_system_has_what_happens_in_the_background() {
    needs!(mount);
    needs!(root);
    let scratch = Scratch::new();
    let syslog = listener(&scratch, "syslog");
    let script = r#"
        cd "$1" && mkdir dev && mount -t tmpfs none dev && ln -s "$1/syslog" dev/log || exit 9
        mknod -m 666 dev/fuse c 10 229 && mknod -m 666 dev/null c 1 3 && mount --bind dev /dev || exit 9
        RUST_LOG= "$2" mount -o open-wait=20 source mount || exit 9
        truncate -s 0 source/a.dcg
        cat mount/a.dci/games/000001-001000/000001.pgn 2>/dev/null && exit 9
        "$2" unmount mount
    "#;
    let Some(ended) = scratch.run_isolated(script, |_| {}) else {
        return;
    };
    assert_eq!((ended.code, ended.err.as_str()), (Some(0), ""), "{ended:?}");
    // Facility 3 is daemon, severity 3 is error.
    let line = received(&syslog);
    assert!(line.starts_with("<27>pgnfs["), "{line}");
    let mount = scratch.mount.canonicalize().unwrap();
    let named = format!("]: {}: a.dci: a.dcg was changed", mount.display());
    assert!(line.contains(&named), "{line}");
}

/// Mounts with the socket in the folder `run`.
fn mount(scratch: &Scratch) {
    let _ = fs::create_dir(scratch.path("run"));
    let ended = run(scratch
        .mount_command(&[])
        .env("XDG_RUNTIME_DIR", scratch.path("run")));
    assert_eq!((ended.code, ended.err.as_str()), (Some(0), ""));
}

fn status(scratch: &Scratch, arguments: &[&str]) -> Ended {
    run(pgnfs()
        .arg("status")
        .args(arguments)
        .arg(&scratch.mount)
        .env("XDG_RUNTIME_DIR", scratch.path("run")))
}

fn json(scratch: &Scratch) -> Value {
    let ended = status(scratch, &["--json"]);
    assert_eq!((ended.code, ended.err.as_str()), (Some(0), ""));
    serde_json::from_str(&ended.out).unwrap()
}

fn sockets(scratch: &Scratch) -> Vec<PathBuf> {
    let folder = fs::read_dir(scratch.path("run/pgnfs")).unwrap();
    let files = folder.map(|entry| entry.unwrap().path());
    // A mount that ends removes its socket, which may be between the listing and this look.
    let is_socket = |path: &PathBuf| path.metadata().is_ok_and(|file| file.file_type().is_socket());
    files.filter(is_socket).collect()
}

#[test]
fn status_prints_text_or_json() {
    needs!(mount);
    let scratch = Scratch::new();
    mount(&scratch);
    let begin = json(&scratch);
    for (key, path) in [("source", &scratch.source), ("mount_point", &scratch.mount)] {
        assert_eq!(begin[key], path.canonicalize().unwrap().to_str().unwrap());
    }
    assert_eq!(
        (&begin["games"], &begin["databases"][0]["games"]),
        (&3.into(), &2.into())
    );
    assert_eq!(begin["databases"][1]["path"], "sub/b.dci");
    assert_eq!(begin["databases"][1]["format"], "simplecdb");
    assert_eq!(begin["cache"]["capacity"], 64 << 20);
    assert_eq!(begin["watched"], true);

    for game in scratch.games() {
        fs::read(game).unwrap();
    }
    fs::read(scratch.mount.join("sub/b.dci/tables/problems.txt")).unwrap();
    let end = json(&scratch);
    assert_eq!(end["sizes_known"], 3);
    let count = |status: &Value, key: &str| status["cache"][key].as_u64().unwrap();
    assert!(count(&end, "bytes") > 0 && count(&end, "games") > 0);
    assert!(count(&end, "hits") + count(&end, "misses") > count(&begin, "hits") + count(&begin, "misses"));

    let text = status(&scratch, &["--wait"]);
    assert_eq!((text.code, text.err.as_str()), (Some(0), ""));
    assert!(text.out.contains(": 3 games in 2 databases\n"), "{}", text.out);
    assert!(text.out.contains("\n  sizes known     3 of 3\n"), "{}", text.out);
    assert!(text.out.contains("\nsub/b.dci\n"), "{}", text.out);
    assert!(text.out.contains("\n  sizes known     1, done\n"), "{}", text.out);
    scratch.unmount();
    wait_for("the socket to go", || sockets(&scratch).is_empty());
    let nothing = status(&scratch, &[]);
    assert_eq!(nothing.code, Some(2));
    assert!(
        nothing.err.contains("is not a mount point of pgnfs"),
        "{}",
        nothing.err
    );
}

#[test]
fn status_says_why_names_in_search_do_not_exist() {
    needs!(mount);
    let scratch = Scratch::new();
    mount(&scratch);
    for name in [
        "a.dci/search/playr:x",
        "sub/b.dci/search/morphy",
        "all/search/elo:many",
        // These are not mistakes in a query.
        "a.dci/search/.git",
        "a.dci/search/player:nobody/x",
        "a.dci/x",
    ] {
        assert!(!scratch.mount.join(name).exists(), "{name}");
    }
    let asked = json(&scratch);
    let refused = asked["refused"].as_array().unwrap().iter();
    let refused: Vec<[&str; 2]> = refused
        .map(|one| ["path", "reason"].map(|key| one[key].as_str().unwrap()))
        .collect();
    let [field, word, number] = refused[..] else {
        panic!("{refused:?}");
    };
    assert_eq!(
        [field[0], word[0], number[0]],
        [
            "a.dci/search/playr:x",
            "sub/b.dci/search/morphy",
            "all/search/elo:many"
        ]
    );
    assert!(
        field[1].contains("playr") && field[1].contains("player"),
        "{refused:?}"
    );
    assert!(word[1].contains("player:"), "{refused:?}");
    assert!(number[1].contains("a number"), "{refused:?}");
    let shown = status(&scratch, &[]).out;
    let lines = format!(
        "\n  no search       {}\n                  {}\n",
        field[0], field[1]
    );
    assert!(shown.contains(&lines), "{shown}");
    let syntax = fs::read_to_string(scratch.mount.join("a.dci/search/syntax.txt")).unwrap();
    assert!(syntax.contains("pgnfs status"), "{syntax}");
}

#[test]
fn a_client_that_does_not_read_is_given_up() {
    needs!(mount);
    let scratch = Scratch::new();
    mount(&scratch);
    let [socket] = &sockets(&scratch)[..] else {
        panic!("{:?}", sockets(&scratch))
    };
    assert_eq!(
        socket.parent().unwrap().metadata().unwrap().permissions().mode() & 0o777,
        0o700
    );
    let silent: Vec<_> = (0..50).map(|_| UnixStream::connect(socket).unwrap()).collect();
    assert_eq!(json(&scratch)["games"], 3);
    assert_eq!(fs::read_dir(&scratch.mount).unwrap().count(), 4);
    for mut stream in silent {
        stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
        let mut line = String::new();
        stream.read_to_string(&mut line).unwrap();
        assert!(line.starts_with('{') && line.ends_with("}\n"), "{line}");
    }
}

#[test]
fn a_thousand_clients_that_send_garbage_or_nothing() {
    needs!(mount);
    let scratch = Scratch::new();
    mount(&scratch);
    let [daemon, _] = scratch.daemon_and_guardian();
    let threads = || fs::read_dir(format!("/proc/{daemon}/task")).unwrap().count();
    let descriptors = || fs::read_dir(format!("/proc/{daemon}/fd")).unwrap().count();
    json(&scratch);
    let before = (threads(), descriptors());
    let socket = &sockets(&scratch)[0];
    let mut clients = Vec::new();
    for n in 0..1000 {
        let mut client = UnixStream::connect(socket).unwrap();
        match n % 4 {
            0 => drop(client.write_all(&[0xff; 5000])),
            1 => client.shutdown(Shutdown::Write).unwrap(),
            2 => client.shutdown(Shutdown::Read).unwrap(),
            _ => {}
        }
        // A quarter of the clients stay connected until the end.
        if n % 4 == 3 {
            clients.push(client);
        }
    }
    assert_eq!(json(&scratch)["games"], 3);
    drop(clients);
    wait_for("all to be as before", || (threads(), descriptors()) <= before);
    assert_eq!(json(&scratch)["games"], 3);
    assert_eq!(scratch.games().len(), 2);
}

#[test]
fn files_in_the_way_of_the_socket_are_kept() {
    needs!(mount);
    let scratch = Scratch::new();
    let run_folder = scratch.path("run");
    let elsewhere = scratch.path("elsewhere");
    fs::create_dir(&elsewhere).unwrap();
    fs::set_permissions(&elsewhere, PermissionsExt::from_mode(0o700)).unwrap();
    let rows: [(&str, &dyn Fn()); 4] = [
        ("a file", &|| fs::write(run_folder.join("pgnfs"), "mine").unwrap()),
        ("a link", &|| {
            symlink(&elsewhere, run_folder.join("pgnfs")).unwrap()
        }),
        ("a link to nothing", &|| {
            symlink("nothing", run_folder.join("pgnfs")).unwrap()
        }),
        ("an open folder", &|| {
            fs::create_dir(run_folder.join("pgnfs")).unwrap();
            fs::set_permissions(run_folder.join("pgnfs"), PermissionsExt::from_mode(0o777)).unwrap();
        }),
    ];
    for (what, put) in rows {
        fs::create_dir(&run_folder).unwrap();
        put();
        mount(&scratch);
        assert_eq!(scratch.games().len(), 2, "{what}");
        // The socket is in another folder, or could not be made, which is logged.
        let asked = status(&scratch, &["--json"]);
        assert!([Some(0), Some(2)].contains(&asked.code), "{what}: {asked:?}");
        assert!(!asked.err.contains("only that user"), "{what}: {asked:?}");
        scratch.unmount();
        wait_for("the end of the mount", || scratch.processes().is_empty());
        assert_eq!(fs::read_dir(&elsewhere).unwrap().count(), 0, "{what}");
        match run_folder.join("pgnfs") {
            path if path.is_dir() => assert_eq!(fs::read_dir(path).unwrap().count(), 0, "{what}"),
            path if path.is_file() => assert_eq!(fs::read_to_string(path).unwrap(), "mine", "{what}"),
            path => assert!(path.is_symlink(), "{what}"),
        }
        fs::remove_dir_all(&run_folder).unwrap();
    }
}

#[test]
fn the_owner_of_a_mount_learns_why_it_has_no_status() {
    needs!(mount);
    needs!(root);
    let scratch = Scratch::new();
    let script = r#"
        # The scratch folder and the program may be below /run or /tmp.
        cd "$1" && mkdir run && mount -t tmpfs none run && mkdir run/here && touch run/program || exit 9
        mount --bind . run/here && mount --bind "$2" run/program && mount -n --move run /run || exit 9
        mount -t tmpfs none /tmp && mkdir -m 777 /run/pgnfs /tmp/pgnfs-0 && cd / || exit 9
        /run/program mount -o open-wait=20 /run/here/source /run/here/mount 2>/dev/null || exit 9
        /run/program status /run/here/mount
        echo $?
        /run/program unmount /run/here/mount
    "#;
    let Some(ended) = scratch.run_isolated(script, |command| _ = command.env_remove("XDG_RUNTIME_DIR"))
    else {
        return;
    };
    assert_eq!(ended.out, "2\n", "{ended:?}");
    let reason = "has no socket that reports its status: /run/pgnfs is not a folder of user 0 alone";
    assert!(ended.err.contains(reason), "{ended:?}");
}

#[test]
fn a_stopped_mount_is_not_waited_for() {
    needs!(mount);
    let scratch = Scratch::new();
    mount(&scratch);
    let [daemon, _] = scratch.daemon_and_guardian();
    stop(daemon);
    let asked = status(&scratch, &[]);
    signal(daemon, "CONT");
    assert_eq!(asked.code, Some(2), "{asked:?}");
    assert!(asked.err.contains("does not answer"), "{asked:?}");
    assert_eq!(json(&scratch)["games"], 3);
}

#[test]
fn a_socket_left_by_a_killed_mount_is_replaced() {
    needs!(mount);
    let scratch = Scratch::new();
    mount(&scratch);
    let [daemon, _] = scratch.daemon_and_guardian();
    signal(daemon, "KILL");
    wait_for("the guardian to clean up", || !scratch.is_mounted());
    assert_eq!(sockets(&scratch).len(), 1);
    mount(&scratch);
    assert_eq!(json(&scratch)["games"], 3);
}
