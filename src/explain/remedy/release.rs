//! What must be released, raised or switched on for a job to be considered at all.

use crate::cause::limits::is_hit;
use crate::{Cause, JobTurn, words};
use qscope_engine::cluster::{
    Amount, Edit, Job, JobState, LimitEntry, Limits, Queue, QueueId, ResourceId, Server, Snapshot, Value,
};
use qscope_engine::cycle::{RefusalStage, check_resources, limits_hit};
use qscope_engine::universe::{EventKind, LimitHit, MeterKey, Reason, ShortageDetail, entity_of};

/// Edits that remove the causes unrelated to nodes, with descriptions and sizes.
#[derive(Clone, Debug, Default)]
pub(super) struct ReleaseEdits {
    /// The changes, one phrase each.
    pub phrases: Vec<String>,
    pub edits: Vec<Edit>,
    /// Size of the change.
    pub size: u32,
    /// Whether limits or resources are raised, as far as the request needs.
    pub follows_request: bool,
    /// Number of phrases and size of the part that concerns the job itself; its edit comes first.
    of_job: (usize, u32),
    /// Number of parts that the job may start without: all but what keeps it from being considered.
    pub part_count: usize,
    /// The parts to leave out, by number.
    left_out: Vec<usize>,
}

impl ReleaseEdits {
    /// Returns the part that concerns the job itself: its hold and start time. Limits, queues and the scheduler stay
    /// unchanged.
    pub(super) fn of_the_job(&self) -> Self {
        let (words, size) = self.of_job;
        let has_edit = matches!(self.edits.first(), Some(Edit::Job(..)));
        Self {
            phrases: self.phrases.iter().take(words).cloned().collect(),
            edits: self.edits.iter().take(usize::from(has_edit)).cloned().collect(),
            size,
            follows_request: false,
            of_job: self.of_job,
            ..Self::default()
        }
    }

    /// Counts one more part, and returns whether it is taken.
    fn takes_next(&mut self) -> bool {
        let part = self.part_count;
        self.part_count += 1;
        !self.left_out.contains(&part)
    }

    /// Returns the server with the changes so far.
    fn server(&self, snap: &Snapshot) -> Server {
        let changed = self.edits.iter().rev().find_map(|edit| match edit {
            Edit::Server(server) => Some(&**server),
            _ => None,
        });
        changed.unwrap_or(&snap.server).clone()
    }

    /// Returns a queue with the changes so far.
    fn queue(&self, snap: &Snapshot, id: QueueId) -> Queue {
        let changed = self.edits.iter().rev().find_map(|edit| match edit {
            Edit::Queue(of, queue) if *of == id => Some(&**queue),
            _ => None,
        });
        changed.unwrap_or(&snap.queues[id]).clone()
    }

    fn add(&mut self, words: String, edit: Edit, size: u32) {
        self.phrases.push(words);
        self.edits.push(edit);
        self.size += size;
    }
}

/// Returns everything to be released for these causes, but for some parts by their numbers.
pub(super) fn release(turn: &JobTurn, causes: &[Cause], left_out: &[usize]) -> ReleaseEdits {
    let mut found = release_states(turn, causes);
    found.left_out = left_out.to_vec();
    let by_state = found.phrases.len();
    raise_limits(turn, &mut found);
    raise_resources(turn, &mut found);
    found.follows_request = found.phrases.len() > by_state;
    found
}

/// The same for a job that an operator starts, for which limits do not count.
pub(super) fn release_for_qrun(turn: &JobTurn, causes: &[Cause]) -> ReleaseEdits {
    let mut found = release_states(turn, causes);
    raise_resources(turn, &mut found);
    found
}

/// Returns what is to be released of the states of the job, its queue and the scheduler.
fn release_states(turn: &JobTurn, causes: &[Cause]) -> ReleaseEdits {
    let mut found = ReleaseEdits::default();
    let snap = &turn.plan().snap;
    let job = &snap.jobs[turn.job];
    let mut freed = job.clone();
    for cause in causes {
        match cause.kind {
            "held" | "failed-starts" => {
                let holds = if job.holds.is_empty() { String::new() } else { format!(" ({})", job.holds) };
                free(&mut found, &mut freed, format!("release the hold{holds}"));
            }
            "dependency" => {
                free(&mut found, &mut freed, "release the hold before its dependency is met".to_owned());
            }
            "waiting" => free(&mut found, &mut freed, "let it start earlier (qalter -a)".to_owned()),
            "subjob-limit" => {
                if let Some(array) = &mut freed.array {
                    array.max_run_subjobs = array.max_run_subjobs.map(|limit| limit + 1);
                    found.phrases.push("let the array run one more subjob at once".to_owned());
                    found.size += 30;
                }
            }
            _ => {}
        }
    }
    if freed != *job {
        found.edits.push(Edit::Job(turn.job, Box::new(freed)));
    }
    found.of_job = (found.phrases.len(), found.size);
    for cause in causes {
        match cause.kind {
            "queue-stopped" => {
                if let Some(id) = snap.queue_named(&job.queue) {
                    let mut queue = snap.queues[id].clone();
                    queue.started = true;
                    found.add(format!("start queue {}", queue.name), Edit::Queue(id, Box::new(queue)), 45);
                }
            }
            "under-threshold" => {
                let mut scheduler = snap.scheduler.clone();
                scheduler.formula_threshold = None;
                let edit = Edit::Scheduler(Box::new(scheduler));
                found.add("unset job_sort_formula_threshold".to_owned(), edit, 50);
            }
            _ => {}
        }
    }
    found
}

fn free(found: &mut ReleaseEdits, job: &mut Job, words: String) {
    job.state = JobState::Queued;
    job.holds = "".into();
    job.execution_time = None;
    found.phrases.push(words);
    found.size += 40;
}

/// Raises every limit that the job hits, just as far as needed.
fn raise_limits(turn: &JobTurn, found: &mut ReleaseEdits) {
    let snap = &turn.plan().snap;
    let mut server = found.server(snap);
    let mut queue = snap.queue_named(&snap.jobs[turn.job].queue).map(|id| (id, found.queue(snap, id)));
    let (mut at_server, mut at_queue) = (false, false);
    for rejection in limits_hit(turn.state(), turn.job, &turn.request) {
        let Reason::Limit(hit) = &rejection.reason else { continue };
        let limits = match (&hit.queue, &mut queue) {
            (Some(_), Some((_, queue))) => {
                at_queue = true;
                &mut queue.limits
            }
            (Some(_), None) => continue,
            (None, _) => {
                at_server = true;
                &mut server.limits
            }
        };
        if !found.takes_next() {
            continue;
        }
        found.phrases.extend(raise(turn, hit, limits));
        found.size += 45;
    }
    if at_server {
        found.edits.push(Edit::Server(Box::new(server)));
    }
    if let Some((id, queue)) = queue.filter(|_| at_queue) {
        found.edits.push(Edit::Queue(id, Box::new(queue)));
    }
}

/// Raises one limit and describes the change. A generic limit stays as it is for all others: the entity gets an entry
/// of its own, which limits in the old style do not have (rule 6.6).
fn raise(turn: &JobTurn, hit: &LimitHit, limits: &mut Limits) -> Option<String> {
    let snap = &turn.plan().snap;
    let job = &snap.jobs[turn.job];
    let resource = hit.resource.as_ref().and_then(|name| snap.catalogue.id(name));
    let queue = hit.queue.as_ref().and_then(|name| snap.queue_named(name));
    let needed = needed(turn, hit, resource, queue);
    let entity = entity_of(job, hit.scope);
    let is_generic = hit.entity.is_none() && !entity.is_empty();
    let old = limits.entries.iter().rfind(|entry| is_hit(entry, hit, resource))?.clone();
    if is_generic && !limits.old_style {
        let own = LimitEntry { entity: Some(entity.clone()), amount: Amount(needed), ..old.clone() };
        limits.entries.push(own);
    } else {
        let hits = limits.entries.iter_mut().filter(|entry| is_hit(entry, hit, resource));
        hits.for_each(|entry| entry.amount = Amount(needed));
    }
    let show =
        |value: f64| resource.map_or(format!("{value:.0}"), |id| words::amount(&snap.catalogue, id, value));
    let attribute = limits.attribute(hit.scope, hit.resource.as_deref());
    let place = hit.queue.as_ref().map_or("the server".to_owned(), |queue| format!("queue {queue}"));
    let scope: &str = hit.scope.into();
    let whom = match (entity.is_empty(), is_generic && limits.old_style) {
        (true, _) => "all".to_owned(),
        (_, true) => format!("each {scope}"),
        (_, false) => entity.to_string(),
    };
    let (from, to) = (show(old.amount.0), show(needed));
    Some(format!("raise {attribute} of {whom} at {place} from {from} to {to}"))
}

/// Returns the value that a limit must have for the job to start, counting all jobs that would run at the same time.
fn needed(turn: &JobTurn, hit: &LimitHit, resource: Option<ResourceId>, queue: Option<QueueId>) -> f64 {
    let plan = turn.plan();
    let job = plan.job(turn.job);
    let key = MeterKey::Limit { queue, scope: hit.scope, entity: entity_of(job, hit.scope), resource };
    let Some(meter) = plan.meters.meter(&key) else { return f64::INFINITY };
    let requested = resource.map_or(1.0, |id| job.requested.amount(id).map_or(0.0, |amount| amount.0));
    let mut now = turn.state().ledger.meters[meter];
    let mut peak = now;
    for (event, what) in turn.state().timeline.before(turn.state().now + turn.request.duration) {
        let amount = plan.meters.charge(what.occupant, meter, false);
        now += if event.kind == EventKind::Run { amount } else { -amount };
        peak = peak.max(now);
    }
    peak + requested
}

/// Raises the resource of the queue or server to what the job requests.
fn raise_resources(turn: &JobTurn, edits: &mut ReleaseEdits) {
    let snap = &turn.plan().snap;
    let job = &snap.jobs[turn.job];
    let Err((stage, rejection)) = check_resources(turn.state(), turn.job, &turn.request) else { return };
    let (Reason::QueueResource(shortage) | Reason::ServerResource(shortage)) = &rejection.reason else {
        return;
    };
    let name = snap.catalogue.name(shortage.resource);
    let Some(requested) = job.requested.get(shortage.resource).filter(|_| edits.takes_next()) else { return };
    let value = match &shortage.detail {
        ShortageDetail::Amounts { requested, available, total } => {
            let missing = requested.0 - if rejection.is_permanent { total.0 } else { available.0 };
            Value::Amount(Amount(total.0 + missing))
        }
        _ => requested.clone(),
    };
    let shown = value.show(snap.catalogue.kind(shortage.resource));
    if stage == RefusalStage::QueueResources {
        let Some(id) = snap.queue_named(&job.queue) else { return };
        let mut queue = edits.queue(snap, id);
        queue.available.set(shortage.resource, value);
        let words = format!("set resources_available.{name} of queue {} to {shown}", queue.name);
        edits.add(words, Edit::Queue(id, Box::new(queue)), 50);
    } else {
        let mut server = edits.server(snap);
        server.available.set(shortage.resource, value);
        edits.add(
            format!("set resources_available.{name} of the server to {shown}"),
            Edit::Server(Box::new(server)),
            50,
        );
    }
}
