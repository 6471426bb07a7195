//! Counts records while they are decoded: a first picture of a large dump while the rest is read.

mod strip;

use qscope_engine::cluster::{Job, JobState, Node, NodeState};

pub use strip::{Strip, StripCell};

/// State of a vnode or job according to its record.
#[derive(Clone, Copy, PartialEq, Eq, Debug, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "lowercase")]
pub enum RecordState {
    /// A vnode in service without jobs.
    Free,
    /// A vnode with jobs and room.
    #[strum(to_string = "part")]
    PartUsed,
    /// A vnode that is full, or used exclusively.
    Full,
    /// A vnode out of service.
    Out,
    /// A job that runs.
    Running,
    /// A queued job, or an array with indices left.
    Queued,
    /// A job that is held, or waits for its execution time.
    Held,
    /// A job in none of these states.
    Other,
}

impl RecordState {
    /// All states, those of vnodes first.
    pub const ALL: &[Self] = <Self as strum::VariantArray>::VARIANTS;

    /// Returns it as one word.
    pub fn word(self) -> &'static str {
        self.into()
    }

    pub(crate) fn of_node(node: &Node) -> Self {
        let states = node.states;
        let is_taken = [NodeState::JobBusy, NodeState::JobExclusive].into_iter().any(|one| states.has(one));
        match () {
            () if states.is_out_of_service() => Self::Out,
            () if is_taken || node.is_cpuless() => Self::Full,
            () if node.jobs.is_empty() => Self::Free,
            () => Self::PartUsed,
        }
    }

    pub(crate) fn of_job(job: &Job) -> Self {
        match job.state {
            JobState::Running => Self::Running,
            JobState::Queued | JobState::Begun => Self::Queued,
            JobState::Held | JobState::Waiting => Self::Held,
            _ => Self::Other,
        }
    }

    /// Whether it is a state of vnodes.
    pub fn is_of_node(self) -> bool {
        matches!(self, Self::Free | Self::PartUsed | Self::Full | Self::Out)
    }
}

/// The records decoded so far: counts by state, and the vnodes in order.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct DecodedTally {
    counts: [usize; RecordState::ALL.len()],
    strip: Strip,
}

impl DecodedTally {
    /// Adds a record.
    pub(crate) fn add(&mut self, state: RecordState) {
        if let Some(count) = self.counts.get_mut(state as usize) {
            *count += 1;
        }
        self.strip.push(state);
    }

    /// Returns the vnodes in the order of the file.
    pub fn strip(&self) -> &Strip {
        &self.strip
    }

    /// Returns the number of records in each state that occurs.
    pub fn counts(&self) -> impl Iterator<Item = (RecordState, usize)> + '_ {
        RecordState::ALL.iter().copied().zip(self.counts).filter(|(_, count)| *count > 0)
    }

    /// Returns the number of records.
    pub fn records(&self) -> usize {
        self.counts.iter().sum()
    }
}

impl FromIterator<(RecordState, usize)> for DecodedTally {
    fn from_iter<I: IntoIterator<Item = (RecordState, usize)>>(counted: I) -> Self {
        let mut all = Self::default();
        for (state, more) in counted {
            (0..more).for_each(|_| all.add(state));
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use qscope_engine::cluster::NodeStates;

    #[test]
    fn records_are_counted_by_what_they_state() {
        let node = |states, jobs: &[&str]| Node {
            states,
            jobs: jobs.iter().map(|job| (*job).into()).collect(),
            ..Node::default()
        };
        let mut so_far = DecodedTally::default();
        let nodes = [
            (NodeStates::FREE, &[] as &[&str]),
            (NodeStates::FREE, &["1.s"]),
            (NodeStates::FREE.with(NodeState::JobBusy), &["2.s"]),
            (NodeStates::FREE.with(NodeState::Down), &["3.s"]),
        ];
        nodes.iter().for_each(|(states, jobs)| so_far.add(RecordState::of_node(&node(*states, jobs))));
        for state in [JobState::Running, JobState::Queued, JobState::Begun, JobState::Suspended] {
            so_far.add(RecordState::of_job(&Job { state, ..Job::default() }));
        }
        let counts: Vec<_> = so_far.counts().map(|(state, count)| (state.word(), count)).collect();
        let nodes = [("free", 1), ("part", 1), ("full", 1), ("out", 1)];
        assert_eq!(counts, [nodes.as_slice(), &[("running", 1), ("queued", 2), ("other", 1)]].concat());
        assert_eq!(so_far.records(), 8);
    }
}
