//! The scaler of the simulation: shapes, estimate, update.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use crate::capacity::fleet::{Fleet, FleetCall, FleetNode, ReportAge, TargetCount};
use crate::capacity::{
    CapacityShape, Estimator, Fidelity, LostCycle, NodeType, Runtimes, UnfitShape, WallTimeGuess,
};
use qscope_engine::cluster::Name;

use super::agenda::LaunchNo;
use super::batch::{BatchNode, BatchState, JobCompletion};
use super::{LoopAgenda, LoopError, LoopEvent, LoopScenario};

/// The estimator, the fleet, and their state between cycles.
pub(super) struct Scaler {
    fidelity: Fidelity,
    target: f64,
    boot: f64,
    estimator: Estimator,
    types: Vec<NodeType>,
    runtimes: Runtimes,
    deficits: BTreeMap<Name, i64>,
    wanted: Vec<i64>,
    /// The need as last packed; it stays until a job arrives, starts or ends.
    need: Option<(Vec<u64>, Vec<UnfitShape>)>,
    weighted: Vec<f64>,
    settled: bool,
    lost_cycles: u64,
}

impl Scaler {
    pub(super) fn new(scenario: &LoopScenario) -> Self {
        Self {
            fidelity: scenario.options.fidelity,
            target: scenario.options.target,
            boot: scenario.boot,
            estimator: Estimator::new(scenario.types.clone(), scenario.options),
            types: scenario.types.clone(),
            runtimes: Runtimes::default(),
            deficits: BTreeMap::new(),
            wanted: vec![0; scenario.types.len()],
            need: None,
            weighted: Vec::new(),
            settled: false,
            lost_cycles: 0,
        }
    }

    pub(super) fn usable(&self) -> &[CapacityShape] {
        self.estimator.usable()
    }

    pub(super) fn completed(&mut self, job: JobCompletion<'_>) {
        if let Some((name, seconds)) = job {
            self.runtimes.completed(name, seconds);
        }
    }

    /// Runs one cycle: estimate, then update. The original loses the cycle when its packing fails.
    pub(super) fn cycle(
        &mut self,
        time: f64,
        changed: bool,
        batch: &mut BatchState<'_>,
        agenda: &mut LoopAgenda,
    ) -> Result<(), LoopError> {
        if changed || self.need.is_none() {
            let jobs: Vec<CapacityShape> = batch
                .active_jobs()
                .map(|(job, started)| self.shape(job, started.map(|s| time - s)))
                .collect();
            self.need = match self.estimator.need(&jobs) {
                Ok(need) => Some(need),
                Err(LostCycle::Pack(error)) => return Err(LostCycle::Pack(error).into()),
                Err(_) => None,
            };
        }
        let Some((need, unfit)) = self.need.clone() else {
            self.lost_cycles += 1;
            self.settled = true;
            return Ok(());
        };
        let deficits: FxHashMap<Name, i64> =
            self.deficits.iter().map(|(name, n)| (name.clone(), *n)).collect();
        let estimate = self.estimator.smooth_need(need, unfit, &deficits);
        self.settled = estimate.weighted == self.weighted;
        self.weighted = estimate.weighted;
        self.wanted = estimate.counts;
        self.update(time, batch, agenda);
        Ok(())
    }

    /// Returns the shape of a job with its assumed wall time.
    fn shape(&self, job: &super::LoopJob, running_for: Option<f64>) -> CapacityShape {
        let corrected = self.fidelity == Fidelity::Corrected;
        let declared = job.shape.wall_time;
        let (mut wall_time, guess) = match self.fidelity {
            Fidelity::Compat => (0.0, WallTimeGuess::OneSecond),
            Fidelity::Corrected => (declared, WallTimeGuess::PastTarget),
        };
        if job.seconds.is_none() || wall_time <= 0.0 {
            (wall_time, _) = self.runtimes.wall_time(&job.name, job.seconds.is_none(), self.target, guess);
        }
        // The original packs a running job with its whole length again (defect 13.7).
        if let (true, Some(elapsed), true) = (corrected, running_for, job.seconds.is_some()) {
            wall_time = (wall_time - elapsed).max(1.0);
        }
        CapacityShape { wall_time, ..job.shape }
    }

    fn update(&mut self, time: f64, batch: &mut BatchState<'_>, agenda: &mut LoopAgenda) {
        let targets: Vec<TargetCount> = (self.types.iter().zip(&self.wanted))
            .map(|(kind, want)| TargetCount {
                kind: kind.name.clone(),
                preemptible: kind.shape.preemptible,
                want: *want,
            })
            .collect();
        let numbers: FxHashMap<Name, LaunchNo> = batch.nodes().map(|(ix, _)| (ip(ix), ix)).collect();
        let nodes: Vec<FleetNode> = batch.nodes().map(|(ix, node)| self.reported(ix, node, time)).collect();
        let ignored = batch.nodes().filter(|(_, node)| node.ignored).map(|(ix, _)| ip(ix)).collect();
        let deficits = std::mem::take(&mut self.deficits);
        let mut fleet = Fleet { nodes, ignored, deficits, fidelity: self.fidelity, ..Fleet::default() };
        let done = fleet.update(&targets, None);
        self.deficits = fleet.deficits;
        for call in done.calls {
            self.carry_out(call, time, &numbers, batch, agenda);
        }
    }

    fn reported(&self, ix: LaunchNo, node: &BatchNode, time: f64) -> FleetNode {
        let (kind, preemptible) = self
            .types
            .get(node.type_index)
            .map(|kind| (kind.name.clone(), kind.shape.preemptible))
            .unwrap_or_else(|| ("".into(), false));
        FleetNode {
            ip: ip(ix),
            kind,
            preemptible,
            workers: node.jobs,
            billing_left: 1.0 - ((time - node.launched) / 3600.0) % 1.0,
            seen: if node.ready { ReportAge::Recently } else { ReportAge::Never },
            in_use: node.jobs > 0,
        }
    }

    fn carry_out(
        &self,
        call: FleetCall,
        time: f64,
        numbers: &FxHashMap<Name, LaunchNo>,
        batch: &mut BatchState<'_>,
        agenda: &mut LoopAgenda,
    ) {
        match call {
            FleetCall::Ignore(ip) | FleetCall::Unignore(ip) if !numbers.contains_key(&ip) => {}
            FleetCall::Ignore(ip) => numbers.get(&ip).into_iter().for_each(|ix| batch.set_ignored(*ix, true)),
            FleetCall::Unignore(ip) => {
                numbers.get(&ip).into_iter().for_each(|ix| batch.set_ignored(*ix, false));
            }
            FleetCall::Add { kind, preemptible, got, .. } => {
                let is_of_kind = |t: &NodeType| t.name == kind && t.shape.preemptible == preemptible;
                let Some(kind) = self.types.iter().position(is_of_kind) else { return };
                for _ in 0..got {
                    let node = batch.launch(kind, time);
                    agenda.add(time + self.boot, LoopEvent::Ready(node));
                }
            }
            FleetCall::Terminate(ips) => {
                for ix in ips.iter().filter_map(|ip| numbers.get(ip)) {
                    batch.terminate(*ix, time);
                }
            }
        }
    }

    /// Nodes wanted in the last cycle, by type.
    pub(super) fn wanted(&self) -> &[i64] {
        &self.wanted
    }

    /// Returns whether the moving average has settled.
    pub(super) fn is_settled(&self) -> bool {
        self.settled
    }

    pub(super) fn lost_cycles(&self) -> u64 {
        self.lost_cycles
    }
}

/// Returns the address of a node of the simulation.
fn ip(number: LaunchNo) -> Name {
    format!("n{}", number.0).into()
}
