//! The rule by which a job does not start (rules 6.1 to 6.4), by its id in the list of rules.

use super::{Eligibility, Exclusion, Outcome, RefusalStage, Run};
use crate::placement::{PathRule, PlacementPath};
use crate::universe::Reason;

/// Declares the rules once: variant, id, and what they state in one sentence.
macro_rules! stop_rules {
    ($($rule:ident $id:literal $sentence:literal;)+) => {
        /// A rule by which a job does not start.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub enum StopRule {
            $(#[doc = $sentence] $rule,)+
        }

        impl StopRule {
            /// Every rule, in the order in which a cycle comes to them.
            pub const ALL: &[Self] = &[$(Self::$rule),+];

            /// The ids of these rules, in the same order.
            pub const IDS: &[&str] = &[$($id),+];

            /// Returns the id of the rule in the list of rules.
            pub const fn id(self) -> &'static str {
                match self { $(Self::$rule => $id),+ }
            }

            /// Explains the rule in one sentence.
            pub const fn sentence(self) -> &'static str {
                match self { $(Self::$rule => $sentence),+ }
            }
        }
    };
}

stop_rules! {
    JobsConsidered "jobs-considered" "its state, its queue, its request or its shares keep it out of the cycle";
    CyclePhases "cycle-phases" "its formula value is not above the threshold, or a confirmed reservation ended the cycle";
    Qrun "qrun" "an operator started another job alone";
    MainLoop "main-loop" "a job ahead cannot start and the order is strict, or the cycle ended before this job";
    ClassFailed "class-failed" "a job of the same class failed earlier in the cycle";
    AllNodes "all-nodes-check" "all nodes together have too little left";
    Limits "limits-check" "a limit of the server or the queue is reached";
    MaxRunSubjobs "max-run-subjobs" "the array runs as many subjobs as it may";
    PrimeBoundary "prime-boundary" "it would not end before prime or non-prime time does";
    QueuePeriod "queue-period" "its queue is closed by prime or dedicated time";
    DedicatedBoundary "dedicated-boundary" "it would end inside dedicated time, or span it";
    QueueResources "queue-resources" "its queue has too little left of a resource";
    ServerResources "server-resources" "the server has too little left of a resource";
    SetFitsNow "set-fits-now" "the last placement set tried has too little left";
    SetFitsEver "set-fits-ever" "no placement set is large enough, and it may not span sets";
    ChunkMap "chunk-map" "the buckets that match a chunk are too small in all";
    BucketAllocation "bucket-allocation" "its buckets have too few nodes free until it ends";
    NodeInUse "node-in-use" "the node examined last is in use, and it requests whole nodes";
    NodePowerProfile "node-power-profile" "the node examined last lacks its power profile";
    NodeNotFree "node-not-free" "the node examined last is in no free state";
    NodeProvisioning "node-provisioning" "the node examined last cannot be provisioned";
    NodeResvEnable "node-resv-enable" "the node examined last takes no reservation";
    NodeRunLimits "node-run-limits" "the node examined last runs as many jobs as it may";
    NoMultinodeJobs "no-multinode-jobs" "the node examined last takes no job of several nodes";
    OneChunk "one-chunk" "no node has enough left for a chunk";
    NodeUntilEnd "node-until-end" "the node examined last is planned for another before it would end";
    RoomInVain "room-in-vain" "jobs were preempted for it, and it did not fit";
    ServerRefuses "days-answer" "the server refuses its start on a node that another job has exclusively";
    Preempted "preemption" "it starts, and a job considered later in the cycle preempts it";
}

/// The ids of the rules that decide about a job: those by which it does not start, then those that choose the path of
/// one that starts.
pub const DECIDING_RULES: &[&str] = &{
    const STOPS: usize = StopRule::IDS.len();
    let mut all = [""; STOPS + PathRule::IDS.len()];
    let (stops, paths) = all.split_at_mut(STOPS);
    stops.copy_from_slice(StopRule::IDS);
    paths.copy_from_slice(PathRule::IDS);
    all
};

/// A rule that decided about a job.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DecidingRule {
    /// The id in the list of rules.
    pub id: &'static str,
    /// What it states, in one sentence.
    pub sentence: &'static str,
}

impl Run {
    /// Returns the rule by which a job does not start; `None` for one that starts, and where a bound of this program
    /// stops it.
    pub fn stop_rule(&self, outcome: &Outcome) -> Option<StopRule> {
        if outcome.placed.is_some() {
            let undone = self.is_undone(outcome).then_some(StopRule::Preempted);
            return self.is_refused(outcome).then_some(StopRule::ServerRefuses).or(undone);
        }
        let reason = outcome.rejection.as_ref().map(|rejection| &rejection.reason);
        match (outcome.refused_at, reason) {
            (_, Some(Reason::TooManySubjobs | Reason::TooManyChunks)) | (None, None) => None,
            (Some(RefusalStage::Eligibility), _) => match self.eligibility[outcome.job] {
                Eligibility::Excluded(why) => of_exclusion(why),
                _ => Some(StopRule::JobsConsidered),
            },
            (Some(RefusalStage::Class(_)), _) => Some(StopRule::ClassFailed),
            (Some(RefusalStage::AllNodes), _) => Some(StopRule::AllNodes),
            (Some(RefusalStage::Limit), Some(Reason::SubjobLimit)) => Some(StopRule::MaxRunSubjobs),
            (Some(RefusalStage::Limit), _) => Some(StopRule::Limits),
            (Some(RefusalStage::Order), _) => Some(StopRule::MainLoop),
            (Some(RefusalStage::Time), Some(Reason::CrossPrime { .. })) => Some(StopRule::PrimeBoundary),
            (Some(RefusalStage::Time), Some(Reason::CrossDedicated)) => Some(StopRule::DedicatedBoundary),
            (Some(RefusalStage::Time), _) => Some(StopRule::QueuePeriod),
            (Some(RefusalStage::QueueResources), _) => Some(StopRule::QueueResources),
            (Some(RefusalStage::ServerResources), _) => Some(StopRule::ServerResources),
            (None, Some(reason)) => Some(on_path(outcome, reason)),
        }
    }

    /// Returns the rule that decided about a job: the one by which it does not start, or the one that chose its path.
    pub fn deciding_rule(&self, outcome: &Outcome) -> Option<DecidingRule> {
        let stop = self.stop_rule(outcome);
        let stop = stop.map(|rule| DecidingRule { id: rule.id(), sentence: rule.sentence() });
        let path = outcome.would_use.map(|choice| choice.rule);
        stop.or(path.map(|rule| DecidingRule { id: rule.id(), sentence: rule.sentence() }))
    }
}

fn of_exclusion(why: Exclusion) -> Option<StopRule> {
    match why {
        Exclusion::UnderThreshold { .. } | Exclusion::CycleEnded(_) => Some(StopRule::CyclePhases),
        Exclusion::BehindQrun => Some(StopRule::Qrun),
        Exclusion::CheckLimit => Some(StopRule::MainLoop),
        Exclusion::NoEnd(_) => None,
        _ => Some(StopRule::JobsConsidered),
    }
}

/// Returns the rule of a placement path that refused a job.
fn on_path(outcome: &Outcome, reason: &Reason) -> StopRule {
    let never = outcome.rejection.as_ref().is_some_and(|rejection| rejection.is_permanent);
    match reason {
        Reason::Conflict => StopRule::NodeUntilEnd,
        Reason::NodeNotExclusive => StopRule::NodeInUse,
        Reason::EoeMissing(_) => StopRule::NodePowerProfile,
        Reason::NodeState(_) => StopRule::NodeNotFree,
        Reason::ProvisioningOff | Reason::ProvisioningDisabled => StopRule::NodeProvisioning,
        Reason::ReservationsDisabled => StopRule::NodeResvEnable,
        Reason::NodeJobLimit | Reason::NodeUserLimit | Reason::NodeGroupLimit => StopRule::NodeRunLimits,
        Reason::NoMultinode => StopRule::NoMultinodeJobs,
        Reason::SetTooSmall(_) => StopRule::SetFitsNow,
        Reason::CantSpan => StopRule::SetFitsEver,
        Reason::PreemptionInVain => StopRule::RoomInVain,
        _ if outcome.entered() != Some(PlacementPath::Bucket) => StopRule::OneChunk,
        _ if never => StopRule::ChunkMap,
        _ => StopRule::BucketAllocation,
    }
}
