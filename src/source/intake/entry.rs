//! A file as it was found: its name, its kind, and its bytes, which are read when needed.

use std::path::PathBuf;

use super::SchedLogSource;
use super::encoding;
use super::kind::{ContainerFormat, HEAD, IntakeKind, kind_of};
use super::slot::base;
use crate::archive::{DiagnosticTree, TreeFileRole};
use crate::bounds::ReadLimits;
use crate::files::{KNOWN, read_whole};
use qscope_engine::cluster::Epoch;

/// Maximum size in bytes of a scheduler log taken from an archive.
const LARGEST_LOG: usize = 256 << 20;

/// Location of the bytes.
#[derive(Clone, Debug)]
pub(crate) enum EntryBody {
    Content(Vec<u8>),
    File(PathBuf),
}

/// An input file.
#[derive(Clone, Debug)]
pub(crate) struct InputEntry {
    /// Name for users: its path below the folder, or within the archive.
    pub(crate) display_name: String,
    pub(crate) kind: IntakeKind,
    /// Its first bytes.
    pub(crate) head: Vec<u8>,
    /// Its bytes, or the file that contains them.
    body: EntryBody,
    /// Modification time.
    pub(crate) modified: Option<Epoch>,
    /// Whether it is truncated.
    pub(crate) is_cut: bool,
    /// Whether it is assigned to an input, or was reported as unused.
    pub(super) is_used: bool,
}

impl InputEntry {
    /// Creates an entry whose bytes are in memory.
    pub(crate) fn from_bytes(shown: &str, bytes: Vec<u8>, modified: Option<Epoch>) -> Self {
        let bytes = encoding::native(bytes);
        let head = bytes.get(..HEAD).unwrap_or(&bytes).to_vec();
        Self::new(shown, head, EntryBody::Content(bytes), modified)
    }

    /// Creates an entry for a file of which only the first bytes were read.
    pub(crate) fn at(shown: &str, head: Vec<u8>, path: PathBuf, modified: Option<Epoch>) -> Self {
        Self::new(shown, encoding::native(head), EntryBody::File(path), modified)
    }

    fn new(shown: &str, head: Vec<u8>, body: EntryBody, modified: Option<Epoch>) -> Self {
        let kind = kind_of(&head, base(shown));
        Self { display_name: shown.to_owned(), kind, head, body, modified, is_cut: false, is_used: false }
    }

    pub(super) fn places(&self, tree: &DiagnosticTree) -> Vec<TreeFileRole> {
        tree.places(&format!("{}{}", tree.root, self.display_name))
    }

    /// Returns the last component of its name.
    pub(crate) fn base(&self) -> &str {
        base(&self.display_name)
    }

    /// Whether it contains nothing but blanks.
    pub(crate) fn is_empty(&self) -> bool {
        self.kind == IntakeKind::Empty
    }

    /// Returns the loader's name of a dump, or of a file of the scheduler, that is compressed individually.
    pub(super) fn compressed_dump(&self) -> Option<&str> {
        self.named_compressed().filter(|_| self.kind == IntakeKind::Container(ContainerFormat::Gzip))
    }

    /// Returns why a file named as a compressed dump is neither that nor a plain dump; `None` for other files.
    pub(super) fn unlike_its_name(&self) -> Option<&'static str> {
        self.named_compressed()?;
        match self.kind {
            IntakeKind::Container(_) | IntakeKind::Dump { .. } => None,
            IntakeKind::Empty => Some("it is empty"),
            _ => Some("it is not compressed"),
        }
    }

    /// Returns the loader's name of a file with the suffix of compressed files.
    fn named_compressed(&self) -> Option<&str> {
        name_of_compressed(&self.display_name)
    }

    /// Takes all its bytes out of the entry; a script, which may be used for several inputs, is copied.
    ///
    /// # Errors
    /// The reason why it cannot be read.
    pub(crate) fn take(&mut self, bounds: ReadLimits) -> Result<Vec<u8>, String> {
        self.bytes(bounds)?;
        let is_shared = self.kind == IntakeKind::Script;
        Ok(match &mut self.body {
            EntryBody::Content(bytes) if is_shared => bytes.clone(),
            EntryBody::Content(bytes) => std::mem::take(bytes),
            EntryBody::File(_) => Vec::new(),
        })
    }

    /// Returns its path, if its bytes are not in memory.
    pub(crate) fn path(&self) -> Option<&std::path::Path> {
        match &self.body {
            EntryBody::File(path) => Some(path),
            EntryBody::Content(_) => None,
        }
    }

    /// Returns all its bytes, reading them if needed.
    ///
    /// # Errors
    /// The reason why it cannot be read.
    pub(crate) fn bytes(&mut self, bounds: ReadLimits) -> Result<&[u8], String> {
        if let EntryBody::File(path) = &self.body {
            let (bytes, _, _) = read_whole(path, bounds).map_err(|why| why.to_string())?;
            self.body = EntryBody::Content(encoding::native(bytes));
        }
        match &self.body {
            EntryBody::Content(bytes) => Ok(bytes),
            EntryBody::File(_) => Err("not read".to_owned()),
        }
    }
}

/// Returns the name under which the loader reads a file once it is unpacked; `None` for a name without the suffix of
/// compressed files, or that the loader does not know.
pub(super) fn name_of_compressed(name: &str) -> Option<&str> {
    name.strip_suffix(".gz").filter(|stem| KNOWN.contains(stem))
}

impl InputEntry {
    /// Returns a log, by its path or its bytes.
    pub(super) fn log(&mut self, limits: ReadLimits) -> Option<SchedLogSource> {
        if let Some(path) = self.path() {
            return Some(SchedLogSource::File(path.to_owned()));
        }
        let bytes = self.bytes(limits).ok()?;
        (bytes.len() <= LARGEST_LOG).then(|| SchedLogSource::Content(bytes.to_vec()))
    }
}
