//! Determines what a file is by its content; the name decides if the content is ambiguous.

mod json_head;
mod lines;
mod native;
mod signs;
mod table;

use crate::record::DumpKind;

pub(crate) use self::lines::{is_attribute, is_node};
pub(crate) use self::native::NativeFileKind;
pub(crate) use self::signs::{daemon_head, is_noise, syslog};
pub(crate) use self::table::ClientTable;

/// Number of bytes of a file that are examined.
pub(crate) const HEAD: usize = 64 << 10;

/// Kind of a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum IntakeKind {
    /// Output of a client about objects of one kind.
    Dump {
        /// Kind of the objects.
        of: DumpKind,
        form: DumpNotation,
        /// Batch system of the client.
        system: DumpDialect,
    },
    /// A JSON answer without objects, whose kind only the name shows.
    EmptyAnswer,
    /// `pbsnodes -S -F json`, or `-S -F dsv`.
    ShortNodes,
    /// A script of `qmgr`, as `print server` writes it.
    Script,
    /// The short table of a client.
    Table(ClientTable),
    /// An archive or a compressed file.
    Container(ContainerFormat),
    Log(Daemon),
    Accounting,
    /// A file of LSF, with its name there.
    Lsf(&'static str),
    /// A workload in the standard workload format.
    Swf,
    /// A file of the scheduler, the server or the site.
    Native(NativeFileKind),
    /// A file of another system, with its description.
    Foreign(&'static str),
    /// Only error messages of a client.
    Failed,
    /// Empty or blank.
    Empty,
    /// None of these.
    Unknown,
}

/// Notation of objects.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum DumpNotation {
    Json,
    /// The default output of clients, and of `qmgr list`.
    Text,
    /// Torque's `-x`.
    Xml,
    /// `-F dsv`.
    Dsv,
}

/// Batch system of the objects.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum DumpDialect {
    /// PBS Pro or OpenPBS.
    #[default]
    Pbs,
    Torque,
}

/// A file that must be unpacked first.
#[derive(Clone, Copy, PartialEq, Eq, Debug, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub(crate) enum ContainerFormat {
    Gzip,
    /// tar.
    Tar,
    /// bzip2, not read.
    Bzip2,
    /// xz, not read.
    Xz,
    /// zstd, not read.
    Zstd,
    /// zip, not read.
    Zip,
}

/// The daemon that wrote a log.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Daemon {
    Scheduler,
    Server,
    /// A host's daemon.
    Mom,
    /// The communication daemon.
    Comm,
}

impl ContainerFormat {
    /// Detects a container by its first bytes (sites 1.1); a tar without `ustar` by its header checksum.
    pub(crate) fn of(bytes: &[u8]) -> Option<Self> {
        let magic: [(&[u8], Self); 5] = [
            (b"\x1f\x8b", Self::Gzip),
            (b"BZh", Self::Bzip2),
            (b"\xfd7zXZ\0", Self::Xz),
            (b"\x28\xb5\x2f\xfd", Self::Zstd),
            (b"PK\x03\x04", Self::Zip),
        ];
        let found = magic.iter().find(|(start, _)| bytes.starts_with(start)).map(|(_, container)| *container);
        found.or_else(|| is_tar(bytes).then_some(Self::Tar))
    }

    /// Returns its name.
    pub(crate) fn word(self) -> &'static str {
        self.into()
    }
}

/// Whether the first block is a tar header: the checksum is the sum of its bytes, its own field counted as blanks.
fn is_tar(bytes: &[u8]) -> bool {
    let Some(block) = bytes.get(..512) else { return false };
    if block.get(257..262) == Some(b"ustar") {
        return true;
    }
    let field = block.get(148..156).unwrap_or_default();
    let digits = field.split(|byte| !byte.is_ascii_digit()).find(|digits| !digits.is_empty());
    let stated = digits.and_then(|digits| std::str::from_utf8(digits).ok());
    let Some(stated) = stated.and_then(|digits| u32::from_str_radix(digits, 8).ok()) else { return false };
    let own: u32 = field.iter().map(|byte| u32::from(*byte)).sum();
    let all: u32 = block.iter().map(|byte| u32::from(*byte)).sum();
    block.first().is_some_and(|first| *first != 0) && all - own + 8 * u32::from(b' ') == stated
}

impl IntakeKind {
    /// Returns the kind in words, for the list of recognized files.
    pub(crate) fn words(self) -> String {
        match self {
            Self::Dump { of, form, system } => {
                let whose = if system == DumpDialect::Torque { "Torque's " } else { "" };
                let form = match form {
                    DumpNotation::Json => "JSON",
                    DumpNotation::Text => "text",
                    DumpNotation::Xml => "XML",
                    DumpNotation::Dsv => "dsv",
                };
                format!("{whose}{} in {form}", of.object_words())
            }
            Self::EmptyAnswer => "an empty answer in JSON".to_owned(),
            Self::ShortNodes => "the short form of `pbsnodes -S`".to_owned(),
            Self::Script => "a qmgr script".to_owned(),
            Self::Table(table) => table.words().to_owned(),
            Self::Container(container) => container.word().to_owned(),
            Self::Log(daemon) => daemon.words().to_owned(),
            Self::Accounting => "an accounting log".to_owned(),
            Self::Lsf(name) => format!("{name} of LSF"),
            Self::Swf => "a workload in SWF".to_owned(),
            Self::Native(native) => native.file().to_owned(),
            Self::Foreign(what) => what.to_owned(),
            Self::Failed => "complaints of a client".to_owned(),
            Self::Empty => "an empty file".to_owned(),
            Self::Unknown => "not recognised".to_owned(),
        }
    }
}

impl Daemon {
    fn words(self) -> &'static str {
        match self {
            Self::Scheduler => "a log of the scheduler",
            Self::Server => "a log of the server",
            Self::Mom => "a log of a host's daemon",
            Self::Comm => "a log of the communication daemon",
        }
    }
}

/// Returns the kind of a file, by its first bytes (as many as [`HEAD`]) and its name (sites 2.2).
pub(crate) fn kind_of(head: &[u8], name: &str) -> IntakeKind {
    let head = head.get(..HEAD).unwrap_or(head);
    if let Some(container) = ContainerFormat::of(head) {
        return IntakeKind::Container(container);
    }
    if head.starts_with(b"PBS_MAG!\0") {
        return IntakeKind::Native(NativeFileKind::Usage);
    }
    let text = super::encoding::plain(head);
    if text.trim_ascii().is_empty() {
        return IntakeKind::Empty;
    }
    let kind = lines::kind(&text, name);
    if kind == IntakeKind::Unknown
        && let Some(moved) = super::margin::removed(None, &text)
        && let dump @ IntakeKind::Dump { .. } = lines::kind(&moved.bytes, name)
    {
        return dump;
    }
    kind
}

#[cfg(test)]
mod tests;
