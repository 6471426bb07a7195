use std::fs;
use std::io::Write;
use std::os::unix::fs::{PermissionsExt, symlink};

use super::*;

fn put(draft: io::Result<DraftFile>, bytes: &[u8]) -> io::Result<u64> {
    let mut draft = draft?;
    draft.write_all(bytes)?;
    draft.finish()?.place()
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn a_file_is_there_whole_or_not_at_all() {
    let home = tempfile::tempdir().unwrap();
    let folder = Folder::private(&home.path().join("a/b")).unwrap();
    let at = home.path().join("a/b");
    assert_eq!(fs::metadata(&at).unwrap().permissions().mode() & 0o777, 0o700);
    // Both for file systems that have files without a name, and for those that do not.
    for named in [false, true] {
        let draft =
            || if named { DraftFile::named(folder.descriptor.clone(), "x") } else { folder.draft("x") };
        let mut half = draft().unwrap();
        half.write_all(b"half").unwrap();
        let hidden = names(&at).into_iter().filter(|name| name.starts_with(DRAFT)).count();
        assert_eq!(hidden, usize::from(named));
        drop(half.finish().unwrap());
        assert_eq!(put(draft(), b"new").unwrap(), 3);
        assert_eq!(fs::read(at.join("x")).unwrap(), b"new");
        assert_eq!(fs::metadata(at.join("x")).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(names(&at), ["x"]);
    }
}

#[test]
fn nothing_goes_through_a_link_or_a_pipe() {
    let home = tempfile::tempdir().unwrap();
    let path_of = |name: &str| home.path().join(name);
    fs::write(path_of("precious"), "precious").unwrap();
    symlink("precious", path_of("x")).unwrap();
    let mode = rustix::fs::Mode::from_raw_mode(0o600);
    rustix::fs::mknodat(rustix::fs::CWD, path_of("y"), FileType::Fifo, mode, 0).unwrap();
    let folder = Folder::shared(home.path()).unwrap();
    for name in ["x", "y"] {
        assert!(!folder.holds(name));
        assert!(folder.read(name, SizeLimit { limit: "file-size", bytes: 9 }).is_err());
        put(folder.draft(name), b"new").unwrap();
        assert!(folder.holds(name));
        assert_eq!(fs::read(path_of(name)).unwrap(), b"new");
    }
    assert_eq!(fs::read(path_of("precious")).unwrap(), b"precious");
    assert_eq!(names(home.path()), ["precious", "x", "y"]);
}

#[test]
fn what_is_done_is_done_in_the_folder_that_was_looked_at() {
    let home = tempfile::tempdir().unwrap();
    let (one, two) = (home.path().join("one"), home.path().join("two"));
    let folder = Folder::private(&one).unwrap();
    fs::rename(&one, &two).unwrap();
    fs::create_dir(home.path().join("else")).unwrap();
    symlink("else", &one).unwrap();
    put(folder.draft("x"), b"x").unwrap();
    assert_eq!((names(&two), names(&one)), (vec!["x".to_owned()], Vec::new()));
}

#[test]
fn folders_that_others_can_write_are_refused_by_name() {
    let home = tempfile::tempdir().unwrap();
    let why = |path: &Path| Folder::private(path).unwrap_err().why.to_string();
    let chmod = |mode| fs::set_permissions(home.path(), fs::Permissions::from_mode(mode)).unwrap();
    for mode in [0o1777, 0o770, 0o702] {
        chmod(mode);
        let reported = why(home.path());
        assert!(
            reported.starts_with(&format!("refused: others can write it (mode {mode:04o})")),
            "{reported}"
        );
    }
    // One's own folder within a folder that others can write is safe, but a link there is not.
    Folder::private(&home.path().join("own")).unwrap();
    symlink("own", home.path().join("link")).unwrap();
    let reported = why(&home.path().join("link"));
    assert!(
        reported.contains("link` is a link that is not followed: others can write its folder"),
        "{reported}"
    );
    chmod(0o755);
    Folder::private(&home.path().join("link")).unwrap();
    fs::write(home.path().join("file"), "").unwrap();
    assert!(why(&home.path().join("file/in")).contains("Not a directory"));
}

#[test]
fn what_a_killed_run_left_is_cleared_and_nothing_else() {
    let home = tempfile::tempdir().unwrap();
    fs::write(home.path().join(".qscope-123-nodes.json"), "").unwrap();
    fs::write(home.path().join("nodes.json"), "").unwrap();
    Folder::private(home.path()).unwrap().clear().unwrap();
    assert_eq!(names(home.path()), ["nodes.json"]);
}

#[test]
fn names_of_drafts_are_never_the_same() {
    let names: std::collections::BTreeSet<String> = (0..64).map(|_| draft_name()).collect();
    assert_eq!(names.len(), 64);
    assert!(names.iter().all(|name| name.len() == DRAFT.len() + 32), "{names:?}");
}

fn draft_name() -> String {
    let home = tempfile::tempdir().unwrap();
    let folder = Folder::private(home.path()).unwrap();
    let _draft = DraftFile::named(folder.descriptor.clone(), "x").unwrap();
    names(home.path()).remove(0)
}

#[test]
fn a_device_is_not_replaced() {
    assert!(Folder::shared(Path::new("/dev")).unwrap().draft("null").is_err());
    let home = tempfile::tempdir().unwrap();
    symlink("/dev/null", home.path().join("x")).unwrap();
    assert!(Folder::shared(home.path()).unwrap().draft("x").is_err());
}
