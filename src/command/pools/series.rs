//! The series of a pool: the sets of each key, in the order tried, and the set of all nodes.

use qscope_engine::universe::{PlacementSet, Pool, State};
use qscope_exits::Lines;
use qscope_explain::words;

use super::owner_name;

/// Maximum number of sets named in a line.
const NAMED: usize = 24;

/// Returns a line for each series of each pool, and one for all nodes; nothing without sets.
pub(super) fn to_text(state: &State) -> Lines {
    let mut text = Lines::new();
    if state.pools.is_empty() {
        return text;
    }
    for pool in &state.pools {
        let owner = owner_name(&state.plan.snap, pool.owner);
        for (keys, names) in of(state, pool) {
            let head =
                if keys.is_empty() { "nodes without a key".to_owned() } else { format!("series of {keys}") };
            let count = words::count(names.len(), "set");
            text.line(format_args!("{owner}: {head}, {count}: {}", words::first_names(&names, NAMED)));
        }
    }
    let nodes = words::count(state.sets[state.all_nodes_set].total_nodes(), "node");
    let spans = match state.plan.snap.scheduler.do_not_span_psets {
        true => "no job spans sets (do_not_span_psets)",
        false => "for jobs that no set holds at all",
    };
    text.line(format_args!("the set of all nodes: {nodes}, {spans}"));
    text
}

/// Returns the series, ordered by the position of their first set: the keys, and the values of each set.
fn of(state: &State, pool: &Pool) -> Vec<(String, Vec<String>)> {
    let mut series: Vec<(String, Vec<String>)> = Vec::new();
    for set in pool.order.iter().map(|set| &state.sets[*set]) {
        let keys = keys(state, set);
        let value = set.shape.values.iter().map(|shared| shared.value.to_string());
        let value =
            if keys.is_empty() { set.shape.name.to_string() } else { value.collect::<Vec<_>>().join("-") };
        match series.iter_mut().find(|(known, _)| *known == keys) {
            Some((_, names)) => names.push(value),
            None => series.push((keys, vec![value])),
        }
    }
    series
}

fn keys(state: &State, set: &PlacementSet) -> String {
    let catalogue = &state.plan.snap.catalogue;
    let keys: Vec<String> =
        set.shape.values.iter().map(|shared| catalogue.name(shared.resource).to_string()).collect();
    keys.join(",")
}
