//! Decides which attributes of a dump are kept: those known to be harmless, and those requested by name.
//!
//! Jobs contain what users typed: environments, command lines, scripts. Which attribute holds a secret cannot be
//! known, since sites and versions add their own, so anything not on these lists is left out.

use crate::attributes::rows::AttributeRow;
use crate::record::DumpKind;
use crate::{job, limits, node, queue, reservation, resource_defs, scheduler, server};

/// The attributes kept from a kind of dump.
#[derive(Clone, Copy, Debug)]
pub(super) struct KeptAttributes<'k> {
    kind: DumpKind,
    asked: &'k [String],
}

impl<'k> KeptAttributes<'k> {
    /// Combines the list for this kind of dump with the attributes requested in addition.
    pub(super) fn new(kind: DumpKind, asked: &'k [String]) -> Self {
        Self { kind, asked }
    }

    /// Whether an attribute is kept, including all its resources.
    pub(super) fn attribute(&self, name: &[u8]) -> bool {
        let Ok(name) = std::str::from_utf8(name) else { return false };
        let name = name.split('.').next().unwrap_or(name);
        name == "Resource_List"
            || name == "default_chunk"
            || name.starts_with("resources_")
            || is_known(self.kind, name)
            || self.asked.iter().any(|asked| asked == name)
    }
}

/// Whether an attribute is in the table of a kind of dump, or known to be harmless.
fn is_known(kind: DumpKind, name: &str) -> bool {
    fn has<T>(rows: &[AttributeRow<T>], unread: &[&str], name: &str) -> bool {
        rows.iter().any(|row| row.name == name) || unread.contains(&name)
    }
    match kind {
        DumpKind::Jobs => has(job::ATTRIBUTES, job::UNREAD, name),
        DumpKind::Nodes => has(node::ATTRIBUTES, node::UNREAD, name),
        DumpKind::Queues => has(queue::ATTRIBUTES, server::UNREAD, name) || limits::is_limit(name),
        DumpKind::Server => has(server::ATTRIBUTES, server::UNREAD, name) || limits::is_limit(name),
        DumpKind::Schedulers => has(scheduler::ATTRIBUTES, scheduler::UNREAD, name),
        DumpKind::Resources => has(resource_defs::ATTRIBUTES, &[], name),
        DumpKind::Reservations => has(reservation::ATTRIBUTES, reservation::UNREAD, name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_reader_of_jobs_uses_is_kept() {
        let keep = KeptAttributes::new(DumpKind::Jobs, &[]);
        for name in ["Priority", "job_state", "exec_vnode", "Resource_List.ncpus", "resources_used"] {
            assert!(keep.attribute(name.as_bytes()), "{name}");
        }
    }

    #[test]
    fn what_people_typed_is_kept_only_by_name() {
        let asked = ["Variable_List".to_owned()];
        let (keep, more) =
            (KeptAttributes::new(DumpKind::Jobs, &[]), KeptAttributes::new(DumpKind::Jobs, &asked));
        for name in
            ["Submit_arguments", "argument_list", "executable", "Error_Path", "jobscript", "", "Resource"]
        {
            assert!(!keep.attribute(name.as_bytes()) && !more.attribute(name.as_bytes()), "{name}");
        }
        assert!(!keep.attribute(b"Variable_List") && more.attribute(b"Variable_List"));
        assert!(!more.attribute(b"variable_list") && !more.attribute(b"Variable_List "));
    }
}
