//! Whose process this is.

use nix::unistd::{Uid, User};

/// The name of the user who runs this process, as the system knows it; none where the system knows no such user, which
/// happens in containers, or cannot be asked.
///
/// The environment is not asked: after `su` or in a job it may name someone else.
pub fn own_name() -> Option<String> {
    User::from_uid(Uid::current()).ok().flatten().map(|user| user.name)
}
