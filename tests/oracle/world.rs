//! The cluster: nodes as rows, jobs as lists of requests, the calendar as a list.

use std::collections::{BTreeMap, BTreeSet};

use qscope::cluster::{
    Arrangement, ExecVnode, JobState, License, NodeSortTerm, NodeState, NodeStates, Period, PlaceSharing,
    ReservationState, ResourceId, ResourceType, Sharing, Snapshot, SortDirection, Value,
};

use super::buckets::Placement;

/// Amounts by resource.
pub(crate) type Amounts = BTreeMap<String, f64>;

#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Val {
    Amount(f64),
    Bool(bool),
    Texts(Vec<String>),
}

/// The value that a chunk requests of a resource.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Want {
    Amount(f64),
    Bool(bool),
    Text(String),
}

pub(crate) struct Node {
    pub(crate) name: String,
    pub(crate) host: String,
    pub(crate) available: BTreeMap<String, Val>,
    pub(crate) assigned: Amounts,
    pub(crate) states: NodeStates,
    /// Whether it was free and licensed when it was read.
    pub(crate) usable: bool,
    pub(crate) licensed: bool,
    pub(crate) jobs: usize,
    pub(crate) reservations: usize,
    /// Times of planned starts here, in order.
    pub(crate) events: Vec<i64>,
    pub(crate) queue: Option<String>,
    pub(crate) priority: i64,
    pub(crate) sharing: Sharing,
}

impl Node {
    pub(crate) fn is_free(&self) -> bool {
        self.states.is_free()
    }

    pub(crate) fn is(&self, wanted: NodeState) -> bool {
        self.states.has(wanted)
    }

    /// Returns whether it is down or offline: in no bucket, and nothing changes there.
    pub(crate) fn is_gone(&self) -> bool {
        self.is(NodeState::Down) || self.is(NodeState::Offline)
    }

    /// Returns the total of a consumable; none if it is unset.
    pub(crate) fn total(&self, resource: &str) -> Option<f64> {
        match self.available.get(resource) {
            Some(Val::Amount(amount)) => Some(*amount),
            _ => None,
        }
    }

    /// Applies the start of a job (rule 3.4).
    pub(crate) fn take(&mut self, job: &Job, amounts: &Amounts) {
        self.jobs += 1;
        for (resource, amount) in amounts {
            *self.assigned.entry(resource.clone()).or_default() += amount;
        }
        let assigned = self.assigned.get("ncpus").copied().unwrap_or(0.0);
        if self.total("ncpus").is_some_and(|total| total - assigned <= 0.0) {
            self.states = self.states.with(NodeState::JobBusy);
        }
        if exclusive(self.sharing, job.sharedness) {
            self.states = self.states.with(NodeState::JobExclusive);
        }
    }
}

/// Returns whether a job would have a node for itself, by the table of rule 2.5.
pub(crate) fn exclusive(sharing: Sharing, place: PlaceSharing) -> bool {
    let column = match place {
        PlaceSharing::Excl | PlaceSharing::Exclhost => 0,
        PlaceSharing::Shared => 1,
        PlaceSharing::Unsaid => 2,
    };
    let row = match sharing {
        Sharing::DefaultShared => [true, false, false],
        Sharing::DefaultExcl | Sharing::DefaultExclhost => [true, false, true],
        Sharing::IgnoreExcl => [false, false, false],
        Sharing::ForceExcl | Sharing::ForceExclhost => [true, true, true],
    };
    row[column]
}

#[derive(Clone)]
pub(crate) struct Spec {
    pub(crate) count: usize,
    /// In the order in which they are checked.
    pub(crate) wants: Vec<(String, Want)>,
}

#[derive(Clone)]
pub(crate) struct Job {
    pub(crate) name: String,
    pub(crate) queue: String,
    pub(crate) specs: Vec<Spec>,
    pub(crate) arrangement: Arrangement,
    pub(crate) sharedness: PlaceSharing,
    pub(crate) group: Option<String>,
    /// The job-wide requests, by name.
    pub(crate) totals: Vec<(String, f64)>,
    pub(crate) duration: i64,
    /// Everything that makes jobs equal, as a text (rule 6.2).
    pub(crate) class: String,
}

impl Job {
    pub(crate) fn chunks(&self) -> usize {
        self.specs.iter().map(|spec| spec.count).sum()
    }

    pub(crate) fn is_scattered(&self) -> bool {
        matches!(self.arrangement, Arrangement::Scatter | Arrangement::Vscatter)
    }

    fn asks_for(&self, resource: &str) -> bool {
        self.specs.iter().any(|spec| spec.wants.iter().any(|(name, _)| name == resource))
    }
}

/// A job or reservation that starts or ends on nodes.
pub(crate) struct Event {
    pub(crate) at: i64,
    pub(crate) starts: bool,
    pub(crate) who: String,
    pub(crate) sharedness: PlaceSharing,
    pub(crate) nodes: BTreeMap<usize, Amounts>,
}

pub(crate) struct World {
    pub(crate) now: i64,
    /// In the scheduler's order.
    pub(crate) nodes: Vec<Node>,
    pub(crate) jobs: Vec<Job>,
    pub(crate) queues: Vec<String>,
    /// In order of time, ends before starts.
    pub(crate) calendar: Vec<Event>,
    /// Requested resources (rule 3.2).
    pub(crate) checked: BTreeSet<String>,
    pub(crate) booleans: BTreeSet<String>,
    /// The `resources` line.
    line: BTreeSet<String>,
    pub(crate) kinds: BTreeMap<String, ResourceType>,
    pub(crate) do_not_span: bool,
    pub(crate) only_explicit: bool,
    pub(crate) sort_keys: Vec<(NodeSortTerm, SortDirection)>,
    /// Whether some host has several vnodes that are not stale (rule 1.1).
    pub(crate) multi_vnode: bool,
}

impl World {
    pub(crate) fn new(snap: &Snapshot) -> Self {
        let line = snap.policy.resources.clone().unwrap_or_default();
        let kinds: BTreeMap<String, ResourceType> =
            snap.catalogue.iter().map(|(_, def)| (def.name.to_string(), def.kind)).collect();
        let kept =
            |name: &str| kinds[name] == ResourceType::Boolean || line.iter().any(|word| **word == *name);
        let jobs: Vec<Job> = snap.jobs.iter().map(|job| read_job(snap, job, &kept)).collect();
        let named: Vec<&str> = line.iter().map(|name| &**name).collect();
        let keys = snap.policy.node_sort_key.get(Period::Prime);
        let mut world = Self {
            now: snap.now.0,
            nodes: snap.nodes.iter().map(|node| read_node(snap, node)).collect(),
            queues: snap.queues.iter().map(|queue| queue.name.to_string()).collect(),
            calendar: Vec::new(),
            checked: checked(snap, &jobs, &named),
            line: named.iter().map(|name| (*name).to_owned()).collect(),
            booleans: kinds
                .iter()
                .filter(|(_, k)| **k == ResourceType::Boolean)
                .map(|(n, _)| n.clone())
                .collect(),
            kinds,
            do_not_span: snap.scheduler.do_not_span_psets,
            only_explicit: snap.scheduler.only_explicit_psets,
            sort_keys: keys.iter().map(|key| (key.term.clone(), key.direction)).collect(),
            jobs,
            multi_vnode: false,
        };
        let hosts: Vec<&String> =
            world.nodes.iter().filter(|node| !node.is(NodeState::Stale)).map(|node| &node.host).collect();
        world.multi_vnode = hosts.iter().collect::<BTreeSet<_>>().len() < hosts.len();
        world.sort_nodes();
        world.read_calendar(snap);
        world.classify();
        world
    }

    /// Sorts nodes by the keys in turn, ties in the order read; an unset resource counts as 0 (rule 4.3).
    fn sort_nodes(&mut self) {
        let keys = self.sort_keys.clone();
        let value = |node: &Node, term: &NodeSortTerm| match term {
            NodeSortTerm::Resource(name, _) => node.total(name).unwrap_or(0.0),
            _ => node.priority as f64,
        };
        self.nodes.sort_by(|a, b| compare_by(&keys, |term| (value(a, term), value(b, term))));
    }

    fn read_calendar(&mut self, snap: &Snapshot) {
        for reservation in &snap.reservations {
            let (Some(start), Some(end)) = (reservation.start, reservation.end) else { continue };
            let nodes = self.amounts(reservation.nodes.as_ref().unwrap());
            let sharedness =
                reservation.place.as_ref().map_or(PlaceSharing::Unsaid, |place| place.sharedness);
            let event = |at: i64, starts| Event {
                at,
                starts,
                who: reservation.name.to_string(),
                sharedness,
                nodes: nodes.clone(),
            };
            let mut events = vec![event(end.0, false)];
            if reservation.state == ReservationState::Running {
                nodes.keys().for_each(|node| self.nodes[*node].reservations += 1);
            } else {
                nodes.keys().for_each(|node| self.nodes[*node].events.push(start.0));
                events.push(event(start.0, true));
            }
            self.calendar.extend(events);
        }
        for (at, job) in snap.jobs.iter().enumerate().filter(|(_, job)| job.state == JobState::Running) {
            let nodes = self.amounts(job.exec_vnode.as_ref().unwrap());
            let end = job.started.unwrap().0 + self.jobs[at].duration;
            let (who, sharedness) = (job.name.to_string(), self.jobs[at].sharedness);
            self.calendar.push(Event { at: end, starts: false, who, sharedness, nodes });
        }
        self.nodes.iter_mut().for_each(|node| node.events.sort_unstable());
        self.calendar.sort_by_key(|event| (event.at, event.starts));
    }

    fn amounts(&self, placement: &ExecVnode) -> BTreeMap<usize, Amounts> {
        let mut nodes: BTreeMap<usize, Amounts> = BTreeMap::new();
        for part in placement.parts() {
            let node = self.nodes.iter().position(|node| node.name == *part.vnode).unwrap();
            for (name, value) in &part.resources {
                let amount = value.trim_end_matches("kb").parse::<f64>().unwrap();
                *nodes.entry(node).or_default().entry(name.to_string()).or_default() += amount;
            }
        }
        nodes
    }

    /// Plans the end of a started job (rule 6.3).
    pub(crate) fn plan_end(&mut self, job: &Job, placed: &Placement) {
        let nodes = placed.by_node();
        let (who, sharedness) = (job.name.clone(), job.sharedness);
        self.calendar.push(Event { at: self.now + job.duration, starts: false, who, sharedness, nodes });
        self.calendar.sort_by_key(|event| (event.at, event.starts));
    }

    /// Returns the nodes of a queue, or those bound to none.
    pub(crate) fn list(&self, queue: Option<&str>) -> Vec<usize> {
        (0..self.nodes.len()).filter(|node| self.nodes[*node].queue.as_deref() == queue).collect()
    }

    /// Returns the job's queue, if the queue has nodes of its own.
    pub(crate) fn nodes_queue(&self, job: &Job) -> Option<String> {
        Some(job.queue.clone()).filter(|queue| !self.list(Some(queue)).is_empty())
    }

    /// Returns whether the job takes the bucket path (rule 3.1, as far as it applies here).
    pub(crate) fn uses_buckets(&self, job: &Job) -> bool {
        matches!(job.sharedness, PlaceSharing::Excl | PlaceSharing::Exclhost)
            && job.arrangement != Arrangement::Pack
            && !self.multi_vnode
            && !job.asks_for("host")
            && !job.asks_for("vnode")
    }

    fn classify(&mut self) {
        let with_nodes: Vec<bool> = self.jobs.iter().map(|job| self.nodes_queue(job).is_some()).collect();
        let line = &self.line;
        for (job, own) in self.jobs.iter_mut().zip(with_nodes) {
            let queue = if own { job.queue.as_str() } else { "" };
            // Booleans need not be on the `resources` line for matching, but only what is on it is compared
            // here.
            let compared = |name: &str| line.contains(name) || name == "host" || name == "vnode";
            let wants = |spec: &Spec| -> Vec<String> {
                spec.wants.iter().filter(|(name, _)| compared(name)).map(|want| format!("{want:?}")).collect()
            };
            let specs: Vec<_> = job.specs.iter().map(|spec| (spec.count, wants(spec))).collect();
            job.class = format!(
                "{specs:?} {:?} {:?} {:?} {:?} {} {queue}",
                job.arrangement, job.sharedness, job.group, job.totals, job.duration
            );
        }
    }

    /// Returns an amount as comments show it (rule 2.4).
    pub(crate) fn show(&self, resource: &str, amount: f64) -> String {
        if self.kinds[resource] != ResourceType::Size {
            return format!("{amount}");
        }
        let units = [("tb", 30), ("gb", 20), ("mb", 10)];
        let unit = units.into_iter().find(|(_, bits)| amount > 0.0 && amount % f64::from(1 << bits) == 0.0);
        unit.map_or(format!("{amount}kb"), |(word, bits)| format!("{}{word}", amount / f64::from(1 << bits)))
    }
}

/// Compares by the keys in turn.
pub(crate) fn compare_by(
    keys: &[(NodeSortTerm, SortDirection)],
    values: impl Fn(&NodeSortTerm) -> (f64, f64),
) -> std::cmp::Ordering {
    let orders = keys.iter().map(|(term, direction)| {
        let (a, b) = values(term);
        let order = a.partial_cmp(&b).unwrap();
        if *direction == SortDirection::High { order.reverse() } else { order }
    });
    orders.fold(std::cmp::Ordering::Equal, std::cmp::Ordering::then)
}

fn read_node(snap: &Snapshot, node: &qscope::cluster::Node) -> Node {
    let name = |id| snap.catalogue.name(id).to_string();
    let value = |name: &str, value: &Value| match value {
        // Memory is rounded down to whole megabytes (rule 1.1).
        Value::Amount(amount) if name == "mem" => Val::Amount(amount.0 - amount.0 % 1024.0),
        Value::Amount(amount) => Val::Amount(amount.0),
        Value::Bool(on) => Val::Bool(*on),
        Value::Texts(texts) => Val::Texts(texts.iter().map(ToString::to_string).collect()),
        Value::Indirect(_) => unreachable!("no indirect resources here"),
    };
    let licensed = node.license == License::Locked;
    Node {
        name: node.name.to_string(),
        host: node.available.get(ResourceId::host()).unwrap().texts()[0].to_string(),
        available: node.available.iter().map(|(id, v)| (name(id), value(&name(id), v))).collect(),
        assigned: node.assigned.iter().filter_map(|(id, v)| Some((name(id), v.amount()?.0))).collect(),
        usable: node.states.is_free() && licensed,
        licensed,
        states: node.states,
        jobs: node.jobs.len(),
        reservations: 0,
        events: Vec::new(),
        queue: node.queue.as_ref().map(ToString::to_string),
        priority: node.priority.unwrap_or(0),
        sharing: node.sharing,
    }
}

/// Reads a job's kept requests, non-consumables in front, each before those read earlier (rule 2.3).
fn read_job(snap: &Snapshot, job: &qscope::cluster::Job, kept: &impl Fn(&str) -> bool) -> Job {
    let specs = job.select.as_ref().unwrap().chunks.iter().map(|chunk| {
        let mut wants = Vec::new();
        for request in chunk.requests.iter().filter(|request| kept(&request.resource)) {
            let (name, text) = (request.resource.to_string(), &*request.value);
            match snap.catalogue.kind(snap.catalogue.id(&name).unwrap()) {
                ResourceType::Boolean => {
                    wants.insert(0, (name, Want::Bool(text.eq_ignore_ascii_case("true"))));
                }
                ResourceType::Text | ResourceType::TextArray => {
                    wants.insert(0, (name, Want::Text(text.to_owned())));
                }
                _ => wants.push((name, Want::Amount(kilobytes(text)))),
            }
        }
        Spec { count: chunk.count as usize, wants }
    });
    let place = job.place.clone().unwrap();
    let totals = job.requested.by_name(&snap.catalogue);
    let names = totals.iter().map(|(id, value)| (snap.catalogue.name(*id).to_string(), value));
    let mut amounts: Vec<(String, f64)> =
        names.filter_map(|(name, value)| Some((name, value.amount()?.0))).collect();
    let walltime = amounts.iter().find(|(name, _)| name == "walltime").map(|(_, seconds)| *seconds as i64);
    amounts.retain(|(name, _)| kept(name));
    Job {
        name: job.name.to_string(),
        queue: job.queue.to_string(),
        specs: specs.collect(),
        arrangement: place.arrangement,
        sharedness: place.sharedness,
        group: place.group.map(|group| group.to_string()),
        totals: amounts,
        duration: walltime.unwrap_or(157_680_000),
        class: String::new(),
    }
}

/// Reads `4` or `2gb`; a size in kilobytes.
fn kilobytes(text: &str) -> f64 {
    let digits = text.trim_end_matches(char::is_alphabetic);
    let factor = match &text[digits.len()..] {
        "gb" => 1024.0 * 1024.0,
        "mb" => 1024.0,
        _ => 1.0,
    };
    digits.parse::<f64>().unwrap() * factor
}

/// Returns the resources kept from the selects of jobs and reservations, and the job-wide requests on the
/// `resources` line (rule 3.2).
fn checked(snap: &Snapshot, jobs: &[Job], line: &[&str]) -> BTreeSet<String> {
    let mut checked = BTreeSet::new();
    for job in jobs {
        checked.extend(job.specs.iter().flat_map(|spec| &spec.wants).map(|(name, _)| name.clone()));
        checked.extend(job.totals.iter().map(|(name, _)| name.clone()));
    }
    for select in snap.reservations.iter().filter_map(|reservation| reservation.select.as_ref()) {
        let names = select.chunks.iter().flat_map(|chunk| &chunk.requests).map(|request| &*request.resource);
        checked.extend(names.filter(|name| line.contains(name)).map(ToOwned::to_owned));
    }
    checked
}
