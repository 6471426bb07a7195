//! Chunks that no node, or not all nodes together, could hold even when idle and up.

use crate::fit_analysis::{FitAnalysis, LargestUnit, PackedRequest, requested};
use crate::{Cause, JobTurn, words};
use qscope_engine::cluster::{ResourceId, short_id};
use qscope_engine::placement::all_lacking;
use qscope_engine::universe::{AmountBasis, Bit, NodeSet, Plan, Reason, Spec};

use super::{IdleTrial, conditions, name};

/// A chunk spec of the select that the nodes cannot hold even when empty and up.
pub(super) struct ImpossibleChunkSpec<'a> {
    pub(super) turn: &'a JobTurn,
    pub(super) idle: &'a IdleTrial<'a>,
    pub(super) fit_analysis: &'a FitAnalysis<'a>,
    pub(super) spec: &'a Spec,
    /// Number of its chunks that they hold.
    pub(super) chunks: u64,
}

impl ImpossibleChunkSpec<'_> {
    /// The plan of the idle cluster, by which the chunk specs are numbered: a job that returns to its nodes there may
    /// request them chunk by chunk only there.
    fn plan(&self) -> &Plan {
        &self.idle.state.plan
    }

    /// Returns the single thing that rules it out.
    pub(super) fn cause(&self) -> Cause {
        let catalogue = &self.plan().snap.catalogue;
        let narrow = self.fit_analysis.narrow(self.spec);
        let cause = match (self.fit_analysis.packed(), narrow.first().copied()) {
            (Some(packed), _) => self.packed(&packed),
            (None, Some(resource)) if !catalogue.kind(resource).is_consumable() => {
                conditions::cause(name(self.turn), self.idle, self.fit_analysis, self.spec, resource)
            }
            (None, Some(resource)) if self.chunks == 0 => self.too_large(resource),
            _ => self.too_many(),
        };
        let names = narrow.iter().map(|resource| catalogue.name(*resource).to_string());
        cause
            .with_objects(names)
            .with_objects(self.reservation_name())
            .number("nodes", self.idle.list.count())
    }

    /// Returns the reservation that the job is in.
    fn reservation_name(&self) -> Option<String> {
        let plan = self.plan();
        plan.reservation_of(self.turn.job).map(|id| plan.snap.reservations[id].name.to_string())
    }

    /// `8 nodes`, `2 nodes of reservation R7`.
    fn nodes(&self) -> String {
        format!("{}{}", words::count(self.idle.list.count(), "node"), self.of_reservation())
    }

    fn of_reservation(&self) -> String {
        self.reservation_name().map(|name| format!(" of reservation {}", short_id(&name))).unwrap_or_default()
    }

    /// Returns `the most that any of 8 nodes has is`, with hosts if vnodes are counted by host, or with the only
    /// node; of the units that hold the rest of a chunk or job, `the most that any host with the rest of the chunk has
    /// is`.
    fn most(&self, largest: &LargestUnit, whole: &str) -> String {
        if largest.with_rest {
            return format!(
                "the most that any {} with the rest of the {whole} has is",
                self.fit_analysis.unit()
            );
        }
        let (units, nodes) = (self.fit_analysis.units(), self.idle.list.count());
        if units < nodes && units > 1 {
            return format!("the most that any of {} has is", words::count(units, "host"));
        }
        match nodes {
            1 => format!("the only node{} has", self.of_reservation()),
            _ => format!("the most that any of {} has is", self.nodes()),
        }
    }

    fn packed(&self, packed: &PackedRequest) -> Cause {
        let catalogue = &self.plan().snap.catalogue;
        let show = |value: f64| words::amount(catalogue, packed.resource, value);
        let (requested, best) = (show(packed.requested), show(packed.largest_unit.amount));
        let resource = catalogue.name(packed.resource);
        let why = format!(
            "place=pack requires all {} on one host, {requested} {resource} together, and {} {best} ({})",
            words::count(self.idle.request.total_chunks(), "chunk"),
            self.most(&packed.largest_unit, "job"),
            packed.largest_unit.name,
        );
        let cause = Cause::of_job_that_never_runs("pack-too-large", name(self.turn), why)
            .with_objects([resource.to_string()]);
        cause.number("wanted", requested).number("best", best)
    }

    fn too_large(&self, resource: ResourceId) -> Cause {
        let plan = self.plan();
        let catalogue = &plan.snap.catalogue;
        let requested = requested(plan, self.spec, resource);
        let largest = self.fit_analysis.best(self.spec, resource).unwrap_or_default();
        let most = words::amount(catalogue, resource, largest.amount);
        let best = match largest.amount > 0.0 {
            true => format!("{} {most} ({})", self.most(&largest, "chunk"), largest.name),
            false if largest.with_rest => {
                format!("no {} with the rest of the chunk has any", self.fit_analysis.unit())
            }
            false => format!("0 of {} have any", self.nodes()),
        };
        let why = format!("{requested} {} in each chunk, and {best}", catalogue.name(resource),);
        let per_chunk = "ncpus is counted per chunk, not over the whole job".to_owned();
        Cause::of_job_that_never_runs("chunk-too-large", name(self.turn), why)
            .number("wanted", requested)
            .number("best", most)
            .note(nodes_of_other_queues(self.turn, self.idle, self.spec))
            .note((resource == ResourceId::ncpus()).then_some(per_chunk))
    }

    fn too_many(&self) -> Cause {
        let (units, nodes) = (self.fit_analysis.units(), self.idle.list.count());
        let hosts =
            if units == nodes { String::new() } else { format!(" on {}", words::count(units, "host")) };
        let why = format!(
            "{} of {} requested, and {}{hosts} {} {} even when all are free and up",
            words::count(self.spec.count, "chunk"),
            self.spec.chunk_text(),
            self.nodes(),
            if nodes == 1 { "holds" } else { "hold" },
            self.chunks,
        );
        let (note, lacks) = nearest(self.idle, self.spec).filter(|_| self.chunks == 0).unzip();
        Cause::of_job_that_never_runs("too-many-chunks", name(self.turn), why)
            .with_objects(lacks.unwrap_or_default())
            .number("wanted", self.spec.count)
            .number("best", self.chunks)
            .note(note)
    }
}

/// Returns the node that comes nearest to holding a chunk when idle, and what it lacks.
fn nearest(idle: &IdleTrial<'_>, spec: &Spec) -> Option<(String, Vec<String>)> {
    let plan = &idle.state.plan;
    let lacks = |bit: Bit| -> Vec<String> {
        let reasons = all_lacking(idle.state, spec.shape, bit);
        let resources = reasons.into_iter().filter_map(|reason| match reason {
            Reason::Resource(shortage) => Some(shortage.resource),
            _ => None,
        });
        resources.map(|resource| plan.snap.catalogue.name(resource).to_string()).collect()
    };
    let near = idle.list.iter().map(|bit| (lacks(bit), bit)).min_by_key(|(lacks, _)| lacks.len());
    let (lacks, bit) = near.filter(|(lacks, _)| !lacks.is_empty())?;
    let note = format!("the nearest is {}, which lacks {}", plan.node_name(bit), lacks.join(", "));
    Some((note, lacks))
}

/// States which nodes would hold a chunk but belong to other queues, so the job may not use them.
fn nodes_of_other_queues(turn: &JobTurn, idle: &IdleTrial<'_>, spec: &Spec) -> Option<String> {
    let plan = &idle.state.plan;
    let mut outside = NodeSet::new(idle.list.capacity());
    for bit in plan.nodes.ids().filter(|bit| !idle.list.contains(*bit)) {
        outside.insert(bit);
    }
    let room = FitAnalysis::new(idle.state, &idle.request, &outside, AmountBasis::Total);
    let could = room.could_hold_one(spec);
    let named: Vec<String> = could
        .iter()
        .map(|bit| {
            let node = plan.node(*bit);
            node.queue
                .as_ref()
                .map_or(node.name.to_string(), |queue| format!("{} of queue {queue}", node.name))
        })
        .collect();
    (!named.is_empty()).then(|| {
        let nodes = words::count(named.len(), "node");
        format!("{nodes} would hold it ({}), which {} may not use", words::first_names(&named, 3), name(turn))
    })
}
