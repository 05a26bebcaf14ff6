//! Reads beyond the end of truncated files while another thread maps and unmaps files as fast as it can, and
//! checks that an unrelated map keeps its bytes. Ends with exit code 3 if it does not.
//!
//! usage: stress_map FOLDER SECONDS
//!
//! The folder needs room for sparse files of 8 GiB. On one processor this finds within seconds a handler that
//! combines the address and the length of two different maps; `scripts/long-test stress-map` runs it
//! that way.

use std::fs::File;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use chessdb_library::mapped::Mapped;

const PAGE: usize = 4096;

/// Size in bytes of a file that is truncated, and number of its maps.
const VICTIM: usize = 16 << 20;
const VICTIMS: usize = 512;

/// Size of the file that is mapped at the addresses of a small one: more than all victims together.
const LARGE: u64 = (VICTIM * VICTIMS + (64 << 20)) as u64;

/// Number of files that the other thread maps at a time.
const CHURNED: usize = 200;

/// Size of the file that must keep its contents, and the value of its bytes.
const CANARY: usize = 64 << 20;
const CANARY_BYTE: u8 = 9;

fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1);
    let folder = arguments.next().map(PathBuf::from);
    let seconds = arguments.next().and_then(|text| text.to_str()?.parse().ok());
    let (Some(folder), Some(seconds)) = (folder, seconds) else {
        eprintln!("usage: stress_map FOLDER SECONDS");
        return ExitCode::from(2);
    };
    let files = Files::new(&folder).expect("the files can be made");
    let (begin, limit) = (Instant::now(), Duration::from_secs(seconds));
    let (mut faults, mut rounds, mut churned) = (0, 0, 0);
    while begin.elapsed() < limit {
        let found = round(&files, begin + limit);
        (faults, rounds, churned) = (faults + found.faults, rounds + 1, churned + found.churned);
        if let Some(zeros) = found.zeros {
            println!(
                "a map that was left alone begins with {zeros} zeros and {} after {faults} faults, {:?}",
                if found.is_intact {
                    "says that it is intact"
                } else {
                    "says that it is changed"
                },
                begin.elapsed()
            );
            return ExitCode::from(3);
        }
    }
    println!(
        "{faults} faults in {rounds} rounds, {churned} maps made and dropped beside them, {:?}: no foreign map was touched",
        begin.elapsed()
    );
    ExitCode::SUCCESS
}

/// The files of a stress test.
struct Files {
    small: PathBuf,
    large: PathBuf,
    victim: PathBuf,
    canary: PathBuf,
}

impl Files {
    fn new(folder: &Path) -> std::io::Result<Files> {
        std::fs::create_dir_all(folder)?;
        let files = Files {
            small: folder.join("small"),
            large: folder.join("large"),
            victim: folder.join("victim"),
            canary: folder.join("canary"),
        };
        std::fs::write(&files.small, [1; PAGE])?;
        File::create(&files.large)?.set_len(LARGE)?;
        File::create(&files.victim)?;
        std::fs::write(&files.canary, vec![CANARY_BYTE; CANARY])?;
        Ok(files)
    }
}

/// The results of a round.
struct Found {
    faults: u64,
    churned: u64,
    /// Number of zeros at the beginning of the canary, if it has lost bytes.
    zeros: Option<usize>,
    is_intact: bool,
}

/// Reads all victims once in a separate thread, and meanwhile maps and unmaps files.
fn round(files: &Files, end: Instant) -> Found {
    let open = |path: &Path| Mapped::open(path).expect("the file can be mapped");
    let victim = File::options()
        .write(true)
        .open(&files.victim)
        .expect("it is there");
    victim.set_len(VICTIM as u64).expect("it can be made longer");
    // The kernel assigns addresses downwards: first the canary, then the victims, then the maps of the other
    // thread. Slots of the latter are searched first, because they were taken before and dropped here.
    let reserved: Vec<Mapped> = (0..2 * CHURNED).map(|_| open(&files.small)).collect();
    let canary = open(&files.canary);
    let mut victims: Vec<Mapped> = (0..VICTIMS).map(|_| open(&files.victim)).collect();
    drop(reserved);
    let lowest = victims.iter().map(|map| map.as_ptr()).min();
    let mut fillers = Vec::new();
    let first = loop {
        let map = open(&files.small);
        if Some(map.as_ptr()) < lowest || fillers.len() > CHURNED {
            break map;
        }
        fillers.push(map);
    };
    victim.set_len(0).expect("it can be cut");
    victims.sort_by_key(|map| map.as_ptr());

    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        let reader = scope.spawn(|| {
            // With the lowest priority the thread is interrupted as often as possible.
            let id = Some(rustix::thread::gettid());
            rustix::process::setpriority_process(id, 19).expect("the priority can be lowered");
            let pages = victims.iter().rev().flat_map(|map| {
                let pages = (0..VICTIM / PAGE).rev();
                pages.map(move |page| map.get(page * PAGE))
            });
            let (mut faults, mut is_right) = (0, true);
            for byte in pages {
                assert_eq!(black_box(byte), Some(&0));
                faults += 1;
                is_right = canary[0] == CANARY_BYTE && canary[100 * PAGE] == CANARY_BYTE;
                if !is_right || (faults % 1000 == 0 && Instant::now() > end) {
                    break;
                }
            }
            is_over.store(true, Ordering::Relaxed);
            (faults, is_right)
        });
        let mut maps = vec![first];
        let mut churned = 0;
        while !is_over.load(Ordering::Relaxed) {
            for path in [&files.large, &files.small] {
                thread::sleep(Duration::from_micros(40));
                maps.clear();
                maps.extend((0..CHURNED).map(|_| open(path)));
                churned += CHURNED as u64;
            }
        }
        let (faults, is_right) = reader.join().expect("the reader does not panic");
        Found {
            faults,
            churned,
            zeros: (!is_right).then(|| canary.iter().take_while(|&&byte| byte == 0).count()),
            is_intact: canary.is_intact(),
        }
    })
}
