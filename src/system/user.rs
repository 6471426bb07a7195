//! The user of this process.

use std::ffi::OsStr;
use std::path::Path;
use std::time::Duration;

use rustix::process::getuid;

use crate::input::{self, SizeLimit};
use crate::program::{self, ProgramLimits};

/// The users of this machine, one per line: name, password, number, and more, separated by colons.
const PASSWD: &str = "/etc/passwd";
/// A passwd file larger than this is ignored.
const MAX_PASSWD: SizeLimit = SizeLimit { limit: "users", bytes: 64 << 20 };
/// Limits for `id`, which queries the site's directory of users, which may be slow or down.
const ASK: ProgramLimits = ProgramLimits { time: Duration::from_secs(5), output: 4096 };

/// Returns the name of the user who runs this process, as the system knows it; `None` if the system knows no such
/// user, which happens in containers, or cannot be queried.
///
/// The environment is not used: after `su` or in a job it may name another user. Users of LDAP are in no file: `id`
/// finds them through the C library of the machine, which a static program cannot load.
pub fn own_name() -> Option<String> {
    let uid = getuid().as_raw();
    let users = input::read(Path::new(PASSWD), MAX_PASSWD).unwrap_or_default();
    name_in(&users, uid).or_else(name_by_id)
}

/// Returns the name in the first valid entry with this number.
fn name_in(users: &[u8], uid: u32) -> Option<String> {
    users
        .split(|&byte| byte == b'\n')
        .filter_map(entry)
        .find(|&(_, number)| number == uid)
        .map(|(name, _)| name)
}

fn entry(line: &[u8]) -> Option<(String, u32)> {
    let line = std::str::from_utf8(line).ok()?;
    let mut fields = line.split(':');
    let name = fields.next().filter(|name| !name.is_empty())?;
    let uid = fields.nth(1)?.parse().ok()?;
    Some((name.to_owned(), uid))
}

fn name_by_id() -> Option<String> {
    let id = ["/usr/bin/id", "/bin/id"].map(Path::new).into_iter().find(|path| path.exists())?;
    let ended = program::run(id, &[OsStr::new("-un")], Vec::new(), ASK, &|| false).ok()?;
    let name = String::from_utf8(ended.output).ok()?;
    let name = name.trim_end_matches('\n');
    (ended.status.success() && !name.is_empty()).then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_name_of_a_number_counts_and_lines_that_are_no_entries_do_not() {
        let users =
            b"# local\nroot:x:0:0:root:/root:/bin/sh\n\nann:x:1000:100::/home/ann:\nbo\xffb:x:1001:1\n\
            :x:7:7\nann2:x:1000:100\n+nis::\ncut:x:10";
        assert_eq!(name_in(users, 0).as_deref(), Some("root"));
        assert_eq!(name_in(users, 1000).as_deref(), Some("ann"));
        assert_eq!(name_in(users, 10).as_deref(), Some("cut"));
        for absent in [1, 7, 100, 1001] {
            assert_eq!(name_in(users, absent), None, "{absent}");
        }
    }

    #[test]
    fn the_file_and_the_program_name_the_same_user() {
        let by_file = own_name();
        if let (Some(by_file), Some(by_id)) = (by_file, name_by_id()) {
            assert_eq!(by_file, by_id);
        }
    }
}
