//! Reads behind the end of files that were cut, while another thread maps and unmaps files as fast as it can, and
//! looks whether a map that was left alone keeps its bytes. It ends with 3 as soon as it does not.
//!
//! usage: stress_map FOLDER SECONDS
//!
//! The folder gets files of 8 GiB, which hold nothing but holes. On one processor, a handler that takes a map's
//! address and its length from two different maps is found within seconds; `scripts/stress-map` runs it so.

use std::fs::File;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use pgnfs::mapped::Mapped;

const PAGE: usize = 4096;

/// Bytes of a file that is cut, and number of its maps.
const VICTIM: usize = 16 << 20;
const VICTIMS: usize = 512;

/// Bytes of the file that is mapped where a small one was: more than all victims together.
const LARGE: u64 = (VICTIM * VICTIMS + (64 << 20)) as u64;

/// Files that the other thread maps at a time.
const CHURNED: usize = 200;

/// Bytes of the file that must keep its contents, and its contents.
const CANARY: usize = 64 << 20;
const SONG: u8 = 9;

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

/// The files of a stress.
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
        std::fs::write(&files.canary, vec![SONG; CANARY])?;
        Ok(files)
    }
}

/// What came out of a round.
struct Found {
    faults: u64,
    churned: u64,
    /// Zeros at the beginning of the canary, where it does not keep its bytes.
    zeros: Option<usize>,
    is_intact: bool,
}

/// Reads all victims once in a thread of its own, and maps and unmaps files meanwhile.
fn round(files: &Files, end: Instant) -> Found {
    let open = |path: &Path| Mapped::open(path).expect("the file can be mapped");
    let victim = File::options()
        .write(true)
        .open(&files.victim)
        .expect("it is there");
    victim.set_len(VICTIM as u64).expect("it can be made longer");
    // The kernel gives addresses from above: first the canary, then the victims, then what the other thread maps. That
    // comes first in the search, because it takes slots that are dropped again here.
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
            // It is interrupted by the other one as often as possible.
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
                is_right = canary[0] == SONG && canary[100 * PAGE] == SONG;
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
