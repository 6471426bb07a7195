//! The node path host by host (rules 4.4 B, 4.5): for hosts with several vnodes, and for packs of several
//! chunks.

use std::collections::BTreeMap;

use qscope::cluster::{Arrangement, PlaceSharing, Sharing};

use super::buckets::Placement;
use super::node_path::{Search, shortage};
use super::sets::Set;
use super::world::{Amounts, Job, Want, exclusive};

/// One chunk: what each vnode gives to it. The rest of an exclhost job's host is a chunk that gives nothing.
pub(crate) type Given = Vec<(usize, Vec<(String, f64)>)>;

/// What was placed so far.
#[derive(Clone)]
struct Placed {
    wanted: Vec<usize>,
    parts: Vec<Vec<Given>>,
    taken: BTreeMap<usize, Amounts>,
    /// Whether chunks are split under vscatter too: in a set that is on one host (rule M21).
    breaks_scattered: bool,
}

impl Placed {
    fn nodes(&self) -> Vec<usize> {
        self.parts.iter().flatten().flatten().map(|(node, _)| *node).collect()
    }

    fn chunks(&self) -> Vec<usize> {
        self.parts.iter().map(Vec::len).collect()
    }
}

/// Returns whether a job would take the whole host of a vnode (rule 2.5).
pub(crate) fn is_whole(sharing: Sharing, place: PlaceSharing) -> bool {
    match sharing {
        Sharing::ForceExclhost => true,
        Sharing::IgnoreExcl => false,
        Sharing::DefaultExclhost => place != PlaceSharing::Shared && place != PlaceSharing::Excl,
        _ => place == PlaceSharing::Exclhost,
    }
}

impl Search<'_> {
    /// Tries the hosts in the order of the list. The list of a set makes new sums of each host; the list of
    /// the complex uses the kept ones.
    pub(crate) fn by_host(&mut self, list: &[usize], in_set: bool) -> Result<Placement, ()> {
        let said = match self.on_hosts(list, in_set) {
            Ok(placement) => return Ok(placement),
            Err(said) => said,
        };
        self.last = if in_set { self.said_anew(list, &said) } else { said.clone() };
        if let Some(said) = said {
            self.note(said);
        }
        Err(())
    }

    /// Vnodes that refused a single packed chunk in an earlier set leave no reason in this one (rule M5).
    fn said_anew(&mut self, list: &[usize], said: &Option<String>) -> Option<String> {
        if self.job.arrangement != Arrangement::Pack || self.job.chunks() != 1 {
            return said.clone();
        }
        let all = self.eligible.clone();
        list.iter().for_each(|node| self.eligible[*node] &= !self.visited[*node]);
        let said = self.on_hosts(list, true).err().flatten();
        self.eligible = all;
        list.iter().for_each(|node| self.visited[*node] = true);
        said
    }

    /// Searches host by host; returns the first reason if there is no room.
    fn on_hosts(&mut self, list: &[usize], in_set: bool) -> Result<Placement, Option<String>> {
        let job = self.job;
        let mut said = self.left_over.take().filter(|_| self.is_first_host_closed(list));
        let mut placed = Placed {
            wanted: job.specs.iter().map(|spec| spec.count).collect(),
            parts: vec![Vec::new(); job.specs.len()],
            taken: BTreeMap::new(),
            breaks_scattered: false,
        };
        let mut scattered = Vec::new();
        let mut hosts: Vec<&str> = Vec::new();
        for &node in list {
            let host = self.world.nodes[node].host.as_str();
            if !hosts.contains(&host) {
                hosts.push(host);
            }
        }
        placed.breaks_scattered = in_set && hosts.len() == 1;
        for host in hosts {
            let members: Vec<usize> =
                list.iter().copied().filter(|node| self.world.nodes[*node].host == host).collect();
            let kept = self.hosts.get(host).filter(|_| !in_set);
            let sums = kept.cloned().unwrap_or_else(|| Set::everything(self.world, &members));
            let before = placed.chunks();
            self.on_host(&sums, &members, &mut placed, &mut scattered, &mut said);
            if placed.chunks() != before {
                self.rest_of_host(host, &before, &mut placed);
            }
            if placed.wanted.iter().all(|count| *count == 0) {
                return Ok(Placement::of_groups(self.world, placed.parts.into_iter().flatten().collect()));
            }
        }
        // A vnode that took the one chunk it may take stays unavailable in the next list (rule M6).
        scattered.into_iter().for_each(|node| self.eligible[node] = false);
        Err(said)
    }

    /// Returns whether the first host has no free node, or under pack no eligible one: then what the check of
    /// the last set's totals has left over is the first reason.
    fn is_first_host_closed(&self, list: &[usize]) -> bool {
        let Some(first) = list.first() else { return false };
        let host = &self.world.nodes[*first].host;
        let mut members = list.iter().filter(|node| self.world.nodes[**node].host == *host);
        match self.job.arrangement {
            Arrangement::Pack => !members.any(|node| self.eligible[*node]),
            // By the sums of the check, where they are kept (rule M43).
            _ => match self.hosts.get(host.as_str()) {
                Some(sums) => sums.free_nodes < 1,
                None => !members.any(|node| self.world.nodes[*node].is_free()),
            },
        }
    }

    fn on_host(
        &self,
        sums: &Set,
        members: &[usize],
        placed: &mut Placed,
        scattered: &mut Vec<usize>,
        said: &mut Option<String>,
    ) {
        let open: Vec<usize> = members.iter().copied().filter(|node| self.eligible[*node]).collect();
        let before = placed.clone();
        for (at, spec) in self.job.specs.iter().enumerate() {
            let mut marked = Vec::new();
            let checks = self.job.arrangement != Arrangement::Pack;
            // The host is checked for every part, even for one that has all its chunks.
            if checks && let Err(why) = sums.holds_chunk(self.world, &spec.wants) {
                says(said, why);
                continue;
            }
            if placed.wanted[at] == 0 {
                continue;
            }
            let usable = |node: &usize| self.world.nodes[*node].licensed && self.world.nodes[*node].is_free();
            let spreads = matches!(self.job.arrangement, Arrangement::Free | Arrangement::Vscatter);
            if spreads && !members.iter().any(usable) {
                return;
            }
            while placed.wanted[at] > 0 {
                let left: Vec<usize> =
                    open.iter().copied().filter(|n| !marked.contains(n) && !scattered.contains(n)).collect();
                let Some(given) = self.one_chunk(&spec.wants, (members, &left), placed, &mut marked, said)
                else {
                    break;
                };
                for (node, amounts) in &given {
                    if self.job.arrangement == Arrangement::Vscatter {
                        scattered.push(*node);
                        continue;
                    }
                    let mine = placed.taken.entry(*node).or_default();
                    amounts
                        .iter()
                        .for_each(|(name, amount)| *mine.entry(name.clone()).or_default() += amount);
                }
                placed.wanted[at] -= 1;
                placed.parts[at].push(given);
                if self.job.arrangement == Arrangement::Scatter {
                    return;
                }
            }
            if self.job.arrangement == Arrangement::Pack && placed.wanted[at] > 0 {
                *placed = before;
                return;
            }
        }
    }

    /// Places one chunk on a vnode that holds it whole; if there is none, on several together, but not under
    /// vscatter.
    fn one_chunk(
        &self,
        wants: &[(String, Want)],
        (members, left): (&[usize], &[usize]),
        placed: &Placed,
        marked: &mut Vec<usize>,
        said: &mut Option<String>,
    ) -> Option<Given> {
        let taken = &placed.taken;
        let lacks = |node: usize| self.examine(node, wants, taken.get(&node)).err();
        let breakable = self.job.arrangement != Arrangement::Vscatter || placed.breaks_scattered;
        // Planned starts do not count here: only what a vnode has free now, whether eligible or not (rule
        // M38).
        let holds = |node: &usize| lacks(*node).is_none_or(|why| why.starts_with("Job would conflict"));
        if breakable && !members.iter().any(holds) {
            return self.broken(wants, left, taken, said);
        }
        let mut last = None;
        for &node in left {
            last = lacks(node);
            if last.is_none() {
                let amounts = wants.iter().filter_map(|(name, want)| match want {
                    Want::Amount(amount) => Some((name.clone(), *amount)),
                    _ => None,
                });
                return Some(vec![(node, amounts.collect())]);
            }
            marked.push(node);
        }
        says(said, last);
        None
    }

    /// Returns what a vnode lacks for a whole chunk even when it is empty.
    fn too_small(&self, node: usize, wants: &[(String, Want)]) -> Option<String> {
        let unnamed: Vec<_> =
            wants.iter().filter(|(name, _)| name != "host" && name != "vnode").cloned().collect();
        let vnode = &self.world.nodes[node];
        shortage(vnode, &unnamed, |name| vnode.total(name)).map(|name| insufficient(&name))
    }

    /// Takes from each vnode as many whole units as it has; resources in reverse order (rule 11 item 9, rules
    /// M13 and M14).
    fn broken(
        &self,
        wants: &[(String, Want)],
        left: &[usize],
        taken: &BTreeMap<usize, Amounts>,
        said: &mut Option<String>,
    ) -> Option<Given> {
        let mut wanted: Vec<(String, f64)> = wants
            .iter()
            .filter_map(|(name, want)| match want {
                Want::Amount(amount) => Some((name.clone(), *amount)),
                _ => None,
            })
            .collect();
        let conditions: Vec<_> =
            wants.iter().filter(|(_, want)| !matches!(want, Want::Amount(_))).cloned().collect();
        let (mut given, mut last) = (Given::new(), None);
        for &at in left {
            let node = &self.world.nodes[at];
            if self.job.arrangement == Arrangement::Scatter && exclusive(node.sharing, self.job.sharedness) {
                says(said, self.too_small(at, wants));
            }
            if let Some(name) = shortage(node, &conditions, |_| None) {
                last = Some(insufficient(&name));
                continue;
            }
            let of = |amounts: Option<&Amounts>, name: &str| {
                amounts.and_then(|amounts| amounts.get(name)).copied().unwrap_or(0.0)
            };
            let mut share: Vec<(String, f64)> = Vec::new();
            for (name, rest) in wanted.iter().filter(|(_, rest)| *rest > 0.0) {
                let have =
                    node.total(name).map_or(0.0, |total| (total - of(Some(&node.assigned), name)).max(0.0));
                let give = (have - of(taken.get(&at), name)).min(*rest).floor();
                if give > 0.0 {
                    share.push((name.clone(), give));
                } else {
                    last = Some(insufficient(name));
                }
            }
            if share.is_empty() {
                continue;
            }
            let asks: Vec<(String, Want)> =
                share.iter().map(|(name, amount)| (name.clone(), Want::Amount(*amount))).collect();
            if let Err(conflict) = self.examine(at, &asks, taken.get(&at)) {
                // For jobs that request the whole vnode, the reason is a shortage (rule M39).
                let asks = matches!(self.job.sharedness, PlaceSharing::Excl | PlaceSharing::Exclhost);
                let short = share.last().filter(|_| asks);
                last = Some(short.map_or(conflict, |(name, _)| insufficient(name)));
                continue;
            }
            for (name, amount) in &share {
                wanted.iter_mut().filter(|(have, _)| have == name).for_each(|(_, rest)| *rest -= amount);
            }
            wanted.retain(|(_, rest)| *rest > 0.0);
            share.reverse();
            given.push((at, share));
            if wanted.is_empty() {
                return Some(given);
            }
        }
        says(said, last);
        None
    }

    /// Adds the rest of an exclhost job's host to the last part that got anything here.
    fn rest_of_host(&self, host: &str, before: &[usize], placed: &mut Placed) {
        let members: Vec<usize> =
            (0..self.world.nodes.len()).filter(|node| self.world.nodes[*node].host == host).collect();
        let job: &Job = self.job;
        let whole = |node: &usize| {
            job.sharedness == PlaceSharing::Exclhost
                || is_whole(self.world.nodes[*node].sharing, job.sharedness)
        };
        let has = placed.nodes();
        if !members.iter().filter(|node| has.contains(node)).any(whole) {
            return;
        }
        let part = (0..before.len()).rev().find(|at| placed.parts[*at].len() > before[*at]).unwrap();
        let rest = members.into_iter().filter(|node| !has.contains(node));
        placed.parts[part].extend(rest.map(|node| vec![(node, Vec::new())]));
    }
}

/// Keeps a reason if it is the first.
fn says(said: &mut Option<String>, reason: Option<String>) {
    if said.is_none() {
        *said = reason;
    }
}

fn insufficient(name: &str) -> String {
    format!("Insufficient amount of resource: {name} ")
}
