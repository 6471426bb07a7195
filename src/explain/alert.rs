//! Alerts: problems that an operator must see without asking, whatever job is examined.
//!
//! Each consists of a kind and the affected objects, by their batch system names; the view decides how to word it for
//! a line of a screen.

mod files;
mod nodes;

use serde::Serialize;

use qscope_engine::cluster::{Diagnostic, Job, Queue, Reservation, ReservationState, Snapshot, ghosts};
use qscope_engine::cycle::{DoubleBooking, Run};

use super::double_booking::DoubleBookingWords;
use super::words;

/// The kind of problem.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum AlertKind {
    /// The server or the scheduler has scheduling turned off; concerns no object.
    SchedulingOff,
    /// A file is truncated or contains no dump, so its remaining content is missing from every screen.
    DamagedFile,
    /// A node is assigned twice in this cycle (quirks B1 and B3), or two jobs run on a node although one requests it
    /// exclusively.
    DoubleBooking,
    /// More of a resource is assigned on a node than it has.
    Oversubscribed,
    /// A queue is not started.
    StoppedQueue,
    /// A node keeps the name of a dead job.
    Ghost,
    /// A node is unreachable or stale.
    Down,
    /// A node was set offline by an operator.
    Offline,
    /// A job runs on nodes that do not list it, so they may appear free.
    NotOnNodes,
    /// Nodes list a job that does not run according to the job dump.
    NotInDump,
    /// The live scheduler's own log complains; concerns no object.
    SchedulerLog,
}

impl AlertKind {
    /// The identifier used in machine-readable output.
    pub fn word(self) -> &'static str {
        self.into()
    }

    /// Whether it stops or spoils work, rather than being merely worth knowing.
    pub fn is_grave(self) -> bool {
        matches!(self, Self::SchedulingOff | Self::DamagedFile | Self::DoubleBooking | Self::Oversubscribed)
    }
}

/// One affected object or group of objects.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct AlertItem {
    /// Node or queue names; empty for scheduling itself.
    pub objects: Vec<String>,
    /// Full ids of the jobs concerned: those waiting in a queue, or the first and second job on a node.
    pub jobs: Vec<String>,
    /// One plain sentence.
    #[serde(rename = "what")]
    pub sentence: String,
    /// The same in two or three words, for narrow places; empty if the names are enough.
    #[serde(skip)]
    pub brief: String,
    /// The sentence without the kind and the object names, for display next to them.
    #[serde(skip)]
    pub effect: String,
    /// The finding in a file that it reports, if any.
    #[serde(skip)]
    pub finding: Option<Box<Diagnostic>>,
}

impl AlertItem {
    /// Whether it names this object.
    pub fn is_about(&self, name: &str) -> bool {
        self.objects.iter().any(|object| object == name)
    }
}

/// All items of one kind; never empty.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Alert {
    /// The kind of problem.
    pub kind: AlertKind,
    /// The affected objects.
    pub items: Vec<AlertItem>,
}

impl Alert {
    /// Number of nodes or queues affected.
    pub fn count(&self) -> usize {
        self.objects().count()
    }

    /// Whether it stops or spoils work: scheduling that is off stops nothing while no job would start.
    pub fn is_grave(&self) -> bool {
        self.kind.is_grave() && !self.is_harmless()
    }

    /// Whether scheduling is off and no job would start anyway.
    pub fn is_harmless(&self) -> bool {
        self.kind == AlertKind::SchedulingOff && self.items.iter().all(|item| item.jobs.is_empty())
    }

    /// Returns the node or queue names, item by item; a node with two problems of this kind appears twice.
    pub fn objects(&self) -> impl Iterator<Item = &str> {
        self.items.iter().flat_map(|item| &item.objects).map(String::as_str)
    }
}

/// Whether the server or the scheduler has scheduling turned off.
pub fn scheduling_is_off(snap: &Snapshot) -> bool {
    scheduling_off_at(snap) != (false, false)
}

/// Returns whether scheduling is off at the server and at the scheduler.
pub fn scheduling_off_at(snap: &Snapshot) -> (bool, bool) {
    (snap.server.scheduling == Some(false), snap.scheduler.scheduling == Some(false))
}

/// Returns a sentence stating where scheduling is off, so that no job starts; `None` while it is on.
pub fn scheduling_off(snap: &Snapshot) -> Option<String> {
    let scheduler = &snap.scheduler.name;
    match scheduling_off_at(snap) {
        (true, true) => {
            Some(format!("scheduling is off at the server and at scheduler {scheduler}: no job starts"))
        }
        (true, false) => Some("scheduling is off at the server: no job starts until it is on".to_owned()),
        (false, true) => {
            Some(format!("scheduling is off at scheduler {scheduler}: no job starts until it is on"))
        }
        (false, false) => None,
    }
}

/// Returns all alerts, gravest kind first; within a kind in the order of the dumps.
pub fn alerts(run: &Run) -> Vec<Alert> {
    let snap = &*run.plan.snap;
    let ghosts = ghosts(snap);
    // A stopped queue without waiting jobs keeps no job from running, so it is less grave.
    let queues = stopped(snap);
    let is_idle = queues.iter().all(|item| item.jobs.is_empty());
    let (queues, idle_queues) = if is_idle { (Vec::new(), queues) } else { (queues, Vec::new()) };
    let found = [
        (AlertKind::SchedulingOff, scheduling_off_items(run)),
        (AlertKind::DamagedFile, files::damaged(snap)),
        (AlertKind::DoubleBooking, double_booked_nodes(run)),
        (AlertKind::Oversubscribed, nodes::oversubscribed(snap)),
        (AlertKind::StoppedQueue, queues),
        (AlertKind::Ghost, nodes::dead_jobs(snap, &ghosts)),
        (AlertKind::Down, nodes::down(snap)),
        (AlertKind::Offline, nodes::offline(snap)),
        (AlertKind::StoppedQueue, idle_queues),
        (AlertKind::NotOnNodes, nodes::not_listing(snap)),
        (AlertKind::NotInDump, nodes::not_in_dump(snap, &ghosts)),
    ];
    found
        .into_iter()
        .filter(|(_, items)| !items.is_empty())
        .map(|(kind, items)| Alert { kind, items })
        .collect()
}

fn scheduling_off_items(run: &Run) -> Vec<AlertItem> {
    if !scheduling_is_off(&run.plan.snap) {
        return Vec::new();
    }
    let starting: Vec<_> = run.starts().collect();
    let subjobs = starting.iter().filter(|outcome| outcome.subjob.is_some()).count();
    let starts: Vec<String> = starting.iter().map(|outcome| outcome.name(&run.plan.snap)).collect();
    let jobs = words::jobs_and_subjobs(starts.len() - subjobs, subjobs);
    let brief = format!("{jobs} would start");
    let sentence = format!("scheduling off: {brief}");
    vec![AlertItem {
        objects: Vec::new(),
        jobs: starts,
        sentence,
        effect: brief.clone(),
        brief,
        finding: None,
    }]
}

/// Returns nodes assigned twice in this cycle, then nodes already shared that way.
fn double_booked_nodes(run: &Run) -> Vec<AlertItem> {
    let mut items: Vec<AlertItem> =
        run.double_bookings().iter().map(|booking| double_booking_item(run, booking)).collect();
    items.extend(nodes::shared_though_alone(&run.plan.snap));
    items
}

fn double_booking_item(run: &Run, booking: &DoubleBooking) -> AlertItem {
    let plan = &run.plan;
    let objects: Vec<String> = booking.nodes.iter().map(|bit| plan.node_name(*bit).to_string()).collect();
    let first = booking.first.map(|job| plan.job(job));
    let (given, again) = (DoubleBookingWords::new(run, booking), plan.job(booking.second_job));
    let sentence = given.sentence() + given.server_reaction();
    let (brief, effect) = (given.brief(), given.with_quirk() + given.server_reaction());
    let jobs = first.into_iter().chain([again]).map(|job| job.name.to_string()).collect();
    AlertItem { objects, jobs, sentence, brief, effect, finding: None }
}

fn stopped(snap: &Snapshot) -> Vec<AlertItem> {
    let item = |queue: &Queue| {
        let waits = |job: &&Job| job.queue == queue.name && job.state.is_queued() && !job.is_subjob();
        let jobs: Vec<String> = snap.jobs.iter().filter(waits).map(|job| job.name.to_string()).collect();
        let takes = if queue.enabled { "still takes new ones" } else { "takes no new ones either" };
        let wait = match jobs.len() {
            0 => "no job waits".to_owned(),
            1 => "1 job waits".to_owned(),
            n => format!("{n} jobs wait"),
        };
        let effect = format!("{wait} in it; it {takes}");
        let sentence = format!("queue {} is stopped: {effect}", queue.name);
        let brief = if jobs.is_empty() { String::new() } else { wait };
        AlertItem { objects: vec![queue.name.to_string()], jobs, sentence, brief, effect, finding: None }
    };
    let queues = snap.queues.iter().filter(|queue| !queue.started && !is_reserved(snap, queue)).map(item);
    let (waited_for, idle): (Vec<AlertItem>, Vec<AlertItem>) = queues.partition(|item| !item.jobs.is_empty());
    [waited_for, idle].concat()
}

/// Whether a queue belongs to a reservation that has not begun. The server keeps such a queue stopped until then, so
/// this is no problem.
pub fn is_reserved(snap: &Snapshot, queue: &Queue) -> bool {
    let theirs = |reservation: &&Reservation| reservation.queue.as_ref() == Some(&queue.name);
    match snap.reservations.iter().find(theirs) {
        Some(reservation) => reservation.state != ReservationState::Running,
        None => is_named_as_a_reservation(&queue.name),
    }
}

/// Whether a queue has a name that the server gives to queues of reservations: R, M or S and a number. This is the
/// only evidence if the dump of reservations is missing.
fn is_named_as_a_reservation(name: &str) -> bool {
    let number = name.strip_prefix(['R', 'M', 'S']).unwrap_or_default();
    !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests;
