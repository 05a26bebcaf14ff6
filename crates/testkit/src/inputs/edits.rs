//! Changes that leave a container valid.

use crate::harness::choices::Choices;

/// Numbers that often cause errors in arithmetic.
const NUMBERS: [u32; 8] = [0, 1, 0x7f, 0x80, 0xff, 0xffff, i32::MAX as u32, u32::MAX];

/// Changes a few bytes, in most cases none.
pub fn change(choices: &mut Choices<'_>, bytes: &mut [u8]) {
    if !choices.once_in(3) {
        return;
    }
    for _ in 0..choices.below(4) {
        let at = choices.below(bytes.len());
        let value = match choices.below(4) {
            0 => choices.one_of(&NUMBERS).to_le_bytes().to_vec(),
            1 => choices.one_of(&NUMBERS).to_be_bytes().to_vec(),
            _ => vec![choices.byte()],
        };
        for (to, from) in bytes[at..].iter_mut().zip(value) {
            *to = from;
        }
    }
}

/// The properties of a game's codes that edits depend on.
pub struct Codes {
    /// Size in bytes of the code at the beginning of some bytes; 1 for an unknown one.
    pub size: fn(&[u8]) -> usize,
    /// An arbitrary code.
    pub any: fn(&mut Choices<'_>) -> Vec<u8>,
    /// The codes that begin and end a variation.
    pub variation: [u8; 2],
}

impl Codes {
    /// Inserts codes, removes some, and moves some after the next one.
    pub fn edit(&self, choices: &mut Choices<'_>, codes: &mut Vec<u8>) {
        for _ in 0..choices.below(8) {
            let places = self.places(codes);
            let at = choices.one_of(&places);
            let end = self.end(codes, at);
            match choices.below(4) {
                0 => drop(codes.splice(at..at, (self.any)(choices))),
                1 => drop(codes.splice(at..end, (self.any)(choices))),
                2 => drop(codes.drain(at..end)),
                _ => {
                    let item = self.item(codes, at);
                    let next = self.item(codes, item);
                    codes[at..next].rotate_left(item - at);
                }
            }
        }
    }

    /// The same codes with each variation after the item that it preceded.
    pub fn variations_behind(&self, codes: &[u8]) -> Vec<u8> {
        let [start, end] = self.variation;
        let (mut out, mut waiting) = (Vec::new(), Vec::new());
        let mut at = 0;
        while at < codes.len() {
            let next = self.item(codes, at);
            if codes[at] == start {
                let inside = &codes[at + 1..next];
                let is_closed = inside.last() == Some(&end);
                let inside = &inside[..inside.len() - usize::from(is_closed)];
                waiting.push(start);
                waiting.extend(self.variations_behind(inside));
                waiting.push(end);
            } else {
                out.extend(&codes[at..next]);
                out.append(&mut waiting);
            }
            at = next;
        }
        out.append(&mut waiting);
        out
    }

    /// The offsets of the codes, and of the end.
    pub fn places(&self, codes: &[u8]) -> Vec<usize> {
        let mut places = vec![0];
        while let Some(&at) = places.last().filter(|&&at| at < codes.len()) {
            places.push(self.end(codes, at));
        }
        places
    }

    fn end(&self, codes: &[u8], at: usize) -> usize {
        match &codes[at..] {
            [] => at,
            code => codes.len().min(at + (self.size)(code)),
        }
    }

    /// The end of a code, or of the variation that it begins.
    fn item(&self, codes: &[u8], mut at: usize) -> usize {
        let [start, end] = self.variation;
        let mut depth = 0;
        while at < codes.len() {
            match codes[at] {
                code if code == start => depth += 1,
                code if code == end && depth > 0 => depth -= 1,
                _ => {}
            }
            at = self.end(codes, at);
            if depth == 0 {
                break;
            }
        }
        at
    }
}
