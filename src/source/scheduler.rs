//! Decodes schedulers from `qmgr -c "list sched"`.

use super::SourceError;
use super::attributes::rows::{self, AttributeRow, row};
use super::context::{AttributeReader, ReadContext};
use super::log::DiagnosticLog;
use super::record::Record;
use qscope_engine::cluster::{FilePosition, Name, Scheduler, message_excerpt};

/// Decodes a record (rule 1.8).
pub(crate) fn decode(record: &Record<'_>, cx: &mut ReadContext<'_>, log: &mut DiagnosticLog) -> Scheduler {
    let name = cx.name(&record.name);
    let mut scheduler = Scheduler { name, assumed: false, ..Scheduler::default() };
    for attribute in &record.attributes {
        set(&mut scheduler, &mut AttributeReader { attribute, cx, log });
    }
    scheduler
}

pub(crate) const ATTRIBUTES: &[AttributeRow<Scheduler>] = &[
    row!(Scheduler, scheduling, "whether it runs jobs"),
    row!(Scheduler, "partition", partitions, "the partitions that it serves"),
    row!(Scheduler, state, "its state").reported(),
    row!(Scheduler, comment, "a comment").reported(),
    row!(Scheduler, "sched_cycle_length", cycle_length, "the longest cycle"),
    row!(Scheduler, do_not_span_psets, "whether jobs stay within one placement set"),
    row!(Scheduler, only_explicit_psets, "whether nodes without the key make no set"),
    row!(
        Scheduler,
        "sched_preempt_enforce_resumption",
        enforce_resumption,
        "whether preempted jobs are top jobs whatever their rank"
    ),
    row!(Scheduler, preempt_targets_enable, "whether jobs may name whom they preempt"),
    row!(Scheduler, job_sort_formula, "the priority of jobs, before the server's"),
    row!(Scheduler, "job_sort_formula_threshold", formula_threshold, "jobs of a lower priority do not run"),
    row!(Scheduler, throughput_mode, "whether it does not wait for the server to start a job"),
    row!(Scheduler, "opt_backfill_fuzzy", fuzzy, "the length of a window of the calendar"),
    row!(Scheduler, preempt_queue_prio, "queues of this priority and above are express"),
    row!(Scheduler, preempt_prio, "the levels of preemption, highest first"),
    row!(Scheduler, preempt_order, "how jobs are preempted: S, C, R and D"),
    row!(Scheduler, preempt_sort, "which jobs are preempted first"),
];

/// Attributes without a row that a collected dump keeps.
pub(crate) const UNREAD: &[&str] = &[
    "job_run_wait",
    "log_events",
    "pbs_version",
    "sched_host",
    "sched_log",
    "sched_port",
    "sched_priv",
    "scheduler_iteration",
    "server_dyn_res_alarm",
];

/// Reads one attribute; returns false for one that is not used.
pub(crate) fn set(scheduler: &mut Scheduler, reader: &mut AttributeReader<'_, '_>) -> bool {
    if let Some(wrong) = unknown_preemption_word(&reader.attribute.name, reader.value()) {
        reader.log.warn(PREEMPTION_WORD, reader.attribute.spot(), || wrong);
    }
    rows::set(ATTRIBUTES, scheduler, reader)
}

/// Code of a word in an attribute about preemption that is not known.
pub(crate) const PREEMPTION_WORD: &str = "preempt-word";
/// The words of `preempt_prio`.
const LEVELS: [&str; 5] =
    ["express_queue", "normal_jobs", "server_softlimits", "queue_softlimits", "fairshare"];
/// The letters of `preempt_order`.
const METHODS: [char; 4] = ['S', 'C', 'R', 'D'];
/// The values of `preempt_sort`.
const SORTS: [&str; 2] = ["min_time_since_start", "preempt_priority"];

/// Returns a message about the first word of an attribute about preemption that has no effect.
pub(crate) fn unknown_preemption_word(name: &str, value: &str) -> Option<String> {
    let value = value.trim().trim_matches('"').trim();
    let message = |word: &str, expected: &str| {
        format!("{name}: found `{}`; expected {expected}; it has no effect", message_excerpt(word))
    };
    let is_methods = |word: &str| word.chars().all(|letter| METHODS.contains(&letter));
    match name {
        "preempt_prio" => {
            let words = value.split([',', '+']).map(str::trim).filter(|word| !word.is_empty());
            let unknown = words.into_iter().find(|word| !LEVELS.contains(word));
            unknown.map(|word| message(word, &LEVELS.join(", ")))
        }
        "preempt_order" => {
            let mut words = value.split_whitespace().enumerate();
            let wrong = words.find(|(nth, word)| match nth % 2 {
                0 => !is_methods(word),
                _ => !word.parse::<u8>().is_ok_and(|percent| percent <= 100),
            });
            wrong.map(|(_, word)| {
                message(word, "letters of SCRD, or percentages with such letters: SCR 80 SC")
            })
        }
        "preempt_sort" if !value.is_empty() && !SORTS.contains(&value) => {
            Some(message(value, &SORTS.join(" or ")))
        }
        _ => None,
    }
}

/// Picks the scheduler whose view is taken: the requested one, else `default`, else the first; if no dump shows any,
/// one with defaults.
///
/// # Errors
/// If the requested one is not in the dump.
pub(crate) fn pick(
    all: Vec<Scheduler>,
    wanted: Option<&str>,
    log: &mut DiagnosticLog,
) -> Result<Scheduler, SourceError> {
    let name = wanted.unwrap_or("default");
    let count = all.len();
    log.in_file("sched.txt");
    if count > 1 {
        log.note("several-schedulers", FilePosition::File, || {
            format!("{count} schedulers; this is the view of `{name}`, --sched names another")
        });
    }
    let known: Vec<Name> = all.iter().map(|scheduler| scheduler.name.clone()).collect();
    let mut first = None;
    for scheduler in all {
        if *scheduler.name == *name {
            return Ok(scheduler);
        }
        first = first.or(Some(scheduler));
    }
    match wanted {
        Some(wanted) if count > 0 => Err(SourceError::no_scheduler(wanted, &known)),
        _ => Ok(first.unwrap_or_default()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_about_preemption_that_have_no_effect_are_named() {
        let wrong = |name: &str, value: &str| unknown_preemption_word(name, value);
        for (name, value) in [
            ("preempt_prio", "express_queue, normal_jobs, server_softlimits+queue_softlimits,fairshare"),
            ("preempt_prio", "\"express_queue, normal_jobs\""),
            ("preempt_order", "SCR"),
            ("preempt_order", "SCR 80 SC 50 S"),
            ("preempt_sort", "min_time_since_start"),
            ("preempt_sort", "preempt_priority"),
            ("preempt_sort", ""),
            ("comment", "foo"),
        ] {
            assert_eq!(wrong(name, value), None, "{name} {value}");
        }
        for (name, value, word) in [
            ("preempt_prio", "exp ress_queue, normal_jobs", "exp ress_queue"),
            ("preempt_order", "XYZ", "XYZ"),
            ("preempt_order", "SCR 800 S", "800"),
            ("preempt_sort", "foo", "foo"),
        ] {
            assert!(
                wrong(name, value).is_some_and(|why| why.contains(&format!("found `{word}`"))),
                "{value}"
            );
        }
    }

    #[test]
    fn the_scheduler_asked_for_or_the_default_one() {
        let named = |name: &str| Scheduler { name: name.into(), assumed: false, ..Scheduler::default() };
        let all = || vec![named("gpu"), named("default")];
        let mut log = DiagnosticLog::default();
        assert_eq!(&*pick(all(), None, &mut log).unwrap().name, "default");
        assert_eq!(&*pick(all(), Some("gpu"), &mut log).unwrap().name, "gpu");
        assert_eq!(&*pick(vec![named("gpu")], None, &mut log).unwrap().name, "gpu");
        let error = pick(all(), Some("big"), &mut log).unwrap_err().to_string();
        assert_eq!(error, "no scheduler `big`; known are gpu, default");
        let codes: Vec<_> = log.finish().0.into_iter().map(|reported| reported.code).collect();
        assert!(codes.contains(&"several-schedulers"));
    }
}
