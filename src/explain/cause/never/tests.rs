use qscope_engine::cluster::{
    Amount, Epoch, Id, Job, Node, Place, Queue, ResourceId, ResourceList, Select, Snapshot, Value,
};
use qscope_engine::cycle::run_cycle;
use qscope_engine::universe::Quirks;

use super::*;

/// Returns the cause for a job alone on nodes with these numbers of cpus and gigabytes of memory.
fn never(nodes: &[(f64, f64)], select: &str, place: &str) -> Cause {
    let mut snap = Snapshot::empty("t", Epoch(1000));
    snap.queues.push(Queue::named("workq"));
    for (at, (cpus, memory)) in nodes.iter().enumerate() {
        let mut available = ResourceList::default();
        available.set(ResourceId::ncpus(), Value::Amount(Amount(*cpus)));
        available.set(ResourceId::mem(), Value::Amount(Amount(memory * f64::from(1 << 20))));
        snap.nodes.push(Node { name: format!("n{at}").into(), available, ..Node::default() });
    }
    let select = Some(Select::parse(select).unwrap());
    let place = Some(Place::parse(place).unwrap());
    snap.jobs.push(Job { name: "1.svr".into(), queue: "workq".into(), select, place, ..Job::default() });
    let run = Arc::new(run_cycle(Arc::new(snap), Quirks::default()));
    cause(&JobTurn::new(&run, JobId::at(0)).unwrap(), None).unwrap()
}

const SHARED: &str = "its chunks differ, so they share no node";

#[test]
fn chunks_that_differ_would_have_to_share_a_node() {
    let found = never(&[(12.0, 1.0), (24.0, 1.0)], "2:ncpus=12+1:ncpus=6", "free:excl").sentence;
    assert!(found.ends_with(SHARED), "{found}");
}

#[test]
fn the_headline_has_no_shared_node_where_the_node_path_shares_none() {
    // The bucket path gives both nodes with much memory to the first two chunks.
    let nodes = [(4.0, 8.0), (4.0, 1.0), (4.0, 8.0)];
    for place in ["scatter:excl", "vscatter:excl", "free:excl"] {
        let Cause { sentence, notes, .. } = never(&nodes, "2:ncpus=4+1:ncpus=1:mem=8gb", place);
        assert!(sentence.contains("does not fit even the empty cluster: "), "{place}: {sentence}");
        assert_eq!(notes, ["shared, it would take the node path and fit"], "{place}");
    }
}
