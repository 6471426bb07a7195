//! `qscope pools`: the placement sets at the start of the cycle, in the order tried.

mod fragments;

use color_eyre::eyre::Result;
use serde_json::{Map, Value, json};

use qscope_engine::cluster::{ResourceId, Snapshot};
use qscope_engine::cycle::{Debugger, Run};
use qscope_engine::universe::{PlacementSet, Plan, PoolOwner, State};
use qscope_exits::Lines;
use qscope_explain::fragmentation;

use super::buckets::number;
use super::cli::PoolsArgs;
use super::{open, output};

/// Prints the sets, or how the free nodes lie in them.
///
/// # Errors
/// Bad input, or an output that cannot be written.
pub(super) fn run(args: &PoolsArgs) -> Result<u8> {
    let at = &args.list.at;
    let generation = open::what_if(at, &args.list.set)?;
    let (run, plan) = (&generation.run, &generation.run.plan);
    let start = Debugger::new(run.clone());
    let sizes: Vec<usize> = args.sizes.iter().map(|size| *size as usize).collect();
    let found = fragmentation(start.state(), &sizes);
    match (at.json, args.fragmentation) {
        (true, true) => output::print_json_about(&generation, fragments::to_json(plan, &found))?,
        (true, false) => output::print_json_about(&generation, sets_json(run))?,
        (false, true) => output::print_about(&generation, &or_none(fragments::to_text(plan, &found)))?,
        (false, false) => {
            let mut text = table(plan, start.state());
            text.blank();
            text.append(&fragments::to_text(plan, &found));
            output::print_about(&generation, &or_none(text))?;
        }
    }
    Ok(0)
}

/// A text about pools, or why there are none.
fn or_none(text: Lines) -> Lines {
    if text.is_blank() {
        return Lines::from_iter([
            "no placement sets: node_group_enable is off, or there is no node_group_key",
        ]);
    }
    text
}

/// One line a set; nothing without sets.
fn table(plan: &Plan, state: &State) -> Lines {
    let mut text = Lines::new();
    if state.pools.is_empty() {
        return text;
    }
    text.line("nodes  free  ncpus  left  pool and set");
    for (pool, set) in sets_in_order(state) {
        let total = amount(plan, set, ResourceId::ncpus(), false);
        let left = amount(plan, set, ResourceId::ncpus(), true);
        let show = |x: Option<f64>| x.map_or("-".to_owned(), |x| format!("{x:.0}"));
        text.line(format_args!(
            "{:>5} {:>5} {:>6} {:>5}  {pool} {}",
            set.total_nodes(),
            set.free_nodes,
            show(total),
            show(left),
            set.shape.name
        ));
    }
    text
}

/// All sets of the server's and the queues' pools with the name of their pool.
fn sets_in_order(state: &State) -> Vec<(String, &PlacementSet)> {
    let mut all = Vec::new();
    for pool in &state.pools {
        let owner = owner_name(&state.plan.snap, pool.owner);
        all.extend(pool.order.iter().map(|set| (owner.clone(), &state.sets[*set])));
    }
    all
}

/// `server`, or `queue:` and its name.
fn owner_name(snap: &Snapshot, owner: PoolOwner) -> String {
    match owner {
        PoolOwner::Server => "server".to_owned(),
        PoolOwner::Queue(queue) => format!("queue:{}", snap.queues[queue].name),
    }
}

fn amount(plan: &Plan, set: &PlacementSet, resource: ResourceId, left: bool) -> Option<f64> {
    let ix = plan.consumables.ix(resource)?;
    let total = set.shape.available[ix];
    if total.is_nan() {
        return None;
    }
    if left { set.left(ix) } else { Some(total) }
}

/// The sets with their sums and nodes.
pub(super) fn sets_json(run: &std::sync::Arc<Run>) -> Value {
    let start = Debugger::new(run.clone());
    sets_in_order(start.state()).into_iter().map(|(pool, set)| set_json(&run.plan, &pool, set)).collect()
}

fn set_json(plan: &Plan, pool: &str, set: &PlacementSet) -> Value {
    let mut object = Map::new();
    let mut put = |key: &str, value: Value| object.insert(key.to_owned(), value);
    put("pool", json!(pool));
    put("name", json!(&*set.shape.name));
    if plan.group_order.is_some() {
        let values = set.shape.values.iter();
        let values = values
            .map(|shared| (plan.snap.catalogue.name(shared.resource).to_string(), json!(&*shared.value)));
        put("display", json!(set.shape.short_name()));
        put("keys", json!(set.shape.dims));
        put("values", Value::Object(values.collect()));
    }
    put("tot_nodes", json!(set.total_nodes()));
    put("free_nodes", json!(set.free_nodes));
    for (resource, word) in [(ResourceId::ncpus(), "ncpus"), (ResourceId::mem(), "mem")] {
        if let Some(total) = amount(plan, set, resource, false) {
            let assigned = plan.consumables.ix(resource).map_or(0.0, |ix| set.assigned[ix]);
            put(word, number(total));
            put(&format!("{word}_assigned"), number(assigned));
        }
    }
    put("vnodes", set.shape.members.iter().map(|bit| json!(&**plan.node_name(*bit))).collect());
    Value::Object(object)
}
