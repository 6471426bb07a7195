//! Maui's node sets, which restrict the nodes offered to a job (rule 3.5).

use super::candidate::Candidate;
use qscope_engine::cluster::Name;

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "UPPERCASE")]
pub enum NodeSetChoice {
    /// The job is placed in one set, chosen by the priority type.
    #[default]
    OneOf,
    /// The job is placed in the first listed set that is large enough.
    FirstOf,
    /// The job is placed anywhere in the listed sets.
    AnyOf,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "UPPERCASE")]
pub enum NodeSetPriority {
    /// The smallest set that is large enough.
    BestFit,
    /// The set with the most tasks.
    WorstFit,
    /// The fastest set, else the first of the list.
    BestResource,
    /// The set in which the least speed is lost.
    #[default]
    MinLoss,
    /// The first set of the list that is large enough.
    FirstFit,
}

#[derive(Clone, PartialEq, Debug, Default)]
pub struct NodeSetOptions {
    /// NODESETPOLICY.
    pub choice: NodeSetChoice,
    /// NODESETPRIORITYTYPE.
    pub priority: NodeSetPriority,
    /// NODESETATTRIBUTE: whether sets are made by processor speed instead of features.
    pub by_speed: bool,
    /// NODESETLIST.
    pub list: Vec<Name>,
    /// NODESETTOLERANCE: the relative difference up to which speeds belong to one set.
    pub tolerance: f64,
    /// NODESETDELAY: whether the job must wait if no set is large enough, rather than take any nodes.
    pub mandatory: bool,
}

#[derive(Clone, PartialEq, Debug)]
struct CandidateSet {
    label: String,
    tasks: u64,
    loss: f64,
    speed: f64,
    members: Vec<Candidate>,
}

/// Filters the candidates: returns those of the chosen set, or all if none is large enough and sets are only
/// a preference.
///
/// # Errors
/// No set is large enough; with what each of them offers.
pub(super) fn within_set(
    options: &NodeSetOptions,
    all: &[Candidate],
    (tasks, nodes): (u64, usize),
    traits: &dyn Fn(&Candidate) -> (Vec<Name>, f64),
) -> Result<Vec<Candidate>, String> {
    let offered = if options.by_speed {
        by_speed(options, all, tasks, traits)
    } else {
        by_feature(options, all, traits)
    };
    if options.choice == NodeSetChoice::AnyOf {
        let mut members: Vec<Candidate> =
            offered.iter().flat_map(|set| set.members.iter().copied()).collect();
        members.sort_by_key(|candidate| candidate.node);
        members.dedup_by_key(|candidate| candidate.node);
        if sum(&members) >= tasks && members.len() >= nodes {
            return Ok(members);
        }
        return without_fitting_set(options, all, &offered);
    }
    let adequate: Vec<&CandidateSet> =
        offered.iter().filter(|set| set.tasks >= tasks && set.members.len() >= nodes).collect();
    let chosen = match options.choice {
        NodeSetChoice::FirstOf => adequate.first().copied(),
        _ => best(options, &adequate),
    };
    match chosen {
        Some(set) => Ok(set.members.clone()),
        None => without_fitting_set(options, all, &offered),
    }
}

fn without_fitting_set(
    options: &NodeSetOptions,
    all: &[Candidate],
    offered: &[CandidateSet],
) -> Result<Vec<Candidate>, String> {
    if !options.mandatory {
        return Ok(all.to_vec());
    }
    let sets: Vec<String> = offered.iter().map(|set| format!("{} {}", set.label, set.tasks)).collect();
    Err(format!("Locality: no node set is large enough ({})", sets.join(", ")))
}

fn best<'a>(options: &NodeSetOptions, adequate: &[&'a CandidateSet]) -> Option<&'a CandidateSet> {
    let first = |key: &dyn Fn(&CandidateSet) -> f64| {
        adequate.iter().copied().min_by(|a, b| key(a).total_cmp(&key(b)))
    };
    match options.priority {
        NodeSetPriority::BestFit => first(&|set| set.tasks as f64),
        NodeSetPriority::WorstFit => first(&|set| -(set.tasks as f64)),
        NodeSetPriority::BestResource if options.by_speed => first(&|set| -set.speed),
        NodeSetPriority::MinLoss if options.by_speed => first(&|set| set.loss),
        // Sets by feature lose no speed: as in Maui, the last set that is large enough.
        NodeSetPriority::MinLoss => adequate.last().copied(),
        _ => adequate.first().copied(),
    }
}

fn by_feature(
    options: &NodeSetOptions,
    all: &[Candidate],
    traits: &dyn Fn(&Candidate) -> (Vec<Name>, f64),
) -> Vec<CandidateSet> {
    let set = |feature: &Name| {
        let members: Vec<Candidate> =
            all.iter().filter(|candidate| traits(candidate).0.contains(feature)).copied().collect();
        CandidateSet { label: feature.to_string(), tasks: sum(&members), loss: 0.0, speed: 0.0, members }
    };
    options.list.iter().map(set).collect()
}

/// Returns one set for every speed, with the speeds within the tolerance above it; the list, if any, names
/// speeds.
fn by_speed(
    options: &NodeSetOptions,
    all: &[Candidate],
    wanted: u64,
    traits: &dyn Fn(&Candidate) -> (Vec<Name>, f64),
) -> Vec<CandidateSet> {
    let keyed: Vec<(f64, Candidate)> =
        all.iter().map(|candidate| (traits(candidate).1, *candidate)).collect();
    let mut speeds: Vec<f64> = keyed.iter().map(|(speed, _)| *speed).collect();
    speeds.sort_by(f64::total_cmp);
    speeds.dedup();
    let listed = |speed: &f64| {
        options.list.is_empty()
            || options.list.iter().any(|name| name.parse::<f64>().is_ok_and(|have| have == *speed))
    };
    let set = |base: f64| {
        let is_near = |speed: f64| speed >= base && speed - base <= options.tolerance * base;
        let members: Vec<Candidate> =
            keyed.iter().filter(|(speed, _)| is_near(*speed)).map(|(_, candidate)| *candidate).collect();
        let tasks_at = |speed: f64| {
            keyed.iter().filter(|(have, _)| *have == speed).map(|(_, c)| u64::from(c.tasks)).sum::<u64>()
        };
        let mut missing = wanted.saturating_sub(tasks_at(base));
        let mut loss = 0.0;
        for speed in speeds.iter().copied().filter(|speed| *speed > base && is_near(*speed)) {
            let taken = tasks_at(speed).min(missing);
            loss += (speed - base) * taken as f64;
            missing -= taken;
        }
        CandidateSet { label: format!("{base}"), tasks: sum(&members), loss, speed: base, members }
    };
    speeds.iter().copied().filter(listed).map(set).collect()
}

fn sum(members: &[Candidate]) -> u64 {
    members.iter().map(|candidate| u64::from(candidate.tasks)).sum()
}
