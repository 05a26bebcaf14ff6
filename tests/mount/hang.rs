//! A source part of which does not answer.

use std::fs;
use std::thread;

use crate::common::hanging::{Hanging, Operation};
use crate::scratch::{can_mount, wait_for};

#[test]
fn the_file_system_of_these_tests_hangs_and_recovers() {
    if !can_mount() {
        return;
    }
    let scratch = tempfile::tempdir().unwrap();
    let (folder, point) = (scratch.path().join("folder"), scratch.path().join("point"));
    fs::create_dir_all(folder.join("sub")).unwrap();
    fs::create_dir(&point).unwrap();
    fs::write(folder.join("sub/file"), "contents").unwrap();
    let hanging = Hanging::mount(&folder, &point);
    let file = point.join("sub/file");
    assert_eq!(fs::read(&file).unwrap(), b"contents");
    let names: Vec<_> = fs::read_dir(&point)
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert_eq!(names, ["sub"]);

    for operation in [
        Operation::LookUp,
        Operation::Attributes,
        Operation::Open,
        Operation::Read,
    ] {
        hanging.hang(&[operation]);
        thread::scope(|scope| {
            let reader = scope.spawn(|| fs::read(&file).unwrap());
            wait_for("a request that hangs", || hanging.waiting(operation) > 0);
            assert!(!reader.is_finished());
            hanging.recover();
            assert_eq!(reader.join().unwrap(), b"contents");
        });
    }
    hanging.fail(&[Operation::Open]);
    assert_eq!(fs::read(&file).unwrap_err().raw_os_error(), Some(libc::EIO));
    hanging.recover();
    hanging.pretend_size(Some(1 << 45));
    assert_eq!(fs::metadata(&file).unwrap().len(), 1 << 45);
    let open = fs::File::open(&file).unwrap();
    drop(hanging);
    assert_eq!(fs::read_dir(&point).unwrap().count(), 0);
    drop(open);
}
