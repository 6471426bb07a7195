//! The contents that the writers of the world write: two dumps, each with its version in every record.

use qscope::cluster::Snapshot;

use super::clock;

pub(super) const FILES: [&str; 2] = ["nodes.json", "jobs.json"];

/// The versions of the two dumps that a snapshot shows; no version of jobs where it has none.
pub(super) type Shown = (u32, Option<u32>);

/// The state of a dump.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Stand {
    /// A whole dump of this version.
    Whole(u32),
    /// No file, or an empty one.
    Gone,
    /// Something that is not a dump.
    Damaged,
}

impl Stand {
    /// Returns whether a snapshot of this state may show that version.
    pub(super) fn allows(self, version: Option<u32>) -> bool {
        match self {
            Self::Whole(whole) => version == Some(whole),
            Self::Gone => version.is_none(),
            Self::Damaged => false,
        }
    }
}

/// Returns the text of a dump.
pub(super) fn text(which: usize, version: u32) -> String {
    let now = clock::epoch().0;
    if which == 0 {
        let node = |letter| {
            format!(
                "\"v{version:05}{letter}\":{{\"Mom\":\"h\",\"state\":\"free\",\"resources_available\":{{\"ncpus\":8}}}}"
            )
        };
        let all = ['a', 'b', 'c'].map(node).join(",\n");
        return format!("{{\"timestamp\":{now},\"pbs_server\":\"s\",\"nodes\":{{{all}}}}}\n");
    }
    let job =
        |id| format!("\"{id}.s\":{{\"Job_Name\":\"v{version:05}\",\"job_state\":\"Q\",\"queue\":\"q\"}}");
    let all = [1, 2].map(job).join(",\n");
    format!("{{\"timestamp\":{now},\"pbs_server\":\"s\",\"Jobs\":{{{all}}}}}\n")
}

/// Returns the versions that a snapshot shows, if each of its dumps is whole and of one version.
pub(super) fn versions(snapshot: &Snapshot) -> Option<Shown> {
    let of = |texts: Vec<&str>, count: usize| {
        let first: u32 = texts.first()?.get(1..6)?.parse().ok()?;
        let same = texts.iter().all(|text| text.get(1..6) == texts[0].get(1..6));
        (texts.len() == count && same).then_some(first)
    };
    let nodes = of(snapshot.nodes.iter().map(|node| &*node.name).collect(), 3)?;
    let titles: Vec<&str> = snapshot.jobs.iter().map(|job| &*job.title).collect();
    if titles.is_empty() {
        return Some((nodes, None));
    }
    Some((nodes, Some(of(titles, 2)?)))
}
