use std::sync::atomic::AtomicUsize;

use super::*;
use crate::library::root::Root;
use crate::mounts::{Device, Mount};
use chessdb::Options;

/// Maximum time for any step of a test.
const PATIENCE: Duration = Duration::from_secs(20);

fn openings(spawn: Spawn) -> Openings {
    Openings(Arc::new(OpeningPool {
        spawn,
        ..OpeningPool::default()
    }))
}

fn how() -> Arc<How> {
    let folder = tempfile::tempdir().unwrap();
    let root = Root::open(&folder.path().canonicalize().unwrap()).unwrap();
    let options = Options::default();
    Arc::new(How {
        root,
        options,
        kept: None,
    })
}

/// A task with one candidate that no format accepts. Its name distinguishes it from other tasks, which are
/// compared by their candidates.
fn task(name: &str, mount: Option<Mount>) -> Arc<OpeningTask> {
    let format = chessdb::formats::FORMATS.first().unwrap();
    let candidate = chessdb::files::Candidate {
        name: name.to_owned(),
        files: vec![(String::new(), name.into())],
        warnings: Vec::new(),
    };
    Arc::new(OpeningTask {
        folder: Vec::new(),
        name: name.to_owned(),
        candidates: vec![(format, candidate)],
        by_content: false,
        is_joined: false,
        unusable: Arc::default(),
        mount,
        hung: None,
    })
}

fn far() -> Option<Mount> {
    Some(Mount {
        id: 0,
        device: Device(1),
        path: "/far".into(),
        kind: "nfs4".to_owned(),
        source: "server:/".into(),
        user: None,
    })
}

fn wait_until(mut is_so: impl FnMut() -> bool) {
    let begin = Instant::now();
    while !is_so() {
        assert!(begin.elapsed() < PATIENCE);
        thread::yield_now();
    }
}

#[test]
fn openings_that_may_hang_wait_for_a_thread() {
    static IS_SHORT: AtomicBool = AtomicBool::new(true);
    let openings = openings(|name, work| {
        if IS_SHORT.load(Ordering::Relaxed) {
            Err(io::ErrorKind::WouldBlock.into())
        } else {
            thread::Builder::new().name(name.to_owned()).spawn(work).map(drop)
        }
    });
    let how = how();
    let begin = |name, mount| openings.begin(task(name, mount), SeenFiles::new(), &how, None);
    let jobs = [
        begin("a", far()),
        begin("b", None),
        begin("c", far()),
        begin("d", None),
    ];
    let are_open = || jobs.each_ref().map(|job| job.opened().is_some());
    assert_eq!(are_open(), [false, true, false, true]);
    openings.wait(&jobs, Some(Duration::from_millis(10)));
    assert_eq!(are_open(), [false, true, false, true]);
    IS_SHORT.store(false, Ordering::Relaxed);
    openings.wait(&jobs, None);
    assert_eq!(are_open(), [true; 4]);
    assert!(!openings.0.state().is_short);
}

#[test]
fn no_thread_wakes_up_for_openings_behind_hanging_ones() {
    static HANGING: Mutex<Vec<Work>> = Mutex::new(Vec::new());
    static STARTERS: AtomicUsize = AtomicUsize::new(0);
    let openings = openings(|name, work| {
        if name == "pgnfs-open" {
            HANGING.lock().push(work);
            return Ok(());
        }
        STARTERS.fetch_add(1, Ordering::Relaxed);
        let count = move || {
            work();
            STARTERS.fetch_sub(1, Ordering::Relaxed);
        };
        thread::Builder::new().spawn(count).map(drop)
    });
    let how = how();
    let names: Vec<String> = (0..5).map(|n| n.to_string()).collect();
    let far: Vec<_> = names
        .iter()
        .map(|name| openings.begin(task(name, far()), SeenFiles::new(), &how, None))
        .collect();
    // The local database is opened when the hanging ones are older than `YOUNG`.
    let near = openings.begin(task("near", None), SeenFiles::new(), &how, None);
    wait_until(|| HANGING.lock().len() == 3);
    wait_until(|| STARTERS.load(Ordering::Relaxed) == 0);
    assert_eq!(openings.0.state().waiting.len(), 3);
    assert!(near.opened().is_none() && far.iter().all(|job| job.opened().is_none()));
    // All openings end when the hanging ones continue.
    let hanging = std::mem::take(&mut *HANGING.lock());
    hanging.into_iter().for_each(|work| work());
    assert!(near.opened().is_some() && far.iter().all(|job| job.opened().is_some()));
}
