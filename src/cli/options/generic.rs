//! The generic options of mount(8). They have no effect here: the mount is read-only, without devices and programs.

#[rustfmt::skip]
const GENERIC: &[&str] = &[
    "defaults", "ro", "rw", "dev", "nodev", "suid", "nosuid", "exec", "noexec", "nosymfollow",
    "atime", "noatime", "diratime", "nodiratime", "relatime", "norelatime", "strictatime", "nostrictatime",
    "lazytime", "nolazytime", "iversion", "noiversion", "mand", "nomand",
    "async", "sync", "dirsync", "silent", "loud",
    "auto", "noauto", "user", "nouser", "users", "nousers", "owner", "noowner", "group", "nogroup",
    "nofail", "_netdev", "comment",
];

/// True for options that mount(8) and /etc/fstab may pass to any file system.
pub fn is_generic(name: &str) -> bool {
    GENERIC.contains(&name) || name.starts_with("x-") || name.starts_with("X-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_documented() {
        let page = include_str!("../../../docs/install.md");
        for name in GENERIC {
            assert!(page.contains(&format!("`{name}`")), "{name}");
        }
    }
}
