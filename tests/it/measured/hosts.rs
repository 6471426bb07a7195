//! Hosts with several vnodes: split chunks, marks, the order of vnodes.

use super::{RESOURCES, comment, cycle, job, node, place, with_sets};

/// M7: a host whose sums still count vnodes that were taken (bug B1), and that has no free one left, is not
/// checked for the other parts of a select: its reasons for them do not count.
#[test]
fn m7_a_host_without_a_free_vnode_is_left_at_once() {
    let on = |name: &str, host: &str, set: &str| {
        node(name, &format!("ncpus = 8, a = \"{set}\", host = \"{host}\""), "")
    };
    let nodes = [on("v0", "h0", "x"), on("v1", "h0", "x"), on("v2", "h1", "y"), on("v3", "h1", "y")].concat();
    let queue =
        job("1", "2:ncpus=8", "free:excl", "") + &job("2", "1:ncpus=1+1:ncpus=17:vnode=v2", "free", "");
    let run = cycle(&nodes, &queue, &with_sets("").replace(", \"b\"", ""));
    assert_eq!(place(&run, "1").as_deref(), Some("(v0:ncpus=8)+(v1:ncpus=8)"));
    assert_eq!(comment(&run, "2"), "Not Running: Insufficient amount of resource: ncpus ");
}

/// M6: host by host, a vnode that took the one chunk that vscatter allows keeps it for good, even when the
/// set it was in cannot hold the rest.
#[test]
fn m6_vscatter_keeps_what_it_took_from_set_to_set() {
    let on = |name: &str, host: &str, fast: bool, set: &str| {
        node(name, &format!("ncpus = 4, fast = {fast}, a = {set}, host = \"{host}\""), "")
    };
    let nodes = [
        on("v0", "h0", true, "[\"x\", \"y\"]"),
        on("v1", "h0", false, "[\"x\", \"y\"]"),
        on("v2", "h1", true, "\"y\""),
        on("v3", "h1", false, "\"y\""),
    ];
    let policy = with_sets("").replace(", \"b\"", "");
    let two = |place: &str| cycle(&nodes.concat(), &job("1", "2:ncpus=4:fast=true", place, ""), &policy);
    assert_eq!(place(&two("scatter"), "1").as_deref(), Some("(v0:ncpus=4)+(v2:ncpus=4)"));
    assert_eq!(place(&two("vscatter"), "1"), None);
}

/// M33: of an amount that vnodes of a host share, a split chunk gets no more than there is.
#[test]
fn m33_vnodes_give_a_shared_amount_to_a_broken_chunk_once() {
    let nodes = node("a", "host = \"h\", ncpus = 2, shared = 10", "")
        + &node("b", "host = \"h\", ncpus = 2, shared = \"@a\"", "")
        + &node("c", "ncpus = 2, shared = 10", "");
    let policy = "[[resource]]\nname = \"shared\"\ntype = \"long\"\nflag = \"nh\"\n\
        [sched_config]\nresources = [\"ncpus\", \"host\", \"vnode\", \"shared\"]\n";
    let run = cycle(&nodes, &job("1", "2:ncpus=2:shared=6", "free", ""), policy);
    assert_eq!(place(&run, "1").as_deref(), Some("(a:ncpus=2:shared=6)+(c:ncpus=2:shared=6)"));
}

const NO_CPUS: &str = "Not Running: Insufficient amount of resource: ncpus ";

/// M35: what a node of a reservation lacked for one chunk is not a reason for the next.
#[test]
fn m35_a_node_of_a_reservation_is_asked_once_for_a_part() {
    let nodes = node("n1", "ncpus = 2", "") + &node("n2", "ncpus = 8", "") + &node("n3", "ncpus = 8", "");
    let reservation = "[[reservation]]\nname = \"R1\"\nstart = \"-00:10:00\"\nduration = \"04:00:00\"\n\
        on = \"(n1:ncpus=2)+(n2:ncpus=8)\"\nusers = [\"ann\"]\n";
    let inside = "user = \"ann\"\nqueue = \"R1\"";
    let jobs = |place| reservation.to_owned() + &job("1", "2:ncpus=4", place, inside);
    let none = "Not Running: No available resources on nodes";
    assert_eq!(comment(&cycle(&nodes, &jobs("scatter"), ""), "1"), none);
    let one = reservation.to_owned() + &job("1", "1:ncpus=9", "scatter", inside);
    assert_eq!(comment(&cycle(&nodes, &one, ""), "1"), NO_CPUS);
}

const BY_USE: &str = "[sched_config]\nnode_sort_key = [\"ncpus HIGH unused\"]\n";

/// Returns two vnodes of one host.
fn host(of: &str, more: &str) -> String {
    let has = |cpus: &str| format!("host = \"{of}\", ncpus = {cpus}{more}");
    node(&format!("{of}0"), &has("8"), "") + &node(&format!("{of}1"), &has("6"), "")
}

/// M36: packed chunks go to the vnode that has most left each time; free ones take the vnodes in list order.
#[test]
fn m36_vnodes_are_sorted_anew_after_every_packed_chunk() {
    let placed = |place| {
        let run = cycle(&host("h", ""), &job("1", "2:ncpus=3", place, ""), BY_USE);
        self::place(&run, "1")
    };
    assert_eq!(placed("pack").as_deref(), Some("(h0:ncpus=3)+(h1:ncpus=3)"));
    assert_eq!(placed("free").as_deref(), Some("(h0:ncpus=3)+(h0:ncpus=3)"));
}

/// M37: after a job of several free chunks the next one finds the set's vnodes sorted; after a job of
/// a single chunk it does not.
#[test]
fn m37_free_chunks_leave_the_list_of_their_set_sorted() {
    let policy = format!("{BY_USE}[server]\nnode_group_enable = true\nnode_group_key = [\"a\"]\n{RESOURCES}");
    let second = |select| {
        let jobs = job("1", select, "free", "") + &job("2", "1:ncpus=1", "free", "");
        place(&cycle(&host("h", ", a = \"x\""), &jobs, &policy), "2")
    };
    assert_eq!(second("2:ncpus=2").as_deref(), Some("(h1:ncpus=1)"));
    assert_eq!(second("1:ncpus=4").as_deref(), Some("(h0:ncpus=1)"));
}

/// M46: in a reservation nodes are sorted by what it got of them and its own jobs use, not by what others use
/// there.
#[test]
fn m46_nodes_of_a_reservation_are_sorted_by_what_it_has() {
    let nodes = node("n1", "ncpus = 8", "") + &node("n2", "ncpus = 8", "");
    let reservation = "[[reservation]]\nname = \"R1\"\nstart = \"-00:10:00\"\nduration = \"04:00:00\"\n\
        on = \"(n1:ncpus=2)+(n2:ncpus=4)\"\nusers = [\"ann\"]\n";
    let inside = |id| job(id, "1:ncpus=1", "free", "user = \"ann\"\nqueue = \"R1\"");
    let by_use = "[sched_config]\nnode_sort_key = [\"ncpus LOW assigned\"]\n";
    let run = cycle(&nodes, &(reservation.to_owned() + &inside("1") + &inside("2")), by_use);
    assert_eq!(place(&run, "1").as_deref(), Some("(n1:ncpus=1)"));
    assert_eq!(place(&run, "2").as_deref(), Some("(n2:ncpus=1)"));
    // Both nodes have 8 cpus, and the reservation has more of n2.
    let by_total = "[sched_config]\nnode_sort_key = [\"ncpus HIGH\"]\n";
    let run = cycle(&nodes, &(reservation.to_owned() + &inside("1")), by_total);
    assert_eq!(place(&run, "1").as_deref(), Some("(n2:ncpus=1)"));
}

/// M47: a job that has hosts to itself gets only what its reservation has of them.
#[test]
fn m47_in_a_reservation_a_whole_host_is_what_that_has_of_it() {
    let vnode = |name: &str| node(name, "host = \"h\", ncpus = 4, a = \"x\"", "");
    let nodes = [vnode("h0"), vnode("h1"), vnode("h2")].concat();
    let reservation = "[[reservation]]\nname = \"R1\"\nstart = \"-00:10:00\"\nduration = \"04:00:00\"\n\
        on = \"(h0:ncpus=4)+(h1:ncpus=4)\"\nusers = [\"ann\"]\n";
    for place in ["free:exclhost", "free:exclhost:group=a"] {
        let inside = job("1", "1:ncpus=2", place, "user = \"ann\"\nqueue = \"R1\"");
        let run = cycle(&nodes, &(reservation.to_owned() + &inside), RESOURCES);
        assert_eq!(self::place(&run, "1").as_deref(), Some("(h0:ncpus=2)+(h1)"), "{place}");
    }
}

/// M51: a job gets the whole host where a vnode that it takes is for whole hosts, not where another vnode is.
#[test]
fn m51_the_vnodes_taken_decide_about_the_whole_host() {
    let nodes = node("h0", "host = \"h\", ncpus = 4", "")
        + &node("h1", "host = \"h\", ncpus = 8", "sharing = \"force_exclhost\"");
    let taken = |select| place(&cycle(&nodes, &job("1", select, "free", ""), ""), "1");
    assert_eq!(taken("1:ncpus=2").as_deref(), Some("(h0:ncpus=2)"));
    assert_eq!(taken("1:ncpus=6").as_deref(), Some("(h1:ncpus=6)+(h0)"));
}

/// M38: a vnode that would hold the whole chunk if it were free keeps the chunk from being split over the
/// others.
#[test]
fn m38_a_chunk_that_a_closed_vnode_could_hold_is_not_broken() {
    let vnodes = |state| {
        let vnode = |name: &str, more: &str| node(name, "host = \"h\", ncpus = 4", more);
        vnode("h0", "") + &vnode("h1", "") + &node("h2", "host = \"h\", ncpus = 8", state)
    };
    let run = |state| cycle(&vnodes(state), &job("1", "1:ncpus=6", "free", ""), "");
    assert_eq!(place(&run("state = \"busy\""), "1"), None);
    assert_eq!(comment(&run("state = \"busy\""), "1"), NO_CPUS);
    assert_eq!(place(&run(""), "1").as_deref(), Some("(h2:ncpus=6)"));
}

/// M39: before a reservation a split chunk of a job that requests `excl` lacks the resource, whatever the
/// sharing of its vnodes; that of another job has a conflict.
#[test]
fn m39_a_broken_chunk_of_an_exclusive_job_is_short_of_what_is_planned() {
    let vnode = |name: &str, sharing: &str| node(name, "host = \"h\", ncpus = 4", sharing);
    let reservation = "[[reservation]]\nname = \"R1\"\nstart = \"+00:30:00\"\nduration = \"04:00:00\"\n\
        on = \"(h0:ncpus=4)+(h1:ncpus=4)\"\nusers = [\"ann\"]\n";
    let run = |place, sharing| {
        let nodes = vnode("h0", sharing) + &vnode("h1", sharing);
        cycle(&nodes, &(reservation.to_owned() + &job("1", "1:ncpus=6", place, "")), "")
    };
    assert_eq!(comment(&run("free:excl", ""), "1"), NO_CPUS);
    assert_eq!(comment(&run("free:excl", "sharing = \"ignore_excl\""), "1"), NO_CPUS);
    assert_eq!(comment(&run("free", ""), "1"), "Not Running: Job would conflict with reservation or top job");
}

/// M42: for the second chunk `b` is tried before `a`, since what the first chunk took counts twice; so the
/// last vnode that is short is `a`, which has no memory left.
#[test]
fn m42_what_a_broken_chunk_took_counts_twice_in_the_sort() {
    let vnode = |name: &str, cpus: u32, mem: u32| {
        node(name, &format!("host = \"h\", ncpus = {cpus}, mem = \"{mem}gb\""), "")
    };
    let nodes = vnode("a", 1, 28) + &vnode("b", 4, 64) + &vnode("c", 8, 64);
    let nodes = nodes + &node("g", "ncpus = 8, mem = \"200gb\"", "");
    let by_memory = "[sched_config]\nnode_sort_key = [\"mem LOW unused\"]\n";
    let run = cycle(&nodes, &job("1", "2:ncpus=8:mem=80gb", "pack", ""), by_memory);
    assert_eq!(comment(&run, "1"), "Not Running: Insufficient amount of resource: mem ");
}

/// M42: of the first chunk `a` gives cpus and memory and `b` the last cpus; twice that memory is more than `a` has, so that
/// for the second chunk it lacks memory too, and `b`, which gives some of both, leaves no reason.
#[test]
fn m42_what_a_broken_chunk_took_counts_twice_in_what_is_left() {
    let vnode = |name: &str| node(name, "host = \"h\", ncpus = 8, mem = \"8gb\"", "");
    let nodes = vnode("a") + &vnode("b") + &node("g", "ncpus = 48, mem = \"4gb\"", "");
    let by_memory = "[sched_config]\nnode_sort_key = [\"mem LOW unused\"]\n";
    let run = cycle(&nodes, &job("1", "2:ncpus=12:mem=5gb", "pack", ""), by_memory);
    assert_eq!(comment(&run, "1"), "Not Running: Insufficient amount of resource: mem ");
}

/// Rule M17: hosts keep an order by their sums; where a queue has nodes, they are in the order in which the
/// list of the other nodes names them.
#[test]
fn hosts_stand_as_listed_where_a_queue_has_nodes() {
    let vnode =
        |name: &str, host: &str, cpus: u32| node(name, &format!("ncpus = {cpus}, host = \"{host}\""), "");
    let nodes = [vnode("a", "h", 4), vnode("b", "h", 1), vnode("c", "i", 3), vnode("d", "i", 3)].concat();
    let jobs = job("1", "1:ncpus=1", "free", "") + &job("2", "1:ncpus=1", "free", "");
    let by_use = "[sched_config]\nnode_sort_key = [\"ncpus HIGH unused\"]\n";
    let kept = cycle(&nodes, &jobs, by_use);
    assert_eq!(place(&kept, "2").as_deref(), Some("(c:ncpus=1)"));
    let of_queue = node("e", "ncpus = 1", "queue = \"q2\"");
    let queue = "[[queue]]\nname = \"q2\"\n".to_owned() + &jobs;
    let listed = cycle(&(nodes + &of_queue), &queue, by_use);
    assert_eq!(place(&listed, "2").as_deref(), Some("(a:ncpus=1)"));
}
