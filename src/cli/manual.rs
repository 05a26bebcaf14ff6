//! Man pages, generated from the commands and options, and scripts of shells.

use std::io::{self, Write};

use clap::{Arg, ArgAction, Command};
use clap_mangen::Man;
use clap_mangen::roff::{Roff, bold, roman};

use super::arguments;
use super::completion::SCRIPTS;
use super::options::{self, Scope};
use super::pages::{
    ABOUT, HELPER_ABOUT, HELPER_PARTS, OPENER_ABOUT, OPENER_PARTS, PARTS, PageItem, PageSection,
};

/// What can be generated.
pub const KINDS: [&str; 6] = ["pgnfs.1", "pgnfs-open.1", "mount.pgnfs.8", "bash", "zsh", "fish"];

/// Writes one of [`KINDS`].
///
/// # Errors
/// If it cannot be written.
pub fn write(kind: &str, out: &mut impl Write) -> io::Result<()> {
    let text = match kind {
        "pgnfs.1" => program_page()?,
        "pgnfs-open.1" => opener_page()?,
        "mount.pgnfs.8" => helper_page()?,
        shell => {
            let script = SCRIPTS.iter().find(|(name, _)| *name == shell);
            script.map_or("", |(_, script)| script).into()
        }
    };
    out.write_all(&text)?;
    out.flush()
}

fn program_page() -> io::Result<Vec<u8>> {
    let mut program = arguments::pgnfs();
    program.build();
    let commands: Vec<&Command> = program.get_subcommands().collect();
    let usages: Vec<String> = commands.iter().map(|command| usage(command)).collect();
    let [of_games, of_search, of_serve] = [Scope::Games, Scope::Search, Scope::Serve].map(options::arguments);
    let is_in = |all: &[Arg], arg: &Arg| all.iter().any(|other| other.get_id() == arg.get_id());
    let arguments = options::arguments(Scope::Mount).into_iter().map(|arg| {
        let heading = if is_in(&of_games, &arg) {
            "Options of mount, serve, export, find, check and info"
        } else if is_in(&of_search, &arg) {
            "Options of mount, serve, export and find"
        } else if is_in(&of_serve, &arg) {
            "Options of mount and serve"
        } else {
            "Options of mount"
        };
        arg.help_heading(heading)
    });
    let page = Command::new("pgnfs")
        .about(ABOUT)
        .override_usage(usages.join("\n"))
        .disable_help_flag(true)
        .args(FLAGS.map(flag))
        .args(arguments);
    let page = Man::new(page);
    let mut text = title("PGNFS", 1);
    page.render_name_section(&mut text)?;
    page.render_synopsis_section(&mut text)?;
    let (description, rest) = PARTS.split_at(1);
    sections(description).to_writer(&mut text)?;
    let mut listed = Roff::new();
    listed.control("SH", ["COMMANDS"]);
    for (command, usage) in commands.into_iter().zip(usages) {
        describe(&mut listed, command, &usage);
    }
    listed.to_writer(&mut text)?;
    page.render_options_section(&mut text)?;
    sections(rest).to_writer(&mut text)?;
    Ok(text)
}

/// The flags that clap adds by itself.
const FLAGS: [(char, &str, &str); 2] = [
    (
        'h',
        "help",
        "Shows the options of a command, or all commands if none is named",
    ),
    ('V', "version", "Shows the version, if no command is named"),
];

fn flag((short, long, help): (char, &'static str, &'static str)) -> Arg {
    let arg = Arg::new(long).short(short).long(long);
    arg.action(ArgAction::SetTrue).help(help)
}

/// The first line of a page. It needs an empty date, which the crate omits.
fn title(name: &str, section: u8) -> Vec<u8> {
    let version = env!("CARGO_PKG_VERSION");
    format!(".TH {name} {section} \"\" \"pgnfs {version}\" \"Chess databases\"\n").into_bytes()
}

/// Describes a command and its own arguments.
fn describe(roff: &mut Roff, command: &Command, usage: &str) {
    let about = command.get_about().map(ToString::to_string).unwrap_or_default();
    let (first, others) = usage.split_once('\n').unwrap_or((usage, ""));
    roff.control("TP", []).text([bold(first)]);
    for other in others.lines() {
        roff.control("TQ", []).text([bold(other.trim())]);
    }
    roff.text([roman(about)]);
    let known = options::arguments(Scope::Mount);
    let is_own = |arg: &&Arg| {
        let is_shared = known.iter().any(|other| other.get_id() == arg.get_id());
        !is_shared && arg.get_id() != "help"
    };
    let mut own = command.get_arguments().filter(is_own).peekable();
    if own.peek().is_none() {
        return;
    }
    roff.control("RS", []);
    for arg in own {
        let spellings = [
            arg.get_short().map(|short| format!("-{short}")),
            arg.get_long().map(|long| format!("--{long}")),
        ];
        let mut spelled = spellings.into_iter().flatten().collect::<Vec<_>>().join(", ");
        if arg.is_positional() {
            spelled = arg.get_id().to_string();
        } else if let (true, Some(values)) = (arg.get_action().takes_values(), arg.get_value_names()) {
            spelled = format!("{spelled} {}", values.join(" "));
        }
        let values: Vec<String> = arg
            .get_possible_values()
            .iter()
            .map(|value| value.get_name().to_owned())
            .collect();
        let defaults = arg.get_default_values().iter();
        let defaults: Vec<_> = defaults.map(|value| value.to_string_lossy()).collect();
        let mut text = help(arg);
        if arg.get_action().takes_values() && !values.is_empty() {
            text += &format!(" ({})", values.join(", "));
            if !defaults.is_empty() {
                text += &format!(" [default: {}]", defaults.join(", "));
            }
        }
        term(roff, &spelled, &text);
    }
    roff.control("RE", []);
}

fn opener_page() -> io::Result<Vec<u8>> {
    let page = Command::new("pgnfs-open")
        .about(OPENER_ABOUT)
        .override_usage("pgnfs-open [--unmount] FILE");
    let page = Man::new(page);
    let mut text = title("PGNFS-OPEN", 1);
    page.render_name_section(&mut text)?;
    page.render_synopsis_section(&mut text)?;
    sections(OPENER_PARTS).to_writer(&mut text)?;
    Ok(text)
}

fn helper_page() -> io::Result<Vec<u8>> {
    let page = Command::new("mount.pgnfs").about(HELPER_ABOUT).override_usage(
        "mount -t pgnfs [-o OPTIONS] SOURCE MOUNTPOINT\n\
             mount.pgnfs SOURCE MOUNTPOINT [-sfnv] [-o OPTIONS]",
    );
    let page = Man::new(page);
    let mut text = title("MOUNT.PGNFS", 8);
    page.render_name_section(&mut text)?;
    page.render_synopsis_section(&mut text)?;
    let (description, rest) = HELPER_PARTS.split_at(1);
    sections(description).to_writer(&mut text)?;
    let mut listed = Roff::new();
    listed.control("SH", ["OPTIONS"]);
    for arg in options::arguments(Scope::Mount)
        .iter()
        .filter(|arg| arg.get_id() != "o")
    {
        let name = arg.get_id().as_str();
        let spelled = match (arg.get_action().takes_values(), arg.get_value_names()) {
            (true, Some(values)) => format!("{name}={}", values.join(" ")),
            _ => name.to_owned(),
        };
        term(&mut listed, &spelled, &help(arg));
    }
    listed.to_writer(&mut text)?;
    sections(rest).to_writer(&mut text)?;
    Ok(text)
}

/// `pgnfs mount [OPTIONS] SOURCE MOUNTPOINT`.
fn usage(command: &Command) -> String {
    let usage = command.clone().render_usage().to_string();
    usage.trim_start_matches("Usage: ").replace(['<', '>'], "")
}

fn help(arg: &Arg) -> String {
    arg.get_long_help()
        .or(arg.get_help())
        .map(ToString::to_string)
        .unwrap_or_default()
}

fn sections(sections: &[PageSection]) -> Roff {
    let mut roff = Roff::new();
    for (title, parts) in sections {
        roff.control("SH", [*title]);
        for (n, part) in parts.iter().enumerate() {
            if n > 0 && !matches!(part, PageItem::Term(..)) {
                roff.control("PP", []);
            }
            match part {
                PageItem::Text(text) => {
                    roff.text([roman(*text)]);
                }
                PageItem::Term(name, text) => term(&mut roff, name, text),
                PageItem::Code(lines) => {
                    roff.control("RS", ["4"]).control("nf", []);
                    for line in *lines {
                        roff.text([roman(*line)]);
                    }
                    roff.control("fi", []).control("RE", []);
                }
            }
        }
    }
    roff
}

fn term(roff: &mut Roff, name: &str, text: &str) {
    roff.control("TP", []).text([bold(name)]).text([roman(text)]);
}
