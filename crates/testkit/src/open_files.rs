//! Files that a process has open.

use std::fs;
use std::path::Path;

/// The files of a folder that are deleted and that a process still has open or mapped.
pub fn deleted_files(process: u32, folder: &Path) -> Vec<String> {
    let descriptors = fs::read_dir(format!("/proc/{process}/fd")).unwrap();
    // A file that is closed meanwhile has no link any more.
    let open = descriptors.filter_map(|descriptor| fs::read_link(descriptor.unwrap().path()).ok());
    let mut files: Vec<String> = open.map(|link| link.to_string_lossy().into_owned()).collect();
    let maps = fs::read_to_string(format!("/proc/{process}/maps")).unwrap();
    files.extend(
        maps.lines()
            .filter_map(|line| Some(line[line.find('/')?..].to_owned())),
    );
    files.retain(|file| file.ends_with(" (deleted)") && Path::new(file).starts_with(folder));
    files
}
