//! One submission, as the server processes it.

mod depend;
mod resources;

use crate::request::nodes_option::NodesClash;
use crate::request::{SubjobIndices, SubmitRequest};
use qscope_engine::cluster::did_you_mean::unknown_resource;
use qscope_engine::cluster::{
    Admission, Amount, Arrangement, Job, JobState, Name, Place, Queue, QueueKind, ResourceId, Snapshot, Value,
};
use qscope_source::extension;

use super::{ARRAY_NAME, NAME, SubmitRefusal, array, refusal};

/// A submission in progress.
pub(super) struct JobDraft<'s> {
    pub(super) snap: &'s Snapshot,
    pub(super) queue: &'s Queue,
    pub(super) is_routed: bool,
    pub(super) added: Vec<String>,
    pub(super) doubts: Vec<String>,
    pub(super) refusals: Vec<SubmitRefusal>,
}

/// Returns the refusal for names of `-l` that cannot be combined.
fn clash_refusal(clash: NodesClash) -> SubmitRefusal {
    let beside = "\"nodes\" cannot be used with \"select\" or \"place\"";
    match clash {
        NodesClash::NodesAndSelect => refusal(
            "nodes_beside_select",
            beside,
            "nodes and select both request chunks: expected one".to_owned(),
        ),
        NodesClash::NodesAndPlace => refusal(
            "nodes_beside_place",
            beside,
            "nodes has a place of its own; expected `#excl` or `#shared` behind it, or a select".to_owned(),
        ),
        NodesClash::PlaceAlone => refusal(
            "place_alone",
            "\"place\" cannot be used without \"select\"",
            "expected select=… beside place, since its chunks are what is placed".to_owned(),
        ),
    }
}

impl JobDraft<'_> {
    pub(super) fn refuse(&mut self, kind: &'static str, message: &'static str, detail: String) {
        self.refusals.push(refusal(kind, message, detail));
    }

    /// Checks whether the queue accepts jobs at all, and this user's.
    pub(super) fn admission(&mut self, request: &SubmitRequest) {
        let queue = self.queue;
        let name = &queue.name;
        if !queue.enabled {
            self.refuse("disabled", "Queue is not enabled", format!("queue {name} has enabled=False"));
        }
        let group = request.group.as_deref().unwrap_or_default();
        let who = &request.user;
        match queue.access.admits(who, group) {
            Admission::Open => {}
            Admission::Depends(list) => {
                self.doubts.push(format!("whether {list} of queue {name} has the host"));
            }
            Admission::Closed("from_route_only") if self.is_routed => {}
            Admission::Closed("from_route_only") => {
                let detail = format!("queue {name} takes jobs from routing queues only (from_route_only)");
                self.refuse("acl", "Access to queue is denied", detail);
            }
            Admission::Closed("acl_groups") if group.is_empty() => {
                self.doubts.push(format!(
                    "whether acl_groups of queue {name} has the group of {who} (--as {who}:GROUP)"
                ));
            }
            Admission::Closed(list) => {
                let entity = if list == "acl_groups" { group } else { who };
                let detail = format!("{list} of queue {name} does not admit {entity}");
                self.refuse("acl", "Access to queue is denied", detail);
            }
        }
        if queue.kind == QueueKind::Route && (self.is_routed || queue.destinations.is_empty()) {
            self.doubts.push(format!("to which queue {name} routes it: name that queue with -q"));
        }
    }

    /// Checks that an array has no more subjobs than the queue and the server allow.
    pub(super) fn array_size(&mut self, request: &SubmitRequest) {
        let Some(count) = request.array.map(SubjobIndices::count) else { return };
        let at_queue = format!("queue {}", self.queue.name);
        let places =
            [(self.queue.max_array_size, &*at_queue), (self.snap.server.max_array_size, "the server")];
        for (most, place) in places {
            if let Some(most) = most.filter(|most| count > *most) {
                let detail = format!("it has {count} subjobs, and max_array_size of {place} allows {most}");
                self.refuse("array_size", "Array job exceeds server or queue size limit", detail);
            }
        }
    }

    /// Creates the job as the server would hold it; `None` if its request cannot be read.
    pub(super) fn job(&mut self, request: &SubmitRequest) -> Option<Job> {
        let snap = self.snap;
        let mut texts = match request.with_select(&|name| {
            snap.nodes.iter().any(|node| node.host().is_some_and(|host| **host == *name))
        }) {
            Ok(texts) => texts,
            Err(clash) => {
                self.refusals.push(clash_refusal(clash));
                return None;
            }
        };
        let selects = texts.iter().any(|(name, _)| name == "select");
        if !selects {
            self.defaults_for(&mut texts);
        }
        let mut job = self.identity(request);
        self.depend_on(&mut job, request.depend.as_deref().unwrap_or_default());
        let place = self.text_of(&texts, "place").map(|text| Place::parse(&text));
        job.place = match place {
            Some(Ok(place)) => Some(place),
            // The server's own place for `#shared` is accepted, and the scheduler ignores the job (rule 2.1).
            Some(Err(_)) if request.nodes.is_some() => {
                let made = self.text_of(&texts, "place").unwrap_or_default();
                self.added.push(format!("place={made}, which the scheduler cannot read"));
                None
            }
            Some(Err(error)) => {
                self.refuse("place", "Illegal attribute or resource value", error.to_string());
                None
            }
            None if selects => Some(Place::default()),
            None => Some(Place { arrangement: Arrangement::Pack, arranged: true, ..Place::default() }),
        };
        let select = self.select(&texts)?;
        for (name, value) in texts.iter().filter(|(name, _)| !matches!(&**name, "select" | "place")) {
            self.request(&mut job.requested, name, value, selects);
        }
        job.requested.set(ResourceId::nodect(), Value::Amount(Amount::ZERO));
        let mut job = job.with_select(select, &snap.catalogue);
        self.resource_defaults(&mut job);
        if let Some(group) = job.place.as_ref().and_then(|place| place.group.as_ref())
            && snap.catalogue.id(group).is_none()
        {
            self.refuse(
                "place",
                "Illegal attribute or resource value",
                unknown_resource(group, &snap.catalogue),
            );
        }
        Some(job)
    }

    pub(super) fn text_of(&self, texts: &[(String, String)], name: &str) -> Option<String> {
        texts.iter().find(|(have, _)| have == name).map(|(_, value)| value.clone())
    }

    /// Creates the job with its owner, its queue and the last place in it.
    pub(super) fn identity(&self, request: &SubmitRequest) -> Job {
        let snap = self.snap;
        let ranks = snap.jobs.iter().filter_map(|job| job.queue_rank);
        let sequence = snap.jobs.iter().map(|job| job.sequence).max().unwrap_or_default() + 1;
        let server = snap.jobs.iter().find_map(|job| job.name.split_once('.').map(|(_, server)| server));
        let own = if request.array.is_some() { ARRAY_NAME } else { NAME };
        let name = server.map_or_else(|| own.to_owned(), |server| format!("{own}.{server}"));
        let user: Name = request.user.as_str().into();
        let text = |text: &Option<String>| text.as_deref().unwrap_or_default().into();
        let passed = request.extension.as_deref().unwrap_or_default();
        Job {
            name: name.into(),
            sequence,
            owner: user.clone(),
            user,
            group: text(&request.group),
            project: request.project.as_deref().unwrap_or("_pbs_project_default").into(),
            account: request.account.as_deref().map(Name::from),
            prefer: extension::preferences(passed).into_iter().map(Name::from).collect(),
            policy: extension::policy(passed).map(Name::from),
            queue: self.queue.name.clone(),
            state: if request.held { JobState::Held } else { JobState::Queued },
            holds: if request.held { "u" } else { "" }.into(),
            priority: request.priority.unwrap_or_default(),
            queue_rank: ranks.max().map(|rank| rank.saturating_add(1)),
            queued: Some(snap.now),
            eligible: Some(snap.now),
            created: Some(snap.now),
            array: request.array.map(|indices| Box::new(array(indices))),
            rerunable: true,
            checkpointable: true,
            ..Job::default()
        }
    }
}
