//! Values that are more than a word or a number.

use std::time::Duration;

use crate::watch::{self, Means};

/// Reads how to watch.
pub fn means(text: &str) -> Option<Means> {
    Some(match text {
        "auto" => Means::Auto,
        "inotify" => Means::Inotify,
        "poll" => Means::Poll(watch::PAUSE),
        "off" => Means::Off,
        _ => {
            let seconds = text.strip_prefix("poll:")?.parse().ok();
            let seconds = seconds.filter(|seconds| (1..=24 * 60 * 60).contains(seconds))?;
            Means::Poll(Duration::from_secs(seconds))
        }
    })
}

/// Reads a number of bytes with a unit behind it.
pub fn bytes(text: &str) -> Option<usize> {
    let units = [('K', 1 << 10), ('M', 1 << 20), ('G', 1 << 30)];
    let unit = units
        .into_iter()
        .find(|(letter, _)| text.ends_with([*letter, letter.to_ascii_lowercase()]));
    let (digits, unit) = match unit {
        Some((_, unit)) => (text.get(..text.len() - 1)?, unit),
        None => (text, 1),
    };
    digits.parse::<usize>().ok()?.checked_mul(unit)
}
