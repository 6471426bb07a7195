//! Maui's nine node allocation policies over the cluster at hand: which nodes would a job get under each,
//! now or at its earliest start.
//!
//! [`compare_policies`] asks them all. What is common to all lies here once: [`SiteRequest::feasible`] finds the
//! nodes that could serve and how many tasks each holds, the affinity [`PolicyTier`]s come one after the other,
//! and tasks are dealt out to the nodes picked. A policy is an order of candidates behind
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
