//! Placement sets: how they are made, summed, ordered and checked (rules 5.1–5.4).

use std::cmp::Ordering;
use std::collections::BTreeMap;

use qscope::cluster::NodeState;

use super::No;
use super::buckets::{self, Bucket, differs, short, word};
use super::world::{Amounts, Job, Val, Want, World};

pub(crate) const CANT_SPAN: &str = "can't fit in the largest placement set, and can't span psets";

#[derive(Clone)]
pub(crate) struct Set {
    pub(crate) name: String,
    /// Indices of the nodes, in list order.
    pub(crate) members: Vec<usize>,
    pub(crate) free_nodes: i64,
    pub(crate) buckets: Vec<Bucket>,
    totals: Amounts,
    assigned: Amounts,
    texts: BTreeMap<String, Vec<String>>,
    /// Whether some node has it True, and whether some node has it False.
    booleans: BTreeMap<String, (bool, bool)>,
}

/// Makes sets key by key, for each value in the order first seen (rule 5.1).
pub(crate) fn by_keys(world: &World, list: &[usize], keys: &[String]) -> Vec<Set> {
    let list = without_stale(world, list);
    let mut sets = Vec::new();
    for key in keys {
        let values = |node: usize| match world.nodes[node].available.get(key) {
            Some(Val::Texts(texts)) => texts.clone(),
            _ if world.only_explicit => Vec::new(),
            _ => vec!["\"\"".to_owned()],
        };
        let mut seen: Vec<String> = Vec::new();
        for value in list.iter().flat_map(|node| values(*node)) {
            if !seen.contains(&value) {
                seen.push(value);
            }
        }
        for value in seen {
            let members = list.iter().copied().filter(|node| values(*node).contains(&value)).collect();
            sets.push(Set::new(world, format!("{key}={value}"), members));
        }
    }
    sets
}

fn without_stale(world: &World, list: &[usize]) -> Vec<usize> {
    list.iter().copied().filter(|node| !world.nodes[*node].is(NodeState::Stale)).collect()
}

impl Set {
    pub(crate) fn everything(world: &World, list: &[usize]) -> Self {
        Self::new(world, "all".to_owned(), without_stale(world, list))
    }

    /// Sums the requested resources and booleans only (rule 5.2). A node that is not free counts as full; but
    /// for a resource that the first node lacks, the first node that has it counts as it is.
    fn new(world: &World, name: String, members: Vec<usize>) -> Self {
        let (mut totals, mut assigned) = (Amounts::new(), Amounts::new());
        let mut texts: BTreeMap<String, Vec<String>> = BTreeMap::new();
        let first_has = |name: &str| world.nodes[members[0]].available.contains_key(name);
        for node in members.iter().map(|node| &world.nodes[*node]) {
            for (name, value) in node.available.iter().filter(|(name, _)| world.checked.contains(*name)) {
                match value {
                    Val::Amount(amount) => {
                        let taken = node.assigned.get(name).copied().unwrap_or(0.0);
                        let counts = node.is_free() || (!totals.contains_key(name) && !first_has(name));
                        *totals.entry(name.clone()).or_default() += amount;
                        *assigned.entry(name.clone()).or_default() += if counts { taken } else { *amount };
                    }
                    Val::Texts(elements) => {
                        let union = texts.entry(name.clone()).or_default();
                        for element in elements.iter().filter(|e| !e.is_empty()) {
                            if !union.contains(element) {
                                union.push(element.clone());
                            }
                        }
                    }
                    Val::Bool(_) => {}
                }
            }
        }
        let on =
            |node: &usize, name: &String| world.nodes[*node].available.get(name) == Some(&Val::Bool(true));
        let booleans = world.booleans.iter().map(|name| {
            let some = |wanted: bool| members.iter().any(|node| on(node, name) == wanted);
            (name.clone(), (some(true), some(false)))
        });
        Self {
            booleans: booleans.collect(),
            free_nodes: members.iter().filter(|node| world.nodes[**node].is_free()).count() as i64,
            buckets: buckets::of_list(world, &members).0,
            name,
            members,
            totals,
            assigned,
            texts,
        }
    }

    /// Returns what is left of a consumable; none if no node has it.
    pub(crate) fn left(&self, resource: &str) -> Option<f64> {
        let total = self.totals.get(resource)?;
        Some((total - self.assigned.get(resource).copied().unwrap_or(0.0)).max(0.0))
    }

    /// Applies the start of a job on a node that remembers this set (rule 3.4; bits by rule 3.4 U).
    pub(crate) fn take(&mut self, world: &World, node: usize, amounts: &Amounts) {
        for (name, amount) in amounts.iter().filter(|(name, _)| world.checked.contains(*name)) {
            *self.assigned.entry(name.clone()).or_default() += amount;
        }
        if !world.nodes[node].is_free() {
            self.free_nodes -= 1;
        }
        if let Some(bucket) = self.buckets.iter_mut().find(|bucket| bucket.has(node)) {
            bucket.put(node, buckets::BUSY);
        }
    }

    /// Checks nodes, then sums, then chunks, against what is free now or in total (rule 5.4 steps 1 and 3).
    pub(crate) fn check(&self, world: &World, job: &Job, in_all: bool) -> Result<(), String> {
        let nodes = if in_all { self.members.len() as i64 } else { self.free_nodes };
        // A negative count, from nodes taken twice, is not "no free node" (case `w1012`).
        let too_few = if job.is_scattered() { nodes < job.chunks() as i64 } else { nodes == 0 };
        if too_few {
            let which = if in_all { "total" } else { "free" };
            return Err(format!("Not enough {which} nodes available"));
        }
        for (name, wanted) in &job.totals {
            self.check_amount(world, name, *wanted, in_all)?;
        }
        job.specs.iter().try_for_each(|spec| self.check_chunk(world, &spec.wants, in_all))
    }

    /// Checks a host for one chunk: a free node, and sums; the reason has no numbers (rule 4.4 B).
    pub(crate) fn holds_chunk(&self, world: &World, wants: &[(String, Want)]) -> Result<(), Option<String>> {
        if self.free_nodes < 1 {
            return Err(None);
        }
        let erased = |why: String| Some(why.split('(').next().unwrap().to_owned());
        self.check_chunk(world, wants, false).map_err(erased)
    }

    fn check_chunk(&self, world: &World, wants: &[(String, Want)], in_all: bool) -> Result<(), String> {
        for (name, want) in wants {
            match want {
                Want::Amount(wanted) => self.check_amount(world, name, *wanted, in_all)?,
                Want::Bool(wanted) => {
                    let (on, off) = self.booleans[name];
                    if !(if *wanted { on } else { off }) {
                        return Err(differs(name, word(*wanted), word(!wanted)));
                    }
                }
                Want::Text(wanted) => {
                    let have = self.texts.get(name).cloned().unwrap_or_default();
                    let equal = |text: &String| match name.as_str() {
                        "host" => text.eq_ignore_ascii_case(wanted),
                        _ => text == wanted,
                    };
                    if !have.iter().any(equal) {
                        return Err(differs(name, wanted, &have.join(",")));
                    }
                }
            }
        }
        Ok(())
    }

    fn check_amount(&self, world: &World, name: &str, wanted: f64, in_all: bool) -> Result<(), String> {
        let total = self.totals.get(name).copied();
        let have = if in_all { total } else { self.left(name) }.unwrap_or(0.0);
        if wanted <= 0.0 || have >= wanted { Ok(()) } else { Err(short(world, name, wanted, have, total)) }
    }

    /// Checks a job against all nodes before any path (rule 6.4 step 2).
    pub(crate) fn quick_check(&self, world: &World, job: &Job) -> Result<(), No> {
        self.check(world, job, false).map_err(|now| match self.check(world, job, true) {
            Ok(()) => No::now(now),
            Err(in_all) => No::never(in_all),
        })
    }
}

/// Sorts sets into the order in which they are tried by a merge sort, since the comparison is not a strict
/// order (rule 5.3).
pub(crate) fn sorted(sets: &[Set], mut order: Vec<usize>) -> Vec<usize> {
    if order.len() < 2 {
        return order;
    }
    let right = sorted(sets, order.split_off(order.len() / 2));
    let left = sorted(sets, order);
    let (mut left, mut right) = (left.into_iter().peekable(), right.into_iter().peekable());
    let mut merged = Vec::new();
    while let (Some(a), Some(b)) = (left.peek(), right.peek()) {
        let from_left = compare(&sets[*a], &sets[*b]) != Ordering::Greater;
        merged.extend(if from_left { left.next() } else { right.next() });
    }
    merged.into_iter().chain(left).chain(right).collect()
}

fn compare(a: &Set, b: &Set) -> Ordering {
    let total = |set: &Set, name: &str| set.totals.get(name).copied();
    let pairs = [
        (total(a, "ncpus"), total(b, "ncpus")),
        (total(a, "mem"), total(b, "mem")),
        (a.left("ncpus"), b.left("ncpus")),
        (a.left("mem"), b.left("mem")),
    ];
    let order = |(a, b): (Option<f64>, Option<f64>)| match (a, b) {
        (Some(a), Some(b)) => a.partial_cmp(&b).unwrap(),
        _ => Ordering::Equal,
    };
    pairs.into_iter().map(order).fold(Ordering::Equal, Ordering::then)
}
