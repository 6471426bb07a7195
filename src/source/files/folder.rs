//! The files of a folder.

use std::fs;
use std::path::Path;

use super::reading::read_file;
use super::{Files, KNOWN};
use crate::SourceError;
use crate::bounds::ReadLimits;

impl Files {
    /// Creates an empty set of files for the cluster in this folder.
    pub(crate) fn titled_after(folder: &Path) -> Self {
        let absolute = folder.canonicalize().unwrap_or_else(|_| folder.to_path_buf());
        let title = absolute
            .file_name()
            .map_or_else(|| absolute.display().to_string(), |n| n.to_string_lossy().into_owned());
        Self::new(&title)
    }

    /// Reads every file of a folder that has a known name.
    ///
    /// # Errors
    /// If the folder cannot be listed. A file that cannot be read is stored as unreadable.
    pub fn from_folder(folder: &Path) -> Result<Self, SourceError> {
        Self::from_folder_within(folder, ReadLimits::default())
    }

    /// Like [`Self::from_folder`], with given limits.
    pub fn from_folder_within(folder: &Path, limits: ReadLimits) -> Result<Self, SourceError> {
        let fail = |cause| SourceError::Folder { folder: folder.display().to_string(), cause };
        let listed = fs::read_dir(folder).map_err(fail)?;
        let mut files = Self::titled_after(folder).within(limits);
        let entries: Vec<fs::DirEntry> = listed.collect::<Result<_, _>>().map_err(fail)?;
        let is_known =
            |entry: &&fs::DirEntry| entry.file_name().to_str().is_some_and(|name| KNOWN.contains(&name));
        let known = entries.iter().filter(is_known).filter_map(|entry| fs::metadata(entry.path()).ok());
        crate::need::check_bytes(known.filter(fs::Metadata::is_file).map(|about| about.len()).sum())?;
        for entry in entries {
            if let Some(name) = entry.file_name().to_str().filter(|name| KNOWN.contains(name)) {
                files.entries.insert(name.to_owned(), read_file(&entry.path(), limits));
            }
        }
        crate::intake::complete(&mut files, folder)?;
        Ok(files)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_known_names_are_opened() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("nodes.txt"), "n1\n").unwrap();
        std::fs::write(folder.path().join("notes.md"), "x").unwrap();
        let files = Files::from_folder(folder.path()).unwrap();

        assert!(files.get("notes.md").is_none());
        assert!(files.get("nodes.txt").unwrap().modified.is_some());
    }

    #[test]
    fn what_is_no_regular_file_is_reported_and_never_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let path_of = |name: &str| folder.path().join(name);
        let mode = rustix::fs::Mode::from_raw_mode(0o600);
        rustix::fs::mknodat(rustix::fs::CWD, path_of("jobs.json"), rustix::fs::FileType::Fifo, mode, 0)
            .unwrap();
        std::fs::create_dir(path_of("nodes.json")).unwrap();
        std::fs::write(path_of("nodes.txt"), "n1\n     Mom = n1\n     state = free\n\n").unwrap();
        std::fs::write(path_of("now"), "5\n").unwrap();
        let load = |files: &Files| crate::load(files, &crate::LoadOptions::default());
        let error = load(&Files::from_folder(folder.path()).unwrap()).unwrap_err().to_string();
        assert_eq!(error, "jobs.json: cannot be read: found a named pipe; expected a regular file");

        std::fs::write(path_of("jobs.txt"), "Job Id: 1.s\n    queue = q\n\n").unwrap();
        let files = Files::from_folder(folder.path()).unwrap();
        let snapshot = load(&files).unwrap();
        let unreadable = snapshot.diagnostics.iter().filter(|reported| reported.code == "file-unreadable");
        let reported: Vec<String> = unreadable.map(ToString::to_string).collect();
        assert_eq!(
            reported,
            [
                "jobs.json: cannot be read: found a named pipe; expected a regular file",
                "nodes.json: cannot be read: found a folder; expected a regular file"
            ]
        );
    }

    #[test]
    fn a_file_beyond_the_limit_is_refused_by_its_name() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("nodes.txt"), [b'x'; 100]).unwrap();
        let within = |file| {
            let files =
                Files::from_folder_within(folder.path(), ReadLimits { file, ..ReadLimits::default() });
            files.unwrap().get("nodes.txt").unwrap().bytes.clone()
        };
        assert_eq!(within(100).unwrap().len(), 100);
        assert_eq!(within(99).unwrap_err(), "refused: 100 bytes; the limit `file-size` is 99");
    }

    /// Under one of the known names, text is read as under any other.
    #[test]
    fn what_stands_above_between_and_around_the_records_costs_none() {
        let read = |bytes: &[u8]| {
            let folder = tempfile::tempdir().unwrap();
            std::fs::write(folder.path().join("nodes.txt"), bytes).unwrap();
            std::fs::write(folder.path().join("jobs.txt"), "Job Id: 1.s\n    queue = q\n\n").unwrap();
            let files = Files::from_folder(folder.path()).unwrap();
            let snapshot = crate::load(&files, &crate::LoadOptions::default()).unwrap();
            let names: Vec<String> = snapshot.nodes.iter().map(|node| node.name.to_string()).collect();
            (names, snapshot.reported("text-tidied").map(ToString::to_string).collect::<Vec<_>>())
        };
        let node = |name: &str| format!("{name}\n     Mom = {name}\n     state = free\n");
        let both = [node("n1"), "\n".to_owned(), node("n2")].concat();
        let names = ["n1", "n2"];
        assert_eq!(read(both.as_bytes()).1, Vec::<String>::new());
        for above in
            ["# made by cron\n", "maintenance\n", "[ann@head ~]$ pbsnodes -av\n", "\u{1b}[0m", "\u{feff}"]
        {
            assert_eq!(read([above, &both].concat().as_bytes()).0, names, "{above:?}");
        }
        let (found, reported) = read(format!("maintenance\n{both}").as_bytes());
        assert_eq!(found, names);
        assert_eq!(reported, ["nodes.txt: skipped 1 line above the first record: `maintenance`"]);
        assert_eq!(read([node("n1"), "--More--\n".to_owned(), node("n2")].concat().as_bytes()).0, names);
        assert_eq!(read(both.replace("     ", "\t").as_bytes()).0, names);
        assert_eq!(read(both.replace("     ", "\u{a0}\u{a0}   ").as_bytes()).0, names);
        let wide: Vec<u8> = both.encode_utf16().flat_map(u16::to_le_bytes).collect();
        assert_eq!(read(&[b"\xff\xfe", &wide[..]].concat()).0, names);
    }

    #[test]
    fn a_missing_folder_is_named() {
        let error = Files::from_folder(Path::new("/no/such/folder")).unwrap_err();
        assert!(error.to_string().contains("/no/such/folder"));
    }
}
