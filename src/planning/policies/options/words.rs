//! The words of options that choose among a few.

use crate::policies::{
    Access, Availability, ContiguousFit, LoadPolicy, MinResourceKey, NodeMatch, NodeSetChoice,
    NodeSetPriority, PrefMode,
};

pub(super) const AVAILABILITY: &[(&str, Availability)] = &[
    ("DEDICATED", Availability::Dedicated),
    ("COMBINED", Availability::Combined),
    ("UTILIZED", Availability::Utilized),
];

pub(super) const NODE_MATCH: &[(&str, NodeMatch)] =
    &[("EXACTNODE", NodeMatch::ExactNode), ("EXACTPROC", NodeMatch::ExactProc), ("NONE", NodeMatch::Any)];

pub(super) const ACCESS: &[(&str, Access)] = &[
    ("SHARED", Access::Shared),
    ("SINGLEUSER", Access::SingleUser),
    ("SINGLEJOB", Access::SingleJob),
    ("SINGLETASK", Access::SingleTask),
];

pub(super) const LOAD: &[(&str, LoadPolicy)] =
    &[("ADJUSTSTATE", LoadPolicy::AdjustState), ("ADJUSTPROCS", LoadPolicy::AdjustProcs)];

pub(super) const MIN_RESOURCE: &[(&str, MinResourceKey)] =
    &[("mem", MinResourceKey::Mem), ("procs", MinResourceKey::Procs), ("vector", MinResourceKey::Vector)];

pub(super) const CONTIGUOUS: &[(&str, ContiguousFit)] =
    &[("first", ContiguousFit::First), ("best", ContiguousFit::Best)];

pub(super) const PREF: &[(&str, PrefMode)] =
    &[("any", PrefMode::Any), ("all", PrefMode::All), ("fraction", PrefMode::Fraction)];

pub(super) const SET_POLICY: &[(&str, NodeSetChoice)] =
    &[("ONEOF", NodeSetChoice::OneOf), ("FIRSTOF", NodeSetChoice::FirstOf), ("ANYOF", NodeSetChoice::AnyOf)];

pub(super) const SET_PRIORITY: &[(&str, NodeSetPriority)] = &[
    ("BESTFIT", NodeSetPriority::BestFit),
    ("WORSTFIT", NodeSetPriority::WorstFit),
    ("BESTRESOURCE", NodeSetPriority::BestResource),
    ("MINLOSS", NodeSetPriority::MinLoss),
    ("FIRSTFIT", NodeSetPriority::FirstFit),
];

pub(super) const SET_ATTRIBUTE: &[(&str, bool)] = &[("FEATURE", false), ("PROCSPEED", true)];
