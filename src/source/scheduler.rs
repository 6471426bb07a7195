//! Schedulers from `qmgr -c "list sched"`.

use super::context::Context;
use super::log::Log;
use super::record::{Attribute, Record};
use qscope_engine::cluster::{Fuzzy, Scheduler, Seconds, Spot};

/// Types one record (rule 1.8).
pub(crate) fn decode(record: &Record<'_>, cx: &mut Context<'_>, log: &mut Log) -> Scheduler {
    let name = cx.name(&record.name);
    let mut scheduler = Scheduler { name, assumed: false, ..Scheduler::default() };
    for attribute in &record.attributes {
        set(&mut scheduler, attribute, cx, log);
    }
    scheduler
}

/// The attributes of schedulers that count here.
pub(crate) const NAMES: &[&str] = &[
    "partition",
    "scheduling",
    "state",
    "comment",
    "sched_cycle_length",
    "do_not_span_psets",
    "only_explicit_psets",
    "throughput_mode",
    "job_sort_formula",
    "job_sort_formula_threshold",
    "opt_backfill_fuzzy",
    "sched_preempt_enforce_resumption",
    "preempt_targets_enable",
    "preempt_queue_prio",
    "preempt_prio",
    "preempt_order",
    "preempt_sort",
];

/// Takes in one attribute; false for those that do not count here.
pub(crate) fn set(
    scheduler: &mut Scheduler,
    attribute: &Attribute<'_>,
    cx: &mut Context<'_>,
    log: &mut Log,
) -> bool {
    options(scheduler, attribute, cx, log) || preemption(scheduler, attribute, cx, log)
}

fn options(sched: &mut Scheduler, attribute: &Attribute<'_>, cx: &mut Context<'_>, log: &mut Log) -> bool {
    let value = attribute.value.trim();
    match &*attribute.name {
        // "pbs-default" is what the default scheduler calls the absence of a partition (rule 0).
        "partition" => {
            sched.partitions = cx.list(value);
            sched.partitions.retain(|partition| **partition != *"pbs-default");
        }
        "scheduling" => sched.scheduling = cx.truth(attribute, log),
        "state" => sched.state = cx.filled(value),
        "comment" => sched.comment = Some(value.to_owned()),
        "sched_cycle_length" => match Seconds::parse(value) {
            Some(length) => sched.cycle_length = length,
            None => {
                log.warn("duration", attribute.spot(), || format!("found `{value}`; expected a duration"));
            }
        },
        "do_not_span_psets" => sched.do_not_span_psets = cx.truth(attribute, log).unwrap_or(false),
        "only_explicit_psets" => sched.only_explicit_psets = cx.truth(attribute, log).unwrap_or(false),
        "throughput_mode" => sched.throughput_mode = cx.truth(attribute, log).unwrap_or(true),
        "job_sort_formula" => sched.job_sort_formula = Some(value.to_owned()).filter(|f| !f.is_empty()),
        "job_sort_formula_threshold" => match value.parse() {
            Ok(threshold) => sched.formula_threshold = Some(threshold),
            Err(_) => log.warn("number", attribute.spot(), || format!("found `{value}`; expected a number")),
        },
        "opt_backfill_fuzzy" => match Fuzzy::from_word(&value.to_ascii_lowercase()) {
            Some(fuzzy) => sched.fuzzy = fuzzy,
            None => log.warn("fuzzy", attribute.spot(), || {
                format!("found `{value}`; expected off, low, medium, high or seconds; taken as low")
            }),
        },
        _ => return false,
    }
    true
}

fn preemption(sched: &mut Scheduler, attribute: &Attribute<'_>, cx: &mut Context<'_>, log: &mut Log) -> bool {
    let value = attribute.value.trim().trim_matches('"');
    match &*attribute.name {
        "sched_preempt_enforce_resumption" => {
            sched.enforce_resumption = cx.truth(attribute, log).unwrap_or(false);
        }
        "preempt_targets_enable" => sched.preempt_targets_enable = cx.truth(attribute, log).unwrap_or(true),
        "preempt_queue_prio" => {
            sched.preempt_queue_prio = cx.number(attribute, log).unwrap_or(sched.preempt_queue_prio);
        }
        "preempt_prio" => sched.preempt_prio = cx.name(value),
        "preempt_order" => sched.preempt_order = cx.name(value),
        "preempt_sort" => sched.preempt_sort = cx.name(value),
        _ => return false,
    }
    true
}

/// The scheduler whose view is taken: the one asked for, else `default`, else the first. No other one
/// stands in for one that was asked for: then it is a scheduler with defaults.
pub(crate) fn pick(all: Vec<Scheduler>, wanted: Option<&str>, log: &mut Log) -> Scheduler {
    let name = wanted.unwrap_or("default");
    let count = all.len();
    log.in_file("sched.txt");
    if count > 1 {
        log.note("several-schedulers", Spot::File, || {
            format!("{count} schedulers; this is the view of `{name}`, --sched names another")
        });
    }
    let mut first = None;
    for scheduler in all {
        if *scheduler.name == *name {
            return scheduler;
        }
        first = first.or(Some(scheduler));
    }
    if wanted.is_some() && count > 0 {
        log.error("no-such-scheduler", Spot::File, || {
            format!("expected a scheduler `{name}`; found none of that name, assumed the defaults")
        });
    }
    first.filter(|_| wanted.is_none()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_scheduler_asked_for_or_the_default_one() {
        let named = |name: &str| Scheduler { name: name.into(), assumed: false, ..Scheduler::default() };
        let all = || vec![named("gpu"), named("default")];
        let mut log = Log::default();
        assert_eq!(&*pick(all(), None, &mut log).name, "default");
        assert_eq!(&*pick(all(), Some("gpu"), &mut log).name, "gpu");
        assert!(pick(all(), Some("big"), &mut log).assumed);
        assert_eq!(&*pick(vec![named("gpu")], None, &mut log).name, "gpu");
        let codes: Vec<_> = log.finish().0.into_iter().map(|said| said.code).collect();
        assert!(codes.contains(&"no-such-scheduler") && codes.contains(&"several-schedulers"));
    }
}
