use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use super::*;

const LIMIT: SizeLimit = SizeLimit { limit: "file-size", bytes: 1 << 20 };

fn why(path: &Path) -> String {
    read(path, LIMIT).unwrap_err().to_string()
}

#[test]
fn what_is_no_regular_file_is_named_and_never_waited_for() {
    let folder = tempfile::tempdir().unwrap();
    let path_of = |name: &str| folder.path().join(name);
    let mode = rustix::fs::Mode::from_raw_mode(0o600);
    rustix::fs::mknodat(rustix::fs::CWD, path_of("pipe"), rustix::fs::FileType::Fifo, mode, 0).unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(path_of("socket")).unwrap();
    for (name, target) in [("to-pipe", "pipe"), ("to-null", "/dev/zero"), ("to-map", "/proc/self/pagemap")] {
        symlink(target, path_of(name)).unwrap();
    }
    assert_eq!(why(&path_of("pipe")), "found a named pipe; expected a regular file");
    assert_eq!(why(&path_of("to-pipe")), "found a named pipe; expected a regular file");
    assert_eq!(why(&path_of("socket")), "found a socket; expected a regular file");
    assert_eq!(why(&path_of("to-null")), "found a device; expected a regular file");
    assert_eq!(why(&path_of("to-map")), "found a file of the kernel's own making; expected a regular file");
    assert_eq!(why(Path::new("/proc/self/environ")), why(&path_of("to-map")));
    assert_eq!(why(folder.path()), "found a folder; expected a regular file");
    assert_eq!(read(&path_of("none"), LIMIT).unwrap_err().io_kind(), io::ErrorKind::NotFound);
}

#[test]
fn links_are_followed_where_only_the_user_can_have_made_them() {
    let folder = tempfile::tempdir().unwrap();
    let path_of = |name: &str| folder.path().join(name);
    fs::create_dir(path_of("v1")).unwrap();
    fs::write(path_of("v1/nodes"), "n1").unwrap();
    symlink("v1", path_of("current")).unwrap();
    symlink("current/nodes", path_of("one")).unwrap();
    symlink(path_of("one"), path_of("two")).unwrap();
    symlink("loop", path_of("loop")).unwrap();
    assert_eq!(read(&path_of("two"), LIMIT).unwrap(), b"n1");
    assert!(matches!(open(&path_of("loop")), Err(InputError::Io(_))));

    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o1777)).unwrap();
    assert_eq!(
        why(&path_of("one")),
        "found a link that is not followed: others can write its folder (mode 1777)"
    );
    assert_eq!(read(&path_of("v1/nodes"), LIMIT).unwrap(), b"n1", "a file itself is read wherever it lies");
}

#[test]
fn a_link_of_another_user_is_not_followed() {
    if !rustix::process::geteuid().is_root() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let (file, link) = (folder.path().join("file"), folder.path().join("link"));
    fs::write(&file, "x").unwrap();
    symlink("file", &link).unwrap();
    std::os::unix::fs::lchown(&link, Some(65_534), None).unwrap();
    assert_eq!(why(&link), "found a link that is not followed: it belongs to another user (65534)");
    std::os::unix::fs::lchown(&link, Some(0), None).unwrap();
    std::os::unix::fs::chown(folder.path(), Some(65_534), None).unwrap();
    assert_eq!(why(&link), "found a link that is not followed: its folder belongs to another user (65534)");
}

#[test]
fn a_file_is_read_up_to_its_bound() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    fs::write(&path, [b'x'; 100]).unwrap();
    let read_up_to = |bytes| read(&path, SizeLimit { limit: "small", bytes });
    assert_eq!(read_up_to(100).unwrap().len(), 100);
    assert_eq!(read_up_to(99).unwrap_err().to_string(), "refused: 100 bytes; the limit `small` is 99");
    fs::write(&path, b"ab\xff secret").unwrap();
    let why = read_text(&path, LIMIT).unwrap_err().to_string();
    assert_eq!(why, "found bytes that are not UTF-8 from byte 2; expected a text");
}
