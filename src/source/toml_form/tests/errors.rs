//! Errors are reported with their place.

use super::*;

#[test]
fn errors_name_file_line_and_column() {
    assert_eq!(
        queue_error("[[job]]\nid = \"1\"\n  qeueu = \"x\"\n"),
        "queue.toml:4:3 (1): `qeueu` is not a key that is known here, did you mean `queue`?"
    );
    assert_eq!(
        queue_error("[[job]]\nid = \"1\"\nselect = \"1:ncpu=1\"\n"),
        "queue.toml:4:10 (1): no resource is called `ncpu`, did you mean `ncpus`?"
    );
    assert!(queue_error("[[job\n").starts_with("queue.toml:2:"));
}

#[test]
fn all_errors_are_collected() {
    let text = format!(
        "{NOW}[[job]]\nid = 1\nselect = \"x\"\nplace = \"here\"\nwhat = 1\n[[job]]\nuser = \"ann\"\n"
    );
    let reported =
        read(Some("[[node]]\nname = \"n[\"\n"), Some(&text), Some("[servre]\n"), None, "t").unwrap_err();
    assert_eq!(reported.iter().filter(|d| d.severity == Severity::Error).count(), 6, "{reported:#?}");
}

#[test]
fn each_error_of_a_queue_file() {
    let resv = "[[reservation]]\nname = \"R1\"\n";
    for (text, expected) in [
        ("job = 3\n", "`job` is no list of tables; expected `[[job]]`"),
        ("job = [3]\n", "an element of `job` is no table"),
        ("[[job]]\nuser = \"a\"\n", "a job needs an `id`"),
        ("[[job]]\nid = 1\n[[job]]\nid = 1\n", "two jobs called `1`"),
        ("[[job]]\nid = {}\n", "`id` is `a table`; expected a text"),
        ("[[job]]\nid = 1\nwalltime = \"long\"\n", "`walltime` is `long`; expected a duration"),
        ("[[job]]\nid = 1\npriority = \"x\"\n", "expected a whole number"),
        ("[[job]]\nid = 1\nnodes = -1\n", "expected a whole number that is not negative"),
        ("[[job]]\nid = 1\ntopjob = 3\n", "expected true or false"),
        ("[[job]]\nid = 1\nprefer = {}\n", "expected a list of texts"),
        ("[[job]]\nid = 1\nqueued = \"soon\"\n", "expected epoch seconds, a date"),
        ("[[job]]\nid = 1\nselect = \"1:ncpus\"\n", "expected `=` and a value"),
        ("[[job]]\nid = 1\nselect = \"1:ncpus=x\"\n", "`ncpus`: `x` is not a number"),
        ("[[job]]\nid = 1\nplace = \"near\"\n", "`near` is not a place word"),
        ("[[job]]\nid = 1\nstate = \"Z\"\n", "expected one letter of Q R"),
        ("[[job]]\nid = 1\nstate = \"R\"\n", "a running job needs `on`"),
        ("[[job]]\nid = 1\non = \"(n1\"\n", "a parenthesis is never closed"),
        ("[[job]]\nid = 1\non = \"(n9:ncpus=1)\"\n", "no node is called `n9`, did you mean `n1`?"),
        ("[[job]]\nid = 1\narray = \"1-\"\n", "no range such as 1-6"),
        ("[[job]]\nid = 1\npolicy = \"FASTER\"\n", "expected FIRSTAVAILABLE"),
        ("[[job]]\nid = 1\nreservation = \"R9\"\n", "no reservation is called `R9`"),
        ("[[job]]\nid = 1\nresources = { waltime = 1 }\n", "did you mean `walltime`?"),
        ("[[job]]\nid = 1\nresources = 3\n", "no table of resources"),
        ("[[job]]\nid = 1\nresources = { ncpus = \"x\" }\n", "`ncpus`: `x` is not a number"),
        ("[[job]]\nid = 1\nestimated = 3\n", "`estimated` is no table"),
        ("[[queue]]\npriority = 1\n", "a queue needs a `name`"),
        ("[[queue]]\nname = \"a\"\n[[queue]]\nname = \"a\"\n", "two queues called `a`"),
        ("[[queue]]\nname = \"a\"\nqueue_type = \"x\"\n", "expected Execution or Route"),
        ("[[queue]]\nname = \"a\"\nmax_run = \"3\"\n", "expected u:, g:, p: or o:"),
        ("[[queue]]\nname = \"a\"\nmax_run_res.ncpu = \"x\"\n", "did you mean `ncpus`?"),
        ("[[queue]]\nname = \"a\"\nmax_user_res.ncpus = \"x\"\n", "`max_user_res`: `x` is not a number"),
        ("[[queue]]\nname = \"a\"\navailable = { ncpus = \"x\" }\n", "`x` is not a number"),
        ("[[queue]]\nname = \"a\"\navailable = { ncpus = {} }\n", "`ncpus` is a table; expected a value"),
        ("[[reservation]]\nstart = 3\n", "a reservation needs a `name`"),
        (&format!("{resv}select = \"1:ncpus=1\"\n"), "needs `start` and `duration`"),
        (&format!("{resv}start = 1\nduration = 5\n"), "needs `on` or `select`"),
        (&format!("{resv}start = 9\nend = 1\nselect = \"1:ncpus=1\"\n"), "disagree"),
        (&format!("{resv}start = \"+1\"\nduration = 5\non = \"(x:ncpus=1)\"\n"), "no node is called `x`"),
        (&format!("{resv}start = 1\nduration = 5\non = \"(x\"\nselect = \"1:ncpus=1\"\n"), "never closed"),
        (&format!("{resv}start = 1\nduration = 5\nselect = \"1:\"\n"), "expected a resource name"),
        (&format!("{resv}start = 1\nduration = 5\nselect = \"1\"\nplace = \"x\"\n"), "not a place word"),
        (&format!("{resv}start = 1\nduration = 5\nselect = \"1\"\nstate = \"x\"\n"), "RESV_CONFIRMED"),
    ] {
        let reported = queue_error(text);
        assert!(reported.contains(expected), "{text}\n{reported}");
    }
}

#[test]
fn each_error_of_nodes_and_policy() {
    for (text, expected) in [
        ("[[node]]\nload = 1\n", "a node needs a `name`"),
        ("[[node]]\nname = \"n[2-1]\"\n", "cannot be expanded: the range `2-1` goes backwards"),
        ("[[node]]\nname = \"a\"\n[[node]]\nname = \"a\"\n", "two nodes called `a`"),
        ("[[node]]\nname = \"a\"\nstate = \"ofline\"\n", "did you mean `offline`?"),
        ("[[node]]\nname = \"a\"\nsharing = \"x\"\n", "expected default_shared"),
        ("[[node]]\nname = \"a\"\nload = \"x\"\n", "`load` is `x`; expected a number"),
        ("nodes = 3\n", "did you mean `node`?"),
    ] {
        let reported = node_error(text);
        assert!(reported.starts_with("nodes.toml:") && reported.contains(expected), "{text}\n{reported}");
    }
    for (text, expected) in [
        ("zone = \"Mars\"\n", "expected a time zone"),
        ("[sched_config]\nby_qeue = true\n", "did you mean `by_queue`?"),
        ("[sched_config]\nby_queue = 3\n", "expected true or false"),
        ("[sched_config]\nby_queue = { day = true }\n", "`day` is no period of `by_queue`"),
        ("[sched_config]\nby_queue = { prime = {} }\n", "`by_queue` is a table; expected a value"),
        ("[server]\nbackfil_depth = 1\n", "did you mean `backfill_depth`?"),
        ("[scheduler]\nopt_backfill_fuzzy = \"x\"\n", "expected off, low"),
        ("[[resource]]\ntype = \"long\"\n", "a resource needs a `name`"),
        ("[[resource]]\nname = \"a\"\ntype = \"int\"\n", "expected boolean, long"),
        ("[[resource]]\nname = \"a\"\nflag = \"z\"\n", "expected letters out of"),
        ("[maui]\nX = {}\n", "`X` is a table; expected a value"),
        ("server = 3\n", "`server` is no table"),
    ] {
        let reported = policy_error(text);
        assert!(reported.starts_with("policy.toml:") && reported.contains(expected), "{text}\n{reported}");
    }
}

#[test]
fn each_warning() {
    for (text, policy, expected) in [
        ("[[job]]\nid = 1\nqueue = \"far\"\n", "", "queue-assumed"),
        (
            "[[reservation]]\nname = \"R1\"\nstart = 1\nduration = 5\non = \"(n1:ncpus=1)\"\n",
            "",
            "reservation-over",
        ),
        ("", "[server]\nnode_group_key = \"host\"\n", "node-group-off"),
        ("", "[[resource]]\nname = \"mem\"\ntype = \"size\"\n", "built-in-resource"),
        ("", "[sched_config]\nhalf_life = 3\n", "obsolete-option"),
        (
            "",
            "[sched_config]\nsmp_cluster_dist = \"round_robin\"\nnode_sort_key = \"mem LOW unused\"\n",
            "smp-cluster-dist",
        ),
    ] {
        assert_eq!(warnings(&cluster(NODES, text, policy)), [expected]);
    }
}
