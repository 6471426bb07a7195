//! Alerts: what an operator must see unprompted, whatever job is examined.
//!
//! Each is a kind and the things it is about, by their names in the batch system; how it is worded for a line of a
//! screen is left to the view.

mod files;
mod nodes;

use serde::Serialize;

use qscope_engine::cluster::{Diagnostic, Job, Queue, Reservation, ReservationState, Snapshot, ghosts};
use qscope_engine::cycle::{DoubleBooking, Run};

use super::double_booking::GivenTwice;
use super::words;

/// What kind of thing is wrong.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum AlertKind {
    /// The server or the scheduler has scheduling turned off; about nothing but itself.
    SchedulingOff,
    /// A file ends too soon, or holds no dump: what it had besides is missing from every screen.
    DamagedFile,
    /// A node is given away twice in this cycle (quirks B1 and B3), or two jobs that request it alone run on it.
    DoubleBooking,
    /// More is assigned on a node than it has.
    Oversubscribed,
    /// Jobs of a queue are not started.
    StoppedQueue,
    /// A node keeps the name of a job that is dead.
    Ghost,
    /// A node is out of reach or out of date.
    Down,
    /// A node was taken out by an operator.
    Offline,
    /// A job runs on nodes that do not list it, so that they may appear free.
    NotOnNodes,
    /// Nodes list a job that does not run, as far as the job dump shows.
    NotInDump,
    /// The live scheduler's own log complains; about nothing but itself.
    SchedulerLog,
}

impl AlertKind {
    /// The word for programs.
    pub fn word(self) -> &'static str {
        self.into()
    }

    /// Whether it stops or spoils work, and is not merely worth knowing.
    pub fn is_grave(self) -> bool {
        matches!(self, Self::SchedulingOff | Self::DamagedFile | Self::DoubleBooking | Self::Oversubscribed)
    }
}

/// One thing that an alert is about.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct AlertItem {
    /// Nodes or the queue, by name; empty for scheduling itself.
    pub objects: Vec<String>,
    /// The jobs concerned, by their full ids: who waits in a queue, who got a node first and who again.
    pub jobs: Vec<String>,
    /// One plain sentence.
    #[serde(rename = "what")]
    pub sentence: String,
    /// The same in two or three words, for where there is little room; empty where names are enough.
    #[serde(skip)]
    pub brief: String,
    /// The sentence beside the kind and the names of the objects, which it does not repeat.
    #[serde(skip)]
    pub effect: String,
    /// What was odd in a file, where that is what it states.
    #[serde(skip)]
    pub finding: Option<Box<Diagnostic>>,
}

/// All items of one kind; never without items.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Alert {
    /// What is wrong.
    pub kind: AlertKind,
    /// With what.
    pub items: Vec<AlertItem>,
}

impl Alert {
    /// How many nodes or queues it is about.
    pub fn count(&self) -> usize {
        self.objects().count()
    }

    /// The nodes or queues, item by item; a node with two troubles of the kind comes twice.
    pub fn objects(&self) -> impl Iterator<Item = &str> {
        self.items.iter().flat_map(|item| &item.objects).map(String::as_str)
    }
}

/// Whether the server or the scheduler has scheduling turned off.
pub fn scheduling_is_off(snap: &Snapshot) -> bool {
    off_at(snap) != (false, false)
}

/// Whether the server has it turned off, and whether the scheduler has.
fn off_at(snap: &Snapshot) -> (bool, bool) {
    (snap.server.scheduling == Some(false), snap.scheduler.scheduling == Some(false))
}

/// That no job starts, since scheduling is off, and where it is off; none while it is on.
pub fn scheduling_off(snap: &Snapshot) -> Option<String> {
    let scheduler = &snap.scheduler.name;
    match off_at(snap) {
        (true, true) => {
            Some(format!("scheduling is off (server, {scheduler}): no job starts until both are on"))
        }
        (true, false) => Some("scheduling is off at the server: nothing starts until it is on".to_owned()),
        (false, true) => Some(format!("scheduler {scheduler} is off: nothing starts until it is on")),
        (false, false) => None,
    }
}

/// Everything that is wrong, the gravest kind first; within a kind in the order of the dumps.
pub fn alerts(run: &Run) -> Vec<Alert> {
    let snap = &*run.plan.snap;
    let ghosts = ghosts(snap);
    // A stopped queue in which no job waits keeps no job from running.
    let queues = stopped(snap);
    let is_idle = queues.iter().all(|item| item.jobs.is_empty());
    let (queues, idle_queues) = if is_idle { (Vec::new(), queues) } else { (queues, Vec::new()) };
    let found = [
        (AlertKind::SchedulingOff, off(run)),
        (AlertKind::DamagedFile, files::damaged(snap)),
        (AlertKind::DoubleBooking, doubled(run)),
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

fn off(run: &Run) -> Vec<AlertItem> {
    if !scheduling_is_off(&run.plan.snap) {
        return Vec::new();
    }
    let starting: Vec<_> = run.starts().collect();
    // Elsewhere an array counts once.
    let subjobs = starting.iter().filter(|outcome| outcome.subjob.is_some()).count();
    let starts: Vec<String> = starting.iter().map(|outcome| outcome.name(&run.plan.snap)).collect();
    let jobs = match (starts.len() - subjobs, subjobs) {
        (jobs, 0) => words::count(jobs, "job"),
        (0, subjobs) => words::count(subjobs, "subjob"),
        (jobs, subjobs) => format!("{}, {}", words::count(jobs, "job"), words::count(subjobs, "subjob")),
    };
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

/// What this cycle gives away twice, then what is so already.
fn doubled(run: &Run) -> Vec<AlertItem> {
    let mut items: Vec<AlertItem> =
        run.double_bookings().iter().map(|booking| given_twice(run, booking)).collect();
    items.extend(nodes::shared_though_alone(&run.plan.snap));
    items
}

fn given_twice(run: &Run, booking: &DoubleBooking) -> AlertItem {
    let plan = &run.plan;
    let objects: Vec<String> = booking.nodes.iter().map(|bit| plan.node_name(*bit).to_string()).collect();
    let first = booking.first.map(|job| plan.job(job));
    let (given, again) = (GivenTwice::new(run, booking), plan.job(booking.again));
    let sentence = given.sentence() + given.then();
    let (brief, effect) = (given.brief(), given.with_quirk() + given.then());
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

/// Whether a queue is that of a reservation which has not begun: the server keeps it stopped until then, which is how it should
/// be.
pub fn is_reserved(snap: &Snapshot, queue: &Queue) -> bool {
    let theirs = |reservation: &&Reservation| reservation.queue.as_ref() == Some(&queue.name);
    match snap.reservations.iter().find(theirs) {
        Some(reservation) => reservation.state != ReservationState::Running,
        None => is_named_as_a_reservation(&queue.name),
    }
}

/// Whether a queue has a name that the server gives to those of reservations: R, M or S and a number. Where the dump of
/// reservations is missing, it shows nothing else.
fn is_named_as_a_reservation(name: &str) -> bool {
    let number = name.strip_prefix(['R', 'M', 'S']).unwrap_or_default();
    !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests;
