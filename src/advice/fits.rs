//! Finds what starts now: the largest requests per queue and kind of node, and for how long.
//!
//! Every number is found by adding a job to the cluster and running the cycle: each window starts, and with one node
//! or one minute more it does not.

mod kinds;
mod picture;
mod probe;
mod search;

use qscope_engine::cluster::{Edit, Epoch, Queue, QueueKind, Seconds, Snapshot};
use qscope_engine::cycle::Run;
use qscope_exits::json::by_name;
use serde::Serialize;

use crate::request::{SubmitRefusal, SubmitRequest};
pub use kinds::FreeNodeKind;
use kinds::kinds;
pub use picture::picture;
use probe::FitProbe;

/// The question to answer.
#[derive(Clone, Debug, Default)]
pub struct FitQuestion {
    /// Only this queue; `None` for all open ones.
    pub queue: Option<String>,
    /// The user making the requests; `None` for one whom every queue admits.
    pub user: Option<String>,
    /// The user's group; `None` for that of the user's jobs in the dump.
    pub group: Option<String>,
    /// Maximum number of windows per queue and kind of node.
    pub most: usize,
}

/// What starts now.
#[derive(Clone, Debug, Default, Serialize)]
pub struct FitAnswer {
    /// In seconds since 1970.
    pub now: i64,
    /// The user making the requests; null for one whom every queue admits.
    pub user: Option<String>,
    /// The kinds of nodes, most frequent first.
    pub kinds: Vec<FreeNodeKind>,
    /// Results per queue and kind of node, in the order of the queues.
    pub fits: Vec<RequestFit>,
    /// Queues that accept no such job, with the reason.
    #[serde(serialize_with = "by_name")]
    pub closed: Vec<(String, String)>,
    /// Number of cycles run.
    pub cycles: usize,
}

/// What starts now from one queue on one kind of nodes.
#[derive(Clone, Debug, Serialize)]
pub struct RequestFit {
    pub queue: String,
    /// The chunk that requests one whole node.
    pub chunk: String,
    /// The windows, most nodes first; each with fewer nodes lasts longer.
    pub windows: Vec<FreeWindow>,
    /// Why not even one node starts for a minute; null if there are windows.
    pub none: Option<String>,
    /// Whether such a job can never run.
    pub never: bool,
}

/// The largest request of its length that starts now, on whole nodes.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct FreeWindow {
    /// Number of nodes.
    pub nodes: u32,
    /// The longest walltime, in minutes; null if any length starts.
    pub minutes: Option<i64>,
    /// Its end, in seconds since 1970; null if any length starts.
    pub until: Option<i64>,
    /// Why one minute more does not start; null if any length does.
    pub longer: Option<String>,
    /// Why one node more does not start for that long.
    pub wider: String,
    /// Number of jobs that would have started in this cycle and no longer do.
    pub delays: usize,
    /// Number of running jobs that are preempted for it.
    pub preempts: usize,
}

/// Finds what starts now.
pub fn fits(run: &Run, question: &FitQuestion) -> FitAnswer {
    let snap = &run.plan.snap;
    let kinds = kinds(snap);
    // Without a user, the question is what is possible at all.
    let opened: Vec<Edit> = match question.user {
        Some(_) => Vec::new(),
        None => opened(snap),
    };
    let snap = snap.with(&opened);
    let mut found = FitAnswer { now: snap.now.0, user: question.user.clone(), ..FitAnswer::default() };
    for name in queues(&snap, question) {
        let mut closed = None;
        for kind in &kinds {
            let mut request = SubmitRequest {
                queue: Some(name.clone()),
                user: question.user.clone().unwrap_or_else(|| "(anyone)".to_owned()),
                group: question.group.clone(),
                ..SubmitRequest::default()
            };
            request.fill_group(&snap);
            let mut probe = FitProbe::new(run, &snap, request, kind);
            match search::windows(&mut probe, question.most) {
                Ok(windows) => found.fits.push(fit(&name, kind, windows, &mut probe)),
                Err(refusals) => closed = Some(refusals_text(&refusals)),
            }
            found.cycles += probe.cycles;
        }
        found.closed.extend(closed.map(|why| (name, why)));
    }
    found.kinds = kinds;
    found
}

fn fit(queue: &str, kind: &FreeNodeKind, windows: Vec<FreeWindow>, probe: &mut FitProbe<'_>) -> RequestFit {
    let (none, never) = windows.is_empty().then(|| probe.refusal_reason()).unzip();
    let never = never.unwrap_or_default();
    RequestFit { queue: queue.to_owned(), chunk: kind.chunk.clone(), windows, none, never }
}

fn refusals_text(refusals: &[SubmitRefusal]) -> String {
    refusals.iter().map(|refusal| refusal.detail.clone()).collect::<Vec<_>>().join("; ")
}

/// Returns the queues asked about; by default execution queues not owned by a reservation.
fn queues(snap: &Snapshot, question: &FitQuestion) -> Vec<String> {
    let reserved = |name: &str| snap.reservations.iter().any(|r| r.queue.as_deref() == Some(name));
    let of_interest = snap.queues.iter().filter(|queue| match &question.queue {
        Some(name) => *queue.name == **name,
        None => queue.kind == QueueKind::Execution && !reserved(&queue.name),
    });
    of_interest.map(|queue| queue.name.to_string()).collect()
}

/// Returns edits that switch off the user lists of every queue; everything else stays.
fn opened(snap: &Snapshot) -> Vec<Edit> {
    let open = |(id, queue): (_, &Queue)| {
        let mut queue = queue.clone();
        for list in [&mut queue.access.users, &mut queue.access.groups, &mut queue.access.hosts] {
            list.enabled = false;
        }
        Edit::Queue(id, Box::new(queue))
    };
    snap.queues.enumerate().map(open).collect()
}

impl FreeWindow {
    /// Describes its length: `any length`, or a duration.
    pub fn length(&self) -> String {
        self.minutes.map_or_else(|| "any length".to_owned(), |minutes| Seconds(minutes * 60).to_string())
    }

    /// Returns its end, if it has one.
    #[must_use]
    pub fn end(&self) -> Option<Epoch> {
        self.until.map(Epoch)
    }
}
