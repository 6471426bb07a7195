//! Detects dumps that are not what they should be: of another batch system, command or version.

use super::log::DiagnosticLog;
use super::record::{DumpHeader, DumpKind, Record};
use qscope_engine::cluster::{FilePosition, Name};

/// Version whose rules are implemented.
const VERSION: &str = "23.06";

/// Signs in one record about its dump.
#[derive(Clone, Default)]
pub(crate) struct IdentityHints {
    is_torque: bool,
    is_table: bool,
    is_host: bool,
    has_state: bool,
    server: Option<Name>,
    version: Option<Name>,
}

impl IdentityHints {
    /// Whether the record has its object's state.
    pub(crate) fn has_state(&self) -> bool {
        self.has_state
    }
}

/// Combined signs of consecutive records.
#[derive(Clone, Default)]
pub(crate) struct IdentityCounts {
    records: usize,
    torque: usize,
    table: usize,
    hosts: usize,
    /// Number of records with their object's state.
    stateful: usize,
    /// Server of the first record that names one.
    server: Option<Name>,
    /// Version that the first record states.
    version: Option<Name>,
}

impl IdentityCounts {
    /// Adds the signs of one more record.
    pub(crate) fn add(&mut self, look: &IdentityHints) {
        self.records += 1;
        self.torque += usize::from(look.is_torque);
        self.table += usize::from(look.is_table);
        self.hosts += usize::from(look.is_host);
        self.stateful += usize::from(look.has_state);
        if self.server.is_none() {
            self.server.clone_from(&look.server);
        }
        if self.version.is_none() {
            self.version.clone_from(&look.version);
        }
    }

    /// Adds the signs of records that follow these.
    fn add_all(&mut self, others: &Self) {
        self.records += others.records;
        self.torque += others.torque;
        self.table += others.table;
        self.hosts += others.hosts;
        self.stateful += others.stateful;
        if self.server.is_none() {
            self.server.clone_from(&others.server);
        }
        if self.version.is_none() {
            self.version.clone_from(&others.version);
        }
    }

    /// Whether any record has its object's state.
    pub(crate) fn have_state(&self) -> bool {
        self.stateful > 0
    }
}

/// Collects signs of records, and reports once what is foreign about them.
#[derive(Default)]
pub(crate) struct IdentityCheck {
    counts: IdentityCounts,
    /// Server of the last record, which is usually that of the next one too.
    last_server: Option<Name>,
    /// The same of the version.
    last_version: Option<Name>,
}

impl IdentityCheck {
    /// Adds the signs of a record.
    pub(crate) fn add(&mut self, look: &IdentityHints) {
        self.counts.add(look);
    }

    /// Adds the signs of several consecutive records.
    pub(crate) fn add_all(&mut self, counts: &IdentityCounts) {
        self.counts.add_all(counts);
    }

    /// Examines one record.
    pub(crate) fn examine(&mut self, kind: DumpKind, record: &Record<'_>) -> IdentityHints {
        let mut look =
            IdentityHints { has_state: record.value("state").is_some(), ..IdentityHints::default() };
        match kind {
            DumpKind::Nodes => look_at_node(record, &mut look),
            DumpKind::Jobs => {
                let asked = |name: &str| {
                    record
                        .attributes
                        .iter()
                        .any(|a| a.name == "Resource_List" && a.resource.as_deref() == Some(name))
                };
                look.is_torque = asked("neednodes") && !asked("select");
            }
            _ => {}
        }
        let server = match kind {
            DumpKind::Server => Some(&*record.name).filter(|name| !name.is_empty()),
            DumpKind::Jobs | DumpKind::Reservations => record.value("server"),
            _ => None,
        };
        look.server = server.map(|name| shared(&mut self.last_server, name));
        let states_version = matches!(kind, DumpKind::Nodes | DumpKind::Server);
        let version = record.value("pbs_version").filter(|_| states_version);
        look.version = version.map(|name| shared(&mut self.last_version, name.trim()));
        look
    }

    /// Reports the findings, and completes what the dump states about itself.
    pub(crate) fn judge(self, kind: DumpKind, head: &mut DumpHeader, log: &mut DiagnosticLog) {
        let IdentityCounts { records, torque, table, hosts, server, version, .. } = self.counts;
        let is_half = |count: usize| count > 0 && count * 2 >= records;
        if is_half(torque) {
            log.error("torque", FilePosition::File, || {
                "this is Torque's; expected OpenPBS or PBS Pro, whose scheduler decides otherwise".to_owned()
            });
        }
        if is_half(table) {
            log.error("wrong-command", FilePosition::File, || {
                "found the short form of `pbsnodes -S` or `-L`; expected `pbsnodes -av`".to_owned()
            });
        }
        if hosts > 0 {
            log.error("wrong-command", FilePosition::File, || {
                format!("{hosts} records sum over vnodes, as `pbsnodes -a` prints; expected `pbsnodes -av`")
            });
        }
        if let Some(version) =
            head.version.as_deref().filter(|v| kind == DumpKind::Nodes && !v.starts_with(VERSION))
        {
            log.note("version", FilePosition::File, || {
                format!("made by PBS {version}; the rules here are those of OpenPBS {VERSION}")
            });
        }
        head.server = head.server.take().or(server.map(|name| name.to_string()));
        head.version = head.version.take().or(version.map(|name| name.to_string()));
    }
}

/// Returns a name, shared with the previous record if it had the same.
fn shared(last: &mut Option<Name>, name: &str) -> Name {
    match last.as_ref().filter(|last| ***last == *name) {
        Some(last) => last.clone(),
        None => last.insert(name.into()).clone(),
    }
}

fn look_at_node(record: &Record<'_>, hints: &mut IdentityHints) {
    hints.is_torque = record.value("np").is_some()
        || record.value("ntype") == Some("cluster")
        || record.value("status").is_some_and(|status| status.contains("opsys="));
    hints.is_table = record.value("State").is_some() && !hints.has_state;
    hints.is_host = record.attributes.iter().any(|a| a.value == "<various>");
}
