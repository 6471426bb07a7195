//! Reads the demand of one job at a time: its shape chunk by chunk, and its assumed run time.

use rustc_hash::FxHashMap;

use qscope_engine::cluster::{
    Amount, Arrangement, ChunkSpec, Job, JobId, JobState, Place, PlaceSharing, ResourceId, ResourceRequest,
    Snapshot, Value,
};
use qscope_engine::universe::EnforcedResources;

use super::{Demand, Demands, WallTimeOptions};
use crate::capacity::supply::{Dimensions, NodeConditions, PREEMPTIBLE, is_exclusive, is_switched_on};
use crate::capacity::{CapacityShape, RuntimeSource, Runtimes, TypeSetIx};
use crate::farm::Criterion;
use crate::farm::criterion::OTHER;
use crate::farm::snapshot_workload::class_of;

/// The boolean resource by which a job declares that it is a service.
const SERVICE: &str = "service";

/// Maximum number of parts of a select, as in the scheduler's model.
const MAX_PARTS: usize = 16_384;

/// Collects the wall times of finished jobs, by job name and queue.
pub(super) fn history(snap: &Snapshot) -> Runtimes {
    let mut runtimes = Runtimes::default();
    for job in snap.jobs.iter().filter(|job| matches!(job.state, JobState::Finished | JobState::Expired)) {
        if let Some(Amount(seconds)) = job.used.amount(ResourceId::walltime()).filter(|used| used.0 > 0.0) {
            runtimes.completed(&history_name(job), seconds);
        }
    }
    runtimes
}

fn history_name(job: &Job) -> String {
    format!("{}\u{1f}{}", job.title, job.queue)
}

pub(super) struct DemandReader<'a> {
    pub(super) snap: &'a Snapshot,
    pub(super) dimensions: &'a Dimensions,
    pub(super) timing: &'a WallTimeOptions,
    pub(super) enforced: EnforcedResources,
    pub(super) history: Runtimes,
    pub(super) out: Demands,
}

impl DemandReader<'_> {
    /// Adds the demand of one job, or leaves the job out with a note.
    pub(super) fn job(&mut self, id: JobId, job: &Job) {
        let waiting = match job.state {
            JobState::Running | JobState::Exiting if !job.is_array() => 0,
            JobState::Queued | JobState::Suspended if !job.is_array() && !job.is_subjob() => 1,
            JobState::Queued | JobState::Begun => job
                .array
                .as_ref()
                .filter(|array| array.is_parent)
                .map_or(0, |array| array.remaining.len() as u64),
            JobState::Held | JobState::Waiting => {
                self.out.coming += 1;
                return;
            }
            _ => return,
        };
        let running = job.state.has_nodes();
        if waiting == 0 && !running {
            return;
        }
        let queue = self.snap.queue_named(&job.queue).map(|queue| &self.snap.queues[queue]);
        if !running && queue.is_some_and(|queue| !queue.started) {
            self.out.coming += waiting;
            return;
        }
        let Some(select) = &job.select else {
            self.note(job, "its select cannot be read");
            return;
        };
        if select.chunks.len() > MAX_PARTS {
            let what = format!("its select has {} parts; at most {MAX_PARTS} are read", select.chunks.len());
            return self.note(job, &what);
        }
        let service = self.is_service(job);
        let (wall_time, source) = self.wall_time(job, running, service);
        let mut chunks = Vec::with_capacity(select.chunks.len());
        for chunk in select.chunks.iter() {
            match self.shape(job, chunk, wall_time) {
                Ok(shape) => chunks.push((shape, chunk.count)),
                Err(what) => return self.note(job, &what),
            }
        }
        chunks.retain(|(_, count)| *count > 0);
        let arrangement = job.place.as_ref().map(|place| place.arrangement).unwrap_or_default();
        if arrangement == Arrangement::Pack {
            chunks = packed(&chunks);
        }
        if chunks.is_empty() {
            return self.note(job, "it asks for no chunk");
        }
        let scatter = arrangement.is_spread();
        let copies = if running { 1 } else { waiting };
        self.out.all.push(Demand { job: id, copies, chunks, scatter, source, running, service });
    }

    fn note(&mut self, job: &Job, what: &str) {
        if self.out.notes.len() < 50 {
            let what = match what.char_indices().nth(200) {
                Some((end, _)) => format!("{}…", what.get(..end).unwrap_or_default()),
                None => what.to_owned(),
            };
            self.out.notes.push(format!("job {} is left out: {what}", job.short_name()));
        }
    }

    /// Returns the declared wall time, else one from history, else a guess; for a running job, what is left
    /// of it.
    fn wall_time(&self, job: &Job, running: bool, service: bool) -> (f64, RuntimeSource) {
        let declared = job.requested.amount(ResourceId::walltime()).filter(|_| self.timing.declared);
        if service {
            // A service ends after everything else, even where it declares less.
            let (seconds, source) = self.history.wall_time("", true, self.timing.target, self.timing.guess);
            return (declared.map_or(seconds, |amount| amount.0.clamp(seconds, seconds.max(1e12))), source);
        }
        let (seconds, source) = match declared {
            Some(Amount(seconds)) if seconds >= 0.0 => (seconds.min(1e12), RuntimeSource::Declared),
            _ => self.history.wall_time(&history_name(job), false, self.timing.target, self.timing.guess),
        };
        if !running || !self.timing.remaining {
            return (seconds, source);
        }
        let elapsed = job.started.map_or(0, |started| (self.snap.now - started).0.max(0));
        ((seconds - elapsed as f64).max(1.0), source)
    }

    fn shape(&mut self, job: &Job, chunk: &ChunkSpec, wall_time: f64) -> Result<CapacityShape, String> {
        let mut amounts: FxHashMap<ResourceId, Amount> = FxHashMap::default();
        let mut conditions = NodeConditions {
            queue: job.queue.clone(),
            partition: self
                .snap
                .queue_named(&job.queue)
                .and_then(|queue| self.snap.queues[queue].partition.clone()),
            resources: Vec::new(),
        };
        for request in &chunk.requests {
            // A resource that the scheduler does not enforce puts no condition on a node.
            let Some(id) = self.snap.catalogue.id(&request.resource).filter(|id| self.enforces(*id)) else {
                continue;
            };
            let def = self.snap.catalogue.def(id);
            let value = Value::parse_direct(def.kind, &request.value)
                .map_err(|error| format!("{}: {error}", request.resource))?;
            match value {
                Value::Amount(amount) if amount.0 < 0.0 => {
                    return Err(format!("{} is negative: {}", request.resource, request.value));
                }
                Value::Amount(amount) if self.dimensions.has(id) => {
                    amounts.insert(id, amount);
                }
                // Not a resource of hosts, or not one that limits placement, such as the number of processes.
                _ if !def.flags.host || id == ResourceId::mpiprocs() || id == ResourceId::ompthreads() => {}
                value => conditions.resources.push((id, value)),
            }
        }
        self.out.asked.extend(conditions.resources.iter().map(|(id, _)| *id));
        let site = self.site(conditions);
        let reported = job.place.as_ref();
        let exclusive = reported.is_some_and(Place::is_excl)
            || (reported.is_none_or(|place| place.sharedness == PlaceSharing::Unsaid)
                && !self.snap.nodes.is_empty()
                && self.snap.nodes.iter().all(is_exclusive));
        let shape = self.dimensions.shape(|id| amounts.get(&id).copied());
        let preemptible = job.preemptible || self.requests(job, PREEMPTIBLE);
        Ok(CapacityShape { wall_time, exclusive, preemptible, site, ..shape })
    }

    /// Returns whether a job is a service: by its file, by a boolean resource `service`, or by a given
    /// criterion.
    fn is_service(&self, job: &Job) -> bool {
        let named = |criterion: &Criterion| class_of(self.snap, job, criterion) != OTHER;
        job.service || self.requests(job, SERVICE) || self.timing.services.iter().any(named)
    }

    /// Returns whether a job requests a boolean resource, for the whole job or in a chunk.
    fn requests(&self, job: &Job, name: &str) -> bool {
        let in_chunk = |request: &ResourceRequest| {
            *request.resource == *name && request.value.eq_ignore_ascii_case("true")
        };
        is_switched_on(self.snap, name, |id| job.requested.get(id)) || job.chunk_requests().any(in_chunk)
    }

    fn enforces(&self, id: ResourceId) -> bool {
        self.enforced.is_enforced(&self.snap.catalogue, id)
    }

    fn site(&mut self, conditions: NodeConditions) -> TypeSetIx {
        let known = self.out.conditions.iter().position(|have| *have == conditions);
        let ix = known.unwrap_or_else(|| {
            self.out.conditions.push(conditions);
            self.out.conditions.len() - 1
        });
        TypeSetIx(u32::try_from(ix + 1).unwrap_or(0))
    }
}

/// Merges all chunks into one, for a job that must be placed on one host.
fn packed(chunks: &[(CapacityShape, u32)]) -> Vec<(CapacityShape, u32)> {
    let Some((first, _)) = chunks.first() else { return Vec::new() };
    let mut sum = CapacityShape { memory: 0, cores: 0.0, disk: 0, gpus: 0, ..*first };
    for (shape, count) in chunks {
        let n = i64::from(*count);
        sum.memory = sum.memory.saturating_add(shape.memory.saturating_mul(n));
        sum.cores += shape.cores * f64::from(*count);
        sum.disk = sum.disk.saturating_add(shape.disk.saturating_mul(n));
        sum.gpus = sum.gpus.saturating_add(shape.gpus.saturating_mul(n));
    }
    vec![(sum, 1)]
}
