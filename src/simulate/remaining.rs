//! The rest of a simulation as an input of its own: the server's state, future events of its jobs, and future
//! arrivals (days rule 11). A simulation started from it continues as the first one does.

use qscope_engine::cluster::{Epoch, JobId};

use crate::clock::ClockEvent;
use crate::dependency::DependencyCondition;
use crate::server::SimulatedServer;
use crate::shares::FairshareUsage;
use crate::track::{JobOrigin, SimulatedJob, SimulatedJobId, walltime};
use crate::{Arrival, Arrivals, JobBehaviour, NodeLifecycleEvent, SimulationInput, SimulationOptions};

/// Converts the server's state in memory, without writing files.
pub(crate) fn input(
    server: &SimulatedServer,
    shares: Option<&FairshareUsage>,
    options: SimulationOptions,
) -> SimulationInput {
    let mut start = (*server.snap).clone();
    // Dependencies already met would be evaluated again for jobs that no longer exist.
    let open = |id: JobId| server.track_of(id).and_then(|id| open_depends(server, &server.tracks[id]));
    start.jobs.change_where(
        |id, job| job.depend.as_deref() != open(id).as_deref(),
        |id, job| job.depend = open(id).map(Into::into),
    );
    if let Some((_, decayed)) = shares.map(FairshareUsage::usage_and_decay) {
        start.usage.iter_mut().for_each(|record| record.decayed = Some(decayed));
    }
    let of_start = server.order.iter().map(|id| {
        let track = &server.tracks[*id];
        (track.name.clone(), fate_of(server, *id, track))
    });
    let arrivals = Arrivals {
        start: of_start.collect(),
        jobs: arriving(server),
        nodes: node_changes(server),
        notes: Vec::new(),
    };
    SimulationInput { start, arrivals, options, ranking: None, scaling: server.scaling.clone() }
}

fn arriving(server: &SimulatedServer) -> Vec<Arrival> {
    let planned = server.clock.events_in_order();
    let of_event = |(_, event): (Epoch, &ClockEvent)| match event {
        ClockEvent::Arrives(nth) => server.arrivals.get(*nth).cloned().flatten(),
        _ => None,
    };
    planned.into_iter().filter_map(of_event).collect()
}

/// Returns future additions and removals of vnodes, including those to be removed once they are empty.
pub(crate) fn node_changes(server: &SimulatedServer) -> Vec<NodeLifecycleEvent> {
    let now = server.now();
    let leaving = server.removed_in_use.iter().filter_map(|id| server.snap.nodes.checked(*id));
    let leaving =
        leaving.map(|node| NodeLifecycleEvent { node: node.name.clone(), at: now, is_ready: false });
    let planned = server.clock.events_in_order();
    let of_event = |(at, event): (Epoch, &ClockEvent)| match event {
        // For vnodes of pools this is in the state of the pool.
        ClockEvent::NodeReady(node) if server.is_in_pool(node) => None,
        ClockEvent::NodeReady(node) => Some(NodeLifecycleEvent { node: node.clone(), at, is_ready: true }),
        ClockEvent::NodeRemoved(node) => Some(NodeLifecycleEvent { node: node.clone(), at, is_ready: false }),
        _ => None,
    };
    leaving.chain(planned.into_iter().filter_map(of_event)).collect()
}

/// Returns the dependencies that are still undecided.
pub(crate) fn open_depends(server: &SimulatedServer, job: &SimulatedJob) -> Option<String> {
    if !job.hold.depends {
        return None;
    }
    let open = job.depends.iter().filter(|one| server.is_open(one));
    let words = open.map(|one| {
        let kind = match one.condition {
            DependencyCondition::Started => "after",
            DependencyCondition::Succeeded => "afterok",
            DependencyCondition::Failed => "afternotok",
            DependencyCondition::Gone => "afterany",
        };
        format!("{kind}:{}", one.on)
    });
    Some(words.collect::<Vec<_>>().join(","))
}

/// Returns the future events of a job at the server.
pub(crate) fn fate_of(server: &SimulatedServer, id: SimulatedJobId, track: &SimulatedJob) -> JobBehaviour {
    let mut fate = JobBehaviour { run_seconds: Some(track.run.seconds(server.now())), ..track.fate.clone() };
    if track.hold.letters.is_empty() {
        fate.release = None;
    }
    if track.has_started() {
        fate.cancel = None;
    }
    if let (JobOrigin::Subjob(..), None, Some(job)) = (track.origin, fate.runtime, server.job(id)) {
        // Without a run time of its own it runs for its walltime, not for the run time of its array.
        fate.runtime = walltime(job).map(|walltime| walltime.0);
    }
    fate
}
