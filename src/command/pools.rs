//! `qscope pools`: the placement sets at the start of the cycle, in the order tried.

mod fragments;
mod series;

use clap::Args;
use std::sync::Arc;

use color_eyre::eyre::Result;
use serde::Serialize;

use qscope_engine::cluster::{ResourceId, Snapshot};
use qscope_engine::cycle::{Debugger, Run};
use qscope_engine::universe::{PlacementSet, Plan, PoolOwner, State};
use qscope_exits::Lines;
use qscope_explain::fragmentation;
use qscope_session::query::FieldValue;

use super::arguments::ClusterArgs;
use super::plain::{self, NoVerdictsSubject};
use super::{open, output};
use qscope_exits::json::OrderedObject;

/// The arguments of `pools`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "Example: qscope pools /var/spool/qscope --fragmentation --sizes 2,4,8")]
pub(super) struct PoolsArgs {
    /// The folder, the output form, and what to change first.
    #[command(flatten)]
    pub cluster: ClusterArgs,
    /// Print only how the free nodes are distributed in each pool: the largest free set, jobs that would find nodes
    /// now, stranded nodes.
    #[arg(long)]
    pub fragmentation: bool,
    /// For jobs of these numbers of whole nodes; by default 1, 2, 4 … up to the largest set.
    #[arg(long, value_name = "N,N", value_delimiter = ',', value_parser = clap::value_parser!(u32).range(1..))]
    pub sizes: Vec<u32>,
}

/// Prints the sets, or how the free nodes are distributed in them.
pub(super) fn run(args: &PoolsArgs) -> Result<u8> {
    let form = &args.cluster.at.form;
    let generation = open::what_if(&args.cluster)?;
    if let Some(code) = plain::answer_plain_of_nodes(&generation, form.json, NoVerdictsSubject::Queue)? {
        return Ok(code);
    }
    let (run, plan) = (&generation.run, &generation.run.plan);
    let start = Debugger::new(Arc::clone(run));
    let sizes: Vec<usize> = args.sizes.iter().map(|size| *size as usize).collect();
    let found = fragmentation(start.state(), &sizes);
    match (form.json, args.fragmentation) {
        (true, true) => output::print_json_list(&generation, &fragments::to_json(plan, &found))?,
        (true, false) => {
            let mut sets = sets_json(run);
            if !sets.is_empty() {
                let everything = &start.state().sets[start.state().all_nodes_set];
                sets.push(PlacementSetJson {
                    keys: None,
                    ..set_json(plan, "all nodes".to_owned(), everything)
                });
            }
            output::print_json_list(&generation, &sets)?;
        }
        (false, true) => output::print_about(&generation, &or_none(fragments::to_text(plan, &found)))?,
        (false, false) => {
            let mut text = table(plan, start.state());
            text.blank();
            let series = series::to_text(start.state());
            if !series.is_blank() {
                text.append(&series);
                text.blank();
            }
            text.append(&fragments::to_text(plan, &found));
            output::print_about(&generation, &or_none(text))?;
        }
    }
    Ok(0)
}

/// Returns a text about pools, or the reason why there are none.
fn or_none(text: Lines) -> Lines {
    if text.is_blank() {
        return Lines::from_iter([
            "no placement sets: node_group_enable is off, or there is no node_group_key",
        ]);
    }
    text
}

/// Returns one line for each set; nothing without sets.
fn table(plan: &Plan, state: &State) -> Lines {
    let mut text = Lines::new();
    if state.pools.is_empty() {
        return text;
    }
    text.line("nodes  counted free  ncpus  left  pool and set");
    for (pool, set) in sets_in_order(state) {
        let total = amount(plan, set, ResourceId::ncpus(), false);
        let left = amount(plan, set, ResourceId::ncpus(), true);
        let show = |x: Option<f64>| x.map_or("-".to_owned(), |x| format!("{x:.0}"));
        text.line(format_args!(
            "{:>5} {:>13} {:>6} {:>5}  {pool} {}",
            set.total_nodes(),
            set.free_nodes,
            show(total),
            show(left),
            set.shape.name
        ));
    }
    text
}

/// Returns all sets of the pools of the server and the queues, each with the name of its pool.
fn sets_in_order(state: &State) -> Vec<(String, &PlacementSet)> {
    let mut all = Vec::new();
    for pool in &state.pools {
        let owner = owner_name(&state.plan.snap, pool.owner);
        all.extend(pool.order.iter().map(|set| (owner.clone(), &state.sets[*set])));
    }
    all
}

/// Returns `server`, or `queue:` and its name.
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

/// A placement set of the answer.
#[derive(Serialize)]
pub(super) struct PlacementSetJson {
    /// The owner of its pool: `server`, or `queue:` and its name.
    pool: String,
    /// Its name, as `switch=sw1`.
    name: String,
    #[serde(flatten)]
    keys: Option<GroupKeysJson>,
    /// How many nodes it has.
    tot_nodes: usize,
    /// How many of them are free.
    free_nodes: i32,
    /// The cpus of its nodes; absent if no node has any, as are the next three.
    #[serde(skip_serializing_if = "Option::is_none")]
    ncpus: Option<FieldValue<'static>>,
    /// Of those, assigned.
    #[serde(skip_serializing_if = "Option::is_none")]
    ncpus_assigned: Option<FieldValue<'static>>,
    /// The memory of its nodes in kilobytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    mem: Option<FieldValue<'static>>,
    /// Of that, assigned.
    #[serde(skip_serializing_if = "Option::is_none")]
    mem_assigned: Option<FieldValue<'static>>,
    /// Its nodes by name.
    vnodes: Vec<String>,
}

/// The keys by which a set is grouped, if sets are ordered by a group order.
#[derive(Serialize)]
struct GroupKeysJson {
    /// The name without the part that all sets share.
    display: String,
    /// How many keys it has.
    keys: u8,
    /// The value of each key.
    values: OrderedObject<String, String>,
}

/// Returns the sets with their sums and nodes.
pub(super) fn sets_json(run: &Arc<Run>) -> Vec<PlacementSetJson> {
    let start = Debugger::new(Arc::clone(run));
    sets_in_order(start.state()).into_iter().map(|(pool, set)| set_json(&run.plan, pool, set)).collect()
}

fn set_json(plan: &Plan, pool: String, set: &PlacementSet) -> PlacementSetJson {
    let sums = |resource| {
        let total = amount(plan, set, resource, false)?;
        let assigned = plan.consumables.ix(resource).map_or(0.0, |ix| set.assigned[ix]);
        Some((FieldValue::Number(total), FieldValue::Number(assigned)))
    };
    let (ncpus, ncpus_assigned) = sums(ResourceId::ncpus()).unzip();
    let (mem, mem_assigned) = sums(ResourceId::mem()).unzip();
    PlacementSetJson {
        pool,
        name: set.shape.name.to_string(),
        keys: plan.group_order.is_some().then(|| keys_json(plan, set)),
        tot_nodes: set.total_nodes(),
        free_nodes: set.free_nodes,
        ncpus,
        ncpus_assigned,
        mem,
        mem_assigned,
        vnodes: set.shape.members.iter().map(|bit| plan.node_name(*bit).to_string()).collect(),
    }
}

fn keys_json(plan: &Plan, set: &PlacementSet) -> GroupKeysJson {
    let values = set.shape.values.iter();
    let values = values
        .map(|shared| (plan.snap.catalogue.name(shared.resource).to_string(), shared.value.to_string()));
    GroupKeysJson {
        display: set.shape.short_name().to_string(),
        keys: set.shape.dims,
        values: OrderedObject(values.collect()),
    }
}
