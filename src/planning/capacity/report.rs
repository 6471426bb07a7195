//! Conclusions from the answers: the gap, the scaler's target, services, and differences from the original.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use qscope_engine::cluster::{NodeId, Snapshot, count, number_of};

use super::estimate::{EstimateOptions, Fidelity, smooth};
use super::fit::LackKind;
use super::fleet::{Fleet, FleetNode, ReportAge};
use super::question::{CapacityAnswer, CapacityCase, CapacityCaseError, CapacityQuestion, UnplaceableShape};
use super::rounding::round_half_away;
use super::services::{ServiceCheck, check};
use super::supply::UnmetCondition;
use super::{CapacityShape, NodeType, VnodeOffers, words};

/// All answers about one cluster at one target time.
#[derive(Clone, Debug)]
pub struct CapacityReport {
    /// The snapshot of the cluster.
    pub snap: Arc<Snapshot>,
    pub case: CapacityCase,
    /// The requested answer.
    pub answer: CapacityAnswer,
    /// The answer from scratch.
    pub scratch: CapacityAnswer,
    /// The answer on top of running jobs; none with types defined by the operator.
    pub on_top: Option<CapacityAnswer>,
    /// The original's answer; none when the original is followed anyway.
    pub original: Option<CapacityAnswer>,
    /// The conditions that each type does not meet, by the site of a shape that fits nowhere.
    unmet: BTreeMap<usize, Vec<Vec<UnmetCondition>>>,
}

/// A node that would be drained, and the jobs on it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DrainedNode {
    pub node: NodeId,
    /// Number of jobs that run on it.
    pub jobs: u32,
}

impl CapacityReport {
    /// Computes all answers.
    ///
    /// # Errors
    /// There are no nodes, or a job cannot be packed.
    pub fn new(snap: Arc<Snapshot>, question: &CapacityQuestion) -> Result<Self, CapacityCaseError> {
        let answer_of =
            |question: &CapacityQuestion| -> Result<(CapacityCase, CapacityAnswer), CapacityCaseError> {
                let case = CapacityCase::new(&snap, question)?;
                let answer = case.answer(&snap)?;
                Ok((case, answer))
            };
        let (case, answer) = answer_of(question)?;
        let other =
            |on_top| answer_of(&CapacityQuestion { on_top, ..question.clone() }).map(|(_, answer)| answer);
        let scratch = if question.on_top { other(false)? } else { answer.clone() };
        // With the operator's types, the two answers do not have the same types to compare by.
        let on_top = match (&question.types, question.on_top) {
            (Some(_), _) => None,
            (None, true) => Some(answer.clone()),
            (None, false) => Some(other(true)?),
        };
        let original = match question.options.fidelity {
            Fidelity::Compat => None,
            Fidelity::Corrected => {
                let options = EstimateOptions { fidelity: Fidelity::Compat, ..question.options };
                Some(answer_of(&CapacityQuestion { options, ..question.clone() })?.1)
            }
        };
        let unmet = unmet(&snap, &case, &answer);
        Ok(Self { snap, case, answer, scratch, on_top, original, unmet })
    }

    /// Returns the first `most` nodes that the scaler would drain to come down to the need, idle ones first.
    pub fn victims(&self, most: usize) -> Vec<DrainedNode> {
        let mut fleet = Fleet { fidelity: self.case.options.fidelity, ..Fleet::default() };
        for (id, node) in self.snap.nodes.enumerate().filter(|(_, node)| super::supply::is_up(node)) {
            let kind =
                self.case.stocks.iter().find(|stock| stock.hosts.iter().flatten().any(|vnode| *vnode == id));
            let Some(stock) = kind else { continue };
            let workers = number_of(node.jobs.len());
            fleet.nodes.push(FleetNode {
                ip: node.name.clone(),
                kind: stock.node_type.name.clone(),
                preemptible: stock.node_type.shape.preemptible,
                workers,
                billing_left: 1.0,
                seen: ReportAge::Recently,
                in_use: workers > 0,
            });
        }
        let mut all = Vec::new();
        for (stock, need) in self.case.stocks.iter().zip(&self.answer.types) {
            let surplus = usize::try_from(stock.nodes_up.saturating_sub(need.need)).unwrap_or(usize::MAX);
            let victims = fleet.victims(&stock.node_type.name, stock.node_type.shape.preemptible);
            all.extend(victims.into_iter().take(surplus.min(most)).filter_map(|victim| {
                let node = self.snap.node_named(&victim.ip)?;
                Some(DrainedNode { node, jobs: victim.workers })
            }));
        }
        all.sort_by_key(|victim| victim.jobs);
        all.truncate(most);
        all
    }

    /// Returns the least change of a node type with which a shape would fit.
    pub fn change(&self, never: &UnplaceableShape) -> Option<String> {
        let ix = never.closest?;
        let (stock, lacks) = (self.case.stocks.get(ix)?, never.lacks.get(ix)?);
        let amounts = lacks.iter().filter(|lack| lack.what != LackKind::Site).map(words::wanted);
        let conditions = self.unmet(never, ix).iter().map(|unmet| unmet.requirement.clone());
        let words: Vec<String> = amounts.chain(conditions).collect();
        Some(format!("a node like {} with {}", stock.node_type.name, words.join(" and ")))
    }

    /// What a shape that fits nowhere lacks on a type, in words.
    pub fn lacking(&self, never: &UnplaceableShape, ix: usize) -> String {
        let lacks = never.lacks.get(ix).map(Vec::as_slice).unwrap_or_default();
        let amounts = lacks.iter().filter(|lack| lack.what != LackKind::Site).map(words::lack);
        let conditions = self.unmet(never, ix).iter().map(|unmet| unmet.finding.clone());
        amounts.chain(conditions).collect::<Vec<_>>().join("; ")
    }

    /// The types by what a shape lacks on them, the closest first, each group with the words for it.
    pub fn lacking_by_type(&self, never: &UnplaceableShape) -> Vec<(Vec<usize>, String)> {
        let mut groups: Vec<(Vec<usize>, String)> = Vec::new();
        for ix in never.closest_first() {
            let words = self.lacking(never, ix);
            match groups.iter_mut().find(|(_, known)| *known == words) {
                Some((types, _)) => types.push(ix),
                None => groups.push((vec![ix], words)),
            }
        }
        groups
    }

    /// The conditions of a shape that a type does not meet.
    fn unmet(&self, never: &UnplaceableShape, ix: usize) -> &[UnmetCondition] {
        let types = site_of(never).and_then(|site| self.unmet.get(&site));
        types.and_then(|types| types.get(ix)).map_or(&[], Vec::as_slice)
    }

    /// Returns, by type, the nodes on top of running jobs minus the nodes from scratch.
    pub fn gap(&self) -> Vec<i64> {
        let Some(on_top) = &self.on_top else { return Vec::new() };
        let pairs = on_top.types.iter().zip(&self.scratch.types);
        pairs.map(|(top, scratch)| top.need as i64 - scratch.need as i64).collect()
    }

    /// Returns the line of one type: nodes needed, the bound by volume, nodes up, the maximum, the scaler's
    /// first target, node-hours; and, where more are needed than exist, how many more.
    pub fn type_line(&self, ix: usize) -> Option<(String, Option<String>)> {
        let (stock, need) = (self.case.stocks.get(ix)?, self.answer.types.get(ix)?);
        let line = format!(
            "{:>5} {:>5} {:>4} {:>4} {:>6} {:>7.1}  {}",
            need.need,
            need.lower_bound,
            stock.nodes_up,
            stock.node_type.max,
            self.wanted(ix),
            need.hours,
            stock.node_type.name
        );
        Some((line, (need.excess > 0).then(|| format!("  {} more than exist", need.excess))))
    }

    /// Returns the scaler's target in its first cycle: smoothed from 0, between min and max.
    pub fn wanted(&self, ix: usize) -> i64 {
        let (Some(stock), Some(need)) = (self.case.stocks.get(ix), self.answer.types.get(ix)) else {
            return 0;
        };
        let NodeType { min, max, .. } = stock.node_type;
        let seen = need.need.min(max) as f64;
        let smoothed = round_half_away(smooth(self.case.options.beta, seen, 0.0));
        if smoothed > max as i64 { max as i64 } else { smoothed.max(min as i64) }
    }

    /// Explains why the scaler's target differs from the need; none where it does not.
    pub fn wanted_words(&self, ix: usize) -> Option<String> {
        let (stock, need) = (self.case.stocks.get(ix)?, self.answer.types.get(ix)?);
        let wanted = self.wanted(ix);
        if wanted == need.need as i64 {
            return None;
        }
        let NodeType { min, max, .. } = stock.node_type;
        let beta = self.case.options.beta;
        let smoothed = round_half_away(smooth(beta, need.need.min(max) as f64, 0.0));
        let keeps = match min {
            1 => "it keeps at least the one that is up".to_owned(),
            _ => format!("it keeps at least the {min} that are up"),
        };
        let inertia = format!(
            "inertia {beta}: a moving average follows the need from 0 nodes, {smoothed} in the first cycle"
        );
        let why = match () {
            () if need.need > max && wanted == max as i64 => format!("there are at most {max}"),
            () if smoothed < min as i64 && stock.hosts.is_empty() => format!("there are at least {min}"),
            // The minimum number of nodes is no reason to ask for fewer than needed.
            () if smoothed < min as i64 && wanted < need.need as i64 => format!("{inertia}, and {keeps}"),
            () if smoothed < min as i64 => keeps,
            () => inertia,
        };
        Some(format!("{}: {} needed, {wanted} wanted: {why}", stock.node_type.name, need.need))
    }

    /// Returns the original's answer if its number of nodes differs by more than a fifth.
    pub fn differing_original(&self) -> Option<&CapacityAnswer> {
        let original = self.original.as_ref()?;
        let (ours, theirs) = (self.answer.nodes() as f64, original.nodes() as f64);
        ((ours - theirs).abs() > ours.max(theirs) / 5.0).then_some(original)
    }

    /// Checks whether the declared services can fill the nodes.
    pub fn services(&self) -> ServiceCheck {
        let (mut services, mut clients): (Vec<CapacityShape>, Vec<CapacityShape>) = (Vec::new(), Vec::new());
        for demand in &self.case.demands.all {
            for (chunk, count) in &demand.chunks {
                if demand.service {
                    let all = demand.copies.saturating_mul(u64::from(*count)).min(10_000);
                    services.extend(std::iter::repeat_n(*chunk, usize::try_from(all).unwrap_or(0)));
                } else if !self.answer.unplaceable.iter().any(|never| never.shape == *chunk) {
                    clients.push(*chunk);
                }
            }
        }
        let types: Vec<NodeType> = self.case.stocks.iter().map(|stock| stock.node_type.clone()).collect();
        check(&services, &clients, &types, &self.case.shapes).unwrap_or_default()
    }

    /// Describes how and why the original's answer differs.
    pub fn differences(&self) -> Vec<(&'static str, String)> {
        let Some(original) = &self.original else { return Vec::new() };
        let counts = |answer: &CapacityAnswer| answer.types.iter().map(|kind| kind.need).collect::<Vec<_>>();
        let mut found = Vec::new();
        if original.assertions > 0 {
            found.push(("13.1", "it fails its own check on times and loses the cycle".to_owned()));
        }
        if counts(original) != counts(&self.answer) {
            found.push((
                "13.3, 13.6, 13.7, 13.9, 13.11",
                format!(
                    "it needs {} where this needs {}: it knows no declared walltimes and guesses, packs runners with their whole length, never turns to another type, packs each chunk by itself, and plans by the hour",
                    count(original.nodes(), "node"),
                    self.answer.nodes()
                ),
            ));
        }
        found
    }
}

/// The index of a shape's conditions; `None` if it has none.
fn site_of(unplaceable: &UnplaceableShape) -> Option<usize> {
    unplaceable.shape.site.0.checked_sub(1).map(|site| site as usize)
}

/// Finds, once for all pictures, which conditions of the shapes that fit nowhere each type does not meet.
fn unmet(
    snap: &Snapshot,
    case: &CapacityCase,
    answer: &CapacityAnswer,
) -> BTreeMap<usize, Vec<Vec<UnmetCondition>>> {
    let sites: BTreeSet<usize> = answer.unplaceable.iter().filter_map(site_of).collect();
    let offers = VnodeOffers::new(snap);
    let of = |site: usize| {
        let conditions = case.demands.conditions.get(site)?;
        let owned = conditions.queue_has_nodes(snap);
        let types = case.stocks.iter().map(|stock| stock.unmet(conditions, owned, &offers));
        Some((site, types.collect()))
    };
    sites.into_iter().filter_map(of).collect()
}
