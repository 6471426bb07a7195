//! The reasons why single nodes refuse a job on the node path: rule 4.2.

use std::sync::Arc;

use qscope::cycle::{Run, run_cycle};
use qscope::source::toml_form;
use qscope::universe::Quirks;

/// Runs the cycle over these nodes.
fn cycle(nodes: &str, queue: &str) -> Run {
    let queue = format!("now = 1763700000\n{queue}");
    let snap = toml_form::read(Some(nodes), Some(&queue), None, None, "test").unwrap();
    run_cycle(Arc::new(snap), Quirks::default())
}

/// Returns where a job starts, or its comment.
fn told(run: &Run, name: &str) -> String {
    let outcome = run.outcome(run.plan.snap.job_named(name).unwrap()).unwrap();
    let comment = || outcome.rejection.as_ref().map(|why| why.comment(&run.plan.snap.catalogue));
    let placed = outcome.placed.as_ref().map(|placed| placed.allocation.exec_vnode(&run.plan));
    placed.or_else(comment).unwrap_or_default()
}

fn node(name: &str, more: &str) -> String {
    format!("[[node]]\nname = \"{name}\"\navailable = {{ ncpus = 4 }}\n{more}\n")
}

fn job(id: u32, select: &str, more: &str) -> String {
    format!("[[job]]\nid = {id}\nselect = \"{select}\"\nresources = {{ walltime = \"01:00:00\" }}\n{more}\n")
}

/// Rule 4.2, test 2: only nodes that have the requested power profile are used; the first one that lacks it gives the
/// reason.
#[test]
fn a_power_profile_has_to_be_known() {
    let nodes = "[[node]]\nname = \"a\"\navailable = { ncpus = 4 }\n\
        [[node]]\nname = \"b\"\navailable = { ncpus = 4, eoe = \"low,high\" }\n";
    let run = cycle(nodes, &job(1, "1:ncpus=4:eoe=high", ""));
    assert_eq!(told(&run, "1"), "(b:ncpus=4)");
    let busy = job(1, "1:ncpus=4", "on = \"(b:ncpus=4)\"");
    let run = cycle(nodes, &(busy + &job(2, "1:ncpus=1:eoe=high", "")));
    assert_eq!(told(&run, "2"), "Not Running: Cannot provision, requested EOE high not available on vnode");
}

/// Rule 4.2, test 4: a node that is being provisioned does not serve the jobs of its reservation either.
#[test]
fn a_node_in_provisioning_is_none_for_jobs_inside_either() {
    let nodes = node("a", "state = \"provisioning\"") + &node("b", "");
    let inside = "[[reservation]]\nname = \"R1\"\nstart = \"-01:00\"\nduration = \"02:00:00\"\n\
        select = \"2:ncpus=4\"\non = \"(a:ncpus=4)+(b:ncpus=4)\"\nstate = \"RN\"\n";
    let queue = inside.to_owned() + &job(1, "1:ncpus=2", "queue = \"R1\"");
    assert_eq!(told(&cycle(&nodes, &queue), "1"), "(b:ncpus=2)");
}

/// Rule 4.2, test 5: a node closed to reservations serves no reservations, but jobs.
#[test]
fn a_node_closed_to_reservations_serves_jobs_alone() {
    let nodes = node("a", "resv_enable = false") + &node("b", "");
    let asked = "[[reservation]]\nname = \"R1\"\nstart = \"+01:00\"\nduration = \"00:30:00\"\n\
        select = \"1:ncpus=4\"\nstate = \"UN\"\n";
    let run = cycle(&nodes, asked);
    let tried = run.confirmations.first().unwrap();
    assert_eq!(tried.result.as_ref().unwrap().exec_vnode(&run.plan), "(b:ncpus=4)");
    assert_eq!(told(&cycle(&nodes, &job(1, "1:ncpus=4", "")), "1"), "(a:ncpus=4)");
}

/// Rule 4.2, test 7 and rule 4.4: a job known to need several nodes gets none that refuses such jobs; one that turns
/// out to need several is placed again without them.
#[test]
fn a_node_for_jobs_of_one_node_takes_no_other() {
    let nodes = node("a", "no_multinode_jobs = true") + &node("b", "") + &node("c", "");
    let place = |place: &str| format!("place = \"{place}\"");
    let scattered = cycle(&nodes, &job(1, "2:ncpus=2", &place("scatter")));
    assert_eq!(told(&scattered, "1"), "(b:ncpus=2)+(c:ncpus=2)");
    let spilled = cycle(&nodes, &job(1, "2:ncpus=3", &place("free")));
    assert_eq!(told(&spilled, "1"), "(b:ncpus=3)+(c:ncpus=3)");
    assert_eq!(told(&cycle(&nodes, &job(1, "2:ncpus=2", &place("free"))), "1"), "(a:ncpus=2)+(a:ncpus=2)");
}

/// Rule 4.2, test 7: a job on separate vnodes, and one that goes back to several nodes, is known to need several.
#[test]
fn what_needs_several_nodes_is_known_beforehand() {
    let nodes = node("a", "no_multinode_jobs = true") + &node("b", "");
    let refused = "Not Running: Node can't satisfy a multi-node job";
    let apart = job(1, "2:ncpus=2", "place = \"vscatter\"");
    assert_eq!(told(&cycle(&nodes, &apart), "1"), refused);
    let back = "place = \"free\"\nstate = \"S\"\nsubstate = 45\non = \"(a:ncpus=3)+(b:ncpus=3)\"";
    let only_on_the_other = "Not Running: Insufficient amount of resource: vnode ";
    assert_eq!(told(&cycle(&nodes, &job(1, "2:ncpus=3", back)), "1"), only_on_the_other);
    let spilled = job(1, "2:ncpus=3", "place = \"free\"");
    assert_ne!(told(&cycle(&nodes, &spilled), "1"), refused);
}

/// Rule 4.2, test 7: if hosts have several vnodes, a job that turned out to need several nodes is not placed again.
#[test]
fn host_by_host_a_node_for_jobs_of_one_node_takes_others() {
    let vnode = |name: &str, host: &str, more: &str| {
        format!("[[node]]\nname = \"{name}\"\navailable = {{ ncpus = 4, host = \"{host}\" }}\n{more}\n")
    };
    let nodes = vnode("a", "h", "no_multinode_jobs = true") + &vnode("b", "h", "") + &vnode("c", "i", "");
    let run = cycle(&nodes, &job(1, "2:ncpus=3", "place = \"free\""));
    assert_eq!(told(&run, "1"), "(a:ncpus=3)+(b:ncpus=3)");
    // That separate vnodes are several nodes is not known beforehand either, but that of scatter is.
    let apart = |place: &str| cycle(&nodes, &job(1, "2:ncpus=3", &format!("place = \"{place}\"")));
    assert_eq!(told(&apart("vscatter"), "1"), "(a:ncpus=3)+(b:ncpus=3)");
    assert_eq!(told(&apart("scatter"), "1"), "(b:ncpus=3)+(c:ncpus=3)");
}
