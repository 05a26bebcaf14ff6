use std::sync::atomic::AtomicUsize;

use super::*;
use crate::library::root::Root;
use crate::mounts::{Device, Mount};
use chessdb::Options;

/// Maximum time for any step of a test.
const PATIENCE: Duration = Duration::from_secs(20);

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
    let prepare = || {
        let is_short = IS_SHORT.load(Ordering::Relaxed);
        if is_short {
            Err(io::ErrorKind::WouldBlock.into())
        } else {
            Ok(())
        }
    };
    let mut openings = Arc::new(Openings::default());
    Arc::get_mut(&mut openings).unwrap().workers = Workers::new(WorkerOptions {
        prepare: Some(prepare),
        ..options()
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
    wait_until(|| are_open() == [false, true, false, true]);
    openings.wait(&jobs, Some(Duration::from_millis(10)));
    assert_eq!(are_open(), [false, true, false, true]);
    IS_SHORT.store(false, Ordering::Relaxed);
    openings.wait(&jobs, None);
    assert_eq!(are_open(), [true; 4]);
    assert!(openings.state().unstarted.is_empty());
}

#[test]
fn two_openings_that_hang_leave_the_local_ones() {
    /// Openings that have begun, and whether they may go on.
    static BEGUN: AtomicUsize = AtomicUsize::new(0);
    static MAY_GO_ON: AtomicBool = AtomicBool::new(false);
    let hang = || {
        BEGUN.fetch_add(1, Ordering::Relaxed);
        wait_until(|| MAY_GO_ON.load(Ordering::Relaxed));
        Ok(())
    };
    let openings = Arc::new(Openings::new(Some(hang), None, None));
    let how = how();
    let begin = |name: &str, mount| openings.begin(task(name, mount), SeenFiles::new(), &how, None);
    let far: Vec<_> = ["a", "b", "c", "d"].map(|name| begin(name, far())).into();
    wait_until(|| BEGUN.load(Ordering::Relaxed) == MOST_OF_A_MOUNT);
    // More than processors, so they begin when others are older than `YOUNG`.
    let near: Vec<_> = (0..9).map(|name| begin(&name.to_string(), None)).collect();
    wait_until(|| BEGUN.load(Ordering::Relaxed) == MOST_OF_A_MOUNT + near.len());
    let all: Vec<_> = [far, near].concat();
    openings.wait(&all, Some(Duration::from_millis(10)));
    assert!(all.iter().all(|job| job.opened().is_none()));
    MAY_GO_ON.store(true, Ordering::Relaxed);
    openings.wait(&all, None);
    assert!(all.iter().all(|job| job.opened().is_some()));
}
