//! Puts running jobs on their nodes.

use super::JobContext;
use crate::toml_form::occupancy::{OccupantKind, occupy, unknown_nodes};
use crate::toml_form::table::TomlTable;
use crate::toml_form::values;
use qscope_engine::cluster::{Amount, ExecVnode, Job, ResourceId, Select, Severity};

/// Puts a running job on its nodes, and adds its sums to its queue and the server.
pub(super) fn start(table: &TomlTable<'_>, job: &mut Job, cx: &mut JobContext<'_>) {
    if let (Some(on), Some(select)) = (&mut job.exec_vnode, &job.select) {
        fill_amounts(on, select);
    }
    let running = job.state.has_nodes();
    let Some(on) = &job.exec_vnode else {
        if running {
            let message = "a running job needs `on`, such as \"(n1:ncpus=4)\"".to_owned();
            table.report_at_key("on", message);
        }
        return;
    };
    for name in unknown_nodes(on, cx.index) {
        table.report_at_key("on", cx.index.unknown(name));
    }
    if !running {
        return;
    }
    let reserved = job.reservation.is_some();
    let tenant = if reserved { OccupantKind::JobInReservation } else { OccupantKind::Job };
    let place = job.place.clone().unwrap_or_default();
    for remark in occupy(cx.snap, cx.index, &job.name, on, &place, tenant) {
        table.remark_at("on", Severity::Warning, "overfull-node", remark);
    }
    let sums: Vec<(ResourceId, Amount)> = job
        .requested
        .iter()
        .filter(|(id, _)| cx.snap.catalogue.def(*id).flags.summed)
        .filter_map(|(id, value)| Some((id, value.amount()?)))
        .collect();
    let queue = cx.snap.queue_named(&job.queue);
    for (id, amount) in sums {
        values::add(&mut cx.snap.server.assigned, id, amount);
        if let Some(queue) = queue {
            values::add(&mut cx.snap.queues[queue].assigned, id, amount);
        }
    }
}

/// Fills in `on = "n1+n2"`: chunks without amounts get those of the select, one for one.
fn fill_amounts(on: &mut ExecVnode, select: &Select) {
    let asked = select.chunks.iter().flat_map(|chunk| (0..chunk.count).map(move |_| chunk));
    let mut chunks = on.chunks.to_vec();
    for (chunk, asked) in chunks.iter_mut().zip(asked) {
        if let [part] = chunk.as_mut_slice()
            && part.resources.is_empty()
        {
            part.resources = asked.requests.iter().map(|r| (r.resource.clone(), r.value.clone())).collect();
        }
    }
    on.chunks = chunks.into();
}
