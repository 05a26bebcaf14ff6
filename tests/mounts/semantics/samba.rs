//! A mount shared by Samba: a client copies exactly the mounted files.

use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use super::mounted::Mounted;
use testkit::needs;
use testkit::patience::wait_for;

/// A Samba server with all its files in one folder.
struct Server {
    process: Child,
    port: u16,
}

impl Server {
    fn start(mounted: &Mounted) -> Server {
        // A port that was free a moment ago.
        let port = TcpListener::bind("127.0.0.1:0")
            .unwrap()
            .local_addr()
            .unwrap()
            .port();
        let folder = mounted.copies().join("samba");
        let mut settings = String::from("[global]\n");
        for kind in [
            "private dir",
            "lock directory",
            "state directory",
            "cache directory",
            "pid directory",
            "ncalrpc dir",
        ] {
            let place = folder.join(kind.replace(' ', "-"));
            std::fs::create_dir_all(&place).unwrap();
            settings += &format!("{kind} = {}\n", place.display());
        }
        settings += &format!(
            "log file = {0}/log\nsmb ports = {port}\ninterfaces = lo\nbind interfaces only = yes\ndisable netbios = yes\n\
             load printers = no\nmap to guest = Bad User\nguest account = root\n\
             [chess]\npath = {1}\nread only = yes\nguest ok = yes\nmangled names = no\n\
             follow symlinks = no\n",
            folder.display(),
            mounted.path().display()
        );
        let file = folder.join("smb.conf");
        std::fs::write(&file, settings).unwrap();
        let process = Command::new("sh")
            .args([
                "-c",
                "PATH=$PATH:/usr/sbin; exec smbd --foreground --configfile=\"$1\"",
                "sh",
            ])
            .arg(&file)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let server = Server { process, port };
        wait_for("smbd", || TcpStream::connect(("127.0.0.1", port)).is_ok());
        server
    }

    /// The output of the client for some commands.
    fn ask(&self, folder: &Path, commands: &str) -> String {
        let output = Command::new("smbclient")
            .args(["//127.0.0.1/chess", "--no-pass", "--port", &self.port.to_string()])
            .args(["--command", commands])
            .current_dir(folder)
            .output()
            .unwrap();
        String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Ends its child processes, too, which would keep the mount busy.
        let _ = Command::new("kill").arg(self.process.id().to_string()).status();
        let _ = self.process.wait();
    }
}

#[test]
fn samba_shares_a_mount() {
    // The guest user of this server is root.
    needs!(root);
    needs!(program "smbd", in "samba");
    needs!(program "smbclient", in "smbclient");
    let Some(mounted) = Mounted::new(&[]) else { return };
    let server = Server::start(&mounted);
    let copy = mounted.copies().join("copy");
    std::fs::create_dir(&copy).unwrap();
    server.ask(&copy, "prompt; recurse; mget *");
    // The links in moves/ and positions/ are not shared.
    mounted.shell("diff -r --no-dereference --exclude=position --exclude=start . \"$COPIES/copy\"");
    let refused = server.ask(&copy, "put info.txt new.txt; rm info.txt");
    assert_eq!(refused.matches("NT_STATUS_ACCESS_DENIED").count(), 2, "{refused}");
    // The client shows the date of the game as the time of the file.
    let listed = server.ask(
        &copy,
        "cd \"club/classics.dci/players/Kieseritzky, Lionel\"; ls 1851*",
    );
    assert!(listed.contains("Jun 21 12:00:00 1851"), "{listed}");
}
