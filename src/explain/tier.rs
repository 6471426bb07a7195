//! Tiers of causes, from not eligible to not considered.

use qscope_engine::cycle::{Outcome, RefusalStage, Run, Verdict};
use qscope_engine::universe::Reason;
use serde::Serialize;

/// The kind of cause that keeps a job waiting.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, strum::IntoStaticStr, strum::VariantArray)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Tier {
    /// Held, waiting for its start time, dependent, under the formula threshold, or ignored.
    NotEligible,
    /// Its queue is stopped, or that of a reservation which has not begun.
    Stopped,
    /// It cannot fit even when everything is idle, or the scheduler reports never.
    Never,
    Limit,
    /// Other jobs are ahead.
    Order,
    /// The nodes that could serve lack a resource in sum.
    Short,
    /// Enough in sum, but not in one shape, set or node.
    Fragmented,
    /// A reservation, a top job, or a change of prime or dedicated time is ahead.
    Calendar,
    NotConsidered,
}

impl Tier {
    /// The identifier used in machine-readable output.
    pub fn word(self) -> &'static str {
        self.into()
    }

    /// All tiers, deepest first.
    pub const ALL: &[Self] = <Self as strum::VariantArray>::VARIANTS;

    /// The rank of the tier. Of two causes, the one with the lower rank would still hold the job if the other were
    /// gone, so it is to be examined first.
    pub fn rank(self) -> u8 {
        self as u8
    }

    /// Returns the name for display: that of [`word`](Self::word) in words, except that a shortage is named after
    /// what is insufficient.
    pub fn title(self) -> String {
        if self == Self::Short { "insufficient resources".to_owned() } else { self.word().replace('_', " ") }
    }

    /// Returns the tier of what the scheduler hit first, given the tier of the cause in the job's own state.
    pub(super) fn with_state(
        run: &Run,
        outcome: &Outcome,
        state: impl FnOnce() -> Option<Self>,
    ) -> Option<Self> {
        if run.is_refused(outcome) || run.is_undone(outcome) {
            return Some(Self::Order);
        }
        let hit = Self::tier_of_outcome(outcome, state)?;
        // The time of day holds the jobs of a queue whether they can run at another or not.
        let is_time_of_day = outcome.rejection.as_ref().is_some_and(|why| is_of_time_of_day(&why.reason));
        let is_deeper = hit.rank() > Self::Never.rank() && !is_time_of_day;
        let is_never = is_deeper && run.impossible_jobs().contains(outcome.job);
        Some(if is_never { Self::Never } else { hit })
    }

    fn tier_of_outcome(outcome: &Outcome, state: impl FnOnce() -> Option<Self>) -> Option<Self> {
        match outcome.verdict {
            Verdict::Run => None,
            Verdict::Never => Some(Self::Never),
            // Other jobs are not considered because the cycle ends before them, or does not run.
            Verdict::NotConsidered if outcome.rejection.is_none() => {
                Some(state().unwrap_or(Self::NotConsidered))
            }
            _ => Some(match (&outcome.rejection, outcome.refused_at) {
                (Some(rejection), stage) => Self::of_reason(&rejection.reason, stage),
                (None, _) => Self::NotConsidered,
            }),
        }
    }

    fn of_reason(reason: &Reason, stage: Option<RefusalStage>) -> Self {
        match reason {
            Reason::QueueNotStarted => Self::Stopped,
            Reason::CrossDedicated | Reason::Conflict => Self::Calendar,
            of_day if is_of_time_of_day(of_day) => Self::Calendar,
            Reason::Limit(_)
            | Reason::SubjobLimit
            | Reason::TooManySubjobs
            | Reason::TooManyChunks
            | Reason::QueueResource(_)
            | Reason::ServerResource(_) => Self::Limit,
            Reason::StrictOrdering | Reason::NoShares | Reason::NoSubjobLeft => Self::Order,
            Reason::NoFreeNodes => Self::Short,
            Reason::Resource(_) if stage == Some(RefusalStage::AllNodes) => Self::Short,
            Reason::UnderThreshold | Reason::Invalid(_) => Self::NotEligible,
            _ => Self::Fragmented,
        }
    }
}

/// Whether a reason is that a queue is closed at this time of day, or that prime or non-prime time ends too early.
fn is_of_time_of_day(reason: &Reason) -> bool {
    matches!(
        reason,
        Reason::DedicatedTime | Reason::PrimeOnly | Reason::NonPrimeOnly | Reason::CrossPrime { .. }
    )
}
