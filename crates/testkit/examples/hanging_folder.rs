//! Shows a folder that can be made not to answer: `hanging_folder FOLDER POINT`.
//!
//! Each line of the input is a command, which is answered with a line: `hang OPERATION...`, `fail OPERATION...`,
//! `size BYTES` or `recover`. The folder is unmounted at the end of the input.

use std::error::Error;
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use testkit::hanging::{Hanging, Operation};

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("hanging_folder: {error}");
            ExitCode::from(2)
        }
    }
}

fn run() -> Result<(), Box<dyn Error>> {
    let paths: Vec<String> = std::env::args().skip(1).collect();
    let [folder, point] = &paths[..] else {
        return Err("usage: hanging_folder FOLDER POINT".into());
    };
    let hanging = Hanging::mount(Path::new(folder), Path::new(point));
    for line in io::stdin().lines() {
        obey(&hanging, &line?)?;
        println!("done");
        io::stdout().flush()?;
    }
    Ok(())
}

fn obey(hanging: &Hanging, line: &str) -> Result<(), Box<dyn Error>> {
    let words: Vec<&str> = line.split_whitespace().collect();
    match &words[..] {
        ["hang", names @ ..] => hanging.hang(&operations(names)?),
        ["fail", names @ ..] => hanging.fail(&operations(names)?),
        ["size", bytes] => hanging.pretend_size(Some(bytes.parse()?)),
        ["recover"] => hanging.recover(),
        _ => return Err(format!("unknown command '{line}'").into()),
    }
    Ok(())
}

/// The operations with these names: `lookup`, `attributes`, `open`, `read`, `list` and `flush`.
fn operations(names: &[&str]) -> Result<Vec<Operation>, String> {
    let named = |name: &&str| {
        let operation = Operation::ALL
            .into_iter()
            .find(|operation| format!("{operation:?}").eq_ignore_ascii_case(name));
        operation.ok_or_else(|| format!("unknown operation '{name}'"))
    };
    names.iter().map(named).collect()
}
