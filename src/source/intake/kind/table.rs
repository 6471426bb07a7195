//! The tables that clients print without `-f`, and the commands to run instead.

/// A table, recognized by its header line (sites 2.5).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ClientTable {
    /// `pbsnodes -Sj`: free amounts of a few resources.
    NodesJobs,
    /// `pbsnodes -S`.
    Nodes,
    /// `qstat`.
    Jobs,
    /// `qstat -a`, `-s`, `-n`.
    JobsAll,
    /// `qstat -Q`.
    Queues,
    /// `qstat -q`.
    QueueLimits,
    /// `qstat -B`.
    Server,
    /// `pbs_rstat`.
    Reservations,
}

/// Words of header lines in order, and their tables. Longer headers come first.
const HEADS: [(&[&str], ClientTable); 9] = [
    (&["vnode", "state", "njobs", "run", "susp"], ClientTable::NodesJobs),
    (&["vnode", "state", "OS", "hardware"], ClientTable::Nodes),
    (&["Job", "id", "Name", "User", "Time", "Use", "S"], ClientTable::Jobs),
    (&["Job", "ID", "Username", "Queue", "Jobname"], ClientTable::JobsAll),
    (&["Req'd", "Req'd", "Elap"], ClientTable::JobsAll),
    (&["Queue", "Max", "Tot", "Ena", "Str"], ClientTable::Queues),
    (&["Queue", "Memory", "CPU", "Time", "Walltime"], ClientTable::QueueLimits),
    (&["Server", "Max", "Tot", "Que", "Run"], ClientTable::Server),
    (&["Resv", "ID", "Queue", "User", "State"], ClientTable::Reservations),
];

impl ClientTable {
    pub(super) fn headed_by(line: &str) -> Option<Self> {
        let words: Vec<&str> = line.split_whitespace().collect();
        let found = HEADS.iter().find(|(head, _)| words.starts_with(head));
        found.map(|(_, table)| *table)
    }

    pub(crate) fn words(self) -> &'static str {
        match self {
            Self::NodesJobs => "the table of `pbsnodes -aSj`",
            Self::Nodes => "the table of `pbsnodes -aS`",
            Self::Jobs => "the table of plain `qstat`",
            Self::JobsAll => "the table of `qstat -a`",
            Self::Queues => "the table of `qstat -Q`",
            Self::QueueLimits => "the table of `qstat -q`",
            Self::Server => "the table of `qstat -B`",
            Self::Reservations => "the table of `pbs_rstat`",
        }
    }

    /// Returns the command to run instead.
    pub(crate) fn command(self) -> &'static str {
        match self {
            Self::NodesJobs | Self::Nodes => "pbsnodes -av -F json",
            Self::Jobs | Self::JobsAll => "qstat -f -t -F json",
            Self::Queues | Self::QueueLimits => "qstat -Qf",
            Self::Server => "qstat -Bf",
            Self::Reservations => "pbs_rstat -F",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_known_by_their_heads() {
        let heads = [
            (
                "vnode           state           njobs   run   susp      f/t        f/t     f/t   f/t   jobs",
                ClientTable::NodesJobs,
            ),
            (
                "vnode           state           OS       hardware host            queue        mem     ncpus   nmics   ngpus  comment",
                ClientTable::Nodes,
            ),
            ("Job id            Name             User              Time Use S Queue", ClientTable::Jobs),
            (
                "Job ID          Username Queue    Jobname    SessID NDS TSK Memory Time  S Time",
                ClientTable::JobsAll,
            ),
            (
                "Queue              Max   Tot Ena Str   Que   Run   Hld   Wat   Trn   Ext Type",
                ClientTable::Queues,
            ),
            (
                "Queue            Memory CPU Time Walltime Node   Run   Que   Lm  State",
                ClientTable::QueueLimits,
            ),
            ("Server             Max   Tot   Que   Run   Hld   Wat   Trn   Ext Status", ClientTable::Server),
            (
                "Resv ID         Queue         User     State  Start / Duration / End",
                ClientTable::Reservations,
            ),
        ];
        for (head, table) in heads {
            assert_eq!(ClientTable::headed_by(head), Some(table), "{head}");
        }
        assert_eq!(ClientTable::headed_by("Job Id: 12.head"), None);
    }
}
