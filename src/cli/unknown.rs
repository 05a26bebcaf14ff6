//! Commands and options that do not exist, and what was probably meant.

use std::path::Path;

use super::options;
use chessdb_library::library::on_one_line;
use chessdb_library::similar::similar;

/// What other programs call the commands.
const OTHER_NAMES: [(&str, &str); 16] = [
    ("convert", "export"),
    ("dump", "export"),
    ("eject", "unmount"),
    ("fsck", "check"),
    ("grep", "find"),
    ("list", "info"),
    ("ls", "info"),
    ("open", "mount"),
    ("query", "find"),
    ("search", "find"),
    ("select", "find"),
    ("show", "info"),
    ("stats", "info"),
    ("test", "check"),
    ("validate", "check"),
    ("verify", "check"),
];

/// Says that there is no such command among `commands`, and which one is probably meant.
pub fn command<'a>(word: &str, commands: impl Iterator<Item = &'a str>) -> String {
    let shown = on_one_line(word);
    if Path::new(word).exists() {
        return format!(
            "there is no command '{shown}': to mount it, write pgnfs mount SOURCE MOUNTPOINT; pgnfs --help lists all commands"
        );
    }
    let others = OTHER_NAMES.iter().map(|(name, _)| *name);
    let meant = similar(word, commands.chain(others)).first().map(|&name| {
        let other = OTHER_NAMES.iter().find(|(other, _)| *other == name);
        other.map_or(name, |(_, command)| command)
    });
    let meant = meant
        .map(|name| format!(" '{name}' is similar;"))
        .unwrap_or_default();
    format!("there is no command '{shown}':{meant} pgnfs --help lists all commands")
}

/// Says how an option is written that `--name` does not set; `None` where nothing is known of it.
pub fn option(name: &str) -> Option<String> {
    if options::is_generic(name) {
        return Some(format!(
            "there is no option '--{name}': pgnfs mount takes -o {name}, which has no effect, because a mount is always \
             read-only and has no programs and devices"
        ));
    }
    let option = options::of_choice(name)?;
    Some(format!("there is no option '--{name}': write --{option}={name}"))
}
