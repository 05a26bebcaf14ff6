//! Random reads in a mounted `games/` directory: `readers DIRECTORY GAMES READERS SECONDS SEED`.
//!
//! Each reader opens, reads and closes one game after another; all games are equally likely, and another seed
//! chooses others. Prints the number of reads per second, the median time of a read in milliseconds, the number of
//! errors, and the first of them. Every game must begin with a tag and end with an empty line. Without arguments
//! the program does nothing.

#![allow(missing_docs)]

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

/// Number of games in a directory of `games/`.
const BLOCK: u64 = 1000;

struct Reader {
    directory: PathBuf,
    games: u64,
    end: Instant,
    random: u64,
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [directory, games, readers, seconds, seed] = &arguments[..] else {
        println!("usage: readers DIRECTORY GAMES READERS SECONDS SEED");
        return;
    };
    let number = |text: &String| -> u64 { text.parse().expect("a number") };
    let (games, seconds, seed) = (number(games), number(seconds), number(seed));
    let end = Instant::now() + Duration::from_secs(seconds);
    let readers: Vec<_> = (1..=number(readers))
        .map(|n| Reader {
            directory: PathBuf::from(directory),
            games,
            end,
            random: (n + 1000 * seed).wrapping_mul(0x9e37_79b9_7f4a_7c15),
        })
        .map(|reader| thread::spawn(move || reader.read()))
        .collect();
    let mut times = Vec::new();
    let mut errors = Vec::new();
    for reader in readers {
        let (its_times, its_errors) = reader.join().expect("a reader came to its end");
        times.extend(its_times);
        errors.extend(its_errors);
    }
    times.sort_unstable();
    let median = times.get(times.len() / 2).copied().unwrap_or_default();
    let slow = |thousandths| {
        times
            .get(times.len() * thousandths / 1000)
            .copied()
            .unwrap_or_default()
    };
    println!("reads {}", times.len() as u64 / seconds.max(1));
    println!("median {:.4}", median.as_secs_f64() * 1e3);
    println!("99 of 100 take at most {:.4}", slow(990).as_secs_f64() * 1e3);
    println!("999 of 1000 take at most {:.4}", slow(999).as_secs_f64() * 1e3);
    println!("errors {}", errors.len());
    errors.iter().take(10).for_each(|error| eprintln!("{error}"));
}

impl Reader {
    /// Reads until the time is over. Returns the time of each read, and the errors.
    fn read(mut self) -> (Vec<Duration>, Vec<String>) {
        let mut times = Vec::new();
        let mut errors = Vec::new();
        let mut text = Vec::new();
        let digits = (self.games.max(1).ilog10() as usize + 1).max(6);
        while Instant::now() < self.end {
            let game = self.next_random() % self.games.max(1);
            let first = game / BLOCK * BLOCK;
            let block = format!("{:0digits$}-{:0digits$}", first + 1, first + BLOCK);
            let path = self
                .directory
                .join(block)
                .join(format!("{:0digits$}.pgn", game + 1));
            let begin = Instant::now();
            let read = read_file(&path, &mut text);
            times.push(begin.elapsed());
            match read {
                Err(error) => errors.push(format!("{}: {error}", path.display())),
                Ok(()) if text.starts_with(b"[Event ") && text.ends_with(b"\n\n") => {}
                Ok(()) => errors.push(format!("{}: not the text of a game", path.display())),
            }
        }
        (times, errors)
    }

    /// The generator xorshift64 (Marsaglia 2003).
    fn next_random(&mut self) -> u64 {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        self.random
    }
}

fn read_file(path: &Path, text: &mut Vec<u8>) -> std::io::Result<()> {
    text.clear();
    File::open(path)?.read_to_end(text)?;
    Ok(())
}
