//! Arrays and their subjobs.

use crate::toml_form::indices::indices;
use crate::toml_form::table::TomlTable;
use qscope_engine::cluster::{ArrayAttributes, Job, JobState, Name, Snapshot, array_id};

/// Reads `array = "1-6"`, or an id such as `12[3]`.
pub(super) fn read(table: &mut TomlTable<'_>, job: &mut Job) {
    let range = table.text("array");
    let max_run_subjobs = table.count("max_run_subjobs");
    if let Some(range) = range {
        match indices(&range) {
            Ok(remaining) => {
                let info = ArrayAttributes {
                    is_parent: true,
                    remaining,
                    max_run_subjobs,
                    running: Some(0),
                    ..ArrayAttributes::default()
                };
                job.array = Some(Box::new(info));
            }
            Err(why) => table.report_at_key("array", why),
        }
    } else if let Some(index) = array_id(&job.name).and_then(|(_, index)| index.parse().ok()) {
        job.array = Some(Box::new(ArrayAttributes { index: Some(index), ..ArrayAttributes::default() }));
    }
}

/// Links subjobs to their arrays: started indices no longer remain. Returns the subjobs without an array.
pub(in super::super) fn link_subjobs(snap: &mut Snapshot) -> Vec<Name> {
    let mut lost = Vec::new();
    let parents: rustc_hash::FxHashMap<u64, _> =
        snap.jobs.enumerate().filter(|(_, job)| job.is_array()).map(|(id, job)| (job.sequence, id)).collect();
    for id in snap.jobs.ids() {
        let job = &snap.jobs[id];
        if !job.is_subjob() {
            continue;
        }
        let Some(&parent) = parents.get(&job.sequence) else {
            lost.push(job.name.clone());
            continue;
        };
        let (runs, waits) = (job.state == JobState::Running, job.is_represented_by_array());
        let name = snap.jobs[parent].name.clone();
        let mut index = None;
        if let Some(info) = &mut snap.jobs[id].array {
            info.parent = Some(name);
            index = info.index;
        }
        let array = &mut snap.jobs[parent];
        if let Some(info) = &mut array.array {
            info.remaining.retain(|left| waits || Some(*left) != index);
            info.running = Some(info.running.unwrap_or_default() + u32::from(runs));
        }
        if array.state == JobState::Queued {
            array.state = JobState::Begun;
        }
    }
    lost
}
