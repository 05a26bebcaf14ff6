//! Makes the index of a compressed file. If the container does not have the lengths of its parts, this takes a pass
//! over the file.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use super::allowance::Allowance;
use super::codec::Codec;
use super::error::PackedError;
use super::index::{PointIndex, Points};
use super::input::Input;
use super::slices::Slices;
use super::stream::{Damage, PackedLayout, PackedPart, StreamStep};

/// Bytes that are unpacked at a time.
const BUFFER: usize = 256 << 10;
/// Maximum number of threads.
const MOST_THREADS: usize = 8;
/// Reading the middle of a file is slow if the file has more unpacked bytes than this and only one part.
const SLOW: u64 = 8 << 20;
/// Maximum number of warnings about damage.
const MOST_WARNINGS: usize = 100;

/// Makes the index of a file with as little work as possible. Also returns the number of bytes unpacked for
/// it.
pub(super) fn index(
    input: &Input,
    codec: Codec,
    allowance: &Allowance,
) -> Result<(PointIndex, u64), PackedError> {
    match codec.parts(input) {
        PackedLayout::Stream => of_stream(input, codec, allowance),
        PackedLayout::Parts(parts, warning) => of_parts(input, codec, allowance, &parts, warning),
    }
}

/// Makes the index of a file by unpacking it from start to end.
fn of_stream(input: &Input, codec: Codec, allowance: &Allowance) -> Result<(PointIndex, u64), PackedError> {
    let mut points = Points::default();
    points.add(0, 0);
    let mut buffer = vec![0; BUFFER];
    let (mut len, mut warnings) = (0, Vec::new());
    let mut stream = codec.stream(input, 0, None, &Slices::shared());
    loop {
        match stream.step(&mut buffer) {
            Ok(StreamStep::Bytes(more)) => {
                len += more as u64;
                allowance.take(more as u64)?;
            }
            Ok(StreamStep::Point(bit)) => points.add(bit, len),
            Ok(StreamStep::Inside(bit)) => points.add_inside(bit, len, || stream.window()),
            Ok(StreamStep::Doubt(damage)) => warnings.push(damage.to_string()),
            Ok(StreamStep::End) => break,
            Err(damage) if len == 0 => return Err(PackedError::Damaged(damage)),
            Err(damage) => {
                warnings.push(format!("{damage}; what follows is not shown"));
                break;
            }
        }
        warnings.truncate(MOST_WARNINGS);
    }
    Ok((points.finish(input, len, warnings), len))
}

/// The results of unpacking a part.
#[derive(Default)]
struct Learnt {
    len: u64,
    /// Checksums that differ. The bytes after them are shown nevertheless.
    doubts: Vec<Damage>,
    /// Damage that ends the part.
    damage: Option<Damage>,
    /// True if the file exceeds its [`Allowance`].
    is_too_large: bool,
}

/// Makes the index of a file from its parts. Unpacks only parts whose length is unknown.
fn of_parts(
    input: &Input,
    codec: Codec,
    allowance: &Allowance,
    parts: &[PackedPart],
    warning: Option<&str>,
) -> Result<(PointIndex, u64), PackedError> {
    let known = parts.iter().filter_map(|part| part.len);
    allowance.take(known.fold(0, u64::saturating_add))?;
    let learnt: Vec<Mutex<Learnt>> = parts.iter().map(|_| Mutex::default()).collect();
    let next = AtomicUsize::new(0);
    let work = || {
        let mut buffer = vec![0; BUFFER];
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let (Some(part), Some(place)) = (parts.get(number), learnt.get(number)) else {
                break;
            };
            let result = match part.len {
                Some(len) => Learnt {
                    len,
                    ..Learnt::default()
                },
                None => {
                    let end = parts.get(number + 1).map_or(u64::MAX, |next| next.bit);
                    unpack(input, codec, part.bit..end, &mut buffer, allowance)
                }
            };
            let is_too_large = result.is_too_large;
            *place.lock().unwrap_or_else(PoisonError::into_inner) = result;
            // The file will be refused, so unpacking further parts, which may take long, is useless.
            if is_too_large {
                break;
            }
        }
    };
    let unknown = parts.iter().filter(|part| part.len.is_none()).count();
    let threads = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        for _ in 1..threads.min(MOST_THREADS).min(unknown) {
            scope.spawn(work);
        }
        work();
    });
    let learnt = learnt.into_iter();
    let learnt = learnt.map(|part| part.into_inner().unwrap_or_default());
    let learnt: Vec<Learnt> = learnt.collect();
    if learnt.iter().any(|part| part.is_too_large) {
        return Err(PackedError::TooLarge);
    }
    let unpacked = parts.iter().zip(&learnt);
    let unpacked = unpacked.filter(|(part, _)| part.len.is_none());
    let unpacked = unpacked.map(|(_, learnt)| learnt.len).sum();
    let index = gather(input, parts, learnt, warning)?;
    Ok((index, unpacked))
}

/// Combines the parts, in order, into an index.
fn gather(
    input: &Input,
    parts: &[PackedPart],
    learnt: Vec<Learnt>,
    warning: Option<&str>,
) -> Result<PointIndex, PackedError> {
    let (mut points, mut len) = (Points::default(), 0);
    let (mut warnings, mut first_damage) = (Vec::new(), None);
    let unpacked: u64 = learnt.iter().map(|part| part.len).sum();
    let mut is_broken = false;
    for (part, learnt) in parts.iter().zip(learnt) {
        if is_broken {
            // The previous part cannot be read to its end. A line feed replaces the missing bytes.
            len += 1;
            points.add_always(part.bit, len);
        } else {
            points.add(part.bit, len);
        }
        is_broken = learnt.damage.is_some();
        len += learnt.len;
        warnings.extend(learnt.doubts.iter().map(Damage::to_string));
        warnings.extend(
            learnt
                .damage
                .as_ref()
                .map(|damage| format!("{damage}; what cannot be unpacked is not shown")),
        );
        first_damage = first_damage.or(learnt.damage);
    }
    if unpacked == 0
        && let Some(damage) = first_damage
    {
        return Err(PackedError::Damaged(damage));
    }
    warnings.truncate(MOST_WARNINGS);
    let warning = warning.filter(|_| len > SLOW).map(str::to_owned);
    let warnings = warning.into_iter().chain(warnings);
    Ok(points.finish(input, len, warnings.collect()))
}

/// Unpacks a part, which ends where the next part starts.
fn unpack(input: &Input, codec: Codec, bits: Range<u64>, buffer: &mut [u8], allowance: &Allowance) -> Learnt {
    let mut learnt = Learnt::default();
    let mut stream = codec.stream(input, bits.start, None, &Slices::shared());
    let mut read = || -> Result<(), Damage> {
        loop {
            match stream.step(buffer)? {
                StreamStep::Bytes(more) => {
                    learnt.len += more as u64;
                    if allowance.take(more as u64).is_err() {
                        learnt.is_too_large = true;
                        return Ok(());
                    }
                }
                StreamStep::Point(bit) if bit < bits.end => {}
                StreamStep::Inside(_) => {}
                StreamStep::Doubt(damage) if learnt.doubts.len() < MOST_WARNINGS => {
                    learnt.doubts.push(damage)
                }
                StreamStep::Doubt(_) => {}
                StreamStep::Point(_) | StreamStep::End => return Ok(()),
            }
        }
    };
    let result = read();
    // Damage at the start of the next part is reported when that part is unpacked.
    let end = input.in_file(bits.end / 8);
    learnt.damage = result.err().filter(|damage| damage.offset < end);
    learnt
}
