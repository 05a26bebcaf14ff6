//! The options of `mount` alone.

use super::row::{OWNERS, OptionRow, SHOW};
use super::values;

pub(super) static ROWS: &[OptionRow] = &[
    OptionRow {
        name: "xattr",
        heading: SHOW,
        short: "Shows tags as extended attributes",
        value: "",
        help: "Shows tags as extended attributes (getfattr -d); makes ls -l slower",
        repeats: false,
        set: |settings, _| {
            settings.xattr = true;
            Ok(())
        },
    },
    OptionRow {
        name: "uid",
        heading: OWNERS,
        short: "",
        value: "NUMBER",
        help: "Owner of all files [default: the user who mounts]",
        repeats: false,
        set: |settings, value| {
            settings.uid = Some(values::id(value).ok_or("a user ID")?);
            Ok(())
        },
    },
    OptionRow {
        name: "gid",
        heading: OWNERS,
        short: "",
        value: "NUMBER",
        help: "Group of all files [default: the group of the user who mounts]",
        repeats: false,
        set: |settings, value| {
            settings.gid = Some(values::id(value).ok_or("a group ID")?);
            Ok(())
        },
    },
    OptionRow {
        name: "umask",
        heading: OWNERS,
        short: "Permissions to remove, such as 077",
        value: "OCTAL",
        help: "Permissions to remove from 0444 and 0555, such as 077 [default: 000]",
        repeats: false,
        set: |settings, value| {
            let umask = u16::from_str_radix(value, 8).ok().filter(|umask| *umask <= 0o777);
            settings.umask = umask.ok_or("an octal number such as 022")?;
            Ok(())
        },
    },
    OptionRow {
        name: "allow_other",
        heading: OWNERS,
        short: "Lets other users access the mount",
        value: "",
        help: "Lets other users access the mount, as far as permissions allow",
        repeats: false,
        set: |settings, _| {
            settings.allow_other = true;
            // Without this, the umask would have no effect for other users.
            settings.default_permissions = true;
            Ok(())
        },
    },
    OptionRow {
        name: "default_permissions",
        heading: OWNERS,
        short: "",
        value: "",
        help: "Lets the kernel check permissions; implied by allow_other",
        repeats: false,
        set: |settings, _| {
            settings.default_permissions = true;
            Ok(())
        },
    },
];
