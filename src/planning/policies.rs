//! Maui's nine node allocation policies applied to a cluster: the nodes that a job would get under each, now
//! or at its earliest start.
//!
//! [`compare_policies`] runs them all. Their common part is implemented here once: [`SiteRequest::feasible`]
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

pub use allocate::{Offer, Pick, Placement, allocate};
pub use candidate::{Candidate, Dropped, Feasible, PolicyTier};
pub use choice::{NodeChoice, NodeChoiceError};
pub use compare::{PolicyAnswer, PolicyComparison, compare_policies, policy_of};
pub use component::Component;
pub use distribute::Share;
pub use formula::{PriorityFormula, PriorityFormulaError};
pub use local::{HookNode, HookRequest, LocalHook};
pub use measures::{PolicyMeasures, Yardstick};
pub use name::{PolicyName, PolicyNameError};
pub use node_sets::{NodeSetChoice, NodeSetOptions, NodeSetPriority};
pub use options::{
    Access, Availability, ContiguousFit, LoadPolicy, MauiOptions, MinResourceKey, NodeConfig, NodeMatch,
    PrefMode, mistakes, option_words,
};
pub use policy::{AllocationPolicy, Key, PolicyFacts, Question};
pub use ranking::PolicyRanking;
pub use site::{Site, SiteRequest};
pub use task_request::{RequestError, Requirement, TaskRequest};
pub use traits::{Positions, SiteTraits, Traits};
