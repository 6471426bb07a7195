//! What to do so that an assumption is no longer needed.

use qscope_source::collect::made_by;

use super::FindingGroup;
use crate::Fix;

impl FindingGroup<'_> {
    /// Returns the command that makes the missing file, or the setting to make; `None` if there is nothing to do.
    pub fn remedy(&self) -> Option<Fix> {
        let by_hand = self.file.ends_with(".toml");
        let setting = match self.code {
            "zone-guessed" => "qscope --tz ZONE",
            "now-missing" => "now = SECOND in queue.toml",
            "policy-as-shipped" => "a table [sched_config] in policy.toml",
            "queue-assumed" if by_hand => "a table [[queue]] in queue.toml",
            "hold-assumed" => "holds = \"LETTERS\" at the job in queue.toml",
            "resource-undefined" if by_hand => "a table [[resource]] in policy.toml",
            "group-unknown" => "dumps made by a manager",
            "several-schedulers" => "qscope --sched NAME",
            "prefix-missing" | "smp-cluster-dist" => return Some(Fix::command("qscope lint")),
            code => return made_by(file_of(code)?).map(Fix::command),
        };
        Some(Fix::by_hand(setting))
    }
}

/// Returns the name of the file that would state what was assumed.
fn file_of(code: &str) -> Option<&'static str> {
    // Dumps in JSON state when they were made.
    Some(match code {
        "sched-config-assumed" => "sched_config",
        "server-assumed" | "server-counted" => "server.json",
        "queues-assumed" | "queue-assumed" | "queues-counted" => "queues.json",
        "sched-assumed" => "sched.txt",
        "no-resource-list" | "no-jobs" | "now-by-mtime" | "now-unknown" => "jobs-t.json",
        "resource-undefined" | "resource-type" => "resources.txt",
        "node-no-state" | "no-nodes" | "nodes-counted" => "nodes.json",
        _ => return None,
    })
}
