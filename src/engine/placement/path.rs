//! The choice between the two placement algorithms (rule 3.1).

use crate::cluster::{Arrangement, JobId, PlaceSharing, ProvisionPolicy, ResourceId};
use crate::universe::{JobRequest, Plan, Quirk};

/// One of the two placement algorithms.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum PlacementPath {
    /// Buckets of equal nodes, as bitmaps.
    Bucket,
    Node,
}

impl PlacementPath {
    /// The name used in output.
    pub fn word(self) -> &'static str {
        match self {
            Self::Bucket => "bucket",
            Self::Node => "node",
        }
    }
}

/// Declares the tests once: variant, id, name, and what decided in one sentence.
macro_rules! path_rules {
    ($($(#[doc = $doc:literal])+ $rule:ident $id:literal $name:literal $sentence:literal;)+) => {
        /// The test that decided, in the order the tests are made.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
        pub enum PathRule {
            $($(#[doc = $doc])+ $rule,)+
        }

        impl PathRule {
            /// All rules, in the order of the tests.
            pub const ALL: &[Self] = &[$(Self::$rule),+];

            /// The ids of all rules, in that order.
            pub const IDS: &[&str] = &[$($id),+];

            /// Returns the id of the rule in the list of rules.
            pub const fn id(self) -> &'static str {
                match self { $(Self::$rule => $id),+ }
            }

            /// Returns the short name for machine-readable output.
            pub fn name(self) -> &'static str {
                match self { $(Self::$rule => $name),+ }
            }

            /// Explains the rule in one sentence.
            pub fn sentence(self) -> &'static str {
                match self { $(Self::$rule => $sentence),+ }
            }
        }
    };
}

path_rules! {
    /// Test 2: nodes are re-sorted for every job.
    PerJobSort "sort-key-unused" "node_sort_key is per-job"
        "node_sort_key sorts by unused or assigned amounts, so nodes are sorted anew for every job";
    /// Test 3: provisioning is avoided.
    AvoidProvision "avoid-provision" "avoid_provision"
        "provision_policy is avoid_provision, so nodes are sorted for every job";
    /// Test 4: an operator started this job by qrun.
    Qrun "qrun-node-path" "qrun" "qrun always takes the node path";
    /// Test 5: the job is in a reservation.
    InReservation "in-reservation" "in reservation" "jobs in a reservation have nodes of their own";
    /// Test 6: the job requests shared nodes.
    Shared "place-shared" "place=shared" "shared requested; a bucket's nodes cannot be partly taken";
    /// Test 7: the job does not request exclusive nodes.
    NotExclusive "not-exclusive" "not exclusive" "excl not requested; a bucket's nodes cannot be partly taken";
    /// Test 8: the job requests one host (`pack`).
    Pack "place-pack" "place=pack" "pack requested, which buckets do not support";
    /// Test 9: some host has several vnodes.
    MultiVnode "multi-vnode" "multi-vnode host"
        "a host of the complex has several vnodes; buckets cannot break chunks over them";
    /// Test 10: a chunk names a host.
    NamesHost "names-host" "requests host" "a chunk names a host";
    /// Test 11: a chunk names a vnode.
    NamesVnode "names-vnode" "requests vnode" "a chunk names a vnode";
    /// Test 12: the job has a previous placement.
    PreviousPlacement "has-placement" "has previous placement" "the job has to go back to the nodes it had";
    /// All tests passed.
    AllHold "bucket-excl" "exclusive, and nothing forbids buckets" "excl requested, no other rule applies";
    /// Not a test of the scheduler: an allocation policy replaces its node order.
    Policy "maui-picking" "allocation policy"
        "an allocation policy orders nodes job by job; buckets know no order inside";
}

impl PathRule {
    /// Returns the number of the test; 13 if all passed, 14 if none was made.
    pub fn number(self) -> u8 {
        self as u8 + 2
    }
}

/// The path and the rule that decided.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PathChoice {
    pub path: PlacementPath,
    /// The deciding test.
    pub rule: PathRule,
}

impl PathChoice {
    /// The choice for a job that returns to its previous nodes, and for every check around preemption.
    pub(crate) const BACK: Self = Self { path: PlacementPath::Node, rule: PathRule::PreviousPlacement };
}

/// Chooses the path of a job; `was_top` states whether it became a top job earlier in this cycle (quirk D11).
pub fn choose_path(plan: &Plan, job: JobId, request: &JobRequest, was_top: bool) -> PathChoice {
    match first_failing(plan, job, request, was_top) {
        Some(rule) => PathChoice { path: PlacementPath::Node, rule },
        None => PathChoice { path: PlacementPath::Bucket, rule: PathRule::AllHold },
    }
}

/// Whether nothing but its request decides the path of a job that was not a top job before.
pub fn is_path_of_request(plan: &Plan, job: JobId) -> bool {
    plan.ranking_of(job).is_none()
        && plan.snap.qrun != Some(job)
        && !plan.is_restricted(job)
        && plan.reservation_of(job).is_none()
}

/// Returns the first test that fails, in the order the tests are made.
fn first_failing(plan: &Plan, job: JobId, request: &JobRequest, was_top: bool) -> Option<PathRule> {
    let policy = &plan.snap.policy;
    let place = &request.place;
    let exclusive = match place.sharedness {
        PlaceSharing::Excl => true,
        PlaceSharing::Exclhost => plan.has(Quirk::ExclhostIsExcl),
        _ => false,
    };
    let names = |resource| request.has_requirement(&plan.shapes, resource);
    // Records of jobs lie far apart in memory: those of most jobs are not read.
    let is_apart = plan.is_restricted(job);
    let returns = || is_apart && has_previous_placement(plan, job);
    let is_inside = (is_apart && plan.job(job).reservation.is_some()) || plan.reservation_of(job).is_some();
    let was_placed = || returns() || (was_top && plan.has(Quirk::PreviousPlacement));
    let test = |fails: bool, rule: PathRule| fails.then_some(rule);
    test(plan.ranking_of(job).is_some(), PathRule::Policy)
        .or_else(|| test(plan.sorts_per_job, PathRule::PerJobSort))
        .or_else(|| test(policy.provision == ProvisionPolicy::Avoid, PathRule::AvoidProvision))
        .or_else(|| test(plan.snap.qrun == Some(job), PathRule::Qrun))
        .or_else(|| test(is_inside, PathRule::InReservation))
        .or_else(|| test(place.sharedness == PlaceSharing::Shared, PathRule::Shared))
        .or_else(|| test(!exclusive, PathRule::NotExclusive))
        .or_else(|| test(place.arrangement == Arrangement::Pack, PathRule::Pack))
        .or_else(|| test(plan.multi_vnode.exists, PathRule::MultiVnode))
        .or_else(|| test(names(ResourceId::host()), PathRule::NamesHost))
        // A select that returns to previous nodes names their vnodes; the actual reason is the next test.
        .or_else(|| test(names(ResourceId::vnode()) && !returns(), PathRule::NamesVnode))
        .or_else(|| test(was_placed(), PathRule::PreviousPlacement))
}

/// Whether a job must return to nodes it had: suspended, or checkpointed with its nodes kept.
fn has_previous_placement(plan: &Plan, job: JobId) -> bool {
    plan.job(job).previous_placement().is_some()
}
