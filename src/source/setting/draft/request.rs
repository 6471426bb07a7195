//! Sets attributes of jobs: their requests and states.

use super::read_setting;
use crate::attributes::rows;
use crate::context::ReadContext;
use crate::job::{self, ChunkDefaultSources};
use crate::setting::SettingError;
use crate::setting::key::ParsedSetting;
use crate::setting::target::waits;
use qscope_engine::cluster::{Job, JobState, Queue};

/// Sets one attribute of a job; `notes` receives assumptions.
///
/// # Errors
/// If the value is invalid, or not allowed in the job's state.
pub(super) fn set(
    key: &ParsedSetting<'_>,
    job: &mut Job,
    defaults: &ChunkDefaultSources<'_>,
    cx: &mut ReadContext<'_>,
    notes: &mut Vec<String>,
) -> Result<(), SettingError> {
    let settled = matches!(key.name, "schedselect" | "job_state" | "Hold_Types" | "queue")
        || matches!(key.resource, Some("select" | "place"));
    if settled && !waits(job.state) {
        let what = format!("`{}` does not wait, so its {} stays", job.name, key.resource.unwrap_or(key.name));
        return Err(key.error_at_part(key.name, what));
    }
    match key.name {
        "job_state" => return state(key, job),
        "Resource_List" | "schedselect" => {
            read_setting(key, cx, |reader| job::alter(job, defaults, reader))?;
            let amount = key.resource.and_then(|name| job.requested.amount(cx.catalogue.id(name)?));
            return match amount {
                Some(amount) if amount.0 < 0.0 => {
                    Err(key.error_at_part(key.value, format!("found `{}`; expected 0 or more", key.value)))
                }
                _ => Ok(()),
            };
        }
        // As with qmove, the job's select is rebuilt.
        "queue" => {
            let named = |name: &str| defaults.queues.iter().find(|queue| *queue.name == *name);
            let from = named(&job.queue);
            let moved = named(key.value).and_then(|to| job.moved(to, defaults.server, cx.catalogue));
            if let Some(moved) = moved {
                notes.extend(from.and_then(|from| kept_resources_remark(job, from)));
                *job = moved;
                return Ok(());
            }
            read_setting(key, cx, |reader| rows::set(job::ATTRIBUTES, job, reader))?;
        }
        _ => read_setting(key, cx, |reader| rows::set(job::ATTRIBUTES, job, reader))?,
    }
    if key.name == "Hold_Types" && job.state != JobState::Begun {
        job.state = if job.holds.is_empty() { JobState::Queued } else { JobState::Held };
    }
    Ok(())
}

/// Returns a remark that resources are kept in a job's select which the queue that it leaves may have added.
fn kept_resources_remark(job: &Job, from: &Queue) -> Option<String> {
    let names = job.possibly_defaulted(from);
    let list = names.iter().map(|name| &***name).collect::<Vec<_>>().join(", ");
    let (job, queue) = (job.short_name(), &from.name);
    let text = || {
        format!(
            "job {job}: {list} kept as if requested; default_chunk of queue {queue} may have added it (Resource_List.select not seen)"
        )
    };
    (!names.is_empty()).then(text)
}

/// Changes the state of a waiting job; for queued, also removes holds and the execution time.
fn state(setting: &ParsedSetting<'_>, job: &mut Job) -> Result<(), SettingError> {
    match setting.value {
        "Q" => {
            (job.state, job.holds, job.execution_time) = (JobState::Queued, "".into(), None);
        }
        "H" => job.state = JobState::Held,
        "W" => job.state = JobState::Waiting,
        other => {
            return Err(setting.error_at_part(
                other,
                format!("found state `{other}`; expected Q, H or W of a job that waits"),
            ));
        }
    }
    Ok(())
}
