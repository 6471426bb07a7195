//! Snapshots for which the cycle gives no verdicts.

use std::fmt;

use qscope_engine::cluster::{Flavour, Snapshot};

/// Why it is unknown what the scheduler will do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NoVerdictReason {
    /// Torque leaves the order to Maui, Moab or pbs_sched.
    Torque,
    /// There are jobs, but no dump of nodes, so it cannot be concluded that none has room.
    NoNodes,
}

impl NoVerdictReason {
    /// Returns the reason for a snapshot; `None` if verdicts can be given. With `as_pbs` the cycle of PBS is run on
    /// dumps of Torque.
    pub fn of(snapshot: &Snapshot, as_pbs: bool) -> Option<Self> {
        if snapshot.lacks_nodes() {
            Some(Self::NoNodes)
        } else {
            (snapshot.flavour == Flavour::Torque && !as_pbs).then_some(Self::Torque)
        }
    }

    /// Returns the reason, with the flag by which a command runs the cycle of PBS nevertheless.
    pub fn with_flag(self, flag: &str) -> String {
        match self {
            Self::Torque => format!(
                "dumps of Torque: the order of the queue is unknown, since Maui, Moab or pbs_sched decides it; no verdict \
                 is given ({flag} pbs runs the cycle of PBS over them)"
            ),
            Self::NoNodes => {
                "not known: no nodes file; no verdict is given (add what `pbsnodes -av -F json` prints)"
                    .to_owned()
            }
        }
    }

    /// Returns a stable identifier for programs.
    pub fn word(self) -> &'static str {
        match self {
            Self::Torque => "torque",
            Self::NoNodes => "no-nodes",
        }
    }
}

impl fmt::Display for NoVerdictReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.with_flag("--as"))
    }
}
