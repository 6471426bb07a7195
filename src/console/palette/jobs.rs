//! The jobs in the command line's list: the outcome of each, and its user and request.

use super::entry::PaletteEntry;
use super::matches::{fitting_of, object};
use crate::views::{Object, ViewContext};
use crate::wording;
use qscope_engine::cluster::{Id, Job, JobId};
use qscope_engine::cycle::Outcome;
use qscope_explain::is_starting_subjob;
use qscope_explain::words::time_of_day;
use qscope_session::query::{FieldValue, QueryRecord};
use qscope_session::records::JobRecord;

/// The jobs whose name has the text, or else the job that it stands for, as `67[2-5]` does for an array.
pub(super) fn jobs(cx: ViewContext<'_>, text: &str) -> Vec<PaletteEntry> {
    let snap = cx.snapshot();
    let name = |at| &*snap.jobs[JobId::at(at)].name;
    let full = fitting_of(&cx.names().all_jobs, name, text);
    let entry = |name: &str| {
        let id = cx.job_named(name)?;
        let words = match qscope_explain::decided_with_array(cx.run(), id) {
            Some(outcome) => waiting_words(cx, outcome),
            None => running_words(cx, id),
        };
        let entry = object(&wording::waiting_name(cx.run(), id), words, Object::Job(name.to_owned()));
        Some(PaletteEntry { job_summary: asks(&snap.jobs[id]), ..entry })
    };
    // A subjob that is not in the dump, and a list of subjobs that start, have an answer of their own.
    let meant = full.is_empty().then(|| cx.job_meant(text)).flatten();
    let is_row = || Object::of_subjob(text, snap).is_none() && !is_starting_subjob(cx.run(), text);
    let meant = meant.filter(|_| is_row()).map(|id| &*snap.jobs[id].name);
    full.into_iter().chain(meant).filter_map(entry).collect()
}

fn waiting_words(cx: ViewContext<'_>, outcome: &Outcome) -> String {
    let run = cx.run();
    let verdict = wording::verdict(run.verdict(outcome));
    match cx.reason(outcome) {
        // Avoids naming the verdict twice.
        Some(reason) if reason.measure.is_none() && reason.is_the_verdict(run.verdict(outcome)) => {
            format!("{verdict:<5} {}{}", wording::guess(&reason), wording::found_first(&reason))
        }
        Some(reason) => {
            let guess = wording::guess(&reason);
            let measure = reason.measure.map_or_else(String::new, |found| format!(" {}", found.text));
            format!("{verdict:<5} {guess}{}{measure}", reason.name)
        }
        None => format!("{verdict:<5} {}", wording::reason(run, outcome)),
    }
}

/// For a running job: when it ends, and its nodes.
fn running_words(cx: ViewContext<'_>, job: JobId) -> String {
    let (record, snap) = (JobRecord::running(cx.run(), job), cx.snapshot());
    let ends =
        record.ends().map_or_else(|| "no end".to_owned(), |at| format!("ends {}", time_of_day(snap, at)));
    let nodes = match record.fact("node") {
        Some(FieldValue::Texts(names)) => wording::compact(names.iter().map(|name| &**name)),
        _ => String::new(),
    };
    format!("runs  {ends}  {nodes}")
}

fn asks(job: &Job) -> String {
    let select =
        job.select.as_ref().map_or_else(String::new, |select| wording::select_words_within(select, "×", 2));
    format!("{} {select}", job.user)
}
