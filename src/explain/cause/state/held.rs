//! Held jobs: who holds them, and until when.

use crate::{Cause, Tier, decided, running};
use qscope_engine::cluster::{Job, JobId, JobState, short_id};
use qscope_engine::cycle::Run;

/// Returns the cause of a held job: a dependency, too many failed starts, or a hold by an operator or user.
pub(super) fn held_cause(run: &Run, job: &Job) -> Cause {
    let name = job.short_name();
    let letters = if job.holds.is_empty() { "?" } else { &*job.holds };
    let system = job.holds.contains('s') || job.holds.is_empty();
    if let Some(cause) = job.depend.as_deref().filter(|_| system).and_then(|text| dependent(run, job, text)) {
        return cause.number("holds", letters);
    }
    if job.holds.contains('s') && job.run_count > 20 {
        let sentence = format!(
            "{} failed starts: {name} is held by the system (Hold_Types={letters}) until an operator releases it",
            job.run_count
        );
        let brief = format!("{} failed starts, Hold_Types={letters}", job.run_count);
        let cause = Cause::new(Tier::NotEligible, "failed-starts", sentence).with_short_sentence(brief);
        let note = "check for a bad node, a bad output path or a user unknown there before releasing it";
        return cause.number("run_count", job.run_count).number("holds", letters).note(note.to_owned());
    }
    let by: Vec<&str> = job
        .holds
        .chars()
        .filter_map(|letter| match letter {
            'u' => Some("its user or owner (qrls -h u)"),
            'o' => Some("an operator (qrls -h o, operators only)"),
            's' => Some("the system or a manager (qrls -h s, managers only)"),
            'p' => Some("a bad password"),
            _ => None,
        })
        .collect();
    let by = if by.is_empty() { "a user not named in the dump".to_owned() } else { by.join(" and ") };
    let what = format!("held (Hold_Types={letters}) by {by}: it is not considered until released");
    let named = job.comment.as_deref().and_then(named);
    Cause::of_job_that_is(Tier::NotEligible, "held", name, what)
        .with_short_sentence(format!("Hold_Types={letters}"))
        .with_objects(named.map(|(who, _)| who.to_owned()))
        .number("holds", letters)
        .note(
            named.map(|(who, when)| format!("the server noted: held by {who} {when}").trim_end().to_owned()),
        )
}

/// Parses who held a job, and when, from the server's own comment: `Job held by ann on Mon Oct 3 20:16:26 2022`.
fn named(comment: &str) -> Option<(&str, &str)> {
    let rest = comment.trim().strip_prefix("Job held by ")?;
    Some(rest.split_once(' ').unwrap_or((rest, "")))
}

/// Returns the cause of a job that waits for others; `None` if its dependencies name none.
fn dependent(run: &Run, job: &Job, text: &str) -> Option<Cause> {
    let name = job.short_name();
    let (found, count) = dependencies(text);
    if found.is_empty() && count.is_none() {
        return None;
    }
    let what = found.iter().map(|(kind, job)| format!("{kind}:{}", short_id(job)));
    let on = count.map(|count| format!("on:{count} ({count} jobs that name it have to come first)"));
    let what: Vec<String> = what.chain(on).collect();
    let what = what.join(", ");
    let held = format!("held until its dependency is met: {what}");
    let cause = Cause::of_job_that_is(Tier::NotEligible, "dependency", name, held).with_short_sentence(what);
    let cause = cause.with_objects(found.iter().map(|(_, job)| job.clone()));
    Some(found.iter().fold(cause, |cause, (kind, job)| cause.note(eligibility_of(run, kind, job))))
}

/// Whether a job depends on one that is in no dump, so that it is not known when that dependency is met.
pub(crate) fn depends_on_unknown_job(run: &Run, job: JobId) -> bool {
    let depend = run.plan.job(job).depend.as_deref().unwrap_or_default();
    dependencies(depend).0.iter().any(|(_, name)| named_job(run, name).is_none())
}

/// Returns a job that another one depends on; jobs in files written by hand may have no server in their names.
fn named_job(run: &Run, name: &str) -> Option<JobId> {
    let snap = &run.plan.snap;
    snap.job_named(name).or_else(|| snap.job_named(short_id(name)))
}

/// Describes the state of a job that another one depends on.
fn eligibility_of(run: &Run, kind: &str, name: &str) -> String {
    let snap = &run.plan.snap;
    let found = named_job(run, name);
    let name = short_id(name);
    let Some(id) = found else {
        return format!("{name} is in no dump: if it has ended or was deleted, {kind} may never be met");
    };
    let job = &snap.jobs[id];
    match job.state {
        JobState::Running => format!("{name} is running{}", running::end_text(run, id)),
        JobState::Held => format!("{name} is held itself"),
        JobState::Waiting => format!("{name} has a later time to start at"),
        JobState::Queued | JobState::Begun => match decided(run, id).is_some_and(|o| o.placed.is_some()) {
            true => format!("{name} starts in this cycle"),
            false => format!("{name} waits itself"),
        },
        JobState::Finished | JobState::Expired => {
            format!("{name} has ended: whether {kind} is met depends on how")
        }
        other => format!("{name} is in state {}", other.letter()),
    }
}

/// Parses `depend`: the jobs of `afterok:12.svr@svr:13.svr,before…`, and the number of `on`. Dependencies of other
/// jobs on this one are left out.
fn dependencies(text: &str) -> (Vec<(String, String)>, Option<u32>) {
    let (mut found, mut count) = (Vec::new(), None);
    for part in text.split(',') {
        let mut words = part.trim().split(':');
        let kind = words.next().unwrap_or_default().trim();
        if kind == "on" {
            count = words.next().and_then(|number| number.trim().parse().ok()).filter(|count| *count > 0);
        }
        if kind.starts_with("before") || kind == "on" {
            continue;
        }
        for job in words {
            let job = job.split('@').next().unwrap_or(job);
            found.push((kind.to_owned(), job.to_owned()));
        }
    }
    (found, count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_server_names_who_held_a_job() {
        assert_eq!(
            named("Job held by ann on Mon Oct 3 20:16:26 2022"),
            Some(("ann", "on Mon Oct 3 20:16:26 2022"))
        );
        assert_eq!(named("Not Running: held"), None);
    }

    #[test]
    fn only_what_a_job_waits_for_counts() {
        let (jobs, count) = dependencies("afterok:1.s@s:2.s@s,beforeany:3.s,on:2");
        assert_eq!(jobs.iter().map(|(_, job)| job.as_str()).collect::<Vec<_>>(), ["1.s", "2.s"]);
        assert_eq!(count, Some(2));
        assert_eq!(dependencies("beforeok:3.s"), (Vec::new(), None));
    }
}
