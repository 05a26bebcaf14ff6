//! Reading unpacked bytes at any place.

use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};

use super::Packed;
use super::index::PackedSection;
use super::slices::{Resting, SLICE};
use super::stream::{Damage, StreamStep};
use crate::bytes::index;

/// Maximum number of warnings about damage found by reading.
const MOST_FOUND: usize = 100;

impl Packed {
    /// Copies unpacked bytes from `offset` on into `buffer`. Returns their number, which is smaller than the
    /// buffer only at the end. Line feeds replace bytes that cannot be unpacked; [`Packed::warnings`]
    /// contains their places.
    pub fn read_at(&self, offset: u64, buffer: &mut [u8]) -> usize {
        if self.is_stored() {
            return self.input.copy(offset, buffer);
        }
        let mut done = 0;
        while let Some(rest) = buffer.get_mut(done..).filter(|rest| !rest.is_empty()) {
            let at = offset.saturating_add(done as u64);
            let Some((start, slice)) = self.slice(at) else {
                break;
            };
            let from = slice.get(index(at - start)..).unwrap_or_default();
            let len = from.len().min(rest.len());
            if let (Some(to), Some(from)) = (rest.get_mut(..len), from.get(..len)) {
                to.copy_from_slice(from);
            }
            if len == 0 {
                break;
            }
            done += len;
        }
        done
    }

    /// The slice that contains the byte at `at`, and the offset of the slice; `None` at the end.
    fn slice(&self, at: u64) -> Option<(u64, Arc<Vec<u8>>)> {
        let section = self.index.section(at)?;
        let start = at - (at - section.range.start) % SLICE;
        if let Some(slice) = self.slices.get(self.id, start) {
            return Some((start, slice));
        }
        let lane = self.lanes.get(index(section.number) % self.lanes.len())?;
        let _lane = lane.lock().unwrap_or_else(PoisonError::into_inner);
        // Another thread may have unpacked the slice while this one waited for the lock.
        if let Some(slice) = self.slices.get(self.id, start) {
            return Some((start, slice));
        }
        let mut stream = match self.slices.take_stream(self.id, section.number, start) {
            Some(stream) => stream,
            None => self.stream(&section),
        };
        loop {
            let from = stream.at;
            let slice = self.unpack(&mut stream, &section);
            self.slices.put(self.id, from, &slice);
            if from >= start {
                if stream.at < section.range.end {
                    self.slices.put_stream(self.id, stream);
                } else {
                    self.check_end(stream);
                }
                return Some((from, slice));
            }
        }
    }

    /// A stream at the start of a section.
    fn stream(&self, section: &PackedSection) -> Resting {
        let mut resting = Resting {
            section: section.number,
            at: section.range.start,
            stream: None,
        };
        if let Some(point) = self.index.point(section) {
            let window = point.window.as_deref();
            let stream = self.codec.stream(&self.input, point.bit, window, &self.slices);
            resting.stream = Some(stream);
            let mut ahead = section.range.start.saturating_sub(point.start);
            let mut buffer = vec![0; index(ahead.min(SLICE))];
            while ahead > 0 && resting.stream.is_some() {
                let len = index(ahead.min(SLICE));
                let done = self.fill(&mut resting, section, buffer.get_mut(..len).unwrap_or_default());
                ahead -= done as u64;
            }
        }
        resting
    }

    /// Unpacks the next slice of a section.
    fn unpack(&self, resting: &mut Resting, section: &PackedSection) -> Arc<Vec<u8>> {
        let len = (section.range.end - resting.at).min(SLICE);
        let mut slice = self.slices.unfilled(index(len));
        let done = self.fill(resting, section, &mut slice);
        if let Some(missing) = slice.get_mut(done..) {
            missing.fill(b'\n');
        }
        resting.at += len;
        Arc::new(slice)
    }

    /// Fills a buffer from a stream. Returns the number of bytes, which is smaller than the buffer before
    /// damage.
    fn fill(&self, resting: &mut Resting, section: &PackedSection, buffer: &mut [u8]) -> usize {
        let mut done = 0;
        while let (Some(stream), Some(rest)) = (&mut resting.stream, buffer.get_mut(done..))
            && !rest.is_empty()
        {
            match stream.step(rest) {
                Ok(StreamStep::Bytes(more)) => done += more,
                Ok(StreamStep::Point(_) | StreamStep::Inside(_)) => {}
                Ok(StreamStep::Doubt(damage)) => self.note(damage),
                Ok(StreamStep::End) => {
                    let place = self.input.in_file(section.bit / 8);
                    self.miss(
                        resting,
                        Damage::new(place, "less is packed from here on than the file says"),
                    );
                }
                Err(damage) => self.miss(resting, damage),
            }
        }
        self.unpacked.fetch_add(done as u64, Ordering::Relaxed);
        done
    }

    /// Checks the end of a section: its checksum, and its length if the container contains it.
    fn check_end(&self, resting: Resting) {
        let Some(mut stream) = resting.stream else {
            return;
        };
        loop {
            match stream.step(&mut [0]) {
                Ok(StreamStep::Doubt(damage)) | Err(damage) => return self.note(damage),
                Ok(StreamStep::Bytes(0)) => {}
                Ok(StreamStep::Bytes(_)) => {
                    let section = self.index.section(resting.at.saturating_sub(1));
                    let place = self.input.in_file(section.map_or(0, |section| section.bit / 8));
                    return self.note(Damage::new(
                        place,
                        "more is packed from here on than the file says",
                    ));
                }
                Ok(StreamStep::Point(_) | StreamStep::Inside(_) | StreamStep::End) => return,
            }
        }
    }

    /// Ends a stream at damage.
    fn miss(&self, resting: &mut Resting, damage: Damage) {
        resting.stream = None;
        self.note(damage);
    }

    /// Keeps damage for the warnings, unless the pass over the file found it already.
    fn note(&self, damage: Damage) {
        let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        let text = damage.to_string();
        let is_known = found.contains(&damage) || self.index.warnings().any(|known| known.starts_with(&text));
        if !is_known && found.len() < MOST_FOUND {
            found.push(damage);
        }
    }
}
