//! Symbolic links.

use super::kernel::{GETATTR, Kernel, LOOKUP, NO_OPEN, READLINK, terminated, u32_at, u64_at};
#[path = "../../../crates/pgnfs-server/tests/served/fs/steps.rs"]
mod steps;
use testkit::fake::{Fake, game};

const EINVAL: i32 = 22;

/// Offsets of size and mode after the inode in a reply to LOOKUP.
const SIZE: usize = 40 + 8;
const MODE: usize = 40 + 60;

#[test]
fn a_link_is_looked_up_and_read() {
    let fake = Fake::of([game("White", "Black")]);
    let mut kernel = Kernel::mount_with(vec![fake.at("")], NO_OPEN, steps::options());
    let found = kernel.look_up("steps/left/right/home");
    let link = u64_at(&found.bytes, 0);
    assert_eq!(u32_at(&found.bytes, MODE), 0o120_777);
    assert_eq!(u64_at(&found.bytes, SIZE), 5);
    let target = kernel.ask(READLINK, link, &[]);
    assert_eq!((target.error, &target.bytes[..]), (0, &b"../.."[..]));
    assert_eq!(kernel.ask(GETATTR, link, &[0; 16]).error, 0);
    let steps = u64_at(&kernel.look_up("steps").bytes, 0);
    assert_eq!(kernel.ask(READLINK, steps, &[]).error, EINVAL);
    let below = kernel.ask(LOOKUP, link, &terminated("x"));
    assert_ne!(below.error, 0);
}
