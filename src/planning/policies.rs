//! Maui's nine node allocation policies applied to a cluster: the nodes that a job would get under each, now
//! or at its earliest start.
//!
//! [`compare_policies`] runs them all. Their common part is implemented here once: [`JobPolicyInput::feasible_nodes`]
//! finds the feasible nodes and how many tasks each holds, the affinity [`PolicyTier`]s are tried one after
//! the other, and tasks are distributed over the picked nodes. A policy is an order of candidates, an
//! [`AllocationPolicy`]. Rule numbers are those of the specification of Maui's policies.

mod allocate;
mod by_figure;
mod calendar;
mod candidate;
mod choice;
mod compare;
mod component;
mod contiguous;
mod distribute;
mod formula;
mod local;
mod max_balance;
mod measures;
mod min_resource;
mod name;
mod node_sets;
mod options;
mod policy;
mod priority;
mod ranking;
mod site;
mod task_request;
mod traits;

pub use allocate::{FeasibleParts, PickedNode, Placement, allocate};
pub use candidate::{Candidate, FeasibleNodes, InfeasibleReason, PolicyTier};
pub use choice::{NodeChoice, NodeChoiceError};
pub use compare::{PolicyAnswer, PolicyComparison, compare_policies, policy_of};
pub use component::Component;
pub use distribute::TaskShare;
pub use formula::{PriorityFormula, PriorityFormulaError};
pub use local::{HookNode, HookRequest, LocalHook};
pub use measures::{MeasureBasis, PolicyMeasures};
pub use name::{PolicyName, PolicyNameError};
pub use node_sets::{NodeSetChoice, NodeSetOptions, NodeSetPriority};
pub use options::{
    AvailabilityPolicy, ContiguousFit, LoadPolicy, MauiOptions, MinResourceKey, NodeAccessPolicy, NodeConfig,
    NodeMatchPolicy, PrefMode, mistakes, option_words,
};
pub use policy::{AllocationPolicy, CandidateKey, PolicyFacts, PolicyQuery};
pub use ranking::PolicyRanking;
pub use site::{JobPolicyInput, PolicyInput};
pub use task_request::{TaskRequest, TaskRequestError, TaskRequirement};
pub use traits::{NodeTraits, PositionSource, SiteTraits};
