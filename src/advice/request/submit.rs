//! Simulates a submission: what the server would make of a request, and whether it would accept it (rules 2.1, 2.2).

mod draft;

use draft::JobDraft;

use qscope_engine::cluster::did_you_mean::question;
use qscope_engine::cluster::{ArrayAttributes, Job, Queue, QueueKind, Snapshot};

use super::queued::over_queued_limits;
use super::{SubjobIndices, SubmitRefusal, SubmitRequest};

/// The name of the job in answers, where it is the subject of sentences; it has no number yet.
const NAME: &str = "the new job";
/// Like [`NAME`], for an array.
pub(super) const ARRAY_NAME: &str = "the new array[]";

/// A request that the server would accept.
#[derive(Clone, Debug)]
pub struct AcceptedRequest {
    /// The job it would become.
    pub job: Job,
    /// What the server added, and from where.
    pub added: Vec<String>,
    /// Conditions of the acceptance that no dump shows.
    pub doubts: Vec<String>,
}

/// Checks a request as the server does at submission, and creates its job.
///
/// # Errors
/// Every reason why it is refused; those of the queue first.
pub fn submit(snap: &Snapshot, request: &SubmitRequest) -> Result<AcceptedRequest, Vec<SubmitRefusal>> {
    let queue = queue_of(snap, request).map_err(|refusal| vec![refusal])?;
    match queue.kind {
        QueueKind::Route => routed(snap, queue, request),
        QueueKind::Execution => into_queue(snap, queue, request, None),
    }
}

/// Submits to a routing queue: the first of its destinations that accepts the request gets it.
fn routed(
    snap: &Snapshot,
    route: &Queue,
    request: &SubmitRequest,
) -> Result<AcceptedRequest, Vec<SubmitRefusal>> {
    // Refusals of the routing queue itself come before any destination; what it adds is added again by the
    // destination.
    let own = into_queue(snap, route, request, None)?;
    if route.destinations.is_empty() {
        return Ok(own);
    }
    let mut refusals = Vec::new();
    for name in &route.destinations {
        let Some(id) = snap.queue_named(name) else {
            let detail = format!("{name}, a destination of {}, is not in the dumps", route.name);
            refusals.push(refusal("route", "No route to destination", detail));
            continue;
        };
        match into_queue(snap, &snap.queues[id], request, Some(route)) {
            Ok(mut found) => {
                found.added.insert(0, format!("queue {name} (route_destinations of {})", route.name));
                found.doubts.extend(own.doubts);
                return Ok(found);
            }
            Err(found) => refusals.extend(found),
        }
    }
    Err(refusals)
}

/// Submits a request to a queue, from a routing queue or from its owner.
fn into_queue(
    snap: &Snapshot,
    queue: &Queue,
    request: &SubmitRequest,
    route: Option<&Queue>,
) -> Result<AcceptedRequest, Vec<SubmitRefusal>> {
    let mut draft = JobDraft {
        snap,
        queue,
        is_routed: route.is_some(),
        added: Vec::new(),
        doubts: Vec::new(),
        refusals: Vec::new(),
    };
    draft.admission(request);
    draft.array_size(request);
    let job = draft.job(request);
    if let Some(job) = &job {
        draft.bounds(&job.requested);
        draft.refusals.extend(over_queued_limits(snap, queue, job));
    }
    let JobDraft { added, doubts, refusals, .. } = draft;
    match job {
        Some(job) if refusals.is_empty() => Ok(AcceptedRequest { job, added, doubts }),
        _ => Err(refusals),
    }
}

fn refusal(kind: &'static str, message: &'static str, detail: String) -> SubmitRefusal {
    SubmitRefusal { kind, message, detail }
}

fn queue_of<'s>(snap: &'s Snapshot, request: &SubmitRequest) -> Result<&'s Queue, SubmitRefusal> {
    let default = snap.server.default_queue.as_deref();
    let only = || match snap.queues.as_slice() {
        [queue] => Some(&*queue.name),
        _ => None,
    };
    let name = request.queue.as_deref().or(default).or_else(only).ok_or_else(|| {
        refusal(
            "no_queue",
            "No default queue specified",
            "the server has no default_queue: name one with -q".to_owned(),
        )
    })?;
    let found = snap.queue_named(name).map(|id| &snap.queues[id]);
    found.ok_or_else(|| {
        let hint = question(name, snap.queues.iter().map(|queue| &*queue.name));
        refusal("unknown_queue", "Unknown queue", format!("no queue is called `{name}`{hint}"))
    })
}

/// Creates an array of which no subjob has started.
fn array(indices: SubjobIndices) -> ArrayAttributes {
    let remaining = indices.all().collect();
    ArrayAttributes {
        is_parent: true,
        remaining,
        max_run_subjobs: indices.most,
        ..ArrayAttributes::default()
    }
}
