//! Files that a command wrote into a folder: a later call replaces and removes these, and no others.

use std::io;

use super::{Folder, FolderError, FolderRefusal, SizeLimit};

/// Name of the file that lists the files that a command wrote, one name per line.
const LIST: &str = ".qscope.files";

/// Maximum size of that list.
const LIST_BYTES: SizeLimit = SizeLimit { limit: "file-size", bytes: 1 << 20 };

impl Folder {
    /// Fills the folder with these files; those that a former call wrote, and that are not among them, are removed.
    ///
    /// # Errors
    /// If the folder holds another file, or cannot be written.
    pub fn fill(&self, files: &[(&str, &[u8])]) -> Result<(), FolderError> {
        let fail = |name: &str, why: io::Error| FolderError { folder: self.path.join(name), why: why.into() };
        let former = self.read(LIST, LIST_BYTES).unwrap_or_default();
        let former = String::from_utf8_lossy(&former);
        let former: Vec<&str> = former.lines().filter(|name| !name.contains('/')).collect();
        let names = self.names().map_err(|why| fail("", why))?;
        if let Some(other) = names.into_iter().find(|name| !former.contains(&name.as_str())) {
            return Err(FolderError {
                folder: self.path.clone(),
                why: FolderRefusal::Filled { name: other },
            });
        }
        let list = |names: &[&str]| {
            let text: String = names.iter().flat_map(|name| [*name, "\n"]).collect();
            self.put(LIST, text.as_bytes()).map_err(|why| fail(LIST, why))
        };
        let written: Vec<&str> = files.iter().map(|(name, _)| *name).collect();
        // Complete even if this call is interrupted.
        list(&[&former[..], &written[..]].concat())?;
        for stale in former.iter().filter(|name| !written.contains(name)) {
            self.remove(stale).map_err(|why| fail(stale, why))?;
        }
        for (name, bytes) in files {
            self.put(name, bytes).map_err(|why| fail(name, why))?;
        }
        list(&written)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn only_files_of_a_former_call_are_replaced_and_removed() {
        let home = tempfile::tempdir().unwrap();
        let at = home.path().join("new");
        let folder = Folder::private(&at).unwrap();
        folder.fill(&[("a", b"1"), ("b", b"1")]).unwrap();
        folder.fill(&[("b", b"2"), ("c", b"2")]).unwrap();
        assert_eq!(folder.names().unwrap(), ["b", "c"]);
        assert_eq!(fs::read(at.join("b")).unwrap(), b"2");
        fs::write(at.join("nodes.json"), "{}").unwrap();
        let why = folder.fill(&[("d", b"3")]).unwrap_err().why;
        assert!(matches!(&why, FolderRefusal::Filled { name } if name == "nodes.json"), "{why}");
        assert_eq!(folder.names().unwrap(), ["b", "c", "nodes.json"]);
    }
}
