//! `[[queue]]`.

use super::table::TomlTable;
use crate::attributes::rows;
use crate::queue::ATTRIBUTES;
use qscope_engine::cluster::{Queue, Snapshot};

/// Reads one `[[queue]]`: by default a started and enabled execution queue.
pub(super) fn read(mut table: TomlTable<'_>, snap: &mut Snapshot) {
    let Some(name) = table.required("name", "a queue needs a `name`") else { return };
    table.call(&name);
    if snap.queue_named(&name).is_some() {
        table.report_at_key("name", format!("there are two queues called `{name}`"));
    }
    let mut queue = Queue::named(&name);
    rows::read_toml(ATTRIBUTES, &mut queue, &mut table, &mut snap.catalogue);
    snap.queues.push(queue);
    table.finish();
}
