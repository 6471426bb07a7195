//! What differs between two cycles, in lines: the Compare view lists them, and `qscope compare` prints them.

mod sides;

pub use sides::{Look, Side, Sides};

use super::{
    Comparison, FieldChange, JobChange, JobChangeKind, NodeChange, NodeChangeKind, SettingChange, Stand,
};
use qscope_engine::cluster::{ExecVnode, Snapshot, short_id};
use qscope_engine::cycle::Verdict;
use qscope_explain::words;

/// What a line is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum About {
    /// A job, by its full id.
    Job(String),
    /// Vnodes that changed alike, by name.
    Nodes(Vec<String>),
    Setting(String),
}

/// One change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// Under which heading.
    pub group: &'static str,
    /// What it is about.
    pub about: About,
    /// What that is called.
    pub name: String,
    /// What changed.
    pub text: String,
    /// The same side by side.
    pub sides: Sides,
}

impl Line {
    /// The vnodes that it is about.
    pub fn nodes(&self) -> &[String] {
        match &self.about {
            About::Nodes(names) => names,
            About::Job(_) | About::Setting(_) => &[],
        }
    }

    /// All its words, for filters.
    pub fn words(&self) -> String {
        format!("{} {} {}", self.group, self.name, self.text)
    }
}

/// Rows of a list: the lines, above each group a heading with how many follow.
pub fn under_headings<R>(lines: &[Line], heading: impl Fn(String) -> R, row: impl Fn(&Line) -> R) -> Vec<R> {
    let mut rows = Vec::with_capacity(lines.len() + 8);
    for group in lines.chunk_by(|a, b| a.group == b.group) {
        rows.extend(group.first().map(|line| heading(format!("{}: {}", line.group, group.len()))));
        rows.extend(group.iter().map(&row));
    }
    rows
}

/// How many changes of each kind, in words, the most important first.
pub fn summary(found: &Comparison) -> String {
    use JobChangeKind as K;
    if !found.differs() {
        return match found.unsure.len() {
            0 => "nothing changed".to_owned(),
            unsure => format!("nothing changed for sure, {unsure} uncertain"),
        };
    }
    let jobs = |kind| found.jobs_that(kind).count();
    let otherwise = [K::Reason, K::Path, K::Nodes, K::Estimate, K::Altered];
    let counts = [
        (jobs(K::Started), "started"),
        (jobs(K::Ended), "ended"),
        (jobs(K::Stopped), "back in the queue"),
        (jobs(K::New), "new"),
        (jobs(K::Left), "left"),
        (jobs(K::Verdict), "changed verdict"),
        (otherwise.map(jobs).iter().sum(), "changed otherwise"),
        (jobs(K::Numbers), "by numbers only"),
    ];
    let present = counts.iter().filter(|(count, _)| *count > 0);
    let mut parts: Vec<String> = present.map(|(count, word)| format!("{count} {word}")).collect();
    if let Some(first) = parts.first_mut() {
        *first = format!("jobs: {first}");
    }
    if !found.unsure.is_empty() {
        parts.push(format!("{} uncertain", found.unsure.len()));
    }
    if !found.nodes.is_empty() {
        parts.push(words::count(found.nodes.len(), "node"));
    }
    if !found.settings.is_empty() {
        parts.push(words::count(found.settings.len(), "setting"));
    }
    parts.join(", ")
}

/// All changes: settings, which are few and have effects, then jobs, then vnodes. `snap` is the second side's.
pub fn lines(found: &Comparison, snap: &Snapshot) -> Vec<Line> {
    let settings = found.settings.iter().map(setting_line);
    let jobs = found.jobs.iter().map(|change| job_line(change.kind.title(), change, snap));
    let unsure = found.unsure.iter().map(|change| job_line(UNSURE, change, snap));
    settings.chain(jobs).chain(node_lines(&found.nodes)).chain(unsure).collect()
}

/// The heading of what may come from dumps that do not belong together.
const UNSURE: &str = "uncertain: the sides are not made of the same dumps";

fn job_line(group: &'static str, change: &JobChange, snap: &Snapshot) -> Line {
    Line {
        group,
        sides: sides::of_job(change, snap),
        about: About::Job(change.job.to_string()),
        name: short_id(&change.job).to_owned(),
        text: job_text(change, snap),
    }
}

fn setting_line(change: &SettingChange) -> Line {
    Line {
        group: "settings",
        sides: sides::of_setting(change),
        about: About::Setting(change.object.clone()),
        name: change.object.clone(),
        text: field_text(&change.field),
    }
}

fn field_text(field: &FieldChange) -> String {
    let side = |value: &Option<String>| value.clone().unwrap_or_else(|| "not set".to_owned());
    match (field.name.as_str(), &field.before, &field.after) {
        ("there", None, _) => "is new".to_owned(),
        ("there", _, None) => "is gone".to_owned(),
        (name, before, after) => format!("{name} {} -> {}", side(before), side(after)),
    }
}

fn job_text(change: &JobChange, snap: &Snapshot) -> String {
    use JobChangeKind as K;
    let mut parts = Vec::new();
    match (change.kind, &change.before, &change.after) {
        (K::Started, before, Some(after)) => parts.push(start_text(before.as_ref(), after)),
        (K::Ended, Some(before), _) => parts.push(format!("ran on {}", on(before))),
        (K::Stopped, Some(before), Some(after)) => {
            parts.push(format!("ran on {}; {}", on(before), judgement(after)));
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

/// Where a job started, and whether the cycle before predicted it.
fn start_text(before: Option<&Stand>, after: &Stand) -> String {
    let nodes = format!("on {}", on(after));
    match before.filter(|before| before.verdict.is_some()) {
        None => nodes,
        Some(before) if before.verdict == Some(Verdict::Run) => match (on(before), on(after)) {
            (modelled, real) if modelled == real => format!("{nodes}, as modelled"),
            (modelled, _) => format!("{nodes}; modelled on {modelled}"),
        },
        Some(before) => format!("{nodes}; before: {}", judgement(before)),
    }
}

/// The side of a change that shows its kind.
fn outcome_text(kind: JobChangeKind, stand: &Stand, snap: &Snapshot) -> String {
    use JobChangeKind as K;
    match kind {
        K::Reason | K::Numbers => reason(stand),
        K::Path => stand.path.map_or("no path", |path| path.word()).to_owned(),
        K::Nodes => on(stand),
        K::Estimate => match stand.estimate {
            Some(start) => format!("starts {}", words::clock(snap, start)),
            None => "no top job".to_owned(),
        },
        _ => judgement(stand),
    }
}

fn judgement(stand: &Stand) -> String {
    let word = match stand.verdict {
        None if stand.runs() => return format!("runs on {}", on(stand)),
        None => "waits with its array",
        Some(Verdict::Run) => return format!("starts on {}", on(stand)),
        Some(Verdict::NotNow) => "waits",
        Some(Verdict::Never) => "never",
        Some(Verdict::NotConsidered) => "not considered",
    };
    match reason(stand) {
        why if why.is_empty() => word.to_owned(),
        why => format!("{word}: {why}"),
    }
}

/// The reason without the words that repeat the verdict.
fn reason(stand: &Stand) -> String {
    let text = stand.reason.as_deref().unwrap_or_default();
    let bare = text.strip_prefix("Not Running: ").or_else(|| text.strip_prefix("Can Never Run: "));
    bare.unwrap_or(text).to_owned()
}

/// The vnodes of a placement, each once, neighbours put together.
fn on(stand: &Stand) -> String {
    let Some(text) = &stand.on else { return "unknown nodes".to_owned() };
    let Ok(placement) = ExecVnode::parse(text) else { return text.clone() };
    let mut nodes: Vec<&str> = placement.parts().map(|part| &*part.vnode).collect();
    nodes.sort_unstable();
    nodes.dedup();
    words::compact(nodes.into_iter())
}

/// Vnodes that changed alike are one line.
fn node_lines(changes: &[NodeChange]) -> Vec<Line> {
    let mut alike: Vec<(&'static str, String, Vec<&NodeChange>)> = Vec::new();
    let mut known = rustc_hash::FxHashMap::default();
    for change in changes {
        let (group, text) = (node_group(change.kind), node_text(change));
        let at = *known.entry((group, text.clone())).or_insert(alike.len());
        match alike.get_mut(at) {
            Some((.., same)) => same.push(change),
            None => alike.push((group, text, vec![change])),
        }
    }
    alike.sort_by_key(|(group, ..)| *group == node_group(NodeChangeKind::Free));
    let line = |(group, text, same): (&'static str, String, Vec<&NodeChange>)| {
        let names: Vec<String> = same.iter().map(|change| change.node.to_string()).collect();
        Line {
            group,
            sides: same.first().map(|change| sides::of_node(change)).unwrap_or_default(),
            name: words::compact(names.iter().map(String::as_str)),
            about: About::Nodes(names),
            text,
        }
    };
    alike.into_iter().map(line).collect()
}

fn node_group(kind: NodeChangeKind) -> &'static str {
    match kind {
        NodeChangeKind::Free => "nodes: what is free",
        _ => "nodes",
    }
}

fn node_text(change: &NodeChange) -> String {
    let mut parts = Vec::new();
    match (change.before, change.after) {
        (None, Some(states)) => parts.push(format!("new, {states}")),
        (Some(states), None) => parts.push(format!("gone, was {states}")),
        (Some(before), Some(after)) if before != after => parts.push(format!("{before} -> {after}")),
        _ => {}
    }
    for free in &change.free {
        let [before, after] = [&free.before, &free.after].map(|side| side.as_deref().unwrap_or("none"));
        parts.push(format!("{} {before} -> {after} free", free.resource));
    }
    parts.extend(change.altered.iter().map(field_text));
    if parts.is_empty() {
        let jobs = [(change.arrived.len(), "came"), (change.left.len(), "left")];
        let present = jobs.iter().filter(|(count, _)| *count > 0);
        parts.extend(present.map(|(count, word)| format!("{} {word}", words::count(*count, "job"))));
    }
    parts.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use qscope_engine::cluster::{Epoch, JobState, NodeStates};

    fn stand(verdict: Option<Verdict>, text: &str) -> Stand {
        let (on, reason) = if text.starts_with('(') { (Some(text), None) } else { (None, Some(text)) };
        Stand {
            state: if verdict.is_some() { JobState::Queued } else { JobState::Running },
            verdict,
            path: None,
            tier: None,
            reason: reason.map(str::to_owned),
            on: on.map(str::to_owned),
            estimate: None,
        }
    }

    fn shown(kind: JobChangeKind, before: Option<Stand>, after: Option<Stand>) -> String {
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

    #[test]
    fn nodes_that_changed_alike_are_one_line() {
        let node = |name: &str| NodeChange {
            node: name.into(),
            kind: NodeChangeKind::Added,
            before: None,
            after: Some(NodeStates::FREE),
            free: Vec::new(),
            altered: Vec::new(),
            arrived: Vec::new(),
            left: Vec::new(),
        };
        let lines = node_lines(&["n1", "n2", "n4"].map(node));
        assert_eq!((lines.len(), &*lines[0].name, &*lines[0].text), (1, "n[1-2,4]", "new, free"));
    }
}
