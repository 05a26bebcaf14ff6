//! Parsing options in both spellings.

use clap::{Arg, ArgAction, ArgMatches};

use super::error::OptionError;
use super::generic::is_generic;
use super::row::{OptionRow, Scope};
use super::settings::Settings;
use super::{for_games, for_mount, for_search, for_serving};

/// The options in a scope, including hidden ones.
pub(super) fn rows(scope: Scope) -> impl Iterator<Item = &'static OptionRow> {
    let sets = [
        for_games::ROWS,
        for_search::ROWS,
        for_serving::ROWS,
        for_mount::ROWS,
    ];
    let number = match scope {
        Scope::Games => 1,
        Scope::Search => 2,
        Scope::Serve => 3,
        Scope::Mount => 4,
    };
    sets.into_iter().take(number).flatten()
}

/// The arguments of all options in a scope, and `-o`.
pub fn arguments(scope: Scope) -> Vec<Arg> {
    let long = rows(scope).filter(|row| row.is_shown()).map(|row| {
        let short = if row.short.is_empty() { row.help } else { row.short };
        let arg = Arg::new(row.name)
            .long(row.name)
            .help(short)
            .long_help(row.help)
            .hide_short_help(row.short.is_empty())
            .help_heading(row.heading);
        match row.value {
            "" => arg.action(ArgAction::SetTrue),
            value if row.repeats => arg.value_name(value).action(ArgAction::Append),
            value => arg.value_name(value),
        }
    });
    std::iter::once(list_argument()).chain(long).collect()
}

/// The argument `-o`.
pub fn list_argument() -> Arg {
    Arg::new("o")
        .short('o')
        .value_name("OPTIONS")
        .action(ArgAction::Append)
        .help("The options below in one list, without dashes: threads=1,index=no")
        .long_help(
            "Options without dashes, separated by commas: -o encoding=koi8-r,threads=1; \
             write a comma in a value as \\,",
        )
}

/// Reads `-o` lists, then long options, which therefore take precedence unless they may be repeated. With
/// `sloppy`, unknown options in lists are ignored.
///
/// # Errors
/// For the first option that is unknown or has a wrong value.
pub fn settings(matches: &ArgMatches, scope: Scope, sloppy: bool) -> Result<Settings, OptionError> {
    let mut settings = Settings::default();
    let lists = matches.get_many::<String>("o").into_iter().flatten();
    for word in lists.flat_map(|list| words(list)) {
        match set_word(&mut settings, &word, scope) {
            Err(OptionError::Unknown(..)) if sloppy => {}
            result => result?,
        }
    }
    // `mount.pgnfs` has only lists, so the long options may not be defined.
    for row in rows(Scope::Mount).filter(|row| matches.try_contains_id(row.name).unwrap_or(false)) {
        if !row.value.is_empty() {
            for value in matches.get_many::<String>(row.name).into_iter().flatten() {
                set(row, &mut settings, Some(value))?;
            }
        } else if matches.get_flag(row.name) {
            set(row, &mut settings, None)?;
        }
    }
    Ok(settings)
}

/// True if the lists ask for a remount that changes nothing: `remount,ro`, along with options that have no effect or
/// that the kernel shows for every mount.
pub fn is_idle_remount(matches: &ArgMatches) -> bool {
    const SHOWN: [&str; 6] = [
        "remount",
        "user_id",
        "group_id",
        "default_permissions",
        "allow_other",
        "max_read",
    ];
    let lists = matches.get_many::<String>("o").into_iter().flatten();
    let words: Vec<String> = lists.flat_map(|list| words(list)).collect();
    let has = |wanted: &str| words.iter().any(|word| word == wanted);
    let changes_nothing = |word: &String| {
        let name = word.split('=').next().unwrap_or(word);
        name != "rw" && (is_generic(name) || SHOWN.contains(&name))
    };
    has("remount") && has("ro") && words.iter().all(changes_nothing)
}

/// The error for a name that is unknown here but is an option of other commands, written `-o NAME` there.
pub fn option_of_other_commands(name: &str) -> Option<OptionError> {
    let row = rows(Scope::Mount).find(|row| row.name == name)?;
    let is_of = |scope| rows(scope).any(|other| other.name == name);
    let commands = if is_of(Scope::Search) {
        "mount, serve, find and export"
    } else if is_of(Scope::Serve) {
        "mount and serve"
    } else {
        "mount"
    };
    Some(OptionError::OnlyFor(row.name, commands))
}

/// Splits a list into its words. A comma after a backslash belongs to the word.
fn words(list: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    for part in list.split_inclusive(',') {
        let Some(word) = words.last_mut() else { continue };
        match (part.strip_suffix("\\,"), part.strip_suffix(',')) {
            (Some(begun), _) => *word += &format!("{begun},"),
            (None, Some(end)) => {
                word.push_str(end);
                words.push(String::new());
            }
            (None, None) => word.push_str(part),
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// Sets `name` or `name=value` from a list.
fn set_word(settings: &mut Settings, word: &str, scope: Scope) -> Result<(), OptionError> {
    let (name, value) = match word.split_once('=') {
        Some((name, value)) => (name, Some(value)),
        None => (word, None),
    };
    match rows(scope).find(|row| row.name == name) {
        Some(row) => set(row, settings, value),
        None if scope == Scope::Mount && is_generic(name) => Ok(()),
        None if scope == Scope::Mount && name == "remount" => Err(OptionError::Remount),
        None if scope == Scope::Mount && name == "nonempty" => Err(OptionError::NonEmpty),
        None => Err(option_of_other_commands(name).unwrap_or(OptionError::Unknown(name.to_owned(), scope))),
    }
}

fn set(row: &OptionRow, settings: &mut Settings, value: Option<&str>) -> Result<(), OptionError> {
    let value = match (value, row.value) {
        (Some(_), "") => return Err(OptionError::NeedlessValue(row.name)),
        (None, wanted) if !wanted.is_empty() => return Err(OptionError::NoValue(row.name, wanted)),
        (value, _) => value.unwrap_or_default(),
    };
    (row.set)(settings, value).map_err(|wanted| OptionError::BadValue(row.name, value.to_owned(), wanted))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(words: &[&str]) -> Result<Settings, OptionError> {
        let command = clap::Command::new("test")
            .no_binary_name(true)
            .args(arguments(Scope::Mount));
        settings(&command.get_matches_from(words), Scope::Mount, false)
    }

    #[test]
    fn some_options_may_be_repeated() {
        let list = r"view=a=%{white}\, %{black},only=a,view=b=%{year},only=c\,d";
        let settings = parse(&["-o", list]).unwrap();
        let long = [
            "--view=a=%{white}, %{black}",
            "--only=a",
            "--view=b=%{year}",
            "--only=c,d",
        ];
        assert_eq!(parse(&long).unwrap(), settings);
        assert_eq!(
            parse(&[
                "--only=c,d",
                "--view=b=%{year}",
                "-o",
                r"only=a,view=a=%{white}\, %{black}"
            ])
            .unwrap(),
            settings
        );
        assert_eq!(settings.serve.layout.views().count(), 5 + 2);
    }

    #[test]
    fn a_remount_may_only_be_one_to_read_only() {
        let is_idle = |list: &str| {
            let command = clap::Command::new("test").no_binary_name(true);
            let command = command.args(arguments(Scope::Mount));
            is_idle_remount(&command.get_matches_from(["-o", list]))
        };
        for list in [
            "remount,ro",
            "ro,nosuid,nodev,user_id=0,group_id=0,allow_other,remount",
        ] {
            assert!(is_idle(list), "{list}");
        }
        for list in [
            "ro",
            "remount",
            "remount,rw",
            "remount,ro,rw",
            "remount,ro,threads=1",
        ] {
            assert!(!is_idle(list), "{list}");
        }
    }

    #[test]
    fn a_bad_template_is_explained() {
        let error = |word: &str| parse(&[word]).unwrap_err().to_string();
        assert_eq!(
            error("--view=a=%{white}/%{colour}"),
            "option 'view': 'a=%{white}/%{colour}' is not a view: character 10 of the template: unknown field 'colour'; \
             the fields are player, opponent, white, black, event, tournament, event-year, date, year, month, day, eco, \
             result, number and tag:NAME"
        );
        assert!(
            error("--view=players=%{white}")
                .ends_with("is not a view: its name is already used; choose another")
        );
        assert!(error("--name=%{white}").contains("character 9 of the template: a name must end with"));
        assert!(error("--only=[a").contains("is not a pattern: "));
    }
}
