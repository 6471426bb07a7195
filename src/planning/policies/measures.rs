//! The effect of a placement on the rest of the cluster and on the jobs after it (rules 1.14, 1.15: measures
//! M1 to M8).

use std::sync::Arc;

use super::{FeasibleParts, JobPolicyInput, MauiOptions, Placement, PolicyInput, SiteTraits, TaskRequest};
use qscope_engine::cluster::{Epoch, JobId, ResourceId, Seconds};
use qscope_engine::universe::{Allocation, AllocationPiece, Bit, Occupant, PieceResources, State};

/// The measures of one placement that starts now.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct PolicyMeasures {
    /// M1, regret: jobs that could start now before the placement and cannot after it.
    pub regret: Vec<JobId>,
    /// M2: the largest job that one node could still start, as processors and MB of memory.
    pub largest: (f64, f64),
    /// M3: the stranded share of its nodes' free resources, from 0 to 1, on average.
    pub stranded: f64,
    /// M4: number of tasks of the job's own shape that still fit the cluster.
    pub still_fits: u64,
    /// M5: imbalance of what is left of its nodes' resources on the worst node, from 0 to 1.
    pub imbalance: f64,
    /// M6: node-seconds of nodes on which no other task of its shape fits.
    pub taken: i64,
    /// M7: the smallest and the largest gap to the next reservation; none if none follows.
    pub gap: Option<(Seconds, Seconds)>,
    /// M8: jobs whose earliest start is delayed, and by how much; none if they can no longer start.
    pub delayed: Vec<(JobId, Option<Seconds>)>,
}

/// The common basis on which all placements of one job are measured, computed once.
pub struct MeasureBasis<'a> {
    state: &'a State,
    options: &'a MauiOptions,
    traits: Arc<SiteTraits>,
    request: &'a TaskRequest,
    /// The jobs after it, each with its earliest start before the placement.
    later_jobs: Vec<(TaskRequest, Option<Epoch>)>,
}

impl<'a> MeasureBasis<'a> {
    /// Prepares to measure placements of a job against these waiting jobs, none of which takes anything
    /// itself.
    pub fn new(
        state: &'a State,
        options: &'a MauiOptions,
        request: &'a TaskRequest,
        behind: &[JobId],
    ) -> Self {
        let traits = Arc::new(SiteTraits::of(&state.plan.snap, options));
        let site = PolicyInput::with_traits(state, options, traits.clone());
        let others = behind.iter().filter(|job| **job != request.job);
        let requests = others.filter_map(|job| TaskRequest::of(&state.plan, options, *job).ok());
        let behind = requests
            .map(|request| {
                let earliest = earliest_room(&JobPolicyInput::new(&site, &request));
                (request, earliest)
            })
            .collect();
        Self { state, options, traits, request, later_jobs: behind }
    }

    pub fn measure(&self, placement: &Placement) -> PolicyMeasures {
        let mut after = self.state.clone();
        start(&mut after, self.request, placement);
        let site = PolicyInput::with_traits(&after, self.options, self.traits.clone());
        let mut measures = PolicyMeasures { gap: gaps(self.request, placement), ..PolicyMeasures::default() };
        for (other, before) in &self.later_jobs {
            let now = earliest_room(&JobPolicyInput::new(&site, other));
            if *before == Some(self.state.now) && now != Some(self.state.now) {
                measures.regret.push(other.job);
            }
            if let Some(before) = before.filter(|before| now.is_none_or(|now| now > *before)) {
                measures.delayed.push((other.job, now.map(|now| Seconds(now.0 - before.0))));
            }
        }
        let own = JobPolicyInput::new(&site, self.request);
        measures.still_fits =
            FeasibleParts::at(&own, after.now).parts.iter().map(super::candidate::FeasibleNodes::tasks).sum();
        measures.largest = largest_rest(&after);
        let touched: Vec<RemainingShares> =
            placement.picks.iter().map(|pick| RemainingShares::of(&after, pick.bit)).collect();
        measures.imbalance = touched.iter().map(RemainingShares::imbalance).fold(0.0, f64::max);
        measures.stranded =
            touched.iter().map(RemainingShares::stranded).sum::<f64>() / touched.len().max(1) as f64;
        let full = placement.picks.iter().filter(|pick| pick.tasks >= pick.offered).count();
        measures.taken = self.request.walltime.0.saturating_mul(i64::try_from(full).unwrap_or(i64::MAX));
        measures
    }
}

/// Returns the first time at which a job has room, whatever the policy.
fn earliest_room(input: &JobPolicyInput<'_>) -> Option<Epoch> {
    let mut moments = std::iter::once(input.site.state.now).chain(input.moments());
    moments.find(|start| FeasibleParts::at(input, *start).suffices(input).is_ok())
}

/// Starts a job on its placement.
fn start(state: &mut State, request: &TaskRequest, placement: &Placement) {
    let mut pieces = Vec::new();
    let mut shares = placement.picks.iter().map(|pick| (pick.bit, pick.tasks));
    let mut share = shares.next();
    let mut chunk: u32 = 0;
    for (spec, part) in (0..).zip(&request.requirements) {
        let mut left = part.tasks;
        while let Some((bit, tasks)) = share.filter(|_| left > 0) {
            let times = tasks.min(left);
            if times > 0 {
                pieces.push(AllocationPiece {
                    bit,
                    chunk,
                    times,
                    spec,
                    gives: PieceResources::Shape(part.shape),
                });
            }
            chunk = chunk.saturating_add(times);
            left -= times;
            share = if tasks > times { Some((bit, tasks - times)) } else { shares.next() };
        }
    }
    let end = placement.start + request.walltime;
    state.start(Occupant::Job(request.job, None), request.sharedness, &Arc::new(Allocation { pieces }), end);
}

fn gaps(request: &TaskRequest, placement: &Placement) -> Option<(Seconds, Seconds)> {
    let end = placement.start + request.walltime;
    let gaps = placement.picks.iter().filter_map(|pick| pick.until).map(|until| Seconds(until.0 - end.0));
    gaps.fold(None, |found, gap| match found {
        None => Some((gap, gap)),
        Some((low, high)) => Some((low.min(gap), high.max(gap))),
    })
}

/// Returns the most processors left on one free node, and the memory left there in MB.
fn largest_rest(state: &State) -> (f64, f64) {
    let (plan, floor) = (&state.plan, &state.occupancy);
    let left = |name, bit| plan.consumables.ix(name).map_or(0.0, |ix| floor.left(plan, ix, bit));
    let rest = |bit: Bit| (left(ResourceId::ncpus(), bit), left(ResourceId::mem(), bit) / 1024.0);
    floor.open_nodes.iter().map(rest).fold((0.0, 0.0), |best, new| {
        if new.0.total_cmp(&best.0).then(new.1.total_cmp(&best.1)).is_gt() { new } else { best }
    })
}

/// The smallest and the largest share that is left of a node's processors and memory.
struct RemainingShares {
    low: f64,
    high: f64,
}

impl RemainingShares {
    fn of(state: &State, bit: Bit) -> Self {
        let plan = &state.plan;
        let both = [ResourceId::ncpus(), ResourceId::mem()];
        let shares = both.into_iter().filter_map(|resource| plan.consumables.ix(resource)).filter_map(|ix| {
            let has = plan.capacity.available(ix, bit);
            (has > 0.0).then(|| (state.occupancy.left(plan, ix, bit) / has).clamp(0.0, 1.0))
        });
        let (low, high) =
            shares.fold((1.0, 0.0), |(low, high): (f64, f64), share| (low.min(share), high.max(share)));
        Self { low: low.min(high), high }
    }

    fn stranded(&self) -> f64 {
        if self.high > 0.0 { 1.0 - self.low / self.high } else { 0.0 }
    }

    fn imbalance(&self) -> f64 {
        self.high - self.low
    }
}
