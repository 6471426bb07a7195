//! Translates dumps of Torque, in text and XML, into records of PBS dumps, so that the same decoders read them (sites
//! 4).
//!
//! What is translated is where jobs run, what is free, and what jobs request. The order in which jobs are considered
//! is decided by a separate scheduler, which these dumps do not show.

mod accounting;
pub mod extension;
mod job;
mod memory;
mod node;
mod request;
mod slots;
mod status;
mod task_request;
mod xml;

use std::sync::Arc;

pub use accounting::TorqueRequests;

use rustc_hash::FxHashSet;

use super::log::DiagnosticLog;
use super::record::{DumpHeader, DumpKind, RawDump, RecordCallback};
use super::text;
use qscope_engine::cluster::{FilePosition, Name};

/// Time in seconds without a report after which what a node shows is stale (sites 4.1.2).
const SILENT: i64 = 300;

/// Whether the nodes that a job requests are distinct.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum TorqueNodeMatch {
    /// Not known: tasks if a job has options of Maui or Moab, else distinct nodes.
    #[default]
    Unknown,
    /// As with Torque's own scheduler, and Maui with `JOBNODEMATCHPOLICY EXACTNODE`.
    Distinct,
    /// Tasks that may share a node.
    Tasks,
}

/// Facts from other files that are needed to translate a dump.
#[derive(Clone, Debug, Default)]
pub(crate) struct TorqueContext {
    /// Names of all nodes, to distinguish hosts from properties.
    pub(crate) hosts: Arc<FxHashSet<Name>>,
    /// How `nodes=` is matched.
    pub(crate) node_match: TorqueNodeMatch,
}

/// Passes on every record of a dump, translated.
pub(crate) fn read<'a>(
    dump: RawDump<'a>,
    is_xml: bool,
    context: &TorqueContext,
    log: &mut DiagnosticLog,
    sink: RecordCallback<'_, 'a>,
) -> DumpHeader {
    let mut matched = request::NodeMatchCounts::default();
    let mut reports: Vec<(String, i64)> = Vec::new();
    let mut translate = |record: &super::record::Record<'a>, log: &mut DiagnosticLog| match dump.kind {
        DumpKind::Nodes => {
            let made = node::translated(record, log);
            reports.extend(node::last_report(&made).map(|at| (made.name.to_string(), at)));
            sink(&made, log)
        }
        DumpKind::Jobs => sink(&job::translated(record, context, &mut matched, log), log),
        _ => sink(record, log),
    };
    let head =
        if is_xml { xml::read(dump, log, &mut translate) } else { text::read(dump, log, &mut translate) };
    report_silent(&reports, log);
    if let Some(sentence) = matched.sentence() {
        log.note("torque-node-match", FilePosition::File, || sentence);
    }
    head
}

/// Reports nodes whose daemons reported long before the last one of all.
fn report_silent(reports: &[(String, i64)], log: &mut DiagnosticLog) {
    let newest = reports.iter().map(|(_, at)| *at).max().unwrap_or_default();
    for (name, at) in reports {
        let silent = newest.saturating_sub(*at);
        if silent > SILENT {
            log.in_record(name);
            log.warn("torque-stale", FilePosition::File, || {
                format!("its daemon is silent: last report {silent} s before the newest of all nodes; what it shows is stale")
            });
        }
    }
    log.in_record("");
}

/// Returns the names of the nodes in a dump.
pub(crate) fn names(is_xml: bool, bytes: &[u8]) -> FxHashSet<Name> {
    let mut names = FxHashSet::default();
    let mut take = |record: &super::record::Record<'_>, _: &mut DiagnosticLog| {
        names.insert(Name::from(&*record.name));
        std::ops::ControlFlow::Continue(())
    };
    let (dump, mut log) = (RawDump::new(DumpKind::Nodes, bytes), DiagnosticLog::default());
    if is_xml {
        xml::read(dump, &mut log, &mut take);
    } else {
        text::read(dump, &mut log, &mut take);
    }
    names
}

#[cfg(test)]
mod tests;
