//! The commands that make the files of a folder, for users who lack one.

use super::copy::FILES;
use super::filter::RequestedDump;
use super::plan::{Client, clients};
use crate::record::DumpKind;

/// Returns the command that makes a file with what the file of this name would contain, run in the folder:
/// `qstat -B -f -F json > server.json` for both forms of the server's dump. `None` for files that no command makes.
///
/// ```
/// use qscope_source::collect::made_by;
/// assert_eq!(made_by("server.txt").as_deref(), Some("qstat -B -f -F json > server.json"));
/// assert_eq!(made_by("policy.toml"), None);
/// ```
pub fn made_by(file: &str) -> Option<String> {
    if FILES.contains(&file) {
        return Some(format!("cp $PBS_HOME/sched_priv/{file} ."));
    }
    let kind = DumpKind::of_file(file);
    let makes = |client: &Client| match client.dump {
        RequestedDump::Json(made) | RequestedDump::Text(made) => kind == Some(made),
        RequestedDump::Shares => client.file == file,
    };
    // Of the two dumps of jobs, the one with subjobs shows more.
    clients(true).iter().rev().find(|client| makes(client)).map(command)
}

fn command(client: &Client) -> String {
    let mut words = client.program.to_owned();
    for argument in client.arguments {
        let quote = if argument.contains(' ') { "\"" } else { "" };
        words.extend([" ", quote, argument, quote]);
    }
    format!("{words} > {}", client.file)
}

#[cfg(test)]
mod tests {
    use super::made_by;

    #[test]
    fn every_dump_and_every_file_of_the_scheduler_has_a_command() {
        for (file, command) in [
            ("jobs.txt", "qstat -f -t -F json > jobs-t.json"),
            ("nodes.json", "pbsnodes -av -F json > nodes.json"),
            ("sched.json", "qmgr -c \"list sched\" > sched.txt"),
            ("resvs.txt", "pbs_rstat -F > resvs.txt"),
            ("fairshare.txt", "pbsfs > fairshare.txt"),
            ("holidays", "cp $PBS_HOME/sched_priv/holidays ."),
        ] {
            assert_eq!(made_by(file).as_deref(), Some(command));
        }
        assert_eq!(made_by("now"), None);
    }
}
