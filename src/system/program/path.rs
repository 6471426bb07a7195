//! Finds programs in PATH.

use std::env;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use rustix::fs::{Access, access};

/// Returns the program of this name in the absolute folders of PATH: an empty entry, or one such as `.` or `bin`,
/// would run a program of whatever folder is current. A name with a slash is a path already.
pub fn find(name: &OsStr) -> Option<PathBuf> {
    find_in(name, &env::var_os("PATH").unwrap_or_default())
}

fn find_in(name: &OsStr, path: &OsStr) -> Option<PathBuf> {
    if Path::new(name).components().count() != 1 || name.as_encoded_bytes().contains(&b'/') {
        return (!name.is_empty()).then(|| PathBuf::from(name));
    }
    let folders = env::split_paths(path).filter(|folder| folder.is_absolute());
    folders.map(|folder| folder.join(name)).find(|program| is_program(program))
}

fn is_program(path: &Path) -> bool {
    path.is_file() && access(path, Access::EXEC_OK).is_ok()
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn programs_are_looked_for_in_absolute_folders_only() {
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("pbsnodes");
        fs::write(&program, "#!/bin/sh\n").unwrap();
        let found = |path: &str| find_in(OsStr::new("pbsnodes"), OsStr::new(path));
        let absolute = format!("/no/such:{}", folder.path().display());
        assert_eq!(found(&absolute), None, "it cannot be run yet");
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
        assert_eq!(found(&absolute), Some(program));

        // The same folder, by a path relative to the current folder of the tests.
        let here = env::current_dir().unwrap();
        let up: PathBuf = here.components().skip(1).map(|_| "..").collect();
        let relative = up.join(folder.path().strip_prefix("/").unwrap());
        assert!(relative.join("pbsnodes").is_file());
        assert_eq!(found(relative.to_str().unwrap()), None);
        // `Cargo.toml` is in the current folder, which an empty entry stands for.
        for path in ["", ":", "::/no/such", ".:"] {
            assert_eq!(find_in(OsStr::new("pbsnodes"), OsStr::new(path)), None, "{path}");
        }
        assert_eq!(find_in(OsStr::new("./hook"), OsStr::new("")), Some("./hook".into()));
    }
}
