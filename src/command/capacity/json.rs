//! The answer for a cluster as JSON.

mod never;

use serde::Serialize;

use qscope_exits::json::OrderedObject;
use qscope_planning::capacity::entry::ServiceCheckJson;
use qscope_planning::capacity::{
    CapacityAnswer, CapacityReport, CapacityShape, ChunkPlacement, Fidelity, demand,
};

use super::over_time::LoopRunJson;
use never::UnfitJobsJson;

/// How many nodes of each type would start the queue in time.
#[derive(Serialize)]
pub(super) struct CapacityJson<'a> {
    /// The title of the folder.
    title: &'a str,
    /// The moment of the snapshot, in seconds since 1970.
    now: i64,
    /// Seconds within which every job should begin.
    target: f64,
    /// The inertia of the scaler, from 0.0 to 0.9.
    beta: f64,
    /// Whether the defects of the original are modelled.
    compat: bool,
    /// Whether running jobs stay where they are.
    on_top: bool,
    /// The order in which types are tried: `price` or `shape`.
    order: &'static str,
    types: Vec<TypeJson<'a>>,
    /// The number of nodes of all types.
    nodes: u64,
    node_hours: f64,
    /// Null unless every type has a price.
    cost: Option<f64>,
    /// Seconds until the last job ends.
    makespan: f64,
    /// The number of jobs by the source of their walltime.
    wall_times: OrderedObject<&'static str, u64>,
    /// Jobs whose chunks begin together.
    gangs: u64,
    gangs_note: Option<&'static str>,
    /// Jobs that are expected but not yet in the queue.
    coming: u64,
    /// Jobs that fit no type.
    never: Vec<UnfitJobsJson<'a>>,
    fragmentation: Option<FragmentationJson>,
    /// Whether services and their clients can block each other.
    services: ServiceCheckJson,
    /// Where the original would answer differently.
    differs: Vec<DefectJson>,
    /// The nodes the original needs, by type, if their number differs by more than a fifth.
    original: Option<OrderedObject<&'a str, u64>>,
    notes: &'a [String],
    /// The scaler in a closed loop, if requested.
    pub(super) over_time: Option<LoopRunJson<'a>>,
    /// Where each job is placed, for at most 100,000 jobs.
    jobs: Vec<PackedJobJson<'a>>,
}

/// A node type.
#[derive(Serialize)]
struct TypeJson<'a> {
    name: &'a str,
    shape: CapacityShape,
    /// How many are needed.
    need: u64,
    /// A lower bound of that number.
    bound: u64,
    /// How many are up.
    up: u64,
    min: u64,
    max: u64,
    /// How many more are needed than the type may have.
    beyond: u64,
    /// How many nodes the scaler would keep.
    wanted: i64,
    /// Why that differs from the number needed.
    wanted_why: Option<String>,
    price: Option<f64>,
    node_hours: f64,
    cost: Option<f64>,
}

/// The nodes of each type, once packed from scratch and once on top of what runs.
#[derive(Serialize)]
struct FragmentationJson {
    from_scratch: Vec<u64>,
    on_top: Vec<u64>,
    gap: Vec<i64>,
}

/// A defect of the original, and what it would answer.
#[derive(Serialize)]
struct DefectJson {
    defect: &'static str,
    what: String,
}

/// Where a job is placed.
#[derive(Serialize)]
struct PackedJobJson<'a> {
    /// The short id.
    id: &'a str,
    #[serde(rename = "type")]
    kind: Option<String>,
    /// The number of the node within its type.
    node: u32,
    /// Seconds from now.
    begin: f64,
    wall_time: f64,
    /// Where the walltime comes from.
    source: &'static str,
    gang: bool,
}

/// Returns everything that is known about the answer.
pub(super) fn report(report: &CapacityReport) -> CapacityJson<'_> {
    let CapacityReport { case, answer, snap, .. } = report;
    let options = &case.options;
    let gangs: u64 = case.demands.all.iter().filter(|d| d.is_gang()).map(|d| d.copies).sum();
    CapacityJson {
        title: &snap.title,
        now: snap.now.0,
        target: options.target,
        beta: options.beta,
        compat: options.fidelity == Fidelity::Compat,
        on_top: case.on_top,
        order: if answer.by_price { "price" } else { "shape" },
        types: types(report),
        nodes: answer.nodes(),
        node_hours: answer.hours(),
        cost: answer.cost(),
        makespan: answer.makespan,
        wall_times: OrderedObject(demand::sources(&case.demands.all).into_iter().collect()),
        gangs,
        gangs_note: (gangs > 0).then_some("chunks of one job begin together: beyond Toil"),
        coming: case.demands.coming,
        never: answer.unplaceable.iter().map(|never| UnfitJobsJson::of(report, never)).collect(),
        fragmentation: report.on_top.as_ref().map(|on_top| FragmentationJson {
            from_scratch: counts(&report.scratch),
            on_top: counts(on_top),
            gap: report.gap(),
        }),
        services: report.services().into(),
        differs: report.differences().into_iter().map(|(defect, what)| DefectJson { defect, what }).collect(),
        original: report.differing_original().map(|original| {
            let each = case.stocks.iter().zip(&original.types);
            OrderedObject(each.map(|(stock, need)| (&*stock.node_type.name, need.need)).collect())
        }),
        notes: &case.notes,
        over_time: None,
        jobs: answer
            .placements
            .iter()
            .take(MAX_SEATS)
            .filter_map(|seat| PackedJobJson::of(report, seat))
            .collect(),
    }
}

fn counts(answer: &CapacityAnswer) -> Vec<u64> {
    answer.types.iter().map(|kind| kind.need).collect()
}

fn types(report: &CapacityReport) -> Vec<TypeJson<'_>> {
    let each = report.case.stocks.iter().zip(&report.answer.types).enumerate();
    each.map(|(ix, (stock, need))| TypeJson {
        name: &stock.node_type.name,
        shape: stock.node_type.shape,
        need: need.need,
        bound: need.lower_bound,
        up: stock.nodes_up,
        min: stock.node_type.min,
        max: stock.node_type.max,
        beyond: need.excess,
        wanted: report.wanted(ix),
        wanted_why: report.wanted_words(ix),
        price: stock.node_type.price,
        node_hours: need.hours,
        cost: stock.node_type.price.map(|price| price * need.hours),
    })
    .collect()
}

fn type_name(report: &CapacityReport, ix: usize) -> Option<String> {
    report.case.stocks.get(ix).map(|stock| stock.node_type.name.to_string())
}

/// Maximum number of placements that are printed.
const MAX_SEATS: usize = 100_000;

impl<'a> PackedJobJson<'a> {
    fn of(report: &'a CapacityReport, seat: &ChunkPlacement) -> Option<Self> {
        let demand = report.case.demands.all.get(seat.demand)?;
        Some(Self {
            id: report.snap.jobs[demand.job].short_name(),
            kind: type_name(report, seat.type_index),
            node: seat.node,
            begin: seat.begin,
            wall_time: seat.wall,
            source: demand.source.word(),
            gang: demand.is_gang(),
        })
    }
}
