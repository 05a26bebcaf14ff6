//! Suggestions for commands and options that do not exist.

use std::path::Path;

use super::options;
use chessdb_library::library::on_one_line;
use chessdb_library::similar::similar;

/// Names that other programs have for the commands.
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

/// The message for an unknown command. It suggests the most similar one of `commands`.
pub fn command<'a>(word: &str, commands: impl Iterator<Item = &'a str>) -> String {
    let shown = on_one_line(word);
    let commands: Vec<&str> = commands.collect();
    if commands.contains(&word) {
        // After `help` and a command.
        return format!("one argument too many: '{shown}'; pgnfs help takes one command");
    }
    if Path::new(word).exists() {
        return format!(
            "there is no command '{shown}': to mount it, write pgnfs mount SOURCE MOUNTPOINT; pgnfs --help lists all commands"
        );
    }
    let others = OTHER_NAMES.iter().map(|(name, _)| *name);
    let meant = similar(word, commands.into_iter().chain(others))
        .first()
        .map(|&name| {
            let other = OTHER_NAMES.iter().find(|(other, _)| *other == name);
            other.map_or(name, |(_, command)| command)
        });
    let meant = meant
        .map(|name| format!(" '{name}' is similar;"))
        .unwrap_or_default();
    format!("there is no command '{shown}':{meant} pgnfs --help lists all commands")
}

/// Options that users may expect in other commands, each with the command line to use instead.
const IN_FULL: [(&str, &str); 1] = [(
    "columns",
    "export --to csv --columns=White,year --where=QUERY SOURCE",
)];

/// Names the commands that have an option; `None` if no command has it.
pub fn option_of_commands<'a>(
    name: &str,
    commands: impl Iterator<Item = &'a clap::Command>,
) -> Option<String> {
    let has_option = |command: &&clap::Command| {
        let mut arguments = command.get_arguments();
        !command.is_hide_set() && arguments.any(|argument| argument.get_long() == Some(name))
    };
    let names: Vec<String> = commands
        .filter(has_option)
        .map(|command| format!("pgnfs {}", command.get_name()))
        .collect();
    let (last, others) = names.split_last()?;
    let names = match others {
        [] => last.clone(),
        others => format!("{} and {last}", others.join(", ")),
    };
    let example = IN_FULL.iter().find(|(option, _)| *option == name);
    let example = example.map_or_else(String::new, |(_, line)| format!(", as in pgnfs {line}"));
    Some(format!("'--{name}' is an option of {names}{example}"))
}

/// The message for `--name` if the option exists in another form; `None` for an unknown one.
pub fn option(name: &str) -> Option<String> {
    if options::is_generic(name) {
        return Some(format!(
            "there is no option '--{name}': pgnfs mount takes -o {name}, which has no effect, because a mount is always \
             read-only and has no programs and devices"
        ));
    }
    let option = options::option_accepting(name)?;
    Some(format!("there is no option '--{name}': write --{option}={name}"))
}

/// The message for a word that no argument takes, such as `-tal`, which was taken for an option of one letter.
pub fn word(option: &str) -> String {
    if !option.starts_with('-') {
        let option = on_one_line(option);
        return format!(
            "one argument too many: '{option}'; a database in a folder is FOLDER/NAME, and options come before --"
        );
    }
    format!(
        "there is no option '{option}': in pgnfs find, -- comes before a query that begins with a hyphen, as in pgnfs \
         find -- -tal SOURCE"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::arguments;

    #[test]
    fn an_option_of_another_command_is_named_with_it() {
        let commands = arguments::pgnfs();
        let said = |name: &str| option_of_commands(name, commands.get_subcommands());
        assert_eq!(
            said("columns").as_deref(),
            Some(
                "'--columns' is an option of pgnfs export, as in pgnfs export --to csv --columns=White,year \
                 --where=QUERY SOURCE"
            )
        );
        assert_eq!(
            said("novelty").as_deref(),
            Some("'--novelty' is an option of pgnfs find")
        );
        assert_eq!(said("nonsense"), None);
    }
}
