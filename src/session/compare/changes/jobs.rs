//! Describes the change of a job in words.

use qscope_engine::cluster::{ExecVnode, Snapshot};
use qscope_engine::cycle::Verdict;
use qscope_explain::{given_reason, words};

use crate::compare::settings::THERE;
use crate::compare::{FieldChange, JobChange, JobChangeKind, JobSituation};

/// Formats a field on both sides.
pub(super) fn field_text(field: &FieldChange) -> String {
    let side = |value: &Option<String>| value.clone().unwrap_or_else(|| "not set".to_owned());
    match (field.name.as_str(), &field.before, &field.after) {
        (THERE, None, _) => "is new".to_owned(),
        (THERE, _, None) => "is gone".to_owned(),
        (name, before, after) => format!("{name} {} -> {}", side(before), side(after)),
    }
}

pub(super) fn job_text(change: &JobChange, snap: &Snapshot) -> String {
    use JobChangeKind as K;
    let mut parts = Vec::new();
    match (change.kind, &change.before, &change.after) {
        (K::Started, before, Some(after)) => parts.push(start_text(before.as_ref(), after)),
        (K::Ended, Some(before), _) => parts.push(format!("ran on {}", vnodes_text(before))),
        (K::Stopped, Some(before), Some(after)) => {
            parts.push(format!("ran on {}; {}", vnodes_text(before), judgement(after)));
        }
        (K::New, _, Some(after)) => parts.push(judgement(after)),
        (K::Left, Some(before), _) => parts.push(format!("before: {}", judgement(before))),
        (K::Altered, ..) => {}
        (kind, Some(before), Some(after)) => {
            let show = |side| outcome_text(kind, side, snap);
            parts.push(format!("{} -> {}", show(before), show(after)));
        }
        _ => {}
    }
    parts.extend(change.altered.iter().map(field_text));
    parts.extend(change.since.as_ref().map(|since| format!("since then {since}")));
    parts.join("; ")
}

/// Returns where a job started, and whether the previous cycle predicted it.
fn start_text(before: Option<&JobSituation>, after: &JobSituation) -> String {
    let nodes = format!("on {}", vnodes_text(after));
    match before.filter(|before| before.verdict.is_some()) {
        None => nodes,
        Some(before) if before.verdict == Some(Verdict::Run) => {
            match (vnodes_text(before), vnodes_text(after)) {
                (modelled, real) if modelled == real => format!("{nodes}, as modelled"),
                (modelled, _) => format!("{nodes}; modelled on {modelled}"),
            }
        }
        Some(before) => format!("{nodes}; before: {}", judgement(before)),
    }
}

/// Returns the side of a change in words that show its kind.
pub(super) fn outcome_text(kind: JobChangeKind, stand: &JobSituation, snap: &Snapshot) -> String {
    use JobChangeKind as K;
    match kind {
        K::Reason | K::Numbers => reason(stand),
        K::Path => stand.path.map_or("no path", |path| path.word()).to_owned(),
        K::Nodes => vnodes_text(stand),
        K::Estimate => match stand.estimate {
            Some(start) => format!("starts {}", words::clock(snap, start)),
            None => "no top job".to_owned(),
        },
        _ => judgement(stand),
    }
}

/// Returns the verdict on a job, or where it runs.
pub(super) fn judgement(stand: &JobSituation) -> String {
    let word = match stand.verdict {
        None if stand.runs() => return format!("runs on {}", vnodes_text(stand)),
        None => "waits with its array",
        Some(Verdict::Run) => return format!("starts on {}", vnodes_text(stand)),
        Some(Verdict::NotNow) => "waits",
        Some(Verdict::Never) => "never",
        Some(Verdict::NotConsidered) => "not considered",
    };
    match reason(stand) {
        why if why.is_empty() => word.to_owned(),
        why => format!("{word}: {why}"),
    }
}

/// Returns the reason without the words that repeat the verdict.
fn reason(stand: &JobSituation) -> String {
    let text = stand.reason.as_deref().unwrap_or_default();
    given_reason(text).unwrap_or(text).to_owned()
}

/// Returns the vnodes of a placement, each once, folded.
pub(super) fn vnodes_text(situation: &JobSituation) -> String {
    let Some(text) = &situation.nodes else { return "unknown nodes".to_owned() };
    let Ok(placement) = ExecVnode::parse(text) else { return text.clone() };
    words::compact(placement.vnodes().into_iter().map(|name| &**name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use qscope_engine::cluster::{Epoch, JobState};

    fn stand(verdict: Option<Verdict>, text: &str) -> JobSituation {
        let (on, reason) = if text.starts_with('(') { (Some(text), None) } else { (None, Some(text)) };
        JobSituation {
            state: if verdict.is_some() { JobState::Queued } else { JobState::Running },
            verdict,
            path: None,
            tier: None,
            reason: reason.map(str::to_owned),
            nodes: on.map(str::to_owned),
            estimate: None,
        }
    }

    fn shown(kind: JobChangeKind, before: Option<JobSituation>, after: Option<JobSituation>) -> String {
        let change = JobChange { job: "1.s".into(), kind, before, after, altered: Vec::new(), since: None };
        job_text(&change, &Snapshot::empty("t", Epoch(0)))
    }

    #[test]
    fn a_change_of_a_job_reports_both_sides() {
        use JobChangeKind as K;
        let runs = || Some(stand(None, "(n2:ncpus=1)+(n1:ncpus=1)"));
        let starts = || Some(stand(Some(Verdict::Run), "(n1:ncpus=1)"));
        let waits = || Some(stand(Some(Verdict::NotNow), "Not Running: Not enough free nodes available"));
        assert_eq!(shown(K::Started, None, runs()), "on n[1-2]");
        assert_eq!(shown(K::Started, starts(), runs()), "on n[1-2]; modelled on n1");
        assert_eq!(
            shown(K::Started, waits(), runs()),
            "on n[1-2]; before: waits: Not enough free nodes available"
        );
        assert_eq!(shown(K::Ended, runs(), None), "ran on n[1-2]");
        assert_eq!(
            shown(K::Verdict, starts(), waits()),
            "starts on n1 -> waits: Not enough free nodes available"
        );
    }
}
