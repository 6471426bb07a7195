//! What takes longer to find: who is in the way, when it would start, what would help.

use crate::blame::Blame;
use crate::forecast::{ASSUMPTION, Forecast, Progress, Source};
use crate::remedy::Remedy;
use crate::words;
use qscope_engine::cluster::Snapshot;

use super::{Section, Topic};

/// Who is in the way, in order of time; none when none is known to be.
pub fn in_the_way(snap: &Snapshot, blame: &Blame) -> Option<Section> {
    let mut section = Section::new(Topic::InTheWay, "Blocked by");
    for end in &blame.ends {
        let nodes =
            if end.nodes.is_empty() { String::new() } else { format!(", on {}", words::some(&end.nodes, 4)) };
        let limit = if end.limit { ", counted by the limit" } else { "" };
        let text = format!("{} until {}{nodes}{limit}", end.who, words::moment(snap, end.at));
        section.line_about(text, std::iter::once(end.who.clone()).chain(end.nodes.iter().take(4).cloned()));
    }
    if let Some(at) = blame.alone {
        section.line(format!("earliest {} if no new job arrives", words::moment(snap, at)));
    }
    for link in &blame.chain {
        section.line_about(link.text.clone(), link.about.clone());
    }
    (!section.lines.is_empty()).then_some(section)
}

/// When it would start, and on which assumption.
pub fn when(snap: &Snapshot, found: &Forecast) -> Section {
    let mut section = Section::new(Topic::When, "When");
    let cycles = words::count(found.cycles, "cycle");
    section.line(match (found.source, found.start) {
        (Source::Now, _) => "in this cycle".to_owned(),
        (Source::TopJob, Some(at)) => {
            format!("{}, as the scheduler's own calendar plans it for this top job", words::moment(snap, at))
        }
        (_, Some(at)) => format!("{}, by running {cycles} forward", words::moment(snap, at)),
        (Source::Ended, None) => {
            format!("not before {}: {cycles} run forward, stopped there", words::moment(snap, found.until))
        }
        (_, None) if found.cycles == 0 => "never, as configured: no job end frees enough".to_owned(),
        (_, None) => {
            format!("never, as configured: {cycles} run forward to the last event")
        }
    });
    if let Some(on) = &found.exec_vnode {
        section.row_of(on.clone(), nodes_of(on));
    }
    if !matches!(found.source, Source::Now | Source::Nothing) {
        section.line(ASSUMPTION);
        section
            .lines
            .extend(found.declared.as_ref().map(|declared| super::Line::new(declared.words(), false)));
    }
    section
}

/// The first nodes of an `exec_vnode`.
fn nodes_of(exec_vnode: &str) -> Vec<String> {
    let mut nodes: Vec<String> = Vec::new();
    for part in exec_vnode.split(['+', '(']).filter_map(|part| part.split(':').next()) {
        if !part.is_empty() && !nodes.iter().any(|node| node == part) {
            nodes.push(part.to_owned());
        }
        if nodes.len() == 8 {
            break;
        }
    }
    nodes
}

/// How far A forecast has come, while it goes on or where it was ended.
pub fn running_forward(snap: &Snapshot, progress: Progress) -> String {
    format!(
        "not before {}; {} run forward so far",
        words::moment(snap, progress.at),
        words::count(progress.cycles, "cycle")
    )
}

/// What would let it start now, the smallest change first.
pub fn what_would_help(remedies: &[Remedy]) -> Section {
    let mut section = Section::new(Topic::Help, "Starts now if (each proved by running the cycle)");
    for (at, remedy) in remedies.iter().enumerate() {
        let text = format!("{}. {}: {}; {}", at + 1, remedy.change, remedy.effect, remedy.costs);
        section.line_about(text, remedy.about.iter().cloned());
    }
    if remedies.is_empty() {
        section.line("no single change starts it in this cycle");
    } else if remedies.iter().all(|remedy| remedy.start.is_some()) {
        "Starts later if (each proved by running the cycle forward)".clone_into(&mut section.title);
    }
    section
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_of_an_exec_vnode_are_named_once() {
        assert_eq!(nodes_of("(n1:ncpus=4:mem=1kb+n2:ncpus=2)+(n1:ncpus=4)"), ["n1", "n2"]);
        assert!(nodes_of("").is_empty());
    }
}
