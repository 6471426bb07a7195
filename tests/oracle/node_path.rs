//! The node path: eligibility, then chunk by chunk over the list (rules 4.2, 4.4–4.7).

use std::collections::BTreeMap;

use qscope::cluster::Arrangement;

use super::No;
use super::buckets::Placement;
use super::by_host::is_whole;
use super::sets::Set;
use super::world::{Amounts, Job, Node, Val, Want, World, exclusive};

const TOO_FEW: &str = "Not enough total nodes available";

/// One evaluation, over one list or several.
pub(crate) struct Search<'a> {
    pub(super) world: &'a World,
    pub(super) job: &'a Job,
    /// The kept sums of all hosts.
    pub(super) hosts: BTreeMap<String, Set>,
    pub(super) eligible: Vec<bool>,
    /// The reason of the node examined last, if it refused.
    pub(super) last: Option<String>,
    /// The first reason found.
    first: Option<String>,
    /// Number of nodes examined.
    examined: usize,
    /// The reason that the check of the last set's totals gave, when the search over all nodes begins.
    pub(super) left_over: Option<String>,
    /// Nodes that could not hold a chunk of the current spec, or equal one whose totals could not.
    pub(super) visited: Vec<bool>,
}

impl<'a> Search<'a> {
    /// Applies rule 4.2, once per evaluation, to the whole list.
    pub(crate) fn new(world: &'a World, job: &'a Job, hosts: BTreeMap<String, Set>, list: &[usize]) -> Self {
        let mut search = Self {
            world,
            job,
            hosts,
            eligible: vec![false; world.nodes.len()],
            last: None,
            first: None,
            examined: 0,
            left_over: None,
            visited: vec![false; world.nodes.len()],
        };
        let mut taken_hosts = Vec::new();
        for &at in list {
            let node = &world.nodes[at];
            // A node that is not free, at the start or now, leaves no reason: no answer of the real scheduler
            // names its state.
            if !node.usable || !node.is_free() {
                continue;
            }
            if exclusive(node.sharing, job.sharedness) && (node.jobs > 0 || node.reservations > 0) {
                search.note("Job is requesting an exclusive node and node is in use".to_owned());
                if world.multi_vnode && is_whole(node.sharing, job.sharedness) {
                    taken_hosts.push(node.host.clone());
                }
            } else {
                search.eligible[at] = true;
            }
        }
        for (at, node) in world.nodes.iter().enumerate() {
            search.eligible[at] &= !taken_hosts.contains(&node.host);
        }
        search
    }

    /// Keeps a reason if it is the first.
    pub(super) fn note(&mut self, reason: String) {
        self.first.get_or_insert(reason);
    }

    /// Notes the refusal by a whole set.
    pub(crate) fn refuse(&mut self, reason: String) {
        self.note(reason.clone());
        self.last = Some(reason);
    }

    /// Places on all nodes after no set could hold the job even when empty. The last set's reason for that is
    /// reported if no further node is examined (case `r00128`).
    pub(crate) fn span(&mut self, list: &[usize], too_small: Option<String>) -> Result<Placement, No> {
        let before = self.examined;
        if self.goes_by_host() {
            self.left_over = too_small.map(|why| why.split('(').next().unwrap().to_owned());
            return self.on(list, false).map_err(|()| match self.reason() {
                no if no.text == TOO_FEW => No::never(TOO_FEW),
                no => no,
            });
        }
        self.on(list, false).map_err(|()| match too_small {
            Some(too_small) if self.examined == before => match too_small.split('(').next().unwrap() {
                TOO_FEW => No::never(TOO_FEW),
                erased => No::now(erased),
            },
            _ => self.reason(),
        })
    }

    /// Returns the reported reason (rules 4.5, 5.4).
    pub(crate) fn reason(&self) -> No {
        let reason = self.last.clone().or_else(|| self.first.clone());
        No::now(reason.unwrap_or_else(|| "No available resources on nodes".to_owned()))
    }

    /// Returns whether the search goes host by host (rule 4.4).
    fn goes_by_host(&self) -> bool {
        self.world.multi_vnode || self.job.arrangement == Arrangement::Pack && self.job.chunks() > 1
    }

    /// Places the specs in order, every chunk from the start of the list; marks last as long as the spec.
    pub(crate) fn on(&mut self, list: &[usize], in_set: bool) -> Result<Placement, ()> {
        if self.goes_by_host() {
            return self.by_host(list, in_set);
        }
        self.last = None;
        let mut taken: BTreeMap<usize, Amounts> = BTreeMap::new();
        let mut scattered = vec![false; self.world.nodes.len()];
        let mut chunks = Vec::new();
        let job = self.job;
        for spec in &job.specs {
            // For a single chunk the marks outlast the list (case `w1236`).
            if job.chunks() > 1 {
                self.visited = vec![false; self.world.nodes.len()];
            }
            for _ in 0..spec.count {
                let found = self.chunk(list, &spec.wants, &scattered, &taken);
                let node = found.ok_or(())?;
                for (name, want) in &spec.wants {
                    if let Want::Amount(amount) = want {
                        *taken.entry(node).or_default().entry(name.clone()).or_default() += amount;
                    }
                }
                scattered[node] = job.is_scattered();
                chunks.push((node, spec.wants.as_slice()));
            }
        }
        Ok(Placement::new(self.world, chunks))
    }

    fn chunk(
        &mut self,
        list: &[usize],
        wants: &[(String, Want)],
        scattered: &[bool],
        taken: &BTreeMap<usize, Amounts>,
    ) -> Option<usize> {
        for &at in list {
            if self.visited[at] || scattered[at] || !self.eligible[at] {
                continue;
            }
            self.examined += 1;
            match self.examine(at, wants, taken.get(&at)) {
                Ok(()) => {
                    self.last = None;
                    return Some(at);
                }
                Err(reason) => {
                    self.visited[at] = true;
                    let node = &self.world.nodes[at];
                    // Names are not part of a signature. For a node too small even when empty, the reason is
                    // what its totals lack, as measured (cases `r00006`, `r00022`).
                    let wants: Vec<_> =
                        wants.iter().filter(|(name, _)| name != "host" && name != "vnode").cloned().collect();
                    let too_small = shortage(node, &wants, |name| node.total(name));
                    if too_small.is_some() {
                        let alike: Vec<usize> =
                            list.iter().copied().filter(|other| self.alike(at, *other)).collect();
                        alike.into_iter().for_each(|other| self.visited[other] = true);
                    }
                    let told = too_small.map(|name| format!("Insufficient amount of resource: {name} "));
                    self.last = Some(told.unwrap_or(reason));
                }
            }
        }
        if let Some(last) = self.last.clone() {
            self.note(last);
        }
        None
    }

    /// Tests conditions, amounts, then what is planned on the node (rule 4.5).
    pub(super) fn examine(
        &self,
        at: usize,
        wants: &[(String, Want)],
        taken: Option<&Amounts>,
    ) -> Result<(), String> {
        let node = &self.world.nodes[at];
        let mine = |name: &str| taken.and_then(|taken| taken.get(name)).copied().unwrap_or(0.0);
        let mut gone: Amounts = node.assigned.clone();
        let left = |gone: &Amounts, name: &str| {
            let gone = gone.get(name).copied().unwrap_or(0.0) + mine(name);
            node.total(name).map(|total| (total - gone).max(0.0))
        };
        if let Some(name) = shortage(node, wants, |name| left(&gone, name)) {
            return Err(format!("Insufficient amount of resource: {name} "));
        }
        let end = self.world.now + self.job.duration;
        let soon = || self.world.calendar.iter().filter(|event| event.at < end);
        if !soon().any(|event| event.starts) {
            return Ok(());
        }
        for event in soon().filter(|event| event.who != self.job.name) {
            let Some(amounts) = event.nodes.get(&at) else { continue };
            let sign = if event.starts { 1.0 } else { -1.0 };
            for (name, amount) in amounts {
                *gone.entry(name.clone()).or_default() += sign * amount;
            }
            let alone = [self.job.sharedness, event.sharedness].map(|place| exclusive(node.sharing, place));
            let short = || shortage(node, wants, |name| left(&gone, name)).is_some();
            if alone.contains(&true) || (event.starts && short()) {
                return Err("Job would conflict with reservation or top job".to_owned());
            }
        }
        Ok(())
    }

    /// Returns whether two nodes have the same signature: checked resources except host and vnode, and
    /// booleans (rule 3.2); an unset boolean differs from False (case `r00006`).
    fn alike(&self, a: usize, b: usize) -> bool {
        let value = |node: usize, name: &String| self.world.nodes[node].available.get(name).cloned();
        let names = self.world.checked.union(&self.world.booleans);
        names.filter(|name| *name != "host" && *name != "vnode").all(|name| value(a, name) == value(b, name))
    }
}

/// Returns the first request that a node does not meet; an unset resource is 0, False or empty.
pub(super) fn shortage(
    node: &Node,
    wants: &[(String, Want)],
    left: impl Fn(&str) -> Option<f64>,
) -> Option<String> {
    let fails = |(name, want): &&(String, Want)| match want {
        Want::Amount(wanted) => *wanted > 0.0 && left(name).unwrap_or(0.0) < *wanted,
        Want::Bool(wanted) => matches!(node.available.get(name), Some(Val::Bool(true))) != *wanted,
        Want::Text(wanted) => match node.available.get(name) {
            Some(Val::Texts(texts)) if name == "host" => {
                !texts.iter().any(|t| t.eq_ignore_ascii_case(wanted))
            }
            Some(Val::Texts(texts)) => !texts.contains(wanted),
            _ => !wanted.is_empty(),
        },
    };
    wants.iter().find(fails).map(|(name, _)| name.clone())
}
