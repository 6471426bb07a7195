//! What stands where a file should be.

use std::fmt;

use rustix::fs::{FileType, RawMode};

/// What is no regular file, or none of a disk.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum InputKind {
    Folder,
    /// A named pipe: reading it would wait for a writer.
    Pipe,
    Socket,
    /// A device: it may have no end, and looking into it may have effects.
    Device,
    /// A file that the kernel makes up while it is read, as in `/proc` and `/sys`.
    Kernel,
}

impl InputKind {
    /// What a mode stands for; none for a regular file or a link.
    pub(super) fn of(mode: RawMode) -> Option<Self> {
        match FileType::from_raw_mode(mode) {
            FileType::RegularFile | FileType::Symlink => None,
            FileType::Directory => Some(Self::Folder),
            FileType::Fifo => Some(Self::Pipe),
            FileType::Socket => Some(Self::Socket),
            FileType::CharacterDevice | FileType::BlockDevice | FileType::Unknown => Some(Self::Device),
        }
    }
}

impl fmt::Display for InputKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Folder => "a folder",
            Self::Pipe => "a named pipe",
            Self::Socket => "a socket",
            Self::Device => "a device",
            Self::Kernel => "a file of the kernel's own making",
        })
    }
}

/// File systems whose regular files are made up by the kernel, by the number that `statfs` has for them: proc, sysfs,
/// debugfs, tracefs, securityfs, cgroup, cgroup2, configfs, efivarfs, pstore, bpf, selinuxfs.
const MADE_UP: [u64; 12] = [
    0x9fa0,
    0x6265_6572,
    0x6462_6720,
    0x7472_6163,
    0x7363_6673,
    0x0027_e0eb,
    0x6367_7270,
    0x6265_6570,
    0xde5e_81e4,
    0x6165_676c,
    0xcafe_4a11,
    0xf97c_ff8c,
];

/// Whether the files of a file system are made up by the kernel.
pub(super) fn is_made_up(magic: u64) -> bool {
    // The number is 32 bits wide, and signed on some machines.
    MADE_UP.contains(&(magic & 0xffff_ffff))
}
