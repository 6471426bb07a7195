//! Recognizes file systems that do not report every change.

use std::path::Path;

/// Magic numbers of `statfs`, and common names.
const NETWORK: [(u32, &str); 17] = [
    (0x0000_6969, "NFS"),
    (0x0000_517b, "SMB"),
    (0xff53_4d42, "CIFS"),
    (0xfe53_4d42, "SMB"),
    (0x0bd0_0bd0, "Lustre"),
    (0x4750_4653, "GPFS"),
    (0x1983_0326, "BeeGFS"),
    (0x00c3_6400, "Ceph"),
    (0x6573_5546, "FUSE"),
    (0x0102_1997, "9P"),
    (0x5346_414f, "AFS"),
    (0x6b41_4653, "AFS"),
    (0xaad7_aaea, "PanFS"),
    (0x0116_1970, "GFS2"),
    (0x7461_636f, "OCFS2"),
    (0x794c_7630, "overlay"),
    (0x786f_4256, "vboxsf"),
];

/// Returns the file system of a folder, if other machines or layers may write to it unnoticed.
pub(super) fn network(folder: &Path) -> Option<&'static str> {
    let facts = rustix::fs::statfs(folder).ok()?;
    // The kernel's magic numbers have 32 bits; the field is wider on some machines, and signed.
    named(facts.f_type as u32)
}

fn named(magic: u32) -> Option<&'static str> {
    NETWORK.iter().find(|(known, _)| *known == magic).map(|(_, name)| *name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_shared_file_systems_are_named() {
        assert_eq!(named(0x6969), Some("NFS"));
        assert_eq!(named(0xff53_4d42), Some("CIFS"));
        assert_eq!(named(0xef53), None, "ext4 reports every change");
        assert_eq!(named(0x0102_1994), None, "so does tmpfs");
    }
}
