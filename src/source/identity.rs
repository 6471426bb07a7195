//! Dumps that are not what they should be: another batch system, another command, another version.

use super::log::Log;
use super::record::{DumpKind, Head, Record};
use qscope_engine::cluster::{Name, Spot};

/// The version whose rules are implemented.
const VERSION: &str = "23.06";

/// What one record shows of the dump that it stands in.
#[derive(Clone, Default)]
pub(crate) struct IdentityLook {
    is_torque: bool,
    is_table: bool,
    is_host: bool,
    has_state: bool,
    server: Option<Name>,
}

impl IdentityLook {
    /// Whether it states its object's state.
    pub(crate) fn has_state(&self) -> bool {
        self.has_state
    }
}

/// What records that follow each other show together.
#[derive(Clone, Default)]
pub(crate) struct Signs {
    records: usize,
    torque: usize,
    table: usize,
    hosts: usize,
    /// How many state their object's state.
    stateful: usize,
    /// The server of the first one that names one.
    server: Option<Name>,
}

impl Signs {
    /// Counts what one more record shows.
    pub(crate) fn add(&mut self, look: &IdentityLook) {
        self.records += 1;
        self.torque += usize::from(look.is_torque);
        self.table += usize::from(look.is_table);
        self.hosts += usize::from(look.is_host);
        self.stateful += usize::from(look.has_state);
        if self.server.is_none() {
            self.server.clone_from(&look.server);
        }
    }

    /// Counts what records show that follow these.
    fn add_all(&mut self, others: &Self) {
        self.records += others.records;
        self.torque += others.torque;
        self.table += others.table;
        self.hosts += others.hosts;
        self.stateful += others.stateful;
        if self.server.is_none() {
            self.server.clone_from(&others.server);
        }
    }

    /// Whether any states its object's state.
    pub(crate) fn have_state(&self) -> bool {
        self.stateful > 0
    }
}

/// Examines records as they pass, and states once what is foreign about them.
#[derive(Default)]
pub(crate) struct Identity {
    signs: Signs,
    /// The server of the last record, which is mostly the next one's too.
    last: Option<Name>,
}

impl Identity {
    /// Counts what a record shows.
    pub(crate) fn add(&mut self, look: &IdentityLook) {
        self.signs.add(look);
    }

    /// Counts what several records show, one after the other.
    pub(crate) fn add_all(&mut self, signs: &Signs) {
        self.signs.add_all(signs);
    }

    /// Examines one record.
    pub(crate) fn look(&mut self, kind: DumpKind, record: &Record<'_>) -> IdentityLook {
        let mut look = IdentityLook { has_state: record.value("state").is_some(), ..IdentityLook::default() };
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
        look.server = server.map(|name| self.shared(name));
        look
    }

    /// A server's name, shared with the record before where that had the same.
    fn shared(&mut self, server: &str) -> Name {
        match self.last.as_ref().filter(|last| ***last == *server) {
            Some(last) => last.clone(),
            None => self.last.insert(server.into()).clone(),
        }
    }

    /// States what was found, and completes what the dump states about itself.
    pub(crate) fn judge(self, kind: DumpKind, head: &mut Head, log: &mut Log) {
        let Signs { records, torque, table, hosts, server, .. } = self.signs;
        let is_half = |count: usize| count > 0 && count * 2 >= records;
        if is_half(torque) {
            log.error("torque", Spot::File, || {
                "this is Torque's; expected OpenPBS or PBS Pro, whose scheduler decides otherwise".to_owned()
            });
        }
        if is_half(table) {
            log.error("wrong-command", Spot::File, || {
                "found the short form of `pbsnodes -S` or `-L`; expected `pbsnodes -av`".to_owned()
            });
        }
        if hosts > 0 {
            log.error("wrong-command", Spot::File, || {
                format!("{hosts} records sum over vnodes, as `pbsnodes -a` prints; expected `pbsnodes -av`")
            });
        }
        if let Some(version) =
            head.version.as_deref().filter(|v| kind == DumpKind::Nodes && !v.starts_with(VERSION))
        {
            log.note("version", Spot::File, || {
                format!("made by PBS {version}; the rules here are those of OpenPBS {VERSION}")
            });
        }
        head.server = head.server.take().or(server.map(|name| name.to_string()));
    }
}

fn look_at_node(record: &Record<'_>, look: &mut IdentityLook) {
    look.is_torque = record.value("np").is_some()
        || record.value("ntype") == Some("cluster")
        || record.value("status").is_some_and(|status| status.contains("opsys="));
    look.is_table = record.value("State").is_some() && !look.has_state;
    look.is_host = record.attributes.iter().any(|a| a.value == "<various>");
}
