//! One job under all nine policies, side by side.

use super::by_figure::{CpuLoad, Fastest, FirstAvailable, LastAvailable};
use super::contiguous::Contiguous;
use super::local::{Local, LocalHook};
use super::max_balance::MaxBalance;
use super::min_resource::MinResource;
use super::priority::Priority;
use super::{
    AllocationPolicy, FeasibleParts, JobPolicyInput, MauiOptions, Placement, PolicyInput, PolicyName,
    PolicyTier, TaskRequest, TaskRequestError, allocate,
};
use qscope_engine::cluster::{JobId, JobState};
use qscope_engine::universe::State;

/// The result of one policy for a job.
#[derive(Clone, PartialEq, Debug)]
pub struct PolicyAnswer {
    pub policy: PolicyName,
    /// The placement of the job now, if it can start now.
    pub now: Option<Placement>,
    /// The earliest later placement, if the job cannot start now; none if there is none.
    pub earliest: Option<Placement>,
    /// Why not now, and further remarks; may be empty.
    pub note: String,
}

impl PolicyAnswer {
    /// Returns the policy that ordered the nodes: CPULOAD knows no load of a later time, so that MINRESOURCE
    /// decides (rule 1.4).
    pub fn ordering_policy(&self) -> PolicyName {
        let is_later = self.now.is_none() && self.earliest.is_some();
        if is_later && self.policy == PolicyName::CpuLoad { PolicyName::MinResource } else { self.policy }
    }

    /// Returns whether reservations of the job's user took precedence over the policy's order (rule 0.7).
    pub fn is_drawn(&self) -> bool {
        let picks = self.now.as_ref().or(self.earliest.as_ref()).map(|placement| &placement.picks);
        picks.is_some_and(|picks| picks.iter().any(|pick| pick.tier == PolicyTier::Positive))
    }
}

/// The results of all policies for one job.
#[derive(Clone, PartialEq, Debug)]
pub struct PolicyComparison {
    /// The request, as the policies read it.
    pub request: TaskRequest,
    /// One answer for each policy, in the order of the manual.
    pub answers: Vec<PolicyAnswer>,
    /// Number of nodes feasible now, for each part.
    pub feasible: Vec<usize>,
    /// Number of infeasible nodes by reason, for each part.
    pub dropped: Vec<String>,
    /// The policy in force for the job and its source; an error if the job's own word is not a policy.
    pub in_force: Result<(PolicyName, &'static str), String>,
    /// What of the configuration could not be used, and what the policies ignore.
    pub remarks: Vec<String>,
}

/// Returns the policy of a name.
pub fn policy_of<'h>(
    name: PolicyName,
    options: &MauiOptions,
    hook: Option<&'h dyn LocalHook>,
) -> Box<dyn AllocationPolicy + 'h> {
    match name {
        PolicyName::FirstAvailable => Box::new(FirstAvailable),
        PolicyName::LastAvailable => Box::new(LastAvailable),
        PolicyName::Priority => Box::new(Priority::new(options.priorityf.clone())),
        PolicyName::CpuLoad => Box::new(CpuLoad),
        PolicyName::MinResource => Box::new(MinResource),
        PolicyName::Contiguous => Box::new(Contiguous),
        PolicyName::MaxBalance => Box::new(MaxBalance),
        PolicyName::Fastest => Box::new(Fastest),
        PolicyName::Local => Box::new(Local { hook }),
    }
}

/// Places a job alone in a state, under every policy (rule 13 item 2).
///
/// # Errors
/// The job cannot be placed by the policies.
pub fn compare_policies(
    state: &State,
    options: &MauiOptions,
    job: JobId,
    hook: Option<&dyn LocalHook>,
) -> Result<PolicyComparison, TaskRequestError> {
    let request = TaskRequest::of(&state.plan, options, job)?;
    let site = PolicyInput::new(state, options);
    let site_request = JobPolicyInput::new(&site, &request);
    let offer = FeasibleParts::at(&site_request, state.now);
    let policies: Vec<Box<dyn AllocationPolicy + '_>> =
        PolicyName::ALL.iter().map(|name| policy_of(*name, options, hook)).collect();
    let mut answers: Vec<PolicyAnswer> =
        policies.iter().map(|policy| answer_now(&site_request, &offer, policy.as_ref())).collect();
    add_earliest(&site_request, &policies, &mut answers);
    let mut remarks = options.remarks.clone();
    remarks.extend(blocking_state(state.plan.job(job).state));
    let formula = options.priorityf.iter().flat_map(|formula| formula.components());
    let nodes = state.plan.snap.nodes.len();
    for component in formula.filter(|component| (1..nodes).contains(&site.traits.lacking(*component))) {
        let lacking = site.traits.lacking(component);
        remarks
            .push(format!("{} is missing on {lacking} of {nodes} nodes; 0 counts there", component.word()));
    }
    if !request.prefer.is_empty() {
        remarks.push("the job prefers features; only PRIORITY looks at preferences".to_owned());
    }
    Ok(PolicyComparison {
        feasible: offer.parts.iter().map(|part| part.candidates.len()).collect(),
        dropped: offer.parts.iter().map(super::candidate::FeasibleNodes::dropped_text).collect(),
        in_force: in_force(state, options, job),
        answers,
        remarks,
        request,
    })
}

/// Returns why a job does not start wherever it is placed: policies choose where, not whether.
fn blocking_state(state: JobState) -> Option<String> {
    let why = match state {
        JobState::Queued | JobState::Begun => return None,
        JobState::Held => "is held",
        JobState::Waiting => "waits for its time",
        JobState::Transit => "is on its way to another queue",
        _ => "has started",
    };
    Some(format!("the job {why}: the nodes are those it would get, but it does not start"))
}

/// Returns the policy in force for a job: its own word takes precedence over the site's (rule 3.1).
fn in_force(state: &State, options: &MauiOptions, job: JobId) -> Result<(PolicyName, &'static str), String> {
    let plan = &state.plan;
    let queue = plan.queue_of(job);
    let tried = plan.snap.allocation.of(job, queue).and_then(|word| PolicyName::parse(word).ok());
    if let Some(policy) = tried {
        return Ok((policy, "the what-if's"));
    }
    match &plan.job(job).policy {
        None => {
            let partition = queue.and_then(|queue| plan.snap.queues[queue].partition.as_ref());
            let of_class = [Some(&plan.job(job).queue), partition];
            let of_class = of_class.into_iter().flatten().find_map(|name| options.class_policies.get(name));
            Ok(match (of_class, options.policy_is_set) {
                (Some(policy), _) => (*policy, "its class's"),
                (None, true) => (options.policy, "the site's"),
                (None, false) => (options.policy, "Maui's default, no site set one"),
            })
        }
        Some(word) => match PolicyName::parse(word) {
            Ok(policy) => Ok((policy, "the job's own")),
            Err(why) => Err(format!("the job's own policy: {why}")),
        },
    }
}

fn answer_now(
    site_request: &JobPolicyInput<'_>,
    offer: &FeasibleParts,
    policy: &dyn AllocationPolicy,
) -> PolicyAnswer {
    let name = policy.name();
    match allocate(site_request, offer, policy) {
        Ok(placement) => {
            let note = cannot_rank(site_request, offer, name).unwrap_or_default();
            PolicyAnswer { policy: name, now: Some(placement), earliest: None, note }
        }
        Err(note) => PolicyAnswer { policy: name, now: None, earliest: None, note },
    }
}

/// Reports that a policy has nothing to rank nodes by: FASTEST without a speed on any of them (rule 1.8).
fn cannot_rank(
    site_request: &JobPolicyInput<'_>,
    feasible: &FeasibleParts,
    policy: PolicyName,
) -> Option<String> {
    if policy != PolicyName::Fastest {
        return None;
    }
    let traits = &site_request.site.traits.by_node;
    let mut candidates = feasible.parts.iter().flat_map(|part| &part.candidates);
    let has_speed = candidates.any(|c| traits[c.node].speed.is_some() || traits[c.node].procspeed.is_some());
    (!has_speed).then(|| {
        "cannot rank: no node states its speed or procspeed; the nodes stand in the order of the dump"
            .to_owned()
    })
}

/// Finds the earliest later start of every policy that has none now, at the times at which something changes
/// (rule 10.1).
fn add_earliest(
    input: &JobPolicyInput<'_>,
    policies: &[Box<dyn AllocationPolicy + '_>],
    answers: &mut [PolicyAnswer],
) {
    let open = |policy: &dyn AllocationPolicy, answer: &PolicyAnswer| {
        answer.now.is_none() && answer.earliest.is_none() && policy.waits()
    };
    let missing = |answers: &[PolicyAnswer]| {
        policies.iter().zip(answers).any(|(policy, answer)| open(policy.as_ref(), answer))
    };
    for start in input.moments() {
        if !missing(answers) {
            break;
        }
        let offer = FeasibleParts::at(input, start);
        if offer.suffices(input).is_err() {
            continue;
        }
        for (policy, answer) in policies.iter().zip(answers.iter_mut()) {
            if open(policy.as_ref(), answer) {
                answer.earliest = allocate(input, &offer, policy.as_ref()).ok();
                if let (Some(_), Some(why)) = (&answer.earliest, cannot_rank(input, &offer, answer.policy)) {
                    answer.note.push_str("; then it ");
                    answer.note.push_str(&why);
                }
            }
        }
    }
    for answer in answers {
        if answer.policy == PolicyName::CpuLoad && answer.earliest.is_some() {
            answer.note.push_str("; then CPULOAD -> MINRESOURCE (future start)");
        }
    }
}
