//! Parts of the answer that take longer to compute: when it would start, and what would help.

use crate::remedy::Remedy;
use crate::words::is_without_walltime;
use crate::{AnswerSection, AnswerTopic, Forecast, ForecastProgress, ForecastSource, assumption, words};
use qscope_engine::cluster::{Epoch, GhostKind, Snapshot, ghosts, short_id};

/// States when the job would start, and on which assumption.
pub fn estimate_section(snap: &Snapshot, forecast: &Forecast) -> AnswerSection {
    let mut section = AnswerSection::new(AnswerTopic::Estimate, "When");
    let cycles = words::count(forecast.cycles, "cycle");
    let nodes = forecast.exec_vnode.as_deref().map(nodes_of).unwrap_or_default();
    let on = match nodes.is_empty() {
        true => String::new(),
        false => format!(", on {}", words::folded_within(nodes.iter().map(String::as_str), 40)),
    };
    let moment_text = |at: Epoch| match is_without_walltime(at - snap.now) {
        // No other job has to end first.
        _ if at <= snap.now => format!("in the next cycle{on}"),
        true => format!(
            "when a job without walltime ends, for which 5 years are assumed: {}{on}",
            words::clock(snap, at)
        ),
        false => format!("{}, in {}{on}", words::clock(snap, at), words::duration(at - snap.now)),
    };
    let race = if forecast.start.is_none() { dump_disagreement(snap) } else { None };
    let text = match (forecast.source, forecast.start) {
        (ForecastSource::Now, _) => format!("in this cycle{on}"),
        (ForecastSource::TopJob, Some(start)) => {
            let sooner = "sooner if a later cycle finds room";
            format!("◆ {} · top job, planned by the calendar; {sooner}", moment_text(start))
        }
        (_, Some(start)) => {
            let preempting = preempting_text(&forecast.preempts);
            format!("~ {} · by running {cycles} forward{preempting}", moment_text(start))
        }
        (ForecastSource::Ended, None) => {
            format!("not before {}: {cycles} run forward, stopped there", words::moment(snap, forecast.until))
        }
        (_, None) if forecast.until_state.is_some() => forecast.until_state.clone().unwrap_or_default(),
        (_, None) if forecast.cycles > 0 && race.is_some() => {
            format!("no start found: {cycles} run forward to the last event")
        }
        (_, None) if forecast.cycles == 0 => "never, as configured: no job end frees enough".to_owned(),
        (_, None) => {
            format!("never, as configured: {cycles} run forward to the last event")
        }
    };
    section.line_about(text, nodes.into_iter().take(8).chain(forecast.preempts.iter().take(4).cloned()));
    if let Some((words, jobs)) = race {
        section.line_about(words, jobs);
    }
    for passing in forecast.overtaken_by.iter().take(MAX_OVERTAKING) {
        let nodes = words::fold_names(passing.nodes.iter().map(String::as_str), 40);
        let (job, at) = (short_id(&passing.job), words::clock(snap, passing.at));
        let text = format!("{job}, considered after it, starts at {at} on {nodes}, which it needs");
        section.line_about(
            text,
            std::iter::once(passing.job.clone()).chain(passing.nodes.iter().take(4).cloned()),
        );
    }
    if !matches!(forecast.source, ForecastSource::Now | ForecastSource::Nothing) {
        section.line(assumption(snap));
        let declared =
            forecast.declared.as_ref().filter(|_| forecast.start.is_none_or(|start| start > snap.now));
        declared.into_iter().for_each(|declared| section.line(declared.words()));
    }
    section
}

/// States which running jobs a start preempts: `, by preempting 7`; empty if it preempts none.
fn preempting_text(victims: &[String]) -> String {
    let names = words::folded_within(victims.iter().map(|name| short_id(name)), 40);
    if victims.is_empty() { String::new() } else { format!(", by preempting {names}") }
}

/// Returns what keeps a forecast from ruling a start out: jobs that hold nodes by the node dump and do not run by the job
/// dump, so that no event frees these nodes; with the first of them.
fn dump_disagreement(snap: &Snapshot) -> Option<(String, Vec<String>)> {
    let ghosts = ghosts(snap).into_iter();
    let racing = ghosts.filter(|ghost| matches!(ghost.kind, GhostKind::NotRunning(_)));
    let jobs: Vec<String> = racing.map(|ghost| ghost.job.to_string()).collect();
    let what = match jobs.as_slice() {
        [] => return None,
        [one] => format!("{} holds nodes by the node dump and does not run", short_id(one)),
        many => format!("{} hold nodes by the node dump and do not run", words::some_jobs(many, MAX_RACING)),
    };
    let text = format!(
        "{what} by the job dump: the dumps are of different moments, or a start was refused; when these nodes are free is unknown"
    );
    Some((text, jobs.into_iter().take(MAX_RACING).collect()))
}

/// Maximum number of jobs named that are on one side of the dumps only.
const MAX_RACING: usize = 4;

/// Maximum number of jobs listed that start before it on its nodes.
const MAX_OVERTAKING: usize = 3;

/// Returns the nodes of an `exec_vnode`, each once.
fn nodes_of(exec_vnode: &str) -> Vec<String> {
    let mut nodes: Vec<String> = Vec::new();
    let mut seen = rustc_hash::FxHashSet::default();
    for part in exec_vnode.split(['+', '(', ')']).filter_map(|part| part.split(':').next()) {
        if !part.is_empty() && seen.insert(part) {
            nodes.push(part.to_owned());
        }
    }
    nodes
}

/// States how far a forecast has come, while it runs or after it was stopped.
pub fn running_forward(snap: &Snapshot, progress: ForecastProgress) -> String {
    format!(
        "not before {}; {} run forward so far",
        words::moment(snap, progress.at),
        words::count(progress.cycles, "cycle")
    )
}

/// Lists changes that would let it start now, smallest first, and the number of queues not tried.
pub fn remedies_section(remedies: &[Remedy], queues_not_tried: usize) -> AnswerSection {
    let mut section =
        AnswerSection::new(AnswerTopic::Help, "Starts now if (each proved by running the cycle)");
    for (at, remedy) in remedies.iter().enumerate() {
        // Two columns, so that changes and effects can be compared.
        let change = format!("{} {:<32} ", at + 1, remedy.change);
        let (joint, costs) = costs(remedy);
        let effect = format!("✓ {}{joint} ", remedy.effect);
        section.parts(&[&change, &effect, &costs], remedy.about.iter().cloned());
    }
    if remedies.is_empty() {
        section.line("no single change starts it in this cycle");
    } else if remedies.iter().all(|remedy| remedy.start.is_some()) {
        "Starts later if (each proved by running the cycle forward)".clone_into(&mut section.title);
    }
    if queues_not_tried > 0 {
        section.line(queues_left(queues_not_tried));
    }
    section
}

/// States how many further queues would accept it and were not tried.
pub fn queues_left(count: usize) -> String {
    format!("{} not tried", words::count(count, "more queue"))
}

/// Maximum number of changes without effect that are listed.
const MAX_WITHOUT: usize = 6;

/// Lists changes that were tried without effect; `None` if there are none.
pub fn without_effect(changes: &[String]) -> Option<AnswerSection> {
    let mut section = AnswerSection::new(AnswerTopic::WithoutEffect, "Tried without effect");
    changes.iter().take(MAX_WITHOUT).for_each(|change| section.row(change.clone()));
    let more = changes.len().saturating_sub(MAX_WITHOUT);
    if more > 0 {
        section.line(format!("and {}", words::count(more, "more change")));
    }
    (!changes.is_empty()).then_some(section)
}

/// Returns the costs of a change with the punctuation before them.
fn costs(remedy: &Remedy) -> (&'static str, String) {
    match remedy.is_harmless {
        true => (";", remedy.costs.clone()),
        false => (",", format!("but {}", remedy.costs)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::RemainingWalltimes;
    use qscope_engine::cluster::Seconds;

    #[test]
    fn a_start_behind_a_job_without_walltime_has_no_countdown() {
        let snap = Snapshot::empty("t", Epoch(1_763_700_000));
        let found = |ahead: i64| Forecast {
            start: Some(Epoch(snap.now.0 + ahead)),
            exec_vnode: None,
            source: ForecastSource::Forecast,
            cycles: 2,
            until: snap.now,
            until_state: None,
            preempts: Vec::new(),
            overtaken_by: Vec::new(),
            declared: None,
        };
        let text = |ahead| estimate_section(&snap, &found(ahead)).lines[0].text.clone();
        assert!(text(3600).contains("in 1h00"), "{}", text(3600));
        assert!(text(0).contains("~ in the next cycle"), "{}", text(0));
        let one = RemainingWalltimes {
            jobs: 1,
            median: Seconds(3600),
            longest: Seconds(3600),
            ..RemainingWalltimes::default()
        };
        let words =
            |ahead| estimate_section(&snap, &Forecast { declared: Some(one), ..found(ahead) }).lines.len();
        assert_eq!([words(0), words(60)], [2, 3], "what starts at once starts no sooner");
        assert!(
            one.words().ends_with("1 job runs or starts in this cycle, and ends within 1h00 by its walltime")
        );
        let behind = text(Seconds::UNLIMITED.0 - 60);
        assert!(
            behind.contains("when a job without walltime ends, for which 5 years are assumed"),
            "{behind}"
        );
    }

    /// A job that is on nodes in one dump and waits in the other keeps its nodes to the last event.
    #[test]
    fn dumps_of_different_moments_rule_no_start_out() {
        use qscope_engine::cluster::{Job, JobState, Node};
        let mut snap = Snapshot::empty("t", Epoch(1_763_700_000));
        let node = Node { name: "n1".into(), jobs: vec!["5.s".into()], ..Node::default() };
        snap.nodes.push(node);
        let found = Forecast {
            start: None,
            exec_vnode: None,
            source: ForecastSource::Nothing,
            cycles: 3,
            until: snap.now,
            until_state: None,
            preempts: Vec::new(),
            overtaken_by: Vec::new(),
            declared: None,
        };
        let mut answered = |state| {
            snap.jobs = [Job { name: "5.s".into(), state, ..Job::default() }].into_iter().collect();
            estimate_section(&snap, &found)
                .lines
                .iter()
                .map(|line| line.text.clone())
                .collect::<Vec<_>>()
                .join("\n")
        };
        let (never, race) = (answered(JobState::Running), answered(JobState::Queued));
        assert!(never.contains("never, as configured: 3 cycles"), "{never}");
        assert!(race.contains("no start found: 3 cycles run forward"), "{race}");
        assert!(race.contains("5 holds nodes by the node dump and does not run by the job dump"), "{race}");
    }

    #[test]
    fn changes_without_effect_stand_as_they_are_and_the_rest_is_counted() {
        let changes = |count: usize| (0..count).map(|at| format!("change {at}")).collect::<Vec<_>>();
        let texts = |count| -> Vec<String> {
            let section = without_effect(&changes(count));
            section.into_iter().flat_map(|section| section.lines).map(|line| line.text).collect()
        };
        assert!(without_effect(&[]).is_none());
        assert_eq!(texts(2), changes(2));
        assert_eq!(texts(MAX_WITHOUT).len(), MAX_WITHOUT);
        assert_eq!(texts(MAX_WITHOUT + 1).last().unwrap(), "and 1 more change");
        assert_eq!(texts(MAX_WITHOUT + 4).last().unwrap(), "and 4 more changes");
    }

    #[test]
    fn nodes_of_an_exec_vnode_are_named_once() {
        assert_eq!(nodes_of("(n1:ncpus=4:mem=1kb+n2:ncpus=2)+(n1:ncpus=4)"), ["n1", "n2"]);
        // A vnode that only belongs to the host used exclusively has no amounts.
        assert_eq!(nodes_of("(hb:ncpus=2)+(ha)"), ["hb", "ha"]);
        assert!(nodes_of("").is_empty());
    }
}
