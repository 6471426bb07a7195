//! Dumps that are not what they should be: another batch system, another command, another version.

use super::log::Log;
use super::record::{DumpKind, Head, Record};
use qscope_engine::cluster::Spot;

/// The version whose rules are implemented.
const VERSION: &str = "23.06";

/// Examines records as they pass, and states once what is foreign about them.
#[derive(Default)]
pub(crate) struct Identity {
    records: usize,
    torque: usize,
    table: usize,
    hosts: usize,
    server: Option<String>,
}

impl Identity {
    /// Examines one record.
    pub(crate) fn look(&mut self, kind: DumpKind, record: &Record<'_>) {
        self.records += 1;
        match kind {
            DumpKind::Nodes => self.look_at_node(record),
            DumpKind::Jobs => {
                let asked = |name: &str| {
                    record
                        .attributes
                        .iter()
                        .any(|a| a.name == "Resource_List" && a.resource.as_deref() == Some(name))
                };
                self.torque += usize::from(asked("neednodes") && !asked("select"));
            }
            _ => {}
        }
        if self.server.is_none() {
            self.server = match kind {
                DumpKind::Server => Some(record.name.to_string()).filter(|name| !name.is_empty()),
                DumpKind::Jobs | DumpKind::Reservations => record.value("server").map(ToOwned::to_owned),
                _ => None,
            };
        }
    }

    fn look_at_node(&mut self, record: &Record<'_>) {
        let torque = record.value("np").is_some()
            || record.value("ntype") == Some("cluster")
            || record.value("status").is_some_and(|status| status.contains("opsys="));
        self.torque += usize::from(torque);
        self.table += usize::from(record.value("State").is_some() && record.value("state").is_none());
        self.hosts += usize::from(record.attributes.iter().any(|a| a.value == "<various>"));
    }

    /// States what was found, and completes what the dump states about itself.
    pub(crate) fn judge(self, kind: DumpKind, head: &mut Head, log: &mut Log) {
        let of = |count: usize| count > 0 && count * 2 >= self.records;
        if of(self.torque) {
            log.error("torque", Spot::File, || {
                "this is Torque's; expected OpenPBS or PBS Pro, whose scheduler decides otherwise".to_owned()
            });
        }
        if of(self.table) {
            log.error("wrong-command", Spot::File, || {
                "found the short form of `pbsnodes -S` or `-L`; expected `pbsnodes -av`".to_owned()
            });
        }
        if self.hosts > 0 {
            log.error("wrong-command", Spot::File, || {
                format!(
                    "{} records sum over vnodes, as `pbsnodes -a` prints; expected `pbsnodes -av`",
                    self.hosts
                )
            });
        }
        if let Some(version) =
            head.version.as_deref().filter(|v| kind == DumpKind::Nodes && !v.starts_with(VERSION))
        {
            log.note("version", Spot::File, || {
                format!("made by PBS {version}; the rules here are those of OpenPBS {VERSION}")
            });
        }
        head.server = head.server.take().or(self.server);
    }
}
